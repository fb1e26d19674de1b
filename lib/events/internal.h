/* SPDX-License-Identifier: MIT
 *
 * internal.h - internal to lib/events. */
#ifndef LIB_EVENTS_INTERNAL_H
#define LIB_EVENTS_INTERNAL_H

#include "events/event.h"

/** Told of each string and each object while JSON is written. A hook that
 *  writes something else in its place sets `*ret_done`. */
struct write_hook {
	int (*text)(void *arg, struct strbuf *out, const char *text, size_t len,
		    bool *ret_done);
	int (*object)(void *arg, struct strbuf *out, json_object *value, bool *ret_done);
	void *arg;
};

/** Append a value without leaving copies of its text in the json-c objects, as
 *  js_put would. `hook` may be NULL. */
int json_write(struct strbuf *out, json_object *value, const struct write_hook *hook);
/** As event_write, with a hook. */
int event_write_hooked(const struct event *e, struct strbuf *out,
		       const struct write_hook *hook);

/** Not for keeping: the function may change with the version. */
uint64_t evlog_hash_bytes(const void *bytes, size_t len);

/** The args or extras of a type out of what was given: table order, defaults,
 *  legacy forms already gone. Takes nothing. */
enum { FIELDS_STRICT = 1, FIELDS_TYPED = 2 };
json_object *event_fields_fill(const struct event_type *type, json_object *given, int how,
			       struct error *err);

/** As event_from_json for events of strangers' files: fields that the type does
 *  not know are kept, command output is not cut. Takes nothing. */
struct event *event_import(json_object *json, struct error *err);

/** An event over a JSON object that has its final form; takes it. */
struct event *event_wrap(const struct event_type *type, json_object *json,
			 struct error *err);
/** Put `message` and, where the type has it, `success` into the event. */
int event_derive(struct event *e);

/** A Python literal, as the legacy form of editor calls holds one: dict, list,
 *  tuple, strings, numbers, True, False, None. NULL: it is none. */
json_object *python_literal(const char *text, size_t len);

#endif
