/* SPDX-License-Identifier: MIT
 *
 * effects-shell.c - implements effects-shell.h.
 *
 * The state of a shell is a list of commands that declare what it has. The commands that
 * the state before does not have are the changes: the user reads the same text that the
 * other shell executes. */
#include "features/effects/effects-shell.h"

#include "array.h"
#include "files.h"

#include <string.h>

enum { FILE_MAX = 16 << 20, ITEMS_MAX = 8192, NAME_ROOM = 256 };

enum shell_kind { SHELL_VARIABLE, SHELL_FUNCTION, SHELL_ALIAS, SHELL_UMASK, SHELL_OTHER };

/* One command of a state, with its last newline. */
struct shell_item {
	enum shell_kind kind;
	const char *text, *name;
	size_t len, name_len;
};

struct shell_state {
	char *file;
	const char *directory, *environment; /* "NAME=VALUE" texts, the last one is empty */
	struct shell_item *items;
	size_t count;
};

static void shell_state_clear(struct shell_state *s)
{
	free(s->file);
	free(s->items);
}
static inline void auto_shell_state(struct shell_state *s)
{
	shell_state_clear(s);
}

/* ---- reading ---------------------------------------------------------------------- */

static bool shell_starts(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && memcmp(line, word, n) == 0;
}

static size_t shell_name_length(const char *text, size_t len, const char *ends)
{
	size_t n = 0;

	while (n < len && !strchr(ends, text[n]) && text[n] != '\n')
		n++;
	return n;
}

/* Does the line begin a command? Others continue a function or a text. */
static bool shell_begins(const char *line, size_t len, struct shell_item *ret)
{
	static const struct {
		const char *word;
		enum shell_kind kind;
		bool options; /* before the name */
	} words[] = {
		{ "declare -f", SHELL_OTHER, false }, { "declare -", SHELL_VARIABLE, true },
		{ "alias ", SHELL_ALIAS, false },     { "umask ", SHELL_UMASK, false },
		{ "shopt ", SHELL_OTHER, false },     { "set -o ", SHELL_OTHER, false },
		{ "set +o ", SHELL_OTHER, false },    { "builtin ", SHELL_OTHER, false },
	};
	static const char function[] = " () ";

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t at = strlen(words[i].word);

		if (!shell_starts(line, len, words[i].word))
			continue;
		if (words[i].options)
			at += shell_name_length(line + at, len - at, " ") + 1;
		if (at > len)
			return false;
		ret->kind = words[i].kind;
		ret->name = line + at;
		ret->name_len = shell_name_length(line + at, len - at, "= ");
		return true;
	}
	ret->name_len = shell_name_length(line, len, " ");
	if (!ret->name_len || *line == '}' || *line == '{' ||
	    !shell_starts(line + ret->name_len, len - ret->name_len, function))
		return false;
	ret->kind = SHELL_FUNCTION;
	ret->name = line;
	return true;
}

static int shell_split(struct shell_state *s, const char *text, const char *end)
{
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t len =
			newline ? (size_t)(newline + 1 - text) : (size_t)(end - text);
		struct shell_item item = { .text = text, .len = len };

		if (shell_begins(text, len, &item)) {
			if (ARRAY_GROW(s->items, NULL, s->count + 1, ITEMS_MAX))
				return MT_ENOMEM;
			s->items[s->count++] = item;
		} else if (s->count && (*text != '\n' ||
					s->items[s->count - 1].kind != SHELL_UMASK)) {
			s->items[s->count - 1].len += len;
		}
		text += len;
	}
	return MT_OK;
}

/* @return MT_ENOTFOUND: the shell has stored nothing */
static int shell_read(const char *path, struct shell_state *s, struct error *err)
{
	const char *end, *rest;
	size_t len = 0;
	int r = file_read(path, FILE_MAX, &s->file, &len, err);

	if (r)
		return r;
	end = s->file + len;
	if (!len || strlen(s->file) + 2 > len)
		return fail(err, MT_ENOTFOUND, "the shell has stored no state");
	s->directory = s->file;
	s->environment = rest = s->file + strlen(s->file) + 1;
	while (rest < end && *rest)
		rest += strlen(rest) + 1;
	if (++rest < end && shell_split(s, rest, end))
		return fail(err, MT_ELIMIT, "the state of the shell is too large");
	return MT_OK;
}

/* ---- comparing -------------------------------------------------------------------- */

/* What differs between any two commands, and what belongs to the tool. */
static bool shell_is_volatile(const struct shell_item *i)
{
	static const char *const names[] = {
		"_",	  "COLUMNS",	    "COMP_WORDBREAKS", "DIRSTACK",  "EPOCHREALTIME",
		"EUID",	  "EPOCHSECONDS",   "FUNCNAME",	       "GROUPS",    "HISTCMD",
		"LINENO", "LINES",	    "OLDPWD",	       "PIPESTATUS", "PPID",
		"PWD",	  "PROMPT_COMMAND", "RANDOM",	       "SECONDS",   "SHELLOPTS",
		"SHLVL",  "SRANDOM",	    "UID",
	};
	static const char loaded_by_bash[] = "BASH_ENV";

	if (i->kind == SHELL_OTHER || shell_starts(i->name, i->name_len, "__mortise_"))
		return true;
	if (i->kind == SHELL_VARIABLE && shell_starts(i->name, i->name_len, "BASH"))
		return i->name_len != strlen(loaded_by_bash) ||
		       !shell_starts(i->name, i->name_len, loaded_by_bash);
	for (size_t n = 0; i->kind == SHELL_VARIABLE && n < ARRAY_LEN(names); n++)
		if (strlen(names[n]) == i->name_len &&
		    memcmp(names[n], i->name, i->name_len) == 0)
			return true;
	return false;
}

static const char *shell_environment(const struct shell_state *s,
				     const struct shell_item *i)
{
	for (const char *e = s->environment; *e; e += strlen(e) + 1)
		if (strncmp(e, i->name, i->name_len) == 0 && e[i->name_len] == '=')
			return e + i->name_len + 1;
	return NULL;
}

/* The address of the proxy, for example, which the host sets for each runner. */
static bool shell_is_host_variable(const struct shell_state *a,
				   const struct shell_state *b,
				   const struct shell_item *i)
{
	const char *of_a = shell_environment(a, i), *of_b = shell_environment(b, i);

	return i->kind == SHELL_VARIABLE && of_a != of_b &&
	       (!of_a || !of_b || strcmp(of_a, of_b) != 0);
}

static bool shell_is_same(const struct shell_item *a, const struct shell_item *b,
			  bool text)
{
	return a->kind == b->kind && a->name_len == b->name_len &&
	       memcmp(a->name, b->name, a->name_len) == 0 &&
	       (!text || (a->len == b->len && memcmp(a->text, b->text, a->len) == 0));
}

static bool shell_has(const struct shell_state *s, const struct shell_item *i, bool text)
{
	for (size_t n = 0; n < s->count; n++)
		if (shell_is_same(&s->items[n], i, text))
			return true;
	return false;
}

static void shell_put_removal(struct strbuf *out, const struct shell_item *i)
{
	static const char *const words[] = {
		[SHELL_VARIABLE] = "unset -v",
		[SHELL_FUNCTION] = "unset -f",
		[SHELL_ALIAS] = "unalias",
	};

	if (i->kind <= SHELL_ALIAS)
		strbuf_addf(out, "%s %.*s\n", words[i->kind], (int)i->name_len, i->name);
}

static void shell_put_directory(struct strbuf *out, const char *directory)
{
	strbuf_add(out, "cd -- '");
	for (const char *p = directory; *p; p++)
		strbuf_add(out, *p == '\'' ? "'\\''" : (char[]){ *p, '\0' });
	strbuf_add(out, "'\n");
}

static void shell_compare(const struct shell_state *from, const struct shell_state *to,
			  struct strbuf *out)
{
	for (size_t n = 0; n < from->count; n++)
		if (!shell_is_volatile(&from->items[n]) &&
		    !shell_is_host_variable(from, to, &from->items[n]) &&
		    !shell_has(to, &from->items[n], false))
			shell_put_removal(out, &from->items[n]);
	for (size_t n = 0; n < to->count; n++)
		if (!shell_is_volatile(&to->items[n]) &&
		    !shell_is_host_variable(from, to, &to->items[n]) &&
		    !shell_has(from, &to->items[n], true))
			strbuf_addn(out, to->items[n].text, to->items[n].len);
}

int effects_shell_diff(const char *before, const char *after, struct strbuf *script,
		       bool *ret_only_directory, struct error *err)
{
	AUTO(shell_state) struct shell_state from = { 0 }, to = { 0 };
	size_t len;

	*ret_only_directory = false;
	if (shell_read(before, &from, err) || shell_read(after, &to, err))
		return err->code;
	shell_compare(&from, &to, script);
	len = script->len;
	if (strcmp(from.directory, to.directory) != 0)
		shell_put_directory(script, to.directory);
	*ret_only_directory = !len && script->len;
	return script->error
		       ? fail(err, MT_ELIMIT, "the changes of the shell are too many")
		       : MT_OK;
}
