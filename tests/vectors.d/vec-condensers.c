/* SPDX-License-Identifier: MIT
 *
 * vec-condensers.c - recorded cases of condensers: the plugins run under a host
 * of this file's own, whose model answers as the recorded one did; the view of a
 * log is the history module's own work. */
#define MORTISE_PROVISIONAL
#include "context/history.h"
#include "context/view-rules.h"
#include "events/event.h"
#include "vec.h"

#include <dlfcn.h>
#include <mortise/condenser.h>
#include <stdlib.h>
#include <unistd.h>

enum { EVENTS_MAX = 512 };

static const char crash[] = "V0 fails when nothing is left to forget; that is no "
			    "condensation (README: condensers)";

/* ---- the host ---------------------------------------------------------- */

struct mt_event {
	json_object *json;
	int64_t id;
};

struct mt_ctx {
	struct mt_event events[EVENTS_MAX];
	size_t place[EVENTS_MAX], count; /* the view: places of events */
	struct mt_str masks[EVENTS_MAX];
	const struct mt_component *component;
	json_object *params;
	bool requested, sent;
	char kept[1024];
	json_object *forgotten;
	char *summary;
	int64_t offset;
	char refused[256], prompt[64];
};

static const char *fallback_of(struct mt_ctx *x, const char *name)
{
	const struct mt_option *o = x->component->options;

	for (size_t i = 0; i < x->component->option_count; i++)
		if (strcmp(o[i].name, name) == 0)
			return o[i].fallback;
	return NULL;
}

static int64_t h_option_int(struct mt_ctx *x, const char *name)
{
	const char *text = fallback_of(x, name);

	return js_int(x->params, name, text ? strtoll(text, NULL, 10) : 0);
}

static const char *h_option(struct mt_ctx *x, const char *name)
{
	return js_str(x->params, name, fallback_of(x, name));
}

static void h_log(struct mt_ctx *x, int level, const char *fmt, ...)
{
	(void)x, (void)level, (void)fmt;
}

static size_t h_view_count(struct mt_ctx *x)
{
	return x->count;
}

static const struct mt_event *h_view_at(struct mt_ctx *x, size_t place)
{
	return place < x->count ? &x->events[x->place[place]] : NULL;
}

static int64_t h_event_id(const struct mt_event *e)
{
	return e ? e->id : -1;
}

static int h_event_is_action(const struct mt_event *e)
{
	return js_get(e->json, "action") != NULL;
}

static const char *h_event_type(const struct mt_event *e)
{
	return js_str(e->json, "action", js_str(e->json, "observation", ""));
}

static const char *h_event_source(const struct mt_event *e)
{
	return js_str(e->json, "source", "");
}

static int64_t h_event_cause(const struct mt_event *e)
{
	return js_int(e->json, "cause", -1);
}

static struct mt_str str_of(const char *text)
{
	return (struct mt_str){ text, strlen(text) };
}

static struct mt_str h_event_field(const struct mt_event *e, const char *path)
{
	json_object *o = js_path(e->json, path);

	if (!o)
		return str_of("");
	return str_of(json_object_is_type(o, json_type_string) ? json_object_get_string(o)
							       : js_text(o, NULL));
}

static struct mt_str h_event_text(struct mt_ctx *x, const struct mt_event *e)
{
	(void)x;
	return str_of(js_str(e->json, "content", js_str(js_get(e->json, "args"), "content",
							 "")));
}

static struct mt_request *h_request(struct mt_ctx *x)
{
	return (struct mt_request *)x;
}

static int h_request_message(struct mt_request *r, int role, struct mt_str text)
{
	(void)r, (void)role, (void)text;
	return MT_OK;
}

static int h_request_set(struct mt_request *r, const char *name, struct mt_str json)
{
	(void)r, (void)name, (void)json;
	return MT_OK;
}

static int h_define_tool(struct mt_request *r, const char *name, struct mt_str description,
			 struct mt_str schema)
{
	(void)r, (void)name, (void)description, (void)schema;
	return MT_OK;
}

static int h_send(struct mt_ctx *x, struct mt_request *r)
{
	(void)r;
	x->sent = true;
	return 1;
}

static int h_keep(struct mt_ctx *x, struct mt_str state)
{
	snprintf(x->kept, sizeof x->kept, "%.*s", (int)state.len, state.ptr);
	return MT_OK;
}

static int h_prompt(struct mt_ctx *x, const char *name, struct mt_str data,
		    struct mt_str *ret_text)
{
	(void)data;
	snprintf(x->prompt, sizeof x->prompt, "%s", name);
	*ret_text = str_of(x->prompt);
	return MT_OK;
}

static void h_refuse(struct mt_ctx *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x->refused, sizeof x->refused, fmt, ap);
	va_end(ap);
}

/* The recorded model: one text, one call. */
struct mt_reply {
	struct mt_str text, name, args;
};

static struct mt_str h_reply_text(const struct mt_reply *reply)
{
	return reply->text;
}

static size_t h_reply_calls(const struct mt_reply *reply)
{
	return reply->name.len ? 1 : 0;
}

static struct mt_str h_reply_call_name(const struct mt_reply *reply, size_t n)
{
	(void)n;
	return reply->name;
}

static struct mt_str h_reply_call_args(const struct mt_reply *reply, size_t n)
{
	(void)n;
	return reply->args;
}

static const struct mt_host host = {
	.size = sizeof host,
	.option = h_option,
	.option_int = h_option_int,
	.log = h_log,
	.view_count = h_view_count,
	.view_at = h_view_at,
	.event_id = h_event_id,
	.event_is_action = h_event_is_action,
	.event_type = h_event_type,
	.event_source = h_event_source,
	.event_cause = h_event_cause,
	.event_field = h_event_field,
	.event_text = h_event_text,
	.request = h_request,
	.request_message = h_request_message,
	.request_set = h_request_set,
	.request_define_tool = h_define_tool,
	.send = h_send,
	.keep = h_keep,
	.prompt = h_prompt,
	.refuse = h_refuse,
	.reply_text = h_reply_text,
	.reply_calls = h_reply_calls,
	.reply_call_name = h_reply_call_name,
	.reply_call_args = h_reply_call_args,
};

/* ---- what condensers put out ------------------------------------------- */

static int o_drop(struct mt_ctx *x, size_t place, size_t count)
{
	if (place > x->count || count > x->count - place)
		return MT_EINVAL;
	memmove(&x->place[place], &x->place[place + count],
		(x->count - place - count) * sizeof x->place[0]);
	x->count -= count;
	return MT_OK;
}

static int o_mask(struct mt_ctx *x, size_t place, struct mt_str text)
{
	struct mt_str *mask = &x->masks[x->place[place]];

	mask->ptr = strndup(text.ptr, text.len);
	mask->len = text.len;
	return MT_OK;
}

static int o_forget(struct mt_ctx *x, const size_t *places, size_t count,
		    struct mt_str summary, size_t offset)
{
	x->forgotten = json_object_new_array();
	for (size_t i = 0; i < count; i++)
		json_object_array_add(x->forgotten, json_object_new_int64(
					      x->events[x->place[places[i]]].id));
	if (summary.len) {
		x->summary = strndup(summary.ptr, summary.len);
		x->offset = (int64_t)offset;
	}
	return MT_OK;
}

static int o_requested(struct mt_ctx *x)
{
	return x->requested;
}

static int64_t o_unknown(struct mt_ctx *x)
{
	(void)x;
	return -1;
}

static struct mt_str o_shown(struct mt_ctx *x, size_t place)
{
	return x->masks[x->place[place]];
}

static int o_may_cut(struct mt_ctx *x, size_t place)
{
	return place <= x->count;
}

static int o_pinned(struct mt_ctx *x, size_t place)
{
	(void)x;
	(void)place;
	return 0;
}

static const struct mt_condenser_out out = {
	.size = sizeof out,
	.drop = o_drop,
	.mask = o_mask,
	.forget = o_forget,
	.requested = o_requested,
	.view_tokens = o_unknown,
	.window_tokens = o_unknown,
	.shown = o_shown,
	.may_cut = o_may_cut,
	.pinned = o_pinned,
};

/* ---- running one ------------------------------------------------------- */

static const struct mt_component *load(const char *name)
{
	char path[512];
	const struct mt_plugin *(*entry)(void);
	void *so;

	snprintf(path, sizeof path, "%s/plugins/condensers/%s.so", BUILD, name);
	so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	*(void **)&entry = so ? dlsym(so, MT_PLUGIN_SYMBOL) : NULL;
	return entry ? entry()->components : NULL;
}

static void fill(struct mt_ctx *x, json_object *events)
{
	size_t n = json_object_array_length(events);

	for (size_t i = 0; i < n && i < EVENTS_MAX; i++) {
		json_object *e = json_object_array_get_idx(events, i);
		const char *type = js_str(e, "action", "");

		x->events[i] = (struct mt_event){ e, (int64_t)i };
		if (strcmp(type, "condensation_request") == 0)
			x->requested = true;
		else
			x->place[x->count++] = i;
	}
}

static void stage(struct mt_ctx *x, const char *name, json_object *params)
{
	const struct mt_condenser *f;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	json_object *ids = js_get(params, "llm_ids");
	struct mt_in in = { .size = sizeof in, .what = MT_START };
	struct mt_reply reply = { 0 };

	x->component = load(name);
	if (!x->component)
		return;
	f = x->component->functions;
	x->params = params;
	x->sent = false;
	f->advance(&host, &out, x, &in);
	if (!x->sent)
		return;
	if (ids)
		strbuf_addf(&text, "{\"ids\":%s}", js_text(ids, NULL));
	else
		strbuf_add(&text, "NEW SUMMARY");
	reply.text = str_of(text.text);
	in.what = MT_REPLIED;
	in.reply = &reply;
	in.state = str_of(x->kept);
	f->advance(&host, &out, x, &in);
}

static json_object *view_of(const struct mt_ctx *x)
{
	json_object *view = json_object_new_array();

	for (size_t i = 0; i < x->count; i++) {
		const struct mt_str *mask = &x->masks[x->place[i]];
		json_object *o;

		if (!mask->ptr) {
			o = json_object_new_int64((int64_t)x->place[i]);
		} else {
			o = json_object_new_object();
			js_set_int(o, "id", -1);
			js_set_str(o, "type", "condense");
			js_set_str(o, "content", mask->ptr);
		}
		json_object_array_add(view, o);
	}
	return view;
}

static void compare(struct vec *v, const char *what, json_object *expected,
		    json_object *got)
{
	if (!js_equal(expected, got))
		vec_fault(v, what, js_text(expected, NULL), js_text(got, NULL));
}

static void compare_condensation(struct vec *v, const struct mt_ctx *x,
				 json_object *expected)
{
	AUTO(json) json_object *summary = x->summary ? json_object_new_string(x->summary)
						     : NULL;
	AUTO(json) json_object *offset = x->summary ? json_object_new_int64(x->offset)
						    : NULL;

	compare(v, "forgotten", js_get(expected, "forgotten"), x->forgotten);
	compare(v, "summary", js_get(expected, "summary"), summary);
	compare(v, "summary_offset", js_get(expected, "summary_offset"), offset);
}

/* Decisions under which a recorded answer is not ours. */
static const char *not_ours(json_object *expected)
{
	json_object *view = js_get(expected, "view"), *ids = js_get(expected, "forgotten");
	int64_t before = -1;

	for (size_t i = 0; view && i < json_object_array_length(view); i++) {
		json_object *o = json_object_array_get_idx(view, i);

		if (json_object_is_type(o, json_type_int)) {
			if (json_object_get_int64(o) <= before)
				return "`recent` with tail 0 keeps only the head, and no "
				       "event is shown twice (README: further decisions)";
			before = json_object_get_int64(o);
		}
	}
	for (size_t i = 0; ids && i < json_object_array_length(ids); i++)
		if (json_object_get_int64(json_object_array_get_idx(ids, i)) < 0)
			return "a masked observation keeps its id, so the head is not "
			       "forgotten with it (README: view properties)";
	return NULL;
}

static void clear(struct mt_ctx *x)
{
	for (size_t i = 0; i < EVENTS_MAX; i++)
		free((char *)x->masks[i].ptr);
	json_object_put(x->forgotten);
	free(x->summary);
	free(x);
}

static void run_stages(struct mt_ctx *x, json_object *in)
{
	json_object *stages = js_path(in, "params.stages");

	if (!stages) {
		stage(x, js_str(in, "condenser", ""), js_get(in, "params"));
		return;
	}
	for (size_t i = 0; i < json_object_array_length(stages) && !x->forgotten; i++) {
		json_object *s = json_object_array_get_idx(stages, i);

		stage(x, js_str(s, "condenser", ""), s);
	}
}

static bool condense_case(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in"), *expected = js_get(c, "output");
	const char *why = expected ? not_ours(expected) : NULL;
	struct mt_ctx *x;

	if (why) {
		vec_skip(v, "v0 condense", why);
		return false;
	}
	x = calloc(1, sizeof *x);
	fill(x, js_get(in, "events"));
	run_stages(x, in);
	if (!x->component) {
		vec_fault(v, "plugin", js_str(in, "condenser", ""), dlerror());
	} else if (!expected) {
		if (x->forgotten)
			vec_fault(v, crash, "nothing", js_text(x->forgotten, NULL));
	} else if (strcmp(js_str(expected, "kind", ""), "view") == 0) {
		AUTO(json) json_object *view = view_of(x);

		compare(v, "view", js_get(expected, "view"), view);
		if (x->requested != js_bool(expected, "unhandled_condensation_request",
					    false))
			vec_fault(v, "unhandled request", NULL, NULL);
	} else if (json_object_array_length(js_get(expected, "forgotten")) == 0) {
		if (x->forgotten)
			vec_fault(v, "nothing to forget = no condensation", "nothing",
				  js_text(x->forgotten, NULL));
	} else {
		compare_condensation(v, x, expected);
	}
	clear(x);
	return true;
}

static bool params_case(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in");
	const struct mt_component *component = load(js_str(in, "condenser", ""));
	const struct mt_condenser *f = component ? component->functions : NULL;
	struct mt_ctx x = { .component = component, .params = in };
	const char *message = js_str(js_get(c, "error"), "message", NULL);

	if (!f) {
		vec_fault(v, "plugin", js_str(in, "condenser", ""), NULL);
		return true;
	}
	if (f->check)
		f->check(&host, &x);
	if (message ? strcmp(x.refused, message) != 0 : *x.refused)
		vec_fault(v, "refusal", message, x.refused);
	return true;
}

/* ---- views ------------------------------------------------------------- */

static int append(struct evlog *log, json_object *json, struct error *err)
{
	const char *action = js_str(json, "action", NULL);
	const char *source = js_str(json, "source", "agent");
	struct event *e;

	if (!action)
		return fail(err, MT_EINVAL, "not an action");
	e = event_action(action, strcmp(source, "user") == 0 ? SOURCE_USER : SOURCE_AGENT,
			 json_object_get(js_get(json, "args")), err);
	if (e) {
		evlog_append(log, e, err);
		event_unref(e);
	}
	return err->code;
}

static json_object *items_json(const struct view_item *items, size_t count)
{
	json_object *view = json_object_new_array();

	for (size_t i = 0; i < count; i++) {
		json_object *o = json_object_new_int64(items[i].event);

		if (items[i].event < 0) {
			json_object_put(o);
			o = json_object_new_object();
			js_set_int(o, "id", -1);
			js_set_str(o, "type", "condense");
			js_set_strn(o, "content", items[i].text, items[i].len);
		}
		json_object_array_add(view, o);
	}
	return view;
}

static void check_view(struct vec *v, struct evlog *log, json_object *expected,
		       struct error *err)
{
	struct history *h = history_new(log, 0);
	struct view_item *items = NULL;
	size_t count = 0;

	if (!h || history_view(h, &items, &count, err)) {
		vec_fault(v, "view", "a view", err->text);
	} else {
		AUTO(json) json_object *view = items_json(items, count);

		compare(v, "view", js_get(expected, "view"), view);
	}
	free(items);
	history_free(h);
}

static bool v0_view_case(struct vec *v, json_object *c)
{
	static const struct evlog_options options = { .sync = SYNC_NONE };
	json_object *events = js_path(c, "in.events");
	char dir[] = "/tmp/mortise-vec-XXXXXX", command[64];
	struct error err = ERROR_NONE;
	struct evlog *log = NULL;

	if (!mkdtemp(dir)
	    || evlog_open(dir, EVLOG_CREATE, &options, &log, NULL, &err)) {
		vec_fault(v, "log", "a log", err.text);
		return true;
	}
	for (size_t i = 0; !err.code && i < json_object_array_length(events); i++)
		append(log, json_object_array_get_idx(events, i), &err);
	if (err.code)
		vec_fault(v, "events", "good events", err.text);
	else
		check_view(v, log, js_get(c, "output"), &err);
	evlog_close(log);
	snprintf(command, sizeof command, "%s/events.jsonl", dir);
	unlink(command);
	snprintf(command, sizeof command, "%s/state.json", dir);
	unlink(command);
	rmdir(dir);
	return true;
}

/* V1's shorthand: what the rules need to know. */
struct shorthand {
	struct view_fact facts[EVENTS_MAX];
	const char *ids[EVENTS_MAX], *calls[EVENTS_MAX], *responses[EVENTS_MAX];
	unsigned char shown[EVENTS_MAX];
	json_object *events;
	size_t count;
};

static int32_t number_of(const char **names, size_t count, const char *name)
{
	if (!name)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (names[i] && strcmp(names[i], name) == 0)
			return (int32_t)i;
	return (int32_t)count;
}

static void read_shorthand(struct shorthand *s, json_object *events)
{
	s->events = events;
	s->count = json_object_array_length(events);
	for (size_t i = 0; i < s->count; i++) {
		json_object *e = json_object_array_get_idx(events, i);
		const char *t = js_str(e, "t", "");

		s->ids[i] = js_str(e, "id", "");
		s->calls[i] = js_str(e, "call", NULL);
		s->responses[i] = js_str(e, "resp", NULL);
		s->facts[i] = (struct view_fact){
			.call = number_of(s->calls, i, s->calls[i]),
			.batch = number_of(s->responses, i, s->responses[i]),
			.is_action = strcmp(t, "act") == 0,
			.thinking = js_bool(e, "thinking", false),
		};
		s->shown[i] = strcmp(t, "cond") != 0 && strcmp(t, "req") != 0
			      && strcmp(t, "pause") != 0;
	}
	view_rules_loops(s->facts, s->count);
}

static void forget_shorthand(struct shorthand *s)
{
	for (size_t i = 0; i < s->count; i++) {
		json_object *ids = js_get(json_object_array_get_idx(s->events, i), "forget");

		for (size_t j = 0; ids && j < json_object_array_length(ids); j++) {
			const char *id = json_object_get_string(
				json_object_array_get_idx(ids, j));

			for (size_t k = 0; k < s->count; k++)
				if (strcmp(s->ids[k], id) == 0)
					s->shown[k] = 0;
		}
	}
}

static void insert_at(json_object **view, const struct view_fact **places, size_t *n,
		      int64_t offset, json_object *o)
{
	size_t at = offset > (int64_t)*n ? *n : (size_t)offset;

	memmove(&view[at + 1], &view[at], (*n - at) * sizeof *view);
	memmove(&places[at + 1], &places[at], (*n - at) * sizeof *places);
	view[at] = o;
	places[at] = NULL;
	++*n;
}

static bool v1_view_case(struct vec *v, json_object *c)
{
	static struct shorthand s;
	json_object *expected = js_get(c, "output"), *view[EVENTS_MAX];
	const struct view_fact *places[EVENTS_MAX];
	unsigned char allowed[EVENTS_MAX + 1];
	AUTO(json) json_object *got = json_object_new_array();
	AUTO(json) json_object *cuts = json_object_new_array();
	size_t n = 0;

	memset(&s, 0, sizeof s);
	read_shorthand(&s, js_path(c, "in.events"));
	forget_shorthand(&s);
	if (view_rules_apply(s.facts, s.count, s.shown))
		vec_fault(v, "memory", NULL, NULL);
	for (size_t i = 0; i < s.count; i++)
		if (s.shown[i]) {
			places[n] = &s.facts[i];
			view[n++] = json_object_new_string(s.ids[i]);
		}
	for (size_t i = 0; i < s.count; i++) {
		json_object *e = json_object_array_get_idx(s.events, i), *o;
		char id[128];

		if (!js_get(e, "summary"))
			continue;
		o = json_object_new_object();
		snprintf(id, sizeof id, "%s-summary", s.ids[i]);
		js_set_str(o, "id", id);
		js_set_str(o, "summary", js_str(e, "summary", ""));
		insert_at(view, places, &n, js_int(e, "offset", 0), o);
	}
	view_rules_cuts(places, n, allowed);
	for (size_t i = 0; i < n; i++)
		json_object_array_add(got, view[i]);
	for (size_t i = 0; i <= n; i++)
		if (allowed[i])
			json_object_array_add(cuts, json_object_new_int64((int64_t)i));
	compare(v, "view", js_get(expected, "view"), got);
	compare(v, "where it may be cut", js_get(expected, "manipulation_indices"), cuts);
	return true;
}

static bool validate_case(struct vec *v, json_object *c)
{
	bool valid = condensation_is_valid(js_path(c, "in.args"));

	if (valid == (js_get(c, "error") != NULL))
		vec_fault(v, "condensation", js_get(c, "error") ? "refused" : "accepted",
			  valid ? "accepted" : "refused");
	return true;
}

static bool one_case(struct vec *v, json_object *c)
{
	static const char reference[] = "V1's parameters and ranges are for reference";
	static const struct vec_decision decided[] = {
		{ "v1", "condenser_params", reference }, { "v1", "forgotten_range", reference },
	};
	const char *fn = js_str(c, "fn", ""), *version = js_str(c, "version", "");
	bool v0 = strcmp(version, "v0") == 0;

	if (v0 && strcmp(fn, "condense") == 0)
		return condense_case(v, c);
	if (v0 && strcmp(fn, "condenser_params") == 0)
		return params_case(v, c);
	if (v0 && strcmp(fn, "condensation_action_validate") == 0)
		return validate_case(v, c);
	if (strcmp(fn, "view_from_events") == 0)
		return v0 ? v0_view_case(v, c) : v1_view_case(v, c);
	return vec_decide(v, c, decided, ARRAY_LEN(decided));
}

int main(int argc, char **argv)
{
	struct vec v;

	if (!vec_open(&v, argc, argv))
		return 2;
	vec_each(&v, one_case);
	return vec_done(&v);
}
