/* SPDX-License-Identifier: MIT
 *
 * condenser-util.h - helpers for condensers: the head that is kept, a range to remove,
 * events as text for a summarizing model. */
#ifndef CONDENSERS_CONDENSER_UTIL_H
#define CONDENSERS_CONDENSER_UTIL_H

#define MORTISE_PROVISIONAL
#include "strbuf.h"
#include <mortise/condenser.h>
#include <stdbool.h>

enum { KIT_TEXT_MAX = 16 << 20 };

struct kit {
	const struct mt_host *host;
	const struct mt_condenser_out *out;
	struct mt_ctx *ctx;
};

/** Positions from `from` up to, but not including, `to`. */
struct condenser_util_range {
	size_t from, to;
};

/** Number of the options below that a condenser has: keep_first, max_size and max_tokens;
 *  summarizing ones also have max_event_length. */
enum { CONDENSER_SIZE_OPTIONS = 3, CONDENSER_SUMMARY_OPTIONS = 4 };
extern const struct mt_option condenser_util_options[CONDENSER_SUMMARY_OPTIONS];
/** keep_first must be less than half of max_size (V0). */
int condenser_util_check_sizes(const struct mt_host *host, struct mt_ctx *ctx);
/** The view is longer than max_size or max_tokens, or condensation was requested. */
bool condenser_util_wanted(const struct kit *k);
/** The middle to remove so that keep_first events and a tail fill half of max_size,
 *  `spare` of it for a summary; adjusted to allowed cut points. Empty: nothing to remove.
 *  */
struct condenser_util_range condenser_util_middle(const struct kit *k, size_t spare);
int condenser_util_forget(const struct kit *k, struct condenser_util_range r,
			  struct mt_str summary);

/** The summary of an earlier condensation within the range; "" if none. */
struct mt_str condenser_util_previous(const struct kit *k, struct condenser_util_range r);
/** Append the pinned user messages as a <TASK> block, each of at most `most` bytes,
 *  truncated in the middle. `longest`, if not NULL, grows to the length of the longest. */
int condenser_util_add_task(const struct kit *k, size_t most, struct strbuf *b,
			    size_t *longest);
/** Append the events of the range that are not pinned as <EVENT id=N> blocks, in the same
 *  way. */
int condenser_util_add_events(const struct kit *k, struct condenser_util_range r,
			      size_t most, struct strbuf *b, size_t *longest);

#define TEXT(literal) ((struct mt_str){ literal, sizeof(literal) - 1 })

#endif
