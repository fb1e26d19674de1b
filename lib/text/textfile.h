/* SPDX-License-Identifier: MIT
 *
 * textfile.h - a file as text: read with its encoding and line endings, changed in one
 * place, and otherwise written back unchanged. */
#ifndef LIB_TEXT_TEXTFILE_H
#define LIB_TEXT_TEXTFILE_H

#include "charset.h"
#include <sys/stat.h>

/** How a line ends; one for each '\n' of the text. */
enum line_end { END_LF, END_CRLF, END_CR };

struct textfile {
	struct strbuf bytes; /* as on disk */
	struct stat st;      /* of the file when it was read */
	uint64_t hash;       /* of the bytes */
	struct charset charset;
	struct strbuf text; /* UTF-8 (see charset.stray), lines end in '\n' */
	struct strbuf ends; /* enum line_end, one byte each */
};

#define TEXTFILE                                                                         \
	((struct textfile){ .bytes = STRBUF(TEXTFILE_MAX + 1),                        \
			    .text = STRBUF(4 * TEXTFILE_MAX + 64),                    \
			    .ends = STRBUF(4 * TEXTFILE_MAX + 64) })

void textfile_clear(struct textfile *f);

static inline void auto_textfile(struct textfile *f)
{
	textfile_clear(f);
}

/** Number of lines: a newline at the end does not start one. */
size_t textfile_lines(const struct textfile *f);
/** Offset of the start of line `n` (from 1); the text's length after the last line. */
size_t textfile_line_at(const struct textfile *f, size_t n);
/** Number of the line that contains an offset, from 1. */
size_t textfile_line_of(const struct textfile *f, size_t offset);

/** Append the text with its original line endings, as valid UTF-8. */
int textfile_whole(const struct textfile *f, struct strbuf *out);

uint64_t textfile_hash(const char *bytes, size_t len);

/** Read the bytes of a regular file, at most TEXTFILE_MAX.
 *  @return MT_ELIMIT, MT_EUNSUPPORTED (no regular file), MT_EDENIED, MT_EIO;
 *          the sentence is a reason without the path. */
int textfile_read(struct textfile *f, const char *path, struct error *err);
/** Convert the bytes to text. `hint` as in charset_decode. */
int textfile_decode(struct textfile *f, const struct charset *hint, struct error *err);
/** Use a text that is not on disk yet. */
int textfile_from_text(struct textfile *f, const char *text, size_t len,
		       struct error *err);

/** A change of a text: `added` replaces `removed` bytes at `at`. */
struct splice {
	size_t at, removed;
	struct mt_str added;
};

/** `ret` becomes `f` with changes, which are in order and do not overlap; new lines end
 *  like those that they replace, or like adjacent ones.
 *  @return MT_EINVAL if the encoding lacks a character, MT_ELIMIT, MT_ENOMEM. */
int textfile_splice(const struct textfile *f, const struct splice *all, size_t count,
		    struct textfile *ret, struct error *err);

/** Write bytes to `path` (a resolved path): temporary file in the same directory, then
 *  rename; mode, owner, and attributes of `old` are kept. The file is written in place if
 *  a rename is not allowed or would break hard links. Fails if the file is not the one
 *  that was read. @return MT_EEXIST if it has changed, MT_EDENIED, MT_EIO. */
int textfile_write(const char *path, const struct stat *old, const char *bytes,
		   size_t len, struct error *err);
/** Like textfile_write for a file that must not exist; parents are created and their
 *  number is reported. */
int textfile_create(const char *path, const char *bytes, size_t len,
		    unsigned *ret_parents, struct error *err);

#endif
