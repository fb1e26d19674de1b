/* SPDX-License-Identifier: MIT
 *
 * message-options.h - options for turning events into messages of a request. */
#ifndef HOST_CONTEXT_MESSAGE_OPTIONS_H
#define HOST_CONTEXT_MESSAGE_OPTIONS_H

#include "events/event.h"

struct request_messages_options {
	size_t max_message_chars; /* 0: no cut */
	size_t max_turn_chars; /* of all results of a reply; 0: no cut */
	size_t items_at_once; /* per step of request_messages_lay_out; 0: the default */
	int64_t system;       /* id of the event that names the tools; always the first
	                             message */
	/** Text of a recall observation for the model; owned by the caller; NULL to show
	 *  nothing. */
	char *(*recall)(const struct event *e, void *arg);
	/** Path of a file with the whole result of an event; owned by the caller; NULL if
	 *  there is none. The function pointer may also be NULL. */
	char *(*full_result)(int64_t event, void *arg);
	void *arg;
};

#endif
