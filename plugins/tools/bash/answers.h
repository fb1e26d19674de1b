/* SPDX-License-Identifier: MIT
 *
 * answers.h - the terminal's answers to queries in the output of a program, such as
 * ESC [ 6 n. Only a program that reads keys gets them: in line mode a query comes from a
 * file or a log that was printed, and its answer would be input of the next command. */
#ifndef BASH_ANSWERS_H
#define BASH_ANSWERS_H

#include "session.h"

/* Answers that wait for the program to leave line mode; at first `STRBUF(ANSWERS_MAX)`. */
struct answers {
	struct strbuf bytes;
	pid_t front;       /* process group that was in the foreground */
	int64_t expire_at; /* ms */
};

enum { ANSWERS_MAX = 1024 };

/** Type the bytes, or hold them briefly: `read -p QUERY -d R` changes the mode after it
 *  has printed the query. Bytes that do not fit are dropped. */
void answers_add(struct answers *a, struct session *s, const char *bytes, size_t len);
/** Type the held bytes if the program now reads keys. @return the clock time of the next
 *  call; INT64_MAX: no bytes are held. */
int64_t answers_flush(struct answers *a, struct session *s);
/** Drop the held bytes. */
void answers_reset(struct answers *a);

#endif
