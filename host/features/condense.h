/* SPDX-License-Identifier: MIT
 *
 * condense.h - runs the condensers over a view. */
#ifndef HOST_FEATURES_CONDENSE_H
#define HOST_FEATURES_CONDENSE_H

#include "controller/feature.h"

struct mt_ctx;

/** The result of running the condensers over a view. */
enum condensing {
	CONDENSE_DONE,  /* the view is ready for the agent */
	CONDENSE_AGAIN, /* a condensation was logged: restart the step */
	CONDENSE_WAITS, /* a condenser sent an HTTP request; the step continues with it */
	CONDENSE_ASKS,  /* a condenser queries its model; the step continues with it */
};
int condense_view(struct mt_ctx *x, enum condensing *ret, struct error *err);

/** Called instead of the agent, by a feature that runs the condensers alone. */
struct condense_client {
	/** The view is ready, or `err` has the reason. */
	void (*finish)(struct conversation *c, struct mt_ctx *x, struct error *err);
	/** A condensation was logged: restart the condensers. */
	void (*restart)(struct conversation *c);
};
/** Set the client, which is borrowed; NULL: the agent is called. */
void condense_set_client(struct conversation *c, const struct condense_client *client);

/** A condensation is requested: condensers must shorten the view of the current
 *  agent. */
void condense_request(struct conversation *c);

extern const struct feature condense_feature;

#endif
