/* SPDX-License-Identifier: MIT
 *
 * effects.c - implements effects.h: when a command runs in a preview, and the points of
 * the feature.
 *
 * The preview is a second runner, whose workspace is an overlay. The runner of the
 * conversation, with its shell and background jobs, lives on. When the command has ended,
 * the second runner is closed, so that nothing can change what the user is shown. */
#include "features/effects/effects.h"

#include "config/choices.h"
#include "controller/call.h"
#include "controller/feature-api.h"
#include "controller/observations.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "features/approval/approval.h"
#include "features/effects/effects-internal.h"
#include "features/observation-note.h"
#include "features/replay-internal.h"

#include <string.h>

/* An agent that another one waits for does not bypass its setting. */
static bool effects_are_wanted(const struct conversation *c)
{
	for (const struct agent_frame *a = conversation_agent(c); a; a = a->above)
		if (config_choice(conversation_config(c), a->section, "approve") ==
		    APPROVE_EFFECTS)
			return true;
	return false;
}

bool effects_concern(const struct conversation *c, const struct call *call)
{
	const struct event *action = call->action;

	return effects_are_wanted(c) && !*conversation_parent(c) &&
	       !replay_is_active(c) && call->tool && !call->why.code &&
	       action->type->id == ACTION_RUN && action->source == SOURCE_AGENT &&
	       !event_caller(action) && !js_bool(event_args(action), "is_input", false) &&
	       strcmp(call->tool->real, "execute_bash") == 0;
}

bool effects_can_preview(struct conversation *c)
{
	struct effects *s = effects_of(c);
	struct error err = ERROR_NONE;
	int r;

	if (!conversation_is_interactive(c) || conversation_is_headless(c))
		return false;
	if (s->runner) /* it can */
		return true;
	r = effects_mount(c, &err);
	effects_clear(c);
	if (r && !s->told)
		conversation_notice(c, MT_LOG_WARNING,
				    "commands cannot run in a preview here (`approve = "
				    "effects`), so you are asked about each command: %s",
				    err.text);
	s->told = s->told || r;
	return !r;
}

/* Has no one approved the command yet? */
static bool effects_hold(struct conversation *c, const struct call *call)
{
	bool yes;

	return effects_concern(c, call) && call->verdict.risk == RISK_UNKNOWN &&
	       approval_needed(approval_policy(c), RISK_UNKNOWN) &&
	       !event_is_answer(call->action, &yes) && !approval_is_granted(c, call);
}

static void effects_after_result(struct conversation *c, const struct event *action,
				 const struct runner_result *result,
				 struct event *observation)
{
	struct effects *s = effects_of(c);
	AUTO(strbuf) struct strbuf text = STRBUF(4096);

	(void)action, (void)result;
	if (s->phase != EFFECTS_ENDS)
		return;
	strbuf_addf(&text, "[The command ran in a preview without network%s. ", s->note);
	if (s->shell_note)
		strbuf_addf(&text,
			    "The shell has its directory and variables from before the "
			    "command: %s. ",
			    s->shell_note);
	strbuf_add(&text, "Background processes of the command have ended.]");
	observation_note_add(observation, text.text);
}

bool effects_end_call(const struct conversation *c, const struct call *call)
{
	return effects_of(c)->phase == EFFECTS_ENDS && turn_call(c) == call;
}

static bool effects_take_result(struct conversation *c,
				const struct runner_result *result)
{
	struct effects *s = effects_of(c);

	if (!effects_is_shell_number(result->call))
		return false;
	if (result->call != effects_shell_number(s))
		return true;
	if (s->phase == EFFECTS_STATE) {
		effects_go_on(c, result);
		step_run_ready(c);
	} else if (s->phase == EFFECTS_SHELL) {
		if (result->status)
			s->shell_note = "the shell does not respond";
		effects_end(c);
		step_run_ready(c);
	}
	return true;
}

static bool effects_before_send(struct conversation *c, struct call *call)
{
	struct effects *s = effects_of(c);

	if (!effects_hold(c, call))
		return false;
	if (s->runner)
		s->phase = EFFECTS_WAITS;
	else
		effects_start(c);
	return true;
}

/* ---- the points ------------------------------------------------------------------- */

static bool effects_is_busy(const struct conversation *c)
{
	return effects_of(c)->phase != EFFECTS_IDLE;
}

/* The user interrupts the command, or its question. */
static void effects_interrupt(struct conversation *c)
{
	struct effects *s = effects_of(c);

	if (s->phase == EFFECTS_RUNS)
		runner_cancel(s->runner, (uint64_t)turn_pending(c));
	else if (s->phase == EFFECTS_STATE)
		runner_cancel(conversation_runner(c), effects_shell_number(s));
	if (s->phase != EFFECTS_ASKS && s->phase != EFFECTS_WAITS)
		return;
	effects_withdraw(c);
	effects_discard(c, effects_interrupted);
	step_run_ready(c);
}

/* A call that did not end because the conversation is closed is made again when it is
 * resumed. */
static void effects_cancel(struct conversation *c)
{
	struct effects *s = effects_of(c);
	const enum effects_phase phase = s->phase;

	if (phase == EFFECTS_SHELL) {
		s->shell_note = "the change was cancelled";
		effects_end(c);
		return;
	}
	if (phase == EFFECTS_STATE)
		effects_forget_state(c);
	effects_withdraw(c);
	s->phase = EFFECTS_IDLE;
	if (s->runner)
		runner_close(s->runner);
	else
		effects_clear(c);
	if (phase != EFFECTS_IDLE && !conversation_is_closing(c))
		observation_log_denial(c, turn_call(c)->action, effects_interrupted);
}

static bool effects_keep_open(const struct conversation *c)
{
	return effects_of(c)->runner != NULL;
}

static int effects_open(struct conversation *c, struct error *err)
{
	(void)err;
	effects_of(c)->overlay = OVERLAY_NONE;
	return MT_OK;
}

/* What a process left that was killed. */
static int effects_resume(struct conversation *c, struct error *err)
{
	(void)err;
	effects_clear(c);
	return MT_OK;
}

const struct feature effects_feature = {
	.name = "effects",
	.state_size = sizeof(struct effects),
	.open = effects_open,
	.resume = effects_resume,
	.before_send = effects_before_send,
	.after_result = effects_after_result,
	.take_result = effects_take_result,
	.is_busy = effects_is_busy,
	.keeps_open = effects_keep_open,
	.interrupt = effects_interrupt,
	.cancel = effects_cancel,
};
