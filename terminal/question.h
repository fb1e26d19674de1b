/* SPDX-License-Identifier: MIT
 *
 * question.h - a waiting action: its data, and when a key answers it.
 *
 * A key answers only what could be read before it was pressed. Until READ_MS after the
 * question was drawn, and in a paste, keys are text; text is visible and can be edited,
 * and Enter sends it as the reason of a "no". A lone key answers if nothing was typed
 * and nothing follows within LONE_MS. */
#ifndef TERMINAL_QUESTION_H
#define TERMINAL_QUESTION_H

#include "process.h"
#include "js.h"
#include <stdint.h>

enum { READ_MS = 500, LONE_MS = 300, PASTE_MS = 4, QUESTION_ROWS = 200, HASH_BYTES = 80,
       SCOPES_MAX = 16,
       OTHER_ROWS = 8 /* of the screen, in addition to the action or the scopes */ };

struct question {
	bool open;
	char asker[CHILD_ID_MAX]; /* the delegate that it is of; "" */
	int64_t action;           /* the id of its event */
	char hash[HASH_BYTES];    /* of the exact action; "" if the conversation sent
				   * none */
	char risk[16];
	char *reason;             /* why it is risky; owned, or NULL */
	json_object *preview; /* what the tool says that the action would do; or NULL */
	json_object *event;  /* owned, or NULL */
	json_object *edited; /* the event as the user changed it; owned, or NULL */
	json_object *scopes; /* what "always" may allow, narrow to wide; owned, or NULL */
	size_t scope;        /* the one that is offered */
	size_t rows;         /* that were printed of it */
	size_t hidden;       /* rows that were not */
	bool hopeless;       /* none of it can be shown */
	bool listed;         /* the scopes were printed with it */
	bool sent;           /* it is answered */
	bool editing;        /* the line holds the command */
	bool tainted;        /* some of the line was typed before it could be read, or
			      * pasted */
	int64_t drawn;       /* time since which it can be read; 0: not on the screen */
	int64_t lone;        /* when the lone key came; 0: there is none */
	const char *hint;    /* why the last input was not an answer; static, or NULL */
};

#endif
