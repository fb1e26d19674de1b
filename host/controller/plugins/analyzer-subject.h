/* SPDX-License-Identifier: MIT
 *
 * analyzer-subject.h - the action that an analyzer assesses as JSON, for a copy of the
 * process that was forked before the action was planned. */
#ifndef HOST_CONTROLLER_PLUGINS_ANALYZER_SUBJECT_H
#define HOST_CONTROLLER_PLUGINS_ANALYZER_SUBJECT_H

#include "controller/call.h"

/** An action as analyzers see it. */
struct subject {
	const struct event *event;  /* or NULL */
	const char *tool;           /* "" if it is not a call */
	unsigned hints;             /* MT_TOOL_READ_ONLY ... */
	bool trusted;               /* the hints can be relied on */
	json_object *args;          /* arguments of the call */
	const char *thought, *reasoning, *workspace;
	json_object *roots;         /* more directories of the conversation; NULL: none */
	const char *directory;      /* directory of the shell; NULL: not known yet */
	enum risk said;             /* the rating of the model */
};

/** Called with each rule of an analyzer. */
typedef void analyzers_rule_fn(void *arg, const char *analyzer, enum risk risk, bool deny,
			       const char *name, const char *text, const char *reason);

/** The subject, for analyzer_subject_read. Refers to its event and its arguments. */
json_object *analyzer_subject_json(const struct subject *s);
/** Read a subject, which borrows from `json` and `*ret_event`, owned by the caller. */
int analyzer_subject_read(json_object *json, struct subject *ret,
			  struct event **ret_event, struct error *err);

#endif
