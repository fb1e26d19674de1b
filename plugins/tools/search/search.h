/* SPDX-License-Identifier: MIT
 *
 * search.h - a search: its parameters, limits and results. */
#ifndef SEARCH_H
#define SEARCH_H

#include "error.h"
#include "text/glob.h"
#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

enum {
	SEARCH_DEPTH_MAX = 100,   /* directories in directories */
	SEARCH_PATH_MAX = 16384,  /* bytes of a path */
};

struct search {
	const char *top;     /* absolute, without a slash at its end ("/" is "/") */
	const struct glob *glob;  /* files to look at; NULL: all */
	const char *pattern; /* what they must hold; NULL: anything */
	bool match_case;     /* of the pattern */
	const char *program; /* ripgrep: a path or a name; "" : the walk of our own */
	size_t files_max;    /* entries looked at, and files remembered */
	size_t file_max;     /* bytes: in a larger file nothing is searched */
	int64_t until_ms;    /* when to stop, by CLOCK_MONOTONIC */
	int cancel_fd;       /* readable: stop; -1: none */
};

struct found_file {
	char *path;          /* relative to the top; "" is the top itself, a file */
	int64_t mtime;       /* ns */
};

/** Why there may be more than was found. */
enum search_end {
	SEARCH_WHOLE,
	SEARCH_TIME,
	SEARCH_FILES,
	SEARCH_CANCELLED,
};

struct found {
	struct found_file *files; /* newest first once the search is over */
	size_t count, room;
	enum search_end end;
	size_t large;        /* files that were too large */
	size_t costly;       /* files in which the pattern took too much work */
	size_t unreadable;   /* directories and files, or that are too deep */
	bool partly;         /* some could not be read, who knows how many */
};

void walk_found_clear(struct found *f);
int walk_found_add(struct found *f, const char *path, int64_t mtime);
/** Newest first, then by path. */
void walk_found_sort(struct found *f);

/** Is it time to stop? Sets found.end. */
bool search_over(const struct search *s, struct found *f);

/** Search with the walk of our own. @return MT_EINVAL: the pattern is wrong. */
int search_walk(const struct search *s, struct found *ret, struct error *err);
/** Search with ripgrep. @return MT_EUNSUPPORTED: it is not there, or cannot do
 *  this one; nothing was found then. */
int search_ripgrep(const struct search *s, struct found *ret, struct error *err);

/* ---- contents ---------------------------------------------------------- */

struct matcher; /* a compiled pattern; one thread at a time */

/** Compile: a match lies within a line. */
int matcher_open(const char *pattern, bool match_case, struct matcher **ret,
		 struct error *err);
struct matcher *matcher_free(struct matcher *m);
/** The next line from `*at` on that matches. @return MT_OK and the line without
 *  its end; MT_ENOTFOUND; MT_ELIMIT: it took too much work. */
int matcher_next(struct matcher *m, const char *text, size_t len, size_t *at,
		 struct mt_str *ret_line);
/** Offset of the match in the line that matcher_next returned last. */
size_t matcher_place(const struct matcher *m);

/** Read a regular file for searching, at most `max` bytes, as text: UTF-16 with
 *  a mark becomes UTF-8. `fd` stays open.
 *  @return MT_OK, MT_ELIMIT (larger), MT_EUNSUPPORTED (binary), MT_EIO, MT_ENOMEM */
int search_text_read(int fd, size_t max, struct strbuf *ret);

#endif
