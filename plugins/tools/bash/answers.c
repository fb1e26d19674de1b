/* SPDX-License-Identifier: MIT
 *
 * answers.c - holds answers to terminal queries until the program reads keys. */
#include "answers.h"
#include "clock.h"

enum {
	HOLD_MS = 2000, /* for a program to leave line mode after its query */
	LOOK_MS = 20,   /* how often the terminal mode is checked meanwhile */
};

void answers_reset(struct answers *a)
{
	strbuf_reset(&a->bytes);
}

void answers_add(struct answers *a, struct session *s, const char *bytes, size_t len)
{
	if (session_edits_lines(s)) {
		session_type(s, bytes, len);
		return;
	}
	if (!a->bytes.len) {
		a->front = session_front(s);
		a->expire_at = clock_ms() + HOLD_MS;
	}
	if (a->bytes.len + len < ANSWERS_MAX)
		strbuf_addn(&a->bytes, bytes, len);
}

int64_t answers_flush(struct answers *a, struct session *s)
{
	int64_t now = clock_ms();

	if (a->bytes.len && session_front(s) == a->front && session_edits_lines(s)) {
		session_type(s, a->bytes.text, a->bytes.len);
		answers_reset(a);
	}
	if (now >= a->expire_at)
		answers_reset(a);
	return a->bytes.len ? now + LOOK_MS : INT64_MAX;
}
