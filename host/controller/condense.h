/* SPDX-License-Identifier: MIT
 *
 * condense.h - runs the condensers over a view. */
#ifndef HOST_CONTROLLER_CONDENSE_H
#define HOST_CONTROLLER_CONDENSE_H

#include "error.h"

#include <stdint.h>

struct mt_condenser_out;
struct mt_ctx;

/** What came of running the condensers over a view. */
enum condensing {
	CONDENSE_DONE,  /* the view is ready for the agent */
	CONDENSE_AGAIN, /* a condensation was logged: begin the step again */
	CONDENSE_ASKS,  /* a condenser asks its model; the step goes on with it */
};
int condense_view(struct mt_ctx *x, enum condensing *ret, struct error *err);
/** An estimate of the tokens of its view; -1: unknown. */
int64_t condense_view_tokens(struct mt_ctx *x);
/** What a condenser puts out changes its view, or is logged. */
const struct mt_condenser_out *plugin_condenser_out(void);

#endif
