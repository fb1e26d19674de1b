/* SPDX-License-Identifier: MIT
 *
 * message-parts.h - one event as part of a message. Its text is created once, and
 * requests borrow it. */
#ifndef HOST_CONTEXT_MESSAGE_PARTS_H
#define HOST_CONTEXT_MESSAGE_PARTS_H

#include "context/images.h"
#include "context/message-options.h"
#include "events/evlog.h"
#include "request/request.h"

#include <string.h>

enum message_part_kind {
	MESSAGE_PART_NONE, /* not shown to the model */
	MESSAGE_PART_SYSTEM,
	MESSAGE_PART_USER,
	MESSAGE_PART_ASSISTANT,
	MESSAGE_PART_CALL,   /* an action of a reply: the reply is sent */
	MESSAGE_PART_RESULT, /* of a call if `response` is set, otherwise of the user */
};

struct message_turn;

struct message_part {
	enum message_part_kind kind;
	const char *response, *call; /* ids of the reply and its call; or NULL */
	struct message_turn *turn;   /* of request-messages.c: the reply, once looked up */
	size_t place;                /* index of the call in the reply */
	unsigned generation;         /* the newest view that contains it */
	bool failed;                 /* an error event: the call may not have become an action */
	bool is_error;               /* the call failed, for any reason */
	uint64_t stamp, apart_stamp; /* of messages that consist of this part only */
	uint64_t shown_stamp;        /* in this view; 0 if masked */
	const char *text;
	size_t len;
	const struct llm_part *parts, *apart; /* apart: after another user message */
	size_t part_count;
	struct llm_part *own_parts;
	size_t own_count;
	int64_t event;
	struct llm_part *short_parts; /* shortened, followed by their texts; or NULL */
	size_t short_chars;
	uint64_t short_stamp;
	struct images images;
	/* the parts and texts follow in the same block of memory */
};

/** Copy a text and a NUL to `*at` in a block of memory, and move `*at` past both. */
static inline char *message_block_put(char **at, const char *text, size_t len)
{
	char *start = *at;

	memcpy(start, text, len);
	start[len] = '\0';
	*at += len + 1;
	return start;
}

/** Create the part of an event. NULL: out of memory. */
struct message_part *message_part_make(const struct event *e,
				       const struct request_messages_options *o,
				       struct evlog *log);
struct message_part *message_part_free(struct message_part *p);

/** The tools that the first event offers. */
struct tool_list {
	bool read;
	struct event *system;
	struct llm_tool *tools;
	struct json_object *sent; /* the schemas that are sent in another form */
	size_t count;
};
/** Read the tools from `offered` (a list in the form of that event), or if NULL from the
 *  event `id` of the log. */
int message_tool_list_read(struct tool_list *list, struct evlog *log, int64_t id,
			   json_object *offered, struct error *err);
void message_tool_list_clear(struct tool_list *list);

#endif
