/* SPDX-License-Identifier: MIT
 *
 * screen.h - converts terminal output to the text that a user sees: carriage returns
 * overwrite, colors are dropped, lines are not wrapped.
 *
 * Plain text and sequences that stay within a line are handled here; a sequence that
 * leaves the line passes the last lines to a libvterm screen (vt.h). */
#ifndef BASH_SCREEN_H
#define BASH_SCREEN_H

#include "output.h"
#include "vt.h"

enum {
	SCREEN_LINE = 64 * 1024, /* bytes of a line that can be overwritten */
	SCREEN_SEQ = 128,        /* longest control sequence that is understood */
};

struct screen_hooks {
	void (*live)(void *arg, const char *bytes, size_t len); /* text as it arrives */
	void (*answer)(void *arg, const char *bytes, size_t len); /* to the program */
	void *arg;
};

struct screen; /* one terminal */

/** The position of bytes dropped from a text that was too long. */
struct screen_gap {
	size_t at, lost_bytes, lost_lines;
};

struct screen *screen_new(const struct screen_hooks *hooks); /* NULL: memory */
struct screen *screen_free(struct screen *s);
void screen_feed(struct screen *s, const char *bytes, size_t len);
/** Append the text since the last call (bytes may be invalid UTF-8). The part of an
 *  unfinished line or screen that was already returned is not repeated, unless it has
 *  changed. `end`: the line and the screen are finished. */
int screen_take(struct screen *s, bool end, struct strbuf *out);
/** The gap in the text that screen_take appended last. */
struct screen_gap screen_gap(const struct screen *s);
/** True while a program uses the whole screen, as an editor does. */
bool screen_is_full(const struct screen *s);
/** True if screen_take has text to append. */
bool screen_has_text(const struct screen *s);

#endif
