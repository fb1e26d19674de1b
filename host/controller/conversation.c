/* SPDX-License-Identifier: MIT
 *
 * conversation.c - creates, opens and closes a conversation; its events and states. */
#include "controller/conversation.h"

#include "controller/core.h"
#include "controller/dispatch.h"
#include "controller/exit-code.h"
#include "controller/feature.h"
#include "controller/meta.h"
#include "controller/model-request.h"
#include "controller/offered-tools.h"
#include "controller/parallel-calls.h"
#include "controller/rewind.h"
#include "controller/step-policy.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "controller/usage-checkpoint.h"
#include "controller/waiting-messages.h"
#include "controller/wiring.h"
#include "files.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

/* ---- telling ----------------------------------------------------------- */

void conversation_notice(struct conversation *c, int level, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4096), shown = STRBUF(1 << 16);
	const char *masked;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	log_line(MT_LOG_INFO, "conversation", "%s", text.text);
	/* here, because NOTIFY_WATCHERS evaluates its arguments for each watcher */
	masked = mask_text(c->mask, text.text, &shown);
	if (c->loss_reported && strstr(masked, c->reason))
		return; /* a consequence of what the error state reports */
	NOTIFY_WATCHERS(c, notice, level, masked);
}

void mask_stream_chunk(struct mask_stream *s, struct strbuf *out, const char *text,
		       size_t len, bool last)
{
	mask_stream_feed(s, out, text, len);
	if (last)
		mask_stream_end(s, out);
}

int conversation_watch(struct conversation *c, const struct watcher *w, void *arg)
{
	for (int i = 0; i < WATCHERS_MAX; i++)
		if (!c->watchers[i].watcher) {
			c->watchers[i] = (struct watch){ w, arg };
			return i;
		}
	return MT_ELIMIT;
}

void conversation_unwatch(struct conversation *c, int handle)
{
	if (handle >= 0 && handle < WATCHERS_MAX)
		c->watchers[handle] = (struct watch){ 0 };
}

void conversation_notify_questions(struct conversation *c, const struct question *open)
{
	NOTIFY_WATCHERS(c, questions, open);
}

void conversation_notify_side_answer(struct conversation *c, const char *question,
				     const char *text, bool failed)
{
	NOTIFY_WATCHERS(c, side_answer, question, text, failed);
}

void conversation_notify_asks(struct conversation *c, const char *child)
{
	NOTIFY_WATCHERS(c, asks, child);
}

static void on_append(struct evlog *log, const struct event *e, void *arg)
{
	struct conversation *c = arg;

	(void)log;
	c->step_requested |= step_policy_triggers(e, c->state);
	if (config_logs_events(c->config)) {
		AUTO(strbuf) struct strbuf line = STRBUF(16 << 20);

		event_write(e, &line);
		log_line(MT_LOG_INFO, "event", "%s", line.text);
	}
	NOTIFY_WATCHERS(c, event, e);
}

/* ---- events and states ------------------------------------------------- */

/* Nothing can be logged, so the conversation enters the error state without an event.
 * The state reports the error, once. Work in progress cannot be recorded without the log. */
static void log_failed(struct conversation *c, const struct error *err)
{
	bool lost = evlog_is_lost(c->log), known = lost && c->loss_reported;

	c->state = STATE_ERROR;
	c->exit_code = EXIT_FAILED;
	c->loss_reported = lost;
	snprintf(c->reason, sizeof c->reason, "%s", err->text);
	if (known)
		return;
	log_line(MT_LOG_INFO, "conversation", "%s", err->text);
	NOTIFY_WATCHERS(c, state, c->state, c->reason);
	if (lost)
		conversation_cancel_work(c);
}

int conversation_barrier(struct conversation *c, struct error *err)
{
	int r = evlog_barrier(c->log, err);

	if (r)
		log_failed(c, err);
	return r;
}

int64_t conversation_log_event(struct conversation *c, struct event *e, struct error *err)
{
	int64_t id;

	if (!e) {
		conversation_notice(c, MT_LOG_ERROR, "cannot create an event: %s",
				    err->text);
		return err->code ? err->code : MT_ENOMEM;
	}
	if (evlog_append(c->log, e, err)) {
		event_unref(e);
		log_failed(c, err);
		return err->code;
	}
	id = e->id;
	event_unref(e);
	return id;
}

void conversation_cancel_work(struct conversation *c)
{
	request_cancel(c);
	features_cancel(c);
	parallel_cancel(c);
	if (turn_is_running(c) && turn_call(c)->number && c->link)
		runner_cancel(c->link, turn_call(c)->number);
}

/* Stopped or failed with an action that has no observation: it gets one. */
void conversation_settle(struct conversation *c, enum agent_state state)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action = NULL;

	turn_clear(c);
	if (turn_is_idle(c) && turn_uncommitted(c) < 0)
		return;
	action = evlog_event(c->log,
			     !turn_is_idle(c) ? turn_pending(c) : turn_uncommitted(c),
			     &err);
	turn_reset(c);
	if (!action || !(action->type->flags & EVENT_RUNNABLE))
		return;
	if (state == STATE_STOPPED)
		dispatch_log_failure(
			c, action, "AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_STOPPED",
			"The action was not finished: the conversation was stopped.");
	else
		dispatch_log_failure(
			c, action, "AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_ERROR",
			"The action was not finished: the agent encountered an error.");
}

void conversation_enter_state(struct conversation *c, enum agent_state state,
			      const char *reason)
{
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 16);
	json_object *extras;

	log_line(MT_LOG_DEBUG, "controller", "state %s -> %s reason=%s",
		 state_name(c->state), state_name(state),
		 mask_text(c->mask, reason, &shown));
	strbuf_reset(&shown);
	features_before_state(c, state);
	c->state = state;
	snprintf(c->reason, sizeof c->reason, "%s", mask_text(c->mask, reason, &shown));
	extras = js_new_object();
	js_set_str(extras, "agent_state", state_name(state));
	js_set_str(extras, "reason", c->reason);
	if (state == STATE_ERROR && c->status)
		js_set_str(extras, "status", c->status);
	c->status = NULL;
	conversation_log_event(c,
			       event_observation("agent_state_changed",
						 SOURCE_ENVIRONMENT, -1, "", 0, extras,
						 &err),
			       &err);
}

void conversation_restore_state(struct conversation *c, enum agent_state state)
{
	c->state = state;
}

void conversation_notify_state(struct conversation *c)
{
	struct error err = ERROR_NONE;

	if (state_is_resting(c->state) && conversation_barrier(c, &err))
		return; /* already reported */
	NOTIFY_WATCHERS(c, state, c->state, c->reason);
}

void conversation_set_state(struct conversation *c, enum agent_state state,
			    const char *reason)
{
	struct error err = ERROR_NONE;

	if (c->state == state)
		return;
	if (state == STATE_STOPPED || state == STATE_ERROR) {
		conversation_cancel_work(c);
		conversation_settle(c, state);
	}
	if (state == STATE_STOPPED)
		features_work_dropped(c);
	if (features_take_state(c, state, reason))
		return; /* the agent that continues reads what waits */
	if (state_is_resting(state))
		waiting_messages_deliver(c);
	if (features_prepare_state(c, state, &err)) {
		if (c->state != STATE_ERROR)
			conversation_set_error(c, EXIT_FAILED, "%s", err.text);
		return;
	}
	conversation_enter_state(c, state, reason);
	if (c->state == state)
		conversation_notify_state(c);
}

void conversation_rest(struct conversation *c, enum agent_state state, const char *reason)
{
	if (!features_before_rest(c, state, reason))
		conversation_set_state(c, state, reason);
}

void conversation_set_error(struct conversation *c, int exit_code, const char *fmt, ...)
{
	char text[sizeof c->reason];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (evlog_is_lost(c->log)) /* the first error, which was reported */
		return;
	c->exit_code = exit_code;
	conversation_set_state(c, STATE_ERROR, text);
}

void conversation_clear_error(struct conversation *c)
{
	c->exit_code = 0;
	c->status = NULL;
}

/* ---- opening and closing ----------------------------------------------- */

/* Save the sums of this process for the next one. */
static void keep_sums(struct conversation *c)
{
	struct reply_sums s;

	if (!c->models || !c->log || reply_sums_open(&s, c->inherited_replies))
		return;
	reply_sums_read(&s, c->log);
	reply_sums_close(&s);
}

static void release(struct conversation *c)
{
	turn_clear(c);
	request_cancel(c);
	features_release(c);
	keep_sums(c);
	wiring_close(c);
	evlog_close(c->log);
	log_set_mask(NULL);
	mask_stream_clear(&c->reply_masks[0]);
	mask_stream_clear(&c->reply_masks[1]);
	mask_stream_clear(&c->output_mask);
	mask_free(c->mask);
	registry_free(c->registry);
	config_free(c->config);
	turn_plan_free(c);
	turn_free(c->turn);
	waiting_messages_free(c->waiting);
	features_free(c);
	features_close_agent(c->agent);
	free(c->agent->state_text);
	free(c->agent);
	free(c->id);
	free(c->parent);
	free(c->dir);
	free(c->workspace);
	free(c->place);
	free(c->title);
	free(c->shell_dir);
	free(c);
}

struct conversation *conversation_allocate(uv_loop_t *loop,
					   const struct conversation_options *o)
{
	struct conversation *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->agent = calloc(1, sizeof *c->agent);
	c->mask = mask_new();
	c->turn = turn_new();
	if (!c->agent || !c->mask || !c->turn || features_allocate(c)) {
		features_free(c);
		turn_free(c->turn);
		mask_free(c->mask);
		free(c->agent);
		free(c);
		return NULL;
	}
	c->loop = loop;
	c->agent->delegation = -1;
	c->headless = o->headless;
	c->answers = o->answers;
	c->state = STATE_LOADING;
	mask_stream_init(&c->reply_masks[0], c->mask);
	mask_stream_init(&c->reply_masks[1], c->mask);
	mask_stream_init(&c->output_mask, c->mask);
	uv_prepare_init(loop, &c->handle);
	uv_unref((uv_handle_t *)&c->handle);
	c->handle.data = c;
	return c;
}

static void tell_damage(void *arg, const char *text)
{
	conversation_notice(arg, MT_LOG_WARNING, "%s", text);
}

int conversation_open(struct conversation *c, const struct conversation_options *o,
		      enum evlog_open mode, char **ret_report, struct error *err)
{
	struct evlog_options options = { .mask = c->mask,
					 .damaged = tell_damage,
					 .arg = c };
	int r = config_secrets(c->config, c->mask, err);

	log_set_mask(c->mask);
	options.sync = (enum evlog_sync)config_choice(c->config, "core", "sync");
	if (!r)
		r = wiring_open(c, o, err);
	if (!r)
		r = features_open_agent(c, c->agent, err);
	if (!r)
		r = features_open(c, err);
	if (!r)
		r = evlog_open(c->dir, mode, &options, &c->log, ret_report, err);
	if (!r && evlog_subscribe(c->log, on_append, c) < 0)
		r = out_of_memory(err);
	return r ? r : wiring_open_memory(c, err);
}

static void on_undone(uv_handle_t *handle)
{
	release(handle->data);
}

int conversation_undo(struct conversation *c, bool keep_config, int r)
{
	if (keep_config) {
		c->config = NULL;
		c->registry = NULL;
	}
	wiring_close(c);
	c->log = evlog_close(c->log);
	uv_close((uv_handle_t *)&c->handle, on_undone);
	return r;
}

/* Also remove its files on disk. */
static int create_failed(struct conversation *c, int r)
{
	if (c->log) {
		c->log = evlog_close(c->log);
		dir_remove(c->dir, NULL);
	} else if (c->dir) {
		rmdir(c->dir); /* if it is empty */
	}
	return conversation_undo(c, true, r);
}

/* The secrets are known only after it is configured. */
static int hide_title(struct conversation *c, struct error *err)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 20);
	char *title = strdup(mask_text(c->mask, c->title, &shown));

	if (!title)
		return out_of_memory(err);
	free(c->title);
	c->title = title;
	return MT_OK;
}

int conversation_create(uv_loop_t *loop, struct config *config, struct registry *registry,
			const struct conversation_options *o, struct conversation **ret,
			struct error *err)
{
	struct conversation *c = conversation_allocate(loop, o);
	int r;

	if (!c)
		return out_of_memory(err);
	c->config = config;
	c->registry = registry;
	c->workspace = strdup(o->workspace);
	c->title = strdup(o->title ? o->title : "");
	c->id = o->id ? strdup(o->id) : meta_new_id();
	c->parent = strdup(o->parent ? o->parent : "");
	c->place = strdup(o->place ? o->place : "");
	c->depth = o->depth;
	if (!c->workspace || !c->title || !c->id || !c->parent || !c->place)
		return create_failed(c, out_of_memory(err));
	c->dir = conversation_dir(config, c->id, err);
	if (!c->dir)
		return create_failed(c, err->code);
	r = conversation_open(c, o, EVLOG_CREATE, NULL, err);
	if (!r)
		r = hide_title(c, err);
	if (!r)
		r = meta_write(c->dir, c->id, c->title, c->workspace,
			       wiring_spec(c, o->controller), o, c->mask, err);
	if (!r)
		r = evlog_add_file(c->log, "meta.json", err);
	if (!r)
		r = offered_tools_log_system(c, err);
	if (!r)
		r = features_created(c, o, err);
	if (r)
		return create_failed(c, r);
	*ret = c;
	return MT_OK;
}

static void on_released(uv_handle_t *handle)
{
	struct conversation *c = handle->data;
	void (*closed)(void *arg) = c->closed;
	void *arg = c->closed_arg;

	release(c);
	if (closed)
		closed(arg);
}

void conversation_close_finish(struct conversation *c)
{
	if (c->link || features_keep_open(c))
		return; /* the last one calls this again */
	uv_close((uv_handle_t *)&c->handle, on_released);
}

void conversation_close(struct conversation *c, void (*done)(void *arg), void *arg)
{
	c->closing = true;
	c->closed = done;
	c->closed_arg = arg;
	conversation_cancel_work(c);
	if (!features_before_close(c))
		conversation_close_begin(c);
}

void conversation_close_begin(struct conversation *c)
{
	if (c->link)
		runner_close(c->link);
	else
		conversation_close_finish(c);
}
