/* SPDX-License-Identifier: MIT
 *
 * content.c - finds matching lines in the text of a file. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "search.h"
#include "utf8.h"

#include <errno.h>
#include <pcre2.h>
#include <string.h>
#include <sys/stat.h>

enum {
	PATTERN_MAX = 4096,
	MATCH_LIMIT = 1000000, /* steps of one attempt */
	HEAP_LIMIT = 16384,    /* KiB */
	BINARY_LOOK = 8192,    /* bytes in which a NUL marks a binary file */
};

struct matcher {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

struct matcher *matcher_free(struct matcher *m)
{
	if (!m)
		return NULL;
	pcre2_match_context_free(m->context);
	pcre2_match_data_free(m->data);
	pcre2_code_free(m->code);
	free(m);
	return NULL;
}

static pcre2_code *search_content_compile(const char *pattern, bool match_case,
					  int *ret_code, PCRE2_SIZE *ret_at)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code;

	*ret_code = PCRE2_ERROR_NOMEMORY;
	*ret_at = 0;
	if (!context)
		return NULL;
	pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
	code = pcre2_compile((PCRE2_SPTR)pattern, strlen(pattern),
			     (match_case ? 0 : PCRE2_CASELESS) | PCRE2_MULTILINE |
				     PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
				     PCRE2_NEVER_BACKSLASH_C,
			     ret_code, ret_at, context);
	pcre2_compile_context_free(context);
	return code;
}

int matcher_open(const char *pattern, bool match_case, struct matcher **ret,
		 struct error *err)
{
	struct matcher *m;
	PCRE2_SIZE at;
	int code;

	*ret = NULL;
	if (strlen(pattern) > PATTERN_MAX)
		return fail(err, MT_ELIMIT, "The pattern is longer than %d bytes.",
			    PATTERN_MAX);
	m = calloc(1, sizeof *m);
	if (!m)
		return out_of_memory(err);
	m->code = search_content_compile(pattern, match_case, &code, &at);
	if (!m->code) {
		char why[200] = "";

		matcher_free(m);
		pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof why);
		return fail(err, MT_EINVAL,
			    "Invalid regular expression: %s (at character %zu). Put \\ "
			    "before literal special characters.",
			    why, (size_t)at + 1);
	}
	pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE); /* without it only slower */
	m->data = pcre2_match_data_create_from_pattern(m->code, NULL);
	m->context = pcre2_match_context_create(NULL);
	if (!m->data || !m->context) {
		matcher_free(m);
		return out_of_memory(err);
	}
	pcre2_set_match_limit(m->context, MATCH_LIMIT);
	pcre2_set_heap_limit(m->context, HEAP_LIMIT);
	*ret = m;
	return MT_OK;
}

static int search_content_attempt(struct matcher *m, const char *text, size_t len,
				  size_t from)
{
	int r = pcre2_match(m->code, (PCRE2_SPTR)text, len, from, 0, m->data, m->context);

	if (r >= 0)
		return MT_OK;
	return r == PCRE2_ERROR_NOMATCH    ? MT_ENOTFOUND
	       : r == PCRE2_ERROR_NOMEMORY ? MT_ENOMEM
					   : MT_ELIMIT;
}

/* Matching the whole text is fast; a match counts only if its line alone matches, too. */
int matcher_next(struct matcher *m, const char *text, size_t len, size_t *at,
		 struct mt_str *ret_line)
{
	while (*at < len) {
		int r = search_content_attempt(m, text, len, *at);
		const char *start, *end;

		if (r)
			return r;
		size_t found = pcre2_get_ovector_pointer(m->data)[0];

		if (found >= len && len && text[len - 1] == '\n')
			return MT_ENOTFOUND; /* past the last line */
		start = found ? memrchr(text, '\n', found) : NULL;
		start = start ? start + 1 : text;
		end = memchr(text + found, '\n', len - found);
		if (!end)
			end = text + len;
		*at = (size_t)(end - text) + 1;
		if (end > start && end[-1] == '\r')
			end--;
		r = search_content_attempt(m, start, (size_t)(end - start), 0);
		if (r == MT_OK)
			*ret_line = (struct mt_str){ start, (size_t)(end - start) };
		if (r != MT_ENOTFOUND)
			return r;
	}
	return MT_ENOTFOUND;
}

size_t matcher_place(const struct matcher *m)
{
	return pcre2_get_ovector_pointer(m->data)[0];
}

/* ---- text -------------------------------------------------------------- */

/* Convert UTF-16 with a byte-order mark; unpaired surrogates become U+FFFD. */
static int from_utf16(struct strbuf *text)
{
	AUTO(strbuf) struct strbuf out = STRBUF(2 * text->max);
	const unsigned char *p = (const unsigned char *)text->text;
	size_t high = p[0] == 0xfe ? 0 : 1; /* index of the high byte */

	for (size_t i = 2; i + 1 < text->len; i += 2) {
		uint32_t c = (uint32_t)p[i + high] << 8 | p[i + 1 - high], low = 0;

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < text->len)
			low = (uint32_t)p[i + 2 + high] << 8 | p[i + 3 - high];
		if (low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			i += 2;
		} else if (c >= 0xd800 && c < 0xe000) {
			c = 0xfffd;
		}
		utf8_add_code(&out, c);
	}
	if (out.error)
		return out.error;
	strbuf_clear(text);
	*text = out;
	out = STRBUF(0);
	return MT_OK;
}

static bool has_utf16_mark(const struct strbuf *b)
{
	return b->len >= 2 && (memcmp(b->text, "\xff\xfe", 2) == 0 ||
			       memcmp(b->text, "\xfe\xff", 2) == 0);
}

int search_text_read(int fd, size_t max, struct strbuf *ret)
{
	char buffer[65536];
	struct stat st;
	ssize_t n;

	strbuf_reset(ret);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return MT_EIO;
	if (st.st_size > 0 && (uintmax_t)st.st_size > max)
		return MT_ELIMIT;
	while ((n = read(fd, buffer, sizeof buffer)) != 0) {
		bool first = ret->len == 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return MT_EIO;
		if (ret->len + (size_t)n > max)
			return MT_ELIMIT;
		if (strbuf_addn(ret, buffer, (size_t)n))
			return ret->error;
		if (first && !has_utf16_mark(ret) &&
		    memchr(buffer, 0, n < BINARY_LOOK ? (size_t)n : BINARY_LOOK))
			return MT_EUNSUPPORTED;
	}
	return has_utf16_mark(ret) ? from_utf16(ret) : MT_OK;
}
