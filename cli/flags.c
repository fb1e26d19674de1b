/* SPDX-License-Identifier: MIT
 *
 * flags.c - parses the options of a command and prints its help, from the tables
 * of commands.h. */
#include "commands.h"
#include "config/choices.h"
#include "log.h"
#include "options.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int add_override(void *common, const char *value, struct error *err)
{
	struct common *in = common;

	if (in->override_count == ARRAY_LEN(in->overrides))
		return fail(err, MT_ELIMIT, "--set appears more than 256 times");
	in->overrides[in->override_count++] = value;
	return MT_OK;
}

/* Options of every command that reads the configuration. */
static const struct flag common_flags[] = {
	FLAG('o', "set", "SECTION.KEY=VALUE", "override a setting (repeatable)",
	     .kind = FLAG_TAKE, .take = add_override),
	FLAG(0, "config", "FILE", "read FILE instead of the user configuration",
	     STORE(FLAG_TEXT, struct common, file)),
	FLAG('C', "workspace", "DIR",
	     "use DIR as the workspace (default: current directory)",
	     STORE(FLAG_TEXT, struct common, workspace)),
	{ 0 },
};
static const struct flag help_flag = FLAG('h', "help", NULL, "show this help");

const struct flag *common_flag(size_t n)
{
	return n < ARRAY_LEN(common_flags) && common_flags[n].name ? &common_flags[n]
								   : NULL;
}

void command_write(FILE *out, const char *text, size_t len)
{
	if (!isatty(fileno(out))) {
		fwrite(text, 1, len, out);
		return;
	}
	for (size_t i = 0, n; i < len; i += n) {
		bool valid, line = text[i] == '\n' || text[i] == '\t';

		n = utf8_next(text + i, len - i, &valid);
		if (!valid)
			fputs(UTF8_REPLACEMENT, out);
		else if (line || !utf8_control(text + i, n))
			fwrite(text + i, 1, n, out);
	}
}

bool command_colors(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && (!no_color || !*no_color) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

int command_report(int code, const struct error *err)
{
	fputs("mortise: ", stderr);
	command_write(stderr, err->text, strlen(err->text));
	putc('\n', stderr);
	return code;
}

int command_report_id(const struct error *err)
{
	bool misnamed = err->code == MT_EINVAL || err->code == MT_ENOTFOUND;

	return command_report(misnamed ? EXIT_USAGE : EXIT_FAILED, err);
}

/* @return -1 */
static int flags_bad(const struct command *self, const char *format, const char *what)
{
	fputs("mortise ", stderr);
	fprintf(stderr, "%s: ", self->name);
	fprintf(stderr, format, what);
	fprintf(stderr, "\nSee `mortise %s --help`.\n", self->name);
	return -1;
}

/* ---- help ---------------------------------------------------------------------- */

enum {
	HELP_WIDTH = 80,
	HELP_COLUMN = 32, /* where the descriptions of options start */
	SUBCOMMANDS_MAX = 16,
};

/* True if a line may break at `at`: between words, or with `alternatives` only after
 * a `|`. */
static bool may_break(const char *text, int at, bool alternatives)
{
	return text[at] == ' ' && (!alternatives || (at > 0 && text[at - 1] == '|'));
}

/* Print a text that starts at `column`; further lines start at `indent`. */
static void print_wrapped(FILE *out, const char *text, int column, int indent,
			  bool alternatives)
{
	for (int room = HELP_WIDTH - column;; room = HELP_WIDTH - indent) {
		int len = (int)strlen(text);

		if (len > room) {
			for (len = room; len > 0 && !may_break(text, len, alternatives);
			     len--)
				;
			len = len > 0 ? len : (int)strcspn(text, " ");
		}
		fprintf(out, "%.*s\n", len, text);
		text += len;
		text += strspn(text, " ");
		if (!*text)
			return;
		fprintf(out, "%*s", indent, "");
	}
}

static void print_flag(const struct flag *f)
{
	char left[64];
	int width;

	snprintf(left, sizeof left, "%s%c%c --%s%s%s", f->letter ? "-" : " ",
		 f->letter ? f->letter : ' ', f->letter ? ',' : ' ', f->name,
		 f->value ? " " : "", f->value ? f->value : "");
	width = strlen(left) < HELP_COLUMN - 3 ? HELP_COLUMN - 3 : (int)strlen(left);
	printf("  %-*s ", width, left);
	print_wrapped(stdout, f->help, width + 3, HELP_COLUMN, false);
}

static void print_usage(FILE *out, const struct command *self)
{
	const char *args = self->args ? self->args : "";
	int indent = fprintf(out, "Usage: mortise %s ", self->name);
	int column = indent + fprintf(out, "[OPTION]...%s", *args ? " " : "");

	print_wrapped(out, args, column, indent, strstr(args, " | "));
}

int command_misused(const struct command *self, const char *problem)
{
	fprintf(stderr, "mortise %s: %s\n", self->name, problem);
	print_usage(stderr, self);
	return EXIT_USAGE;
}

int command_unexpected(const struct command *self, const char *word)
{
	char text[128];

	snprintf(text, sizeof text, "unexpected argument `%.64s`", word);
	return command_misused(self, text);
}

/* Report an unknown subcommand, or a wrong number of operands. */
static void misused_subcommand(const struct command *self, const char *word)
{
	const char *known[SUBCOMMANDS_MAX], *similar;
	size_t count = 0;
	char text[256];

	for (const struct subcommand *s = self->subcommands; s->name; s++) {
		known[count++] = s->name;
		if (strcmp(s->name, word) == 0) {
			snprintf(text, sizeof text, "wrong number of arguments for `%s`",
				 word);
			command_misused(self, text);
			return;
		}
	}
	similar = option_suggest(word, known, count);
	snprintf(text, sizeof text, "unknown subcommand `%.64s`%s%s%s", word,
		 similar ? "; did you mean `" : "", similar ? similar : "",
		 similar ? "`?" : "");
	command_misused(self, text);
}

int command_choose(const struct command *self, int count, char **words)
{
	const struct subcommand *known = self->subcommands;

	if (count == 0)
		return 0;
	for (int i = 0; known[i].name; i++)
		if (strcmp(known[i].name, words[0]) == 0 && count - 1 >= known[i].least &&
		    count - 1 <= known[i].most)
			return i;
	misused_subcommand(self, words[0]);
	return -1;
}

void command_help(const struct command *self)
{
	print_usage(stdout, self);
	printf("\n%s.\n", self->summary);
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

static bool flags_is_word(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && memcmp(name, word, len) == 0;
}

static bool flags_matches(const struct flag *f, const char *word, size_t len, char letter)
{
	if (letter)
		return f->letter == letter;
	return flags_is_word(f->name, word, len) ||
	       (f->alias && flags_is_word(f->alias, word, len));
}

/* NULL: there is none. */
static const struct flag *find_in(const struct flag *table, const char *word, size_t len,
				  char letter)
{
	for (const struct flag *f = table; f && f->name; f++)
		if (flags_matches(f, word, len, letter))
			return f;
	return NULL;
}

static const struct flag *find_flag(const struct command *self, bool common,
				    const char *word, size_t len, char letter)
{
	const struct flag *f = find_in(self->flags, word, len, letter);

	if (!f && common)
		f = find_in(common_flags, word, len, letter);
	return f || !flags_matches(&help_flag, word, len, letter) ? f : &help_flag;
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
	near = strncmp(word, "--", 2) == 0 ? option_suggest(word + 2, names, count)
					   : NULL;
	snprintf(text, sizeof text, near ? "%.40s; did you mean --%s?" : "%.40s", word,
		 near);
	return flags_bad(self, "unknown option %s", text);
}

static bool is_flag(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Move argv[from..from+count) back to the index `to`. */
static void move_back(char **argv, int from, int count, int to)
{
	for (; count > 0; count--, from++, to++) {
		char *moved = argv[from];

		memmove(argv + to + 1, argv + to, (size_t)(from - to) * sizeof *argv);
		argv[to] = moved;
	}
}

/* Parse the flag at argv[at], which may be followed by its value.
 * @return the number of words it takes, or -1 after printing an error. */
static int parse_flag(const struct command *self, int argc, char **argv, int at,
		      bool common, const struct flag **ret, const char **ret_value)
{
	char *word = argv[at], *equals = strchr(word, '=');
	bool is_long = word[1] == '-';
	const char *name = word + 2, *attached = NULL;
	size_t len = is_long && equals ? (size_t)(equals - name) : strlen(name);
	const struct flag *f = find_flag(self, common, name, len, is_long ? 0 : word[1]);

	*ret = f;
	*ret_value = NULL;
	if (!f)
		return unknown_flag(self, word);
	if (is_long && equals)
		attached = equals + 1;
	else if (!is_long && word[2])
		attached = word + 2;
	if (!f->value && attached && is_long)
		return flags_bad(self, "--%s does not take a value", f->name);
	if (!f->value && attached) { /* -qv: continue with v */
		argv[at] = word + 1;
		argv[at][0] = '-';
		return 0;
	}
	if (!f->value || attached) {
		*ret_value = attached;
		return 1;
	}
	if (at + 1 >= argc)
		return flags_bad(self, "--%s requires a value", f->name);
	*ret_value = argv[at + 1];
	return 2;
}

static int store_number(const struct command *self, const struct flag *f,
			const char *value, int64_t *ret)
{
	char *end;
	long long n = strtoll(value, &end, 10);

	if (!*value || *end || n < 0 || (f->max && n > f->max)) {
		fprintf(stderr, "mortise %s: invalid --%s `%.20s`; use %s\n", self->name,
			f->name, value, f->expected);
		return FLAG_BAD;
	}
	*ret = n;
	return FLAG_END;
}

static enum flags_status flags_store(const struct command *self, const struct flag *f,
				     const char *value, struct common *in)
{
	void *at = (char *)in + f->offset;
	struct error err = ERROR_NONE;

	switch (f->kind) {
	case FLAG_TRUE:
		*(bool *)at = true;
		break;
	case FLAG_SET:
		*(int *)at = f->set;
		break;
	case FLAG_TEXT:
		*(const char **)at = value;
		break;
	case FLAG_NUMBER:
		return store_number(self, f, value, at);
	case FLAG_TAKE:
		return f->take(at, value, &err) ? command_report(FLAG_BAD, &err)
						: FLAG_END;
	}
	return FLAG_END;
}

enum flags_status flags_parse(const struct command *self, int argc, char **argv,
			      int *ret_first, struct common *in)
{
	enum flags_status status = FLAG_END;

	for (*ret_first = 1; status == FLAG_END;) {
		int words, at = *ret_first;
		const struct flag *f;
		const char *value;

		while (at < argc && !is_flag(argv[at]))
			at++;
		if (at >= argc)
			break;
		if (strcmp(argv[at], "--") == 0) {
			move_back(argv, at, 1, *ret_first);
			++*ret_first;
			break;
		}
		words = parse_flag(self, argc, argv, at, in != NULL, &f, &value);
		if (words < 0)
			return FLAG_BAD;
		move_back(argv, at, words, *ret_first);
		*ret_first += words;
		if (f == &help_flag) {
			command_help(self);
			return FLAG_HELP;
		}
		status = flags_store(self, f, value, in);
	}
	return status;
}

enum flags_status flags_parse_id(const struct command *self, int argc, char **argv,
				 const char **ret_id, struct common *in)
{
	int index;
	enum flags_status status = flags_parse(self, argc, argv, &index, in);

	if (status != FLAG_END)
		return status;
	if (index + 1 < argc) {
		command_misused(self, "more than one conversation given");
		return FLAG_BAD;
	}
	if (index < argc)
		*ret_id = argv[index];
	return FLAG_END;
}

int flags_exit_code(enum flags_status status)
{
	return status == FLAG_HELP ? EXIT_DONE : EXIT_USAGE;
}

void common_untrusted(const struct config *c)
{
	const char *path = config_untrusted(c);

	if (path)
		fprintf(stderr, "mortise: " CONFIG_UNTRUSTED "\n", path);
}

/* Opening a FIFO that no process reads fails with ENXIO instead of waiting. */
static int open_log(const char *path)
{
	int fd = open(path,
		      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
		      0600);

	if (fd >= 0)
		fcntl(fd, F_SETFL, O_APPEND);
	return fd;
}

int common_log(const struct config *c, struct error *err)
{
	static const int levels[] = {
		[LOG_LEVEL_ERROR] = MT_LOG_ERROR,
		[LOG_LEVEL_WARNING] = MT_LOG_WARNING,
		[LOG_LEVEL_INFO] = MT_LOG_INFO,
		[LOG_LEVEL_DEBUG] = MT_LOG_DEBUG,
	};
	static int file = -1; /* open until the program exits */
	const char *path = config_get(c, "core", "log_file");
	int choice = config_choice(c, "core", "log_level");
	int level = choice >= 0 ? levels[choice] : MT_LOG_WARNING;

	if (config_logs_events(c) && level < MT_LOG_INFO)
		level = MT_LOG_INFO;
	if (path && file < 0)
		file = open_log(path);
	if (path && file < 0)
		return fail(err, MT_EIO, "%s: [core] log_file: cannot open %s: %s",
			    config_origin(c, "core", "log_file"), path,
			    errno == ENXIO ? "no process reads from it"
					   : strerror(errno));
	log_setup(path ? file : STDERR_FILENO, level, "mortise");
	return MT_OK;
}

int common_config(const struct common *in, struct config **ret, struct error *err)
{
	struct config_input input = {
		.overrides = in->overrides,
		.override_count = in->override_count,
		.workspace = in->workspace,
		.trust = in->trust,
		.file = in->file,
		.on_fault = in->on_fault,
		.on_fault_arg = in->on_fault_arg,
	};

	int r = config_load(&input, ret, err);

	return r ? r : common_log(*ret, err);
}
