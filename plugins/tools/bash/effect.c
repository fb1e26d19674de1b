/* SPDX-License-Identifier: MIT
 *
 * effect.c - tells from its text what a command can change in the shell that runs it.
 *
 * A name that is not a builtin or keyword of bash is a program, unless a function or an
 * alias has the name. A program changes nothing in the shell, and a builtin only what the
 * table says. */
#include "effect.h"
#include "array.h"
#include "error.h"
#include "shell.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A builtin whose effect is greater with one of some options. */
struct optional {
	const char *letters;
	enum effect effect;
	bool anywhere;   /* options may follow operands */
};

/* Is one of the options given, as far as the text shows? */
static bool may_have_option(const struct shell_command *c, const struct optional *o)
{
	for (size_t i = 1; i < c->count; i++) {
		const struct shell_word *word = &c->words[i];
		const char *text = word->text ? word->text : word->shape;

		if (text[0] == SHELL_ANY || (text[0] == '-' && strpbrk(text, o->letters)))
			return true;
		if (!o->anywhere && (text[0] != '-' || strcmp(text, "--") == 0))
			return false;
	}
	return false;
}

/* `command -v NAME` and `command -V NAME` describe NAME. */
static bool describes(const struct shell_command *c)
{
	const char *option = c->count > 1 ? c->words[1].text : NULL;

	return strcmp(c->words[0].text, "command") == 0 && option &&
	       (strcmp(option, "-v") == 0 || strcmp(option, "-V") == 0);
}

/* Builtins of bash, and keywords that a walk reports as commands. */
static const struct builtin {
	const char *name;
	enum effect effect;
	struct optional with;
} builtins[] = {
	{ ".", EFFECT_UNKNOWN, { 0 } },
	{ ":", EFFECT_NONE, { 0 } },
	{ "[", EFFECT_NONE, { "vR", EFFECT_VALUES, true } },
	{ "[[", EFFECT_VALUES, { 0 } },
	{ "alias", EFFECT_UNKNOWN, { 0 } },
	{ "bg", EFFECT_NONE, { 0 } },
	{ "bind", EFFECT_UNKNOWN, { 0 } },
	{ "break", EFFECT_NONE, { 0 } },
	{ "builtin", EFFECT_UNKNOWN, { 0 } },
	{ "caller", EFFECT_NONE, { 0 } },
	{ "case", EFFECT_VALUES, { 0 } },
	{ "cd", EFFECT_VALUES, { 0 } },
	{ "command", EFFECT_UNKNOWN, { 0 } },
	{ "compgen", EFFECT_UNKNOWN, { 0 } },
	{ "complete", EFFECT_UNKNOWN, { 0 } },
	{ "compopt", EFFECT_UNKNOWN, { 0 } },
	{ "continue", EFFECT_NONE, { 0 } },
	{ "declare", EFFECT_VALUES, { 0 } },
	{ "dirs", EFFECT_VALUES, { 0 } },
	{ "disown", EFFECT_NONE, { 0 } },
	{ "echo", EFFECT_NONE, { 0 } },
	{ "enable", EFFECT_UNKNOWN, { 0 } },
	{ "eval", EFFECT_UNKNOWN, { 0 } },
	{ "exec", EFFECT_VALUES, { 0 } },
	{ "exit", EFFECT_VALUES, { 0 } },
	{ "export", EFFECT_VALUES, { 0 } },
	{ "false", EFFECT_NONE, { 0 } },
	{ "fc", EFFECT_UNKNOWN, { 0 } },
	{ "fg", EFFECT_NONE, { 0 } },
	{ "for", EFFECT_VALUES, { 0 } },
	{ "getopts", EFFECT_VALUES, { 0 } },
	{ "hash", EFFECT_VALUES, { 0 } },
	{ "help", EFFECT_NONE, { 0 } },
	{ "history", EFFECT_VALUES, { 0 } },
	{ "jobs", EFFECT_NONE, { "x", EFFECT_UNKNOWN, false } },
	{ "kill", EFFECT_NONE, { 0 } },
	{ "let", EFFECT_VALUES, { 0 } },
	{ "local", EFFECT_VALUES, { 0 } },
	{ "logout", EFFECT_VALUES, { 0 } },
	{ "mapfile", EFFECT_VALUES, { "C", EFFECT_UNKNOWN, false } },
	{ "popd", EFFECT_VALUES, { 0 } },
	{ "printf", EFFECT_NONE, { "v", EFFECT_VALUES, false } },
	{ "pushd", EFFECT_VALUES, { 0 } },
	{ "pwd", EFFECT_NONE, { 0 } },
	{ "read", EFFECT_VALUES, { 0 } },
	{ "readarray", EFFECT_VALUES, { "C", EFFECT_UNKNOWN, false } },
	{ "readonly", EFFECT_VALUES, { 0 } },
	{ "return", EFFECT_VALUES, { 0 } },
	{ "select", EFFECT_VALUES, { 0 } },
	{ "set", EFFECT_VALUES, { 0 } },
	{ "shift", EFFECT_VALUES, { 0 } },
	{ "shopt", EFFECT_UNKNOWN, { 0 } },
	{ "source", EFFECT_UNKNOWN, { 0 } },
	{ "suspend", EFFECT_NONE, { 0 } },
	{ "test", EFFECT_NONE, { "vR", EFFECT_VALUES, true } },
	{ "times", EFFECT_NONE, { 0 } },
	{ "trap", EFFECT_UNKNOWN, { 0 } },
	{ "true", EFFECT_NONE, { 0 } },
	{ "type", EFFECT_NONE, { 0 } },
	{ "typeset", EFFECT_VALUES, { 0 } },
	{ "ulimit", EFFECT_VALUES, { 0 } },
	{ "umask", EFFECT_VALUES, { 0 } },
	{ "unalias", EFFECT_VALUES, { 0 } },
	{ "unset", EFFECT_VALUES, { 0 } },
	{ "wait", EFFECT_NONE, { "p", EFFECT_VALUES, false } },
};

static int compare_builtin(const void *name, const void *entry)
{
	return strcmp(name, ((const struct builtin *)entry)->name);
}

static enum effect effect_of_simple(const struct shell_command *c)
{
	const struct builtin *b;

	enum effect least = c->evaluates ? EFFECT_VALUES : EFFECT_NONE, effect;

	/* Where more than a name stands before the `(`, no function is defined. */
	if (c->broken || (c->defines && c->count < 2))
		return EFFECT_UNKNOWN;
	if (!c->count)
		return c->assignment_count ? EFFECT_VALUES : least;
	/* The shape of `[` is that of a pattern. */
	if (!c->words[0].text ||
	    (c->words[0].shape && strcmp(c->words[0].shape, c->words[0].text) != 0))
		return EFFECT_UNKNOWN;
	b = bsearch(c->words[0].text, builtins, ARRAY_LEN(builtins), sizeof *builtins,
		    compare_builtin);
	if (!b || describes(c))
		return least;
	effect = b->with.letters && may_have_option(c, &b->with) ? b->with.effect
								 : b->effect;
	/* In POSIX mode, assignments before some builtins remain. */
	least = c->assignment_count ? EFFECT_VALUES : least;
	return effect > least ? effect : least;
}

static int add_effect(void *arg, const struct shell_command *command)
{
	enum effect *all = arg, effect = effect_of_simple(command);

	if (effect > *all)
		*all = effect;
	return MT_OK;
}

enum effect bash_effect(const char *command, size_t len)
{
	enum effect effect = EFFECT_NONE;

	/* A walk does not tell an expression from a subshell, or `coproc` from what
	 * follows it. BASH_ALIASES is the variable behind aliases. */
	if (memmem(command, len, "((", 2) || memmem(command, len, "coproc", 6))
		effect = EFFECT_VALUES;
	if (memmem(command, len, "BASH_ALIASES", 12))
		return EFFECT_UNKNOWN;
	return shell_walk(command, len, add_effect, &effect) ? EFFECT_UNKNOWN : effect;
}
