/* SPDX-License-Identifier: MIT
 *
 * main.c - the program: finds the command. An unknown `mortise X` runs mortise-X from
 * the directory of this program, the helper directory or PATH. */
#include "commands.h"
#include "llm/transport/curl-api.h"
#include "files.h"
#include "harden.h"
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

enum { COMMANDS_MAX = 64 };

static void mortise_help(void)
{
	const struct command *command;

	puts("Usage: mortise [OPTION]... [MESSAGE]\n"
	     "       mortise COMMAND [OPTION]... [ARGUMENT]...\n\n"
	     "Run software agents: a model plans, tools act, plugins provide both.\n"
	     "Without a command, start a conversation in the terminal; see\n"
	     "`mortise chat --help`.\n\n"
	     "Commands:");
	for (size_t i = 0; (command = command_at(i)); i++)
		if (!command->hidden)
			printf("  %-14s %s\n", command->name, command->summary);
	puts("\nRun `mortise COMMAND --help` for help on a command, `mortise --version` for "
	     "the\nversion.\n\nExit codes:");
	exit_codes_print(stdout);
}

static const struct command *mortise_find_command(const char *name)
{
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)); i++)
		if (strcmp(command->name, name) == 0)
			return command;
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[COMMANDS_MAX], *near;
	const struct command *command;
	size_t count = 0;

	for (size_t i = 0; (command = command_at(i)) && count < COMMANDS_MAX; i++)
		if (!command->hidden)
			names[count++] = command->name;
	near = option_suggest(name, names, count);
	fprintf(stderr, "mortise: unknown command `%.80s`", name);
	if (near)
		fprintf(stderr, "; did you mean `%s`?", near);
	fputs("\nSee `mortise --help`. To send a message, quote it (a single word: after "
	      "--).\n",
	      stderr);
	return EXIT_USAGE;
}

/* Commands have no space in their names: such an argument is a message. */
static bool mortise_is_message(const char *word)
{
	return word[strcspn(word, " \t\n")] != '\0';
}

/* Without a command: start the terminal client, if on a terminal. */
static int mortise_converse(int argc, char **argv)
{
	if (argc > 1 || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))) {
		helper_run("chat", argv);
		fputs("mortise: the terminal client (mortise-chat) is not installed; "
		      "use\n`mortise run`, or build it (requires liblowdown)\n",
		      stderr);
		return EXIT_USAGE;
	}
	mortise_help();
	return EXIT_USAGE;
}

/* Prevent files that are opened later from becoming standard output. A closed descriptor
 * is replaced by one that cannot be written to, so that writes fail. */
static void fill_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

/* Fail if the output was not written completely. */
static int mortise_check_output(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (code == EXIT_DONE)
		fputs("mortise: cannot write to standard output\n", stderr);
	return code == EXIT_DONE ? EXIT_FAILED : code;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	const struct command *command;

	harden_process();
	harden_environment();
	harden_arguments(argc, argv);
	fill_standard_fds();
	signal(SIGXFSZ, SIG_IGN); /* exceeding a file size limit fails the write */
	if (strcmp(name, "--version") == 0) {
		puts("mortise " PACKAGE_VERSION);
		return EXIT_DONE;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
	    (strcmp(name, "help") == 0 && argc < 3)) {
		mortise_help();
		return EXIT_DONE;
	}
	if (argc < 2 || *name == '-' || mortise_is_message(name))
		return mortise_converse(argc, argv);
	if (strcmp(name, "help") == 0) {
		command = mortise_find_command(argv[2]);
		if (!command)
			return unknown_command(argv[2]);
		command_help(command);
		return EXIT_DONE;
	}
	command = mortise_find_command(name);
	if (command) {
		int code =
			mortise_check_output(command->run(command, argc - 1, argv + 1));

		curl_api_join();
		return code;
	}
	helper_run(name, argv + 1);
	return unknown_command(name);
}
