/* SPDX-License-Identifier: MIT
 *
 * tool-name-repair.c - repairs tool names in calls. */
#include "tools/tool-name-repair.h"

#include "auto.h"
#include "js.h"

#include <string.h>

enum { COMMAND_MAX = 1 << 20 };

/* Names of shells and editors, the built-in ones first. */
static const char *const shells[] = { "execute_bash", "terminal", NULL };
static const char *const editors[] = { "str_replace_editor", "file_editor", NULL };

static const struct alias {
	const char *name;
	const char *const *tools;
	bool command; /* the name is the first word of the command */
} aliases[] = {
	{ "bash", shells, false },
	{ "command", shells, false },
	{ "execute", shells, false },
	{ "execute_bash", shells, false },
	{ "terminal", shells, false },
	{ "git", shells, true },
	{ "reset", shells, true },
	{ "str_replace", editors, false },
	{ "str_replace_editor", editors, false },
	{ "file_editor", editors, false },
};

/* Commands that are harmless without arguments. */
static const char *const bare[] = { "find", "git", "ls", "pwd", NULL };

static bool among(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static const struct tool *first_wired(const struct catalog *catalog,
				      const char *const *names)
{
	const struct tool *tool = NULL;

	for (; *names && !tool; names++)
		tool = catalog_find(catalog, *names);
	return tool;
}

/* ---- commands ---------------------------------------------------------- */

/* Append a word, quoted for a shell. */
static int add_quoted(struct strbuf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+=:,./-";

	if (*word && !word[strspn(word, plain)])
		return strbuf_add(out, word);
	strbuf_addc(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			strbuf_add(out, "'\"'\"'");
		else
			strbuf_addc(out, *word);
	return strbuf_addc(out, '\'');
}

static bool name_repair_is_blank(const char *text)
{
	return !text[strspn(text, " \t\r\n\v\f")];
}

/* Convert a search that was written as a tool to a command; "" if it is not a search. */
static int grep_command(json_object *args, struct strbuf *out)
{
	const char *pattern = js_str(args, "pattern", "");
	const char *path = js_str(args, "path", ""),
		   *include = js_str(args, "include", "");

	if (name_repair_is_blank(pattern))
		return MT_OK;
	strbuf_add(out, "rg -n -i ");
	add_quoted(out, pattern);
	strbuf_addc(out, ' ');
	add_quoted(out, name_repair_is_blank(path) ? "." : path);
	strbuf_add(out, " --sortr=modified");
	if (!name_repair_is_blank(include)) {
		strbuf_add(out, " -g ");
		add_quoted(out, include);
	}
	return out->error;
}

/* Treat `git` {command: "status"} and `git` {command: "git status"} as the same. */
static int prefixed(const char *name, json_object *args, struct strbuf *out)
{
	const char *command = js_str(args, "command", "");
	const char *word = command + strspn(command, " \t\r\n\v\f");
	size_t len = strcspn(word, " \t\r\n\v\f");

	if (!*command)
		return strbuf_add(out, name);
	if (len == strlen(name) && memcmp(word, name, len) == 0)
		return strbuf_add(out, command);
	return strbuf_addf(out, "%s %s", name, command);
}

/* Replace the arguments by a command; arguments about the call itself stay. */
static int set_command(json_object *args, const char *command)
{
	json_object_object_foreach(args, name, value) {
		(void)value;
		if (strcmp(name, "security_risk") != 0 && strcmp(name, "summary") != 0)
			json_object_object_del(args, name);
	}
	return js_set_str(args, "command", command);
}

/* Treat a name that is neither a tool nor an alias as a shell command. */
static int as_command(const struct catalog *catalog, const char *name, json_object *args,
		      const struct tool **ret)
{
	const struct tool *shell = first_wired(catalog, shells);
	AUTO(strbuf) struct strbuf command = STRBUF(COMMAND_MAX);

	if (!shell)
		return MT_OK;
	if (strcmp(name, "grep") == 0)
		grep_command(args, &command);
	else if (json_object_object_length(args) == 0 && among(bare, name))
		strbuf_add(&command, name);
	if (command.error)
		return command.error == MT_ENOMEM ? MT_ENOMEM : MT_OK;
	if (!command.len)
		return MT_OK;
	*ret = shell;
	return set_command(args, command.text);
}

/* ---- names ------------------------------------------------------------- */

/* Length of the identifier at the start of a name: markup may follow. */
static size_t identifier(const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	if (*name >= '0' && *name <= '9')
		return 0;
	return strspn(name, letters);
}

static int by_alias(const struct catalog *catalog, const char *name, json_object *args,
		    const struct tool **ret)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases) && !*ret; i++) {
		AUTO(strbuf) struct strbuf command = STRBUF(COMMAND_MAX);

		if (strcmp(aliases[i].name, name) != 0)
			continue;
		*ret = first_wired(catalog, aliases[i].tools);
		if (!*ret || !aliases[i].command)
			return MT_OK;
		if (prefixed(name, args, &command))
			return MT_ENOMEM;
		return set_command(args, command.text);
	}
	return MT_OK;
}

static int conclude_command(json_object *args)
{
	static const struct { const char *given, *command; } rules[] = {
		{ "old_str", "str_replace" }, { "edits", "str_replace" },
		{ "insert_line", "insert" }, { "file_text", "create" },
		{ "path", "view" },
	};

	if (json_object_object_get_ex(args, "command", NULL))
		return MT_OK;
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (json_object_object_get_ex(args, rules[i].given, NULL))
			return js_set_str(args, "command", rules[i].command);
	return MT_OK;
}

int tool_name_resolve(const struct catalog *catalog, const char *name, json_object *args,
		      const struct tool **ret)
{
	size_t len = identifier(name);
	int r = MT_OK;

	*ret = catalog_find(catalog, name);
	if (!*ret) {
		AUTO(free) char *base = strndup(name, len ? len : strlen(name));

		if (!base)
			return MT_ENOMEM;
		*ret = catalog_find(catalog, base);
		if (!*ret)
			r = by_alias(catalog, base, args, ret);
	}
	if (!r && !*ret)
		r = as_command(catalog, name, args, ret);
	if (!r && *ret && among(editors, (*ret)->name))
		r = conclude_command(args);
	return r;
}
