/* SPDX-License-Identifier: MIT
 *
 * machine.h - random commands to a conversation in this process, and invariants
 * to check after each. The including file defines `roll`. */
#ifndef TESTS_CONTROLLER_MACHINE_H
#define TESTS_CONTROLLER_MACHINE_H

#include "conversation/fork.h"
#include "controller/kit.h"
#include "conversation/rewind.h"
#include "controller/turn.h"
#include "events/confirmation.h"

enum { TURNS = 60 };

static uv_loop_t loop;
static unsigned waited;

/** A number below n. */
static unsigned roll(unsigned n);

static void write_script(void)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);

	for (int i = 0; i < TURNS; i++) {
		strbuf_add(&text, "[turn]\n");
		switch (roll(8)) {
		case 0:
			strbuf_add(&text, "text = only words\n\n");
			break;
		case 1:
			strbuf_add(&text, "[call no_such_tool]\nx = 1\n\n");
			break;
		case 2:
			strbuf_add(&text,
				   "[call think]\nthought = hm\n[call execute_bash]\n"
				   "command = true\n\n");
			break;
		case 3:
			strbuf_add(&text,
				   "[call execute_bash]\ncommand = echo a\n"
				   "[call execute_bash]\ncommand = echo b; true\n\n");
			break;
		case 4:
			strbuf_addf(&text, "[call str_replace_editor]\ncommand = view\n"
					   "path = /tmp\n\n");
			break;
		case 5:
			strbuf_addf(&text,
				    "[call delegate]\nagent = other\ntask = part %d\n\n",
				    i);
			break;
		case 6:
			strbuf_add(&text, "[call request_condensation]\n\n");
			break;
		default:
			strbuf_addf(&text, "[call execute_bash]\ncommand = true %d\n\n",
				    i);
		}
	}
	strbuf_add(&text, "[turn]\n[call finish]\nmessage = done\n");
	kit_script(text.text);
}

/* The newest action that waits for the user and has no observation; else -1. */
static int64_t unanswered(struct conversation *c)
{
	for (int64_t id = evlog_count(c->log) - 1; id >= 0; id--) {
		const struct evlog_head *head = evlog_head(c->log, id);
		AUTO(event) struct event *e = NULL;

		if (head->undone || !(head->type->flags & EVENT_RUNNABLE))
			continue;
		e = evlog_event(c->log, id, NULL);
		if (!e || !event_awaits_confirmation(e))
			return -1;
		for (int64_t n = id + 1; n < evlog_count(c->log); n++)
			if (evlog_head(c->log, n)->cause == id)
				return -1;
		return id;
	}
	return -1;
}

/* "" or the error. */
static const char *wrong(struct conversation *c)
{
	if ((int)c->state < 0 || c->state >= STATE_COUNT)
		return "a state that is none";
	if (turn_awaits_approval(c) && turn_is_idle(c))
		return "it waits for nothing";
	if (c->state == STATE_AWAITING_USER_CONFIRMATION && !turn_awaits_approval(c))
		return "a confirmation is awaited of nothing";
	if (turn_awaits_approval(c) && c->state != STATE_AWAITING_USER_CONFIRMATION &&
	    c->state != STATE_PAUSED)
		return "an action waits and the agent is at work";
	if (unanswered(c) >= 0 &&
	    (!turn_awaits_approval(c) || turn_pending(c) != unanswered(c)))
		return "an action that waits was lost";
	return "";
}

static void turn(int most)
{
	while (most-- > 0 && uv_run(&loop, UV_RUN_NOWAIT))
		;
}

static const char *const settings[] = { "controller.analyzers=",
					"controller.confirmation=risky",
					"controller.max_iterations=30",
					"controller.stuck_detection=no",
					"controller.tools=bash,editor,think,finish,delegate,"
					"request_condensation",
					"controller.delegates=other",
					"controller.other.base=default",
					"controller.other.tools=bash,think,finish",
					"controller.other.delegates=",
					"controller.other.max_iterations=4",
					"controller.condensers=amortized",
					"condenser.amortized.max_size=12",
					"condenser.amortized.keep_first=1", NULL };

/* Another process resumes it: a waiting action still waits, an idle state is the same. */
static struct conversation *again(struct conversation *c, const char **ret_wrong)
{
	enum agent_state state = c->state;
	bool waits = turn_awaits_approval(c), rests = state_is_resting(state);
	int64_t pending = turn_pending(c);
	char *id = strdup(c->id);

	if (!id)
		abort();
	kit_close(&loop, c);
	c = kit_resume(&loop, id, settings, false);
	free(id);
	if (waits &&
	    (!turn_awaits_approval(c) || turn_pending(c) != pending || c->state != state))
		*ret_wrong = "what waited waits no longer after a restart";
	if (rests && c->state != state)
		*ret_wrong = "it rests elsewhere after a restart";
	return c;
}

/* As a client does: to the action that waits, by its hash. */
static void give_answer(struct conversation *c, enum answer yes, const char *reason)
{
	AUTO(json) json_object *waits = conversation_waits(c);
	const struct approval a = { .answer = yes, .reason = reason, .scope = -1,
				    .hash = js_str(waits, "hash", NULL) };
	struct error err = ERROR_NONE;

	conversation_confirm(c, &a, &err);
}

/* As `!` of a terminal does. */
static void run_own(struct conversation *c)
{
	static const char run_true[] =
		"{\"action\":\"run\",\"args\":{\"command\":\"true\"}}";
	struct error err = ERROR_NONE;
	AUTO(json) json_object *action =
		js_parse_object(run_true, sizeof run_true - 1, NULL);

	if (action)
		conversation_action(c, action, &err);
}

static void say_image(struct conversation *c)
{
	static const char urls[] =
		"[\"data:image/gif;base64,R0lGODdhAQABAIAAAAAAAAAAACwAAAAA"
		"AQABAAACAkQBADs=\"]";
	struct error err = ERROR_NONE;
	AUTO(json) json_object *images = js_parse(urls, sizeof urls - 1, NULL);

	conversation_say(c, "look", 4, images, false, &err);
}

/* Replaces the conversation by a fork of it at a random event. */
static struct conversation *forked(struct conversation *c, const char **ret_wrong)
{
	struct fork_options o = { .id = c->id,
				  .at = (int64_t)roll((unsigned)evlog_count(c->log) + 1) - 1 };
	struct error err = ERROR_NONE;
	char *id = NULL;
	int64_t at;

	if (conversation_fork(c->config, &o, &id, &at, &err))
		return c; /* the event was reverted */
	kit_close(&loop, c);
	c = kit_resume(&loop, id, settings, false);
	free(id);
	if (!state_is_resting(c->state))
		*ret_wrong = "a fork does not rest";
	return c;
}

static void go_back(struct conversation *c)
{
	struct error err = ERROR_NONE;

	if (roll(3))
		conversation_take_back(c, 1 + roll(2), roll(2), NULL, &err);
	else
		conversation_rewind(c, roll((unsigned)evlog_count(c->log)), roll(2), NULL,
				    &err);
}

static struct conversation *one_op(struct conversation *c, const char **ret_wrong)
{
	struct error err = ERROR_NONE;

	switch (roll(18)) {
	case 0:
	case 1:
		conversation_message(c, "again", 5, &err);
		break;
	case 2:
		conversation_continue(c, &err);
		break;
	case 3:
		conversation_pause(c, "paused", &err);
		break;
	case 4:
		conversation_stop(c, "stopped");
		if (c->state != STATE_STOPPED)
			*ret_wrong = "stop was not accepted";
		break;
	case 5:
	case 6:
		give_answer(c, ANSWER_YES, "");
		break;
	case 7:
		give_answer(c, ANSWER_NO, roll(2) ? "not so" : "");
		break;
	case 8:
		if (roll(4) == 0)
			give_answer(c, ANSWER_ALWAYS, "");
		break;
	case 9:
	case 10:
		run_own(c);
		break;
	case 11:
		return again(c, ret_wrong);
	case 12:
	case 13:
		go_back(c);
		break;
	case 14:
		if (roll(3) == 0)
			return forked(c, ret_wrong);
		break;
	case 15:
		say_image(c);
		break;
	case 16:
		conversation_condense(c, &err);
		break;
	default:
		turn((int)roll(40));
	}
	turn((int)roll(8));
	waited += turn_awaits_approval(c);
	return c;
}

/* Every action that something runs has an observation, or an answer that has. */
static bool all_answered(struct conversation *c)
{
	for (int64_t id = 0; id < evlog_count(c->log); id++) {
		bool found = evlog_head(c->log, id)->undone ||
			     !(evlog_head(c->log, id)->type->flags & EVENT_RUNNABLE) ||
			     !evlog_head(c->log, id)->type->is_action;

		for (int64_t n = id + 1; !found && n < evlog_count(c->log); n++) {
			AUTO(event) struct event *e = evlog_event(c->log, n, NULL);

			found = e && ((!e->is_action && e->cause == id) ||
				      js_int(e->json, "confirms", -1) == id);
		}
		if (!found) {
			printf("# event %lld has no observation\n", (long long)id);
			return false;
		}
	}
	return true;
}

#endif
