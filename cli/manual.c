/* SPDX-License-Identifier: MIT
 *
 * manual.c - `mortise manual PAGE` (hidden): prints manual pages as roff from the
 * tables of commands and options. */
#include "commands.h"

#include "auto.h"
#include <config.h>
#include <string.h>

/* Print text, with escapes for characters that are special in roff. */
static void manual_put(const char *text)
{
	bool line_start = true;

	for (; *text; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
		line_start = *text == '\n';
	}
}

static void title(const char *name, const char *section, const char *what)
{
	printf(".TH %s %s \"\" \"mortise %s\"\n.SH NAME\n", name, section, VERSION);
	manual_put(what);
	putchar('\n');
}

static void put_flag(const struct flag *f)
{
	fputs(".TP\n.B ", stdout);
	if (f->letter)
		printf("\\-%c, ", f->letter);
	fputs("\\-\\-", stdout);
	manual_put(f->name);
	if (f->value)
		printf(" \\fI%s\\fR", f->value);
	putchar('\n');
	manual_put(f->help);
	putchar('\n');
}

static void manual_put_command(const struct command *c)
{
	printf(".SS mortise %s ", c->name);
	manual_put(c->args ? c->args : "");
	putchar('\n');
	manual_put(c->summary);
	puts(".");
	if (c->details) {
		puts(".PP\n.nf");
		manual_put(c->details);
		puts("\n.fi");
	}
	for (const struct flag *f = c->flags; f && f->name; f++)
		put_flag(f);
}

static void page_mortise(void)
{
	const struct command *c;
	const struct flag *f;

	title("MORTISE", "1", "mortise - host for software agents");
	puts(".SH SYNOPSIS\n.B mortise\n[\\fIoption\\fR]... [\\fImessage\\fR]\n.br\n"
	     ".B mortise\n.I command\n[\\fIoption\\fR]... [\\fIargument\\fR]...\n"
	     ".SH DESCRIPTION\nA language model plans and calls tools until a task is "
	     "complete. Agents, tools,\ncondensers, dialects and runtimes are plugins, "
	     "configured with INI files.\n.PP\nWithout a command,\n.B mortise\nstarts a "
	     "conversation at the terminal: see\n.BR mortise-chat (1).\n.SH COMMANDS");
	for (size_t i = 0; (c = command_at(i)); i++)
		if (!c->hidden)
			manual_put_command(c);
	puts(".SH COMMON OPTIONS");
	for (size_t i = 0; (f = common_flag(i)); i++)
		put_flag(f);
	puts(".SH EXIT STATUS\n.nf");
	exit_codes_print(stdout);
	puts(".fi\n.SH SEE ALSO\n.BR mortise-chat (1),\n.BR mortise.ini (5)");
}

static void manual_put_option(const struct mt_option *o)
{
	printf(".TP\n.B %s\n", o->name);
	manual_put(o->help);
	if (o->choices)
		printf(" One of %s.", o->choices);
	if (o->fallback) {
		fputs(" Default: ", stdout);
		manual_put(o->fallback);
		putchar('.');
	}
	putchar('\n');
}

static void page_ini(void)
{
	const char *family;
	size_t count;

	title("MORTISE.INI", "5", "mortise.ini - configuration of mortise");
	puts(".SH DESCRIPTION\nSections and their options. Later sources override "
	     "earlier ones: built-in defaults,\n.IR /etc/mortise/mortise.ini ,\n.IR "
	     "/etc/mortise/conf.d/*.ini ,\n.IR ~/.config/mortise/mortise.ini ,\n.I "
	     ".mortise/mortise.ini\nof a trusted project, the environment, and the "
	     "option\n.BR \\-o .\nNothing overrides the settings of the administrator in\n"
	     ".IR /etc/mortise/enforced.ini .\nRun `mortise plugins info NAME` for the options of a "
	     "plugin.");
	for (size_t i = 0; (family = config_family(i)); i++) {
		const struct mt_option *table = config_table(family, &count);

		printf(".SH [%s]\n", family);
		for (size_t n = 0; n < count; n++)
			manual_put_option(&table[n]);
	}
	puts(".SH SEE ALSO\n.BR mortise (1),\n.BR mortise-chat (1)");
}

static int manual_run(const struct command *self, int argc, char **argv)
{
	const char *page = argc == 2 ? argv[1] : "";

	(void)self;
	if (strcmp(page, "mortise") == 0)
		page_mortise();
	else if (strcmp(page, "mortise.ini") == 0)
		page_ini();
	else {
		fputs("mortise: manual: unknown page; use mortise or mortise.ini\n",
		      stderr);
		return EXIT_USAGE;
	}
	return ferror(stdout) || fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_manual = {
	.name = "manual",
	.args = "mortise | mortise.ini",
	.summary = "Print a manual page as roff (internal)",
	.run = manual_run,
	.hidden = true,
};
