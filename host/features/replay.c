/* SPDX-License-Identifier: MIT
 *
 * replay.c - executes the actions of a recording. */
#include "features/replay.h"

#include "array.h"
#include "controller/actions.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/turn.h"
#include "conversation/shell-directory.h"
#include "events/confirmation.h"
#include "events/trajectory.h"
#include "features/delegation.h"
#include "features/replay-internal.h"
#include "files.h"

#include <inttypes.h>
#include <string.h>

enum { NEST_MAX = 32 };

/* ---- opening ------------------------------------------------------------ */

/* Actions that the controller creates itself, both when recording and when replaying. */
static bool replay_is_taken(const struct evlog_head *head)
{
	if (!head->type->is_action || head->undone || head->hidden ||
	    head->source == SOURCE_ENVIRONMENT)
		return false;
	switch (head->type->id) {
	case ACTION_NULL:
	case ACTION_SYSTEM:
	case ACTION_RECALL:
	case ACTION_CHANGE_AGENT_STATE:
	case ACTION_CONDENSATION:
	case ACTION_CONDENSATION_REQUEST:
	case ACTION_LOOP_RECOVERY:
		return false;
	default:
		return true;
	}
}

/* The delegations that contain a recorded event. */
struct nest {
	struct { int64_t action, end; bool told; } open[NEST_MAX];
	size_t depth;
};

static void nest_move(struct nest *n, int64_t id)
{
	while (n->depth && n->open[n->depth - 1].end >= 0 &&
	       n->open[n->depth - 1].end < id)
		n->depth--;
}

static int64_t nest_owner(const struct nest *n)
{
	return n->depth ? n->open[n->depth - 1].action : -1;
}

static void nest_add(struct nest *n, const struct evlog *log, int64_t id)
{
	if (n->depth == NEST_MAX)
		return;
	n->open[n->depth].action = id;
	n->open[n->depth].told = false;
	n->open[n->depth++].end = evlog_delegation_end(log, id);
}

/* The first message of a delegate is its task, which the controller sends. */
static bool nest_is_task(struct nest *n, const struct evlog_head *head)
{
	if (!n->depth || n->open[n->depth - 1].told || head->type->id != ACTION_MESSAGE ||
	    head->source != SOURCE_USER)
		return false;
	n->open[n->depth - 1].told = true;
	return true;
}

static int add_action(struct replay *r, int64_t id, int64_t owner, struct error *err)
{
	if (ARRAY_GROW(r->actions, &r->room, r->count + 1, ARRAY_MAX))
		return out_of_memory(err);
	r->actions[r->count++] = (struct replay_action){ .recorded = id, .now = -1,
							   .owner = owner };
	return MT_OK;
}

static int replay_read_task(struct replay *r, int64_t id, struct error *err)
{
	AUTO(event) struct event *e = evlog_event(r->log, id, err);

	if (!e)
		return err->code;
	r->task = strdup(event_arg(e, "content"));
	return r->task ? MT_OK : out_of_memory(err);
}

/* The user's decision about an action is in the log as a copy of it. *ret_run: the copy
 *  was executed. */
static bool is_repetition(struct replay *r, int64_t id, bool *ret_run)
{
	AUTO(event) struct event *e = evlog_event(r->log, id, NULL);

	return e && event_is_answer(e, ret_run);
}

/* Did the action require approval? If so, only its copy counts. */
static bool was_asked_about(struct replay *r, int64_t id)
{
	AUTO(event) struct event *e = evlog_event(r->log, id, NULL);

	return e && event_awaits_confirmation(e);
}

/* An action that the user approved is recorded twice; a rejected one never ran. */
static bool was_run(struct replay *r, int64_t id)
{
	bool run;

	if (!(evlog_head(r->log, id)->type->flags & EVENT_RUNNABLE))
		return true;
	return is_repetition(r, id, &run) ? run : !was_asked_about(r, id);
}

/* The first user message, then every action that counts. */
static int find_actions(struct replay *r, struct error *err)
{
	struct nest nest = { 0 };
	int status = MT_OK;

	for (int64_t id = 0; !status && id < evlog_count(r->log); id++) {
		const struct evlog_head *head = evlog_head(r->log, id);

		nest_move(&nest, id);
		if (!replay_is_taken(head) || nest_is_task(&nest, head) ||
		    !was_run(r, id))
			continue;
		if (r->task)
			status = add_action(r, id, nest_owner(&nest), err);
		else if (head->type->id == ACTION_MESSAGE && head->source == SOURCE_USER)
			status = replay_read_task(r, id, err);
		else
			return fail(err, MT_EINVAL,
				    "the recording does not start with a user message");
		if (head->type->id == ACTION_DELEGATE)
			nest_add(&nest, r->log, id);
	}
	if (!status && !r->task)
		return fail(err, MT_EINVAL, "the recording contains no user message");
	r->end = r->count;
	return status;
}

static struct replay *replay_make(struct error *err)
{
	struct replay *r = calloc(1, sizeof *r);

	if (!r)
		out_of_memory(err);
	return r;
}

int replay_open_log(const char *dir, struct replay **ret, struct error *err)
{
	AUTO(replay) struct replay *r = replay_make(err);
	int status =
		r ? evlog_open(dir, EVLOG_READ, NULL, &r->log, NULL, err) : MT_ENOMEM;

	if (!status)
		status = find_actions(r, err);
	if (!status)
		*ret = STEAL(r);
	return status;
}

/* Import the file into a temporary log. */
static int replay_import(struct replay *r, const char *dir, json_object *events,
			 struct error *err)
{
	static const struct evlog_options o = { .sync = SYNC_NONE };
	size_t count;
	int status = evlog_open(dir, EVLOG_CREATE, &o, &r->log, NULL, err);

	return status ? status : trajectory_import(r->log, events, &count, err);
}

int replay_open_file(const char *path, const char *dir, struct replay **ret,
		     struct error *err)
{
	AUTO(replay) struct replay *r = replay_make(err);
	struct trajectories t = { 0 };
	int status = r ? trajectory_load(path, &t, err) : MT_ENOMEM;

	if (!status && t.count > 1)
		status = fail(
			err, MT_EINVAL,
			"%s contains %zu conversations; import them and replay one by "
			"its id",
			path, t.count);
	if (!status)
		status = replay_import(r, dir, t.items[0].events, err);
	if (!status)
		status = find_actions(r, err);
	trajectory_clear(&t);
	if (!status)
		*ret = STEAL(r);
	return status;
}

struct replay *replay_free(struct replay *r)
{
	if (!r)
		return NULL;
	evlog_close(r->log);
	for (size_t i = 0; i < r->count; i++)
		free(r->actions[i].message);
	free(r->actions);
	free(r->task);
	free(r);
	return NULL;
}

const char *replay_task(const struct replay *r)
{
	return r->task;
}

int64_t replay_original_id(struct replay *r, int64_t id)
{
	AUTO(json) json_object *record = evlog_record_after(r->log, id, "original", NULL);

	return js_int(js_get(record, "event"), "id", id);
}

int replay_until(struct replay *r, int64_t id, struct error *err)
{
	int64_t count = evlog_count(r->log), newest;

	newest = count > 0 ? replay_original_id(r, count - 1) : -1;
	if (id < 0 || id > newest)
		return fail(err, MT_EINVAL,
			    "unknown event %" PRId64 "; the last one of the recording is "
			    "%" PRId64,
			    id, newest);
	for (r->end = 0; r->end < r->count; r->end++)
		if (replay_original_id(r, r->actions[r->end].recorded) > id)
			break;
	return MT_OK;
}

void replay_hand_over(struct replay *r, bool yes)
{
	r->hand_over = yes;
}

/* Its state in a conversation is the source of the actions; NULL: none. */
static struct replay *replay_of(const struct conversation *c)
{
	return *(struct replay **)feature_state(c, &replay_feature);
}

void conversation_replay(struct conversation *c, struct replay *r)
{
	struct replay **source = feature_state(c, &replay_feature);

	*source = r;
}

bool replay_is_active(const struct conversation *c)
{
	return replay_of(c) != NULL;
}

/* ---- taking ------------------------------------------------------------- */

/* The reply of an action is logged with it, without a cost. */
static int replay_take_reply(struct conversation *c, const struct event *e,
			     struct error *err)
{
	const char *id = js_str(event_tool_meta(e), "llm_response_id", "");
	AUTO(json) json_object *record = NULL;

	if (!*id || evlog_has_reply(conversation_log(c), id))
		return MT_OK;
	record = evlog_reply(replay_of(c)->log, id, NULL);
	if (!record)
		return MT_OK;
	json_object_object_del(record, "usage");
	json_object_object_del(record, "latency_ms");
	if (js_set_int(record, "before", evlog_count(conversation_log(c))))
		return out_of_memory(err);
	return evlog_record(conversation_log(c), record, err);
}

/* The recorded approval is not reused: the action is assessed again. The agent's
 * thought is in the action that was shown. */
static void forget_answer(struct replay *r, json_object *json)
{
	static const char *const old[] = { "confirms", "approved", "edited", "reject_reason",
					   "confirmation_state" };
	int64_t first = js_int(json, "confirms", -1);
	json_object *args = js_get(json, "args");
	AUTO(event) struct event *asked = first >= 0 && first < evlog_count(r->log)
						  ? evlog_event(r->log, first, NULL)
						  : NULL;

	for (size_t i = 0; i < ARRAY_LEN(old); i++)
		json_object_object_del(json, old[i]);
	json_object_object_del(args, "confirmation_state");
	if (asked && js_get(args, "thought"))
		js_set_str(args, "thought", event_arg(asked, "thought"));
	if (asked && js_get(asked->json, "reasoning_content"))
		js_set(json, "reasoning_content",
		       json_object_get(js_get(asked->json, "reasoning_content")));
}

/* A copy of a recorded action as a new one. */
static struct event *replay_copy_action(struct conversation *c,
					const struct replay_action *a, struct error *err)
{
	struct replay *r = replay_of(c);
	static const char *const old[] = { "id", "timestamp", "cause", "llm_metrics" };
	AUTO(event) struct event *e = evlog_event(r->log, a->recorded, err);
	AUTO(json) json_object *json = NULL;

	if (!e)
		return NULL;
	if (json_object_deep_copy(e->json, &json, NULL) != 0) {
		out_of_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_LEN(old); i++)
		json_object_object_del(json, old[i]);
	forget_answer(r, json);
	if (shell_directory_resolve(c, json)) {
		out_of_memory(err);
		return NULL;
	}
	if (evlog_head(r->log, a->recorded)->type->id == ACTION_MESSAGE &&
	    a + 1 < r->actions + r->count)
		js_set_bool(js_get(json, "args"), "wait_for_response", false);
	return event_from_json(json, err);
}

static bool replay_waits_for_user(const struct event *e)
{
	return e->source == SOURCE_AGENT && e->type->id == ACTION_MESSAGE &&
	       js_bool(event_args(e), "wait_for_response", false);
}

/* A sentence for people; owned, may be NULL. */
static char *name_action(const struct event *e)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4096);

	if (event_message(e, &text) == MT_OK && text.len)
		return strbuf_take(&text);
	strbuf_reset(&text);
	strbuf_addf(&text, "%s %s", e->type->name, event_arg(e, "path"));
	return strbuf_take(&text);
}

/* ---- delegates ----------------------------------------------------------- */

static const struct replay_action *taken_as(const struct replay *r, int64_t now)
{
	for (size_t i = r->next; i-- > 0;)
		if (r->actions[i].now == now)
			return &r->actions[i];
	return NULL;
}

static int64_t owner_now(const struct replay *r, int64_t owner)
{
	for (size_t i = r->next; owner >= 0 && i-- > 0;)
		if (r->actions[i].recorded == owner)
			return r->actions[i].now;
	return -1;
}

/* Does the active delegation work for the delegation `owner`? */
static bool leads_to(const struct conversation *c, int64_t owner)
{
	const struct replay *r = replay_of(c);

	while (owner >= 0 && owner_now(r, owner) != conversation_agent(c)->delegation) {
		const struct replay_action *a = taken_as(r, owner_now(r, owner));

		owner = a ? a->owner : -1;
	}
	return owner >= 0;
}

/* The recorded delegate ended without an action, by an error or a limit, so this one
 * ends in the same way. */
static void end_as_recorded(struct conversation *c)
{
	static const char error[] = " encountered an error during execution. ";
	const struct replay_action *a =
		taken_as(replay_of(c), conversation_agent(c)->delegation);
	AUTO(event) struct event *e = a ? replay_result(replay_of(c), a->recorded) : NULL;
	const char *text = e ? event_content(e, NULL) : "";
	const char *why = strstr(text, error);

	delegation_end(c, STATE_ERROR,
		       why ? why + strlen(error) : "the recording ends here");
}

/* Return to the agent that took the action in the recording. @return false: it is not
 * active here, and the action would only end its work. */
static bool find_owner(struct conversation *c, const struct replay_action *a)
{
	const struct evlog_head *head = evlog_head(replay_of(c)->log, a->recorded);

	while (conversation_agent(c)->above && conversation_state(c) == STATE_RUNNING &&
	       !leads_to(c, a->owner))
		end_as_recorded(c);
	return owner_now(replay_of(c), a->owner) ==
		       (conversation_agent(c)->above ? conversation_agent(c)->delegation
						     : -1) ||
	       !(head->type->id == ACTION_FINISH || head->type->id == ACTION_REJECT);
}

/* At the end of the recording, end the subagents that had ended in it. */
static void end_delegates(struct conversation *c)
{
	while (conversation_agent(c)->above && conversation_state(c) == STATE_RUNNING &&
	       turn_is_idle(c)) {
		const struct replay_action *a =
			taken_as(replay_of(c), conversation_agent(c)->delegation);
		AUTO(event) struct event *e =
			a ? replay_result(replay_of(c), a->recorded) : NULL;

		if (!e)
			return;
		end_as_recorded(c);
	}
}

static void replay_take(struct conversation *c, struct replay_action *a)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *e = replay_copy_action(c, a, &err);

	if (!e || replay_take_reply(c, e, &err)) {
		conversation_set_error(c, EXIT_FAILED,
				       "event %" PRId64 " of the recording: %s",
				       replay_original_id(replay_of(c), a->recorded),
				       err.text);
		return;
	}
	a->now = evlog_count(conversation_log(c));
	a->message = name_action(e);
	action_log(c, event_ref(e));
	if (e->id >= 0)
		a->now = e->id;
	if (replay_waits_for_user(e))
		conversation_set_state(c, STATE_AWAITING_USER_INPUT, "");
}

static bool replay_before_step(struct conversation *c)
{
	struct replay *r = replay_of(c);

	if (!r)
		return false;
	while (r->next < r->end && conversation_state(c) == STATE_RUNNING &&
	       turn_is_idle(c) && !conversation_is_closing(c)) {
		struct replay_action *a = &r->actions[r->next++];

		if (find_owner(c, a))
			replay_take(c, a);
	}
	if (r->next == r->count)
		end_delegates(c);
	if (r->next < r->end || conversation_state(c) != STATE_RUNNING ||
	    !turn_is_idle(c))
		return true;
	if (r->hand_over)
		conversation_replay(c, NULL);
	else
		conversation_set_state(c, STATE_AWAITING_USER_INPUT,
				       "the recording ended");
	return !r->hand_over;
}

const struct feature replay_feature = {
	.name = "replay",
	.state_size = sizeof(struct replay *),
	.before_step = replay_before_step,
};
