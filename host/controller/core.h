/* SPDX-License-Identifier: MIT
 *
 * core.h - the state of a conversation, for the core and for the files that open it. */
#ifndef HOST_CONTROLLER_CORE_H
#define HOST_CONTROLLER_CORE_H

#include "controller/plugins/plugin-component.h"
#include "events/agent-state.h"
#include "mask.h"

#include <uv.h>

struct agent_frame;
struct analyzers;
struct evlog;
struct llm_models;
struct request;
struct runner;
struct runner_events;
struct watcher;
struct turn;

enum { WATCHERS_MAX = 32, FRAMES_MAX = 16, OTHER_AGENTS_MAX = 32 };

struct watch {
	const struct watcher *watcher;
	void *arg;
};

struct conversation {
	struct agent_frame *agent; /* the active agent */
	unsigned parent_count;     /* number of agents that wait for it */
	struct agent_frame *others; /* agents that a feature activates; no state */
	size_t other_count;

	uv_loop_t *loop;
	struct config *config;
	struct config *sandbox_config; /* with the changed permissions; NULL: as `config` */
	struct registry *registry;
	char *id, *parent, *dir, *workspace, *title;
	char *group;               /* of its tools: its ancestors and itself, "PARENT/CHILD" */
	char *place;               /* a subagent: "shared", "copy" or "own" workspace; or "" */
	int depth;                 /* number of its ancestors */
	bool headless, answers, interactive;

	struct mask *mask;
	struct mask_stream reply_masks[2], output_mask; /* text, reasoning; live output */
	struct evlog *log;
	struct llm_models *models;
	struct plugin_component runtime;
	struct analyzers *analyzers;

	enum agent_state state;
	char reason[512];
	const char *status;        /* of the next error, in the form for clients; NULL */
	int exit_code;             /* of the error state */

	int64_t inherited_replies; /* replies whose cost belongs to another conversation */

	bool stepping, step_requested, closing;
	bool loss_reported;        /* loss of the log, reported by the error state */
	struct turn *turn;         /* pending work */
	void **feature_states;     /* one for each feature, in table order */
	struct request *request;   /* of a plugin, in progress */
	struct plugin_http *http;  /* requests of plugins; NULL: none yet */

	struct overlay *overlay;   /* of the workspace; NULL: tools work in it directly */
	char *files;               /* the workspace as tools see it; NULL: as it is */

	struct runner *link;       /* NULL: not running */
	const struct runner_events *runner_events; /* handlers of its events */
	bool restarting;           /* it is being closed, and another one follows */
	bool sandbox_reported;     /* the user knows what the sandbox lacks */
	unsigned runner_failures;  /* consecutive, without a hello in between */
	struct watch watchers[WATCHERS_MAX];

	uv_prepare_t handle;       /* closing this handle ends the conversation */
	void (*release)(struct conversation *c); /* frees the conversation */
	void (*closed)(void *arg);
	void *closed_arg;
};

/* For files that include controller/conversation.h. */
#define NOTIFY_WATCHERS(c, member, ...)                                                   \
	for (size_t w_ = 0; w_ < WATCHERS_MAX; w_++)                           \
		if ((c)->watchers[w_].watcher                                  \
		    && (c)->watchers[w_].watcher->member)                      \
			(c)->watchers[w_].watcher->member(                     \
				(c)->watchers[w_].arg, __VA_ARGS__)

#endif
