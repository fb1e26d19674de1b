/* SPDX-License-Identifier: MIT
 *
 * line-editor.h - the text being typed, and the effect of keys on it. Independent of
 * the terminal. */
#ifndef TERMINAL_LINE_EDITOR_H
#define TERMINAL_LINE_EDITOR_H

#include "keys.h"
#include "strbuf.h"
#include <stdbool.h>

enum { LINE_MAX_BYTES = 512 << 10 };

struct line_editor {
	struct strbuf text;   /* clean UTF-8; newlines are \n */
	size_t at;            /* the cursor, in bytes */
	struct strbuf killed; /* text that Ctrl-Y inserts */
};

void line_editor_init(struct line_editor *l);
void line_editor_done(struct line_editor *l);
void line_editor_set(struct line_editor *l, const char *text);

/** Sanitize text and insert it at the cursor. Text that is too long is refused as a
 *  whole. */
int line_editor_insert(struct line_editor *l, const char *bytes, size_t len);

void line_editor_left(struct line_editor *l);
void line_editor_right(struct line_editor *l);
void line_editor_word_left(struct line_editor *l);
void line_editor_home(struct line_editor *l); /* of this row of the text */
void line_editor_end(struct line_editor *l);
/** Move to the row above or below. @return false if there is none. */
bool line_editor_up(struct line_editor *l);
bool line_editor_down(struct line_editor *l);

/** Delete the text between the cursor and the target of `move`. `keep`: Ctrl-Y inserts it
 *  again. */
void line_editor_delete(struct line_editor *l, void (*move)(struct line_editor *),
			bool keep);
void line_editor_yank(struct line_editor *l);
void line_editor_transpose(struct line_editor *l);
/** Handle a key that inserts, deletes or moves the cursor.
 *  @return false for other keys, which the caller must handle. */
bool line_editor_key(struct line_editor *l, enum key key, const char *text, size_t len);
/** Remove a single backslash before the cursor at the end of the text.
 *  @return whether there was one. */
bool line_editor_continues(struct line_editor *l);

#endif
