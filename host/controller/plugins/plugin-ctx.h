/* SPDX-License-Identifier: MIT
 *
 * plugin-ctx.h - a work of a plugin: what one call of its functions, or several with
 * requests between them, holds. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_CTX_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_CTX_H

#include "context/history.h"
#include "controller/plugins/plugin-component.h"
#include "events/evlog.h"

#define MORTISE_PROVISIONAL
#include <mortise/agent.h>

struct conversation;
struct launch;
struct llm_request;
struct plugin_copy;
struct trial;

/** An event as a plugin sees it. Most plugins ask only for what the index of the log
 *  knows of it; the event itself is read when they ask for more. */
struct mt_event {
	struct evlog *log; /* NULL: `event` is set from the start */
	int64_t id;
	struct event *event; /* NULL: not read yet */
};

/** A work in progress of a part: handles live as long as it. */
struct mt_ctx {
	struct conversation *c;
	const struct plugin_component *part;
	struct view_item *view;
	size_t view_count, prepared; /* prepared: places at its start that are read */
	struct llm_request *request;
	bool sent;                 /* the request is to be sent */
	json_object *http;         /* the HTTP request to send; see plugin-http.h */
	json_object *http_made;    /* digests of those that were made before; NULL: none */
	bool replied;              /* an agent that was called with a reply */
	size_t encoded;            /* its first messages that are encoded */
	bool is_agent;
	struct mt_event **events; /* handles given out, owned */
	size_t event_count, event_room;
	char **texts;              /* owned by the work */
	size_t text_count;
	/* condensers */
	bool condense_requested;   /* they must shorten the view */
	bool condensed;            /* a condensation was logged */
	size_t stage;              /* the next of them */
	unsigned rounds;           /* how often this one has asked its model */
	unsigned char *cuts;       /* where the view may be cut; NULL: not asked */
	unsigned char *pinned;     /* places that stay; NULL: not asked */
	unsigned char *shown;      /* places that were not dropped; NULL: none was */
	char *kept;                /* its state, which ends with its work */
	/* runtime */
	const struct launch *launch;
	char **argv, **env;
	size_t argc, envc;
	char *workspace;
	/* analyzers */
	struct trial *trial;
	/* in a forked copy, where nothing is logged: its connection; else NULL */
	struct plugin_copy *copy;
	struct error error;
};
void plugin_ctx_clear(struct mt_ctx *x);

/** Can it query models and render prompts? Analyzers and runtimes have no conversation, and
 *  a condenser has none in `check`. If not, `x->error` says so. */
bool plugin_ctx_converses(struct mt_ctx *x);

/* A work builds one request at a time, so the handle of its request is the work itself. */
static inline struct mt_request *plugin_ctx_request(struct mt_ctx *x)
{
	return (struct mt_request *)x;
}

static inline struct mt_ctx *plugin_request_ctx(struct mt_request *r)
{
	return (struct mt_ctx *)r;
}

/** Keep a text until the work ends. Takes it. NULL: out of memory. */
const char *plugin_hold_text(struct mt_ctx *x, char *text);
/** The handle of an event of the log. NULL: out of memory. */
const struct mt_event *plugin_hold_event(struct mt_ctx *x, int64_t id);

#endif
