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

static void help(void)
{
	puts("Usage: mortise [FLAG]... [MESSAGE]\n\n"
	     "A conversation with an agent, at the terminal.\n\n"
	     "  -c, --continue           take up the newest conversation of this directory\n"
	     "      --any                with -c: of any directory\n"
	     "  -r, --resume [ID]        take up a conversation; without ID from a list\n"
	     "      --attach [ID]        join one that a process has open\n"
	     "  -m, --model NAME         provider/name, or script:FILE\n"
	     "      --controller NAME    use the wiring [controller.NAME]\n"
	     "  -o, --set SECTION.KEY=VALUE\n"
	     "                           set an option; again for more\n"
	     "      --config FILE        read this file instead of the user's own\n"
	     "  -C, --workspace DIR      the project to work on; default: here\n"
	     "      --plain              lines only: no colour, nothing that moves (for\n"
	     "                           screen readers)\n"
	     "      --notify WHEN        ring the bell when you are needed: auto (if the\n"
	     "                           terminal has lost the focus), always, never\n"
	     "  -h, --help               print this\n\n"
	     "/help in the conversation tells the rest. `mortise --help` lists the other\n"
	     "commands; `mortise run` works without a person.");
}

static int bad(const char *format, const char *what)
{
	fputs("mortise: ", stderr);
	fprintf(stderr, format, what);
	fputs(": see mortise chat --help\n", stderr);
	return 2;
}

/* Flags with a value that `mortise run` and `mortise resume` take as they are. */
static const char *const passed[] = { "--model", "--set", "--config", "--workspace" };
static const char *const letters[] = { "-m", "-o", NULL, "-C" };

/* The flag, or NULL; a value behind = is told. */
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

/* The word after the flag; NULL if it is a flag too, or nothing. */
static const char *optional(struct words *w)
{
	if (w->at + 1 >= w->argc || w->argv[w->at + 1][0] == '-')
		return NULL;
	return w->argv[++w->at];
}

static int pass_on(struct options *o, struct words *w, const char *flag,
		   const char *value)
{
	if (!value && w->at + 1 < w->argc)
		value = w->argv[++w->at];
	if (!value)
		return bad("%s needs a value", flag);
	if (o->arg_count + 2 > COMMON_ARGS_MAX)
		return bad("too many flags (%s)", flag);
	o->args[o->arg_count++] = flag;
	o->args[o->arg_count++] = value;
	return 0;
}

static int set_notify(struct options *o, const char *when)
{
	static const char *const names[] = { "auto", "always", "never" };

	for (size_t i = 0; when && i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], when) == 0) {
			o->notify = (enum notify)i;
			return 0;
		}
	return bad("--notify is auto, always or never%s", "");
}

static bool is(const char *arg, const char *letter, const char *name)
{
	return strcmp(arg, letter) == 0 || strcmp(arg, name) == 0;
}

static int take(struct options *o, struct words *w)
{
	const char *arg = w->argv[w->at], *value;
	const char *flag = w->operands ? NULL : passed_flag(arg, &value);

	if (flag)
		return pass_on(o, w, flag, value);
	if (is(arg, "-c", "--continue")) {
		o->id = "here";
	} else if (is(arg, "-r", "--resume")) {
		o->id = optional(w);
		o->pick = !o->id;
	} else if (strcmp(arg, "--any") == 0) {
		w->any = true;
	} else if (strcmp(arg, "--attach") == 0) {
		o->attach = true;
		o->id = optional(w);
	} else if (strcmp(arg, "--controller") == 0) {
		o->controller = optional(w);
		return o->controller ? 0 : bad("%s needs a value", arg);
	} else if (strcmp(arg, "--plain") == 0) {
		o->plain = true;
	} else if (strcmp(arg, "--notify") == 0) {
		return set_notify(o, optional(w));
	} else if (strcmp(arg, "--") == 0 && !w->operands) {
		w->operands = true;
	} else if (*arg == '-' && arg[1] && !w->operands) {
		return bad("unknown flag %.80s", arg);
	} else if (o->message) {
		return bad("one message at a time (%.80s); put it in quotes", arg);
	} else {
		o->message = arg;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	struct words w = { .argc = argc, .argv = argv, .at = 1 };

	harden_process();
	harden_environment();
	harden_arguments(argc, argv);
	/* lowdown measures by the locale; the texts are UTF-8 whatever it says */
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
	for (; w.at < argc; w.at++) {
		int code;

		if (is(argv[w.at], "-h", "--help")) {
			help();
			return 0;
		}
		code = take(&o, &w);
		if (code)
			return code;
	}
	if (w.any && (!o.id || strcmp(o.id, "here") != 0))
		return bad("--any goes with --continue%s", "");
	if (w.any)
		o.id = "last";
	if (!o.plain && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return bad("this is no terminal: mortise run works without one, --plain "
			   "reads lines%s",
			   "");
	return chat_run(&o);
}
