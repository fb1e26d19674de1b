/* SPDX-License-Identifier: MIT
 *
 * event-internal.h - shared declarations of the files of lib/events. */
#ifndef LIB_EVENTS_EVENT_INTERNAL_H
#define LIB_EVENTS_EVENT_INTERNAL_H

#include "events/event.h"

/** Called for each string and object while JSON is written. A hook that writes a
 *  replacement sets `*ret_done`. */
struct write_hook {
	int (*text)(void *arg, struct strbuf *out, const char *text, size_t len,
		    bool *ret_done);
	int (*object)(void *arg, struct strbuf *out, json_object *value, bool *ret_done);
	void *arg;
};

/** Append a value without leaving copies of its text in the json-c objects, unlike
 *  js_put. `hook` may be NULL. */
int json_write(struct strbuf *out, json_object *value, const struct write_hook *hook);
/** Like event_write, with a hook. */
int event_write_hooked(const struct event *e, struct strbuf *out,
		       const struct write_hook *hook);

/** Do not store the hash: the function may change between versions. */
uint64_t evlog_hash_bytes(const void *bytes, size_t len);

/** The args or extras of a type from the given fields: in table order, with defaults,
 *  without legacy forms. Takes nothing. */
enum { FIELDS_STRICT = 1, FIELDS_TYPED = 2 };
json_object *event_fields_fill(const struct event_type *type, json_object *given, int how,
			       struct error *err);

/** Like event_from_json, for events in imported files: unknown fields are kept, and
 *  command output is not truncated. Takes nothing. */
struct event *event_import(json_object *json, struct error *err);

/** Create an event from a JSON object in final form; takes the object. */
struct event *event_wrap(const struct event_type *type, json_object *json,
			 struct error *err);
/** Set `message` and, if the type has it, `success` of the event. */
int event_derive(struct event *e);

/** Parse a Python literal in the legacy form of editor calls: dict, list, tuple, strings,
 *  numbers, True, False, None. NULL: not a literal. */
json_object *python_literal(const char *text, size_t len);

#endif
