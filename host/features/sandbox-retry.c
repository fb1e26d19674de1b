/* SPDX-License-Identifier: MIT
 *
 * sandbox-retry.c - implements sandbox-retry.h.
 *
 * The observation of the refused command is held while the user is asked. "once" lends the
 * permission for one more run of that call; "always" is a change of the permissions of the
 * conversation. */
#include "features/sandbox-retry.h"

#include "controller/call.h"
#include "controller/feature-api.h"
#include "controller/observations.h"
#include "controller/sandbox.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "features/approval/approval.h"
#include "features/effects/effects.h"
#include "features/observation-note.h"
#include "features/permissions.h"
#include "features/questions.h"
#include "features/replay-internal.h"
#include "features/sandbox-note.h"

#include <limits.h>
#include <string.h>

enum {
	COMMAND_MAX = 4096,  /* bytes that a question can show */
	ASKED_MAX = 3,       /* times for one call */
};

/* Of a conversation. */
struct sandbox_retry {
	struct event *held;  /* the observation while the user is asked; NULL */
	char change[PATH_MAX + 16]; /* what is asked */
	bool lent;           /* the pending call runs with it, once */
	int64_t action;      /* the call that was asked about last */
	unsigned asked;      /* times */
};

static const char *const choices[] = {
	"once: run this command again with it",
	"always: allow it in this conversation, and run the command again",
	"no",
};

static struct sandbox_retry *retry_of(const struct conversation *c)
{
	return feature_state(c, &sandbox_retry_feature);
}

/* Log the observation as it is. */
static void sandbox_retry_let_go(struct conversation *c)
{
	struct event *held = STEAL(retry_of(c)->held);
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action = NULL;

	if (!held)
		return;
	action = event_ref(turn_call(c)->action);
	observation_log(c, action, held, &err);
}

static int sandbox_retry_allow(struct conversation *c, bool always, struct error *err)
{
	AUTO(json) json_object *list = js_new_list();

	if (!always)
		return permissions_lend(c, retry_of(c)->change, err);
	js_add_new(list, json_object_new_string(retry_of(c)->change));
	return js_incomplete(list) ? out_of_memory(err)
				   : permissions_change(c, list, false, err);
}

static void sandbox_retry_answered(struct conversation *c, const char *text)
{
	struct sandbox_retry *s = retry_of(c);
	const bool once = text && strcmp(text, choices[0]) == 0;
	const bool always = text && strcmp(text, choices[1]) == 0;
	struct error err = ERROR_NONE;

	if (!s->held)
		return;
	if ((once || always) && sandbox_retry_allow(c, always, &err)) {
		conversation_notice(c, MT_LOG_WARNING, "%s", err.text);
	} else if (once || always) {
		event_unref(STEAL(s->held));
		s->lent = once;
		permissions_call_again(c);
		return;
	}
	sandbox_retry_let_go(c);
	step_run_ready(c);
}

/* What the change opens, for the user. */
static void sandbox_retry_put(const struct conversation *c, const char *change,
			      struct strbuf *out)
{
	static const struct {
		const char *key, *text;
	} kinds[] = {
		{ "read+=", "read " },
		{ "write+=", "change " },
		{ "hosts+=", "reach " },
	};
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	const char *value = strchr(change, '=') + 1, *description;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strncmp(change, kinds[i].key, strlen(kinds[i].key)) == 0)
			strbuf_addf(out, "%s%s", kinds[i].text, value);
	if (strncmp(change, "grants+=", 8) != 0)
		return;
	strbuf_addf(&section, "grant.%s", value);
	description = config_get(conversation_config(c), section.text, "description");
	strbuf_addf(out, "use the grant %s%s%s", value, description ? ": " : "",
		    description ? description : "");
}

static int sandbox_retry_ask(struct conversation *c, const struct call *call)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);
	AUTO(json) json_object *list = js_new_list();

	for (size_t i = 0; i < ARRAY_LEN(choices); i++)
		js_add_new(list, json_object_new_string(choices[i]));
	strbuf_addf(
		&text,
		"The sandbox refused something in this command:\n\n%s\n\nAllow it to ",
		event_arg(call->action, "command"));
	sandbox_retry_put(c, retry_of(c)->change, &text);
	strbuf_add(&text,
		   "?\nThe command then runs again from its beginning, and background "
		   "jobs end.");
	if (text.error || js_incomplete(list))
		return MT_ENOMEM;
	return questions_ask(c, call->id, text.text, list, sandbox_retry_answered);
}

/* Can the user answer, and see all that would run? */
static bool sandbox_retry_may_ask(const struct conversation *c, const struct call *call)
{
	struct sandbox_retry *s = retry_of(c);

	if (s->action != call->id)
		s->asked = 0;
	s->action = call->id;
	return conversation_is_interactive(c) && !conversation_is_headless(c) &&
	       !*conversation_parent(c) && !conversation_is_closing(c) &&
	       approval_policy(c)->when != CONFIRM_NEVER && !replay_is_active(c) &&
	       call->action->type->id == ACTION_RUN &&
	       call->action->source == SOURCE_AGENT && !call->interrupted &&
	       !event_caller(call->action) && !effects_end_call(c, call) &&
	       strlen(event_arg(call->action, "command")) <= COMMAND_MAX &&
	       s->asked++ < ASKED_MAX;
}

static bool sandbox_retry_after_call(struct conversation *c, const struct call *call,
				     struct event *observation)
{
	struct sandbox_retry *s = retry_of(c);
	const char *remedy = sandbox_note_remedy(c);

	if (s->lent) {
		s->lent = false;
		permissions_take_back(c);
		if (observation)
			observation_note_add(observation,
					     "[Sandbox: the user allowed this command "
					     "once; it ran again with what it lacked.]");
	}
	if (!observation || !remedy || !sandbox_retry_may_ask(c, call) ||
	    !permissions_can_change(c, remedy))
		return false;
	snprintf(s->change, sizeof s->change, "%s", remedy);
	if (sandbox_retry_ask(c, call))
		return false;
	s->held = observation;
	return true;
}

static void sandbox_retry_cancel(struct conversation *c)
{
	struct sandbox_retry *s = retry_of(c);

	questions_withdraw(c, sandbox_retry_answered);
	if (s->lent) {
		s->lent = false;
		permissions_take_back(c);
	}
	sandbox_retry_let_go(c);
}

static bool sandbox_retry_is_busy(const struct conversation *c)
{
	return retry_of(c)->held != NULL;
}

static void sandbox_retry_release(struct conversation *c)
{
	event_unref(retry_of(c)->held);
}

const struct feature sandbox_retry_feature = {
	.name = "sandbox retry",
	.state_size = sizeof(struct sandbox_retry),
	.after_call = sandbox_retry_after_call,
	.is_busy = sandbox_retry_is_busy,
	.interrupt = sandbox_retry_cancel,
	.cancel = sandbox_retry_cancel,
	.release = sandbox_retry_release,
};
