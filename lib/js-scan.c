/* SPDX-License-Identifier: MIT
 *
 * js-scan.c - checks the tokens of JSON one by one. */
#include "js-scan.h"
#include "utf8.h"
#include <ctype.h>
#include <string.h>

struct scan {
	const char *text, *at, *end;
	int depth;
	bool nul; /* the last string contains \u0000 */
	struct error *err;
};

static int js_scan_fault(struct scan *s, int code, const char *what)
{
	return fail(s->err, code, "byte %zu: not JSON: %s", (size_t)(s->at - s->text),
		    what);
}

static int js_scan_escape(struct scan *s)
{
	char c = s->at < s->end ? *s->at : '\0';
	int zeros = 0;

	if (c && strchr("\"\\/bfnrt", c)) {
		s->at++;
		return MT_OK;
	}
	if (c != 'u')
		return js_scan_fault(s, MT_EINVAL, "unknown escape in a string");
	s->at++;
	for (int i = 0; i < 4; i++, s->at++) {
		if (s->at == s->end || !isxdigit((unsigned char)*s->at))
			return js_scan_fault(s, MT_EINVAL,
					     "\\u requires four hexadecimal digits");
		zeros += *s->at == '0';
	}
	s->nul |= zeros == 4;
	return MT_OK;
}

static int js_scan_string(struct scan *s)
{
	s->nul = false;
	for (s->at++; s->at < s->end; s->at++) {
		unsigned char c = (unsigned char)*s->at;

		if (c == '"') {
			s->at++;
			return MT_OK;
		}
		if (c < ' ')
			return js_scan_fault(
				s, MT_EINVAL,
				"control character in a string; use \\u00XX");
		if (c == '\\') {
			s->at++;
			if (js_scan_escape(s))
				return MT_EINVAL;
			s->at--;
		}
	}
	return js_scan_fault(s, MT_EINVAL, "unterminated string");
}

static bool js_scan_digits(struct scan *s)
{
	const char *start = s->at;

	while (s->at < s->end && isdigit((unsigned char)*s->at))
		s->at++;
	return s->at > start;
}

static bool js_scan_take(struct scan *s, const char *any)
{
	bool found = s->at < s->end && *s->at && strchr(any, *s->at);

	s->at += found;
	return found;
}

bool js_fits(const char *start, const char *end)
{
	bool negative = *start == '-';
	const char *limit = negative ? "9223372036854775808" : "18446744073709551615";
	size_t most = strlen(limit), len;

	start += negative;
	len = (size_t)(end - start);
	return len < most || (len == most && memcmp(start, limit, len) <= 0);
}

static int js_scan_number(struct scan *s)
{
	const char *start = s->at;

	js_scan_take(s, "-");
	if (!js_scan_take(s, "0") && !js_scan_digits(s))
		return js_scan_fault(s, MT_EINVAL, "a number requires digits");
	if ((s->at == s->end || !strchr(".eE", *s->at)) && !js_fits(start, s->at))
		return js_scan_fault(s, MT_ELIMIT, "an integer is larger than 64 bits");
	if (js_scan_take(s, ".") && !js_scan_digits(s))
		return js_scan_fault(s, MT_EINVAL,
				     "a number requires digits after its point");
	if (js_scan_take(s, "eE")) {
		js_scan_take(s, "+-");
		if (!js_scan_digits(s))
			return js_scan_fault(s, MT_EINVAL,
					     "a number requires digits after its e");
	}
	if (s->at < s->end && (isalnum((unsigned char)*s->at) || strchr("+-.", *s->at)))
		return js_scan_fault(s, MT_EINVAL, "malformed number");
	return MT_OK;
}

static int js_scan_word(struct scan *s)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(s->end - s->at) >= n && memcmp(s->at, words[i], n) == 0 &&
		    (s->at + n == s->end || !isalnum((unsigned char)s->at[n]))) {
			s->at += n;
			return MT_OK;
		}
	}
	return js_scan_fault(s, MT_EINVAL, "unexpected character");
}

static int punctuation(struct scan *s)
{
	char c = *s->at;

	if (c == ':' && s->nul)
		return js_scan_fault(s, MT_EINVAL, "a member name contains a NUL");
	if (c == '{' || c == '[')
		s->depth++;
	if (c == '}' || c == ']')
		s->depth--;
	if (s->depth > JS_DEPTH)
		return js_scan_fault(s, MT_ELIMIT, "nested too deeply");
	s->nul = false;
	s->at++;
	return MT_OK;
}

int js_scan(const char *text, size_t len, struct error *err)
{
	struct scan s = { text, text, text + len, 0, false, err };
	int status = MT_OK;

	if (len > INT32_MAX - 1)
		return fail(err, MT_ELIMIT, "JSON is larger than 2 GiB");
	if (!utf8_valid(text, len))
		return fail(err, MT_EINVAL, "not JSON: the text is not UTF-8");
	while (s.at < s.end && !status) {
		char c = *s.at;

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
			s.at++;
		else if (c == '"')
			status = js_scan_string(&s);
		else if (c == '-' || isdigit((unsigned char)c))
			status = js_scan_number(&s);
		else if (c && strchr("{}[],:", c))
			status = punctuation(&s);
		else
			status = js_scan_word(&s);
	}
	return status;
}
