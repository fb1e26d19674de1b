/* SPDX-License-Identifier: MIT
 *
 * mask-forms.c - builds the forms of a secret and matches them.
 *
 * A form is matched unit by unit. A unit is a byte, a percent escape (also a nested one:
 * %2541), or a JSON escape after any number of backslashes, so every mixture and nesting
 * is recognized. A unit matches an expected byte in one way only, so matching does not
 * backtrack. */
#include "mask-forms.h"
#include "hex.h"
#include "utf8.h"
#include <mortise/plugin.h>
#include <stdlib.h>
#include <string.h>

enum {
	AGAIN_MAX = 8,   /* percent escapes that are escaped again */
	BLANK_MAX = 32,  /* bytes of a line break inside base64, with indentation */
	PADDING_MAX = 2,
	FORM_CUT_MIN = 8,
};

enum found { NO, YES, OPEN };

/* The numbers of bytes that one unit takes of the text and of the form. */
struct unit {
	size_t text, form;
};

/* ---- building -------------------------------------------------------------- */

struct form *form_free(struct form *f)
{
	if (!f)
		return NULL;
	if (f->text)
		explicit_bzero(f->text, f->len);
	free(f->text);
	free(f);
	return NULL;
}

static struct form *form_new(enum form_kind kind, size_t len)
{
	struct form *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	f->kind = kind;
	f->len = len;
	f->text = malloc(len + 1);
	return f->text ? f : form_free(f);
}

static struct form *mask_forms_make_text(const char *secret, size_t len)
{
	struct form *f = form_new(FORM_TEXT, len);

	if (f)
		memcpy(f->text, secret, len);
	return f;
}

static struct form *make_hex(const char *secret, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	struct form *f = form_new(FORM_HEX, 2 * len);

	for (size_t i = 0; f && i < len; i++) {
		f->text[2 * i] = digits[(unsigned char)secret[i] >> 4];
		f->text[2 * i + 1] = digits[secret[i] & 15];
	}
	return f;
}

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Six bits, starting at bit `at`; bits after the end are 0. */
static unsigned six_bits(const char *secret, size_t len, size_t at)
{
	unsigned pair = (unsigned)(unsigned char)secret[at / 8] << 8;

	if (at / 8 + 1 < len)
		pair |= (unsigned char)secret[at / 8 + 1];
	return pair >> (10 - at % 8) & 63;
}

/* The digits that the secret alone decides when `before` bytes of a group of
 * three precede it. A first digit that it shares with them is not one of them;
 * a last one that it shares with what follows is the tail. */
static struct form *make_base64(const char *secret, size_t len, size_t before)
{
	size_t skipped = (3 - before) % 3 * 2, bits = 8 * len - skipped;
	struct form *f = form_new(FORM_BASE64, bits / 6);

	if (!f)
		return NULL;
	for (size_t i = 0; i < f->len; i++)
		f->text[i] = base64_digits[six_bits(secret, len, skipped + 6 * i)];
	if (bits % 6) {
		f->tail = six_bits(secret, len, skipped + 6 * f->len);
		f->tails = 1u << (6 - bits % 6);
	}
	return f;
}

static unsigned char canonical(const struct form *f, unsigned char byte)
{
	if (f->kind == FORM_HEX && byte >= 'A' && byte <= 'F')
		return byte | 32;
	if (f->kind == FORM_BASE64 && byte == '-')
		return '+';
	if (f->kind == FORM_BASE64 && byte == '_')
		return '/';
	return byte;
}

/* True if these bytes mean the same digit or character of the form. */
static bool bytes_equal(const struct form *f, unsigned char byte, char wanted)
{
	return canonical(f, byte) == (unsigned char)wanted;
}

int forms_make(const char *secret, size_t len, struct form *ret[FORMS_OF_SECRET])
{
	ret[0] = mask_forms_make_text(secret, len);
	ret[1] = make_hex(secret, len);
	for (size_t before = 0; before < 3; before++)
		ret[2 + before] = make_base64(secret, len, before);
	for (size_t i = 0; i < FORMS_OF_SECRET; i++)
		if (!ret[i]) {
			for (size_t k = 0; k < FORMS_OF_SECRET; k++)
				ret[k] = form_free(ret[k]);
			return MT_ENOMEM;
		}
	for (size_t i = 0; i < FORMS_OF_SECRET; i++) {
		struct form *f = ret[i];
		size_t count = 0;

		for (int b = 0; b < 256 && count < FORM_FIRSTS; b++)
			if (bytes_equal(f, (unsigned char)b, f->text[0]))
				f->firsts[count++] = (unsigned char)b;
		if (count == 1)
			f->firsts[1] = f->firsts[0];
	}
	return MT_OK;
}

/* ---- units ----------------------------------------------------------------- */

static bool mask_forms_is_blank(unsigned char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

bool form_is_second(const struct form *f, unsigned char byte)
{
	return bytes_equal(f, byte, f->text[1]) || byte == '\\' || byte == '%' ||
	       (f->kind == FORM_BASE64 && mask_forms_is_blank(byte)) ||
	       (f->text[1] == ' ' && byte == '+') || (f->text[1] == '\n' && byte == '\r');
}

size_t form_run(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] == '\\')
		n++;
	return n;
}

static enum found mask_forms_hex(const char *text, size_t len, bool more, size_t digits,
				 unsigned *ret)
{
	unsigned value = 0;

	for (size_t i = 0; i < digits; i++) {
		if (i == len)
			return more ? OPEN : NO;
		if (hex_digit(text[i]) < 0)
			return NO;
		value = value << 4 | (unsigned)hex_digit(text[i]);
	}
	*ret = value;
	return YES;
}

/* Number of pairs `25` after a percent sign, each of which escapes the one before it. */
static size_t count_pairs(const char *text, size_t len)
{
	size_t n = 0;

	while (2 * n + 1 < len && text[2 * n] == '2' && text[2 * n + 1] == '5')
		n++;
	return n;
}

/* %41, and %2541, which was escaped twice. */
static enum found percent(const char *text, size_t len, bool more, unsigned *ret,
			  size_t *ret_pairs)
{
	size_t pairs = count_pairs(text + 1, len - 1), at = 1 + 2 * pairs;

	*ret_pairs = pairs;
	if (pairs > AGAIN_MAX)
		return NO;
	return mask_forms_hex(text + at, len - at, more, 2, ret);
}

static enum found take_percent(const struct form *f, size_t at, const char *text,
			       size_t len, bool more, struct unit *ret)
{
	unsigned value;
	size_t pairs, own;
	enum found found = percent(text, len, more, &value, &pairs);

	if (found == OPEN)
		return OPEN;
	if (f->text[at] == '%') {
		own = count_pairs(f->text + at + 1, f->len - at - 1);
		*ret = (struct unit){ 1 + 2 * pairs, 1 + 2 * own };
		return own <= pairs ? YES : NO;
	}
	*ret = (struct unit){ 3 + 2 * pairs, 1 };
	return found == YES && bytes_equal(f, (unsigned char)value, f->text[at]) ? YES
										 : NO;
}

/* The low half of a pair of surrogates, behind its own backslashes. */
static enum found low_half(const char *text, size_t len, bool more, unsigned *value,
			   size_t *used)
{
	size_t run = form_run(text, len);
	unsigned low;
	enum found found;

	if (run > FORM_RUN_MAX)
		return NO;
	if (run == len)
		return more ? OPEN : NO;
	if (run == 0 || text[run] != 'u')
		return NO;
	found = mask_forms_hex(text + run + 1, len - run - 1, more, 4, &low);
	if (found != YES)
		return found;
	if (low < 0xdc00 || low > 0xdfff)
		return NO;
	*value = 0x10000 + ((*value - 0xd800) << 10) + (low - 0xdc00);
	*used += run + 5;
	return YES;
}

/* u0041 or x41, after backslashes. */
static enum found mask_forms_number(const char *text, size_t len, bool more,
				    unsigned *ret, size_t *ret_len)
{
	size_t digits = text[0] == 'u' ? 4 : text[0] == 'x' ? 2 : 0;
	enum found found;

	if (!digits)
		return NO;
	*ret_len = 1 + digits;
	found = mask_forms_hex(text + 1, len - 1, more, digits, ret);
	if (found == YES && *ret >= 0xd800 && *ret <= 0xdbff)
		return low_half(text + *ret_len, len - *ret_len, more, ret, ret_len);
	return found;
}

/* The control character that a letter means after backslashes; -1: none. */
static int letter(char c)
{
	static const char letters[] = "ntrbf", controls[] = "\n\t\r\b\f";
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? controls[at - letters] : -1;
}

/* The number of bytes of the form that a character matches: 0 if it is another one. */
static size_t is_character(const struct form *f, size_t at, unsigned value)
{
	char bytes[4];
	size_t n;

	if (at == f->len)
		return 0;
	if (value < 0x80)
		return bytes_equal(f, (unsigned char)value, f->text[at]);
	n = utf8_encode(value, bytes);
	if (n <= f->len - at && memcmp(f->text + at, bytes, n) == 0)
		return n;
	return value < 0x100 && bytes_equal(f, (unsigned char)value, f->text[at]);
}

/* The text is at a run of backslashes. Those that the form has there are part of
 * it; more of them escape what follows. */
static enum found take_escape(const struct form *f, size_t at, const char *text,
			      size_t len, bool more, struct unit *ret)
{
	size_t run = form_run(text, len), own = form_run(f->text + at, f->len - at);
	size_t used, n, behind = at + own;
	enum found found;
	unsigned value;

	if (run > FORM_RUN_MAX)
		return NO;
	if (run == len) {
		*ret = (struct unit){ run, own };
		return more ? OPEN : own && own <= run && behind == f->len ? YES : NO;
	}
	found = mask_forms_number(text + run, len - run, more, &value, &used);
	if (found == OPEN)
		return OPEN;
	*ret = (struct unit){ run + used, 0 };
	if (found == YES && (n = is_character(f, at, value)))
		return ret->form = n, YES;
	if (own > run)
		return NO;
	if (found == YES && own && (n = is_character(f, behind, value)))
		return ret->form = own + n, YES;
	*ret = (struct unit){ run + 1, own + 1 };
	if (run > own && behind < f->len &&
	    (letter(text[run]) == (unsigned char)f->text[behind] ||
	     bytes_equal(f, (unsigned char)text[run], f->text[behind])))
		return YES;
	*ret = (struct unit){ run, own };
	return own ? YES : NO;
}

static enum found mask_forms_take(const struct form *f, size_t at, const char *text,
				  size_t len, bool more, struct unit *ret)
{
	if (len == 0)
		return more ? OPEN : NO;
	if (*text == '\\')
		return take_escape(f, at, text, len, more, ret);
	if (*text == '%')
		return take_percent(f, at, text, len, more, ret);
	*ret = (struct unit){ 1, 1 };
	if (bytes_equal(f, (unsigned char)*text, f->text[at]) ||
	    (*text == '+' && f->text[at] == ' '))
		return YES;
	if (*text != '\r' || f->text[at] != '\n') /* a terminal makes CR LF of it */
		return NO;
	ret->text = 2;
	return len == 1 ? (more ? OPEN : NO) : text[1] == '\n' ? YES : NO;
}

/* ---- matching -------------------------------------------------------------- */

/* The length of a line break inside base64, plain or escaped. */
static enum found mask_forms_skip_blanks(const char *text, size_t len, bool more,
					 size_t *ret)
{
	size_t n = 0;

	while (n < BLANK_MAX) {
		size_t run = form_run(text + n, len - n);

		*ret = n;
		if (n + run == len)
			return more && run <= FORM_RUN_MAX ? OPEN : YES;
		if (!run && mask_forms_is_blank((unsigned char)text[n]))
			n++;
		else if (run && run <= FORM_RUN_MAX && letter(text[n + run]) > 0 &&
			 mask_forms_is_blank((unsigned char)letter(text[n + run])))
			n += run + 1;
		else
			return YES;
	}
	*ret = n;
	return YES;
}

static bool is_tail(const struct form *f, unsigned char byte)
{
	const char *at = byte ? strchr(base64_digits, canonical(f, byte)) : NULL;
	unsigned value = at ? (unsigned)(at - base64_digits) : 64;

	return value >= f->tail && value < f->tail + f->tails;
}

/* One character that ends base64, plain or escaped. */
static enum found mask_forms_take_end(const char *text, size_t len, bool more,
				      unsigned *ret, size_t *ret_len)
{
	size_t run = form_run(text, len);
	enum found found;

	if (run > FORM_RUN_MAX)
		return NO;
	if (run == len)
		return more ? OPEN : NO;
	*ret = (unsigned char)text[run];
	*ret_len = 1;
	if (*text == '%') {
		found = percent(text, len, more, ret, ret_len);
		*ret_len = 3 + 2 * *ret_len;
		return found;
	}
	found = run ? mask_forms_number(text + run, len - run, more, ret, ret_len) : YES;
	if (found == NO && run) { /* an escaped slash */
		*ret = (unsigned char)text[run];
		*ret_len = 1;
		found = YES;
	}
	*ret_len += run;
	return found;
}

/* What belongs to the secret behind the digits that it decides alone: a last
 * digit and the padding. */
static enum found match_end(const struct form *f, const char *text, size_t len, bool more,
			    size_t *ret)
{
	size_t blanks, n = 0, used = 0;
	unsigned value = 0;
	enum found found;

	*ret = 0;
	if (f->tails) {
		if (mask_forms_skip_blanks(text, len, more, &blanks) == OPEN)
			return OPEN;
		found = mask_forms_take_end(text + blanks, len - blanks, more, &value,
					    &used);
		if (found == OPEN)
			return OPEN;
		if (found == NO || value > 127 || !is_tail(f, (unsigned char)value))
			return YES;
		n = blanks + used;
	}
	for (int pads = 0; pads < PADDING_MAX; pads++, n += used) {
		*ret = n;
		found = mask_forms_take_end(text + n, len - n, more, &value, &used);
		if (found == OPEN)
			return OPEN;
		if (found == NO || value != '=')
			return YES;
	}
	*ret = n;
	return YES;
}

/* The bytes of the secret as they are. In a run of backslashes those at its end
 * are the secret's own. */
static size_t match_plain(const struct form *f, const char *text, size_t len, bool more,
			  bool *ret_open)
{
	size_t own = form_run(f->text, f->len), run = own ? form_run(text, len) : 0;
	size_t before = run > own ? run - own : 0, n = len - before;

	if (n > f->len)
		n = f->len;
	if (memcmp(f->text, text + before, n) != 0)
		return 0;
	*ret_open |= more && n < f->len;
	return n == f->len ? before + n : 0;
}

/* True if the text ends inside the form and contains a quarter of it or more: then it
 * was cut before it was masked. */
static bool is_cut(const struct form *f, size_t at, const char *text, size_t len)
{
	struct unit unit;

	return at >= FORM_CUT_MIN && 4 * at >= f->len &&
	       mask_forms_take(f, at, text, len, true, &unit) == OPEN;
}

size_t form_match(const struct form *f, const char *text, size_t len, bool more,
		  bool *ret_open)
{
	size_t at = 0, n = 0, end, plain;
	struct unit unit;

	plain = f->kind == FORM_TEXT ? match_plain(f, text, len, more, ret_open) : 0;
	if (plain)
		return plain;
	while (at < f->len) {
		enum found found;
		size_t blanks = 0;

		if (at && f->kind == FORM_BASE64 &&
		    mask_forms_skip_blanks(text + n, len - n, more, &blanks) == OPEN) {
			*ret_open = true;
			return 0;
		}
		n += blanks;
		found = mask_forms_take(f, at, text + n, len - n, more, &unit);
		*ret_open |= found == OPEN;
		if (found == NO && !more && is_cut(f, at, text + n, len - n))
			return len;
		if (found != YES)
			return 0;
		n += unit.text;
		at += unit.form;
	}
	if (f->kind != FORM_BASE64)
		return n;
	*ret_open |= match_end(f, text + n, len - n, more, &end) == OPEN;
	return n + end;
}

/* ---- where forms begin ------------------------------------------------------- */

static unsigned char first_byte(unsigned value)
{
	char bytes[4];

	utf8_encode(value, bytes);
	return (unsigned char)bytes[0];
}

size_t form_starts(const char *text, size_t len, bool more,
		   unsigned char ret[FORM_STARTS], bool *ret_open)
{
	size_t count = 0, run = form_run(text, len), used;
	enum found found = NO;
	unsigned value = 0;

	ret[count++] = (unsigned char)*text;
	if (*text == '+')
		ret[count++] = ' ';
	else if (*text == '\r')
		ret[count++] = '\n';
	else if (*text == '%')
		found = percent(text, len, more, &value, &used);
	else if (run && run == len)
		found = OPEN;
	else if (run)
		found = mask_forms_number(text + run, len - run, more, &value, &used);
	*ret_open |= found == OPEN && more;
	if (found == YES && value < 0x100)
		ret[count++] = (unsigned char)value;
	if (found == YES && run && value >= 0x80)
		ret[count++] = first_byte(value);
	if (run && run < len) {
		ret[count++] = (unsigned char)text[run];
		if (letter(text[run]) > 0)
			ret[count++] = (unsigned char)letter(text[run]);
	}
	return count;
}
