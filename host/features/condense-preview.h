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
	size_t masked, summaries; /* events shown with another text; events that stand
				   * for others */
	int64_t *ids;           /* of the events, in order */
	size_t count;
	char *summary;          /* the newest; NULL: none */
};
void condense_view_clear(struct condensed_view *t);

/** The view of the agent without condensers. */
int conversation_view(struct conversation *c, struct condensed_view *ret,
		      struct error *err);
/** Condense as if requested by the user. `over` is called once, from this function or
 *  from the loop, with the remaining view, which is valid until it returns, or with
 *  NULL and the error. The conversation must be idle, and must be closed afterwards. */
void conversation_condense_preview(struct conversation *c,
				   void (*over)(void *arg, struct condensed_view *t,
						const struct error *err),
				   void *arg);

extern const struct feature condense_preview_feature;

#endif
