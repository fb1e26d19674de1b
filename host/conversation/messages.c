/* SPDX-License-Identifier: MIT
 *
 * messages.c - user messages: from the frontend or a feature to the log. */
#include "conversation/messages.h"

#include "context/history.h"
#include "context/images.h"
#include "controller/actions.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/feature.h"
#include "controller/plugins/model-request.h"
#include "controller/step.h"
#include "controller/transitions.h"
#include "controller/turn.h"
#include "conversation/meta.h"
#include "conversation/waiting-messages.h"
#include "log.h"
#include "utf8.h"

#include <string.h>

enum { TITLE_BYTES = 60, TITLE_OF_MAX = 4096 };

/* Report images and PDF files that are not sent to the model. */
static int conversation_messages_add_images(struct conversation *c, json_object *args,
					    json_object *images, struct error *err)
{
	if (!images || json_object_array_length(images) == 0)
		return MT_OK;
	if (c->agent->llm && !llm_feature(c->agent->llm, "vision"))
		conversation_notice(
			c, MT_LOG_WARNING,
			"images are not sent to %s, only a note for each; to send "
			"them, set `vision = yes` in its section",
			llm_name(c->agent->llm));
	if (c->agent->llm && images_have_pdf(images) &&
	    !llm_feature(c->agent->llm, "pdf"))
		conversation_notice(
			c, MT_LOG_WARNING,
			"PDF files are not sent to %s, only a note for each: it "
			"does not support PDF input. Extract the text with "
			"pdftotext",
			llm_name(c->agent->llm));
	if (js_set(args, "image_urls", json_object_get(images)))
		return out_of_memory(err);
	return MT_OK;
}

int conversation_say(struct conversation *c, const char *text, size_t len,
		     json_object *images, bool queue, struct error *err)
{
	bool held;

	if (c->closing)
		return fail(err, MT_EDENIED, "the conversation is being closed");
	if (images_check(images, err))
		return err->code;
	if (FEATURES_TRY(&held, before_message, c, text, len, images, queue, &held, err))
		return err->code;
	return held ? MT_OK : conversation_add_message(c, text, len, images, queue, err);
}

/* The default title is the first line of the first message. */
static void name_it(struct conversation *c, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf line = STRBUF(TITLE_OF_MAX * 8);
	struct error err = ERROR_NONE;
	size_t from = 0, to;
	char *title;

	while (from < len && strchr(" \t\r\n", text[from]))
		from++;
	for (to = from;
	     to < len && to - from < TITLE_OF_MAX && !strchr("\r\n", text[to]);)
		to++;
	mask_put(c->mask, &line, text + from, to - from);
	strbuf_cut(&line, utf8_cut(line.text, line.len, TITLE_BYTES));
	if (line.error || !line.len || *c->title || !(title = strbuf_take(&line)))
		return;
	utf8_blank_controls(title, strlen(title));
	free(c->title);
	c->title = title;
	if (meta_change(c->log, c->title, NULL, c->mask, &err) && !evlog_is_lost(c->log))
		log_line(MT_LOG_WARNING, "conversation", "no title: %s", err.text);
}

/* Append the configured text to each user message. */
static struct event *add_suffix(const struct conversation *c, struct event *e)
{
	const char *suffix = config_get(c->config, c->agent->section, "message_suffix");
	json_object *list, *o;

	if (!e || !suffix || !*suffix)
		return e;
	list = js_new_list();
	o = js_new_object();
	js_set_str(o, "name", "message_suffix");
	js_set_str(o, "text", suffix);
	js_add_new(list, o);
	js_set(e->json, "extended_content", list);
	return e;
}

/* The message that ends a conversation, as in OpenHands. */
static bool is_exit(const char *text, size_t len)
{
	static const char word[] = "/exit";

	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	while (len && strchr(" \t\r\n", *text))
		text++, len--;
	return len == sizeof word - 1 && memcmp(text, word, len) == 0;
}

/* Cancel running work; the agent finishes without another request. */
static int finish_for_user(struct conversation *c, struct error *err)
{
	conversation_cancel_work(c);
	conversation_settle(c, STATE_STOPPED);
	FEATURES_TELL(work_dropped, c);
	turn_set_uncommitted(c, -1);
	action_log(c, event_action("finish", SOURCE_AGENT, NULL, err));
	return err->code ? err->code : evlog_barrier(c->log, err);
}

/* A step starts when nothing blocks it. */
static bool step_will_start(const struct conversation *c)
{
	return (c->state == STATE_RUNNING && c->step_requested) ||
	       c->state == STATE_RATE_LIMITED || request_is_open(c) || !turn_is_idle(c) ||
	       FEATURES_ASK(is_busy, c);
}

/* Log a message that has no effect. A failed step or sync has reported its own error. */
static void check_step_started(const struct conversation *c, int64_t steps_before)
{
	if (conversation_steps(c) == steps_before && !step_will_start(c) &&
	    !evlog_is_lost(c->log))
		log_line(MT_LOG_WARNING, "controller",
			 "user message did not start a step: state=%s reason=%s",
			 state_name(c->state), c->reason);
}

int conversation_log_message(struct conversation *c, const char *text, size_t len,
			     json_object *images, int64_t number, struct error *err)
{
	json_object *args = js_new_object();
	bool first = !history_user_since(c->log, c->agent->start);
	struct event *e;
	int64_t id;

	if (js_set_strn(args, "content", text, len) ||
	    conversation_messages_add_images(c, args, images, err)) {
		json_object_put(args);
		return out_of_memory(err);
	}
	e = add_suffix(c, event_action("message", SOURCE_USER, args, err));
	if (e && number >= 0)
		js_set_int(e->json, "waited", number);
	id = conversation_log_event(c, e, err);
	if (id < 0)
		return (int)id;
	if (first)
		name_it(c, text, len);
	FEATURES_TELL(after_message, c, first);
	return MT_OK;
}

/* The agent reads the message after the results of what is in progress. */
static int wait_for_results(struct conversation *c, const char *text, size_t len,
			    json_object *images, bool queue, struct error *err)
{
	if (waiting_messages_add(c, text, len, images, err))
		return err->code;
	if (!queue)
		turn_interrupt(c);
	step_run_ready(c);
	return state_is_resting(c->state) ? conversation_continue(c, err) : MT_OK;
}

int conversation_add_message(struct conversation *c, const char *text, size_t len,
			     json_object *images, bool queue, struct error *err)
{
	int64_t steps = conversation_steps(c);
	bool leaves = is_exit(text, len);

	if (!leaves && waiting_messages_apply(c))
		return wait_for_results(c, text, len, images, queue, err);
	FEATURES_TELL(adding_message, c);
	if (turn_uncommitted(c) >= 0 &&
	    evlog_head(c->log, turn_uncommitted(c))->type->id == ACTION_FINISH)
		turn_set_uncommitted(c, -1); /* there is more work */
	if (!leaves)
		waiting_messages_refuse_calls(c);
	if (conversation_log_message(c, text, len, images, -1, err))
		return err->code;
	if (leaves)
		return finish_for_user(c, err);
	if (conversation_continue(c, err))
		return err->code;
	check_step_started(c, steps);
	/* the request has usually passed a barrier already */
	return conversation_barrier(c, err);
}

int conversation_correct(struct conversation *c, const char *text, size_t len,
			 struct error *err)
{
	json_object *args = js_new_object();

	if (js_set_strn(args, "content", text, len)) {
		json_object_put(args);
		return out_of_memory(err);
	}
	if (conversation_log_event(c,
				   event_action("message", SOURCE_ENVIRONMENT, args, err),
				   err) < 0)
		return err->code;
	FEATURES_TELL(after_message, c, false);
	return conversation_continue(c, err) ? err->code : conversation_barrier(c, err);
}
