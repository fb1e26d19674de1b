/* SPDX-License-Identifier: MIT
 *
 * plugin-ctx.h - a unit of work of a plugin: the data of one call, or of several calls
 * with requests between them. */
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

/** An event as a plugin sees it. Most plugins need only its entry in the index of the
 *  log; the event itself is read on demand. */
struct mt_event {
	struct evlog *log; /* NULL: `event` is set from the start */
	int64_t id;
	struct event *event; /* NULL: not read yet */
};

/** The work of a component. Its handles are valid until it ends. */
struct mt_ctx {
	struct conversation *c;
	const struct plugin_component *part;
	struct view_item *view;
	size_t view_count, prepared; /* prepared: number of its first items that were read */
	struct llm_request *request;
	bool sent;                 /* the request is to be sent */
	bool plugin_failed;        /* the error is that of an agent or a condenser */
	json_object *http;         /* the HTTP request to send; see plugin-http.h */
	json_object *http_made;    /* digests of the earlier HTTP requests; NULL: none */
	bool replied;              /* the agent was called with a reply */
	size_t encoded;            /* number of messages of the request that are encoded */
	bool is_agent;
	struct mt_event **events; /* handles given out, owned */
	size_t event_count, event_room;
	char **texts;              /* owned by the work */
	size_t text_count;
	/* condensers */
	bool condense_requested;   /* they must shorten the view */
	bool condensed;            /* a condensation was logged */
	size_t stage;              /* index of the next condenser */
	unsigned rounds;           /* number of requests of this condenser to its model */
	unsigned char *cuts;       /* where the view may be cut; NULL: not determined */
	unsigned char *pinned;     /* positions that stay; NULL: not determined */
	unsigned char *shown;      /* positions that were not dropped; NULL: all */
	char *kept;                /* state of the condenser, until its work ends */
	/* runtime */
	const struct launch *launch;
	char **argv, **env;
	size_t argc, envc;
	char *workspace;
	/* analyzers */
	struct trial *trial;
	/* the connection of a forked copy, which logs nothing; otherwise NULL */
	struct plugin_copy *copy;
	struct error error;
};
void plugin_ctx_clear(struct mt_ctx *x);

/** Can the work query models and render prompts? Analyzers and runtimes have no
 *  conversation, and a condenser has none in `check`. If not, sets `x->error`. */
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

/** Keep a text, which it takes, until the work ends. NULL: out of memory. */
const char *plugin_hold_text(struct mt_ctx *x, char *text);
/** The handle of an event of the log. NULL: out of memory. */
const struct mt_event *plugin_hold_event(struct mt_ctx *x, int64_t id);

#endif
