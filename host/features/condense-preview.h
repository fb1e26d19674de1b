/* SPDX-License-Identifier: MIT
 *
 * condense-preview.h - runs the condensers of a conversation without its agent, to
 * show what they would keep. */
#ifndef HOST_FEATURES_CONDENSE_PREVIEW_H
#define HOST_FEATURES_CONDENSE_PREVIEW_H

#include "conversation/conversation.h"
#include "controller/feature.h"

/** The rest of a history after condensing. */
struct condensed_view {
	int64_t tokens;         /* an estimate; -1: unknown */
	size_t masked, summaries; /* shown with another text; that stand for others */
	int64_t *ids;           /* of the events, in order */
	size_t count;
	char *summary;          /* the newest; NULL: none */
};
void condense_view_clear(struct condensed_view *t);

/** The view of the agent without condensers. */
int conversation_view(struct conversation *c, struct condensed_view *ret,
		      struct error *err);
/** Condense as if requested by the user; `over` is called once, from inside or
 *  from the loop, with what is left (owned by it, cleared afterwards), or with NULL
 *  and why. The conversation must rest, and is to be closed afterwards. */
void conversation_condense_preview(struct conversation *c,
				   void (*over)(void *arg, struct condensed_view *t,
						const struct error *err),
				   void *arg);

/* ---- for the controller ---- */
struct mt_ctx;

/** While `trimming`, instead of the agent: the view is ready, or `err` says why not. */
void condense_preview_finish(struct conversation *c, struct mt_ctx *x, struct error *err);
/** A condensation was logged: the condensers begin again. */
void condense_preview_restart(struct conversation *c);

/** Do only the condensers run? */
bool condense_preview_is_active(const struct conversation *c);

extern const struct feature condense_preview_feature;

#endif
