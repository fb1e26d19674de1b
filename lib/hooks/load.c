/* SPDX-License-Identifier: MIT
 *
 * load.c - loads hooks from the configuration and from hooks.json. */
#include "hooks/hooks.h"

#include "array.h"
#include "config/choices.h"
#include "files.h"

#include <string.h>

enum { HOOKS_MAX = 256, FILE_MAX = 1 << 20, ARGV_MAX = 256, DEFAULT_TIMEOUT_MS = 60000,
       TIMEOUT_MAX = 86400 };

static const struct {
	const char *name, *key;
} events[HOOK_EVENTS] = {
	[HOOK_BEFORE_TOOL] = { "PreToolUse", "pre_tool_use" },
	[HOOK_AFTER_TOOL] = { "PostToolUse", "post_tool_use" },
	[HOOK_USER_PROMPT] = { "UserPromptSubmit", "user_prompt_submit" },
	[HOOK_STOP] = { "Stop", "stop" },
	[HOOK_SESSION_START] = { "SessionStart", "session_start" },
	[HOOK_SESSION_END] = { "SessionEnd", "session_end" },
};

const char *hook_event_name(enum hook_event e)
{
	return events[e].name;
}

static void hook_clear(struct hook *h)
{
	free(h->name);
	free(h->matcher);
	free(h->type);
	free(h->prompt);
	for (char **a = h->argv; a && *a; a++)
		free(*a);
	free(h->argv);
}

void hooks_clear(struct hooks *h)
{
	for (size_t i = 0; i < h->count; i++)
		hook_clear(&h->all[i]);
	free(h->all);
	*h = (struct hooks){ 0 };
}

/* Take the hook, even on failure. */
static int load_add(struct hooks *h, struct hook *hook, struct error *err)
{
	int status = ARRAY_ADD(h->all, h->count, HOOKS_MAX);

	if (!status && !(hook->name && hook->matcher && hook->type))
		status = MT_ENOMEM;
	if (status) {
		hook_clear(hook);
		return status == MT_ELIMIT
			       ? fail(err, MT_ELIMIT, "more than %d hooks", HOOKS_MAX)
			       : out_of_memory(err);
	}
	h->all[h->count++] = *hook;
	return MT_OK;
}

/* A list of arguments, or one string for the shell. */
static char **hook_load_make_argv(const char *text, bool shell)
{
	char **argv = calloc(ARGV_MAX + 1, sizeof *argv);
	const char *item;
	size_t len, n = 0;
	bool good = argv != NULL;

	if (good && shell) {
		argv[0] = strdup("/bin/sh");
		argv[1] = strdup("-c");
		argv[2] = strdup(text);
		good = argv[0] && argv[1] && argv[2];
	}
	while (good && !shell && n < ARGV_MAX && option_list_next(&text, &item, &len)) {
		argv[n] = strndup(item, len);
		good = argv[n++] != NULL;
	}
	if (good)
		return argv;
	for (size_t i = 0; argv && i < ARGV_MAX; i++)
		free(argv[i]);
	free(argv);
	return NULL;
}

/* ---- [hook.NAME] ------------------------------------------------------------- */

static int from_section(struct hooks *h, const struct config *c, const char *name,
			struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	struct hook hook = { .name = strdup(name) };
	const char *command, *matcher;
	int event;

	strbuf_addf(&section, "hook.%s", name);
	event = config_choice(c, section.text, "event");
	command = config_get(c, section.text, "command");
	matcher = config_get(c, section.text, "matcher");
	if (event < 0 || !command || !*command) {
		hook_clear(&hook);
		return fail(err, MT_EINVAL, "[%s] requires `%s`", section.text,
			    event >= 0 ? "command" : "event");
	}
	hook.event = (enum hook_event)event;
	hook.matcher = strdup(matcher ? matcher : "*");
	hook.type = strdup("command");
	hook.argv = hook_load_make_argv(command, config_bool(c, section.text, "shell"));
	hook.timeout_ms = config_int(c, section.text, "timeout");
	hook.may_fail = config_choice(c, section.text, "on_failure") == ON_FAILURE_ALLOW;
	if (!hook.argv) {
		hook_clear(&hook);
		return out_of_memory(err);
	}
	return load_add(h, &hook, err);
}

/* ---- hooks.json --------------------------------------------------------------- */

/* -1: unknown event. */
static int hook_load_event_of(const char *key)
{
	for (int i = 0; i < HOOK_EVENTS; i++)
		if (strcmp(events[i].name, key) == 0 || strcmp(events[i].key, key) == 0)
			return i;
	return -1;
}

static int hook_load_read_entry(struct hooks *h, json_object *o, const struct hook *like,
				const char *path, struct error *err)
{
	const char *type = js_str(o, "type", "command");
	const char *command = js_str(o, "command", NULL),
		   *prompt = js_str(o, "prompt", NULL);
	bool runs = strcmp(type, "command") == 0;
	struct hook hook = { .event = like->event, .group = like->group };
	AUTO(strbuf) struct strbuf name = STRBUF(512);
	int64_t seconds;

	if (!runs && strcmp(type, "prompt") != 0 && strcmp(type, "agent") != 0)
		return fail(
			err, MT_EINVAL,
			"%s: hook for %s has the unknown type %.40s; use command, prompt or agent",
			path, events[like->event].name, type);
	if (runs ? !command || !*command : !prompt || !*prompt)
		return fail(err, MT_EINVAL, "%s: hook for %s with type %s requires `%s`",
			    path, events[like->event].name, type,
			    runs ? "command" : "prompt");
	strbuf_addf(&name, "%.200s", js_str(o, "name", runs ? command : type));
	hook.name = strdup(name.text);
	hook.matcher = strdup(like->matcher);
	hook.type = strdup(type);
	hook.argv = runs ? hook_load_make_argv(command, true) : NULL;
	hook.prompt = prompt ? strdup(prompt) : NULL;
	seconds = js_int(o, "timeout", DEFAULT_TIMEOUT_MS / 1000);
	hook.timeout_ms = 1000 * (seconds < 1             ? 1
				  : seconds > TIMEOUT_MAX ? TIMEOUT_MAX
							  : seconds);
	hook.may_fail = strcmp(js_str(o, "on_failure", "deny"), "allow") == 0;
	if (runs && !hook.argv) {
		hook_clear(&hook);
		return out_of_memory(err);
	}
	return load_add(h, &hook, err);
}

static int hook_load_read_event(struct hooks *h, enum hook_event event, json_object *list,
				const char *path, struct error *err)
{
	size_t n = js_length(list);

	if (!json_object_is_type(list, json_type_array))
		return fail(err, MT_EINVAL, "%s: %s must be a list", path,
			    events[event].name);
	for (size_t i = 0; i < n; i++) {
		json_object *group = json_object_array_get_idx(list, i);
		json_object *entries = js_get(group, "hooks");
		const struct hook like = {
			.event = event, .group = i,
			.matcher = (char *)js_str(group, "matcher", "*"),
		};

		if (!json_object_is_type(entries, json_type_array))
			return fail(err, MT_EINVAL,
				    "%s: an entry of %s has no list `hooks`", path,
				    events[event].name);
		for (size_t k = 0; k < json_object_array_length(entries); k++)
			if (hook_load_read_entry(h, json_object_array_get_idx(entries, k),
						 &like, path, err))
				return err->code;
	}
	return MT_OK;
}

int hooks_read(struct hooks *h, json_object *file, const char *path, struct error *err)
{
	json_object *inner = js_get(file, "hooks");
	bool seen[HOOK_EVENTS] = { false };

	if (inner && !json_object_is_type(inner, json_type_object))
		return fail(err, MT_EINVAL, "%s: `hooks` must be an object", path);
	json_object_object_foreach(inner ? inner : file, key, value) {
		int event = hook_load_event_of(key);

		if (event < 0 && *key >= 'A' && *key <= 'Z')
			return fail(err, MT_EINVAL, "%s: unknown hook event %.60s", path,
				    key);
		if (event < 0)
			continue;
		if (seen[event])
			return fail(err, MT_EINVAL,
				    "%s: duplicate hook event %s, also given as %s", path,
				    events[event].name, events[event].key);
		seen[event] = true;
		if (hook_load_read_event(h, (enum hook_event)event, value, path, err))
			return err->code;
	}
	return MT_OK;
}

static int hook_load_read_file(struct hooks *h, const char *path, const char *text,
			       size_t len, struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(json) json_object *file = js_parse_object(text, len, &why);

	if (!file)
		return fail(err, why.code, "%s: %s", path, why.text);
	return hooks_read(h, file, path, err);
}

/* *found: the file exists and is used. */
static int from_dir(struct hooks *h, const char *dir, bool project, bool *found,
		    char **ret_note, struct error *err)
{
	AUTO(free) char *path = path_join(dir, ".openhands/hooks.json"), *text = NULL;
	struct error why = ERROR_NONE;
	bool trusted = !project;
	size_t len;
	int r = path ? file_read(path, FILE_MAX, &text, &len, &why) : MT_ENOMEM;

	if (r == MT_ENOTFOUND)
		return MT_OK;
	if (r)
		return fail(err, r, "%s", error_text(&why));
	if (project && config_trusted(path, text, len, &trusted, err))
		return err->code;
	if (!trusted || !path_is_safe(path, &why)) {
		AUTO(strbuf) struct strbuf note = STRBUF(8192);

		strbuf_addf(&note, "%s%s", trusted ? why.text : path,
			    trusted ? ""
				    : " is not trusted, so its hooks are disabled; "
				      "run `mortise config trust` to trust it");
		*ret_note = strbuf_take(&note);
		return MT_OK;
	}
	*found = true;
	return hook_load_read_file(h, path, text, len, err);
}

int hooks_load(const struct config *c, const char *workspace, struct hooks *ret,
	       char **ret_note, struct error *err)
{
	struct hooks h = { 0 };
	const char *name, *home = getenv("HOME");
	bool found = false;
	int r = MT_OK;

	*ret_note = NULL;
	for (size_t i = 0; !r && (name = config_named(c, "hook", i)); i++)
		r = from_section(&h, c, name, err);
	if (!r)
		r = from_dir(&h, workspace, true, &found, ret_note, err);
	if (!r && !found && home && *home)
		r = from_dir(&h, home, false, &found, ret_note, err);
	if (r)
		hooks_clear(&h);
	else
		*ret = h;
	return r;
}
