/* SPDX-License-Identifier: MIT
 *
 * structured.c - the condenser whose model fills in a form about the state of the
 * work, by calling a tool that is offered only for this purpose. */
#include "summary.h"

#include "js.h"

#include <string.h>

#define TOOL "create_state_summary"

/* The fields of V0's form. */
static const struct {
	const char *name, *title, *help;
	bool required;
} fields[] = {
	{ "user_context", "User context",
	  "What the user asked for, with every detail and limit that still counts.", true },
	{ "completed_tasks", "Completed tasks",
	  "Completed work and its results. Keep task ids and statuses unchanged.",
	  true },
	{ "pending_tasks", "Pending tasks",
	  "Remaining work. Keep task ids and statuses unchanged.", true },
	{ "current_state", "Current state",
	  "Current values, variables and running programs.", false },
	{ "files_modified", "Files modified", "Each file that was changed, and how.", false },
	{ "function_changes", "Function changes",
	  "Functions added, changed or removed, with their signatures.", false },
	{ "data_structures", "Data structures", "Relevant types and layouts.", false },
	{ "tests_written", "Tests written", "yes, no or unknown.", false },
	{ "tests_passing", "Tests passing", "yes, no or unknown.", false },
	{ "failing_tests", "Failing tests", "Names of failing tests.", false },
	{ "error_messages", "Error messages", "Unresolved errors.", false },
	{ "branch_created", "Branch created", "yes, no or unknown.", false },
	{ "branch_name", "Branch name", "Name of the working branch.", false },
	{ "commits_made", "Commits made", "yes, no or unknown.", false },
	{ "pr_created", "Pull request created", "yes, no or unknown.", false },
	{ "pr_status", "Pull request status", "open, merged, closed or unknown.", false },
	{ "dependencies", "Dependencies", "Packages that were added or changed.", false },
	{ "other_relevant_context", "Other context",
	  "Anything else needed to continue the work.", false },
};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

static int add_field(int i, json_object *properties, json_object *required)
{
	json_object *p = json_object_new_object();

	if (js_set_str(p, "type", "string") ||
	    js_set_str(p, "description", fields[i].help)) {
		json_object_put(p);
		return MT_ENOMEM;
	}
	if (js_set(properties, fields[i].name, p))
		return MT_ENOMEM;
	return fields[i].required
		       ? js_add_new(required, json_object_new_string(fields[i].name))
		       : MT_OK;
}

static json_object *schema(void)
{
	AUTO(json) json_object *o = json_object_new_object();
	AUTO(json) json_object *properties = json_object_new_object();
	AUTO(json) json_object *required = json_object_new_array();

	for (int i = 0; i < FIELD_COUNT; i++)
		if (add_field(i, properties, required))
			return NULL;
	if (js_set_str(o, "type", "object") ||
	    js_set_new(o, "properties", STEAL(properties)) ||
	    js_set_new(o, "required", STEAL(required)))
		return NULL;
	return STEAL(o);
}

static int offer_form(const struct kit *k, struct mt_request *request)
{
	AUTO(json) json_object *o = schema();
	struct mt_str text = { .ptr = NULL };
	int r;

	text.ptr = o ? js_text(o, &text.len) : NULL;
	if (!text.ptr)
		return MT_ENOMEM;
	r = k->host->request_define_tool(request, TOOL,
					 TEXT("Report the state of the work as a form."),
					 text);
	return r ? r : k->host->request_set(request, "tool_choice", TEXT("\"" TOOL "\""));
}

static int structured_add_section(struct strbuf *b, const char *title, const char *text)
{
	if (!*text)
		return MT_OK;
	return strbuf_addf(b, "%s## %s\n%s\n", b->len ? "\n" : "", title, text);
}

/* A reply that cannot be parsed gives an empty summary (V0). */
static int read_form(const struct kit *k, const struct mt_reply *reply,
		     struct strbuf *ret_summary)
{
	AUTO(json) json_object *o = NULL;

	for (size_t i = 0; !o && i < k->host->reply_calls(reply); i++) {
		struct mt_str name = k->host->reply_call_name(reply, i);
		struct mt_str args = k->host->reply_call_args(reply, i);

		if (name.len == sizeof TOOL - 1 && memcmp(name.ptr, TOOL, name.len) == 0)
			o = js_parse_object(args.ptr, args.len, NULL);
	}
	for (int i = 0; o && i < FIELD_COUNT; i++)
		structured_add_section(ret_summary, fields[i].title,
				       js_str(o, fields[i].name, ""));
	return ret_summary->error;
}

static int structured_advance(const struct mt_host *host,
			      const struct mt_condenser_out *out, struct mt_ctx *ctx,
			      const struct mt_in *in)
{
	static const struct summary_way way = {
		.prompt = "condense_form",
		.prepare = offer_form,
		.read = read_form,
	};
	const struct kit k = { host, out, ctx };

	return summary_advance(&k, in, &way);
}

static const struct mt_condenser structured = {
	.size = sizeof structured,
	.advance = structured_advance,
	.check = condenser_util_check_sizes,
};

MT_CONDENSER(
	&structured, "structured", .name = "structured",
	.summary = "Summarizes the middle of a long history as a form that a model fills "
		   "in.",
	.options = condenser_util_options, .option_count = CONDENSER_SUMMARY_OPTIONS)
