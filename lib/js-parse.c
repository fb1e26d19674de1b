/* SPDX-License-Identifier: MIT
 *
 * js-parse.c - reads JSON text into json-c objects and checks every allocation.
 *
 * json-c's own parser is laxer than the standard even in strict mode (it accepts NaN, raw
 * control characters, "1."). Therefore js-scan.c checks the tokens. json-c's parser also does
 * not check whether its buffer could be allocated or extended, nor whether a member was added:
 * when memory runs out it crashes or omits parts. */
#include "js.h"
#include "js-scan.h"
#include "strbuf.h"
#include "utf8.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct build {
	const char *text, *at, *end;
	struct strbuf string; /* a text with its escapes undone */
	struct error *err;
};

struct piece {
	const char *start;
	size_t len;
};

enum { NAME_ROOM = 64 }; /* bytes of a name that is not copied to the heap */

static int js_build_value(struct build *b, json_object **ret);

static int js_build_fault(struct build *b, const char *what)
{
	if (b->at >= b->end)
		return fail(b->err, MT_EINVAL,
			    "byte %zu: not JSON: the text ends too early",
			    (size_t)(b->end - b->text));
	return fail(b->err, MT_EINVAL, "byte %zu: not JSON: %s",
		    (size_t)(b->at - b->text), what);
}

static int js_build_no_memory(struct build *b)
{
	return out_of_memory(b->err);
}

static void js_build_skip_space(struct build *b)
{
	while (b->at < b->end &&
	       (*b->at == ' ' || *b->at == '\n' || *b->at == '\t' || *b->at == '\r'))
		b->at++;
}

static bool js_build_take(struct build *b, char c)
{
	js_build_skip_space(b);
	if (b->at == b->end || *b->at != c)
		return false;
	b->at++;
	return true;
}

/* ---- strings ---------------------------------------------------------------- */

static uint32_t four_digits(const char *text)
{
	char digits[5] = { text[0], text[1], text[2], text[3], '\0' };

	return (uint32_t)strtoul(digits, NULL, 16);
}

/* \uXXXX, or two of them that are the surrogates of one character; an unpaired
 * surrogate becomes U+FFFD. */
static void unicode(struct build *b)
{
	uint32_t c = four_digits(b->at), low;

	b->at += 4;
	if (c >= 0xd800 && c < 0xdc00 && b->end - b->at >= 6 && b->at[0] == '\\' &&
	    b->at[1] == 'u') {
		low = four_digits(b->at + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			b->at += 6;
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	utf8_add_code(&b->string, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
}

/* The rest of a string that contains escapes; unescaping never makes it longer. */
static int unescape(struct build *b)
{
	static const char bytes[] = {
		['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f',
		['n'] = '\n', ['r'] = '\r', ['t'] = '\t',
	};
	struct strbuf *out = &b->string;
	const char *end = b->at;

	while (*end != '"')
		end += 1 + (*end == '\\');
	if (strbuf_reserve(out, (size_t)(end - b->at)))
		return js_build_no_memory(b);
	while (b->at < end) {
		char c = *b->at++;

		if (c == '\\' && *b->at == 'u') {
			b->at++;
			unicode(b);
			continue;
		}
		if (c == '\\')
			c = bytes[(unsigned char)*b->at++];
		out->text[out->len++] = c;
	}
	out->text[out->len] = '\0';
	return out->error ? js_build_no_memory(b) : MT_OK;
}

/* js_scan has checked that it ends and that its escapes are valid. Without escapes it
 * is not copied. */
static int js_build_string(struct build *b, struct piece *ret)
{
	const char *begin = ++b->at;

	while (*b->at != '"' && *b->at != '\\')
		b->at++;
	if (*b->at == '"') {
		*ret = (struct piece){ begin, (size_t)(b->at++ - begin) };
		return MT_OK;
	}
	strbuf_reset(&b->string);
	if (strbuf_addn(&b->string, begin, (size_t)(b->at - begin)) || unescape(b))
		return js_build_no_memory(b);
	b->at++;
	*ret = (struct piece){ b->string.text, b->string.len };
	return MT_OK;
}

/* ---- numbers and words ------------------------------------------------------ */

static json_object *new_number(const char *text)
{
	if (strpbrk(text, ".eE"))
		return json_object_new_double_s(strtod(text, NULL), text);
	if (*text == '-')
		return json_object_new_int64(strtoll(text, NULL, 10));

	uint64_t n = strtoull(text, NULL, 10);

	return n <= INT64_MAX ? json_object_new_int64((int64_t)n)
			      : json_object_new_uint64(n);
}

static int js_build_number(struct build *b, json_object **ret)
{
	const char *start = b->at;

	while (b->at < b->end &&
	       (isdigit((unsigned char)*b->at) || strchr("+-.eE", *b->at)) && *b->at)
		b->at++;
	strbuf_reset(&b->string);
	if (strbuf_addn(&b->string, start, (size_t)(b->at - start)))
		return js_build_no_memory(b);
	*ret = new_number(b->string.text);
	return *ret ? MT_OK : js_build_no_memory(b);
}

static int js_build_word(struct build *b, json_object **ret)
{
	bool yes = *b->at == 't';

	if (*b->at == 'n') {
		b->at += 4;
		return MT_OK;
	}
	b->at += yes ? 4 : 5;
	*ret = json_object_new_boolean(yes);
	return *ret ? MT_OK : js_build_no_memory(b);
}

/* ---- objects and lists ------------------------------------------------------ */

static int member(struct build *b, json_object *o)
{
	AUTO(json) json_object *inner = NULL;
	AUTO(free) char *long_name = NULL;
	char room[NAME_ROOM], *name = room;
	struct piece text;
	int status;

	js_build_skip_space(b);
	if (b->at == b->end || *b->at != '"')
		return js_build_fault(b, "object property name expected");
	status = js_build_string(b, &text);
	if (status)
		return status;
	if (text.len >= sizeof room) {
		name = long_name = malloc(text.len + 1);
		if (!name)
			return js_build_no_memory(b);
	}
	memcpy(name, text.start, text.len);
	name[text.len] = '\0';
	if (!js_build_take(b, ':'))
		return js_build_fault(b, "object property name separator ':' expected");
	status = js_build_value(b, &inner);
	if (status)
		return status;
	if (json_object_object_add(o, name, inner) != 0)
		return js_build_no_memory(b);
	inner = NULL;
	return MT_OK;
}

static int js_build_element(struct build *b, json_object *list)
{
	AUTO(json) json_object *inner = NULL;
	int status = js_build_value(b, &inner);

	if (status)
		return status;
	if (json_object_array_add(list, inner) != 0)
		return js_build_no_memory(b);
	inner = NULL;
	return MT_OK;
}

static int group(struct build *b, json_object **ret)
{
	bool object = *b->at++ == '{';
	char close = object ? '}' : ']';
	AUTO(json) json_object *made =
		object ? json_object_new_object() : json_object_new_array();

	if (!made)
		return js_build_no_memory(b);
	if (js_build_take(b, close)) {
		*ret = STEAL(made);
		return MT_OK;
	}
	do {
		int status = object ? member(b, made) : js_build_element(b, made);

		if (status)
			return status;
	} while (js_build_take(b, ','));
	if (!js_build_take(b, close))
		return js_build_fault(b, object ? "object value separator ',' expected"
						: "array value separator ',' expected");
	*ret = STEAL(made);
	return MT_OK;
}

static int js_build_value(struct build *b, json_object **ret)
{
	struct piece text;
	int status;

	js_build_skip_space(b);
	if (b->at < b->end && *b->at == '"') {
		status = js_build_string(b, &text);
		if (status)
			return status;
		*ret = json_object_new_string_len(text.start, (int)text.len);
		return *ret ? MT_OK : js_build_no_memory(b);
	}
	if (b->at == b->end || (*b->at && strchr(":,]}", *b->at)))
		return js_build_fault(b, "unexpected character");
	if (*b->at == '{' || *b->at == '[')
		return group(b, ret);
	return *b->at == '-' || isdigit((unsigned char)*b->at) ? js_build_number(b, ret)
							       : js_build_word(b, ret);
}

/* The text was accepted by js_scan. */
static int js_build(const char *text, size_t len, json_object **ret, struct error *err)
{
	struct build b = { .text = text, .at = text, .end = text + len,
			   .string = STRBUF(INT32_MAX), .err = err };
	AUTO(json) json_object *made = NULL;
	int status = js_build_value(&b, &made);

	js_build_skip_space(&b);
	if (!status && b.at < b.end)
		status = js_build_fault(&b, "unexpected characters after the value");
	if (b.string.room) /* it may have been a secret */
		explicit_bzero(b.string.text, b.string.room);
	strbuf_clear(&b.string);
	if (!status)
		*ret = STEAL(made);
	return status;
}

json_object *js_parse(const char *text, size_t len, struct error *err)
{
	struct error why = ERROR_NONE;
	json_object *value = NULL;
	int status = js_scan(text, len, &why);

	if (!status)
		status = js_build(text, len, &value, &why);
	if (status)
		fail(err, why.code, "%s", why.text);
	return value;
}

json_object *js_parse_object(const char *text, size_t len, struct error *err)
{
	struct error parsed = ERROR_NONE;
	json_object *value = js_parse(text, len, &parsed);

	if (parsed.code)
		fail(err, parsed.code, "%s", parsed.text);
	else if (json_object_is_type(value, json_type_object))
		return value;
	else
		fail(err, MT_EINVAL, "must be a JSON object, not %s",
		     json_type_to_name(json_object_get_type(value)));
	json_object_put(value);
	return NULL;
}
