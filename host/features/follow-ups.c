/* SPDX-License-Identifier: MIT
 *
 * follow-ups.c - after a call that may have changed files, calls the tools with
 * MT_TOOL_FOLLOW_UP of the toolsets that the agent has used, and adds their replies
 * to the result of that call. */
#include "features/follow-ups.h"

#include "controller/call.h"
#include "controller/observations.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "features/observation-note.h"
#include "features/replay-internal.h"
#include "log.h"
#include "utf8.h"

#include <mortise/tool.h>

#include <string.h>

enum { FOLLOW_UP_MS = 5000, NOTE_MAX = 16 << 10 };

/* Calls of the model have smaller numbers, previews larger ones. */
static const uint64_t first_number = 500000000000000, last_number = 599999999999999;

/* Of a conversation. */
struct follow_ups {
	json_object *used;       /* names of instances that were called in this runner */
	struct event *observation; /* of the pending call, held; NULL: none */
	uint64_t number;         /* of the running follow-up */
	uint64_t count;
	size_t next;             /* the instance to call next */
	bool passed;             /* other features are processing `observation` */
};

static struct follow_ups *follow_ups_state(const struct conversation *c)
{
	return feature_state(c, &follow_ups_feature);
}

static void note_use(struct conversation *c, const struct call *call)
{
	struct follow_ups *s = follow_ups_state(c);

	s->used = s->used ? s->used : js_new_object();
	js_set_bool(s->used, call_instance(c, call), true);
}

/* The tool of an instance that runs after calls; NULL: none. */
static const char *follower_of(const struct tool_instance *instance)
{
	json_object *tools = js_get(component_data(instance->component), "tools");

	for (size_t i = 0; i < js_length(tools); i++) {
		json_object *tool = json_object_array_get_idx(tools, i);

		if (js_int(tool, "hints", 0) & MT_TOOL_FOLLOW_UP)
			return js_str(tool, "name", NULL);
	}
	return NULL;
}

static bool may_change_files(const struct call *call)
{
	return !tool_only_reads(call->tool) && !(call->tool->hints & MT_TOOL_CONTROL) &&
	       call->action->type->id != ACTION_READ && !event_caller(call->action);
}

/* ---- asking ----------------------------------------------------------------- */

static char *arguments_of(const struct event *action)
{
	AUTO(strbuf) struct strbuf json = STRBUF(1 << 20);
	const char *path = event_arg(action, "path");

	if (!*path)
		path = js_str(js_get(event_args(action), "arguments"), "path", "");
	strbuf_addc(&json, '{');
	if (*path)
		js_key_str(&json, "path", path);
	strbuf_addc(&json, '}');
	return strbuf_take(&json);
}

/* Call the next follow-up tool. @return false: no more tools */
static bool ask_next(struct conversation *c, const struct call *call)
{
	const struct catalog *all = &conversation_agent(c)->catalog;
	struct follow_ups *s = follow_ups_state(c);
	AUTO(free) char *args = arguments_of(call->action);

	while (args && conversation_runner(c) && s->next < all->instance_count) {
		const struct tool_instance *one = &all->instances[s->next++];
		const char *tool =
			js_get(s->used, one->name) && s->next - 1 != call->tool->instance
				? follower_of(one)
				: NULL;

		s->number = first_number + s->count++;
		if (tool &&
		    runner_call(conversation_runner(c), s->number, one->name, tool, args,
				strlen(args), FOLLOW_UP_MS, NULL) == MT_OK)
			return true;
	}
	s->number = 0;
	return false;
}

static bool follow_ups_after_call(struct conversation *c, const struct call *call,
				  struct event *observation)
{
	struct follow_ups *s = follow_ups_state(c);

	if (!observation || s->passed)
		return false;
	note_use(c, call);
	s->next = 0;
	if (conversation_is_closing(c) || replay_is_active(c) || call->interrupted ||
	    !may_change_files(call) || !ask_next(c, call))
		return false;
	s->observation = observation;
	return true;
}

/* ---- the reply --------------------------------------------------------------- */

static void add_note(struct conversation *c, const struct runner_result *result)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	size_t len = result->text_len;

	while (len && result->text[len - 1] == '\n')
		len--;
	if (result->status)
		log_line(MT_LOG_WARNING, "follow-up", "%s",
			 result->error ? result->error : status_name(result->status));
	else if (len && !mask_put(conversation_secrets(c), &text, result->text,
				  utf8_cut(result->text, len, NOTE_MAX)))
		observation_note_add(follow_ups_state(c)->observation, text.text);
}

/* Pass the observation to the other features, then log it. */
static void pass_on(struct conversation *c)
{
	struct follow_ups *s = follow_ups_state(c);
	struct event *e = STEAL(s->observation);
	const struct call *call = turn_call(c);
	struct error err = ERROR_NONE;
	bool taken;

	s->passed = true;
	taken = FEATURES_ASK(after_call, c, call, e);
	s->passed = false;
	if (!taken)
		observation_log(c, call->action, e, &err);
}

static bool follow_ups_take_result(struct conversation *c,
				   const struct runner_result *result)
{
	struct follow_ups *s = follow_ups_state(c);

	if (result->call < first_number || result->call > last_number)
		return false;
	if (!s->observation || result->call != s->number)
		return true; /* the follow-up is no longer needed */
	add_note(c, result);
	if (!turn_call(c)->interrupted && ask_next(c, turn_call(c)))
		return true;
	pass_on(c);
	step_run_ready(c);
	return true;
}

/* ---- the end ------------------------------------------------------------------ */

/* The result of the call remains. */
static void follow_ups_cancel(struct conversation *c)
{
	struct follow_ups *s = follow_ups_state(c);

	if (!s->observation)
		return;
	if (conversation_runner(c))
		runner_cancel(conversation_runner(c), s->number);
	s->number = 0;
	pass_on(c);
}

static void follow_ups_runner_closed(struct conversation *c)
{
	struct follow_ups *s = follow_ups_state(c);

	json_object_put(s->used);
	s->used = NULL;
}

static void follow_ups_release(struct conversation *c)
{
	struct follow_ups *s = follow_ups_state(c);

	follow_ups_runner_closed(c);
	event_unref(s->observation);
	s->observation = NULL;
}

const struct feature follow_ups_feature = {
	.name = "follow-ups",
	.state_size = sizeof(struct follow_ups),
	.after_call = follow_ups_after_call,
	.take_result = follow_ups_take_result,
	.runner_closed = follow_ups_runner_closed,
	.interrupt = follow_ups_cancel,
	.cancel = follow_ups_cancel,
	.release = follow_ups_release,
};
