/* SPDX-License-Identifier: MIT
 *
 * textfile.c - a file as text: its lines, their endings, and single changes. */
#include "textfile.h"
#include "utf8.h"
#include <string.h>

void textfile_clear(struct textfile *f)
{
	strbuf_clear(&f->bytes);
	strbuf_clear(&f->text);
	strbuf_clear(&f->ends);
}

uint64_t textfile_hash(const char *bytes, size_t len)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
	return h ^ len;
}

static bool ends_open(const struct textfile *f)
{
	return f->text.len > 0 && f->text.text[f->text.len - 1] != '\n';
}

size_t textfile_lines(const struct textfile *f)
{
	return f->ends.len + ends_open(f);
}

size_t textfile_line_at(const struct textfile *f, size_t n)
{
	const char *p = f->text.text, *end = p + f->text.len;

	while (n > 1 && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		p = nl ? nl + 1 : end;
		n--;
	}
	return (size_t)(p - f->text.text);
}

static size_t count_newlines(const char *p, size_t len)
{
	size_t n = 0;

	for (const char *end = p + len; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		n++;
	return n;
}

size_t textfile_line_of(const struct textfile *f, size_t offset)
{
	return count_newlines(f->text.text, offset) + 1;
}

/* Convert line endings to '\n' in place and record them. A lone \r ends a line only in a
 * file without \n. */
static int take_line_ends(struct textfile *f)
{
	char *p = f->text.text;
	size_t out = 0;
	bool cr = !memchr(p, '\n', f->text.len);

	for (size_t i = 0; i < f->text.len; i++) {
		char c = p[i];
		int end = -1;

		if (c == '\n')
			end = END_LF;
		else if (c == '\r' && i + 1 < f->text.len && p[i + 1] == '\n')
			end = END_CRLF, i++;
		else if (c == '\r' && cr)
			end = END_CR;
		p[out++] = end < 0 ? c : '\n';
		if (end >= 0 && strbuf_addc(&f->ends, (char)end) != MT_OK)
			return f->ends.error;
	}
	strbuf_cut(&f->text, out);
	return MT_OK;
}

int textfile_decode(struct textfile *f, const struct charset *hint, struct error *err)
{
	int status =
		charset_decode(f->bytes.text, f->bytes.len, hint, &f->charset, &f->text);

	if (status == MT_OK)
		status = take_line_ends(f);
	if (status == MT_EUNSUPPORTED)
		return fail(err, status,
			    "File appears to be binary and this file type "
			    "cannot be read or edited by this tool.%s",
			    strncmp(f->bytes.text, "%PDF-", 5) == 0
				    ? " It is a PDF file: read its text with pdftotext."
				    : "");
	if (status != MT_OK)
		return fail_code(err, status);
	return MT_OK;
}

int textfile_from_text(struct textfile *f, const char *text, size_t len,
		       struct error *err)
{
	f->charset = charset_utf8;
	if (strbuf_addn(&f->bytes, text, len) != MT_OK)
		return fail(err, f->bytes.error, "a text of more than %d MB",
			    TEXTFILE_MAX >> 20);
	if (strbuf_addn(&f->text, text, len) != MT_OK || take_line_ends(f) != MT_OK)
		return out_of_memory(err);
	f->hash = textfile_hash(f->bytes.text, f->bytes.len);
	return MT_OK;
}

/* The whole text with its original line endings. */
static int put_line_ends(const struct textfile *f, struct strbuf *out)
{
	static const char *const ends[] = { "\n", "\r\n", "\r" };
	const char *p = f->text.text, *end = p + f->text.len;

	for (size_t i = 0; i < f->ends.len; i++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		strbuf_addn(out, p, (size_t)(nl - p));
		strbuf_add(out, ends[(unsigned char)f->ends.text[i]]);
		p = nl + 1;
	}
	return strbuf_addn(out, p, (size_t)(end - p));
}

int textfile_whole(const struct textfile *f, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf raw = STRBUF(out->max);

	if (!f->charset.stray)
		return put_line_ends(f, out);
	if (put_line_ends(f, &raw) != MT_OK)
		return raw.error;
	return utf8_add_clean(out, raw.text, raw.len);
}

static int textfile_encode(struct textfile *f, struct error *err)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(4 * TEXTFILE_MAX + 64);
	size_t at = 0;
	int status = put_line_ends(f, &whole);

	if (status == MT_OK)
		status = charset_encode(&f->charset, whole.text, whole.len, &f->bytes,
					&at);
	if (status == MT_EINVAL) {
		size_t n = utf8_offset(whole.text + at, whole.len - at, 1);

		return fail(err, MT_EINVAL,
			    "the character `%.*s`, which the file's encoding "
			    "%s does not have,",
			    (int)n, whole.text + at, f->charset.name);
	}
	if (status == MT_ELIMIT)
		return fail(err, MT_ELIMIT, "a file of more than %d MB",
			    TEXTFILE_MAX >> 20);
	if (status != MT_OK)
		return fail_code(err, status);
	f->hash = textfile_hash(f->bytes.text, f->bytes.len);
	return MT_OK;
}

/* Append the end of each newline that replaces `removed` ones, of which the first is
 * `line`. */
static void put_new_ends(const struct textfile *f, size_t line, size_t removed,
			 size_t added, struct strbuf *out)
{
	const char *ends = f->ends.text;
	size_t have = f->ends.len;

	for (size_t i = 0; i < added; i++) {
		char end = END_LF;

		if (removed > 0)
			end = ends[line + (i < removed ? i : removed - 1)];
		else if (have > 0)
			end = ends[line < have ? line : have - 1];
		strbuf_addc(out, end);
	}
}

/* Copy up to a change, and apply it. `*at` and `*line`: the end of the copied part of
 * `f`. */
static void splice_one(const struct textfile *f, struct splice s, size_t *at,
		       size_t *line, struct textfile *ret)
{
	const char *old = f->text.text;
	size_t kept, removed;

	while (s.removed && s.added.len && old[s.at] == *s.added.ptr)
		s.at++, s.removed--, s.added.ptr++, s.added.len--;
	while (s.removed && s.added.len &&
	       old[s.at + s.removed - 1] == s.added.ptr[s.added.len - 1])
		s.removed--, s.added.len--;
	kept = count_newlines(old + *at, s.at - *at);
	removed = count_newlines(old + s.at, s.removed);
	strbuf_addn(&ret->text, old + *at, s.at - *at);
	strbuf_addn(&ret->text, s.added.ptr, s.added.len);
	strbuf_addn(&ret->ends, f->ends.text + *line, kept);
	put_new_ends(f, *line + kept, removed, count_newlines(s.added.ptr, s.added.len),
		     &ret->ends);
	*at = s.at + s.removed;
	*line += kept + removed;
}

int textfile_splice(const struct textfile *f, const struct splice *all, size_t count,
		    struct textfile *ret, struct error *err)
{
	size_t at = 0, line = 0;

	ret->charset = f->charset;
	ret->st = f->st;
	for (size_t i = 0; i < count; i++)
		splice_one(f, all[i], &at, &line, ret);
	strbuf_addn(&ret->text, f->text.text + at, f->text.len - at);
	strbuf_addn(&ret->ends, f->ends.text + line, f->ends.len - line);
	if (ret->text.error || ret->ends.error)
		return fail(err, MT_ELIMIT, "a file of more than %d MB",
			    TEXTFILE_MAX >> 20);
	return textfile_encode(ret, err);
}
