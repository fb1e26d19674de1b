/* SPDX-License-Identifier: MIT
 *
 * exit-code.c - the exit code of a conversation that is idle. */
#include "exit-code.h"

#include "controller/transitions.h"
#include "conversation/conversation.h"

int conversation_exit_code(const struct conversation *c)
{
	switch (conversation_state(c)) {
	case STATE_FINISHED:
		return EXIT_DONE;
	case STATE_REJECTED:
		return EXIT_REJECTED;
	case STATE_PAUSED:
	case STATE_STOPPED:
		return EXIT_INTERRUPTED;
	case STATE_ERROR:
		return conversation_error_code(c) ?: EXIT_FAILED;
	case STATE_AWAITING_USER_INPUT:
	case STATE_AWAITING_USER_CONFIRMATION:
		return EXIT_WAITING;
	case STATE_LOADING:
	case STATE_RUNNING:
	case STATE_USER_CONFIRMED:
	case STATE_USER_REJECTED:
	case STATE_RATE_LIMITED:
	case STATE_COUNT:
		break;
	}
	return EXIT_FAILED;
}
