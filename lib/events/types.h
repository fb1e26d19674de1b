/* SPDX-License-Identifier: MIT
 *
 * types.h - the table of event types: fields, defaults, which component executes them,
 * how they are displayed. All code that depends on the type of an event uses it. */
#ifndef LIB_EVENTS_TYPES_H
#define LIB_EVENTS_TYPES_H

#include "js.h"

enum field_type {
	FIELD_ANY,      /* any JSON value */
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
	const char *fallback; /* JSON text of the default, which may be "null"; NULL:
			       * the field is required, or an extension that is
			       * absent unless given */
};

enum {
	EVENT_RUNNABLE = 1u << 0,  /* a runtime executes it and returns an observation */
	EVENT_EXTENSION = 1u << 1, /* not a V0 type */
	EVENT_SUCCESS = 1u << 2,   /* observation with a field `success` */
	EVENT_STEPS = 1u << 3,     /* action that triggers a step of the agent */
};

/** The types, in the order of the table. Checkpoints store the index of a type within its
 *  sort: append a new type at the end of its sort. */
enum event_type_id {
	ACTION_NULL, ACTION_RUN, ACTION_RUN_IPYTHON, ACTION_BROWSE,
	ACTION_BROWSE_INTERACTIVE, ACTION_READ, ACTION_WRITE, ACTION_EDIT,
	ACTION_THINK, ACTION_FINISH, ACTION_REJECT, ACTION_DELEGATE, ACTION_RECALL,
	ACTION_CHANGE_AGENT_STATE, ACTION_MESSAGE, ACTION_SYSTEM, ACTION_CONDENSATION,
	ACTION_CONDENSATION_REQUEST, ACTION_CALL_TOOL_MCP, ACTION_TASK_TRACKING,
	ACTION_LOOP_RECOVERY, ACTION_CALL_TOOL,
	OBSERVATION_NULL, OBSERVATION_RUN, OBSERVATION_RUN_IPYTHON, OBSERVATION_BROWSE,
	OBSERVATION_READ, OBSERVATION_WRITE, OBSERVATION_EDIT, OBSERVATION_DELEGATE,
	OBSERVATION_SUCCESS, OBSERVATION_ERROR, OBSERVATION_AGENT_STATE_CHANGED,
	OBSERVATION_USER_REJECTED, OBSERVATION_CONDENSE, OBSERVATION_THINK,
	OBSERVATION_RECALL, OBSERVATION_MCP, OBSERVATION_DOWNLOAD,
	OBSERVATION_TASK_TRACKING, OBSERVATION_LOOP_DETECTION, OBSERVATION_TOOL,
	EVENT_TYPE_COUNT,
	ACTION_FIRST = ACTION_NULL,
	OBSERVATION_FIRST = OBSERVATION_NULL,
};

struct event_type {
	enum event_type_id id;
	const char *name;        /* "run" */
	bool is_action;
	unsigned flags;
	const struct event_field *fields; /* args or extras, in V0 order */
	size_t field_count;
	const char *message;     /* template of the derived message, see types.c */
};

/** @return the type, or NULL if the name is unknown. */
const struct event_type *event_type_find(bool is_action, const char *name);
/** @return true if OpenHands does not have the field. Events contain it only if it was
 *  given; exports move it to "mortise". */
bool event_field_is_ours(const struct event_field *field);
/** The types of one sort, for messages that list them. */
const struct event_type *event_type_at(bool is_action, size_t n);
/** Its index within its sort: event_type_at(is_action, number). */
size_t event_type_number(const struct event_type *type);
const struct event_field *event_field_find(const struct event_type *type,
					   const char *name);

#endif
