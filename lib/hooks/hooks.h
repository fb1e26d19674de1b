/* SPDX-License-Identifier: MIT
 *
 * hooks.h - commands of the user that run at certain events and can deny them. Lists
 * hooks, runs them, and interprets their output. */
#ifndef LIB_HOOKS_HOOKS_H
#define LIB_HOOKS_HOOKS_H

#include "config/config.h"

#include <uv.h>

enum hook_event {
	HOOK_BEFORE_TOOL,
	HOOK_AFTER_TOOL,
	HOOK_USER_PROMPT,
	HOOK_STOP,
	HOOK_SESSION_START,
	HOOK_SESSION_END,
	HOOK_EVENTS,
};

/** The name in settings: "PreToolUse". */
const char *hook_event_name(enum hook_event e);

struct hook {
	char *name;            /* name for messages */
	enum hook_event event;
	size_t group;          /* of a file: entries that share one matcher */
	char *matcher;         /* "*": every tool */
	char *type;            /* "command"; "prompt" and "agent" are not run */
	char **argv;           /* NULL-terminated */
	char *prompt;          /* of the other types */
	int64_t timeout_ms;
	bool may_fail;         /* on_failure = allow */
};

struct hooks {
	struct hook *all;
	size_t count;
};

/** Load the sections [hook.NAME], then the first of .openhands/hooks.json of a trusted
 *  workspace and of the home directory. `ret_note` (owned; may become NULL): ignored
 *  entries and the reasons. */
int hooks_load(const struct config *c, const char *workspace, struct hooks *ret,
	       char **ret_note, struct error *err);
/** Add the hooks of a file. */
int hooks_read(struct hooks *h, json_object *file, const char *path, struct error *err);
void hooks_clear(struct hooks *h);
/** True if a matcher matches this tool (NULL: none). */
bool hook_matches(const char *matcher, const char *tool);

/* ---- running one ---------------------------------------------------------- */

struct hook_result {
	bool success, blocked;
	int exit_code;         /* 128 + N: killed by signal N; -1: timed out */
	char *out, *err_text;  /* its output, truncated */
	char *decision;        /* "allow", "deny" or NULL */
	char *reason, *context; /* or NULL */
	char *error;           /* reason why it did not complete, or NULL */
};

struct hook_call {
	const struct hook *hook;
	const char *dir, *conversation, *tool; /* tool: or NULL */
	json_object *input;    /* its standard input */
};

struct hook_run;
/** Start a hook. `done` is called once, later, unless the hook is cancelled. */
int hook_start(uv_loop_t *loop, const struct hook_call *call,
	       void (*done)(void *arg, const struct hook_result *result), void *arg,
	       struct hook_run **ret, struct error *err);
/** Kill it and its child processes; `done` is not called. */
void hook_cancel(struct hook_run *r);
/** Interpret its output: JSON on stdout, exit code 2. Fills the other members. @return
 *  MT_OK, or MT_ENOMEM: the decision is unknown. */
int hook_understand(struct hook_result *r);
void hook_result_clear(struct hook_result *r);

#endif
