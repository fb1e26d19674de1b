/* SPDX-License-Identifier: MIT
 *
 * effects-ask.c - asks the user about the effects of a command, and applies them. */
#include "features/effects/effects-internal.h"

#include "controller/call.h"
#include "controller/dispatch.h"
#include "controller/feature-api.h"
#include "controller/observations.h"
#include "controller/sandbox.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "features/approval/approval.h"
#include "features/effects/effects-shell.h"
#include "features/effects/effects-text.h"
#include "features/questions.h"
#include "sandbox/profile.h"

#include <string.h>

enum { QUESTION_MAX = 32 << 10 };

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

/* List what the overlay would change now. The overlay itself no longer changes. */
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

void effects_withdraw(struct conversation *c)
{
	questions_withdraw(c, effects_answered);
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

void effects_judge(struct conversation *c)
{
	struct error err = ERROR_NONE;

	if (turn_call(c)->interrupted) {
		effects_discard(c, effects_interrupted);
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
