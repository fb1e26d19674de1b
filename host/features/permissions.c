/* SPDX-License-Identifier: MIT
 *
 * permissions.c - implements permissions.h.
 *
 * The changes are settings of [sandbox], stored in a state record. The runner is restarted
 * when no call is in progress: a call that would start waits for it. */
#include "features/permissions.h"

#include "controller/dispatch.h"
#include "controller/feature-api.h"
#include "controller/sandbox.h"
#include "controller/turn.h"
#include "exit-code.h"
#include "sandbox/profile.h"
#include "sandbox/summary.h"

#include <string.h>

enum { CHANGES_MAX = 64, CHANGE_MAX = 8192, RECORD_MAX = 1 << 20 };

static const char record_name[] = "mortise/permissions";

/* Settings that can be changed in a conversation. */
static const char *const keys[] = { "profile", "network", "hosts",
				    "read",    "write",	  "grants" };

/* Of a conversation. */
struct permissions {
	json_object *changes; /* ["network=full"]; NULL: none */
	char *news;           /* text for the model, before the next step; NULL */
	bool due;             /* the runner is older than the last change */
	int64_t held;         /* the action whose call waits for the restart; 0: none */
};

static struct permissions *permissions_of(const struct conversation *c)
{
	return feature_state(c, &permissions_feature);
}

/* ---- the changes --------------------------------------------------------- */

static int check_change(const struct conversation *c, const char *text, struct error *err)
{
	size_t len = strcspn(text, "=+-");
	const char *enforced;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (strlen(keys[i]) != len || strncmp(keys[i], text, len) != 0)
			continue;
		enforced = config_enforced(conversation_config(c), "sandbox", keys[i]);
		return enforced ? fail(err, MT_EDENIED,
				       "`%s` of [sandbox] is set by the administrator in "
				       "%s",
				       keys[i], enforced)
				: MT_OK;
	}
	return fail(err, MT_EINVAL,
		    "`%.40s` cannot be changed in a conversation; use profile, network, "
		    "hosts, read, write or grants",
		    text);
}

/* A later assignment replaces earlier changes of the same key. */
static void drop_replaced(json_object *list, const char *text)
{
	size_t len = strcspn(text, "=");

	for (size_t i = js_length(list); text[len] && i-- > 0;) {
		const char *old =
			json_object_get_string(json_object_array_get_idx(list, i));

		if (strcmp(old, text) == 0 ||
		    (strncmp(old, text, len) == 0 && strchr("=+-", old[len]) &&
		     text[len - 1] != '+' && text[len - 1] != '-'))
			json_object_array_del_idx(list, i, 1);
	}
}

/* The list with more changes, owned; NULL: `err`. */
static json_object *permissions_append(const struct conversation *c, json_object *old,
				       json_object *more, struct error *err)
{
	AUTO(json) json_object *list = js_new_list();

	for (size_t i = 0; i < js_length(old); i++)
		js_add_new(list, json_object_get(json_object_array_get_idx(old, i)));
	for (size_t i = 0; i < js_length(more); i++) {
		json_object *one = json_object_array_get_idx(more, i);
		const char *text = json_object_get_string(one);

		if (!json_object_is_type(one, json_type_string) ||
		    strlen(text) > CHANGE_MAX || !strchr(text, '=')) {
			fail(err, MT_EINVAL,
			     "a change of permissions must be "
			     "\"KEY=VALUE\"");
			return NULL;
		}
		if (check_change(c, text, err))
			return NULL;
		drop_replaced(list, text);
		js_add_new(list, json_object_get(one));
	}
	if (js_length(list) > CHANGES_MAX)
		fail(err, MT_ELIMIT, "over %d changes of permissions; reset them first",
		     CHANGES_MAX);
	else if (js_incomplete(list))
		out_of_memory(err);
	else
		return STEAL(list);
	return NULL;
}

/* Use these changes for the sandbox. */
static int permissions_apply(struct conversation *c, json_object *list, struct error *err)
{
	AUTO(json) json_object *texts = js_new_list();
	const char *overrides[CHANGES_MAX];
	size_t count = js_length(list);

	for (size_t i = 0; i < count; i++) {
		AUTO(strbuf) struct strbuf text = STRBUF(2 * CHANGE_MAX);

		strbuf_addf(&text, "sandbox.%s",
			    json_object_get_string(json_object_array_get_idx(list, i)));
		js_add_new(texts, text.error ? NULL : json_object_new_string(text.text));
		if (js_incomplete(texts))
			return out_of_memory(err);
		overrides[i] =
			json_object_get_string(json_object_array_get_idx(texts, i));
	}
	return conversation_change_sandbox(c, overrides, count, err);
}

/* ---- the log -------------------------------------------------------------- */

static int permissions_log(struct conversation *c, struct error *err)
{
	const struct permissions *p = permissions_of(c);
	AUTO(json) json_object *state = js_new_object();
	AUTO(json) json_object *record = js_new_object();

	if (p->changes)
		js_set(state, "changes", json_object_get(p->changes));
	if (p->news)
		js_set_str(state, "news", p->news);
	if (js_incomplete(state) || js_set_str(record, "record", "state") ||
	    js_set_str(record, "plugin", record_name) ||
	    js_set_str(record, "text", js_text(state, NULL)))
		return out_of_memory(err);
	return evlog_record(conversation_log(c), record, err);
}

static void tell_later(struct permissions *p, json_object *changes, bool reset)
{
	AUTO(strbuf) struct strbuf text = STRBUF(RECORD_MAX);

	if (p->news)
		strbuf_addf(&text, "%s\n", p->news);
	strbuf_add(&text, reset ? "[The user reset what your tools may do to the "
				  "configuration"
				: "[The user changed what your tools may do");
	for (size_t i = 0; i < js_length(changes); i++)
		strbuf_addf(&text, "%s%s", i ? ", " : ": ",
			    json_object_get_string(
				    json_object_array_get_idx(changes, i)));
	strbuf_add(&text, ". The tools are restarted; the shell keeps its directory and "
			  "variables, but no background jobs.]");
	free(p->news);
	p->news = strbuf_take(&text);
}

int permissions_change(struct conversation *c, json_object *changes, bool reset,
		       struct error *err)
{
	struct permissions *p = permissions_of(c);
	AUTO(json) json_object *list = NULL;

	if (!reset && !js_length(changes))
		return MT_OK;
	list = permissions_append(c, reset ? NULL : p->changes, changes, err);
	if (!list || permissions_apply(c, list, err))
		return err->code;
	json_object_put(p->changes);
	p->changes = STEAL(list);
	tell_later(p, changes, reset);
	p->due = conversation_runner(c) != NULL;
	return permissions_log(c, err);
}

bool permissions_can_change(const struct conversation *c, const char *change)
{
	return check_change(c, change, NULL) == MT_OK;
}

int permissions_lend(struct conversation *c, const char *change, struct error *err)
{
	AUTO(json) json_object *one = js_new_list();
	AUTO(json) json_object *list = NULL;

	js_add_new(one, json_object_new_string(change));
	list = permissions_append(c, permissions_of(c)->changes, one, err);
	return list ? permissions_apply(c, list, err) : err->code;
}

void permissions_take_back(struct conversation *c)
{
	struct permissions *p = permissions_of(c);
	struct error err = ERROR_NONE;

	p->due = conversation_runner(c) != NULL;
	if (permissions_apply(c, p->changes, &err))
		conversation_set_error(c, EXIT_FAILED, "%s", err.text);
}

void permissions_call_again(struct conversation *c)
{
	struct call *call = turn_call(c);

	permissions_of(c)->due = false;
	call->ended = call->early = call->over = false;
	runner_result_clear(&call->result);
	if (!conversation_runner(c)) {
		dispatch_call(c);
		return;
	}
	permissions_of(c)->held = call->id;
	dispatch_restart_runner(c);
}

char *permissions_table(struct conversation *c, struct error *err)
{
	const struct permissions *p = permissions_of(c);
	const char *section = conversation_agent(c)->section;
	AUTO(strbuf) struct strbuf out = STRBUF(RECORD_MAX);
	AUTO(strbuf) struct strbuf changed = STRBUF(RECORD_MAX);

	if (sandbox_summary(conversation_sandbox_config(c), conversation_workspace(c),
			    &out, err))
		return NULL;
	if (sandbox_wanted(conversation_sandbox_config(c)) &&
	    !conversation_is_sandboxed(c))
		summary_row(&out, "enforced",
			    "not completely; `mortise doctor` says what is missing");
	summary_row(&out, "confirmation",
		    config_get(conversation_config(c), section, "confirmation"));
	for (size_t i = 0; i < js_length(p->changes); i++)
		strbuf_addf(&changed, "%s%s", i ? ", " : "",
			    json_object_get_string(
				    json_object_array_get_idx(p->changes, i)));
	if (changed.len)
		summary_row(&out, "changed here", changed.text);
	if (out.error || changed.error)
		out_of_memory(err);
	return out.error || changed.error ? NULL : strbuf_take(&out);
}

/* ---- applying them ---------------------------------------------------------- */

static bool permissions_before_call(struct conversation *c, struct call *call)
{
	struct permissions *p = permissions_of(c);

	if (!p->due || call->early || event_caller(call->action))
		return false;
	p->due = false;
	if (!conversation_runner(c))
		return false;
	p->held = call->id;
	dispatch_restart_runner(c);
	return true;
}

static void permissions_runner_closed(struct conversation *c)
{
	struct permissions *p = permissions_of(c);
	int64_t held = p->held;

	p->held = 0;
	p->due = false;
	if (held && turn_pending(c) == held && !conversation_is_closing(c))
		dispatch_call(c);
}

/* Calls that were sent early would be lost. */
static bool permissions_needs_order(const struct conversation *c)
{
	return permissions_of(c)->due;
}

static bool permissions_before_step(struct conversation *c)
{
	struct permissions *p = permissions_of(c);
	struct error err = ERROR_NONE;
	json_object *args;

	if (!p->news)
		return false;
	args = js_new_object();
	js_set_str(args, "content", p->news);
	if (conversation_log_event(
		    c, event_action("message", SOURCE_ENVIRONMENT, args, &err), &err) < 0)
		return false;
	free(p->news);
	p->news = NULL;
	if (permissions_log(c, &err))
		conversation_notice(c, MT_LOG_WARNING, "%s", err.text);
	return false;
}

/* ---- resuming ---------------------------------------------------------------- */

/* What the command line of a resume sets is a change, which later resumes keep. */
static json_object *of_command_line(const struct conversation *c)
{
	json_object *list = js_new_list();

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		AUTO(strbuf) struct strbuf text = STRBUF(2 * CHANGE_MAX);
		const char *value =
			config_get(conversation_config(c), "sandbox", keys[i]);

		if (strcmp(config_origin(conversation_config(c), "sandbox", keys[i]),
			   "-o") != 0)
			continue;
		strbuf_addf(&text, "%s=%s", keys[i], value ? value : "");
		js_add_new(list, text.error ? NULL : json_object_new_string(text.text));
	}
	return list;
}

static int permissions_resume(struct conversation *c, struct error *err)
{
	struct permissions *p = permissions_of(c);
	size_t len;
	const char *text = evlog_state(conversation_log(c), record_name, &len);
	AUTO(json) json_object *state = text ? js_parse_object(text, len, err) : NULL;
	AUTO(json) json_object *given = of_command_line(c);
	AUTO(json) json_object *list = NULL;
	const char *news = js_str(state, "news", NULL);

	if (text && !state)
		return err->code;
	if (*conversation_parent(c) || (!state && !js_length(given)))
		return MT_OK;
	list = permissions_append(c, js_get(state, "changes"), given, err);
	if (!list)
		return err->code;
	p->changes = STEAL(list);
	p->news = news ? strdup(news) : NULL;
	/* The configuration may have changed since they were valid. */
	if (permissions_apply(c, p->changes, err)) {
		conversation_notice(c, MT_LOG_WARNING,
				    "the permissions that were changed in this "
				    "conversation are not used: %s",
				    err->text);
		*err = ERROR_NONE;
	}
	if (!js_length(given))
		return MT_OK;
	tell_later(p, given, false);
	return permissions_log(c, err);
}

/* The user's decision is not part of the work that is reverted. */
static void permissions_rewound(struct conversation *c)
{
	struct error err = ERROR_NONE;

	if (permissions_of(c)->changes && permissions_log(c, &err))
		conversation_notice(c, MT_LOG_WARNING, "%s", err.text);
}

static void permissions_release(struct conversation *c)
{
	json_object_put(permissions_of(c)->changes);
	free(permissions_of(c)->news);
}

const struct feature permissions_feature = {
	.name = "permissions",
	.state_size = sizeof(struct permissions),
	.resume = permissions_resume,
	.rewound = permissions_rewound,
	.before_step = permissions_before_step,
	.before_call = permissions_before_call,
	.needs_order = permissions_needs_order,
	.runner_closed = permissions_runner_closed,
	.release = permissions_release,
};
