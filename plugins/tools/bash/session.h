/* SPDX-License-Identifier: MIT
 *
 * session.h - a bash on its own terminal that runs commands one at a time.
 *
 * Three channels: the terminal for what commands print and read; a memory file that holds
 * the command's text; a socket on which the shell receives the order to start and reports
 * the end. The last two are closed while a command runs, so neither the command nor its
 * children can disturb or hold them. */
#ifndef BASH_SESSION_H
#define BASH_SESSION_H

#include "error.h"
#include "strbuf.h"
#include "waiting.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	SESSION_COMMAND_MAX = 4 * 1024 * 1024, /* longest command, bytes */
	SESSION_TYPED_MAX = 256 * 1024,        /* input that the terminal has not accepted */
	SESSION_START_MS = 20000,              /* until a new shell responds */
};

struct session_config {
	const char *shell;     /* path, or a name to find in PATH */
	const char *startup;   /* file that a new shell reads first; NULL */
	const char *directory; /* where a new shell starts */
	bool keeps_state;      /* for bash_session_split */
	void (*sink)(void *arg, const char *bytes, size_t len); /* terminal output */
	void *arg;
};

/** The shell's report after each command. */
struct session_status {
	int exit_code;
	long job;        /* last process put into the background; -1: none */
	long uid;        /* effective user; -1: unknown */
	char *directory; /* as the shell names it */
	char *path;      /* its PATH */
	char *pipeline;  /* exit codes of the last pipeline, each with a blank; "": unknown */
};

enum { /* events that session_wait reports */
	SESSION_OUTPUT = 1 << 0,
	SESSION_DONE = 1 << 1,   /* the command has ended */
	SESSION_DEAD = 1 << 2,   /* the shell has ended */
	SESSION_CANCEL = 1 << 3, /* cancel_fd is readable */
};

struct session;

/** Texts of `config` are copied. No shell is started yet. */
int bash_session_new(const struct session_config *config, struct session **ret,
		     struct error *err);
/** Create a session like this one, in the current directory. Its shell starts with the
 *  variables, functions and options that this one had before its running command.
 *  @return MT_ENOTFOUND: the command has just ended. */
int bash_session_split(struct session *s, struct session **ret, struct error *err);
/** End the shell and store its state for the next runner, if the file exists. */
void session_save(struct session *s, const char *path);
/** Store the state of the shell, which waits for a command, if the file exists. */
int session_copy(struct session *s, const char *path, struct error *err);
/** Start with the state that was stored there, if any. */
void session_load(struct session *s, const char *path);
/** Set the argument of the sink. */
void session_set_arg(struct session *s, void *arg);
/** End the shell: ask it to exit, wait a moment, then kill it. */
struct session *bash_session_free(struct session *s);

/** Start a shell if none runs; does not wait for it. `directory` NULL: that of the
 *  configuration. */
int session_start(struct session *s, const char *directory, struct error *err);
/** Have the shell run `command` (no NUL in it). It must not be running one. `pipeline`:
 *  report the exit codes of a pipeline at its end; the command is complete. */
int bash_session_run(struct session *s, const char *command, size_t len, bool pipeline,
		     struct error *err);
bool session_is_alive(const struct session *s);
bool session_is_running(const struct session *s);
/** Type bytes at the terminal. [any thread] */
int session_type(struct session *s, const char *bytes, size_t len);
/** False if typed input is not echoed, as for a password. */
bool session_may_echo(const struct session *s);
/** True if a program reads keys, not lines: it has a line editor, or uses the screen. */
bool session_edits_lines(const struct session *s);
/** Does the program in the foreground wait for input? Never while typed bytes are
 *  pending. */
struct waiting bash_session_waiting(struct session *s);
/** Process group in the foreground; -1: none. */
pid_t session_front(const struct session *s);
/** Send SIGINT (or another) to the foreground processes, including loops of the shell
 *  itself; with `spare_shell`, not to the shell. */
void session_signal(struct session *s, int signal, bool spare_shell);
/** Send SIGKILL to the shell, even if a program runs in the foreground. */
void session_kill(struct session *s);

/** Wait for an event, at most `timeout_ms`, and pass terminal output to the sink. When
 *  SESSION_DONE is returned, all output of the command has been passed. `cancel_fd` may
 *  be -1. @return SESSION_... bits; 0: timeout. */
int session_wait(struct session *s, int timeout_ms, int cancel_fd);
/** Status of the last command; of the shell itself once it has ended. */
const struct session_status *session_status(const struct session *s);

#endif
