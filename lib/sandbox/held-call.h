/* SPDX-License-Identifier: MIT
 *
 * held-call.h - a system call of a tool that the kernel holds until the call handler has
 * answered it: access to its arguments.
 *
 * The tool can change its memory and its files at any time. Therefore the handler reads each
 * argument once, opens an object before it checks it, and works on that descriptor, never on
 * the path. Functions return 0 or a descriptor; otherwise a negative errno, which becomes the
 * result of the call. */
#ifndef LIB_SANDBOX_HELD_CALL_H
#define LIB_SANDBOX_HELD_CALL_H

#include "sandbox/rules.h"

#include <stddef.h>
#include <sys/types.h>

/** The process that answers the calls, and its sandbox. */
struct call_handler {
	const struct sandbox_rules *rules;
	struct sandbox_rules temporary; /* further paths that can be changed */
	int landlock;                   /* its version */
	int listener;                   /* of the filter */
	pid_t program;                  /* the first process of the sandbox */
	pid_t keeper; /* has the descriptors of `program`, whose files in /proc cannot be
		       * read; see call-handler.c */
	int memory;                     /* of `program` */
};

struct held_call {
	const struct call_handler *handler;
	uint64_t id;
	pid_t thread;
	int number;        /* of the system call */
	uint64_t args[6];
	char proc[32];     /* the directory of the thread in /proc */
	int memory;        /* of the process; -1: not opened */
};

/** A file that a call names. */
struct held_path {
	int directory;     /* descriptor of the tool, or AT_FDCWD */
	uint64_t text;     /* address; 0: the file is `directory` */
	bool follow;       /* a symbolic link at its end */
	bool may_be_empty; /* "" is `directory` */
};

/** Find the process of a call. */
int held_call_begin(struct held_call *c);
void held_call_end(struct held_call *c);
/** Read `len` bytes of the process. */
int held_call_read(struct held_call *c, uint64_t address, void *ret, size_t len);
/** Read a string, which has less than `room` bytes. @return -`too_long`: it is longer */
int held_call_text(struct held_call *c, uint64_t address, char *ret, size_t room,
		   int too_long);
/** Open the file with O_PATH. */
int held_call_open(struct held_call *c, const struct held_path *p);
/** The same, with a path that was read already. */
int held_call_open_text(struct held_call *c, const char *text);
/** A copy of a descriptor, such as a socket. */
int held_call_descriptor(const struct held_call *c, int fd);
/** Whether the sandbox can change the file. @return 0, or -EPERM */
int held_call_check(const struct held_call *c, int fd);
/** Whether it can connect to this Unix socket. @return 0, or -EPERM */
int held_call_check_socket(const struct held_call *c, int fd);

/* call-metadata.c */
/** Do a call that changes modes, owners, times or attributes. @return -ENOSYS: it is
 *  another call */
int call_change_metadata(struct held_call *c);
/* call-connect.c */
/** Do a call of connect(), which may take time. */
int call_connect(struct held_call *c);

#endif
