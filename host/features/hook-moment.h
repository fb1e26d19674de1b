/* SPDX-License-Identifier: MIT
 *
 * hook-moment.h - the hooks of one event, for the files that run hooks. */
#ifndef HOST_FEATURES_HOOK_MOMENT_H
#define HOST_FEATURES_HOOK_MOMENT_H

#include "controller/feature-api.h"
#include "hooks/hooks.h"

enum { HOOK_CONTEXT_MAX = 1 << 20, HOOK_MESSAGES_MAX = 64 };

struct hook_runner;

/* The hooks of one moment. Those after the first hook that blocks are not run. */
struct hook_moment {
	struct conversation *c;
	struct hook_runner *runner;
	enum hook_event event;
	char *tool;
	json_object *input;
	int64_t action;
	size_t next;
	struct hook now;           /* a view of the running hook */
	struct hook_run *run;
	struct strbuf context;
	char *denied;              /* the reason of the denial; NULL: not denied */
	void (*done)(struct hook_moment *m);
	struct event *observation;
	enum agent_state rest;     /* where the agent comes to, and why */
	const char *rest_reason;
	int64_t since;             /* events there then */
	struct hook_moment *others;
};

struct held {
	char *text;
	size_t len;
	json_object *images;
	bool queue; /* the message does not interrupt a call */
};

struct hook_runner {
	struct hooks hooks;
	struct hook_moment *moments;    /* in progress */
	struct held held[HOOK_MESSAGES_MAX];
	size_t held_count;
	bool started, ended, continue_after;
	char *context;             /* text from the start of the session: added to the
				    * next message */
	unsigned stop_denials;
};

/** Does a hook exist for this moment and tool? */
bool hook_moment_possible(const struct hook_runner *h, enum hook_event event,
			  const char *tool);
/** A moment to whose input members can be added; `done` frees it. NULL: out of memory. */
struct hook_moment *hook_moment_new(struct hook_runner *h, struct conversation *c,
				    enum hook_event event, const char *tool,
				    void (*done)(struct hook_moment *m));
/** Run its next hook; after the last one, or the first that blocks, call `done`. */
void hook_moment_run(struct hook_moment *m);
void hook_moment_free(struct hook_moment *m);

#endif
