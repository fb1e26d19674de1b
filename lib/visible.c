/* SPDX-License-Identifier: MIT
 *
 * visible.c - implements visible.h, character by character, considering the
 * surrounding word and line. */
#include "visible.h"

#include "utf8.h"
#include "visible-tables.h"

#include <string.h>

#define MARK_ON "\xe2\x80\xb9"
#define MARK_OFF "\xe2\x80\xba"

enum { APOSTROPHE = 0x2019, EN_DASH = 0x2013, NARROW_SCRIPTS = 0x530, MARKS_MAX = 2,
       ESCAPE_BYTES = 16 };

/* ---- characters -------------------------------------------------------- */

enum kind {
	OTHER,     /* ASCII that is not a letter, symbols, emoji */
	ASCII,     /* a letter */
	LATIN,     /* another one */
	FOREIGN,   /* a letter of another script that is taken for none of ASCII */
	EAST,      /* of a script that may touch ASCII letters */
	LOOKALIKE, /* of another script */
	FALSE_FORM, /* a lookalike wherever it stands */
	ABOVE,     /* a combining mark */
	HIDDEN,    /* never shown verbatim, including bytes that are not text */
};

struct place {
	uint32_t code;
	size_t len;
	bool valid;
	enum kind kind;
};

static bool visible_find(uint32_t code, const struct visible_range *list, size_t count)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (code > list[middle].last)
			low = middle + 1;
		else if (code < list[middle].first)
			high = middle;
		else
			return true;
	}
	return false;
}

#define IS(code, table) visible_find(code, table, ARRAY_LEN(table))

static enum kind visible_kind_of(uint32_t code)
{
	if (code < 0x80)
		return code < ' ' || code == 0x7f  ? HIDDEN
		       : (code | 0x20) - 'a' < 26u ? ASCII
						   : OTHER;
	if ((code & 0xfffe) == 0xfffe || IS(code, hidden))
		return HIDDEN;
	if (IS(code, lookalikes))
		return FALSE_FORM;
	if (IS(code, foreign_lookalikes))
		return LOOKALIKE;
	if (IS(code, marks))
		return ABOVE;
	if (IS(code, latin))
		return LATIN;
	if (IS(code, symbols))
		return OTHER;
	return IS(code, east_asian) ? EAST : FOREIGN;
}

/* What stands at the start; past the end nothing that matters. */
static struct place visible_look(const char *text, size_t len)
{
	struct place p = { .code = '\n', .valid = true, .kind = HIDDEN };

	if (len == 0)
		return p;
	p.len = utf8_next(text, len, &p.valid);
	if (p.valid)
		p.code = utf8_code(text, p.len);
	p.kind = p.valid ? visible_kind_of(p.code) : HIDDEN;
	return p;
}

static bool is_foreign(enum kind kind)
{
	return kind == FOREIGN || kind == EAST;
}

/* Letters, and what stands upon them. */
static bool visible_in_word(enum kind kind)
{
	return kind == ASCII || kind == LATIN || kind == FOREIGN || kind == LOOKALIKE ||
	       kind == ABOVE;
}

/* ---- words ------------------------------------------------------------- */

struct word {
	size_t len;
	size_t letters;
	bool ascii;    /* Latin letters are in it */
	bool distinct; /* has letters that are neither lookalikes nor Latin */
};

static struct word word_at(const char *text, size_t len)
{
	struct word w = { 0 };

	while (w.len < len) {
		struct place p = visible_look(text + w.len, len - w.len);
		bool digit = p.code - '0' < 10u;

		if (!digit && !visible_in_word(p.kind))
			break;
		w.ascii |= p.kind == ASCII || p.kind == LATIN;
		w.distinct |= p.kind == FOREIGN;
		w.letters += !digit;
		w.len += p.len;
	}
	w.distinct &= !w.ascii;
	return w;
}

/* True if the next word on this line is of another script. */
static bool foreign_follows(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && text[at] == ' ')
		at++;
	return at <= 1 && word_at(text + at, len - at).distinct;
}

/* ---- the direction of a line ------------------------------------------- */

/* Would a terminal that follows UAX #9 show digits or punctuation of this line elsewhere
 * than where they are? It does between letters from right to left, and after them. */
static bool is_reordered(const char *text, size_t len)
{
	bool after = false, between = false;

	for (size_t i = 0; i < len && text[i] != '\n';) {
		struct place p = visible_look(text + i, len - i);
		bool right = p.code >= 0x590 && p.valid && IS(p.code, right_to_left);

		if (after && ((right && between) || p.code - '0' < 10u))
			return true;
		if (right)
			after = true, between = false;
		else if (visible_in_word(p.kind) || p.kind == EAST)
			after = false;
		else if (p.code != ' ')
			between = true;
		i += p.len;
	}
	return false;
}

/* ---- escapes ----------------------------------------------------------- */

struct walk {
	struct strbuf *out;
	enum visible_form form;
	const char *on, *off;
	bool open;         /* a mark is open: what is escaped now belongs to it */
	bool altered;      /* anything was escaped */
	char last[ESCAPE_BYTES]; /* the last escape */
	size_t repeats;    /* how often in a row */
	bool line_begins;  /* only tabs and blanks stand before it on the line */
	bool reordered;    /* of the line */
	bool foreign_word; /* the last word of the line was one of another script */
	struct word word;  /* the one we are in */
	size_t word_end;
	bool word_hides;   /* its lookalikes are escaped */
	struct place before; /* the character before */
	size_t above;      /* marks upon the last letter */
};

static void open_mark(struct walk *w)
{
	if (w->open)
		return;
	strbuf_add(w->out, w->on);
	strbuf_add(w->out, MARK_ON);
	w->open = true;
	w->altered = true;
}

static void end_repeats(struct walk *w)
{
	if (w->repeats > VISIBLE_REPEATS)
		strbuf_addf(w->out, " %zu times", w->repeats);
	else
		for (size_t i = 1; i < w->repeats; i++)
			strbuf_add(w->out, w->last);
	w->repeats = 0;
}

static void close_mark(struct walk *w)
{
	if (!w->open)
		return;
	end_repeats(w);
	strbuf_add(w->out, MARK_OFF);
	strbuf_add(w->out, w->off);
	w->open = false;
}

/* Where it said how often, another escape begins another mark. */
static void visible_put_escape(struct walk *w, const char *escape)
{
	if (w->open && w->repeats && strcmp(escape, w->last) == 0) {
		w->repeats++;
		return;
	}
	if (w->repeats > VISIBLE_REPEATS)
		close_mark(w);
	open_mark(w);
	end_repeats(w);
	strbuf_add(w->out, escape);
	snprintf(w->last, sizeof w->last, "%s", escape);
	w->repeats = 1;
}

static void escape_place(struct walk *w, const struct place *p, const char *bytes)
{
	static const char letters[] = "abtnvfr";
	char escape[ESCAPE_BYTES];

	if (!p->valid) {
		for (size_t i = 0; i < p->len; i++) {
			snprintf(escape, sizeof escape, "\\x%02x",
				 (unsigned char)bytes[i]);
			visible_put_escape(w, escape);
		}
		return;
	}
	if (p->code >= '\a' && p->code <= '\r')
		snprintf(escape, sizeof escape, "\\%c", letters[p->code - '\a']);
	else if (p->code == 0x1b)
		snprintf(escape, sizeof escape, "\\e");
	else if (p->code < 0x80)
		snprintf(escape, sizeof escape, "\\x%02x", (unsigned)p->code);
	else
		snprintf(escape, sizeof escape, "\\u{%x}", (unsigned)p->code);
	visible_put_escape(w, escape);
}

static void put_blanks(struct walk *w, size_t count)
{
	close_mark(w);
	open_mark(w);
	strbuf_addf(w->out, "%zu blank%s", count, count == 1 ? "" : "s");
	close_mark(w);
}

/* ---- output ------------------------------------------------------------ */

/* A full stop of a script, or a full-width one, is at home next to its letters. */
static bool at_home(const struct walk *w, const struct place *p, const struct place *next)
{
	bool digit_or_letter =
		(p->code >= 0xff10 && p->code <= 0xff19) ||
		((p->code | 0x20) >= 0xff21 && p->code >= 0xff21 && p->code <= 0xff5a &&
		 (p->code <= 0xff3a || p->code >= 0xff41));
	bool scripted = (p->code >= NARROW_SCRIPTS && p->code < 0x2000) ||
			IS(p->code, east_asian);
	bool letter = visible_in_word(w->before.kind) && visible_in_word(next->kind);

	if (p->code == APOSTROPHE)
		return letter;
	if (p->code == EN_DASH)
		return (w->before.code == ' ' && next->code == ' ') ||
		       (w->before.code - '0' < 10u && next->code - '0' < 10u);
	return scripted && !digit_or_letter &&
	       (is_foreign(w->before.kind) || is_foreign(next->kind));
}

static bool mark_fits(const struct walk *w, const struct place *p)
{
	bool letter = visible_in_word(w->before.kind) || w->before.kind == EAST;

	return letter && !w->open && w->above < MARKS_MAX && IS(p->code, mild_marks);
}

/* A new word begins at `at`? Then it is looked at as a whole. A word of lookalikes only
 * is one of its script after a word of that script, and so is a single letter before
 * one: many languages have words of one letter. */
static void enter_word(struct walk *w, const char *text, size_t at, size_t len)
{
	bool foreign;

	if (at < w->word_end)
		return;
	w->word = word_at(text + at, len - at);
	w->word_end = at + w->word.len;
	foreign = w->foreign_word ||
		  (w->word.letters == 1 &&
		   foreign_follows(text + w->word_end, len - w->word_end));
	w->word_hides = w->word.ascii || (!w->word.distinct && !foreign);
	w->foreign_word = w->word.distinct;
}

static bool visible_shows(struct walk *w, const struct place *p, const char *text,
			  size_t at, size_t len)
{
	struct place next;

	if (p->kind == HIDDEN)
		return false;
	if (visible_in_word(p->kind))
		enter_word(w, text, at, len);
	if (w->reordered && p->code >= 0x590 && IS(p->code, right_to_left))
		return false;
	switch (p->kind) {
	case FOREIGN:
		return !w->word.ascii;
	case LOOKALIKE:
		if (IS(p->code, east_asian)) {
			next = visible_look(text + at + p->len, len - at - p->len);
			return w->before.kind == EAST || next.kind == EAST;
		}
		return !w->word_hides;
	case FALSE_FORM:
		next = visible_look(text + at + p->len, len - at - p->len);
		return at_home(w, p, &next);
	case ABOVE:
		return mark_fits(w, p);
	default:
		return true;
	}
}

/* ---- the walk ---------------------------------------------------------- */

static void visible_begin_line(struct walk *w, const char *text, size_t len)
{
	w->line_begins = w->form == VISIBLE_LINES;
	w->foreign_word = false;
	w->reordered = is_reordered(text, len);
}

/* A run of blanks. @return its length. */
static size_t take_blanks(struct walk *w, const char *text, size_t len)
{
	size_t n = 0, most = w->line_begins ? VISIBLE_INDENT : VISIBLE_BLANKS;

	while (n < len && text[n] == ' ')
		n++;
	if (n > most || n == len || text[n] == '\n' || (text[n] == '\r')) {
		put_blanks(w, n);
	} else {
		close_mark(w);
		strbuf_addn(w->out, text, n);
	}
	w->before = (struct place){ .code = ' ', .len = 1, .valid = true };
	return n;
}

/* A newline, or a tab that indents, which stay. @return false if it is neither. */
static bool take_layout(struct walk *w, const char *text, size_t len)
{
	if (w->form != VISIBLE_LINES || (*text != '\n' && *text != '\t'))
		return false;
	if (*text == '\t' && (!w->line_begins || len == 1 || strchr("\r\n", text[1])))
		return false;
	close_mark(w);
	strbuf_addc(w->out, *text);
	if (*text == '\n')
		visible_begin_line(w, text + 1, len - 1);
	w->before =
		(struct place){ .code = (unsigned char)*text, .len = 1, .kind = HIDDEN };
	return true;
}

static size_t visible_take(struct walk *w, const char *text, size_t at, size_t len)
{
	struct place p;

	if (text[at] == ' ')
		return take_blanks(w, text + at, len - at);
	if (take_layout(w, text + at, len - at))
		return 1;
	p = visible_look(text + at, len - at);
	if (visible_shows(w, &p, text, at, len)) {
		close_mark(w);
		strbuf_addn(w->out, text + at, p.len);
		w->above = p.kind == ABOVE ? w->above + 1 : 0;
	} else {
		escape_place(w, &p, text + at);
	}
	if (p.valid && p.code == '\n')
		visible_begin_line(w, text + at + 1, len - at - 1);
	if (p.kind == OTHER && p.code != ',')
		w->foreign_word = false;
	w->line_begins = false;
	w->before = p;
	return p.len;
}

static int visible_walk(struct walk *w, const char *text, size_t len)
{
	w->before = (struct place){ .code = '\n', .kind = HIDDEN };
	visible_begin_line(w, text, len);
	for (size_t at = 0; at < len && !w->out->error;)
		at += visible_take(w, text, at, len);
	close_mark(w);
	return w->out->error;
}

int visible_add(struct strbuf *out, enum visible_form form, const char *text, size_t len,
		const char *on, const char *off)
{
	struct walk w = { .out = out, .form = form, .on = on ? on : "",
			  .off = off ? off : "" };

	return visible_walk(&w, text, len);
}

bool visible_is_plain(enum visible_form form, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf out = STRBUF(len * 2 + 64);
	struct walk w = { .out = &out, .form = form, .on = "", .off = "" };

	return visible_walk(&w, text, len) == MT_OK && !w.altered;
}
