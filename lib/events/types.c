/* SPDX-License-Identifier: MIT
 *
 * types.c - the table of event types. doc/events.md documents it; a test compares
 * them. */
#include "events/types.h"
#include "auto.h"

#include <string.h>

#define RISK { "security_risk", FIELD_INT, false, "-1" }
#define THOUGHT { "thought", FIELD_TEXT, false, "\"\"" }
#define CONFIRMATION { "confirmation_state", FIELD_TEXT, false, "\"confirmed\"" }
#define TEXT(name) { name, FIELD_TEXT, false, "\"\"" }
#define MAYBE_TEXT(name) { name, FIELD_TEXT, false, "null" }
#define NEEDS_TEXT(name) { name, FIELD_TEXT, true, NULL }
#define FALSE(name) { name, FIELD_BOOL, false, "false" }
#define INT(name, value) { name, FIELD_INT, false, value }
#define LIST(name) { name, FIELD_LIST, false, "[]" }
#define MAYBE_LIST(name) { name, FIELD_LIST, false, "null" }
#define OBJECT(name) { name, FIELD_OBJECT, false, "{}" }

static const struct event_field a_run[] = {
	NEEDS_TEXT("command"), FALSE("is_input"), THOUGHT, FALSE("blocking"),
	FALSE("is_static"), MAYBE_TEXT("cwd"), FALSE("hidden"), CONFIRMATION, RISK,
};
static const struct event_field a_run_ipython[] = {
	NEEDS_TEXT("code"), THOUGHT, { "include_extra", FIELD_BOOL, false, "true" },
	CONFIRMATION, RISK, TEXT("kernel_init_code"),
};
static const struct event_field a_browse[] = {
	NEEDS_TEXT("url"), THOUGHT, RISK, FALSE("return_axtree"),
};
static const struct event_field a_browse_interactive[] = {
	NEEDS_TEXT("browser_actions"), THOUGHT, TEXT("browsergym_send_msg_to_user"), RISK,
	FALSE("return_axtree"),
};
static const struct event_field a_read[] = {
	NEEDS_TEXT("path"), INT("start", "0"), INT("end", "-1"), THOUGHT, RISK,
	{ "impl_source", FIELD_TEXT, false, "\"default\"" }, MAYBE_LIST("view_range"),
};
static const struct event_field a_write[] = {
	NEEDS_TEXT("path"), NEEDS_TEXT("content"), INT("start", "0"), INT("end", "-1"),
	THOUGHT, RISK,
};
static const struct event_field a_edit[] = {
	NEEDS_TEXT("path"), TEXT("command"), MAYBE_TEXT("file_text"),
	MAYBE_TEXT("old_str"), MAYBE_TEXT("new_str"),
	{ "insert_line", FIELD_INT, false, "null" }, TEXT("content"), INT("start", "1"),
	INT("end", "-1"), THOUGHT, RISK,
	{ "impl_source", FIELD_TEXT, false, "\"oh_aci\"" },
	{ "edits", FIELD_LIST, false, NULL },
	{ "replace_all", FIELD_BOOL, false, NULL },
};
static const struct event_field a_think[] = { THOUGHT };
static const struct event_field a_finish[] = {
	TEXT("final_thought"), OBJECT("outputs"), THOUGHT,
};
static const struct event_field a_reject[] = { OBJECT("outputs"), THOUGHT };
static const struct event_field a_delegate[] = {
	NEEDS_TEXT("agent"), { "inputs", FIELD_OBJECT, true, NULL }, THOUGHT,
};
static const struct event_field a_recall[] = {
	NEEDS_TEXT("recall_type"), TEXT("query"), THOUGHT,
};
static const struct event_field a_change_agent_state[] = {
	NEEDS_TEXT("agent_state"), THOUGHT,
};
static const struct event_field a_message[] = {
	NEEDS_TEXT("content"), MAYBE_LIST("file_urls"), MAYBE_LIST("image_urls"),
	FALSE("wait_for_response"), RISK,
};
static const struct event_field a_system[] = {
	NEEDS_TEXT("content"), MAYBE_LIST("tools"),
	{ "openhands_version", FIELD_TEXT, false, "\"0.62.0\"" }, MAYBE_TEXT("agent_class"),
};
static const struct event_field a_condensation[] = {
	MAYBE_LIST("forgotten_event_ids"),
	{ "forgotten_events_start_id", FIELD_INT, false, "null" },
	{ "forgotten_events_end_id", FIELD_INT, false, "null" },
	MAYBE_TEXT("summary"), { "summary_offset", FIELD_INT, false, "null" },
	{ "keep_summaries", FIELD_BOOL, false, NULL },
};
static const struct event_field a_call_tool[] = {
	NEEDS_TEXT("name"), OBJECT("arguments"), THOUGHT, RISK,
};
static const struct event_field a_task_tracking[] = {
	{ "command", FIELD_TEXT, false, "\"view\"" }, LIST("task_list"), THOUGHT,
};
static const struct event_field a_loop_recovery[] = { INT("option", "1") };

static const struct event_field o_run[] = {
	NEEDS_TEXT("command"), OBJECT("metadata"), FALSE("hidden"),
};
static const struct event_field o_run_ipython[] = {
	NEEDS_TEXT("code"), MAYBE_LIST("image_urls"),
};
static const struct event_field o_browse[] = {
	NEEDS_TEXT("url"), NEEDS_TEXT("trigger_by_action"), TEXT("screenshot"),
	MAYBE_TEXT("screenshot_path"), TEXT("set_of_marks"), FALSE("error"),
	LIST("goal_image_urls"), LIST("open_pages_urls"), INT("active_page_index", "-1"),
	OBJECT("dom_object"), OBJECT("axtree_object"), OBJECT("extra_element_properties"),
	TEXT("last_browser_action"), TEXT("last_browser_action_error"),
	TEXT("focused_element_bid"), FALSE("filter_visible_only"),
};
static const struct event_field o_read[] = {
	NEEDS_TEXT("path"), { "impl_source", FIELD_TEXT, false, "\"default\"" },
};
static const struct event_field o_write[] = { NEEDS_TEXT("path") };
static const struct event_field o_edit[] = {
	TEXT("path"), FALSE("prev_exist"), MAYBE_TEXT("old_content"),
	MAYBE_TEXT("new_content"),
	{ "impl_source", FIELD_TEXT, false, "\"llm_based_edit\"" }, MAYBE_TEXT("diff"),
	MAYBE_TEXT("_diff_cache"),
};
static const struct event_field o_delegate[] = {
	{ "outputs", FIELD_OBJECT, true, NULL },
};
static const struct event_field o_error[] = { TEXT("error_id") };
static const struct event_field o_agent_state_changed[] = {
	NEEDS_TEXT("agent_state"), TEXT("reason"),
};
static const struct event_field o_recall[] = {
	NEEDS_TEXT("recall_type"), TEXT("repo_name"), TEXT("repo_directory"),
	TEXT("repo_branch"), TEXT("repo_instructions"), OBJECT("runtime_hosts"),
	TEXT("additional_agent_instructions"), TEXT("date"),
	OBJECT("custom_secrets_descriptions"), TEXT("conversation_instructions"),
	TEXT("working_dir"), LIST("microagent_knowledge"),
};
static const struct event_field o_mcp[] = { TEXT("name"), OBJECT("arguments") };
static const struct event_field o_download[] = { NEEDS_TEXT("file_path") };
static const struct event_field o_task_tracking[] = { TEXT("command"),
						      LIST("task_list") };
static const struct event_field o_tool[] = {
	TEXT("name"), OBJECT("arguments"), FALSE("is_error"), LIST("media"),
};

#define FIELDS(array) array, ARRAY_LEN(array)
#define ACTION(id, name, flags, message, ...) \
	[ACTION_##id] = { ACTION_##id, name, true, flags, __VA_ARGS__, message }
#define OBSERVATION(id, name, flags, message, ...) \
	[OBSERVATION_##id] = { OBSERVATION_##id, name, false, flags, __VA_ARGS__, message }
#define NONE NULL, 0

/* The messages are verbatim from OpenHands. In them, {field} is the text of a field,
 * {field:50} its first 50 characters, and {field!r} its literal. event-text.c writes
 * messages that are "!". */
static const struct event_type types[EVENT_TYPE_COUNT] = {
	ACTION(NULL, "null", 0, "No action", NONE),
	ACTION(RUN, "run", EVENT_RUNNABLE, "Running command: {command}", FIELDS(a_run)),
	ACTION(RUN_IPYTHON, "run_ipython", EVENT_RUNNABLE,
	"Running Python code interactively: {code}",
	       FIELDS(a_run_ipython)),
	ACTION(BROWSE, "browse", EVENT_RUNNABLE, "I am browsing the URL: {url}", FIELDS(a_browse)),
	ACTION(BROWSE_INTERACTIVE, "browse_interactive", EVENT_RUNNABLE,
	       "I am interacting with the browser:\n```\n{browser_actions}\n```",
	       FIELDS(a_browse_interactive)),
	ACTION(READ, "read", EVENT_RUNNABLE, "Reading file: {path}", FIELDS(a_read)),
	ACTION(WRITE, "write", EVENT_RUNNABLE, "Writing file: {path}", FIELDS(a_write)),
	ACTION(EDIT, "edit", EVENT_RUNNABLE, "", FIELDS(a_edit)),
	ACTION(THINK, "think", 0, "I am thinking...: {thought}", FIELDS(a_think)),
	ACTION(FINISH, "finish", 0, "!", FIELDS(a_finish)),
	ACTION(REJECT, "reject", 0, "!", FIELDS(a_reject)),
	ACTION(DELEGATE, "delegate", EVENT_STEPS, "I'm asking {agent} for help with this task.",
	       FIELDS(a_delegate)),
	ACTION(RECALL, "recall", 0, "Retrieving content for: {query:50}", FIELDS(a_recall)),
	ACTION(CHANGE_AGENT_STATE, "change_agent_state", 0, "Agent state changed to {agent_state}",
	       FIELDS(a_change_agent_state)),
	ACTION(MESSAGE, "message", 0, "{content}", FIELDS(a_message)),
	ACTION(SYSTEM, "system", 0, "{content}", FIELDS(a_system)),
	ACTION(CONDENSATION, "condensation", EVENT_STEPS, "!", FIELDS(a_condensation)),
	ACTION(CONDENSATION_REQUEST, "condensation_request", EVENT_STEPS,
	       "Requesting a condensation of the conversation history.", NONE),
	ACTION(CALL_TOOL_MCP, "call_tool_mcp", EVENT_RUNNABLE,
	       "I am interacting with the MCP server with name:\n```\n{name}\n```\n"
	       "and arguments:\n```\n{arguments!r}\n```", FIELDS(a_call_tool)),
	ACTION(TASK_TRACKING, "task_tracking", 0, "!", FIELDS(a_task_tracking)),
	ACTION(LOOP_RECOVERY, "loop_recovery", 0, "", FIELDS(a_loop_recovery)),
	ACTION(CALL_TOOL, "call_tool", EVENT_RUNNABLE | EVENT_EXTENSION,
	       "Calling tool {name}: {arguments}", FIELDS(a_call_tool)),
	OBSERVATION(NULL, "null", 0, "No observation", NONE),
	OBSERVATION(RUN, "run", EVENT_SUCCESS,
		    "Command `{command}` executed with exit code {metadata.exit_code}.",
		    FIELDS(o_run)),
	OBSERVATION(RUN_IPYTHON, "run_ipython", EVENT_SUCCESS, "Code executed in IPython cell.",
		    FIELDS(o_run_ipython)),
	OBSERVATION(BROWSE, "browse", 0, "Visited {url}", FIELDS(o_browse)),
	OBSERVATION(READ, "read", 0, "I read the file {path}.", FIELDS(o_read)),
	OBSERVATION(WRITE, "write", 0, "I wrote to the file {path}.", FIELDS(o_write)),
	OBSERVATION(EDIT, "edit", 0, "I edited the file {path}.", FIELDS(o_edit)),
	OBSERVATION(DELEGATE, "delegate", 0, "", FIELDS(o_delegate)),
	OBSERVATION(SUCCESS, "success", 0, "{content}", NONE),
	OBSERVATION(ERROR, "error", 0, "{content}", FIELDS(o_error)),
	OBSERVATION(AGENT_STATE_CHANGED, "agent_state_changed", 0, "",
	FIELDS(o_agent_state_changed)),
	OBSERVATION(USER_REJECTED, "user_rejected", 0, "{content}", NONE),
	OBSERVATION(CONDENSE, "condense", 0, "{content}", NONE),
	OBSERVATION(THINK, "think", 0, "{content}", NONE),
	OBSERVATION(RECALL, "recall", 0, "!", FIELDS(o_recall)),
	OBSERVATION(MCP, "mcp", 0, "{content}", FIELDS(o_mcp)),
	OBSERVATION(DOWNLOAD, "download", 0, "Downloaded the file at location: {file_path}",
		    FIELDS(o_download)),
	OBSERVATION(TASK_TRACKING, "task_tracking", 0, "{content}", FIELDS(o_task_tracking)),
	OBSERVATION(LOOP_DETECTION, "loop_detection", 0, "", NONE),
	OBSERVATION(TOOL, "tool", EVENT_EXTENSION, "{content}", FIELDS(o_tool)),
};

const struct event_type *event_type_at(bool is_action, size_t n)
{
	const size_t first = is_action ? ACTION_FIRST : OBSERVATION_FIRST;
	const size_t end = is_action ? OBSERVATION_FIRST : EVENT_TYPE_COUNT;

	return n < end - first ? &types[first + n] : NULL;
}

size_t event_type_number(const struct event_type *type)
{
	return (size_t)type->id - (type->is_action ? ACTION_FIRST : OBSERVATION_FIRST);
}

const struct event_type *event_type_find(bool is_action, const char *name)
{
	const struct event_type *type;

	for (size_t n = 0; (type = event_type_at(is_action, n)); n++)
		if (strcmp(type->name, name) == 0)
			return type;
	return NULL;
}

const struct event_field *event_field_find(const struct event_type *type,
					   const char *name)
{
	for (size_t n = 0; n < type->field_count; n++)
		if (strcmp(type->fields[n].name, name) == 0)
			return &type->fields[n];
	return NULL;
}

bool event_field_is_ours(const struct event_field *field)
{
	return !field->required && !field->fallback;
}
