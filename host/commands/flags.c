/* SPDX-License-Identifier: MIT
 *
 * flags.c - parses the options of a command and prints its help, from the tables
 * of command.h. */
#include "commands/command.h"
#include "log.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Flags of every command that reads the configuration. */
static const struct flag common_flags[] = {
	FLAG('o', "set", "SECTION.KEY=VALUE", "override a setting (repeatable)"),
	FLAG(0, "config", "FILE", "read FILE instead of the user configuration"),
	FLAG('C', "workspace", "DIR",
	     "use DIR as the workspace (default: current "
	     "directory)"),
	{ 0 },
};
static const struct flag help_flag = FLAG('h', "help", NULL, "show this help");

const struct flag *common_flag(size_t n)
{
	return n < ARRAY_LEN(common_flags) && common_flags[n].name ? &common_flags[n] : NULL;
}

enum { COMMON_SET, COMMON_CONFIG, COMMON_WORKSPACE };

int complain(int code, const struct error *err)
{
	fprintf(stderr, "mortise: %s\n", err->text);
	return code;
}

static int bad(const struct command *self, const char *format, const char *what)
{
	fputs("mortise ", stderr);
	fprintf(stderr, "%s: ", self->name);
	fprintf(stderr, format, what);
	fprintf(stderr, "; see `mortise %s --help`\n", self->name);
	return FLAG_BAD;
}

/* ---- help ---------------------------------------------------------------------- */

enum { HELP_COLUMN = 32 }; /* where the descriptions of options start */

static void print_flag(const struct flag *f)
{
	const char *rest = f->help;
	char left[64];
	int width;

	snprintf(left, sizeof left, "%s%c%c --%s%s%s", f->letter ? "-" : " ",
		 f->letter ? f->letter : ' ', f->letter ? ',' : ' ', f->name,
		 f->value ? " " : "", f->value ? f->value : "");
	width = strlen(left) < HELP_COLUMN - 3 ? HELP_COLUMN - 3 : (int)strlen(left);
	printf("  %-*s ", width, left);
	for (int room = 80 - 3 - width;; room = 80 - HELP_COLUMN) {
		int len = (int)strlen(rest);

		if (len > room) {
			for (len = room; len > 0 && rest[len] != ' '; len--)
				;
			len = len > 0 ? len : (int)strcspn(rest, " ");
		}
		printf("%.*s\n", len, rest);
		rest += len;
		rest += strspn(rest, " ");
		if (!*rest)
			break;
		printf("%*s", HELP_COLUMN, "");
	}
}

void command_help(const struct command *self)
{
	bool operands = self->args && *self->args;

	printf("Usage: mortise %s [OPTION]...%s%s\n\n%s.\n", self->name,
	       operands ? " " : "", operands ? self->args : "", self->summary);
	if (self->details)
		printf("\n%s\n", self->details);
	puts("\nOptions:");
	for (const struct flag *f = self->flags; f && f->name; f++)
		print_flag(f);
	for (const struct flag *f = common_flags; f->name; f++)
		print_flag(f);
	print_flag(&help_flag);
}

/* ---- parsing -------------------------------------------------------------------- */

struct found {
	const struct flag *flag;
	int place;      /* in the command's table; -1: common or help */
	int common;     /* in common_flags; -1: no */
};

static bool is_word(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && memcmp(name, word, len) == 0;
}

static bool matches(const struct flag *f, const char *word, size_t len, char letter)
{
	if (letter)
		return f->letter == letter;
	return is_word(f->name, word, len) || (f->alias && is_word(f->alias, word, len));
}

static bool find_flag(const struct command *self, bool common, const char *word,
		      size_t len, char letter, struct found *ret)
{
	int n = 0;

	for (const struct flag *f = self->flags; f && f->name; f++, n++)
		if (matches(f, word, len, letter)) {
			*ret = (struct found){ f, n, -1 };
			return true;
		}
	n = 0;
	for (const struct flag *f = common_flags; common && f->name; f++, n++)
		if (matches(f, word, len, letter)) {
			*ret = (struct found){ f, -1, n };
			return true;
		}
	*ret = (struct found){ &help_flag, -1, -1 };
	return matches(&help_flag, word, len, letter);
}

static int unknown_flag(const struct command *self, const char *word)
{
	const char *names[64], *near;
	size_t count = 0;
	char text[128];

	for (const struct flag *f = self->flags; f && f->name && count < 60; f++)
		names[count++] = f->name;
	for (const struct flag *f = common_flags; f->name; f++)
		names[count++] = f->name;
	near = strncmp(word, "--", 2) == 0 ? suggest(word + 2, names, count) : NULL;
	snprintf(text, sizeof text, near ? "%.40s; did you mean --%s?" : "%.40s", word,
		 near);
	return bad(self, "unknown option %s", text);
}

static bool is_flag(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Move argv[from..from+count) to the place `to` before it. */
static void move_back(char **argv, int from, int count, int to)
{
	for (; count > 0; count--, from++, to++) {
		char *moved = argv[from];

		memmove(argv + to + 1, argv + to, (size_t)(from - to) * sizeof *argv);
		argv[to] = moved;
	}
}

static int take_common(const struct command *self, int which, const char *value,
		       struct common *in)
{
	switch (which) {
	case COMMON_SET:
		if (in->override_count == ARRAY_LEN(in->overrides))
			return bad(self, "more than 256 times %s", "--set");
		in->overrides[in->override_count++] = value;
		break;
	case COMMON_CONFIG:
		in->file = value;
		break;
	case COMMON_WORKSPACE:
		in->workspace = value;
		break;
	}
	return MT_OK;
}

/* Parse the flag at argv[at], which may be followed by its value.
 * @return how many words it takes, or FLAG_BAD. */
static int parse_flag(const struct command *self, int argc, char **argv, int at,
		      bool common, struct found *found, const char **ret_value)
{
	char *word = argv[at], *equals = strchr(word, '=');
	bool is_long = word[1] == '-';
	const char *name = word + 2, *attached = NULL;
	size_t len = is_long && equals ? (size_t)(equals - name) : strlen(name);

	*ret_value = NULL;
	if (!find_flag(self, common, name, len, is_long ? 0 : word[1], found))
		return unknown_flag(self, word);
	if (is_long && equals)
		attached = equals + 1;
	else if (!is_long && word[2])
		attached = word + 2;
	if (!found->flag->value && attached && is_long)
		return bad(self, "--%s does not take a value", found->flag->name);
	if (!found->flag->value && attached) { /* -qv: v comes next */
		argv[at] = word + 1;
		argv[at][0] = '-';
		return 0;
	}
	if (!found->flag->value || attached) {
		*ret_value = attached;
		return 1;
	}
	if (at + 1 >= argc)
		return bad(self, "--%s requires a value", found->flag->name);
	*ret_value = argv[at + 1];
	return 2;
}

static void store(const struct flag *f, const char *value, struct common *in)
{
	char *at = (char *)in + f->offset;

	if (f->kind == FLAG_TRUE)
		*(bool *)(void *)at = true;
	else
		*(const char **)(void *)at = value;
}

int flag_next(const struct command *self, int argc, char **argv, int *index,
	      const char **ret_value, struct common *in)
{
	for (;;) {
		struct found found;
		int words, at = *index;

		while (at < argc && !is_flag(argv[at]))
			at++;
		if (at >= argc)
			return FLAG_END;
		if (strcmp(argv[at], "--") == 0) {
			move_back(argv, at, 1, *index);
			++*index;
			return FLAG_END;
		}
		words = parse_flag(self, argc, argv, at, in != NULL, &found, ret_value);
		if (words < 0)
			return words;
		move_back(argv, at, words, *index);
		*index += words;
		if (found.flag == &help_flag) {
			command_help(self);
			return FLAG_HELP;
		}
		if (found.place >= 0 && found.flag->kind == FLAG_RETURN)
			return found.place;
		if (found.place >= 0) {
			store(found.flag, *ret_value, in);
			continue;
		}
		if (take_common(self, found.common, *ret_value, in))
			return FLAG_BAD;
	}
}

void common_untrusted(const struct config *c)
{
	const char *path = config_untrusted(c);

	if (path)
		fprintf(stderr,
			"mortise: %s was ignored because it is not trusted; run `mortise "
			"config trust` to trust it\n",
			path);
}

static int log_level(const char *name)
{
	static const struct {
		const char *name;
		int level;
	} levels[] = {
		{ "error", MT_LOG_ERROR }, { "warning", MT_LOG_WARNING },
		{ "info", MT_LOG_INFO },   { "debug", MT_LOG_DEBUG },
	};

	for (size_t i = 0; name && i < ARRAY_LEN(levels); i++)
		if (strcmp(levels[i].name, name) == 0)
			return levels[i].level;
	return MT_LOG_WARNING;
}

int common_log(const struct config *c, struct error *err)
{
	static int file = -1; /* open until the program ends */
	const char *path = config_get(c, "core", "log_file");
	int level = log_level(config_get(c, "core", "log_level"));

	if (config_logs_events(c) && level < MT_LOG_INFO)
		level = MT_LOG_INFO;
	if (path && file < 0)
		file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
	if (path && file < 0)
		return fail(err, MT_EIO, "%s: [core] log_file: cannot open %s: %s",
			    config_origin(c, "core", "log_file"), path, strerror(errno));
	log_setup(path ? file : STDERR_FILENO, level, "mortise");
	return MT_OK;
}

int common_config(const struct common *in, struct config **ret, struct error *err)
{
	struct config_input input = {
		.overrides = in->overrides,
		.override_count = in->override_count,
		.workspace = in->workspace,
		.file = in->file,
	};

	int r = config_load(&input, ret, err);

	return r ? r : common_log(*ret, err);
}
