/* SPDX-License-Identifier: MIT
 *
 * event.h - one event: OpenHands V0 JSON in memory, with frequently used fields
 * extracted. Events are reference-counted and do not change once they are in a log. */
#ifndef LIB_EVENTS_EVENT_H
#define LIB_EVENTS_EVENT_H

#include "events/types.h"
#include <time.h>

/** A member next to args, and of the calls in an llm_reply. It means that the logged
 *  arguments differ from the original ones because a secret was masked. */
#define EVENT_MASKED "secrets_masked"

enum { EVENT_OUTPUT_MAX = 30000 }; /* maximum characters of command output */

enum event_source { SOURCE_NONE, SOURCE_AGENT, SOURCE_USER, SOURCE_ENVIRONMENT };

struct event {
	unsigned refs;
	int64_t id;                    /* -1: not in a log yet */
	int64_t cause;                 /* ID of the action that it answers; -1: none */
	enum event_source source;
	bool is_action;
	const struct event_type *type;
	json_object *json;             /* the whole event, as written to the log */
};

/** A new action; takes `args` (an object, may be NULL). Missing fields get their
 *  defaults; types are checked. @return NULL with `err` filled ("malformed action": names
 *  field and type). */
struct event *event_action(const char *type, enum event_source source, json_object *args,
			   struct error *err);
/** A new observation; takes `extras`. `content` may be NULL if the type does not have
 *  one. Command output is truncated as specified, unless it is hidden. */
struct event *event_observation(const char *type, enum event_source source, int64_t cause,
				const char *content, size_t len, json_object *extras,
				struct error *err);
/** Create an event from JSON. Accepts legacy forms and keeps unknown members; takes no
 *  reference. Errors: neither action nor observation; unknown type (lists the known
 *  types); missing field. */
struct event *event_from_json(json_object *json, struct error *err);
/** Create an event from the JSON of a log or trajectory. Nothing is truncated; unknown
 *  fields and the message are kept. Takes `json`. */
struct event *event_adopt(json_object *json, struct error *err);
struct event *event_ref(struct event *e);
struct event *event_unref(struct event *e); /* NULL is fine; @return NULL */
AUTO_DEFINE(event, struct event *, event_unref)

const char *event_source_name(enum event_source source); /* "agent"; "" for none */
enum event_source event_source_find(const char *name);   /* SOURCE_NONE: unknown name */

/* Members, borrowed: */
json_object *event_args(const struct event *e);                    /* args or extras */
const char *event_arg(const struct event *e, const char *name);    /* text or "" */
const char *event_content(const struct event *e, size_t *ret_len); /* observation text */
bool event_hidden(const struct event *e);
/** tool_call_metadata {function_name, tool_call_id, llm_response_id,
 *  total_calls_in_response}; NULL: none. */
json_object *event_tool_meta(const struct event *e);
int event_set_tool_meta(struct event *e, const char *function, const char *call_id,
			const char *response_id, int total_calls);

/** The member `called_by` of an action that the code of another action called, and of its
 *  observation: {action, tool}. NULL: none. */
json_object *event_caller(const struct event *e);

/** The derived text for the user ("Running command: ls"). */
int event_message(const struct event *e, struct strbuf *out);
/** The text of a command output for the model: prefix, content, and suffix, then the
 *  directory, interpreter, and exit code if known. */
int event_command_text(const struct event *e, struct strbuf *out);
/** Format an `edit` observation as changes with `context` lines around each. `applied`
 *  false: a preview of the changes. Very long files are not compared. */
int event_edit_text(const struct event *e, size_t context, bool applied,
		    struct strbuf *out);
/** V0 truncation: keeps the first and last half, with the marker between them. `max` is
 *  in characters. */
int event_truncate_content(const char *text, size_t len, size_t max_chars,
			   struct strbuf *out);
/** The current time as events contain it: UTC, microseconds, Z. `buf` holds 32 bytes. */
void event_timestamp_now(char buf[32]);

/** Write the event as one line of the log (without newline). */
int event_write(const struct event *e, struct strbuf *out);
/** The event in trajectory form: without the trees and other data of the page in `extras`,
 *  and without screenshots unless `screenshots`. Owned. */
json_object *event_trajectory(const struct event *e, bool screenshots);

#endif
