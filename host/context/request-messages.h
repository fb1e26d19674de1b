/* SPDX-License-Identifier: MIT
 *
 * request-messages.h - converts events into the messages that the model reads.
 *
 * Each event of the view becomes a message part that exists as long as the event is in
 * the view. Requests borrow the parts. A call without a result, or a result without a
 * call, is never sent. */
#ifndef HOST_CONTEXT_REQUEST_MESSAGES_H
#define HOST_CONTEXT_REQUEST_MESSAGES_H

#include "context/message-options.h"
#include "context/view-item.h"
#include "events/evlog.h"
#include "request/request.h"

struct request_messages;

struct request_messages *request_messages_new(struct evlog *log,
					      const struct request_messages_options *o);
/** Create empty messages with the same log, options and tools; NULL: out of memory. */
struct request_messages *request_messages_copy(const struct request_messages *m);
struct request_messages *request_messages_free(struct request_messages *m);
/** As request_messages_free, but many messages stay in memory until the process ends:
 *  freeing them one by one delays the exit. */
struct request_messages *request_messages_leave(struct request_messages *m);
AUTO_DEFINE(request_messages, struct request_messages *, request_messages_free)

/** Read the events of a view in advance of request_messages_build, starting at position
 *  `*place`, until `end` (CLOCK_MONOTONIC, ns). `*place` moves past the events read. */
int request_messages_prepare(struct request_messages *m, const struct view_item *items,
			     size_t count, uint64_t end, size_t *place,
			     struct error *err);
/** Lay out the start of a prepared view, until `end`; request_messages_build then does
 *  only the rest. `*ret_more`: call it again. No request may borrow parts. */
int request_messages_lay_out(struct request_messages *m, const struct view_item *items,
			     size_t count, uint64_t end, bool *ret_more,
			     struct error *err);
/** Append the messages of a view to a request, which borrows them until the
 *  next call of this function. */
int request_messages_build(struct request_messages *m, const struct view_item *items,
			   size_t count, struct llm_request *request, struct error *err);
/** Offer a tool that the `system` event names (NULL: all), so that a resumed
 *  conversation sends the same bytes regardless of the installed tools. */
int request_messages_add_tool(struct request_messages *m, const char *name,
			      struct llm_request *request, struct error *err);
/** The id of the `system` event. */
int64_t request_messages_system(const struct request_messages *m);
/** Set another `system` event. No request may borrow parts. */
void request_messages_set_system(struct request_messages *m, int64_t id);
/** Offer these tools from now on, a list in the form of the `system` event: some
 *  toolsets list their tools later. No request may borrow parts. */
void request_messages_offer(struct request_messages *m, json_object *tools);
/** Changes after each change of the tools that request_messages_add_tool can offer. */
unsigned request_messages_tools_version(const struct request_messages *m);
/** Set another function that renders recall observations. */
void request_messages_set_recall(struct request_messages *m,
				 char *(*recall)(const struct event *e, void *arg),
				 void *arg);
/** The text of one event as shown to the model (for a call: the name and the arguments),
 *  borrowed until the next request_messages_build; "" if the event is not shown. */
struct mt_str request_messages_text(struct request_messages *m, int64_t id);

#endif
