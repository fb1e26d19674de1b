/* SPDX-License-Identifier: MIT
 *
 * types.h - the one table of event types: fields, defaults, who runs them, how
 * they are shown. Everything that depends on the type of an event asks here. */
#ifndef HOST_EVENTS_TYPES_H
#define HOST_EVENTS_TYPES_H

#include "js.h"

enum field_type {
	FIELD_ANY,      /* any JSON */
	FIELD_TEXT,
	FIELD_INT,
	FIELD_BOOL,
	FIELD_NUMBER,
	FIELD_LIST,
	FIELD_OBJECT,
};

struct event_field {
	const char *name;
	enum field_type type;
	bool required;
	const char *fallback; /* JSON text of the default; "null" is a default too */
};

enum {
	EVENT_RUNNABLE = 1u << 0,  /* a runtime executes it, an observation answers */
	EVENT_EXTENSION = 1u << 1, /* ours: not a V0 type */
	EVENT_SUCCESS = 1u << 2,   /* observation that carries `success` */
};

struct event_type {
	const char *name;        /* "run" */
	bool is_action;
	unsigned flags;
	const struct event_field *fields; /* args or extras, in V0 order */
	size_t field_count;
	const char *message;     /* form of the derived human text, see types.c */
};

/** @return the type, NULL if there is none of that name. */
const struct event_type *event_type_find(bool is_action, const char *name);
/** All of one sort, for messages that list them. */
const struct event_type *event_type_at(bool is_action, size_t n);
/** Its place among those of its sort: event_type_at(is_action, number). */
size_t event_type_number(const struct event_type *type);
const struct event_field *event_field_find(const struct event_type *type,
					   const char *name);

#endif
