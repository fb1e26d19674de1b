/* SPDX-License-Identifier: MIT
 *
 * python.c - parses Python literals in old events. */
#include "events/event-internal.h"
#include "hex.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------ */

struct literal {
	const char *at, *end;
	int depth;
	bool bad;
};

static json_object *python_read_value(struct literal *l);

static json_object *python_bad(struct literal *l)
{
	l->bad = true;
	return NULL;
}

static int python_peek(const struct literal *l)
{
	return l->at < l->end ? (unsigned char)*l->at : -1;
}

static void python_skip_space(struct literal *l)
{
	while (l->at < l->end && memchr(" \t\r\n", *l->at, 4))
		l->at++;
}

static bool python_take(struct literal *l, char c)
{
	python_skip_space(l);
	if (python_peek(l) != c)
		return false;
	l->at++;
	return true;
}

/* \xHH, \uHHHH, \UHHHHHHHH */
static bool read_hex(struct literal *l, int digits, struct strbuf *out)
{
	unsigned long c = 0;

	for (int i = 0; i < digits; i++, l->at++) {
		int d = hex_digit(python_peek(l));

		if (d < 0)
			return false;
		c = c << 4 | (unsigned long)d;
	}
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return false;
	utf8_add_code(out, c);
	return true;
}

static bool read_octal(struct literal *l, struct strbuf *out)
{
	unsigned long c = 0;

	for (int i = 0; i < 3 && python_peek(l) >= '0' && python_peek(l) <= '7'; i++)
		c = c << 3 | (unsigned long)(*l->at++ - '0');
	utf8_add_code(out, c);
	return true;
}

static bool python_read_escape(struct literal *l, struct strbuf *out)
{
	static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
	int c = python_peek(l);
	const char *at;

	if (c < 0)
		return false;
	if (c >= '0' && c <= '7')
		return read_octal(l, out);
	l->at++;
	at = c ? strchr(from, c) : NULL;
	if (at)
		return strbuf_addc(out, to[at - from]) == MT_OK;
	switch (c) {
	case '\n':
		return true;
	case 'x':
		return read_hex(l, 2, out);
	case 'u':
		return read_hex(l, 4, out);
	case 'U':
		return read_hex(l, 8, out);
	case 'N':
		return false;
	default: /* unknown escapes are kept */
		strbuf_addc(out, '\\');
		return strbuf_addc(out, (char)c) == MT_OK;
	}
}

/* Read one quoted part; `raw` keeps backslashes. */
static bool read_quoted(struct literal *l, bool raw, struct strbuf *out)
{
	char quote = *l->at++;
	int c;

	while ((c = python_peek(l)) >= 0 && c != quote) {
		if (c == '\n')
			return false;
		l->at++;
		if (c != '\\') {
			strbuf_addc(out, (char)c);
		} else if (raw) {
			strbuf_addc(out, '\\');
			if (python_peek(l) >= 0)
				strbuf_addc(out, *l->at++);
		} else if (!python_read_escape(l, out)) {
			return false;
		}
	}
	if (c < 0)
		return false;
	l->at++;
	return true;
}

static bool at_text(const struct literal *l)
{
	int c = python_peek(l);

	return c == '\'' || c == '"' ||
	       (c == 'r' && l->end - l->at > 1 && (l->at[1] == '\'' || l->at[1] == '"'));
}

/* Read a string; adjacent parts are joined. */
static json_object *python_read_text(struct literal *l)
{
	AUTO(strbuf) struct strbuf out = STRBUF(SIZE_MAX / 2);
	json_object *made;

	while (python_skip_space(l), at_text(l)) {
		bool raw = *l->at == 'r';

		l->at += raw;
		if (!read_quoted(l, raw, &out))
			return python_bad(l);
	}
	if (out.error || out.len > INT32_MAX || !utf8_valid(out.text, out.len))
		return python_bad(l);
	made = json_object_new_string_len(out.text, (int)out.len);
	return made ? made : python_bad(l);
}

static json_object *python_read_list(struct literal *l, char close)
{
	AUTO(json) json_object *list = json_object_new_array();
	json_object *item;

	if (!list)
		return python_bad(l);
	while (!python_take(l, close)) {
		item = python_read_value(l);
		if (l->bad || js_add(list, item) != 0) {
			json_object_put(item);
			return python_bad(l);
		}
		if (python_take(l, ','))
			continue;
		if (!python_take(l, close))
			return python_bad(l);
		break;
	}
	return STEAL(list);
}

static json_object *python_read_dict(struct literal *l)
{
	AUTO(json) json_object *dict = json_object_new_object();

	if (!dict)
		return python_bad(l);
	while (!python_take(l, '}')) {
		AUTO(json) json_object *key =
			at_text(l) ? python_read_text(l) : python_bad(l);

		if (!key ||
		    strlen(json_object_get_string(key)) !=
			    (size_t)json_object_get_string_len(key) ||
		    !python_take(l, ':'))
			return python_bad(l);

		json_object *value = python_read_value(l);

		if (l->bad || js_set(dict, json_object_get_string(key), value))
			return python_bad(l);
		if (python_take(l, ','))
			continue;
		if (!python_take(l, '}'))
			return python_bad(l);
		break;
	}
	return STEAL(dict);
}

static json_object *python_read_word(struct literal *l)
{
	static const char *const words[] = { "None", "True", "False" };
	size_t left = (size_t)(l->end - l->at);

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t len = strlen(words[i]);

		if (left < len || memcmp(l->at, words[i], len) != 0)
			continue;
		l->at += len;
		return i == 0 ? NULL : json_object_new_boolean(i == 1);
	}
	return python_bad(l);
}

static json_object *python_read_number(struct literal *l)
{
	char text[64];
	size_t len = 0;
	json_object *made;

	while (l->at < l->end && len < sizeof text - 1 &&
	       (isdigit((unsigned char)*l->at) || strchr("+-.eE", *l->at)) && *l->at)
		text[len++] = *l->at++;
	text[len] = '\0';
	made = js_parse(text, len, NULL);
	return made ? made : python_bad(l);
}

static json_object *python_read_value(struct literal *l)
{
	json_object *made;
	int c;

	python_skip_space(l);
	c = python_peek(l);
	if (at_text(l))
		return python_read_text(l);
	if (c == '-' || isdigit(c))
		return python_read_number(l);
	if (c != '{' && c != '[' && c != '(')
		return python_read_word(l);
	if (l->depth == JS_DEPTH)
		return python_bad(l);
	l->depth++;
	l->at++;
	made = c == '{' ? python_read_dict(l) : python_read_list(l, c == '[' ? ']' : ')');
	l->depth--;
	return made;
}

json_object *python_literal(const char *text, size_t len)
{
	struct literal l = { .at = text, .end = text + len };
	AUTO(json) json_object *value = python_read_value(&l);

	python_skip_space(&l);
	return l.bad || l.at != l.end ? NULL : STEAL(value);
}
