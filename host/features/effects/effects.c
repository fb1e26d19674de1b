/* SPDX-License-Identifier: MIT
 *
 * effects.c - implements effects.h.
 *
 * The preview is a second runner, whose workspace is an overlay. The runner of the
 * conversation, with its shell and background jobs, lives on. When the command has ended,
 * the second runner is closed, so that nothing can change what the user is shown. */
#include "features/effects/effects.h"

#include "config/choices.h"
#include "controller/call.h"
#include "controller/closing.h"
#include "controller/dispatch.h"
#include "controller/feature-api.h"
#include "controller/observations.h"
#include "controller/overlay.h"
#include "controller/sandbox.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "conversation/shell-directory.h"
#include "features/approval/approval.h"
#include "features/effects/effects-shell.h"
#include "features/effects/effects-text.h"
#include "features/observation-note.h"
#include "features/questions.h"
#include "features/replay-internal.h"
#include "files.h"
#include "log.h"
#include "overlay/changes.h"
#include "sandbox/profile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	STATE_MS = 10000,
	QUESTION_MAX = 32 << 10,
	SHELL_MAX = 6000,
	STATE_MAX = 16 << 20
};

/* Numbers of the calls that read and change the state of the shell. */
static const uint64_t first_number = 600000000000000, last_number = 699999999999999;

enum effects_phase {
	EFFECTS_IDLE,
	EFFECTS_WAITS,   /* for the end of the runner of an earlier preview */
	EFFECTS_STATE,   /* requests the state of the shell */
	EFFECTS_RUNS,
	EFFECTS_CLOSES,  /* the command has ended, its runner has not */
	EFFECTS_ASKS,
	EFFECTS_SHELL,   /* changes the state of the shell */
	EFFECTS_ENDS,    /* the call gets its result */
};

/* Of a conversation. */
struct effects {
	enum effects_phase phase;
	struct runner *runner;        /* of the preview; NULL: none */
	struct overlay overlay;
	struct overlay_changes changes;
	struct runner_result result;  /* a copy */
	struct strbuf shell;          /* commands that make the changes of the shell */
	bool only_directory;          /* that is all they change */
	const char *shell_note;       /* why the shell is not changed; NULL */
	bool again;                   /* the state of the shell was requested twice */
	uint64_t states;              /* number of calls about the state of the shell */
	bool told;                    /* the user knows that no preview is possible */
	bool shows_diff;              /* in the next question */
	const char *note;             /* for the model, when the call gets its result */
};

static struct effects *effects_of(const struct conversation *c)
{
	return feature_state(c, &effects_feature);
}

static char *effects_path(const struct conversation *c, const char *name)
{
	AUTO(free) char *dir = path_join(evlog_dir(conversation_log(c)), "effects");

	return dir ? path_join(dir, name) : NULL;
}

/* The file in which the shell of the preview looks for a state, and stores its own
 * (plugins/tools/bash/carry.h). */
static char *effects_carry(const struct conversation *c, const char *instance)
{
	AUTO(free) char *tools = effects_path(c, "tools");
	AUTO(free) char *dir = tools ? path_join(tools, instance) : NULL;

	return dir ? path_join(dir, "carry") : NULL;
}

/* Unmount and remove what the preview left. Its runner is closed. */
static void effects_clear(struct conversation *c)
{
	struct effects *s = effects_of(c);
	AUTO(free) char *dir = effects_path(c, "");

	overlay_changes_clear(&s->changes);
	runner_result_clear(&s->result);
	overlay_clear(&s->overlay);
	strbuf_clear(&s->shell);
	s->shell = STRBUF(SHELL_MAX);
	s->shell_note = NULL;
	s->shows_diff = s->only_directory = s->again = false;
	s->phase = EFFECTS_IDLE;
	if (dir)
		dir_remove(dir, NULL);
}

/* ---- when ------------------------------------------------------------------------ */

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

/* Nothing is writable but the overlay, and no host or socket is within reach, unless the
 * administrator enforces that. */
static struct config *effects_config(const struct conversation *c, struct error *err)
{
	static const char *const overrides[] = {
		"sandbox.network=allow-list", "sandbox.hosts=",		"sandbox.grants=",
		"sandbox.write=",	      "workspace.directories=",
	};
	static const struct {
		const char *section, *key;
	} empty[] = {
		{ "sandbox", "hosts" },
		{ "sandbox", "grants" },
		{ "sandbox", "write" },
		{ "workspace", "directories" },
	};
	AUTO(config) struct config *made = NULL;
	struct sandbox_rules settings;
	const char *value;

	if (config_with(conversation_sandbox_config(c), overrides, ARRAY_LEN(overrides),
			&made, err))
		return NULL;
	sandbox_profile_settings(made, &settings);
	if (settings.network == SANDBOX_NETWORK_FULL) {
		fail(err, MT_EUNSUPPORTED,
		     "the administrator enforces `network = full` of [sandbox]");
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_LEN(empty); i++) {
		value = config_get(made, empty[i].section, empty[i].key);
		if (!value || !*value)
			continue;
		fail(err, MT_EUNSUPPORTED, "the administrator enforces `%s` of [%s]",
		     empty[i].key, empty[i].section);
		return NULL;
	}
	return STEAL(made);
}

/* The caches of the workspace, which programs change: covered, and never applied. */
static int effects_mount(struct conversation *c, struct error *err)
{
	AUTO(sandbox_rules) struct sandbox_rules rules = { 0 };
	AUTO(config) struct config *config = effects_config(c, err);
	AUTO(free) char *dir = effects_path(c, "overlay");

	effects_clear(c);
	if (!config)
		return err->code;
	if (!dir)
		return out_of_memory(err);
	if (conversation_sandbox_rules(c, &rules, err))
		return err->code;
	return conversation_mount_overlay(c, dir, rules.cache, &effects_of(c)->overlay,
					  err);
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

/* ---- the end ---------------------------------------------------------------------- */

static void effects_fail(struct conversation *c, const char *why)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);

	strbuf_addf(&text, "The command was not executed: its preview failed: %s", why);
	effects_clear(c);
	observation_log_failure(c, turn_call(c)->action, "", text.text);
}

/* The shell keeps its directory. */
static void effects_restore_directory(struct conversation *c,
				      struct runner_result *result)
{
	AUTO(json) json_object *fields = NULL;
	json_object *metadata;

	if (!result->fields || json_object_deep_copy(result->fields, &fields, NULL))
		return;
	metadata = js_get(fields, "metadata");
	if (!metadata || js_set_str(metadata, "working_dir",
				    shell_directory_of(c) ?: conversation_workspace(c)))
		return;
	json_object_put(result->fields);
	result->fields = STEAL(fields);
}

/* The result of the preview is that of the call. */
static void effects_end(struct conversation *c)
{
	struct effects *s = effects_of(c);

	if (s->shell_note)
		effects_restore_directory(c, &s->result);
	s->phase = EFFECTS_ENDS;
	dispatch_end_call(c, &s->result);
	effects_clear(c);
}

/* A call of the tool that the model does not know of. */
static int effects_call_shell(struct conversation *c, const char *command,
			      enum effects_phase phase, struct error *err)
{
	struct effects *s = effects_of(c);
	const struct call *call = turn_call(c);
	AUTO(json) json_object *args = js_new_object();
	const char *text;
	size_t len;

	js_set_str(args, "command", command);
	if (js_incomplete(args) || !(text = js_text(args, &len)))
		return out_of_memory(err);
	if (dispatch_start_runner(c, err))
		return err->code;
	s->phase = phase;
	return runner_call(conversation_runner(c), first_number + ++s->states,
			   call_instance(c, call), call->tool->real, text, len, STATE_MS,
			   err);
}

/* Make the changes of the shell, then end the call. */
static void effects_accept(struct conversation *c, const char *note)
{
	struct effects *s = effects_of(c);
	struct error err = ERROR_NONE;

	s->note = note;
	if (s->shell.len && !effects_call_shell(c, s->shell.text, EFFECTS_SHELL, &err))
		return;
	if (s->shell.len)
		s->shell_note = "the shell does not respond";
	effects_end(c);
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

static const char interrupted[] =
	"The command ran in a preview, which was interrupted: nothing was changed.";

static void effects_discard(struct conversation *c, const char *why)
{
	effects_clear(c);
	observation_log_denial(c, turn_call(c)->action, why);
}

/* Changes of caches are not shown, and not applied. */
static void effects_drop_cache(struct conversation *c)
{
	AUTO(sandbox_rules) struct sandbox_rules rules = { 0 };
	struct effects *s = effects_of(c);
	struct overlay_changes *all = &s->changes;
	const size_t last = s->overlay.count - 1;

	if (conversation_sandbox_rules(c, &rules, NULL) || !rules.cache || !last ||
	    strcmp(rules.cache, s->overlay.roots[last].path) != 0)
		return;
	while (all->count && all->list[all->count - 1].root == last)
		free(all->list[--all->count].path);
}

/* List what the overlay would change now. The overlay itself does not change any more. */
static int effects_list(struct conversation *c, struct error *err)
{
	struct effects *s = effects_of(c);

	overlay_changes_clear(&s->changes);
	if (overlay_list(&s->overlay, &s->changes, err))
		return err->code;
	effects_drop_cache(c);
	return MT_OK;
}

static void effects_apply(struct conversation *c)
{
	struct effects *s = effects_of(c);
	const struct overlay_change *conflict = NULL;
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);
	int r = effects_list(c, &err);

	if (!r)
		conflict = overlay_conflict(&s->overlay, &s->changes);
	if (conflict)
		r = fail(&err, MT_EDENIED, "%s was changed in the workspace meanwhile",
			 conflict->path);
	if (!r)
		r = dispatch_log(c, turn_pending(c), &err);
	if (!r)
		r = overlay_apply(&s->overlay, &s->changes, &err);
	if (!r) {
		effects_accept(c, ", and the user applied its effects");
		return;
	}
	conversation_notice(c, MT_LOG_WARNING,
			    "the effects of the command were not %s: %s",
			    conflict ? "applied" : "all applied", err.text);
	strbuf_addf(
		&text,
		"The command ran in a preview, and the user approved its effects, but %s "
		"were applied: %s",
		conflict ? "none" : "not all of them", err.text);
	effects_clear(c);
	observation_log_failure(c, turn_call(c)->action, "", text.text);
}

/* ---- asking ----------------------------------------------------------------------- */

static const char choice_apply[] = "apply: make exactly these changes";
static const char choice_diff[] = "show the differences";
static const char choice_real[] = "run it for real, with its network";
static const char choice_discard[] = "discard";

static int effects_ask(struct conversation *c);

static void effects_answered(struct conversation *c, const char *text)
{
	struct effects *s = effects_of(c);

	if (s->phase != EFFECTS_ASKS)
		return;
	if (text && strcmp(text, choice_diff) == 0) {
		s->shows_diff = true;
		if (!effects_ask(c))
			return;
		effects_fail(c, status_name(MT_ENOMEM));
	} else if (text && strcmp(text, choice_apply) == 0) {
		effects_apply(c);
	} else if (text && strcmp(text, choice_real) == 0) {
		effects_clear(c);
		dispatch_send_checked(c);
	} else {
		effects_discard(
			c, "The command ran in a preview, and the user discarded its "
			   "effects: nothing was changed.");
	}
	step_run_ready(c);
}

/* Can the result be that of the call? */
static bool effects_is_complete(const struct runner_result *result)
{
	return !result->status && !result->crashed &&
	       !runner_result_is_incomplete(result);
}

static int effects_ask(struct conversation *c)
{
	struct effects *s = effects_of(c);
	bool apply = effects_is_complete(&s->result);
	AUTO(strbuf) struct strbuf text = STRBUF(QUESTION_MAX);
	AUTO(json) json_object *list = js_new_list();
	AUTO(free) char *names = effects_path(c, "changes");
	struct error err = ERROR_NONE;

	if (!names)
		return MT_ENOMEM;
	if (effects_write_names(names, &s->overlay, &s->changes, &err)) {
		apply = false; /* the user could not see what it would change */
		strbuf_addf(&text, "The changes cannot be applied: %s\n\n", err.text);
	}
	if (s->shows_diff && effects_put_diff(&text, &s->overlay, &s->changes, &err))
		strbuf_addf(&text, "%s\n", err.text);
	if (!s->shows_diff)
		effects_put(&text, event_arg(turn_call(c)->action, "command"), &s->result,
			    &s->overlay, &s->changes, names, &s->shell, apply);
	if (apply)
		js_add_new(list, json_object_new_string(choice_apply));
	if (apply && !s->shows_diff && effects_count(&s->changes))
		js_add_new(list, json_object_new_string(choice_diff));
	js_add_new(list, json_object_new_string(choice_real));
	js_add_new(list, json_object_new_string(choice_discard));
	if (text.error || js_incomplete(list))
		return MT_ENOMEM;
	s->phase = EFFECTS_ASKS;
	return questions_ask(c, turn_pending(c), text.text, list, effects_answered);
}

static void effects_compare_shells(struct conversation *c)
{
	struct effects *s = effects_of(c);
	const char *instance = call_instance(c, turn_call(c));
	AUTO(free) char *before = effects_path(c, "state");
	AUTO(free) char *after = effects_carry(c, instance);
	struct error err = ERROR_NONE;
	int r = before && after ? effects_shell_diff(before, after, &s->shell,
						     &s->only_directory, &err)
				: out_of_memory(&err);

	if (!r)
		return;
	strbuf_clear(&s->shell);
	s->shell_note = r == MT_ELIMIT ? "its changes are too many to approve"
				       : "the shell of the command did not store them";
}

/* Is there nothing that the user could approve? */
static bool effects_is_none(const struct conversation *c)
{
	const struct effects *s = effects_of(c);

	return effects_is_complete(&s->result) && !effects_count(&s->changes) &&
	       !s->result.refused && !effects_has_jobs(&s->result) &&
	       (!s->shell.len || s->only_directory) &&
	       approval_policy(c)->when != CONFIRM_ALWAYS;
}

/* The runner of the preview is closed. */
static void effects_judge(struct conversation *c)
{
	struct error err = ERROR_NONE;

	if (turn_call(c)->interrupted) {
		effects_discard(c, interrupted);
	} else if (effects_list(c, &err)) {
		effects_fail(c, err.text);
	} else {
		effects_compare_shells(c);
		if (effects_is_none(c))
			effects_accept(c, ", and changed no files");
		else if (effects_ask(c))
			effects_fail(c, status_name(MT_ENOMEM));
	}
	step_run_ready(c);
}

/* ---- running ---------------------------------------------------------------------- */

static void effects_start(struct conversation *c);

static void effects_on_output(void *arg, uint64_t call, const char *bytes, size_t len)
{
	struct conversation *c = arg;

	if (effects_of(c)->phase == EFFECTS_RUNS)
		dispatch_show_output(c, (int64_t)call, bytes, len, false);
}

/* The shell of the preview stores its state when it is closed. */
static void effects_offer_carry(struct conversation *c)
{
	AUTO(free) char *path = effects_carry(c, call_instance(c, turn_call(c)));

	if (path)
		file_write(path, "", 0, 0600, false, NULL);
}

static void effects_on_result(void *arg, const struct runner_result *result)
{
	struct conversation *c = arg;
	struct effects *s = effects_of(c);

	if (s->phase != EFFECTS_RUNS)
		return;
	if (result->limit_text)
		conversation_notice(c, MT_LOG_WARNING, "%s", result->limit_text);
	runner_result_copy(&s->result, result);
	effects_offer_carry(c);
	s->phase = EFFECTS_CLOSES;
	runner_close(s->runner);
}

/* Tools in a preview have no user and no model. */
static void effects_on_request(void *arg, uint64_t call, uint64_t request,
			       const char *method, json_object *params)
{
	struct effects *s = effects_of(arg);

	(void)call, (void)method, (void)params;
	runner_refuse(s->runner, request, MT_EUNSUPPORTED, "not available in a preview");
}

static void effects_on_log(void *arg, int level, const char *instance, const char *text)
{
	(void)arg;
	log_line(level, instance ? instance : "runner", "%s", text);
}

static void effects_on_closed(void *arg, const struct error *why)
{
	struct conversation *c = arg;
	struct effects *s = effects_of(c);

	(void)why;
	s->runner = NULL;
	if (s->phase == EFFECTS_CLOSES) {
		effects_judge(c);
	} else if (s->phase == EFFECTS_WAITS) {
		effects_start(c);
		step_run_ready(c);
	} else {
		effects_clear(c);
	}
	if (conversation_is_closing(c))
		conversation_close_finish(c);
}

static const struct runner_events effects_events = {
	.output = effects_on_output,
	.result = effects_on_result,
	.request = effects_on_request,
	.log = effects_on_log,
	.closed = effects_on_closed,
};

static int effects_launch(struct conversation *c, struct error *err)
{
	struct effects *s = effects_of(c);
	struct call *call = turn_call(c);
	AUTO(config) struct config *config = effects_config(c, err);
	AUTO(free) char *tools = effects_path(c, "tools");
	const struct dispatch_place place = { .config = config, .overlay = &s->overlay,
					      .state_dir = tools, .isolated = true };
	const char *args;
	size_t len;

	if (!config)
		return err->code;
	if (!tools || !(args = js_text(call->args, &len)))
		return out_of_memory(err);
	if (dispatch_open_runner(c, &place, &effects_events, c, &s->runner, err))
		return err->code;
	s->phase = EFFECTS_RUNS;
	return runner_call(s->runner, (uint64_t)call->id, call_instance(c, call),
			   call->tool->real, args, len, call->deadline_ms, err);
}

static void effects_launch_or_fail(struct conversation *c)
{
	struct error err = ERROR_NONE;

	if (!effects_launch(c, &err))
		return;
	if (effects_of(c)->runner) {
		effects_of(c)->phase = EFFECTS_IDLE;
		runner_close(effects_of(c)->runner);
	}
	effects_fail(c, err.text);
}

/* The file in which the shell of the conversation stores its state. */
static char *effects_own_carry(const struct conversation *c)
{
	AUTO(free) char *dir = dispatch_instance_dir(c, call_instance(c, turn_call(c)));

	return dir && !dir_make(dir, NULL) ? path_join(dir, "carry") : NULL;
}

static bool effects_has_state(const struct conversation *c)
{
	AUTO(free) char *path = effects_own_carry(c);

	return path && access(path, F_OK) == 0;
}

/* Let the shell of the conversation store its state. */
static int effects_request_state(struct conversation *c, struct error *err)
{
	AUTO(free) char *path = effects_own_carry(c);

	if (!path)
		return out_of_memory(err);
	if (file_write(path, "", 0, 0600, false, err))
		return err->code;
	return effects_call_shell(c, ":", EFFECTS_STATE, err);
}

static void effects_start(struct conversation *c)
{
	struct error err = ERROR_NONE;

	turn_call(c)->sent_at = uv_hrtime();
	if (effects_mount(c, &err) || effects_request_state(c, &err))
		effects_fail(c, err.text);
}

/* Give the stored state to the shell of the preview, and keep it for a comparison. */
static int effects_move_state(struct conversation *c, struct error *err)
{
	AUTO(free) char *from = effects_own_carry(c);
	AUTO(free) char *to = effects_carry(c, call_instance(c, turn_call(c)));
	AUTO(free) char *kept = effects_path(c, "state"), *text = NULL;
	size_t len;

	if (!from || !to || !kept)
		return out_of_memory(err);
	if (file_read(from, STATE_MAX, &text, &len, err))
		return err->code;
	unlink(from);
	*strrchr(to, '/') = '\0';
	if (dir_make(to, err))
		return err->code;
	to[strlen(to)] = '/';
	if (file_write(to, text, len, 0600, false, err))
		return err->code;
	return file_write(kept, text, len, 0600, false, err);
}

/* The state contains secrets: it is removed if no shell takes it over. */
static void effects_forget_state(struct conversation *c)
{
	AUTO(free) char *path = effects_own_carry(c);

	if (path)
		unlink(path);
}

/* The shell of the conversation has stored its state. One that cannot, because a program
 * runs in it, gets no preview. */
static void effects_go_on(struct conversation *c, const struct runner_result *result)
{
	struct effects *s = effects_of(c);
	struct error err = ERROR_NONE;
	bool again = !s->again && !result->status && !effects_has_state(c);
	int r = result->status;

	s->again = true;
	if (turn_call(c)->interrupted) {
		effects_forget_state(c);
		effects_discard(c, interrupted);
		return;
	}
	if (r)
		fail(&err, r, "%s", result->error ? result->error : status_name(r));
	else if (again) /* the tool was loaded by the call, and has removed the file */
		r = effects_request_state(c, &err);
	else
		r = effects_move_state(c, &err);
	if (r) {
		effects_forget_state(c);
		effects_fail(c, err.text);
	} else if (!again) {
		effects_launch_or_fail(c);
	}
}

static bool effects_take_result(struct conversation *c,
				const struct runner_result *result)
{
	struct effects *s = effects_of(c);

	if (result->call < first_number || result->call > last_number)
		return false;
	if (result->call != first_number + s->states)
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
		runner_cancel(conversation_runner(c), first_number + s->states);
	if (s->phase != EFFECTS_ASKS && s->phase != EFFECTS_WAITS)
		return;
	questions_withdraw(c, effects_answered);
	effects_discard(c, interrupted);
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
	questions_withdraw(c, effects_answered);
	s->phase = EFFECTS_IDLE;
	if (s->runner)
		runner_close(s->runner);
	else
		effects_clear(c);
	if (phase != EFFECTS_IDLE && !conversation_is_closing(c))
		observation_log_denial(c, turn_call(c)->action, interrupted);
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
