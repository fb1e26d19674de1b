/* SPDX-License-Identifier: MIT
 *
 * vt.h - a terminal of fixed size whose lines become text: for output that moves the
 * cursor. Created on demand; it uses about a megabyte. */
#ifndef BASH_VT_H
#define BASH_VT_H

#include "strbuf.h"
#include <stdbool.h>

enum { VT_ROWS = 50, VT_COLS = 200 };

struct vt_hooks {
	void (*line)(void *arg, const char *bytes, size_t len); /* scrolled off the top */
	void (*answer)(void *arg, const char *bytes, size_t len); /* to the program */
	void *arg;
};

struct vt;

struct vt *vt_new(const struct vt_hooks *hooks); /* NULL: memory */
struct vt *vt_free(struct vt *vt);
void vt_feed(struct vt *vt, const char *bytes, size_t len);
/** True at the end of a line when so much plain text has followed the last control
 *  sequence that it has scrolled everything else off the screen. */
bool vt_is_plain(const struct vt *vt);
/** Append what the screen shows. Wrapped lines are joined; blank lines at the end and the
 *  last newline are omitted. */
int vt_text(struct vt *vt, struct strbuf *out);

#endif
