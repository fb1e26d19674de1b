/* SPDX-License-Identifier: MIT
 *
 * follow.h - client of a conversation that another process owns, for `attach`, and
 * `resume` of an open conversation. */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "client.h"
#include "render.h"

/** Id of the program's own commands, whose results are not shown to the user. */
#define FOLLOW_OWN_ID "mortise attach"

enum { FOLLOW_ALL = -1, FOLLOW_NEW = -2 };

struct follow_options {
	enum render_style style;
	bool json; /* pass lines unchanged, in both directions */
	bool live;
	int64_t since;     /* event id, FOLLOW_ALL or FOLLOW_NEW */
	const char *first; /* first command to send, JSON text with FOLLOW_OWN_ID; or
			      NULL */
	bool until_rest;   /* end when the agent is idle, as `resume` does */
};

/** Follow a conversation until it ends or Ctrl-C detaches. The hello must have been
 *  received.
 *  @return the exit code. */
int follow_conversation(struct client *p, const struct follow_options *o);

#endif
