/* SPDX-License-Identifier: MIT
 *
 * commands.h - the commands of the program and their shared declarations.
 *
 * One file per command. command-table.c holds the table. If X is not in it, `mortise X`
 * runs mortise-X from the helper directory or the PATH. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "config/config.h"
#include "exit-code.h"
#include "error.h"

#include <stddef.h>
#include <stdio.h>

/** The type of the variable that stores the value of an option. */
enum flag_kind {
	FLAG_TRUE,   /* bool at `offset` becomes true */
	FLAG_SET,    /* int or enumeration at `offset` becomes `set` */
	FLAG_TEXT,   /* const char * at `offset` becomes the value */
	FLAG_NUMBER, /* int64_t at `offset` becomes the value, from 0 to `max` */
	FLAG_TAKE,   /* `take` is called with the member at `offset` */
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
	int set;
	int64_t max;          /* of a number; 0: no maximum */
	const char *expected; /* for the error about a number: "use EXPECTED" */
	int (*take)(void *at, const char *value, struct error *err);
};

#define FLAG(letter_, name_, value_, help_, ...)                                  \
	{ .letter = (letter_), .name = (name_), .value = (value_), .help = (help_), \
	  __VA_ARGS__ }

/** Designators that say where a flag stores its value. */
#define STORE(kind_, type_, member_) \
	.kind = (kind_), .offset = offsetof(type_, member_)

/** A subcommand: its name, its number of operands, and the function that runs it, unless
 *  the command distinguishes its subcommands by index. */
struct subcommand {
	const char *name;
	int least, most;
	int (*run)(void *arguments, struct error *err); /* of the command; NULL: by index */
};
enum { OPERANDS_MAX = 1 << 20 }; /* "any number" */

struct command {
	const char *name;
	const char *args;     /* "[FILE]...", for the help */
	const char *summary;  /* one sentence */
	const char *details;  /* more help, or NULL */
	const struct flag *flags; /* ends with a zeroed one */
	const struct subcommand *subcommands; /* ends with a zeroed one; NULL: none */
	int (*run)(const struct command *self, int argc, char **argv);
	bool hidden;
};

/** Parse the options of a command, which may be anywhere among the operands. Values are
 *  stored as described by the tables, in the structure that starts with `in`. `in` NULL:
 *  the command has no options, not even the common ones.
 *  @return FLAG_END (*ret_first is the first operand in `argv`), FLAG_HELP after printing
 *  the help, or FLAG_BAD after printing an error. */
enum flags_status { FLAG_END, FLAG_HELP, FLAG_BAD };

/** Exit code after FLAG_HELP or FLAG_BAD: the command does not run. */
int flags_exit_code(enum flags_status status);

struct common {
	const char *overrides[256];
	size_t override_count;
	const char *workspace, *file;
	bool trust; /* treat the project's file as trusted, to check it */
	void (*on_fault)(void *arg, const struct error *fault); /* of config_input */
	void *on_fault_arg;
};
enum flags_status flags_parse(const struct command *self, int argc, char **argv,
			      int *ret_first, struct common *in);
/** The same for a command with at most one operand, a conversation. *ret_id stays
 *  unchanged if none is given. */
enum flags_status flags_parse_id(const struct command *self, int argc, char **argv,
				 const char **ret_id, struct common *in);
/** Load the configuration according to the common flags. */
int common_config(const struct common *in, struct config **ret, struct error *err);
/** What `mortise config check` reports, one line each. @return MT_OK or MT_ENOMEM. */
int config_list_faults(struct common *common, struct strbuf *ret, struct error *err);
/** Report on standard error that the project's file is ignored. */
void common_untrusted(const struct config *c);
/** Apply the log settings of [core]: call this after loading the configuration. */
int common_log(const struct config *c, struct error *err);
/** Write text from a tool, a model or a server. Output to a file or pipe is unchanged. On
 *  a terminal, control characters are removed: a terminal answers some of them with input
 *  that looks typed. */
void command_write(FILE *out, const char *text, size_t len);
/** True if text for this file may have colors: a terminal, and NO_COLOR is not set. */
bool command_colors(FILE *out);
/** Print "mortise: TEXT" and return `code`. */
int command_report(int code, const struct error *err);
/** command_report after a conversation could not be found.
 *  @return EXIT_USAGE if its id is unknown or ambiguous, EXIT_FAILED otherwise. */
int command_report_id(const struct error *err);
/** The loop of the program. NULL: out of descriptors or memory. */
struct uv_loop_s *command_loop(struct error *err);
void command_help(const struct command *self);
/** Print the problem with the arguments and the usage to standard error.
 *  @return EXIT_USAGE */
int command_misused(const struct command *self, const char *problem);
/** The same for an argument that the command does not take. */
int command_unexpected(const struct command *self, const char *word);
/** The subcommand that `words` start with (none: the first of the table), followed by its
 *  operands. @return its index in the table; -1 after printing an error */
int command_choose(const struct command *self, int count, char **words);
/** Replace this process with mortise-NAME from the directory of this program, the
 *  helper directory or PATH. Returns only if it is not found. */
void helper_run(const char *name, char **argv);

/** Print the exit codes and their meanings, one per line. */
void exit_codes_print(FILE *out);

/** The n-th command of the program, NULL past the last. */
const struct command *command_at(size_t n);
/** The n-th flag that every command takes. */
const struct flag *common_flag(size_t n);

extern const struct command command_start_runner, command_plugins, command_plugin,
	command_mcp, command_config, command_tools, command_run, command_resume,
	command_conversations, command_ps, command_attach, command_kill,
	command_plugin_probe, command_manual, command_models, command_policy,
	command_skills, command_fork, command_delegate, command_ffi, command_replay,
	command_condense, command_sandbox, command_doctor, command_bundle, command_diff,
	command_apply, command_discard, command_bisect, command_race;

#endif
