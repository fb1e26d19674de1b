/* SPDX-License-Identifier: MIT
 *
 * session.h - the kernel of an instance: started on first use, prepared, restarted
 * after it exits, in the directory of the shell. */
#ifndef IPYTHON_SESSION_H
#define IPYTHON_SESSION_H

#include "cell.h"

struct session_config {
	const char *kernel;      /* name or directory, see kernelspec_find */
	const char *imports;     /* modules separated by commas, in this order */
	const char *private_dir; /* "" if there is none */
	const char *workspace;
	bool tcp;
	int64_t start_ms;
	/** Append code to run in a new Python kernel; NULL: none. */
	int (*add_code)(void *arg, struct strbuf *code);
	void *arg;
};

struct session {
	struct session_config config;
	struct kernelspec spec;
	struct kernel *kernel; /* NULL: none runs */
	bool started;          /* a kernel was started before */
	bool told;             /* the exit of the last one was reported */
	char *shell_dir;       /* of the shell, when last queried */
};

/** Start a kernel if none is ready. `shell_dir`: the directory of the shell, NULL:
 *  unknown; the kernel changes to it if it differs. Notes for the model are appended to
 *  `notes`, each "[...]\n". */
int session_ready(struct session *s, const char *shell_dir, int cancel_fd,
		  struct strbuf *notes, struct error *err);
/** Run a cell, after session_ready. If the kernel exits, it is cleaned up, and how it
 *  exited is appended to `ret_end`. */
int ipython_session_run(struct session *s, const struct cell *cell,
			struct cell_result *ret, struct strbuf *ret_end,
			struct error *err);
/** Current directory and interpreter ("" if it is not Python), as far as known. */
char *session_directory(const struct session *s);
const char *session_python(const struct session *s);
void ipython_session_end(struct session *s);

#endif
