/* SPDX-License-Identifier: MIT
 *
 * request-messages.h - conversation memory: what of the events the model reads, as
 * messages (spec/context 7).
 *
 * Each event of the view becomes a small piece that is kept for as long as the
 * event stays in the view; a request borrows the pieces. Tool calls and their
 * results are paired whatever the history: a call without result and a result
 * without call are never sent. */
#ifndef HOST_CONTEXT_REQUEST_MESSAGES_H
#define HOST_CONTEXT_REQUEST_MESSAGES_H

#include "events/log.h"
#include "llm/request.h"

/** One place of a view. */
struct view_item {
	int64_t event;     /* id; -1: a summary */
	int64_t condensation; /* a summary: the event that it is of */
	const char *text;  /* summary, or what is shown instead of the event's
	                      own text; NULL: the event itself. Borrowed. */
	size_t len;
};

struct memory;

struct memory_options {
	size_t max_message_chars; /* 0: no cut */
	int64_t system;           /* id of the event that names the tools, and is the
	                             first message wherever it is in the log */
	/** Text of a recall observation for the model; owned by the caller;
	 *  NULL: nothing is shown. */
	char *(*recall)(const struct event *e, void *arg);
	void *arg;
};

struct memory *memory_new(struct evlog *log, const struct memory_options *o);
struct memory *memory_free(struct memory *m);
AUTO_DEFINE(memory, struct memory *, memory_free)

/** Read the events of a view before memory_build needs them, from place `*place` on
 *  until `end` (CLOCK_MONOTONIC, ns). `*place` moves past what is read. */
int memory_prepare(struct memory *m, const struct view_item *items, size_t count,
		   uint64_t end, size_t *place, struct error *err);
/** Append the messages of a view to a request, which borrows them until the
 *  next call of this function. */
int memory_build(struct memory *m, const struct view_item *items, size_t count,
		 struct llm_request *request, struct error *err);
/** Offer a tool of those that the `system` event names (NULL: all), so that the
 *  same bytes are sent whatever is installed when a conversation goes on. */
int memory_tools(struct memory *m, const char *name, struct llm_request *request,
		 struct error *err);
/** The `system` event is another one now. Nothing may be borrowed. */
void memory_set_system(struct memory *m, int64_t id);
/** From now on these tools are offered, a list in the form of the `system` event:
 *  some toolsets learn only later what they have. Nothing may be borrowed. */
void memory_offer(struct memory *m, json_object *tools);
/** The text of one event as the model would read it, borrowed until the next
 *  memory_build; "" if it reads nothing of it. */
struct mt_str memory_text(struct memory *m, int64_t id);

#endif
