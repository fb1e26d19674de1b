/* SPDX-License-Identifier: MIT
 *
 * mortise/condenser.h - the condenser kind: what of the history the model gets
 * to see. PROVISIONAL, see advance.h.
 *
 * Condensers are a pipeline: each works on the view that the one before left.
 * It either changes the view for this step (drop, mask) or puts out one
 * condensation, which is logged; then the step begins again. */
#ifndef MORTISE_CONDENSER_H
#define MORTISE_CONDENSER_H

#include <mortise/advance.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_CONDENSER_MAJOR 0u
#define MT_CONDENSER_MINOR 1u

struct mt_condenser_out {
	uint32_t size;
	uint32_t reserved;
	/** Leave `count` events from a place on out of the view of this step;
	 *  the others keep their places until `advance` returns. */
	int (*drop)(struct mt_ctx *ctx, size_t place, size_t count);
	/** Show this text instead of what an observation holds. */
	int (*mask)(struct mt_ctx *ctx, size_t place, struct mt_str text);
	/** Put out a condensation: the events at these places are forgotten for
	 *  good; `summary` (may be empty) is shown at place `offset`. */
	int (*forget)(struct mt_ctx *ctx, const size_t *places, size_t count,
		      struct mt_str summary, size_t offset);
	/** True while somebody asked for a condensation and got none. */
	int (*requested)(struct mt_ctx *ctx);
	/** Tokens of the view, as far as they are known, and the window of the
	 *  model; -1: unknown. */
	int64_t (*view_tokens)(struct mt_ctx *ctx);
	int64_t (*window_tokens)(struct mt_ctx *ctx);
};

struct mt_condenser {
	uint32_t size;
	uint32_t flags; /* 0 */
	/** MT_START, then what came of its effects. Returning without an effect
	 *  asked for ends it. */
	int (*advance)(const struct mt_host *host, const struct mt_condenser_out *out,
		       struct mt_ctx *ctx, const struct mt_in *in);
};

#ifdef __cplusplus
}
#endif
#endif
