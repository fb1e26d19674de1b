/* SPDX-License-Identifier: MIT
 *
 * rewind.c - rewinds a conversation: to an event or to a user message. */
#include "conversation/rewind.h"

#include "context/request-messages.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/plugins/model-request.h"
#include "controller/turn.h"
#include "conversation/offered-tools.h"

#include <inttypes.h>
#include <string.h>

/* ---- where to ------------------------------------------------------------ */

static bool wants_result(const struct evlog_head *head)
{
	return head->type->is_action && head->type->id != ACTION_FINISH &&
	       head->type->id != ACTION_MESSAGE &&
	       (head->has_call || (head->type->flags & EVENT_RUNNABLE));
}

static bool has_result(const struct evlog *log, int64_t action, int64_t to)
{
	for (int64_t id = action + 1; id <= to; id++) {
		const struct evlog_head *head = evlog_head(log, id);

		if (!head->undone && !head->type->is_action && head->cause == action)
			return true;
	}
	return false;
}

int64_t rewind_place(const struct evlog *log, int64_t to)
{
	for (int64_t id = to; id >= 0; id--) {
		const struct evlog_head *head = evlog_head(log, id);

		if (head->undone || !wants_result(head))
			continue;
		if (has_result(log, id, to))
			break;
		to = id - 1;
	}
	while (to >= 0 && evlog_head(log, to)->undone)
		to--;
	return to;
}

/* The first event defines the agent, so it stays. */
static int rewind_check(const struct conversation *c, int64_t to, struct error *err)
{
	const struct evlog_head *head = evlog_head(c->log, to);

	if (c->closing)
		return fail(err, MT_EDENIED, "the conversation is being closed");
	if (c->state == STATE_RUNNING || request_is_open(c) ||
	    (!turn_is_idle(c) && evlog_dispatched(c->log, turn_pending(c))))
		return fail(err, MT_EDENIED, "the agent is running; pause it first");
	if (!head)
		return fail(err, MT_EINVAL,
			    "unknown event %" PRId64 "; the log has %" PRId64 " event%s",
			    to, evlog_count(c->log), evlog_count(c->log) == 1 ? "" : "s");
	if (head->undone)
		return fail(err, MT_EINVAL, "event %" PRId64 " is already reverted", to);
	return MT_OK;
}

int conversation_rewind(struct conversation *c, int64_t to, bool files, int64_t *ret_to,
			struct error *err)
{
	AUTO(json) json_object *record = json_object_new_object();
	int64_t system;
	int r = rewind_check(c, to, err);

	if (r)
		return r;
	to = rewind_place(c->log, to);
	if (to < 0)
		to = 0;
	if (!record || js_set_str(record, "record", "rewind") ||
	    js_set_int(record, "to", to))
		return out_of_memory(err);
	if (files)
		FEATURES_TELL(before_rewind, c, to);
	r = evlog_record(c->log, record, err);
	if (r)
		return r;
	FEATURES_TELL(rewound, c);
	/* of the active agent: a reverted delegate has been dropped */
	system = request_messages_system(c->agent->memory);
	turn_clear(c);
	turn_reset(c);
	if (ret_to)
		*ret_to = to;
	NOTIFY_WATCHERS(c, rewound, to);
	r = offered_tools_ensure_system(c, err);
	if (r)
		return r;
	if (request_messages_system(c->agent->memory) != system)
		offered_tools_check_system(c);
	/* it becomes idle in any case, because the old state may have been reverted */
	c->state = STATE_LOADING;
	conversation_set_state(c, STATE_AWAITING_USER_INPUT, "");
	return conversation_barrier(c, err);
}

/* ---- user messages ------------------------------------------------ */

/* The n-th user message, counted from the newest. */
static int64_t user_message(const struct evlog *log, int64_t n)
{
	for (int64_t id = evlog_count(log) - 1; id >= 0; id--) {
		const struct evlog_head *head = evlog_head(log, id);

		if (!head->undone && head->source == SOURCE_USER &&
		    head->type->id == ACTION_MESSAGE && --n == 0)
			return id;
	}
	return -1;
}

/* Rewind to before a message, and return its text. */
static int rewind_take_back(struct conversation *c, int64_t message, bool files,
			    char **ret_text, struct error *err)
{
	AUTO(event) struct event *e = evlog_event(c->log, message, err);
	AUTO(free) char *text = NULL;
	int64_t to = message - 1;
	int r;

	if (!e)
		return err->code;
	text = strdup(event_arg(e, "content"));
	if (!text)
		return out_of_memory(err);
	while (to > 0 && evlog_head(c->log, to)->undone)
		to--;
	r = conversation_rewind(c, to < 0 ? 0 : to, files, NULL, err);
	if (!r && ret_text)
		*ret_text = STEAL(text);
	return r;
}

int conversation_take_back(struct conversation *c, int64_t messages, bool files,
			   char **ret_text, struct error *err)
{
	int64_t id;

	if (messages < 1)
		return fail(err, MT_EINVAL,
			    "the number of messages to revert must be at least 1");
	id = user_message(c->log, messages);
	if (id < 0)
		return messages == 1
			       ? fail(err, MT_EINVAL,
				      "the conversation has no user message to revert")
			       : fail(err, MT_EINVAL,
				      "the conversation has fewer than %" PRId64
				      " user messages to revert",
				      messages);
	return rewind_take_back(c, id, files, ret_text, err);
}
