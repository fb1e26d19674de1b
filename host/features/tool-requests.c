/* SPDX-License-Identifier: MIT
 *
 * tool-requests.c - handles requests of the tools invoke_skill, memory and recall:
 * skills, the user's notes and the log are not accessible to tools. */
#include "base64.h"
#include "controller/feature-api.h"
#include "features/context-recall.h"
#include "files.h"
#include "notes.h"
#include "skills/skills.h"
#include "tools/secret-requests.h"

#include <string.h>
#include <strings.h>

enum { NEAR_MAX = 10, RESOURCES_MAX = 64 };

void tool_requests_answer(struct conversation *c, uint64_t request, json_object *result)
{
	size_t len;
	const char *text = js_text(result, &len);

	if (text)
		runner_answer(conversation_runner(c), request, MT_OK, text, len);
	else
		runner_refuse(conversation_runner(c), request, MT_ENOMEM,
			      status_name(MT_ENOMEM));
}

static bool holds_word(const char *text, const char *word)
{
	return text && *word && strcasestr(text, word);
}

/* No skill has this name: list the skills whose name or description contains it. */
static void answer_near(struct conversation *c, uint64_t request, const char *name)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);
	struct skills *all = recall_skills(c);
	struct skill *near[NEAR_MAX], *s;
	size_t n = 0;

	for (size_t i = 0; n < NEAR_MAX && (s = skills_at(all, i)); i++)
		if (!s->hidden &&
		    (holds_word(s->name, name) ||
		     (!skill_describe(s) && holds_word(s->description, name))))
			near[n++] = s;
	strbuf_addf(&text, "Unknown skill `%.100s`. %s", name,
		    n ? "Similar skills:\n"
		      : "No name or description contains this term.");
	skills_list_of(near, n, 16 << 10, &text);
	runner_refuse(conversation_runner(c), request, MT_ENOTFOUND, text.text);
}

static void tool_requests_load(struct conversation *c, uint64_t request,
			       json_object *params)
{
	const char *name = js_str(params, "name", "");
	struct skills *all = recall_skills(c);
	struct skill *s = all ? skills_find(all, name) : NULL;
	AUTO(json) json_object *result = js_new_object();
	struct error err = ERROR_NONE;

	if (!all) {
		runner_refuse(conversation_runner(c), request, MT_ENOTFOUND,
			      "no skills are available");
	} else if (!s) {
		answer_near(c, request, name);
	} else if (s->hidden) {
		runner_refuse(
			conversation_runner(c), request, MT_EDENIED,
			"only the user can call this skill; it is also loaded when a "
			"trigger of it occurs");
	} else if (skills_content(s, &err)) {
		runner_refuse(conversation_runner(c), request, err.code, err.text);
	} else {
		recall_servers(c, s);
		js_set_strn(result, "content", s->content, skill_text_len(s));
		js_set_bool(result, "may_run", strcmp(s->place, "project") != 0);
		js_set(result, "files", skills_files(s, RESOURCES_MAX));
		js_set(result, "inputs", json_object_get(skill_inputs(s)));
		tool_requests_answer(c, request, result);
	}
}

static void tool_requests_load_file(struct conversation *c, uint64_t request,
				    json_object *params)
{
	struct skills *all = recall_skills(c);
	struct skill *s = all ? skills_find(all, js_str(params, "name", "")) : NULL;
	AUTO(json) json_object *result = js_new_object();
	AUTO(strbuf) struct strbuf encoded = STRBUF(4 * SKILL_MAX);
	AUTO(free) char *bytes = NULL;
	struct error err = ERROR_NONE;
	size_t len;

	if (!s || s->hidden)
		runner_refuse(conversation_runner(c), request, MT_ENOTFOUND,
			      "Unknown skill.");
	else if (skills_file(s, js_str(params, "file", ""), &bytes, &len, &err))
		runner_refuse(conversation_runner(c), request, err.code, err.text);
	else if (base64_put(&encoded, bytes, len))
		runner_refuse(conversation_runner(c), request, MT_ENOMEM,
			      status_name(MT_ENOMEM));
	else {
		js_set_strn(result, "base64", encoded.text, encoded.len);
		tool_requests_answer(c, request, result);
	}
}

/* Notes of the user. The tool writes the notes of a project itself. */
static void write_notes(struct conversation *c, uint64_t request, json_object *params)
{
	AUTO(free) char *dir = NULL, *path = NULL;
	AUTO(json) json_object *result = js_new_object();
	bool add = strcmp(js_str(params, "command", ""), "append") == 0;
	struct error err = ERROR_NONE;

	if (!paths_xdg_dir("DATA", true, &dir, &err))
		path = path_join(dir, "MEMORY.md");
	if (!path ||
	    notes_write(path, add ? NOTES_APPEND : NOTES_REPLACE,
			js_str(params, "old", ""), js_str(params, "text", ""), &err))
		runner_refuse(conversation_runner(c), request,
			      err.code ? err.code : MT_ENOMEM, error_text(&err));
	else if (!js_set_str(result, "path", path))
		tool_requests_answer(c, request, result);
	else
		runner_refuse(conversation_runner(c), request, MT_ENOMEM,
			      status_name(MT_ENOMEM));
}

static bool tool_request_answer(struct conversation *c, uint64_t call, uint64_t request,
				const char *method, json_object *params)
{
	(void)call;
	static const struct {
		const char *method;
		void (*answer)(struct conversation *c, uint64_t request, json_object *params);
	} known[] = {
		{ "skill/load", tool_requests_load },
		{ "skill/file", tool_requests_load_file },
		{ "memory/write", write_notes },
		{ "history/recall", log_search_answer },
	};

	if (secret_request_answer(conversation_runner(c), conversation_config(c),
				  conversation_secrets(c), request, method, params))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i].method, method) == 0) {
			known[i].answer(c, request, params);
			return true;
		}
	return false;
}

static void tool_requests_after_message(struct conversation *c, bool first)
{
	if (first)
		recall_context(c, -1);
	else
		recall_more(c);
}

static void tool_requests_release(struct conversation *c)
{
	struct skills **skills = feature_state(c, &skills_and_notes_feature);

	*skills = skills_free(*skills);
}

const struct feature skills_and_notes_feature = {
	.name = "skills and notes",
	.section = "skills",
	.state_size = sizeof(struct skills *),
	.after_message = tool_requests_after_message,
	.observation_text = recall_text,
	.restore_agent = recall_restore,
	.request = tool_request_answer,
	.after_result = recall_rules,
	.release = tool_requests_release,
};
