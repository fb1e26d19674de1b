/* SPDX-License-Identifier: MIT
 *
 * masking.h - one component of a condenser that masks old observations. */
#ifndef CONDENSERS_MASKING_H
#define CONDENSERS_MASKING_H

#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>

/** Is there an unmasked observation at this position? */
static inline const struct mt_event *masking_own_observation(
	const struct mt_host *host, const struct mt_condenser_out *out,
	struct mt_ctx *ctx, size_t place)
{
	const struct mt_event *e = host->view_at(ctx, place);

	return e && !host->event_is_action(e) && !out->shown(ctx, place).ptr ? e : NULL;
}

#endif
