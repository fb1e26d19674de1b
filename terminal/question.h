/* SPDX-License-Identifier: MIT
 *
 * question.h - an action that waits for approval: its data, and when a key answers it.
 *
 * A key answers only a prompt that could be read before the key was pressed. Until
 * READ_MS after the prompt was drawn, and in a paste, keys are text. Text is visible and
 * can be edited, and Enter sends it as the reason of a rejection. A lone key answers if
 * nothing was typed before it, and nothing follows within LONE_MS. */
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
	char asker[CHILD_ID_MAX]; /* subagent that asks; "": none */
	int64_t action;           /* the id of its event */
	char hash[HASH_BYTES];    /* of the exact action; "" if the conversation sent
				   * none */
	char risk[16];
	char *reason;             /* why it is risky; owned, or NULL */
	json_object *preview; /* from the tool; or NULL */
	json_object *event;  /* owned, or NULL */
	json_object *edited; /* the event as the user changed it; owned, or NULL */
	json_object *scopes; /* scopes of "always", narrowest first; owned, or NULL */
	size_t scope;        /* index of the offered scope */
	size_t rows;         /* rows of the action that were printed */
	size_t hidden;       /* rows that were not printed */
	bool hopeless;       /* the action cannot be shown */
	bool listed;         /* the scopes were printed with the action */
	bool sent;           /* the answer was sent */
	bool editing;        /* the input line contains the command to edit */
	bool tainted;        /* some of the line was typed before it could be read, or
			      * pasted */
	int64_t drawn;       /* time since which it can be read; 0: not on the screen */
	int64_t lone;        /* when a lone key was pressed; 0: none */
	const char *hint;    /* why the last input was not an answer; static, or NULL */
};

#endif
