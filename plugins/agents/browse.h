/* SPDX-License-Identifier: MIT
 *
 * browse.h - shared by the agents that only use a browser: replies are text with
 * actions, and the request is rebuilt for each step. */
#ifndef AGENTS_BROWSE_H
#define AGENTS_BROWSE_H

#define MORTISE_PROVISIONAL
#include <mortise/agent.h>

#include "strbuf.h"
#include <stdbool.h>

/** The meaning of a reply. */
struct browse_reply {
	struct strbuf actions, thought; /* the calls; the text before them */
	struct strbuf message;          /* to the user; empty: none */
	bool last;                      /* the message is the only action */
};

/** Complete the end of a reply: the closing fence is a stop sequence, so models do not
 *  write it. */
int browse_repair(struct mt_str text, struct strbuf *ret);
/** Parse a repaired reply. Call browse_reply_clear in any case.
 *  @return MT_OK or MT_ENOMEM. */
int browse_read(struct mt_str text, struct browse_reply *ret);
void browse_reply_clear(struct browse_reply *r);

/** The differences between the two agents. */
struct browse_way {
	const char *system, *step; /* templates */
	bool sees; /* uses a screenshot of the page, and its whole text */
};

int browse_advance(const struct browse_way *way, const struct mt_host *host,
		   const struct mt_agent_out *out, struct mt_ctx *ctx,
		   const struct mt_in *in);

#endif
