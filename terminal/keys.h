/* SPDX-License-Identifier: MIT
 *
 * keys.h - parses the bytes that a terminal sends into keys. They may be split
 * anywhere. */
#ifndef TERMINAL_KEYS_H
#define TERMINAL_KEYS_H

#include "strbuf.h"
#include <stdbool.h>

enum key {
	KEY_NONE, /* an unknown sequence */
	KEY_TEXT, /* one character */
	KEY_PASTE, /* pasted text, complete or a piece of it */
	KEY_ENTER, KEY_NEWLINE, KEY_TAB, KEY_BACKTAB, KEY_ESCAPE,
	KEY_LEFT, KEY_RIGHT, KEY_UP, KEY_DOWN, KEY_HOME, KEY_END,
	KEY_WORD_LEFT, KEY_WORD_RIGHT, KEY_PAGE_UP, KEY_PAGE_DOWN,
	KEY_BACKSPACE, KEY_DELETE, KEY_WORD_BACKSPACE, KEY_WORD_DELETE,
	KEY_FOCUS_IN, KEY_FOCUS_OUT,
	KEY_CONTROL, /* with its letter in `text`: 'c' for Ctrl-C */
};

enum { KEY_BYTES = 32, PASTE_MAX = 256 << 10 };

struct keys {
	char bytes[KEY_BYTES]; /* the start of an incomplete key */
	size_t len;
	bool pasting;
	struct strbuf paste;
	void (*on_key)(void *arg, enum key key, const char *text, size_t len);
	void *arg;
};

void keys_init(struct keys *k, void (*on_key)(void *, enum key, const char *, size_t),
	       void *arg);
void keys_done(struct keys *k);
void keys_feed(struct keys *k, const char *bytes, size_t len);
/** No byte followed for a moment: handle a lone ESC as the Escape key. */
void keys_settle(struct keys *k);
/** True while a key sequence is incomplete. */
bool keys_waiting(const struct keys *k);

#endif
