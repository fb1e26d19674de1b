/* SPDX-License-Identifier: MIT
 *
 * escape.h - attempts to break out of a sandbox, for `mortise sandbox verify` and
 * tests/escape. The targets are outside of it, and what happened to them is checked there:
 * a success that only the sandbox sees is none. */
#ifndef LIB_SANDBOX_ESCAPE_H
#define LIB_SANDBOX_ESCAPE_H

#include "error.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

/** Attempts of a kind that only some sandboxes can refuse. */
enum {
	ESCAPE_FLOOD = 1,     /* uses a lot: refused by limits */
	ESCAPE_PROCESSES = 2, /* refused by a process namespace */
};

/** Sockets of the targets. */
enum {
	ESCAPE_TCP,     /* on localhost, as the two below */
	ESCAPE_UDP,
	ESCAPE_ADDRESS, /* TCP at another address of the host; -1: it has none */
	ESCAPE_UNIX,
	ESCAPE_ABSTRACT,
	ESCAPE_SOCKETS,
};

/** What the attempts are made on. */
struct escape_targets {
	char dir[256];      /* a directory with files, outside */
	int port;           /* of all TCP and UDP sockets */
	in_addr_t address;  /* of ESCAPE_ADDRESS; 0: none */
	pid_t victim;       /* another process of the user */
	char abstract[32];  /* name of a socket */
	int sockets[ESCAPE_SOCKETS];
	struct timespec made; /* files that were changed later were changed by an attempt */
};

enum escape_outcome {
	ESCAPE_NOT_TRIED, /* the sandbox ended before */
	ESCAPE_REFUSED,
	ESCAPE_SUCCEEDED,
	ESCAPE_SKIPPED,   /* it makes no sense here */
};

struct escape_result {
	enum escape_outcome outcome;
	int error;  /* errno; 0: none */
	int signal; /* that ended the attempt; 0: none */
};

enum { ESCAPE_MAX = 128, ESCAPE_LINE = 64 };

/** Create the targets in the directory `dir`, which is created and must not exist. */
int escape_open(struct escape_targets *t, const char *dir, struct error *err);
void escape_close(struct escape_targets *t);
size_t escape_count(void);
const char *escape_name(size_t i);
unsigned escape_kind(size_t i);
/** In the sandbox, in a workspace: make attempt `i` in a child process, and write its
 *  result as a line for escape_read. Of the targets, all but the sockets and `made` are
 *  used. */
void escape_attempt(size_t i, const struct escape_targets *t, int fd);
/** Read such a line into a list of ESCAPE_MAX results; other lines are ignored. */
void escape_read(const char *line, struct escape_result *results);
/** Outside, afterwards: correct the results by what happened to the targets. */
void escape_check(const struct escape_targets *t, struct escape_result *results);
/** "refused", "SUCCEEDED", ... */
const char *escape_outcome_text(const struct escape_result *r);
/** What refused it, as text; "" if nothing did. */
const char *escape_reason(const struct escape_result *r);

#endif
