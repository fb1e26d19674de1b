/* SPDX-License-Identifier: MIT
 *
 * summary.h - the steps of a condenser that summarizes removed events with a model:
 * request, retry with less text if it does not fit, condense. */
#ifndef CONDENSERS_SUMMARY_H
#define CONDENSERS_SUMMARY_H

#include "condenser-util.h"

/** Differences between the summarizing condensers. */
struct summary_way {
	const char *prompt; /* template with the instructions */
	/** Add parameters of this condenser to the request; may be NULL. */
	int (*prepare)(const struct kit *k, struct mt_request *request);
	/** Read the summary from the reply. */
	int (*read)(const struct kit *k, const struct mt_reply *reply,
		    struct strbuf *ret_summary);
};

/** One call of `advance`. */
int summary_advance(const struct kit *k, const struct mt_in *in,
		    const struct summary_way *way);

#endif
