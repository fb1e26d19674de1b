/* SPDX-License-Identifier: MIT
 *
 * mortise/condenser.h - the condenser kind: selects the part of the history that is sent
 * to the model. PROVISIONAL, see advance.h.
 *
 * Condensers form a pipeline: each works on the view that the previous one returned. It
 * either changes the view for this step (drop, mask) or produces one condensation, which
 * is logged; then the step starts again.
 *
 * Some positions of the view contain the summary of an earlier condensation instead of an
 * event: there host->view_at returns NULL, and `shown` the text.
 *
 * What changed, newest first:
 *   0.7  host->log_text and refuse_text: see advance.h
 *   0.6  host->http, host->blob and MT_HTTP_DONE: see advance.h
 *   0.5  no effect but send: see advance.h
 *   0.4  no effects but send and http: see advance.h
 *   0.3  pinned; what is pinned is neither dropped nor masked
 *   0.2  shown, may_cut, request_define_tool of mt_host, check
 *   0.1  first version */
#ifndef MORTISE_CONDENSER_H
#define MORTISE_CONDENSER_H

#include <mortise/advance.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_CONDENSER_MAJOR 0u
#define MT_CONDENSER_MINOR 7u

/** What a condenser adds to the services of the host, for `advance`; `check` has none of
 *  it. Functions that return a status return MT_OK, MT_EINVAL for places that the view does
 *  not have, MT_ENOMEM. */
struct mt_condenser_out {
	uint32_t size;
	uint32_t reserved;
	/** Leave `count` events from a place on out of the view of this step;
	 *  the others keep their places until `advance` returns. What is pinned
	 *  (see forget) is neither dropped nor masked; what the rest cannot be
	 *  sent without (see may_cut) stays too. */
	int (*drop)(struct mt_ctx *ctx, size_t place, size_t count);
	/** Show this text instead of the content of an observation. */
	int (*mask)(struct mt_ctx *ctx, size_t place, struct mt_str text);
	/** Put out a condensation: the events at these places, which ascend, are
	 *  removed permanently; `summary` (may be empty) is shown at place `offset`.
	 *  Earlier summaries among the places end with it; they stay if it is empty. What
	 *  is pinned (system text, project rules, the first and the last message of the
	 *  user, the task list) always stays: the host skips it. If nothing else is to be
	 *  removed, nothing is logged. */
	int (*forget)(struct mt_ctx *ctx, const size_t *places, size_t count,
		      struct mt_str summary, size_t offset);
	/** True while a requested condensation is pending. */
	int (*requested)(struct mt_ctx *ctx);
	/** Tokens of the view, as far as they are known, and the window of the
	 *  model; -1: unknown. */
	int64_t (*view_tokens)(struct mt_ctx *ctx);
	int64_t (*window_tokens)(struct mt_ctx *ctx);
	/** The text at a place that is not the event's own: a summary, or what
	 *  masks an observation. ptr NULL: the event shows itself. Borrowed until `advance`
	 *  returns or the place is masked. */
	struct mt_str (*shown)(struct mt_ctx *ctx, size_t place);
	/** May the view be cut before this place? Not between a call and its
	 *  result, between calls of one reply, within a loop of tool calls that
	 *  signed thinking began. Place 0 and the end: always. */
	int (*may_cut)(struct mt_ctx *ctx, size_t place);
	/** Is the event at this position pinned (see forget)? */
	int (*pinned)(struct mt_ctx *ctx, size_t place);
};

struct mt_condenser {
	uint32_t size;
	uint32_t flags; /* 0 */
	/** MT_START, then MT_REPLIED, MT_FAILED or MT_HTTP_DONE for each effect, of which it
	 *  can have 8. Returning without requesting an effect ends it. @return MT_OK, or
	 *  a status after host->refuse. */
	int (*advance)(const struct mt_host *host, const struct mt_condenser_out *out,
		       struct mt_ctx *ctx, const struct mt_in *in);
	/** Are the options good together? Asked when a conversation is wired, with
	 *  host->option, option_int, option_at, log, refuse and their forms for a given
	 *  text alone; NULL: they always are. MT_EINVAL after host->refuse with the reason. */
	int (*check)(const struct mt_host *host, struct mt_ctx *ctx);
};

/** A plugin of one condenser; see MT_ONE_COMPONENT. */
#define MT_CONDENSER(functions_, plugin_name_, ...)                            \
	MT_ONE_COMPONENT(MT_KIND_CONDENSER, MT_CONDENSER_MAJOR, MT_CONDENSER_MINOR,\
			 1 ? (functions_) : (const struct mt_condenser *)0,    \
			 plugin_name_, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
