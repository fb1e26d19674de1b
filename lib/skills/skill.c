/* SPDX-License-Identifier: MIT
 *
 * skill.c - parses one skill. */
#include "skills/skill.h"

#include "skills/triggers.h"
#include "array.h"
#include "front-matter.h"
#include "space.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct skill *skill_free(struct skill *s)
{
	if (!s)
		return NULL;
	for (size_t i = 0; i < s->trigger_count; i++)
		free(s->triggers[i]);
	free(s->triggers);
	free(s->name);
	free(s->description);
	free(s->source);
	free(s->content);
	json_object_put(s->more);
	free(s);
	return NULL;
}

/* ---- names ------------------------------------------------------------- */

static bool well_formed(const char *name)
{
	bool dash = true; /* true where a dash is not allowed */

	for (; *name; name++) {
		if (*name == '-' ? dash
				 : !(islower((unsigned char)*name) ||
				     isdigit((unsigned char)*name)))
			return false;
		dash = *name == '-';
	}
	return !dash;
}

size_t skill_name_faults(const char *name, const char *dir, struct strbuf *out)
{
	size_t n = 0;

	if (!*name) {
		strbuf_add(out, "Name cannot be empty");
		return 1;
	}
	if (utf8_count(name, strlen(name)) > SKILL_NAME_MAX) {
		strbuf_addf(out, "Name exceeds %d characters: %zu", SKILL_NAME_MAX,
			    utf8_count(name, strlen(name)));
		n++;
	}
	if (!well_formed(name))
		strbuf_addf(out,
			    "%sName must be lowercase alphanumeric with single "
			    "hyphens (e.g., 'my-skill', 'pdf-tools')",
			    n++ ? "; " : "");
	if (dir && strcmp(name, dir) != 0)
		strbuf_addf(out, "%sName '%s' does not match directory '%s'",
			    n++ ? "; " : "", name, dir);
	return n;
}

bool skill_is_standard_file(const char *file)
{
	return strcasecmp(file, "skill.md") == 0;
}

bool skill_is_rules_file(const char *file, const char **ret_name)
{
	static const struct {
		const char *file, *name;
	} known[] = {
		{ ".cursorrules", "cursorrules" },
		{ "agents.md", "agents" },
		{ "agent.md", "agents" },
		{ "claude.md", "claude" },
		{ "gemini.md", "gemini" },
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcasecmp(file, known[i].file) == 0) {
			if (ret_name)
				*ret_name = known[i].name;
			return true;
		}
	return false;
}

static const char *skill_file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The last directory of a path; owned. */
static char *parent_name(const char *path)
{
	const char *end = strrchr(path, '/'), *start = end;

	if (!end)
		return strdup("");
	while (start > path && start[-1] != '/')
		start--;
	return strndup(start, (size_t)(end - start));
}

/* The path relative to `base`, without its suffix; owned. */
static char *name_below(const char *path, const char *base)
{
	size_t n = base ? strlen(base) : 0;
	const char *name = skill_file_of(path), *dot;

	if (n && strncmp(path, base, n) == 0 && path[n] == '/')
		name = path + n + 1;
	dot = strrchr(skill_file_of(path), '.');
	if (!dot || dot == skill_file_of(path))
		return strdup(name);
	return strndup(name, (size_t)(dot - name));
}

/* ---- the front matter --------------------------------------------------- */

static int add_trigger(struct skill *s, const char *word, size_t len, struct error *err)
{
	int status =
		ARRAY_GROW(s->triggers, NULL, s->trigger_count + 1, SKILL_TRIGGERS_MAX);

	if (status == MT_ELIMIT)
		return fail(err, MT_ELIMIT, "more than %d triggers", SKILL_TRIGGERS_MAX);
	if (status)
		return out_of_memory(err);
	s->triggers[s->trigger_count] = strndup(word, len);
	if (!s->triggers[s->trigger_count])
		return out_of_memory(err);
	s->trigger_count++;
	return MT_OK;
}

static int add_trigger_list(struct skill *s, json_object *list, const char *complaint,
			    struct error *err)
{
	int r = MT_OK;

	if (!json_object_is_type(list, json_type_array))
		return fail(err, MT_EINVAL, "%s", complaint);
	for (size_t i = 0; !r && i < json_object_array_length(list); i++) {
		json_object *word = json_object_array_get_idx(list, i);

		if (!json_object_is_type(word, json_type_string))
			return fail(err, MT_EINVAL, "%s", complaint);
		r = add_trigger(s, json_object_get_string(word),
				(size_t)json_object_get_string_len(word), err);
	}
	return r;
}

static int take_paths(struct skill *s, json_object *paths, struct error *err)
{
	s->trigger = TRIGGER_PATH;
	s->hidden = true;
	if (json_object_is_type(paths, json_type_string))
		return add_trigger(s, json_object_get_string(paths),
				   (size_t)json_object_get_string_len(paths), err);
	return add_trigger_list(s, paths, "Paths must be a list of globs", err);
}

/* The name of a task is also a trigger. */
static int add_command(struct skill *s, struct error *err)
{
	AUTO(strbuf) struct strbuf word = STRBUF(4096);

	strbuf_addf(&word, "/%s", s->name);
	for (size_t i = 0; i < s->trigger_count; i++)
		if (strcmp(s->triggers[i], word.text) == 0)
			return MT_OK;
	return add_trigger(s, word.text, word.len, err);
}

static bool is_filled(json_object *value)
{
	if (json_object_is_type(value, json_type_array))
		return json_object_array_length(value) > 0;
	return value && !(json_object_is_type(value, json_type_string) &&
			  json_object_get_string_len(value) == 0);
}

static int take_inputs(struct skill *s, json_object *inputs, struct error *err)
{
	static const char complaint[] = "Inputs must be a list of {name, description}";

	s->trigger = TRIGGER_TASK;
	if (!json_object_is_type(inputs, json_type_array))
		return fail(err, MT_EINVAL, "%s", complaint);
	for (size_t i = 0; i < json_object_array_length(inputs); i++)
		if (!js_get(json_object_array_get_idx(inputs, i), "name"))
			return fail(err, MT_EINVAL, "%s", complaint);
	return js_set(s->more, "inputs", json_object_get(inputs)) ? out_of_memory(err)
								  : add_command(s, err);
}

static int take_triggers(struct skill *s, json_object *front, struct error *err)
{
	json_object *paths = js_get(front, "paths"), *words = js_get(front, "triggers");
	json_object *inputs = js_get(front, "inputs");
	int r = MT_OK;

	if (words && !json_object_is_type(words, json_type_array))
		return fail(err, MT_EINVAL, "Triggers must be a list of strings");
	if (is_filled(paths))
		return take_paths(s, paths, err);
	if (words)
		r = add_trigger_list(s, words, "Triggers must be a list of strings", err);
	if (!r && s->trigger_count)
		s->trigger = TRIGGER_KEYWORD;
	return !r && is_filled(inputs) ? take_inputs(s, inputs, err) : r;
}

static int skill_keep_text(struct skill *s, const char *name, json_object *value)
{
	return value ? js_set_str(s->more, name, json_object_get_string(value)) : MT_OK;
}

static int keep_metadata(struct skill *s, json_object *map)
{
	json_object *texts;

	if (!json_object_is_type(map, json_type_object))
		return MT_OK;
	texts = json_object_new_object();
	json_object_object_foreach(map, key, value) {
		if (js_set_str(texts, key, value ? json_object_get_string(value) : "")) {
			json_object_put(texts);
			return MT_ENOMEM;
		}
	}
	return js_set_new(s->more, "metadata", texts);
}

/* "Bash(git:*) Read" or a list. */
static int keep_tools(struct skill *s, json_object *tools)
{
	const char *at = json_object_get_string(tools);
	json_object *list;

	if (!tools)
		return MT_OK;
	if (json_object_is_type(tools, json_type_array))
		return js_set(s->more, "allowed_tools", json_object_get(tools));
	list = json_object_new_array();
	for (size_t n; *(at += strspn(at, " \t\n")); at += n) {
		n = strcspn(at, " \t\n");
		if (js_add_new(list, json_object_new_string_len(at, (int)n))) {
			json_object_put(list);
			return MT_ENOMEM;
		}
	}
	return js_set_new(s->more, "allowed_tools", list);
}

/* Copy without surrounding white space, such as the newline that ends a folded text. */
static char *strdup_trimmed(const char *text)
{
	size_t n;

	text += strspn(text, " \t\r\n");
	n = strlen(text);
	while (n && strchr(" \t\r\n", text[n - 1]))
		n--;
	return strndup(text, n);
}

static int take_front(struct skill *s, json_object *front, struct error *err)
{
	json_object *description = js_get(front, "description");
	json_object *mcp = js_get(front, "mcp_tools");

	s->more = json_object_new_object();
	s->hidden = js_bool(front, "disable-model-invocation", false);
	if (description) {
		s->description = strdup_trimmed(json_object_get_string(description));
		if (!s->description)
			return out_of_memory(err);
	}
	if (!s->more || skill_keep_text(s, "license", js_get(front, "license")) ||
	    skill_keep_text(s, "compatibility", js_get(front, "compatibility")) ||
	    keep_metadata(s, js_get(front, "metadata")) ||
	    keep_tools(s, js_get(front, "allowed-tools")) ||
	    (mcp && js_set(s->more, "mcp_tools", json_object_get(mcp))))
		return out_of_memory(err);
	return take_triggers(s, front, err);
}

/* ---- one file ----------------------------------------------------------- */

static bool has_variables(const char *text)
{
	for (; (text = strstr(text, "${")); text += 2) {
		size_t n = 2;

		while (isalnum((unsigned char)text[n]) || text[n] == '_')
			n++;
		if (n > 2 && text[n] == '}' && !isdigit((unsigned char)text[2]))
			return true;
	}
	return false;
}

static int skill_take_body(struct skill *s, const char *body, size_t len,
			   struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(2 * SKILL_MAX);

	utf8_add_clean(&text, body, len);
	s->asks = has_variables(text.text);
	if (s->trigger == TRIGGER_TASK)
		strbuf_add(&text, SKILL_ASKS);
	if (s->plain && text.len > RULES_MAX) {
		strbuf_cut(&text, utf8_cut(text.text, text.len, RULES_MAX));
		strbuf_addf(&text, "\n[... the rest of %s is not shown; read the file]",
			    skill_file_of(s->source));
	}
	if (text.error)
		return fail_code(err, text.error);
	s->content = text.len ? strbuf_take(&text) : strdup("");
	return s->content ? MT_OK : out_of_memory(err);
}

static int take_name(struct skill *s, json_object *given, const char *base, bool strict,
		     struct error *warning, struct error *err)
{
	AUTO(free) char *dir = s->listed ? parent_name(s->source) : NULL;
	AUTO(strbuf) struct strbuf faults = STRBUF(8192);

	if (s->listed && !dir)
		return out_of_memory(err);
	s->name = given       ? strdup(json_object_get_string(given))
		  : s->listed ? strdup(dir)
			      : name_below(s->source, base);
	if (!s->name)
		return out_of_memory(err);
	if (!s->listed || !skill_name_faults(s->name, dir, &faults))
		return *s->name ? MT_OK : fail(err, MT_EINVAL, "the skill name is empty");
	if (strict || !*s->name)
		return fail(err, MT_EINVAL, "Invalid skill name '%s': %s", s->name,
			    faults.text);
	fail(warning, MT_EINVAL, "%s", faults.text);
	return MT_OK;
}

static int read_skill(struct skill *s, const char *base, const char *text, size_t len,
		      bool strict, struct error *warning, struct error *err)
{
	AUTO(json) json_object *front = NULL;
	struct front_matter parts;
	const char *rules;
	int r;

	if (skill_is_rules_file(skill_file_of(s->source), &rules)) {
		s->plain = true;
		s->name = strdup(rules);
		return s->name ? skill_take_body(s, text, len, err) : out_of_memory(err);
	}
	s->listed = skill_is_standard_file(skill_file_of(s->source));
	front_matter_split(text, len, &parts);
	if (parts.yaml) {
		front = front_matter_read_yaml(parts.yaml, parts.yaml_len, err);
		if (!front)
			return err->code;
	}
	r = take_name(s, js_get(front, "name"), base, strict, warning, err);
	if (!r)
		r = take_front(s, front, err);
	return r ? r : skill_take_body(s, parts.body, parts.body_len, err);
}

struct skill *skill_parse(const char *path, const char *base, const char *text,
			  size_t len, bool strict, struct error *ret_warning,
			  struct error *err)
{
	struct skill *s = len > SKILL_MAX ? NULL : calloc(1, sizeof *s);

	if (!s) {
		if (len > SKILL_MAX)
			fail(err, MT_ELIMIT, "larger than %d KiB", SKILL_MAX >> 10);
		else
			out_of_memory(err);
		return NULL;
	}
	s->source = strdup(path);
	if (!s->source)
		out_of_memory(err);
	else if (!read_skill(s, base, text, len, strict, ret_warning, err))
		return s;
	return skill_free(s);
}

/* ---- triggers ------------------------------------------------------------------ */

const char *skill_find_trigger(const struct skill *s, const char *message, size_t len)
{
	if (s->trigger != TRIGGER_KEYWORD && s->trigger != TRIGGER_TASK)
		return NULL;
	for (size_t i = 0; i < s->trigger_count; i++)
		if (trigger_matches(s->triggers[i], message, len))
			return s->triggers[i];
	return NULL;
}

bool skill_matches_path(const struct skill *s, const char *path)
{
	for (size_t i = 0; s->trigger == TRIGGER_PATH && i < s->trigger_count; i++)
		if (trigger_matches_path(s->triggers[i], path))
			return true;
	return false;
}

const char *skill_type(const struct skill *s)
{
	return s->listed                    ? "agentskills"
	       : s->trigger == TRIGGER_NONE ? "repo"
					    : "knowledge";
}

/* The first nonempty line of the text; `ret_left`: the rest. */
static size_t first_text_line(const char *text, const char **ret, size_t *ret_left)
{
	while (*text) {
		size_t n = strcspn(text, "\n"), before = strspn(text, " \t\r"), end = n;

		end = space_trim_end(text, end);
		if (before < end && text[before] != '#') {
			*ret = text + before;
			*ret_left = utf8_count(text + n, strlen(text + n));
			return end - before;
		}
		text += n + (text[n] == '\n');
	}
	*ret_left = 0;
	*ret = "";
	return 0;
}

int skill_summary(struct skill *s, struct strbuf *out)
{
	int status = skill_describe(s);
	const char *text = status ? NULL : s->description;
	size_t left = 0, len = text ? strlen(text) : 0, chars;

	if (status == MT_ENOMEM)
		return status;
	if (!len)
		len = first_text_line(s->content ? s->content : "", &text, &left);
	chars = utf8_count(text, len);
	if (chars > SKILL_DESCRIPTION_MAX) {
		left += chars - SKILL_DESCRIPTION_MAX;
		len = utf8_offset(text, len, SKILL_DESCRIPTION_MAX);
	}
	strbuf_addn(out, text, len);
	if (left)
		strbuf_addf(out,
			    "... [%zu characters truncated. Call invoke_skill("
			    "name=\"%s\") to load the full skill]",
			    left, s->name);
	return out->error;
}
