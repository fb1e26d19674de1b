/* SPDX-License-Identifier: MIT
 *
 * result.c - interprets the exit code and JSON output of a hook. */
#include "hooks/hooks.h"

#include <string.h>
#include <strings.h>

static int result_take(char **to, const char *text)
{
	if (!text)
		return MT_OK;
	free(*to);
	*to = strdup(text);
	return *to ? MT_OK : MT_ENOMEM;
}

/* Read the newer form for tools. */
static int read_specific(struct hook_result *r, json_object *o)
{
	const char *decision = js_str(o, "permissionDecision", NULL);
	int status = MT_OK;

	if (decision && strcasecmp(decision, "deny") == 0) {
		status = result_take(&r->decision, "deny");
		r->blocked = true;
	}
	if (!status)
		status = result_take(&r->reason,
				     js_str(o, "permissionDecisionReason", NULL));
	return status ? status
		      : result_take(&r->context, js_str(o, "additionalContext", NULL));
}

static int hook_result_read_object(struct hook_result *r, json_object *o)
{
	const char *decision = js_str(o, "decision", NULL);
	json_object *specific = js_get(o, "hookSpecificOutput");
	bool deny = decision && (strcasecmp(decision, "deny") == 0 ||
				 strcasecmp(decision, "block") == 0);
	int status = MT_OK;

	if (deny)
		status = result_take(&r->decision, "deny");
	else if (decision && strcasecmp(decision, "allow") == 0)
		status = result_take(&r->decision, "allow");
	if (!status)
		status = result_take(&r->reason, js_str(o, "reason", NULL));
	if (!status)
		status = result_take(&r->context, js_str(o, "additionalContext", NULL));
	if (!status && specific)
		status = read_specific(r, specific);
	r->blocked = r->blocked || deny || !js_bool(o, "continue", true);
	return status;
}

int hook_understand(struct hook_result *r)
{
	AUTO(json) json_object *o = NULL;
	struct error err = ERROR_NONE;

	r->success = !r->error && r->exit_code == 0;
	r->blocked = !r->error && r->exit_code == 2;
	if (r->error)
		return MT_OK;
	if (!r->out || !r->err_text)
		return MT_ENOMEM;
	if (r->out[strspn(r->out, " \t\r\n")] != '{')
		return MT_OK;
	o = js_parse_object(r->out, strlen(r->out), &err);
	if (err.code == MT_ENOMEM)
		return err.code;
	return o ? hook_result_read_object(r, o) : MT_OK;
}

void hook_result_clear(struct hook_result *r)
{
	free(r->out);
	free(r->err_text);
	free(r->decision);
	free(r->reason);
	free(r->context);
	free(r->error);
	*r = (struct hook_result){ 0 };
}
