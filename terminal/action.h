/* SPDX-License-Identifier: MIT
 *
 * action.h - formats an action completely for approval by the user, so that the action
 * that runs is the one shown. lib/visible.h defines how hidden characters are shown. */
#ifndef TERMINAL_ACTION_H
#define TERMINAL_ACTION_H

#include "js.h"
#include "style.h"

/** Rows with a bar at the left, so that no text can look like output of the program. The
 *  bar is broken where a line continues in the next row. */
struct block {
	struct strbuf *out;
	const struct style *style;
	const char *bar, *broken; /* NULL: the default */
	bool words;               /* prose: wrap between words */
	size_t rows;              /* so far */
};

enum { BLOCK_MAX = 256 << 20 };

/** Add untrusted text in its visible form. `lead` precedes the first line. Blanks of the
 *  same width precede the others, or `lead` if `each` is set. */
void action_block_text(struct block *b, enum paint p, const char *lead, bool each,
		       const char *text, size_t len);
/** The same on one line. */
void action_block_line(struct block *b, enum paint p, const char *lead, const char *text,
		       size_t len);

/** Append a whole action: its command, its diff, or its name and each argument.
 *  @return the number of rows. `out->error` is set if it is too long to be shown. */
size_t action_show(struct strbuf *out, const struct style *s, json_object *event);
/** Remove rows from the middle, so that `most` remain. One of these reports the number of
 *  hidden rows. @return that number. */
size_t action_cut(struct strbuf *rows, const struct style *s, size_t count, size_t most);

/** Append the action on one line, in its visible form. */
void action_label(struct strbuf *out, json_object *event);
/** The name of the argument that a user can edit before approving, or NULL. */
const char *action_editable(json_object *event);
/** A string of an object with its length; "" if there is none. */
const char *action_text(json_object *o, const char *name, size_t *ret_len);

#endif
