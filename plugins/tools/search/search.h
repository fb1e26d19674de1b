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
	SEARCH_DEPTH_MAX = 100,   /* maximum depth of directories */
	SEARCH_PATH_MAX = 16384,  /* bytes of a path */
};

struct search {
	const char *top;     /* absolute, without a trailing slash ("/" is "/") */
	const struct glob *glob;  /* files to search; NULL: all */
	const char *pattern; /* searched text; NULL: file names only */
	bool match_case;     /* of the pattern */
	const char *program; /* ripgrep: a path or a name; "": built-in walk */
	size_t files_max;    /* maximum entries visited, and files stored */
	size_t file_max;     /* bytes: larger files are not searched */
	int64_t until_ms;    /* deadline, by CLOCK_MONOTONIC */
	int cancel_fd;       /* readable: stop; -1: none */
};

/** May the model see this file? `path` is relative to the top. */
bool search_may_show(const struct search *s, const char *path);

struct found_file {
	char *path;          /* relative to the top; "": the top itself, a file */
	int64_t mtime;       /* ns */
};

/** Why the result may be incomplete. */
enum search_end {
	SEARCH_WHOLE,
	SEARCH_TIME,
	SEARCH_FILES,
	SEARCH_CANCELLED,
};

struct found {
	struct found_file *files; /* newest first after the search */
	size_t count, room;
	enum search_end end;
	size_t large;        /* files that were too large */
	size_t costly;       /* files in which the pattern exceeded its work limit */
	size_t unreadable;   /* directories and files, or too deep */
	bool partly;         /* some could not be read; their number is unknown */
};

void walk_found_clear(struct found *f);
int walk_found_add(struct found *f, const char *path, int64_t mtime);
/** Newest first, then by path. */
void walk_found_sort(struct found *f);

/** Is it time to stop? Sets found.end. */
bool search_over(const struct search *s, struct found *f);

/** Search with the built-in walk. @return MT_EINVAL: the pattern is invalid. */
int search_walk(const struct search *s, struct found *ret, struct error *err);
/** Search with ripgrep. @return MT_EUNSUPPORTED: it is not installed, or cannot run this
 *  search; then `ret` is empty. */
int search_ripgrep(const struct search *s, struct found *ret, struct error *err);

/* ---- contents ---------------------------------------------------------- */

struct matcher; /* a compiled pattern; one thread at a time */

/** Compile a pattern: a match lies within a line. */
int matcher_open(const char *pattern, bool match_case, struct matcher **ret,
		 struct error *err);
struct matcher *matcher_free(struct matcher *m);
/** Find the next matching line from `*at` on. @return MT_OK and the line without its
 *  newline; MT_ENOTFOUND; MT_ELIMIT: the work limit was exceeded. */
int matcher_next(struct matcher *m, const char *text, size_t len, size_t *at,
		 struct mt_str *ret_line);
/** Offset of the match in the line that matcher_next returned last. */
size_t matcher_place(const struct matcher *m);

/** Read a regular file for searching, at most `max` bytes, as text: UTF-16 with a
 *  byte-order mark is converted to UTF-8. `fd` stays open.
 *  @return MT_OK, MT_ELIMIT (larger), MT_EUNSUPPORTED (binary), MT_EIO, MT_ENOMEM */
int search_text_read(int fd, size_t max, struct strbuf *ret);

#endif
