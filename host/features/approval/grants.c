/* SPDX-License-Identifier: MIT
 *
 * grants.c - approved scopes: granted in a conversation, stored for its project, or
 * inherited from the delegating agent. */
#include "features/approval/approval-internal.h"

#include "controller/agents.h"
#include "conversation/conversation.h"
#include "conversation/shell-directory.h"
#include "features/approval/store.h"
#include "files.h"
#include "log.h"

#include <string.h>

static const char old_record[] = "mortise/always"; /* scopes of older versions */

struct scope_place approval_place(struct conversation *c, const struct call *call)
{
	struct scope_place place = { .workspace = conversation_workspace(c),
				     .dir = shell_directory_of(c) ?: conversation_workspace(c),
				     .tool = "", .toolset = "" };

	if (call->tool) {
		place.tool = call->tool->real;
		place.toolset = call_instance(c, call);
	}
	return place;
}

/* Does the subagent have a stricter policy than the agent for which the user approved
 * this? */
static bool is_stricter(const struct conversation *c)
{
	const struct approval_policy *own = approval_policy(c);
	const struct approval_policy *first =
		feature_agent_state(agents_first(c), &approval_feature);

	return first->when != own->when || first->from != own->from ||
	       first->unknown != own->unknown;
}

static bool grants_append(json_object *list, json_object *more)
{
	size_t count = more ? json_object_array_length(more) : 0;

	for (size_t i = 0; i < count; i++)
		if (js_add(list, json_object_get(json_object_array_get_idx(more, i))))
			return false;
	return true;
}

json_object *approval_scopes(struct conversation *c)
{
	AUTO(json) json_object *all = json_object_new_array();
	AUTO(json) json_object *kept = NULL;
	struct error err = ERROR_NONE;

	if (!*conversation_parent(c)) /* revoked approvals no longer apply */
		kept = approvals_read(conversation_config(c), conversation_workspace(c),
				      &err);
	if (err.code)
		log_line(MT_LOG_WARNING, "confirm",
			 "approvals of this project are ignored: %s", err.text);
	if (!all || !grants_append(all, approval_of(c)->granted) ||
	    !grants_append(all, kept))
		return NULL;
	return STEAL(all);
}

bool approval_is_granted(struct conversation *c, const struct call *call)
{
	AUTO(json) json_object *all = is_stricter(c) ? NULL : approval_scopes(c);
	const struct scope_place place = approval_place(c, call);

	return scopes_cover(all, call->action, &place);
}

static int log_approvals(struct conversation *c, struct error *err)
{
	AUTO(json) json_object *record = json_object_new_object();

	if (js_set_str(record, "record", "state") ||
	    js_set_str(record, "plugin", APPROVALS_RECORD) ||
	    js_set_str(record, "text", js_text(approval_of(c)->granted, NULL)))
		return out_of_memory(err);
	return evlog_record(conversation_log(c), record, err);
}

/* Grant a scope for the rest of this conversation. */
static int grants_remember(struct conversation *c, json_object *scope, struct error *err)
{
	if (!approval_of(c)->granted)
		approval_of(c)->granted = json_object_new_array();
	if (!approval_of(c)->granted)
		return out_of_memory(err);
	for (size_t i = 0; i < json_object_array_length(approval_of(c)->granted); i++)
		if (js_equal(json_object_array_get_idx(approval_of(c)->granted, i),
			     scope))
			return MT_OK;
	if (json_object_array_length(approval_of(c)->granted) >= APPROVALS_MAX)
		return fail(err, MT_ELIMIT,
			    "this conversation already has %d approvals; revoke some "
			    "with `mortise policy revoke`",
			    APPROVALS_MAX);
	if (js_add(approval_of(c)->granted, json_object_get(scope)))
		return out_of_memory(err);
	return log_approvals(c, err);
}

/* Does a subagent work in its own directory? */
static bool is_elsewhere(const struct conversation *c)
{
	AUTO(free) char *up =
		path_join(evlog_dir(conversation_log(c)), "../../workspaces");
	AUTO(free) char *real = up ? realpath(up, NULL) : NULL;
	size_t len = real ? strlen(real) : 0;

	return *conversation_parent(c) && len &&
	       strncmp(conversation_workspace(c), real, len) == 0;
}

/* Store a scope for later conversations of the project, which a delegate does not read
 * itself. */
static int grants_keep(struct conversation *c, json_object *scope, struct error *err)
{
	if (is_elsewhere(c))
		return fail(err, MT_EINVAL,
			    "this subagent works in its own directory; approve the "
			    "action for the conversation");
	if (approvals_keep(conversation_config(c), conversation_workspace(c), scope,
			   conversation_id(c), err))
		return err->code;
	return *conversation_parent(c) ? grants_remember(c, scope, err) : MT_OK;
}

int approval_grant(struct conversation *c, json_object *scope, bool project,
		   struct error *err)
{
	return project ? grants_keep(c, scope, err) : grants_remember(c, scope, err);
}

int approval_inherit(struct conversation *c, json_object *approvals, struct error *err)
{
	if (!json_object_is_type(approvals, json_type_array) ||
	    json_object_array_length(approvals) == 0)
		return MT_OK;
	approval_of(c)->granted = json_object_get(approvals);
	return log_approvals(c, err);
}

void approval_tell_scopes(struct conversation *c)
{
	AUTO(json) json_object *kept = NULL;
	struct error err = ERROR_NONE;
	size_t count;

	if (approval_of(c)->announced)
		return;
	approval_of(c)->announced = true;
	if (evlog_state(conversation_log(c), old_record, &count) &&
	    !evlog_state(conversation_log(c), APPROVALS_RECORD, &count)) {
		conversation_notice(
			c, MT_LOG_WARNING,
			"approvals that an older version stored in this conversation "
			"were too broad; these actions require approval again");
		approval_of(c)->granted = approval_of(c)->granted
						  ? approval_of(c)->granted
						  : json_object_new_array();
		log_approvals(c, &err);
	}
	if (*conversation_parent(c) || approval_policy(c)->when == CONFIRM_NEVER)
		return;
	kept = approvals_read(conversation_config(c), conversation_workspace(c), &err);
	count = kept ? json_object_array_length(kept) : 0;
	if (!kept)
		conversation_notice(c, MT_LOG_WARNING,
				    "cannot use the approvals of this project: %s",
				    err.text);
	else if (count)
		conversation_notice(c, MT_LOG_WARNING,
				    "%zu approval%s of this project appl%s; `mortise "
				    "policy approvals` lists them",
				    count, count > 1 ? "s" : "", count > 1 ? "y" : "ies");
}

int approval_restore(struct conversation *c, struct error *err)
{
	size_t len;
	const char *text = evlog_state(conversation_log(c), APPROVALS_RECORD, &len);
	AUTO(json) json_object *list = text ? js_parse(text, len, err) : NULL;

	if (text && !list)
		return err->code ? err->code : MT_OK;
	if (json_object_is_type(list, json_type_array))
		approval_of(c)->granted = STEAL(list);
	return MT_OK;
}

json_object *conversation_approvals(const struct conversation *c)
{
	return approval_of(c)->granted ? json_object_get(approval_of(c)->granted)
				       : json_object_new_array();
}

int conversation_revoke(struct conversation *c, const char *text, struct error *err)
{
	AUTO(json) json_object *texts = json_object_new_array();

	if (!texts || js_add(texts, json_object_new_string(text)))
		return out_of_memory(err);
	if (!approval_of(c)->granted)
		return fail(err, MT_ENOTFOUND, "unknown approval `%.300s`", text);
	return approvals_remove(approval_of(c)->granted, texts, err)
		       ? err->code
		       : log_approvals(c, err);
}
