/* SPDX-License-Identifier: MIT
 *
 * vec-condensers.c - recorded cases of condensers, in a conversation of ours: its
 * services, pins and cuts are real, and the scripted model answers as the recorded
 * one did. The view of a log is the history module's own work. */
#define MORTISE_PROVISIONAL
#include "vec.h"

#include "context/history.h"
#include "context/view-invariants.h"
#include "features/condense.h"
#include "controller/kit.h"
#include "controller/plugins/model-request.h"
#include "controller/plugins/plugin-host.h"

#include <sys/stat.h>

enum { EVENTS_MAX = 512, STAGES_MAX = 8, SETTING_MAX = 128 };

static const char crash[] = "V0 fails when nothing is left to forget; that is no "
			    "condensation (README: condensers)";
static uv_loop_t loop;

/* ---- a conversation with the condensers of a case ------------------------------ */

struct wired {
	char texts[KIT_SETTINGS][SETTING_MAX];
	const char *list[KIT_SETTINGS];
	size_t count;
};

static void set(struct wired *w, const char *fmt, ...)
{
	va_list ap;

	if (w->count == KIT_SETTINGS)
		abort();
	va_start(ap, fmt);
	vsnprintf(w->texts[w->count], SETTING_MAX, fmt, ap);
	va_end(ap);
	w->list[w->count] = w->texts[w->count];
	w->count++;
}

/* A section of its own: all members of `params` but what names it. */
static void set_stage(struct wired *w, unsigned number, const char *plugin,
		      json_object *params)
{
	set(w, "condenser.stage%u.plugin=%s", number, plugin);
	if (params) {
		json_object_object_foreach(params, name, value)
			if (strcmp(name, "condenser") != 0 &&
			    strcmp(name, "llm_ids") != 0 && strcmp(name, "title") != 0 &&
			    value)
				set(w, "condenser.stage%u.%s=%s", number, name,
				    json_object_get_string(value));
	}
}

/* `in` names a condenser, or a pipeline of them. */
static void set_condensers(struct wired *w, json_object *in, json_object *params)
{
	json_object *stages = js_path(in, "params.stages");
	size_t n = stages ? json_object_array_length(stages) : 0;
	char names[SETTING_MAX] = "";

	set(w, "core.sync=none");
	set(w, "controller.analyzers=");
	set(w, "controller.tools=");
	for (size_t i = 0; i < n; i++) {
		json_object *s = json_object_array_get_idx(stages, i);

		set_stage(w, (unsigned)i + 1, js_str(s, "condenser", ""), s);
		snprintf(names + strlen(names), sizeof names - strlen(names),
			 "%sstage%zu", i ? "," : "", i + 1);
	}
	if (!n)
		set_stage(w, 1, js_str(in, "condenser", ""), params);
	set(w, "controller.condensers=%s", n ? names : "stage1");
}

/* The answer of the recorded model: one text, or the named ids. */
static void write_script(json_object *params)
{
	json_object *ids = js_get(params, "llm_ids");
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);

	if (ids)
		strbuf_addf(&text, "[turn]\ntext = {\"ids\":%s}\n", js_text(ids, NULL));
	else
		strbuf_add(&text, "[turn]\ntext = NEW SUMMARY\n");
	kit_script(text.text);
}

static struct conversation *open_conversation(const struct wired *w, struct error *err)
{
	const char *list[KIT_SETTINGS];
	const struct config_input in = { .overrides = list, .override_count = w->count };
	char script[128];
	const struct conversation_options o = { .workspace = "/tmp",
						.model = script,
						.headless = true };
	struct config *config = NULL;
	struct registry *registry = NULL;
	struct conversation *c = NULL;

	memcpy(list, w->list, sizeof list);
	snprintf(script, sizeof script, "script:%s/script", kit_home);
	if (config_load(&in, &config, err) || registry_open(config, &registry, err) ||
	    conversation_create(&loop, config, registry, &o, &c, err)) {
		registry_free(registry);
		config_free(config);
		return NULL;
	}
	return c;
}

/* A log that holds the events of a case and nothing else, in the place of the
 * conversation's own, which begins with a system event. */
struct own_log {
	struct evlog *log;
	struct history *history;
	struct request_messages *memory;
};

static void swap_log(struct conversation *c, struct own_log *o)
{
	struct own_log now = { c->log, c->agent->history, c->agent->memory };

	c->log = o->log;
	c->agent->history = o->history;
	c->agent->memory = o->memory;
	*o = now;
}

static int open_log(struct conversation *c, struct own_log *o, struct error *err)
{
	static const struct evlog_options sync = { .sync = SYNC_NONE };
	static const struct request_messages_options options = { .max_message_chars = 0 };
	static unsigned number;
	char dir[128];

	snprintf(dir, sizeof dir, "%s/log-%u", kit_home, number++);
	if (evlog_open(dir, EVLOG_CREATE, &sync, &o->log, NULL, err))
		return err->code;
	o->history = history_new(o->log, 0);
	o->memory = request_messages_new(o->log, &options);
	swap_log(c, o);
	return o->history && o->memory ? MT_OK : out_of_memory(err);
}

static void close_log(struct conversation *c, struct own_log *o)
{
	swap_log(c, o);
	request_messages_free(o->memory);
	history_free(o->history);
	evlog_close(o->log);
}

/* ---- a case in it -------------------------------------------------------------- */

/* The result of a case: a condensation, or else the view. */
struct outcome {
	json_object *condensation; /* its arguments; NULL: there is none */
	json_object *view;
	bool requested; /* a request for a condensation is left */
	int64_t first;  /* id of the first event of the case */
};

static void outcome_clear(struct outcome *o)
{
	json_object_put(o->condensation);
	json_object_put(o->view);
}

static int put_events(struct conversation *c, json_object *events, struct error *err)
{
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		AUTO(json) json_object *json = NULL;
		AUTO(event) struct event *e = NULL;

		json_object_deep_copy(json_object_array_get_idx(events, i), &json, NULL);
		if (!js_get(json, "source"))
			js_set_str(json, "source",
				   js_get(json, "action") ? "agent" : "environment");
		e = event_from_json(json, err);
		if (!e || evlog_append(c->log, e, err))
			return err->code;
	}
	return MT_OK;
}

static json_object *view_json(const struct mt_ctx *x, int64_t first)
{
	json_object *view = json_object_new_array();

	for (size_t i = 0; i < x->view_count; i++) {
		const struct view_item *item = &x->view[i];
		json_object *o = NULL;

		if (!item->text) {
			o = json_object_new_int64(item->event - first);
		} else {
			o = json_object_new_object();
			js_set_int(o, "id", -1);
			js_set_str(o, "type", "condense");
			js_set_strn(o, "content", item->text, item->len);
		}
		json_object_array_add(view, o);
	}
	return view;
}

/* Is a request newer than the newest condensation? */
static bool is_requested(struct conversation *c, int64_t first)
{
	for (int64_t id = evlog_count(c->log); id-- > first;) {
		const struct evlog_head *head = evlog_head(c->log, id);

		if (strcmp(head->type->name, "condensation_request") == 0)
			return true;
		if (strcmp(head->type->name, "condensation") == 0)
			return false;
	}
	return false;
}

static void run_case(struct conversation *c, json_object *events, struct outcome *ret,
		     struct error *err)
{
	struct mt_ctx x = { .c = c, .part = &c->agent->plugin };
	enum condensing what = CONDENSE_DONE;
	int64_t first = evlog_count(c->log), count;

	*ret = (struct outcome){ .first = first };
	if (put_events(c, events, err))
		return;
	ret->requested = is_requested(c, first);
	if (ret->requested)
		condense_request(c);
	count = evlog_count(c->log);
	if (!history_view(c->agent->history, &x.view, &x.view_count, err) &&
	    condense_view(&x, &what, err) && !err->code)
		*err = x.error;
	while (!err->code && what == CONDENSE_ASKS && request_is_open(c))
		uv_run(&loop, UV_RUN_ONCE);
	if (!err->code && what == CONDENSE_DONE)
		ret->view = view_json(&x, first);
	for (; !err->code && count < evlog_count(c->log); count++) {
		AUTO(event) struct event *e = evlog_event(c->log, count, err);

		if (e && strcmp(e->type->name, "condensation") == 0)
			ret->condensation = json_object_get(event_args(e));
	}
	plugin_ctx_clear(&x);
}

/* The ids that a condensation names, as the case counts them. */
static json_object *forgotten_of(const struct outcome *o)
{
	json_object *ids = js_get(o->condensation, "forgotten_event_ids");
	json_object *list = json_object_new_array();
	int64_t from = js_int(o->condensation, "forgotten_events_start_id", -1);
	int64_t to = js_int(o->condensation, "forgotten_events_end_id", -1);

	for (size_t i = 0; ids && i < json_object_array_length(ids); i++)
		json_object_array_add(list,
				      json_object_new_int64(
					      json_object_get_int64(
						      json_object_array_get_idx(ids, i)) -
					      o->first));
	for (; !ids && from >= 0 && from <= to; from++)
		json_object_array_add(list, json_object_new_int64(from - o->first));
	return list;
}

static void compare(struct vec *v, const char *what, json_object *expected,
		    json_object *got)
{
	if (!js_equal(expected, got))
		vec_fault(v, what, js_text(expected, NULL), js_text(got, NULL));
}

static void compare_condensation(struct vec *v, const struct outcome *o,
				 json_object *expected)
{
	AUTO(json) json_object *forgotten = forgotten_of(o);

	compare(v, "forgotten", js_get(expected, "forgotten"), forgotten);
	compare(v, "summary", js_get(expected, "summary"),
		js_get(o->condensation, "summary"));
	compare(v, "summary_offset", js_get(expected, "summary_offset"),
		js_get(o->condensation, "summary_offset"));
}

/* Decisions under which a recorded answer is not ours. */
static const char *not_ours(json_object *expected)
{
	json_object *view = js_get(expected, "view"),
		    *ids = js_get(expected, "forgotten");
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

static void compare_outcome(struct vec *v, json_object *expected, const struct outcome *o)
{
	bool is_view = strcmp(js_str(expected, "kind", ""), "view") == 0;
	json_object *ids = js_get(expected, "forgotten");
	bool none = !ids || json_object_array_length(ids) == 0;

	if (!expected) { /* only a condensation is ruled out */
		if (o->condensation)
			vec_fault(v, crash, "nothing", js_text(o->condensation, NULL));
	} else if (is_view) {
		compare(v, "view", js_get(expected, "view"), o->view);
		if (o->requested !=
		    js_bool(expected, "unhandled_condensation_request", false))
			vec_fault(v, "unhandled request", NULL, NULL);
	} else if (none) {
		if (o->condensation)
			vec_fault(v, "nothing to forget = no condensation", "nothing",
				  js_text(o->condensation, NULL));
	} else {
		compare_condensation(v, o, expected);
	}
}

static bool condense_case(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in"), *expected = js_get(c, "output");
	const char *why = expected ? not_ours(expected) : NULL;
	struct wired w = { .count = 0 };
	struct error err = ERROR_NONE;
	struct conversation *conversation;
	struct outcome o = { .view = NULL };
	struct own_log own = { NULL, NULL, NULL };

	if (why) {
		vec_skip(v, "v0 condense", why);
		return false;
	}
	set_condensers(&w, in, js_get(in, "params"));
	write_script(js_get(in, "params"));
	conversation = open_conversation(&w, &err);
	if (!conversation) {
		vec_fault(v, "a conversation", js_str(in, "condenser", ""), err.text);
		return true;
	}
	if (!open_log(conversation, &own, &err))
		run_case(conversation, js_get(in, "events"), &o, &err);
	if (err.code && expected)
		vec_fault(v, "an error", "none", err.text);
	else
		compare_outcome(v, expected, &o);
	outcome_clear(&o);
	close_log(conversation, &own);
	kit_close(&loop, conversation);
	return true;
}

static bool ends(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

/* Parameters are settings of a section: a refusal names it, then says why. One that
 * is outside of its own range is refused before it is held against others. */
static bool params_case(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in");
	const char *message = js_str(js_get(c, "error"), "message", NULL);
	struct wired w = { .count = 0 };
	struct error err = ERROR_NONE;
	struct conversation *conversation;

	if (!message && js_int(in, "keep_first", 0) < 0) {
		vec_skip(v, "v0 condenser_params",
			 "a negative number of events is refused");
		return false;
	}
	write_script(NULL);
	set_condensers(&w, in, in);
	conversation = open_conversation(&w, &err);
	if (message ? conversation || (!ends(err.text, message) &&
				       !strstr(err.text, " is not between "))
		    : !conversation)
		vec_fault(v, "refusal", message, err.text);
	if (conversation)
		kit_close(&loop, conversation);
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
	char dir[] = "/tmp/mortise-vec-XXXXXX";
	struct error err = ERROR_NONE;
	struct evlog *log = NULL;

	if (!mkdtemp(dir) || evlog_open(dir, EVLOG_CREATE, &options, &log, NULL, &err)) {
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
	dir_remove(dir, NULL);
	return true;
}

/* V1's shorthand for the facts that the rules need. */
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
		s->shown[i] = strcmp(t, "cond") != 0 && strcmp(t, "req") != 0 &&
			      strcmp(t, "pause") != 0;
	}
	view_invariants_number_loops(s->facts, s->count);
}

static void forget_shorthand(struct shorthand *s)
{
	for (size_t i = 0; i < s->count; i++) {
		json_object *ids =
			js_get(json_object_array_get_idx(s->events, i), "forget");

		for (size_t j = 0; ids && j < json_object_array_length(ids); j++) {
			const char *id =
				json_object_get_string(json_object_array_get_idx(ids, j));

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
	if (view_invariants_apply(s.facts, s.count, s.shown))
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
	view_invariants_cuts(places, n, allowed);
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
	bool valid = history_condensation_is_valid(js_path(c, "in.args"));

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
	int code;

	if (!vec_open(&v, argc, argv) || !kit_begin())
		return 2;
	uv_loop_init(&loop);
	vec_each(&v, one_case);
	code = vec_done(&v);
	uv_loop_close(&loop);
	kit_end();
	return code;
}
