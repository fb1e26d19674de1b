/* SPDX-License-Identifier: MIT
 *
 * literal.c - parses and formats Python literals. */
#include "literal.h"
#include "hex.h"
#include "utf8.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------- */

void cursor_blanks(struct cursor *c)
{
	while (c->at < c->end) {
		if (*c->at == '#')
			while (c->at < c->end && *c->at != '\n')
				c->at++;
		else if (isspace((unsigned char)*c->at) ||
			 (*c->at == '\\' && c->end - c->at > 1 && c->at[1] == '\n'))
			c->at++;
		else
			return;
	}
}

bool cursor_takes(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

size_t cursor_name(const struct cursor *c)
{
	const char *p = c->at;

	if (p == c->end || !(isalpha((unsigned char)*p) || *p == '_'))
		return 0;
	while (p < c->end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	return (size_t)(p - c->at);
}

static int put_rune(struct strbuf *out, unsigned long rune)
{
	if (rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000))
		return strbuf_add(out, UTF8_REPLACEMENT);
	return utf8_add_code(out, (uint32_t)rune);
}

/* Up to `most` digits of a base; `least` of them have to be there. */
static bool literal_read_digits(struct cursor *c, int base, int least, int most,
				unsigned long *ret)
{
	int n = 0;

	for (*ret = 0; n < most && c->at < c->end; n++, c->at++) {
		int d = hex_digit(*c->at);

		if (d < 0 || d >= base)
			break;
		*ret = *ret * (unsigned)base + (unsigned)d;
	}
	return n >= least;
}

/* Read an escape, after its backslash. One that Python does not know stays, with its
 * backslash. */
static int literal_read_escape(struct cursor *c, struct strbuf *out, struct error *err)
{
	static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
	unsigned long rune = 0;
	char kind = *c->at++;
	const char *plain = strchr(from, kind);
	bool good = true;

	if (kind == '\n')
		return MT_OK;
	if (kind && plain)
		return strbuf_addc(out, to[plain - from]);
	if (kind == 'x')
		good = literal_read_digits(c, 16, 2, 2, &rune);
	else if (kind == 'u')
		good = literal_read_digits(c, 16, 4, 4, &rune);
	else if (kind == 'U')
		good = literal_read_digits(c, 16, 8, 8, &rune);
	else if (kind >= '0' && kind <= '7')
		c->at--, good = literal_read_digits(c, 8, 1, 3, &rune);
	else
		return strbuf_addf(out, "\\%c", kind);
	if (!good)
		return fail(
			err, MT_EINVAL,
			"SyntaxError: \\%c in a string requires %s hexadecimal digits",
			kind,
			kind == 'x'   ? "2"
			: kind == 'u' ? "4"
				      : "8");
	return put_rune(out, rune);
}

static int read_string(struct cursor *c, bool raw, json_object **ret, struct error *err)
{
	AUTO(strbuf) struct strbuf out = STRBUF((size_t)(c->end - c->at) * 3 + 16);
	AUTO(strbuf) struct strbuf clean = STRBUF((size_t)(c->end - c->at) * 9 + 48);
	const char quote = *c->at;
	size_t left = (size_t)(c->end - c->at);
	size_t marks = left >= 3 && c->at[1] == quote && c->at[2] == quote ? 3 : 1;
	int status = MT_OK;

	c->at += marks;
	for (;;) {
		if (c->at == c->end || (marks == 1 && *c->at == '\n'))
			return fail(err, MT_EINVAL, "SyntaxError: unterminated string");
		if (*c->at == quote &&
		    (marks == 1 ||
		     (c->end - c->at >= 3 && c->at[1] == quote && c->at[2] == quote)))
			break;
		if (*c->at != '\\' || c->end - c->at < 2) {
			strbuf_addc(&out, *c->at++);
		} else if (raw) {
			strbuf_addn(&out, c->at, 2);
			c->at += 2;
		} else {
			c->at++;
			status = literal_read_escape(c, &out, err);
			if (status)
				return status;
		}
	}
	c->at += marks;
	utf8_add_clean(&clean, out.text, out.len);
	if (out.error || clean.error || clean.len > INT32_MAX)
		return out_of_memory(err);
	*ret = json_object_new_string_len(clean.text, (int)clean.len);
	return *ret ? MT_OK : out_of_memory(err);
}

static int literal_read_number(struct cursor *c, json_object **ret, struct error *err)
{
	char digits[64], *end;
	size_t n = 0;
	bool whole = true;

	for (; c->at < c->end && n < sizeof digits - 1; c->at++) {
		char prev = n ? digits[n - 1] : 0;

		if (*c->at == '_' && isdigit((unsigned char)prev))
			continue;
		if (!isdigit((unsigned char)*c->at) && !strchr(".eE", *c->at) &&
		    !(strchr("+-", *c->at) && (!n || prev == 'e' || prev == 'E')))
			break;
		if (!*c->at)
			break;
		whole = whole && !strchr(".eE", *c->at);
		digits[n++] = *c->at;
	}
	digits[n] = '\0';
	errno = 0;
	if (whole) {
		long long v = strtoll(digits, &end, 10);

		if (!n || *end || end == digits || errno)
			return fail(err, MT_EINVAL, "SyntaxError: invalid number `%s`",
				    digits);
		*ret = json_object_new_int64(v);
	} else {
		double v = strtod(digits, &end);

		if (*end || end == digits || !isfinite(v))
			return fail(err, MT_EINVAL, "SyntaxError: invalid number `%s`",
				    digits);
		*ret = json_object_new_double(v);
	}
	return *ret ? MT_OK : out_of_memory(err);
}

static int literal_read_value(struct cursor *c, int depth, json_object **ret,
			      struct error *err);

static int literal_read_list(struct cursor *c, char close, int depth, json_object **ret,
			     struct error *err)
{
	AUTO(json) json_object *list = json_object_new_array();

	if (!list)
		return out_of_memory(err);
	for (c->at++;;) {
		json_object *item = NULL;

		cursor_blanks(c);
		if (cursor_takes(c, close))
			break;
		int status = literal_read_value(c, depth + 1, &item, err);

		if (status)
			return status;
		if (json_object_array_length(list) >= LITERAL_ITEMS) {
			json_object_put(item);
			return fail(err, MT_ELIMIT,
				    "ValueError: a list has more than %d items",
				    LITERAL_ITEMS);
		}
		if (js_add(list, item)) {
			json_object_put(item);
			return out_of_memory(err);
		}
		cursor_blanks(c);
		if (!cursor_takes(c, ',') && (c->at == c->end || *c->at != close))
			return fail(err, MT_EINVAL,
				    "SyntaxError: `,` or `%c` is missing "
				    "in a list",
				    close);
	}
	*ret = STEAL(list);
	return MT_OK;
}

static int literal_read_dict(struct cursor *c, int depth, json_object **ret,
			     struct error *err)
{
	AUTO(json) json_object *dict = json_object_new_object();

	if (!dict)
		return out_of_memory(err);
	for (c->at++;;) {
		AUTO(json) json_object *key = NULL;
		json_object *value = NULL;
		int status;

		cursor_blanks(c);
		if (cursor_takes(c, '}'))
			break;
		status = literal_read_value(c, depth + 1, &key, err);
		if (status)
			return status;
		cursor_blanks(c);
		if (!json_object_is_type(key, json_type_string) || !cursor_takes(c, ':'))
			return fail(err, MT_EINVAL,
				    "SyntaxError: a dict requires strings as keys, each "
				    "followed by `:`");
		cursor_blanks(c);
		status = literal_read_value(c, depth + 1, &value, err);
		if (status)
			return status;
		if (json_object_object_length(dict) >= LITERAL_ITEMS) {
			json_object_put(value);
			return fail(err, MT_ELIMIT,
				    "ValueError: a dict has more than %d items",
				    LITERAL_ITEMS);
		}
		if (js_set(dict, json_object_get_string(key), value))
			return out_of_memory(err);
		cursor_blanks(c);
		if (!cursor_takes(c, ',') && (c->at == c->end || *c->at != '}'))
			return fail(err, MT_EINVAL,
				    "SyntaxError: `,` or `}` is missing "
				    "in a dict");
	}
	*ret = STEAL(dict);
	return MT_OK;
}

static int literal_read_word(struct cursor *c, json_object **ret, struct error *err)
{
	size_t n = cursor_name(c);
	const char *word = c->at;

	if (n && n <= 2 && c->at + n < c->end && strchr("'\"", c->at[n]) &&
	    strspn(word, "rRuU") >= n) {
		c->at += n;
		return read_string(c, memchr(word, 'r', n) || memchr(word, 'R', n), ret,
				   err);
	}
	c->at += n;
	if (n == 4 && memcmp(word, "None", 4) == 0)
		return MT_OK;
	if (n == 4 && memcmp(word, "True", 4) == 0)
		*ret = json_object_new_boolean(1);
	else if (n == 5 && memcmp(word, "False", 5) == 0)
		*ret = json_object_new_boolean(0);
	else
		return fail(
			err, MT_EINVAL,
			"SyntaxError: `%.*s` is not a literal: arguments "
			"are strings in quotes, numbers, True, False, None or lists of "
			"these",
			n ? (int)(n < 40 ? n : 40) : 1, c->end > word ? word : " ");
	return *ret ? MT_OK : out_of_memory(err);
}

static int literal_read_value(struct cursor *c, int depth, json_object **ret,
			      struct error *err)
{
	*ret = NULL;
	if (depth > LITERAL_DEPTH)
		return fail(err, MT_ELIMIT, "ValueError: lists are nested deeper than %d",
			    LITERAL_DEPTH);
	if (c->at == c->end)
		return fail(err, MT_EINVAL, "SyntaxError: missing argument at the end");
	switch (*c->at) {
	case '\'':
	case '"':
		return read_string(c, false, ret, err);
	case '[':
		return literal_read_list(c, ']', depth, ret, err);
	case '(':
		return literal_read_list(c, ')', depth, ret, err);
	case '{':
		return literal_read_dict(c, depth, ret, err);
	}
	if (isdigit((unsigned char)*c->at) || strchr("+-.", *c->at))
		return *c->at ? literal_read_number(c, ret, err)
			      : literal_read_word(c, ret, err);
	return literal_read_word(c, ret, err);
}

int literal_read(struct cursor *c, json_object **ret, struct error *err)
{
	return literal_read_value(c, 0, ret, err);
}

/* ---- writing -------------------------------------------------------------- */

/* Code points that Python does not print as they are: controls, formats, separators,
 * surrogates, private and unassigned planes. */
static const struct {
	uint32_t first, last;
} unprintable[] = {
	{ 0x00, 0x1f }, { 0x7f, 0xa0 }, { 0xad, 0xad }, { 0x0600, 0x0605 },
	{ 0x061c, 0x061c }, { 0x06dd, 0x06dd }, { 0x070f, 0x070f }, { 0x0890, 0x0891 },
	{ 0x08e2, 0x08e2 }, { 0x1680, 0x1680 }, { 0x180e, 0x180e }, { 0x2000, 0x200f },
	{ 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x3000, 0x3000 }, { 0xd800, 0xf8ff },
	{ 0xfdd0, 0xfdef }, { 0xfeff, 0xfeff }, { 0xfff0, 0xfffb }, { 0xfffe, 0xffff },
	{ 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x1343f },
	{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0x323b0, 0xe00ff },
	{ 0xe01f0, 0x10ffff },
};

static bool is_printable(uint32_t code)
{
	for (size_t i = 0; i < ARRAY_LEN(unprintable); i++)
		if (code <= unprintable[i].last)
			return code < unprintable[i].first;
	return true;
}

static int put_escaped(struct strbuf *out, uint32_t code)
{
	return strbuf_addf(out,
			   code < 0x100     ? "\\x%02x"
			   : code < 0x10000 ? "\\u%04x"
					    : "\\U%08x",
			   (unsigned)code);
}

int literal_put_text(struct strbuf *out, const char *text, size_t len)
{
	char quote = memchr(text, '\'', len) && !memchr(text, '"', len) ? '"' : '\'';

	strbuf_addc(out, quote);
	for (size_t i = 0, n; i < len; i += n) {
		unsigned char c = (unsigned char)text[i];
		bool valid;

		n = utf8_next(text + i, len - i, &valid);
		if (c == '\n' || c == '\r' || c == '\t')
			strbuf_addf(out, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
		else if (c == '\\' || c == (unsigned char)quote)
			strbuf_addf(out, "\\%c", c);
		else if (!valid)
			strbuf_add(out, UTF8_REPLACEMENT);
		else if (!is_printable(utf8_code(text + i, n)))
			put_escaped(out, utf8_code(text + i, n));
		else
			strbuf_addn(out, text + i, n);
	}
	return strbuf_addc(out, quote);
}

/* The shortest digits that read back as the same number. */
static int put_double(struct strbuf *out, double v)
{
	char digits[40];
	int decimals = 0, exponent;

	for (; decimals < 17; decimals++) {
		snprintf(digits, sizeof digits, "%.*e", decimals, v);
		if (strtod(digits, NULL) == v)
			break;
	}
	if (!strchr(digits, 'e')) /* infinity, or no number */
		return strbuf_add(out, digits);
	exponent = (int)strtol(strchr(digits, 'e') + 1, NULL, 10);
	if (exponent < -4 || exponent >= 16)
		return strbuf_add(out, digits);
	return strbuf_addf(out, "%.*f", decimals > exponent ? decimals - exponent : 1, v);
}

int literal_put(struct strbuf *out, json_object *value)
{
	size_t n;

	switch (json_object_get_type(value)) {
	case json_type_null:
		return strbuf_add(out, "None");
	case json_type_boolean:
		return strbuf_add(out, json_object_get_boolean(value) ? "True" : "False");
	case json_type_int:
		return strbuf_add(out, json_object_get_string(value));
	case json_type_double:
		return put_double(out, json_object_get_double(value));
	case json_type_string:
		return literal_put_text(out, json_object_get_string(value),
					(size_t)json_object_get_string_len(value));
	case json_type_array:
		n = json_object_array_length(value);
		strbuf_addc(out, '[');
		for (size_t i = 0; i < n; i++) {
			strbuf_add(out, i ? ", " : "");
			literal_put(out, json_object_array_get_idx(value, i));
		}
		return strbuf_addc(out, ']');
	case json_type_object:
		break;
	}
	n = 0;
	strbuf_addc(out, '{');
	json_object_object_foreach(value, key, item) {
		strbuf_add(out, n++ ? ", " : "");
		literal_put_text(out, key, strlen(key));
		strbuf_add(out, ": ");
		literal_put(out, item);
	}
	return strbuf_addc(out, '}');
}
