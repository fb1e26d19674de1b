/* SPDX-License-Identifier: MIT
 *
 * command.h - the commands of the program, and what they share.
 *
 * One file per command. main.c holds the table; `mortise X` that is not in it
 * runs mortise-X from the helper folder or the PATH. */
#ifndef HOST_COMMANDS_COMMAND_H
#define HOST_COMMANDS_COMMAND_H

#include "config/config.h"
#include "controller/exit-code.h"
#include "error.h"

#include <stddef.h>
#include <stdio.h>

/** Where the value of an option goes. */
enum flag_kind {
	FLAG_RETURN, /* to the caller of flag_next */
	FLAG_TRUE,   /* bool at `offset` becomes true */
	FLAG_TEXT,   /* const char * at `offset` becomes the value */
};

/** An option of a command: "--json", "-t TEXT". */
struct flag {
	char letter;          /* 0: none */
	const char *name;     /* without -- */
	const char *value;    /* name of its value in the help; NULL: a switch */
	const char *help;
	enum flag_kind kind;
	size_t offset;        /* in the arguments, which start with a struct common */
	const char *alias;    /* former name, still accepted; NULL: none */
};

#define FLAG(letter_, name_, value_, help_, ...)                                  \
	{ .letter = (letter_), .name = (name_), .value = (value_), .help = (help_), \
	  __VA_ARGS__ }

struct command {
	const char *name;
	const char *args;     /* "[FILE]...", for the help */
	const char *summary;  /* one sentence */
	const char *details;  /* more help, or NULL */
	const struct flag *flags; /* ends with a zeroed one */
	int (*run)(const struct command *self, int argc, char **argv);
	bool hidden;
};

/** Parse the options of a command. Called in a loop like getopt. Options with a
 *  `kind` are stored in the structure that starts with `in`; for the others this
 *  returns the index in the table (>= 0) and sets *ret_value. Returns FLAG_END
 *  after the last option (*index is the first operand), FLAG_HELP after printing
 *  the help (return EXIT_DONE), FLAG_BAD after printing an error (return
 *  EXIT_USAGE). The common options -o/--set SECTION.KEY=VALUE, --config FILE and
 *  -C/--workspace DIR are stored in `in`; NULL: the command does not take them. */
enum { FLAG_END = -1, FLAG_HELP = -2, FLAG_BAD = -3 };

struct common {
	const char *overrides[256];
	size_t override_count;
	const char *workspace, *file;
};
int flag_next(const struct command *self, int argc, char **argv, int *index,
	      const char **ret_value, struct common *in);
/** Load the configuration as the common flags say. */
int common_config(const struct common *in, struct config **ret, struct error *err);
/** Say on standard error that the project's file is there and does not count. */
void common_untrusted(const struct config *c);
/** Where messages go and which, as [core] says: to be called once it is read. */
int common_log(const struct config *c, struct error *err);
/** Print "mortise: TEXT" and return `code`. */
int complain(int code, const struct error *err);
/** The loop of the program. NULL: descriptors or memory are short. */
struct uv_loop_s *command_loop(struct error *err);
void command_help(const struct command *self);
/** Become mortise-NAME, which lies beside this program, in the helper folder or
 *  in PATH. Returns only if there is none. */
void helper_run(const char *name, char **argv);

/** Print the exit codes and their meanings, one per line. */
void exit_codes_print(FILE *out);

/** The n-th command of the program, NULL past the last. */
const struct command *command_at(size_t n);
/** The n-th flag that every command takes. */
const struct flag *common_flag(size_t n);

extern const struct command command_plugins, command_mcp, command_config, command_tools,
	command_run, command_resume, command_conversations, command_ps, command_attach,
	command_kill, command_plugin_probe, command_manual,
	command_models, command_policy, command_skills, command_fork, command_delegate,
	command_ffi, command_replay, command_condense;

#endif
