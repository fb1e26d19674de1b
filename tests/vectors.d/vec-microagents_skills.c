/* SPDX-License-Identifier: MIT
 *
 * vec-microagents_skills.c - recorded cases of skills: reading, triggers, globs,
 * names, the list, variables and commands in their text. */
#include "config/config.h"
#include "skills/skills.h"
#include "skills/triggers.h"
#include "plugins/tools/skill/inline.h"
#include "plugins/tools/skill/run.h"
#include "tests/vectors.d/vec.h"
#include <sys/stat.h>

/* A directory that stands for the recorded workspace, wherever it is named. The
 * directory of the recording was called `skills`: a SKILL.md in it is named so. */
static char here[64];

static json_object *list_of(const struct skill *s)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < s->trigger_count; i++)
		json_object_array_add(list, json_object_new_string(s->triggers[i]));
	return list;
}

static json_object *trigger_of(const struct skill *s)
{
	static const char *const kinds[] = { NULL, "keyword", "task", "path" };
	static const char *const lists[] = { NULL, "keywords", "triggers", "paths" };
	json_object *o;

	if (s->trigger == TRIGGER_NONE)
		return NULL;
	o = json_object_new_object();
	js_set_str(o, "type", kinds[s->trigger]);
	js_set(o, lists[s->trigger], list_of(s));
	return o;
}

static json_object *shown(const struct skill *s)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "name", s->name);
	js_set_str(o, "content", s->content);
	js_set(o, "trigger", trigger_of(s));
	js_set_str(o, "source", s->source);
	js_set_bool(o, "is_agentskills_format", s->listed);
	js_set_str(o, "version", "1.0.0");
	js_set_bool(o, "disable_model_invocation", s->hidden);
	js_set_str(o, "skill_type", skill_type(s));
	js_set_bool(o, "requires_user_input", s->asks);
	if (s->description)
		js_set_str(o, "description", s->description);
	if (s->trigger == TRIGGER_KEYWORD || s->trigger == TRIGGER_TASK)
		js_set(o, "all_triggers", list_of(s));
	if (s->more) {
		json_object_object_foreach(s->more, key, value)
			js_set(o, key, json_object_get(value));
	}
	return o;
}

static void compare(struct vec *v, json_object *expected, json_object *got)
{
	json_object_object_foreach(expected, key, value) {
		json_object *mine = js_get(got, key);
		bool same = json_object_is_type(value, json_type_string) && mine
				    ? vec_match(json_object_get_string(value),
						json_object_get_string(mine))
				    : js_equal(value, mine);

		if (!same)
			vec_fault(v, key, js_text(value, NULL), js_text(mine, NULL));
	}
	json_object_object_foreach(got, name, extra)
		if (!json_object_object_get_ex(expected, name, NULL))
			vec_fault(v, name, NULL, js_text(extra, NULL));
}

static bool load(struct vec *v, json_object *in, json_object *c)
{
	const char *path = js_str(in, "path", ""), *text = js_str(in, "text", "");
	const char *wanted = js_str(js_get(c, "error"), "message", "");
	struct error err = ERROR_NONE;
	AUTO(skill)
	struct skill *s = skill_parse(path, js_str(in, "base_dir", here), text,
				      strlen(text), true, NULL, &err);
	AUTO(json) json_object *got = s ? shown(s) : NULL;

	if (!js_get(c, "error") && !s)
		vec_fault(v, "refused", "a skill", err.text);
	else if (js_get(c, "error") && s)
		vec_fault(v, "read", wanted, js_text(got, NULL));
	else if (s)
		compare(v, js_get(c, "output"), got);
	else if (strcmp(js_str(js_get(c, "error"), "type", ""), "SkillValidationError") ==
			 0 &&
		 !vec_match(wanted, err.text))
		vec_fault(v, "message", wanted, err.text);
	return true;
}

static bool match_trigger(struct vec *v, json_object *in, json_object *c)
{
	json_object *words = js_get(in, "triggers"), *wanted = js_get(c, "output");
	const char *message = js_str(in, "message", ""), *got = NULL;

	for (size_t i = 0; !got && i < json_object_array_length(words); i++) {
		const char *word =
			json_object_get_string(json_object_array_get_idx(words, i));

		if (trigger_matches(word, message, strlen(message)))
			got = word;
	}
	if (!wanted != !got || (got && strcmp(got, json_object_get_string(wanted)) != 0))
		vec_fault(v, "trigger", js_text(wanted, NULL), got);
	return true;
}

static bool glob(struct vec *v, json_object *in, json_object *c)
{
	bool got =
		trigger_matches_path(js_str(in, "pattern", ""), js_str(in, "path", ""));

	if (got != js_bool(c, "output", false))
		vec_fault(v, js_text(in, NULL), got ? "no" : "yes", got ? "yes" : "no");
	return true;
}

static bool validate(struct vec *v, json_object *in, json_object *c)
{
	AUTO(strbuf) struct strbuf got = STRBUF(4096), wanted = STRBUF(4096);
	json_object *messages = js_get(c, "messages");
	size_t n =
		skill_name_faults(js_str(in, "name", ""), js_str(in, "dir", NULL), &got);

	for (size_t i = 0; i < json_object_array_length(messages); i++)
		strbuf_addf(&wanted, "%s%s", i ? "; " : "",
			    json_object_get_string(
				    json_object_array_get_idx(messages, i)));
	if ((int64_t)n != js_int(c, "output", -1) || !vec_match(wanted.text, got.text))
		vec_fault(v, "faults", wanted.text, got.text);
	return true;
}

static bool list(struct vec *v, json_object *in, json_object *c)
{
	json_object *skills = js_get(in, "skills");
	size_t n = json_object_array_length(skills);
	struct skill made[32] = { 0 }, *some[32];
	AUTO(strbuf) struct strbuf got = STRBUF(1 << 20);

	for (size_t i = 0; i < n && i < 32; i++) {
		json_object *o = json_object_array_get_idx(skills, i);

		made[i].name = (char *)js_str(o, "name", "");
		made[i].content = (char *)js_str(o, "content", "");
		made[i].description = (char *)js_str(o, "description", NULL);
		some[i] = &made[i];
	}
	skills_list_of(some, n, 1 << 20, &got);
	if (!vec_match(js_str(c, "output", ""), got.text))
		vec_fault(v, "list", js_str(c, "output", ""), got.text);
	return true;
}

static const char *lookup(const char *name, size_t len, void *arg)
{
	AUTO(free) char *copy = strndup(name, len);

	return js_str(arg, copy, NULL);
}

static bool expand(struct vec *v, json_object *in, json_object *c)
{
	AUTO(strbuf) struct strbuf got = STRBUF(1 << 20);
	const char *text = js_str(in, "data", "");

	if (!json_object_is_type(js_get(in, "data"), json_type_string)) {
		vec_skip(v, "v1 expand_variables",
			 "only texts: values of a configuration");
		return false;
	}
	skill_expand_variables(text, strlen(text), js_bool(in, "support_unbraced", false),
			       lookup, js_get(in, "secrets"), &got);
	if (!vec_match(js_str(c, "output", ""), got.text))
		vec_fault(v, "text", js_str(c, "output", ""), got.text);
	return true;
}

static bool commands(struct vec *v, json_object *in, json_object *c)
{
	AUTO(strbuf) struct strbuf got = STRBUF(1 << 20);
	const char *text = js_str(in, "content", "");
	const struct command_place place = { .directory = here, .cancel_fd = -1 };

	inline_commands(text, strlen(text), run_command, (void *)&place, &got);
	if (!vec_match(js_str(c, "output", ""), got.text))
		vec_fault(v, "text", js_str(c, "output", ""), got.text);
	return true;
}

/* Lay the files of a case out below a directory. */
static void lay_out(const char *root, json_object *files)
{
	json_object_object_foreach(files, name, value) {
		AUTO(free) char *path = path_join(root, name);
		AUTO(free) char *directory = strdup(path);
		struct error err = ERROR_NONE;
		size_t len = (size_t)json_object_get_string_len(value);

		*strrchr(directory, '/') = '\0';
		if (dir_make(directory, &err) ||
		    file_write(path, json_object_get_string(value), len, 0600, false,
			       &err))
			printf("# %s\n", err.text);
	}
}

static void compare_skill(struct vec *v, json_object *wanted, const struct skill *s)
{
	AUTO(json) json_object *got = json_object_new_object();

	js_set_str(got, "name", s->name);
	js_set_str(got, "source", s->source);
	js_set(got, "trigger", trigger_of(s));
	js_set_str(got, "content", s->content);
	js_set_bool(got, "agentskills", s->listed);
	compare(v, wanted, got);
}

/* The rules of subdirectories are read when a path leads through them. */
static void touch_all(struct skills *s, json_object *files)
{
	json_object_object_foreach(files, name, value) {
		(void)value;
		skills_add_path_rules(s, name, NULL);
	}
}

static bool is_of_subdirectory(const char *name)
{
	return strncmp(name, "agents:", strlen("agents:")) == 0;
}

static void compare_skills(struct vec *v, json_object *wanted, const struct skills *s)
{
	size_t n = json_object_array_length(wanted), at = 0;

	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(wanted, i);
		const char *name = js_str(one, "name", "");
		const struct skill *skill = is_of_subdirectory(name)
						    ? skills_find(s, name)
						    : skills_at(s, at++);

		if (skill)
			compare_skill(v, one, skill);
		else
			vec_fault(v, "a skill", name, NULL);
	}
	if (skills_at(s, n))
		vec_fault(v, "one more", NULL, skills_at(s, n)->name);
}

static bool project(struct vec *v, json_object *in, json_object *c)
{
	static const char *const alone[] = { "skills.user=no", "skills.packs=no", "skills.path=",
					     "skills.bundled=" };
	const struct config_input input = { .overrides = alone,
					    .override_count = ARRAY_LEN(alone) };
	const char *root = js_str(in, "work_dir", here);
	struct config *config = NULL;
	struct error err = ERROR_NONE;
	AUTO(skills) struct skills *s = NULL;

	lay_out(root, js_get(in, "files"));
	if (config_load(&input, &config, &err) || skills_load(config, root, &s, &err))
		vec_fault(v, "failed", "skills", err.text);
	config_free(config);
	if (s) {
		touch_all(s, js_get(in, "files"));
		compare_skills(v, js_get(c, "output"), s);
	}
	return true;
}

static bool run_case(struct vec *v, json_object *recorded,
		     bool (*run)(struct vec *v, json_object *in, json_object *c))
{
	AUTO(json) json_object *c = NULL;
	bool ran;

	if (!vec_workspace_make(here, sizeof here, "skills")) {
		vec_fault(v, "no directory", here, NULL);
		return true;
	}
	c = vec_localize(recorded, here);
	ran = run(v, js_get(c, "in"), c);
	vec_workspace_remove(here);
	return ran;
}

static bool one(struct vec *v, json_object *c)
{
	static const struct {
		const char *fn;
		bool (*run)(struct vec *v, json_object *in, json_object *c);
	} functions[] = {
		{ "load", load },
		{ "match_trigger", match_trigger },
		{ "path_glob", glob },
		{ "validate_skill_name", validate },
		{ "available_skills_prompt", list },
		{ "expand_variables", expand },
		{ "inline_commands", commands },
		{ "load_project_skills", project },
	};
	static const char rules[] = "V1's rules are ours; V0's files load by them";
	static const struct vec_decision decided[] = {
		{ "v0", "load", rules }, { "v0", "load_dir", rules },
		{ "v0", "match_trigger", rules },
	};
	const char *fn = js_str(c, "fn", "");
	bool v1 = strcmp(js_str(c, "version", ""), "v1") == 0;

	for (size_t i = 0; v1 && i < ARRAY_LEN(functions); i++)
		if (strcmp(functions[i].fn, fn) == 0)
			return run_case(v, c, functions[i].run);
	return vec_decide(v, c, decided, ARRAY_LEN(decided));
}

int main(int argc, char **argv)
{
	struct vec v;

	if (!vec_open(&v, argc, argv))
		return 2;
	setenv("HOME", "/nonexistent", 1); /* no settings */
	unsetenv("XDG_CONFIG_HOME");
	vec_each(&v, one);
	return vec_done(&v);
}
