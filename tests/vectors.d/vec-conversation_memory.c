/* SPDX-License-Identifier: MIT
 *
 * vec-conversation_memory.c - recorded cases of V0's conversation memory: events
 * become a log, the memory lays out the messages of its view. */
#define MORTISE_PROVISIONAL
#include "config/config.h"
#include "context/images.h"
#include "context/request-messages.h"
#include "context/recall-text.h"
#include "events/event.h"
#include "request/request.h"
#include "vec.h"

#include <ctype.h>
#include <mortise/advance.h>
#include <stdlib.h>
#include <unistd.h>

enum { EVENTS_MAX = 256 };

struct bench {
	char dir[64];
	struct evlog *log;
	struct request_messages *memory;
	struct view_item items[EVENTS_MAX];
	size_t count;
	json_object *replies; /* ids that are in the log */
	json_object *shown;   /* texts of recalls that memory asked for, as members */
};

static struct config *config; /* names our templates */

/* The first message of a case that names none. */
static const char default_first[] = "{\"source\":\"user\",\"action\":\"message\","
				    "\"args\":{\"content\":\"ORIGINAL\"}}";

/* ---- the log ----------------------------------------------------------- */

/* The reply of a call, once: from the shorthand or from V0's whole reply. */
static void add_reply(struct bench *b, const char *id, const char *content,
		      json_object *calls, struct error *err)
{
	AUTO(json) json_object *record = json_object_new_object();
	json_object *list = json_object_new_array();

	if (js_get(b->replies, id)) {
		json_object_put(list);
		return;
	}
	js_set_bool(b->replies, id, true);
	for (size_t i = 0; calls && i < json_object_array_length(calls); i++) {
		json_object *c = json_object_array_get_idx(calls, i);
		json_object *o = json_object_new_object(), *f = js_get(c, "function");
		bool brief = json_object_is_type(c, json_type_array);

		js_set_str(o, "id",
			   brief ? json_object_get_string(json_object_array_get_idx(c, 0))
				 : js_str(c, "id", ""));
		js_set_str(o, "name",
			   brief ? json_object_get_string(json_object_array_get_idx(c, 1))
				 : js_str(f, "name", ""));
		js_set_str(o, "arguments",
			   brief ? json_object_get_string(json_object_array_get_idx(c, 2))
				 : js_str(f, "arguments", ""));
		json_object_array_add(list, o);
	}
	js_set_str(record, "record", "llm_reply");
	js_set_str(record, "response_id", id);
	js_set_str(record, "text", content ? content : "");
	js_set(record, "calls", list);
	js_set_int(record, "before", evlog_count(b->log));
	evlog_record(b->log, record, err);
}

static void set_meta(struct bench *b, struct event *e, json_object *json,
		     struct error *err)
{
	json_object *tool = js_get(json, "_tool"),
		    *meta = js_get(json, "tool_call_metadata");
	json_object *response = js_get(meta, "model_response");
	json_object *choices = js_get(response, "choices");
	json_object *message =
		choices ? js_get(json_object_array_get_idx(choices, 0), "message") : NULL;

	if (tool) {
		add_reply(b, js_str(tool, "resp", ""), js_str(tool, "content", NULL),
			  js_get(tool, "calls"), err);
		event_set_tool_meta(e, js_str(tool, "fn", ""), js_str(tool, "call", ""),
				    js_str(tool, "resp", ""), 1);
	} else if (meta) {
		add_reply(b, js_str(response, "id", ""), js_str(message, "content", NULL),
			  js_get(message, "tool_calls"), err);
		event_set_tool_meta(e, js_str(meta, "function_name", ""),
				    js_str(meta, "tool_call_id", ""),
				    js_str(response, "id", ""), 1);
	}
}

static enum event_source source_of(json_object *json)
{
	const char *source = js_str(json, "source", "environment");

	return strcmp(source, "user") == 0    ? SOURCE_USER
	       : strcmp(source, "agent") == 0 ? SOURCE_AGENT
					      : SOURCE_ENVIRONMENT;
}

/* @return id of the event; below 0: a log cannot have this event. */
static int64_t add_event(struct bench *b, json_object *json, struct error *err)
{
	const char *action = js_str(json, "action", NULL);
	const char *observation = js_str(json, "observation", NULL);
	const char *content = js_str(json, "content", "");
	AUTO(event) struct event *e = NULL;

	if (action)
		e = event_action(action, source_of(json),
				 json_object_get(js_get(json, "args")), err);
	else if (observation)
		e = event_observation(observation, source_of(json), -1, content,
				      strlen(content),
				      json_object_get(js_get(json, "extras")), err);
	if (!e)
		return -1;
	set_meta(b, e, json, err);
	return evlog_append(b->log, e, err) ? -1 : e->id;
}

static bool is_user_message(json_object *json)
{
	return json && strcmp(js_str(json, "action", ""), "message") == 0 &&
	       strcmp(js_str(json, "source", ""), "user") == 0;
}

/* What begins a log of ours: the system text and the first message, which the view
 * of a case may lack. */
static void add_beginning(struct bench *b, json_object *in, struct error *err)
{
	json_object *events = js_get(in, "events"),
		    *first = js_get(in, "initial_user_action");
	json_object *system = json_object_array_length(events)
				      ? json_object_array_get_idx(events, 0)
				      : NULL;
	AUTO(json) json_object *own = json_object_new_object();
	AUTO(json) json_object *original =
		js_parse(default_first, sizeof default_first - 1, NULL);
	json_object *args = json_object_new_object();

	if (!system || strcmp(js_str(system, "action", ""), "system") != 0) {
		js_set_str(own, "action", "system");
		js_set_str(own, "source", "agent");
		js_set_str(args, "content", "System message");
		js_set(own, "args", args);
		add_event(b, own, err);
	} else {
		json_object_put(args);
	}
	if (json_object_array_length(events) < 2 ||
	    !is_user_message(json_object_array_get_idx(events, 1)))
		add_event(b, first ? first : original, err);
}

static bool fill_all(struct bench *b, json_object *in, struct error *err)
{
	json_object *events = js_get(in, "events");
	bool own = json_object_array_length(events) &&
		   strcmp(js_str(json_object_array_get_idx(events, 0), "action", ""),
			  "system") == 0;

	if (!own)
		add_beginning(b, in, err);
	for (size_t i = 0; i < json_object_array_length(events) && i < EVENTS_MAX; i++) {
		int64_t id = add_event(b, json_object_array_get_idx(events, i), err);

		if (id < 0)
			return false;
		b->items[b->count++] = (struct view_item){ .event = id };
		if (own && i == 0)
			add_beginning(b, in, err);
	}
	return true;
}

/* ---- recalls ----------------------------------------------------------- */

/* The product's own text, noted so that its message is known. */
static char *recall_shown(const struct event *e, void *arg)
{
	struct bench *b = arg;
	struct error err = ERROR_NONE;
	char *text = recall_render(config, "codeact", b->log, e, &err);

	if (!text)
		printf("# recall: %s\n", err.text);
	else if (*text)
		js_set_bool(b->shown, text, true);
	return text;
}

/* The texts of a message, without the blank line that parts it from the one before. */
static char *texts_of(json_object *message)
{
	json_object *content = js_get(message, "content");
	struct strbuf out = STRBUF(1 << 20);

	for (size_t i = 0; content && i < json_object_array_length(content); i++) {
		const char *text =
			js_str(json_object_array_get_idx(content, i), "text", "");

		if (!i && strncmp(text, "\n\n", 2) == 0)
			text += 2;
		strbuf_addf(&out, "%s%s", i ? "\n" : "", text);
	}
	return strbuf_take(&out);
}

/* Does {{MICROAGENTS a,b}} name it? */
static bool marker_names(const char *text, const char *name)
{
	static const char start[] = "{{MICROAGENTS ";
	const char *at = strstr(text, start);
	size_t n = strlen(name);

	for (at = at ? at + strlen(start) : NULL; at && *at && *at != '}';) {
		size_t len = strcspn(at, ",}");

		if (len == n && strncmp(at, name, n) == 0)
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

static bool is_marked(const char *text)
{
	return strstr(text, "{{WORKSPACE ") || strstr(text, "{{MICROAGENTS ");
}

/* An item of knowledge is in both texts, or in none: by its name in a marker, or by
 * its content as the templates of the recording's tests show it. */
static void compare_items(struct vec *v, json_object *events, const char *want,
			  const char *got)
{
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		json_object *items = js_path(json_object_array_get_idx(events, i),
					     "extras.microagent_knowledge");

		for (size_t k = 0; items && k < json_object_array_length(items); k++) {
			json_object *item = json_object_array_get_idx(items, k);
			const char *content = js_str(item, "content", "");
			bool in = is_marked(want)
					  ? marker_names(want, js_str(item, "name", ""))
					  : strstr(want, content) != NULL;

			if (in != (strstr(got, content) != NULL))
				vec_fault(v, js_str(item, "name", ""), want, got);
		}
	}
}

/* The values of {{WORKSPACE repo=r dir= ...}} are in our text. */
static void compare_values(struct vec *v, const char *want, const char *got)
{
	static const char start[] = "{{WORKSPACE ";
	const char *at = strstr(want, start);

	for (at = at ? at + strlen(start) : NULL; at && *at && *at != '}';) {
		size_t name = strcspn(at, "="), len = strcspn(at, " }");
		char value[256];

		snprintf(value, sizeof value, "%.*s",
			 len > name ? (int)(len - name - 1) : 0, at + name + 1);
		if (*value && strcmp(value, "{") != 0 && !strstr(got, value))
			vec_fault(v, value, want, got);
		at += len;
		at += strspn(at, " ");
		if (strncmp(at, "}", 1) == 0 && at[1] != '}')
			at += 1 + strspn(at + 1, " "); /* hosts={} */
	}
}

/* A message that shows a recall: the words are ours, what it tells is not. */
static void compare_recall(struct vec *v, json_object *events, json_object *expected,
			   json_object *got)
{
	AUTO(free) char *want = texts_of(expected), *text = texts_of(got);

	if (strcmp(js_str(expected, "role", ""), js_str(got, "role", "")) != 0)
		vec_fault(v, "role", js_str(expected, "role", ""),
			  js_str(got, "role", ""));
	if (!*want)
		vec_fault(v, "recall", "(nothing)", text);
	compare_items(v, events, want, text);
	compare_values(v, want, text);
}

/* ---- messages ---------------------------------------------------------- */

static const char *role_name(int role)
{
	static const char *const names[] = {
		[MT_ROLE_SYSTEM] = "system", [MT_ROLE_USER] = "user",
		[MT_ROLE_ASSISTANT] = "assistant", [MT_ROLE_TOOL] = "tool",
	};

	return names[role];
}

static json_object *message_json(const struct llm_message *m)
{
	json_object *o = json_object_new_object(), *content = json_object_new_array();

	js_set_str(o, "role", role_name(m->role));
	for (size_t i = 0; i < m->part_count; i++) {
		const struct llm_part *p = &m->parts[i];
		json_object *part = json_object_new_object();

		js_set_str(part, "type", p->mime ? "image_url" : "text");
		if (p->mime)
			js_set_str(part, "url", p->url ? p->url : p->mime);
		else
			js_set_strn(part, "text", p->text, p->len);
		json_object_array_add(content, part);
	}
	js_set(o, "content", content);
	if (m->role == MT_ROLE_TOOL) {
		js_set_str(o, "tool_call_id", m->calls[0].id);
		js_set_str(o, "name", m->calls[0].name);
		return o;
	}
	if (!m->call_count)
		return o;
	content = json_object_new_array();
	for (size_t i = 0; i < m->call_count; i++) {
		json_object *c = json_object_new_object();

		js_set_str(c, "id", m->calls[i].id);
		js_set_str(c, "name", m->calls[i].name);
		js_set_strn(c, "arguments", m->calls[i].args, m->calls[i].args_len);
		json_object_array_add(content, c);
	}
	js_set(o, "tool_calls", content);
	return o;
}

static void compare(struct vec *v, const struct bench *b, json_object *events,
		    json_object *expected, json_object *got)
{
	if (json_object_array_length(expected) != json_object_array_length(got)) {
		vec_fault(v, "messages", js_text(expected, NULL), js_text(got, NULL));
		return;
	}
	for (size_t i = 0; i < json_object_array_length(expected); i++) {
		json_object *e = json_object_array_get_idx(expected, i);
		json_object *g = json_object_array_get_idx(got, i);
		AUTO(free) char *text = texts_of(g);

		if (js_get(b->shown, text))
			compare_recall(v, events, e, g);
		else if (!vec_match(js_text(e, NULL), js_text(g, NULL)) &&
			 !js_equal(e, g))
			vec_fault(v, "message", js_text(e, NULL), js_text(g, NULL));
	}
}

/* ---- one case ---------------------------------------------------------- */

static bool open_bench(struct bench *b, json_object *in, struct error *err)
{
	static const struct evlog_options sync = { .sync = SYNC_NONE };
	struct request_messages_options o = {
		.max_message_chars = (size_t)js_int(in, "max_message_chars", 0),
		.recall = recall_shown,
		.arg = b,
	};

	snprintf(b->dir, sizeof b->dir, "/tmp/mortise-vec-XXXXXX");
	b->replies = json_object_new_object();
	b->shown = json_object_new_object();
	if (!mkdtemp(b->dir) ||
	    evlog_open(b->dir, EVLOG_CREATE, &sync, &b->log, NULL, err))
		return false;
	b->memory = request_messages_new(b->log, &o);
	return b->memory != NULL;
}

static void close_bench(struct bench *b)
{
	request_messages_free(b->memory);
	evlog_close(b->log);
	json_object_put(b->replies);
	json_object_put(b->shown);
	dir_remove(b->dir, NULL);
}

/* Does a text somewhere in a value fit? */
static bool any_string(json_object *value, bool (*fits)(const char *text))
{
	bool found = false;

	if (json_object_is_type(value, json_type_string))
		return fits(json_object_get_string(value));
	if (json_object_is_type(value, json_type_array))
		for (size_t i = 0; !found && i < json_object_array_length(value); i++)
			found = any_string(json_object_array_get_idx(value, i), fits);
	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, name, member) {
			(void)name;
			found = found || any_string(member, fits);
		}
	}
	return found;
}

/* A data: URL whose bytes are not an image that the product reads. */
static bool is_unreadable_image(const char *text)
{
	AUTO(json) json_object *urls = json_object_new_array();
	struct error err = ERROR_NONE;

	if (strncmp(text, "data:", 5) != 0)
		return false;
	json_object_array_add(urls, json_object_new_string(text));
	return images_check(urls, &err) != MT_OK;
}

/* Class(field=..., as Python prints a dataclass. */
static bool is_python_object(const char *text)
{
	for (const char *p = text; (p = strchr(p, '(')); p++) {
		const char *name = p;
		size_t field = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_");

		while (name > text && isalnum((unsigned char)name[-1]))
			name--;
		if (name < p && isupper((unsigned char)*name) && field &&
		    p[1 + field] == '=')
			return true;
	}
	return false;
}

static bool agent_sends_images(json_object *event)
{
	json_object *urls = js_get(js_get(event, "args"), "image_urls");

	return strcmp(js_str(event, "action", ""), "message") == 0 &&
	       strcmp(js_str(event, "source", ""), "agent") == 0 &&
	       json_object_is_type(urls, json_type_array) &&
	       json_object_array_length(urls) > 0;
}

static json_object *items_of(json_object *event)
{
	json_object *items = js_path(event, "extras.microagent_knowledge");

	return json_object_is_type(items, json_type_array) ? items : NULL;
}

/* Does the original leave out a recall or an item of it, though nothing before held
 * it? Then it was switched off, which is not part of an event. */
static bool is_switched_off(json_object *c, json_object *events)
{
	json_object *out = js_get(c, "output");
	const char *output = out ? js_text(out, NULL) : "";
	size_t messages = out ? json_object_array_length(out) : 0, others = 0;
	bool any = false;
	AUTO(json) json_object *names = json_object_new_object();

	if (!out)
		return false;

	for (size_t i = 0; i < json_object_array_length(events); i++) {
		json_object *e = json_object_array_get_idx(events, i),
			    *items = items_of(e);
		bool recall = strcmp(js_str(e, "observation", ""), "recall") == 0;

		others += !recall;
		any = any || (recall && *js_str(js_get(e, "extras"), "repo_name", ""));
		for (size_t k = 0; items && k < json_object_array_length(items); k++) {
			json_object *item = json_object_array_get_idx(items, k);
			const char *name = js_str(item, "name", "");

			if (!js_get(names, name) && !marker_names(output, name) &&
			    !strstr(output, js_str(item, "content", "")))
				return true;
			js_set_bool(names, name, true);
		}
	}
	/* a system text and a first message are put before events that lack them */
	return any && messages <= (others > 2 ? others : 2);
}

/* The decision under which a case is not ours. */
static const char *not_ours(json_object *c, json_object *events)
{
	if (is_switched_off(c, events))
		return "skills are switched off before they are recalled, not when a log "
		       "is shown";
	if (js_get(c, "error"))
		return "what V0 cannot show ends it; ours shows nothing of it, and continues";
	if (any_string(js_get(c, "in"), is_unreadable_image))
		return "an image is looked at before it is shown: these are none";
	if (any_string(js_get(c, "output"), is_python_object))
		return "how Python prints an object is not ours";
	for (size_t i = 0; i < json_object_array_length(events); i++)
		if (agent_sends_images(json_object_array_get_idx(events, i)))
			return "an agent sends no images";
	return NULL;
}

static bool one_case(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in"), *events = js_get(in, "events");
	AUTO(llm_request) struct llm_request *request = llm_request_new();
	AUTO(json) json_object *got = json_object_new_array();
	struct error err = ERROR_NONE;
	struct bench b = { .count = 0 };
	const char *why;

	static const struct vec_decision decided[] = {
		{ "v1", "events_to_messages", "V1's form is for reference" },
	};

	if (strcmp(js_str(c, "version", ""), "v0") != 0 ||
	    strcmp(js_str(c, "fn", ""), "process_events") != 0)
		return vec_decide(v, c, decided, ARRAY_LEN(decided));
	why = not_ours(c, events);
	if (why) {
		vec_skip(v, "v0 process_events", why);
		return false;
	}
	if (!js_get(c, "id"))
		v->label = js_str(in, "title", "recorded");
	if (!open_bench(&b, in, &err) || !fill_all(&b, in, &err) ||
	    request_messages_build(b.memory, b.items, b.count, request, &err))
		vec_fault(v, "the log", "messages", err.text);
	for (size_t i = 0; i < request->message_count; i++)
		json_object_array_add(got, message_json(&request->messages[i]));
	if (!v->faults)
		compare(v, &b, events, js_get(c, "output"), got);
	close_bench(&b);
	return true;
}

int main(int argc, char **argv)
{
	const char *settings[] = { "core.prompt_dir=" SOURCES "/prompts" };
	const struct config_input input = { .overrides = settings, .override_count = 1 };
	struct error err = ERROR_NONE;
	struct vec v;
	int code;

	if (!vec_open(&v, argc, argv))
		return 2;
	if (config_load(&input, &config, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	vec_each(&v, one_case);
	code = vec_done(&v);
	config_free(config);
	return code;
}
