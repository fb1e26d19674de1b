/* SPDX-License-Identifier: MIT
 *
 * trajectory-read.c - imports OpenHands files into a log. */
#include "events/event-internal.h"
#include "events/trajectory.h"
#include "array.h"
#include "files.h"

#include <inttypes.h>
#include <string.h>

enum { FILE_LIMIT = 512 << 20, EVENTS_MAX = 1000000, CONVERSATIONS_MAX = 10000 };

void trajectory_clear(struct trajectories *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->items[i].title);
		json_object_put(t->items[i].events);
	}
	free(t->items);
	*t = (struct trajectories){ 0 };
}

/* ---- contents of a file ------------------------------------------------------ */

static bool is_list(json_object *value)
{
	return json_object_is_type(value, json_type_array);
}

static bool is_event(json_object *value)
{
	return js_get(value, "action") || js_get(value, "observation");
}

static int trajectory_read_add(struct trajectories *t, const char *title,
			       json_object *events, struct error *err)
{
	int status = ARRAY_ADD(t->items, t->count, CONVERSATIONS_MAX);

	if (status == MT_ELIMIT)
		return fail(err, MT_ELIMIT,
			    "the file contains more than %d "
			    "conversations",
			    CONVERSATIONS_MAX);
	if (status)
		return out_of_memory(err);
	t->items[t->count] =
		(struct trajectory){ strdup(title), json_object_get(events) };
	if (!t->items[t->count++].title)
		return out_of_memory(err);
	return MT_OK;
}

/* Add a record of an evaluation; a record without history is skipped. */
static int trajectory_read_add_record(struct trajectories *t, json_object *record,
				      struct error *err)
{
	json_object *history = js_get(record, "history");
	const char *title = js_str(record, "instance_id",
				   js_str(js_get(record, "issue"), "title", ""));

	if (!is_list(history) || json_object_array_length(history) == 0)
		return MT_OK;
	return trajectory_read_add(t, title, history, err);
}

static int trajectory_read_add_list(struct trajectories *t, json_object *list,
				    struct error *err)
{
	size_t count = json_object_array_length(list);
	int status = MT_OK;

	if (count > 0 && is_event(json_object_array_get_idx(list, 0)))
		return trajectory_read_add(t, "", list, err);
	for (size_t i = 0; i < count && !status; i++)
		status = trajectory_read_add_record(t, json_object_array_get_idx(list, i),
						    err);
	return status;
}

/* Parse one JSON value per line. */
static json_object *trajectory_read_lines(const char *text, size_t len, struct error *err)
{
	AUTO(json) json_object *list = json_object_new_array();
	size_t number = 0;

	while (list && len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		struct error why = ERROR_NONE;
		json_object *value = NULL;

		number++;
		if (n > 0 && strspn(text, " \t\r") < n) {
			value = js_parse_object(text, n, &why);
			if (!value) {
				fail(err, why.code, "line %zu: %s", number, why.text);
				return NULL;
			}
			if (js_add(list, value) != 0) {
				json_object_put(value);
				out_of_memory(err);
				return NULL;
			}
		}
		text += n + (end != NULL);
		len -= n + (end != NULL);
	}
	return STEAL(list);
}

/* True if the text consists of lines with one object each, judging by the first line. */
static bool looks_like_lines(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);
	AUTO(json)
	json_object *first = text[0] == '{' && end
				     ? js_parse_object(text, (size_t)(end - text), NULL)
				     : NULL;

	return first != NULL;
}

int trajectory_load(const char *path, struct trajectories *ret, struct error *err)
{
	AUTO(free) char *text = NULL;
	AUTO(json) json_object *file = NULL;
	struct trajectories t = { 0 };
	struct error why = ERROR_NONE;
	size_t len;
	int status = file_read(path, FILE_LIMIT, &text, &len, err);

	if (status)
		return status;
	file = looks_like_lines(text, len) ? trajectory_read_lines(text, len, &why)
					   : js_parse(text, len, &why);
	if (!file)
		return fail(err, why.code ? why.code : MT_EINVAL, "%s: %s", path,
			    why.text[0] ? why.text : "it contains null");
	status = is_list(file) ? trajectory_read_add_list(&t, file, err)
			       : trajectory_read_add_record(&t, file, err);
	if (!status && t.count == 0)
		status = fail(err, MT_EINVAL,
			      "%s contains no events: it must be an array of events, or "
			      "evaluation records with a history",
			      path);
	if (status)
		trajectory_clear(&t);
	else
		*ret = t;
	return status;
}

/* ---- other forms of events ------------------------------------------------------- */

/* The oldest form has no args or extras: the fields are members of the event. */
static int unflatten(json_object *json)
{
	static const char *const stays[] = {
		"id",          "timestamp", "source",      "message",
		"cause",       "action",    "observation", "tool_call_metadata",
		"llm_metrics", "timeout",   "success",     "mortise",
	};
	const char *name = js_get(json, "action") ? "args" : "extras";
	json_object *fields;

	if (js_get(json, name))
		return MT_OK;
	fields = json_object_new_object();
	if (!fields)
		return MT_ENOMEM;
	json_object_object_foreach(json, key, value) {
		bool stay = name[0] == 'e' && strcmp(key, "content") == 0;

		for (size_t i = 0; i < ARRAY_LEN(stays) && !stay; i++)
			stay = strcmp(key, stays[i]) == 0;
		if (stay || strcmp(key, "action_risk") == 0)
			continue;
		if (js_set(fields, key, json_object_get(value))) {
			json_object_put(fields);
			return MT_ENOMEM;
		}
	}
	json_object_object_foreach(fields, moved, ignored) {
		(void)ignored;
		json_object_object_del(json, moved);
	}
	return js_set(json, name, fields);
}

/* Restore the data that export moved into "mortise". */
static int trajectory_read_take_back(json_object *json)
{
	const char *sort = js_get(json, "action") ? "action" : "observation";
	json_object *ours = js_get(json, "mortise"), *fields = js_get(ours, "fields");
	json_object *target = js_get(json, *sort == 'a' ? "args" : "extras");
	const char *type = js_str(ours, "type", NULL);

	if (type && js_set_str(json, sort, type))
		return MT_ENOMEM;
	if (json_object_is_type(fields, json_type_object) && target) {
		json_object_object_foreach(fields, name, value)
			if (js_set(target, name, json_object_get(value)))
				return MT_ENOMEM;
	}
	json_object_object_del(json, "mortise");
	return MT_OK;
}

/* ---- replies ---------------------------------------------------------------------- */

static int trajectory_read_put_calls(json_object *record, json_object *message)
{
	json_object *from = js_get(message, "tool_calls"),
		    *calls = json_object_new_array();
	size_t count = is_list(from) ? json_object_array_length(from) : 0;

	if (!calls || js_set(record, "calls", calls))
		return MT_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		json_object *call = json_object_array_get_idx(from, i);
		json_object *function = js_get(call, "function");
		AUTO(json) json_object *made = json_object_new_object();

		if (!made || js_set_str(made, "id", js_str(call, "id", "")) ||
		    js_set_str(made, "name", js_str(function, "name", "")) ||
		    js_set_str(made, "arguments", js_str(function, "arguments", "")) ||
		    js_add(calls, made) != 0)
			return MT_ENOMEM;
		made = NULL; /* now owned by the list */
	}
	return MT_OK;
}

static int trajectory_read_put_usage(json_object *record, json_object *from)
{
	json_object *details = js_get(from, "prompt_tokens_details");
	json_object *usage = json_object_new_object();
	const struct {
		const char *name;
		int64_t value;
	} counts[] = {
		{ "input", js_int(from, "prompt_tokens", -1) },
		{ "output", js_int(from, "completion_tokens", -1) },
		{ "cache_read", js_int(from, "cache_read_input_tokens",
				       js_int(details, "cached_tokens", -1)) },
		{ "cache_write", js_int(from, "cache_creation_input_tokens", -1) },
		{ "reasoning", js_int(js_get(from, "completion_tokens_details"),
				      "reasoning_tokens", -1) },
	};

	if (!usage || js_set(record, "usage", usage))
		return MT_ENOMEM;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		if (counts[i].value >= 0 &&
		    js_set_int(usage, counts[i].name, counts[i].value))
			return MT_ENOMEM;
	return MT_OK;
}

/* Convert an original reply to a record of the log. */
static json_object *reply_record(json_object *response, const char *id)
{
	json_object *choice =
		json_object_is_type(js_get(response, "choices"), json_type_array)
			? json_object_array_get_idx(js_get(response, "choices"), 0)
			: NULL;
	json_object *message = js_get(choice, "message");
	json_object *content = js_get(message, "content");
	const char *reasoning = js_str(message, "reasoning_content", "");
	AUTO(json) json_object *record = json_object_new_object();

	if (!record || js_set_str(record, "record", "llm_reply") ||
	    js_set_str(record, "response_id", id) ||
	    js_set_str(record, "model", js_str(response, "model", "")) ||
	    js_set(record, "text",
		   json_object_is_type(content, json_type_string)
			   ? json_object_get(content)
			   : json_object_new_string("")) ||
	    (*reasoning && js_set_str(record, "reasoning", reasoning)) ||
	    trajectory_read_put_calls(record, message) ||
	    js_set_str(record, "stop_reason", js_str(choice, "finish_reason", "")) ||
	    trajectory_read_put_usage(record, js_get(response, "usage")))
		return NULL;
	return STEAL(record);
}

/* ---- IDs --------------------------------------------------------------------------- */

/* Old and new IDs, both ascending. */
struct numbers {
	struct pair {
		int64_t old, new;
	} * pairs;
	size_t count;
};

/* The new ID of an old one; if the event is missing, that of the nearest one above
 * (`direction` 1) or below (-1); -1: none. */
static int64_t renumber(const struct numbers *n, int64_t old, int direction)
{
	size_t low = 0, high = n->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (n->pairs[mid].old < old)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < n->count && n->pairs[low].old == old)
		return n->pairs[low].new;
	if (direction > 0)
		return low < n->count ? n->pairs[low].new : -1;
	return direction < 0 && low > 0 ? n->pairs[low - 1].new : -1;
}

static int renumber_forgotten(const struct numbers *n, json_object *args)
{
	json_object *ids = js_get(args, "forgotten_event_ids"), *list;
	int64_t first = js_int(args, "forgotten_events_start_id", -1);
	int64_t last = js_int(args, "forgotten_events_end_id", -1);

	if (first >= 0 && last >= first) {
		int64_t to = renumber(n, last, -1), from = renumber(n, first, 1);

		if (from < 0 || to < from) /* none of these events was imported */
			from = to = -1;
		if (js_set_int(args, "forgotten_events_start_id", from < 0 ? 1 : from) ||
		    js_set_int(args, "forgotten_events_end_id", from < 0 ? 0 : to))
			return MT_ENOMEM;
	}
	if (!is_list(ids))
		return MT_OK;
	list = json_object_new_array();
	if (!list)
		return MT_ENOMEM;
	for (size_t i = 0; i < json_object_array_length(ids); i++) {
		int64_t id =
			renumber(n,
				 json_object_get_int64(json_object_array_get_idx(ids, i)),
				 0);
		json_object *made = id >= 0 ? json_object_new_int64(id) : NULL;

		if (made && js_add(list, made) != 0) {
			json_object_put(made);
			json_object_put(list);
			return MT_ENOMEM;
		}
	}
	return js_set(args, "forgotten_event_ids", list);
}

/* ---- importing -----------------------------------------------------------------------
 */

struct import {
	struct evlog *log;
	struct numbers numbers;
	size_t replies;
	struct error *err;
};

/* Write the reply of an event as a record unless the record exists; the event keeps only
 * the ID. */
static int unfold(struct import *m, json_object *json)
{
	json_object *meta = js_get(json, "tool_call_metadata");
	json_object *response = js_get(meta, "model_response");
	const char *id = js_str(response, "id", "");
	AUTO(json) json_object *known = NULL, *record = NULL;
	char made[32];
	int status = MT_OK;

	if (!json_object_is_type(meta, json_type_object))
		return MT_OK;
	if (!json_object_is_type(response, json_type_object)) {
		json_object_object_del(meta, "model_response");
		return MT_OK;
	}
	if (!*id) {
		snprintf(made, sizeof made, "import-%zu", m->replies);
		id = made;
	}
	known = evlog_reply(m->log, id, NULL);
	if (!known) {
		record = reply_record(response, id);
		status = record ? evlog_record(m->log, record, m->err)
				: out_of_memory(m->err);
		m->replies++;
	}
	if (!status && js_set_str(meta, "llm_response_id", id))
		status = out_of_memory(m->err);
	json_object_object_del(meta, "model_response");
	return status;
}

/* Copy an event in the current form, with its old ID and cause. */
static struct event *trajectory_read_event(struct import *m, json_object *given)
{
	AUTO(json) json_object *json = NULL;
	struct error *err = m->err;

	if (!json_object_is_type(given, json_type_object)) {
		fail(err, MT_EINVAL, "not an object");
		return NULL;
	}
	if (json_object_deep_copy(given, &json, NULL) != 0 || unflatten(json) ||
	    trajectory_read_take_back(json)) {
		out_of_memory(err);
		return NULL;
	}
	return unfold(m, json) ? NULL : event_import(json, err);
}

/* Store the original event if export would change it. */
static int keep_original(struct import *m, int64_t id, json_object *given)
{
	AUTO(json) json_object *form = NULL, *record = NULL;

	form = trajectory_event(m->log, id, false, m->err);
	if (!form)
		return m->err->code;
	if (event_is_history(evlog_head(m->log, id)) && json_object_equal(form, given))
		return MT_OK;
	record = json_object_new_object();
	if (!record || js_set_str(record, "record", "original") ||
	    js_set(record, "event", json_object_get(given)))
		return out_of_memory(m->err);
	return evlog_record(m->log, record, m->err);
}

static int end_import(struct evlog *log, struct error *err)
{
	AUTO(json) json_object *record = json_object_new_object();

	if (!record || js_set_str(record, "record", "imported"))
		return out_of_memory(err);
	return evlog_record(log, record, err);
}

static int trajectory_read_import_one(struct import *m, json_object *given)
{
	AUTO(event) struct event *e = trajectory_read_event(m, given);
	int64_t old, cause;
	int status;

	if (!e)
		return m->err->code;
	old = e->id;
	cause = e->cause < 0 ? -1 : renumber(&m->numbers, e->cause, 0);
	json_object_object_del(e->json, "id");
	json_object_object_del(e->json, "cause");
	e->id = -1;
	e->cause = cause;
	if ((cause >= 0 && js_set_int(e->json, "cause", cause)) ||
	    (e->type->id == ACTION_CONDENSATION &&
	     renumber_forgotten(&m->numbers, event_args(e))))
		return out_of_memory(m->err);
	status = evlog_append(m->log, e, m->err);
	if (status)
		return status;
	if (old >= 0 &&
	    (m->numbers.count == 0 || m->numbers.pairs[m->numbers.count - 1].old < old))
		m->numbers.pairs[m->numbers.count++] = (struct pair){ old, e->id };
	return keep_original(m, e->id, given);
}

int trajectory_import(struct evlog *log, json_object *events, size_t *ret_count,
		      struct error *err)
{
	size_t count = json_object_array_length(events);
	struct error why = ERROR_NONE;
	struct import m = { .log = log, .err = &why };
	int status = MT_OK;
	size_t i = 0;

	if (count > EVENTS_MAX)
		return fail(err, MT_ELIMIT, "more than %d events", EVENTS_MAX);
	m.numbers.pairs = calloc(count + 1, sizeof *m.numbers.pairs);
	if (!m.numbers.pairs)
		return out_of_memory(err);
	for (; i < count && !status; i++)
		status = trajectory_read_import_one(&m,
						    json_object_array_get_idx(events, i));
	free(m.numbers.pairs);
	*ret_count = status ? i - 1 : i;
	return status ? fail(err, status, "event %zu of the file: %s", i, why.text)
		      : end_import(log, err);
}
