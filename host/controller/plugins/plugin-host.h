/* SPDX-License-Identifier: MIT
 *
 * plugin-host.h - the services of the host for plugins in its process. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_HOST_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_HOST_H

#include "controller/plugins/plugin-ctx.h"

struct mt_agent_out;
struct mt_condenser_out;

/** Is this a value of enum mt_role? */
static inline bool plugin_role_is_known(int64_t role)
{
	return role >= MT_ROLE_SYSTEM && role <= MT_ROLE_TOOL;
}

const struct mt_host *plugin_host(void);
/** Functions of an agent's output, which is queued in the conversation. */
const struct mt_agent_out *plugin_agent_out(void);
/** Functions of a condenser's output, which changes its view or is logged. */
const struct mt_condenser_out *plugin_condenser_out(void);
/** An estimate of the tokens of the view; -1: unknown. */
int64_t plugin_view_tokens(struct mt_ctx *x);
/** One flag for each place of the view and one for its end: the event has to stay; the view
 *  may be cut before it. Determined on first use. NULL: out of memory. */
const unsigned char *plugin_view_pins(struct mt_ctx *x);
const unsigned char *plugin_view_cuts(struct mt_ctx *x);

#endif
