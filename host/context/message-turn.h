/* SPDX-License-Identifier: MIT
 *
 * message-turn.h - a reply of the model with the results of its calls, as messages. */
#ifndef HOST_CONTEXT_MESSAGE_TURN_H
#define HOST_CONTEXT_MESSAGE_TURN_H

#include "context/message-parts.h"
#include "events/evlog.h"
#include "llm/llm.h"

/* A reply of the model while its view is processed: its calls wait for results. */
struct message_turn {
	const char *response; /* its id */
	const char *opaque;
	struct llm_call *all; /* its calls */
	size_t count;
	struct message_part **results;       /* by call */
	struct llm_call *calls;              /* the calls that have results */
	struct llm_part part;                /* its text */
	bool silent;                         /* nothing */
	uint64_t stamp;                      /* changes with the set of sent calls */
	size_t wanted, seen;                 /* results in the view, results reached */
	unsigned generation;                 /* of the view that used it last */
	unsigned stable;                     /* the layout with it in its stable prefix */
	unsigned called;                     /* the view with one of its actions */
	unsigned called_stable;              /* layout with one in its stable prefix */
	bool sent;
	/* the lists and texts follow in the same block of memory */
};

/** Order turns by the id of their reply. */
int message_turn_compare(const void *a, const void *b);
/** Read a reply from the log into one block of memory; free it with free(). NULL: `err`
 *  is set. */
struct message_turn *message_turn_read(struct evlog *log, const char *response,
				       struct error *err);
/** The index of the call with this id. @return false if the reply has no such call. */
bool message_turn_place(const struct message_turn *t, const char *id, size_t *ret_place);
/** Add the message of the assistant and the results of its calls. */
int message_turn_send(struct message_turn *t, struct llm_request *request);
/** True if the text is only white space. */
bool message_is_blank(const char *text, size_t len);

#endif
