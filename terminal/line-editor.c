/* SPDX-License-Identifier: MIT
 *
 * line-editor.c - edits a text of one or more rows. */
#include "line-editor.h"

#include "text.h"

#include <string.h>

void line_editor_init(struct line_editor *l)
{
	*l = (struct line_editor){ .text = STRBUF(LINE_MAX_BYTES),
			    .killed = STRBUF(LINE_MAX_BYTES) };
}

void line_editor_done(struct line_editor *l)
{
	strbuf_clear(&l->text);
	strbuf_clear(&l->killed);
	l->at = 0;
}

void line_editor_set(struct line_editor *l, const char *text)
{
	strbuf_reset(&l->text);
	strbuf_add(&l->text, text);
	l->at = l->text.len;
}

/* Replace `count` bytes at `at`. */
static int line_editor_splice(struct line_editor *l, size_t at, size_t count,
			      const char *bytes, size_t len)
{
	AUTO(strbuf) struct strbuf rest = STRBUF(LINE_MAX_BYTES);

	if (l->text.len - count + len >= LINE_MAX_BYTES)
		return MT_ELIMIT;
	strbuf_addn(&rest, l->text.text + at + count, l->text.len - at - count);
	if (rest.error || strbuf_reserve(&l->text, len + 1)) {
		l->text.error = MT_OK;
		return MT_ENOMEM;
	}
	strbuf_cut(&l->text, at);
	strbuf_addn(&l->text, bytes, len);
	return strbuf_addn(&l->text, rest.text, rest.len);
}

int line_editor_insert(struct line_editor *l, const char *bytes, size_t len)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(LINE_MAX_BYTES),
				   unix_ends = STRBUF(LINE_MAX_BYTES);
	int r;

	for (size_t i = 0; i < len; i++) /* a terminal pastes \r for a newline */
		if (bytes[i] != '\r')
			strbuf_addc(&unix_ends, bytes[i]);
		else if (i + 1 == len || bytes[i + 1] != '\n')
			strbuf_addc(&unix_ends, '\n');
	r = unix_ends.error ? unix_ends.error
			    : text_clean(&clean, unix_ends.text, unix_ends.len);
	if (!r)
		r = line_editor_splice(l, l->at, 0, clean.text, clean.len);
	if (!r)
		l->at += clean.len;
	return r;
}

/* ---- movements --------------------------------------------------------- */

void line_editor_left(struct line_editor *l)
{
	if (l->at > 0)
		l->at = text_before(l->text.text, l->at);
}

void line_editor_right(struct line_editor *l)
{
	if (l->at < l->text.len)
		l->at += text_cluster(l->text.text + l->at, l->text.len - l->at);
}

static bool line_editor_in_word(char c)
{
	return (unsigned char)c >= 0x80 || (c >= '0' && c <= '9') || c == '_' ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void line_editor_word_left(struct line_editor *l)
{
	while (l->at > 0 && !line_editor_in_word(l->text.text[l->at - 1]))
		l->at--;
	while (l->at > 0 && line_editor_in_word(l->text.text[l->at - 1]))
		l->at--;
}

static void word_right(struct line_editor *l)
{
	while (l->at < l->text.len && !line_editor_in_word(l->text.text[l->at]))
		l->at++;
	while (l->at < l->text.len && line_editor_in_word(l->text.text[l->at]))
		l->at++;
}

static size_t row_begin(const struct line_editor *l, size_t at)
{
	while (at > 0 && l->text.text[at - 1] != '\n')
		at--;
	return at;
}

static size_t row_end(const struct line_editor *l, size_t at)
{
	while (at < l->text.len && l->text.text[at] != '\n')
		at++;
	return at;
}

void line_editor_home(struct line_editor *l)
{
	l->at = row_begin(l, l->at);
}

void line_editor_end(struct line_editor *l)
{
	l->at = row_end(l, l->at);
}

/* To the column where the cursor is, in the row that begins there. */
static void go_row(struct line_editor *l, size_t begin)
{
	size_t mine = row_begin(l, l->at);
	size_t column = text_width(l->text.text + mine, l->at - mine);

	l->at = begin + text_fit(l->text.text + begin, row_end(l, begin) - begin, column);
}

bool line_editor_up(struct line_editor *l)
{
	size_t mine = row_begin(l, l->at);

	if (mine == 0)
		return false;
	go_row(l, row_begin(l, mine - 1));
	return true;
}

bool line_editor_down(struct line_editor *l)
{
	size_t end = row_end(l, l->at);

	if (end == l->text.len)
		return false;
	go_row(l, end + 1);
	return true;
}

/* ---- changes ----------------------------------------------------------- */

void line_editor_delete(struct line_editor *l, void (*move)(struct line_editor *),
			bool keep)
{
	size_t from = l->at, to;

	move(l);
	to = l->at;
	if (to == from && keep && from < l->text.len && move == line_editor_end)
		to++; /* at the end of a row: the newline itself */
	if (to < from) {
		size_t swap = to;

		to = from;
		from = swap;
	}
	if (keep && to > from) {
		strbuf_reset(&l->killed);
		strbuf_addn(&l->killed, l->text.text + from, to - from);
	}
	if (to > from && line_editor_splice(l, from, to - from, "", 0) == MT_OK)
		l->at = from;
}

void line_editor_yank(struct line_editor *l)
{
	if (line_editor_splice(l, l->at, 0, l->killed.text, l->killed.len) == MT_OK)
		l->at += l->killed.len;
}

void line_editor_transpose(struct line_editor *l)
{
	char pair[64];
	size_t begin, middle, end;

	if (l->at == l->text.len)
		line_editor_left(l);
	middle = l->at;
	if (middle == 0 || middle == l->text.len)
		return;
	begin = text_before(l->text.text, middle);
	end = middle + text_cluster(l->text.text + middle, l->text.len - middle);
	if (end - begin > sizeof pair)
		return;
	memcpy(pair, l->text.text + middle, end - middle);
	memcpy(pair + (end - middle), l->text.text + begin, middle - begin);
	memcpy(l->text.text + begin, pair, end - begin);
	l->at = end;
}

bool line_editor_continues(struct line_editor *l)
{
	const char *text = l->text.text;
	size_t len = l->text.len;

	if (l->at != len || len == 0 || text[len - 1] != '\\' ||
	    (len > 1 && text[len - 2] == '\\'))
		return false;
	strbuf_cut(&l->text, len - 1);
	l->at = l->text.len;
	return true;
}

bool line_editor_key(struct line_editor *l, enum key key, const char *text, size_t len)
{
	static const struct {
		void (*move)(struct line_editor *l);
		bool deletes, keeps;
	} movements[] = {
		[KEY_LEFT] = { line_editor_left, false, false },
		[KEY_RIGHT] = { line_editor_right, false, false },
		[KEY_HOME] = { line_editor_home, false, false },
		[KEY_END] = { line_editor_end, false, false },
		[KEY_WORD_LEFT] = { line_editor_word_left, false, false },
		[KEY_WORD_RIGHT] = { word_right, false, false },
		[KEY_BACKSPACE] = { line_editor_left, true, false },
		[KEY_DELETE] = { line_editor_right, true, false },
		[KEY_WORD_BACKSPACE] = { line_editor_word_left, true, true },
		[KEY_WORD_DELETE] = { word_right, true, true },
	};

	if (key == KEY_TEXT || key == KEY_PASTE) {
		line_editor_insert(l, text, len);
		return true;
	}
	if (key == KEY_NEWLINE) {
		line_editor_insert(l, "\n", 1);
		return true;
	}
	if (key >= ARRAY_LEN(movements) || !movements[key].move)
		return false;
	if (movements[key].deletes)
		line_editor_delete(l, movements[key].move, movements[key].keeps);
	else
		movements[key].move(l);
	return true;
}
