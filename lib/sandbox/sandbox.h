/* SPDX-License-Identifier: MIT
 *
 * sandbox.h - creates a sandbox from its rules, and moves processes into it.
 *
 * A child process prepares everything once: namespaces, if the system allows them to this
 * user, a Landlock rule set, and filters of system calls. It hands descriptors of them to
 * its parent, and exits. Each child that the parent forks later enters the sandbox before
 * it runs foreign code. */
#ifndef LIB_SANDBOX_SANDBOX_H
#define LIB_SANDBOX_SANDBOX_H

#include "sandbox/namespaces.h"
#include "syscall-filter.h"

/* Kinds of programs, which need different system calls. */
enum sandbox_program {
	SANDBOX_TOOL,
	SANDBOX_BROWSER, /* has a sandbox of its own, which needs namespaces */
	SANDBOX_PROGRAMS,
};

/** What holds the boundaries. */
struct sandbox_state {
	bool namespaces;     /* effective; otherwise `reason` tells why not */
	int landlock;        /* effective version; 0: none */
	bool filter;         /* system calls are filtered */
	bool handler;        /* a handler checks calls that Landlock does not cover */
	bool uncovered;      /* files that tools must not use are in reach of commands */
	char reason[256];    /* the first part that is not enforced, and why; or "" */
};

struct sandbox {
	int namespaces[SANDBOX_NAMESPACES]; /* -1: not separated */
	int rules;                          /* of Landlock; -1: none */
	int listener; /* TCP on the loopback interface of the sandbox, for its proxy; -1 */
	int proxy_port;                     /* of the proxy; 0: none */
	struct syscall_filter filters[SANDBOX_PROGRAMS];
	struct sandbox_state state;
};

#define SANDBOX_NONE                                                                   \
	((struct sandbox){ .namespaces = { -1, -1, -1, -1 }, .rules = -1, .listener = -1 })

/** Prepare a sandbox in a child process. `temporary` is the directory that it gets as /tmp,
 *  created if it does not exist. The caller has one thread. A part that the system lacks is
 *  left out and named in the state. @return MT_OK; a failure leaves `ret` empty. */
int sandbox_make(const struct sandbox_rules *r, const char *temporary,
		 struct sandbox *ret, struct error *err);
/** Move this process into the sandbox, permanently. It has one thread, loses all
 *  capabilities, and is at "/" if it is in namespaces. `rules` and `temporary` are those of
 *  sandbox_make.
 *
 *  Without namespaces, this returns in a child of the process. That one stays behind as the
 *  handler of system calls, and exits as the child does.
 *  @return MT_OK; otherwise the process must exit. */
int sandbox_enter(const struct sandbox *s, const struct sandbox_rules *rules,
		  const char *temporary, enum sandbox_program program, struct error *err);
void sandbox_clear(struct sandbox *s);
/** The state as members of a JSON object, for logs and the runner protocol. */
void sandbox_state_put(const struct sandbox_state *s, struct strbuf *out);
/** `o` NULL: nothing is enforced. */
void sandbox_state_read(const json_object *o, struct sandbox_state *ret);
/** True if the kernel keeps tools from changing files and reaching the network beyond the
 *  rules. */
bool sandbox_holds(const struct sandbox_state *s);

#endif
