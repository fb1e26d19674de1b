/* SPDX-License-Identifier: MIT
 *
 * meant-call.h - a call that a model wrote in another format: the intended tool and
 * arguments. */
#ifndef LIB_FNCALL_MEANT_CALL_H
#define LIB_FNCALL_MEANT_CALL_H

#include "fncall/fncall.h"

/** A part of the reply. */
struct span {
	const char *at, *end;
};

/** A call that was found. */
struct meant {
	const struct fncall_tools *tools;
	const char *form;     /* name of its format */
	bool guess;           /* may also be part of an answer */
	json_object *schema;  /* borrowed */
	struct fncall call;   /* name NULL: not found */
	const char *end;      /* after the call; NULL: unknown */
};

static inline size_t span_len(struct span s)
{
	return (size_t)(s.end - s.at);
}

struct span span_trimmed(struct span s);
/** The span without these characters at its start. */
struct span span_skip(struct span s, const char *characters);
/** The first occurrence of a word; NULL: none. */
const char *span_find(struct span s, const char *word);
/** True if the span starts with the word, ignoring case. */
bool span_starts(struct span s, const char *word);
/** The name at `at`; empty if there is none. */
struct span span_name(const char *at, const char *end);

/** Find a tool by its name here or in another product; NULL: none. */
const char *meant_tool_named(const struct fncall_tools *tools, struct span name,
			     json_object **ret_schema);
/** Choose the intended tool. @return false: unknown name. */
bool meant_choose_tool(struct meant *m, struct span name);

/** The only required parameter, or the only one; NULL: none. */
const char *meant_main_parameter(json_object *schema);
/** Set the main parameter. @return false: there is none, or no value. */
bool meant_set_main(struct meant *m, struct span value);
/** Set the parameter of this name. @return false: the tool has none. */
bool meant_set_parameter(struct meant *m, struct span name, struct span value);
/** Set arguments from the members of an object, without `except` (may be NULL). */
void meant_set_members(struct meant *m, json_object *from, const char *except);
/** Set arguments from the contents of a tag, or the text after the name of a tool. */
bool meant_set_body(struct meant *m, struct span body);
/** A JSON object or Python dict that starts here; `*ret_end` is after it. Owned. */
json_object *meant_object_at(struct span s, const char **ret_end);
/** True if a member of the object has the name of a parameter. */
bool meant_has_parameter(json_object *schema, json_object *object);

/** Search for a call in each of the formats. @return false: not found. */
bool other_forms_find(struct meant *m, struct span text);
/** Reset the call. */
void meant_reset(struct meant *m);
/** The same if an attempt has left a name or arguments. */
void meant_forget(struct meant *m);

#endif
