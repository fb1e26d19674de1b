/* SPDX-License-Identifier: MIT
 *
 * main.c - mortise-chat: a conversation at the terminal. `mortise` without a
 * command is this program. */
#include "chat.h"
#include "harden.h"

#include <config.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>

static void chat_main_help(void)
{
	puts("Usage: mortise [OPTION]... [MESSAGE]\n\n"
	     "Converse with an agent at the terminal.\n\n"
	     "  -c, --continue           resume the newest conversation of this directory\n"
	     "      --any                with -c: of any directory\n"
	     "  -r, --resume [ID]        resume a conversation (default: choose from a list)\n"
	     "      --attach [ID]        attach to a running conversation\n"
	     "  -m, --model NAME         model to use: provider/name or script:FILE\n"
	     "      --controller NAME    use the [controller.NAME] configuration\n"
	     "  -o, --set SECTION.KEY=VALUE\n"
	     "                           override a setting (repeatable)\n"
	     "      --config FILE        read FILE instead of the user configuration\n"
	     "  -C, --workspace DIR      use DIR as the workspace (default: current directory)\n"
	     "      --add-dir DIR        a directory that belongs to the conversation in\n"
	     "                           addition to the workspace (repeatable)\n"
	     "      --plain              print plain lines: no color, no cursor movement\n"
	     "      --notify WHEN        ring the bell when input is required: auto (if the\n"
	     "                           terminal has lost the focus), always, never\n"
	     "  -h, --help               show this help\n\n"
	     "/help lists the commands of a conversation. `mortise --help` lists the other\n"
	     "commands; `mortise run` is non-interactive.");
}

static int chat_main_bad(const char *format, const char *what)
{
	fputs("mortise: ", stderr);
	fprintf(stderr, format, what);
	fputs("\nSee `mortise chat --help`.\n", stderr);
	return 2;
}

/* Options with a value that are passed unchanged to `mortise run` and `mortise
 * resume`. */
static const char *const passed[] = { "--model", "--set", "--config", "--workspace",
				      "--add-dir" };
static const char *const letters[] = { "-m", "-o", NULL, "-C", NULL };

/* The flag, or NULL; `*ret_value` is the value after `=`. */
static const char *passed_flag(const char *arg, const char **ret_value)
{
	for (size_t i = 0; i < ARRAY_LEN(passed); i++) {
		size_t len = strlen(passed[i]);

		*ret_value = NULL;
		if (strncmp(arg, passed[i], len) == 0 && (!arg[len] || arg[len] == '=')) {
			*ret_value = arg[len] ? arg + len + 1 : NULL;
			return passed[i];
		}
		if (letters[i] && strncmp(arg, letters[i], 2) == 0) {
			*ret_value = arg[2] ? arg + 2 : NULL;
			return passed[i];
		}
	}
	return NULL;
}

struct words {
	int argc;
	char **argv;
	int at;
	bool any, operands; /* --any and -- were there */
};

/* The argument after the option; NULL if it is missing or an option. */
static const char *optional(struct words *w)
{
	if (w->at + 1 >= w->argc || w->argv[w->at + 1][0] == '-')
		return NULL;
	return w->argv[++w->at];
}

static int chat_main_pass_on(struct options *o, struct words *w, const char *flag,
			     const char *value)
{
	if (!value && w->at + 1 < w->argc)
		value = w->argv[++w->at];
	if (!value)
		return chat_main_bad("option %s requires a value", flag);
	if (o->arg_count + 2 > COMMON_ARGS_MAX)
		return chat_main_bad("too many options (%s)", flag);
	o->args[o->arg_count++] = flag;
	o->args[o->arg_count++] = value;
	return 0;
}

static int set_notify(struct options *o, struct words *w)
{
	static const char *const names[] = { "auto", "always", "never" };
	const char *when = optional(w);

	for (size_t i = 0; when && i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], when) == 0) {
			o->notify = (enum notify)i;
			return 0;
		}
	return chat_main_bad("invalid --notify: use auto, always or never%s", "");
}

static int set_continue(struct options *o, struct words *w)
{
	(void)w;
	o->id = "here";
	return 0;
}

static int set_resume(struct options *o, struct words *w)
{
	o->id = optional(w);
	o->pick = !o->id;
	return 0;
}

static int set_any(struct options *o, struct words *w)
{
	(void)o;
	w->any = true;
	return 0;
}

static int set_attach(struct options *o, struct words *w)
{
	o->attach = true;
	o->id = optional(w);
	return 0;
}

static int set_controller(struct options *o, struct words *w)
{
	o->controller = optional(w);
	return o->controller
		       ? 0
		       : chat_main_bad("option %s requires a value", "--controller");
}

static int set_plain(struct options *o, struct words *w)
{
	(void)w;
	o->plain = true;
	return 0;
}

static const struct chat_flag {
	const char *name, *letter; /* NULL: it has none */
	int (*set)(struct options *o, struct words *w);
} chat_flags[] = {
	{ "--continue", "-c", set_continue }, { "--resume", "-r", set_resume },
	{ "--any", NULL, set_any },	      { "--attach", NULL, set_attach },
	{ "--plain", NULL, set_plain },	      { "--controller", NULL, set_controller },
	{ "--notify", NULL, set_notify },
};

static const struct chat_flag *chat_flag_of(const char *arg)
{
	for (size_t i = 0; i < ARRAY_LEN(chat_flags); i++)
		if (strcmp(arg, chat_flags[i].name) == 0 ||
		    (chat_flags[i].letter && strcmp(arg, chat_flags[i].letter) == 0))
			return &chat_flags[i];
	return NULL;
}

static int take_option(struct options *o, struct words *w, const char *arg)
{
	const char *value;
	const char *flag = passed_flag(arg, &value);
	const struct chat_flag *own = chat_flag_of(arg);

	if (flag)
		return chat_main_pass_on(o, w, flag, value);
	if (own)
		return own->set(o, w);
	if (strcmp(arg, "--") != 0)
		return chat_main_bad("unknown option %.80s", arg);
	w->operands = true;
	return 0;
}

static int terminal_take(struct options *o, struct words *w)
{
	const char *arg = w->argv[w->at];

	if (*arg == '-' && arg[1] && !w->operands)
		return take_option(o, w, arg);
	if (o->message)
		return chat_main_bad(
			"unexpected argument %.80s; put the message in quotes", arg);
	o->message = arg;
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	struct words w = { .argc = argc, .argv = argv, .at = 1 };

	harden_process();
	harden_environment();
	harden_arguments(argc, argv);
	/* lowdown measures by the locale; the texts are always UTF-8 */
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
	for (; w.at < argc; w.at++) {
		int code;

		if (!w.operands && (strcmp(argv[w.at], "-h") == 0 ||
				    strcmp(argv[w.at], "--help") == 0)) {
			chat_main_help();
			return 0;
		}
		code = terminal_take(&o, &w);
		if (code)
			return code;
	}
	if (w.any && (!o.id || strcmp(o.id, "here") != 0))
		return chat_main_bad("--any requires --continue%s", "");
	if (w.any)
		o.id = "last";
	if (!o.plain && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return chat_main_bad(
			"not a terminal; use `mortise run`, or --plain to read lines%s",
			"");
	return chat_run(&o);
}
