/* SPDX-License-Identifier: MIT
 *
 * context-recall.c - context injected for the model in addition to user messages: the
 * workspace after the first message, skills that a message triggers, rules for files
 * that a call has touched. */
#include "features/context-recall.h"
#include "features/observation-note.h"

#include "context/history.h"
#include "context/prompts.h"
#include "context/recall-text.h"
#include "context/repository.h"
#include "controller/feature-api.h"
#include "controller/overlay.h"
#include "files.h"
#include "log.h"
#include "notes.h"
#include "skills/skills.h"
#include "tools/mcp-servers.h"

#include <string.h>

enum { INSTRUCTIONS_MAX = 64 << 10, SHORT_LIST_MAX = 128 };

#define RULES_STATE "rules"

struct skills *recall_skills(struct conversation *c)
{
	struct skills **skills = feature_state(c, &skills_and_notes_feature);
	struct error err = ERROR_NONE;

	if (!*skills &&
	    skills_load(conversation_config(c), conversation_workspace(c), skills, &err))
		conversation_notice(c, MT_LOG_WARNING, "no skills: %s", err.text);
	return *skills;
}

void recall_servers(struct conversation *c, const struct skill *s)
{
	AUTO(json) json_object *servers = skill_mcp_servers(s);

	if (servers && !mcp_servers_trusted(s->name, servers))
		conversation_notice(
			c, MT_LOG_WARNING,
			"the MCP servers of skill %s are not started; run `mortise "
			"skills trust %s` to show and trust them",
			s->name, s->name);
}

/* ---- the message that it is about --------------------------------------- */

/* The first or the newest user message to the active agent; a reference. */
static struct event *recall_message_of(struct conversation *c, bool first)
{
	int64_t count = evlog_count(conversation_log(c));

	for (int64_t n = conversation_agent(c)->start; n < count; n++) {
		int64_t id = first ? n : count - 1 - (n - conversation_agent(c)->start);
		const struct evlog_head *head = evlog_head(conversation_log(c), id);

		if (head->source == SOURCE_USER && !head->undone &&
		    head->type->id == ACTION_MESSAGE)
			return evlog_event(conversation_log(c), id, NULL);
	}
	return NULL;
}

/* ---- skills ------------------------------------------------------------- */

/* True if a recall in the log contains this skill. */
static bool is_given(struct conversation *c, const char *name)
{
	for (int64_t id = 0; id < evlog_count(conversation_log(c)); id++) {
		const struct evlog_head *head = evlog_head(conversation_log(c), id);
		AUTO(event) struct event *e = NULL;
		json_object *list;

		if (head->undone || head->type->id != OBSERVATION_RECALL)
			continue;
		e = evlog_event(conversation_log(c), id, NULL);
		list = e ? js_get(event_args(e), "microagent_knowledge") : NULL;
		for (size_t i = 0; json_object_is_type(list, json_type_array) &&
				   i < json_object_array_length(list);
		     i++)
			if (strcmp(js_str(json_object_array_get_idx(list, i), "name", ""),
				   name) == 0)
				return true;
	}
	return false;
}

/* The directory of a skill, if the model may open its files. */
static void recall_add_location(json_object *o, const struct skill *s)
{
	AUTO(free) char *dir = s->listed && !s->pack ? strdup(s->source) : NULL;
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (slash && strcmp(s->place, "project") == 0) {
		*slash = '\0';
		js_set_str(o, "location", dir);
	}
}

/* The skills that the message triggers and that were not sent before. NULL: none. */
static json_object *knowledge(struct conversation *c, const char *text)
{
	struct skills *all = recall_skills(c);
	json_object *list = NULL;
	struct skill *s;

	for (size_t i = 0; all && (s = skills_at(all, i)); i++) {
		const char *trigger = skill_find_trigger(s, text, strlen(text));
		struct error err = ERROR_NONE;
		json_object *o;

		if (!trigger || is_given(c, s->name))
			continue;
		if (skills_content(s, &err)) {
			conversation_notice(c, MT_LOG_WARNING, "skill %s: %s", s->name,
					    err.text);
			continue;
		}
		recall_servers(c, s);
		o = js_new_object();
		js_set_str(o, "name", s->name);
		js_set_str(o, "trigger", trigger);
		js_set_str(o, "content", s->content);
		recall_add_location(o, s);
		list = list ? list : js_new_list();
		js_add_new(list, o);
	}
	return list;
}

/* Rules for models of another family. */
static bool is_for_others(const struct conversation *c, const struct skill *s)
{
	const char *model =
		conversation_agent(c)->llm ? llm_name(conversation_agent(c)->llm) : "";

	return s->plain &&
	       (strcmp(s->name, "claude") == 0 || strcmp(s->name, "gemini") == 0) &&
	       !strstr(model, s->name);
}

/* The texts that are always sent, separated by blank lines. */
static void add_instructions(struct conversation *c, json_object *extras)
{
	AUTO(strbuf) struct strbuf out = STRBUF(2 * SKILL_MAX);
	struct skills *all = recall_skills(c);
	struct skill *s;

	for (size_t i = 0; all && (s = skills_at(all, i)); i++) {
		if (s->trigger != TRIGGER_NONE || s->listed || is_for_others(c, s) ||
		    (s->content && strstr(out.text, s->content)))
			continue;
		if (skills_content(s, NULL))
			continue;
		if (out.len + strlen(s->content) > INSTRUCTIONS_MAX) {
			conversation_notice(c, MT_LOG_WARNING,
					    "%s is not sent: the project instructions "
					    "exceed %d KiB",
					    s->source, INSTRUCTIONS_MAX >> 10);
			continue;
		}
		recall_servers(c, s);
		strbuf_addf(&out, "%s%s", out.len ? "\n\n" : "", s->content);
	}
	if (out.error)
		js_fail(extras);
	else if (out.len)
		js_set_strn(extras, "repo_instructions", out.text, out.len);
}

static void recall_add_list(struct conversation *c, json_object *extras)
{
	AUTO(strbuf) struct strbuf out = STRBUF(2 << 20);
	struct skills *all = catalog_find(&conversation_agent(c)->catalog, "invoke_skill")
				     ? recall_skills(c)
				     : NULL;
	size_t max =
		4 * (size_t)config_int(conversation_config(c), "skills", "list_tokens");

	if (config_get(conversation_config(c), "skills", "list_max"))
		max = (size_t)config_int(conversation_config(c), "skills", "list_max");

	if (conversation_agent(c)->llm &&
	    (llm_feature(conversation_agent(c)->llm, "short_tools") ||
	     llm_is_small(conversation_agent(c)->llm)) &&
	    max > SHORT_LIST_MAX)
		max = SHORT_LIST_MAX;
	if (all && skills_list(all, max, &out))
		js_fail(extras);
	else if (out.len)
		js_set_strn(extras, "available_skills", out.text, out.len);
}

/* ---- the workspace ------------------------------------------------------ */

static void add_repository(struct conversation *c, json_object *extras)
{
	struct repository r;

	if (repository_read(conversation_workspace(c), &r))
		return;
	js_set_str(extras, "repo_name", r.name);
	js_set_str(extras, "repo_directory", r.dir);
	js_set_str(extras, "repo_branch", r.branch);
	repository_clear(&r);
}

static char *memory_path(struct conversation *c, bool of_user)
{
	AUTO(free) char *data = NULL;

	if (!of_user)
		return conversation_file(c, ".openhands/memory/MEMORY.md");
	return paths_xdg_dir("DATA", false, &data, NULL) ? NULL
							 : path_join(data, "MEMORY.md");
}

static void add_memory(struct conversation *c, json_object *extras, const char *name,
		       bool of_user)
{
	struct error err = ERROR_NONE;
	AUTO(free) char *path = memory_path(c, of_user);
	AUTO(free) char *text = path ? notes_read(path, &err) : NULL;

	if (err.code)
		log_line(MT_LOG_WARNING, "memory", "notes are not sent to the model: %s",
			 err.text);
	if (text && *text)
		js_set_str(extras, name, text);
}

static void post_result(struct conversation *c, int64_t action, const char *content,
			json_object *extras)
{
	struct error err = ERROR_NONE;

	conversation_log_event(c,
			       event_observation("recall", SOURCE_ENVIRONMENT,
						 action < 0 ? -1 : action, content,
						 strlen(content), extras, &err),
			       &err);
}

static int64_t post_question(struct conversation *c, const char *kind, const char *query)
{
	struct error err = ERROR_NONE;
	json_object *args = js_new_object();

	js_set_str(args, "recall_type", kind);
	js_set_str(args, "query", query);
	return conversation_log_event(c, event_action("recall", SOURCE_USER, args, &err),
				      &err);
}

void recall_context(struct conversation *c, int64_t action)
{
	AUTO(event) struct event *message = recall_message_of(c, true);
	const char *text = message ? event_arg(message, "content") : "";
	const char *instructions =
		config_get(conversation_config(c), conversation_agent(c)->section,
			   "instructions");
	json_object *extras = js_new_object(), *list;
	AUTO(free) char *workspace = conversation_tool_workspace(c);
	char now[32];

	if (action < 0)
		action = post_question(c, "workspace_context", text);
	event_timestamp_now(now);
	now[10] = '\0';
	js_set_str(extras, "recall_type", "workspace_context");
	js_set_str(extras, "working_dir",
		   workspace ? workspace : conversation_workspace(c));
	js_set_str(extras, "date", now);
	add_repository(c, extras);
	add_instructions(c, extras);
	add_memory(c, extras, "user_memory", true);
	if (config_bool(conversation_config(c), "skills", "project"))
		add_memory(c, extras, "project_memory", false);
	recall_add_list(c, extras);
	if (instructions && *instructions)
		js_set_str(extras, "conversation_instructions", instructions);
	list = knowledge(c, text);
	if (list)
		js_set(extras, "microagent_knowledge", list);
	post_result(c, action, "Added workspace context", extras);
}

void recall_restore(struct conversation *c)
{
	int64_t action = -1;

	if (!history_user_since(conversation_log(c), conversation_agent(c)->start))
		return;
	for (int64_t id = conversation_agent(c)->start;
	     id < evlog_count(conversation_log(c)); id++) {
		const struct evlog_head *head = evlog_head(conversation_log(c), id);

		if (head->undone || (head->type->id != ACTION_RECALL &&
				     head->type->id != OBSERVATION_RECALL))
			continue;
		if (!head->type->is_action)
			return;
		action = id;
	}
	recall_context(c, action);
}

void recall_more(struct conversation *c)
{
	AUTO(event) struct event *message = recall_message_of(c, false);
	const char *text = message ? event_arg(message, "content") : "";
	json_object *list = knowledge(c, text), *extras;

	if (!list)
		return;
	extras = js_new_object();
	js_set_str(extras, "recall_type", "knowledge");
	js_set(extras, "microagent_knowledge", list);
	post_result(c, post_question(c, "knowledge", text),
		    "Retrieved knowledge from microagents", extras);
}

/* If a template cannot be read, its content is omitted, and a notice reports that. */
static char *render(struct conversation *c, const char *name, json_object *data)
{
	struct error err = ERROR_NONE;
	char *text = prompt_render(conversation_config(c),
				   conversation_agent(c)->plugin.component->name, name,
				   data, &err);

	if (!text)
		conversation_notice(c, MT_LOG_ERROR,
				    "context was not sent to the model: %s", err.text);
	return text;
}

char *recall_text(struct conversation *c, const struct event *e)
{
	struct error err = ERROR_NONE;
	char *text = recall_render(conversation_config(c),
				   conversation_agent(c)->plugin.component->name,
				   conversation_log(c), e, &err);

	if (!text)
		conversation_notice(c, MT_LOG_ERROR,
				    "context was not sent to the model: %s", err.text);
	return text;
}

/* ---- rules for files ----------------------------------------------------- */

/* The file that an action concerns, relative to the workspace; NULL: none. */
static const char *touched(const struct conversation *c, const struct event *action)
{
	json_object *args = event_args(action), *inner = js_get(args, "arguments");
	const char *path = js_str(args, "path", NULL);
	size_t n = strlen(conversation_workspace(c));

	if (!path)
		path = js_str(inner, "path", js_str(inner, "file_path", NULL));
	if (!path)
		return NULL;
	if (*path == '/')
		return strncmp(path, conversation_workspace(c), n) == 0 && path[n] == '/'
			       ? path + n + 1
			       : NULL;
	return strncmp(path, "./", 2) == 0 ? path + 2 : path;
}

/* The names of the rules that were added; owned. */
static json_object *rules_given(struct conversation *c)
{
	size_t len = 0;
	const char *text = evlog_state(conversation_log(c), RULES_STATE, &len);
	json_object *list = text ? js_parse(text, len, NULL) : NULL;

	if (json_object_is_type(list, json_type_array))
		return list;
	json_object_put(list);
	return js_new_list();
}

static bool recall_has_name(json_object *list, const char *name)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (strcmp(json_object_get_string(json_object_array_get_idx(list, i)),
			   name) == 0)
			return true;
	return false;
}

static void keep_given(struct conversation *c, json_object *list)
{
	AUTO(json) json_object *record = js_new_object();
	struct error err = ERROR_NONE;

	if (js_set_str(record, "record", "state") ||
	    js_set_str(record, "plugin", RULES_STATE) ||
	    js_set_str(record, "text", js_text(list, NULL)))
		out_of_memory(&err);
	if (err.code || evlog_record(conversation_log(c), record, &err))
		conversation_notice(c, MT_LOG_WARNING, "%s", err.text);
}

static json_object *rule(struct conversation *c, const struct skill *s, const char *path)
{
	AUTO(json) json_object *data = js_new_object();
	AUTO(free) char *text = NULL;
	json_object *o;

	js_set_str(data, "name", s->name);
	js_set_str(data, "path", path);
	js_set_str(data, "content", s->content);
	text = render(c, "rule", data);
	o = text ? js_new_object() : NULL;
	js_set_str(o, "name", s->name);
	js_set_str(o, "text", text);
	return o;
}

void recall_rules(struct conversation *c, const struct event *action,
		  const struct runner_result *result, struct event *e)
{
	const char *path = touched(c, action);
	struct skills *all = path && e ? recall_skills(c) : NULL;
	AUTO(json) json_object *given = NULL;
	json_object *note;
	struct skill *s;
	bool added = false;

	(void)result;
	if (!all)
		return;
	if (config_bool(conversation_config(c), "skills", "project"))
		skills_add_path_rules(all, path, NULL);
	for (size_t i = 0; (s = skills_at(all, i)); i++) {
		if (!skill_matches_path(s, path))
			continue;
		given = given ? given : rules_given(c);
		if (recall_has_name(given, s->name) || skills_content(s, NULL) ||
		    !(note = rule(c, s, path)))
			continue;
		observation_note_add_item(e, note);
		js_add_new(given, json_object_new_string(s->name));
		added = true;
	}
	if (added)
		keep_given(c, given);
}
