/* SPDX-License-Identifier: MIT
 *
 * waiting-messages.c - user messages that wait until the reply or the call in
 * progress has ended, so that they follow its results. They are stored in a `state`
 * record of the log. The event of a message has its number, so that a message that
 * was logged before a crash is not logged again. */
#include "conversation/waiting-messages.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/observations.h"
#include "controller/feature.h"
#include "controller/plugins/model-request.h"
#include "controller/turn-actions.h"
#include "conversation/message-log.h"

#define RECORD "waiting messages"

enum { WAITING_MAX = 64 };

static const char not_run[] = "This call was not run, because the user sent a message "
			      "first. The message follows.";

struct waiting_messages {
	json_object *list; /* list of {number, after, text, images}; NULL: none yet */
	int64_t next;      /* number of the next message */
};

static struct waiting_messages *waiting_of(const struct conversation *c)
{
	return feature_state(c, &waiting_messages_feature);
}

static size_t waiting_count(const struct conversation *c)
{
	return js_length(waiting_of(c)->list);
}

static int need_list(struct conversation *c, struct error *err)
{
	struct waiting_messages *w = waiting_of(c);

	if (!w->list)
		w->list = json_object_new_array();
	return w->list ? MT_OK : out_of_memory(err);
}

static int log_state(struct evlog *log, json_object *state, struct error *err)
{
	AUTO(json) json_object *record = js_new_object();

	js_set_str(record, "record", "state");
	js_set_str(record, "plugin", RECORD);
	js_set_str(record, "text", js_text(state, NULL));
	return js_incomplete(record) || js_incomplete(state)
		       ? out_of_memory(err)
		       : evlog_record(log, record, err);
}

static int waiting_save(struct conversation *c, struct error *err)
{
	AUTO(json) json_object *state = js_new_object();

	js_set_int(state, "next", waiting_of(c)->next);
	js_set(state, "messages", json_object_get(waiting_of(c)->list));
	return log_state(c->log, state, err);
}

int waiting_messages_drop(struct evlog *log, struct error *err)
{
	size_t len = 0;
	const char *text = evlog_state(log, RECORD, &len);
	AUTO(json) json_object *state = text ? js_parse_object(text, len, err) : NULL;

	if (!text)
		return MT_OK;
	if (!state)
		return err->code;
	js_set(state, "messages", js_new_list());
	return log_state(log, state, err);
}

/* ---- from the user ------------------------------------------------------- */

static bool call_runs(const struct conversation *c)
{
	return turn_is_running(c) && turn_call(c)->action->source == SOURCE_AGENT;
}

static bool request_runs(const struct conversation *c)
{
	return request_is_of_agent(c);
}

bool waiting_messages_apply(const struct conversation *c)
{
	return call_runs(c) || request_runs(c);
}

int waiting_messages_add(struct conversation *c, const char *text, size_t len,
			 json_object *images, struct error *err)
{
	json_object *one;

	if (need_list(c, err))
		return err->code;
	if (waiting_count(c) == WAITING_MAX)
		return fail(err, MT_ELIMIT,
			    "%d messages are already waiting for the agent", WAITING_MAX);
	one = js_new_object();
	js_set_int(one, "number", waiting_of(c)->next++);
	js_set_int(one, "after", evlog_count(c->log));
	js_set_strn(one, "text", text, len);
	if (images)
		js_set(one, "images", json_object_get(images));
	if (js_incomplete(one)) {
		json_object_put(one);
		return out_of_memory(err);
	}
	if (js_add_new(waiting_of(c)->list, one) || waiting_save(c, err))
		return err->code ? err->code : out_of_memory(err);
	return conversation_barrier(c, err);
}

int waiting_messages_withdraw(struct conversation *c, struct error *err)
{
	size_t n = waiting_count(c);

	if (!n)
		return fail(err, MT_ENOTFOUND, "no message is waiting");
	json_object_array_del_idx(waiting_of(c)->list, n - 1, 1);
	return waiting_save(c, err) ? err->code : conversation_barrier(c, err);
}

/* ---- into the log -------------------------------------------------------- */

/* An action of an earlier process that had no effect. */
static void refuse_uncommitted(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(event)
	struct event *action = turn_uncommitted(c) < 0
				       ? NULL
				       : evlog_event(c->log, turn_uncommitted(c), &err);

	if (!action || (!(action->type->flags & EVENT_RUNNABLE) &&
			action->type->id != ACTION_DELEGATE))
		return;
	turn_set_uncommitted(c, -1);
	observation_log_failure(c, action, "", not_run);
}

void waiting_messages_refuse_calls(struct conversation *c)
{
	refuse_uncommitted(c);
	turn_refuse(c, not_run);
}

static bool waiting_messages_stop_call(struct conversation *c, struct call *call)
{
	if (!waiting_count(c) || !call_runs(c) || call->over)
		return false;
	observation_log_failure(c, call->action, "", not_run);
	return true;
}

static int log_first(struct conversation *c, struct error *err)
{
	AUTO(json)
	json_object *one =
		json_object_get(json_object_array_get_idx(waiting_of(c)->list, 0));
	json_object *text = js_get(one, "text");

	json_object_array_del_idx(waiting_of(c)->list, 0, 1);
	return conversation_log_message(c, json_object_get_string(text),
					(size_t)json_object_get_string_len(text),
					js_get(one, "images"), js_int(one, "number", 0),
					err);
}

static bool deliver(struct conversation *c)
{
	struct error err = ERROR_NONE;

	if (!waiting_count(c) || waiting_messages_apply(c))
		return false;
	waiting_messages_refuse_calls(c);
	while (waiting_count(c) && !err.code)
		log_first(c, &err);
	if (!err.code)
		waiting_save(c, &err);
	if (err.code)
		conversation_notice(c, MT_LOG_ERROR, "message not sent: %s", err.text);
	return true;
}

/* ---- after a restart ------------------------------------------------------ */

/* Does the log contain the event of the message? */
static bool is_logged(const struct conversation *c, json_object *message)
{
	int64_t number = js_int(message, "number", -1);

	for (int64_t id = js_int(message, "after", 0); id < evlog_count(c->log); id++) {
		const struct evlog_head *head = evlog_head(c->log, id);
		AUTO(event) struct event *e = NULL;

		if (head->source != SOURCE_USER || head->type->id != ACTION_MESSAGE)
			continue;
		e = evlog_event(c->log, id, NULL);
		if (e && js_int(e->json, "waited", -1) == number)
			return true;
	}
	return false;
}

int waiting_messages_restore(struct conversation *c, struct error *err)
{
	size_t len = 0;
	const char *text = evlog_state(c->log, RECORD, &len);
	AUTO(json) json_object *state = text ? js_parse_object(text, len, NULL) : NULL;
	json_object *list = js_get(state, "messages");

	for (size_t i = 0; i < js_length(list); i++) {
		json_object *one = json_object_array_get_idx(list, i);

		if (is_logged(c, one))
			continue;
		if (need_list(c, err))
			return err->code;
		if (js_add_new(waiting_of(c)->list, json_object_get(one)))
			return out_of_memory(err);
	}
	if (state && need_list(c, err))
		return err->code;
	if (state)
		waiting_of(c)->next = js_int(state, "next", 0);
	deliver(c);
	return MT_OK;
}

static void waiting_messages_release(struct conversation *c)
{
	json_object_put(waiting_of(c)->list);
}

const struct feature waiting_messages_feature = {
	.name = "waiting messages",
	.state_size = sizeof(struct waiting_messages),
	.deliver = deliver,
	.before_send = waiting_messages_stop_call,
	.release = waiting_messages_release,
};
