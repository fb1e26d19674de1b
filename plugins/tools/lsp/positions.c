/* SPDX-License-Identifier: MIT
 *
 * positions.c - converts positions in text, finds symbols in lines, converts file
 * URIs. */
#include "positions.h"
#include "hex.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum encoding lsp_encoding_of(const char *name)
{
	if (strcmp(name, "utf-8") == 0)
		return ENCODING_UTF8;
	return strcmp(name, "utf-32") == 0 ? ENCODING_UTF32 : ENCODING_UTF16;
}

const char *lsp_text_line(const char *text, size_t len, size_t n, size_t *ret_len)
{
	const char *end = text + len, *line = text;

	for (; n; n--) {
		line = memchr(line, '\n', (size_t)(end - line));
		if (!line)
			return NULL;
		line++;
	}
	const char *newline = memchr(line, '\n', (size_t)(end - line));

	*ret_len = (size_t)((newline ? newline : end) - line);
	return line;
}

/* Number of units of a character of `bytes` bytes. */
static size_t units(size_t bytes, bool valid, enum encoding encoding)
{
	if (encoding == ENCODING_UTF8)
		return bytes;
	return encoding == ENCODING_UTF16 && valid && bytes == 4 ? 2 : 1;
}

size_t lsp_column_of(const char *line, size_t at, enum encoding encoding)
{
	size_t column = 0;
	bool valid;

	for (size_t i = 0, n; i < at; i += n) {
		n = utf8_next(line + i, at - i, &valid);
		column += units(n, valid, encoding);
	}
	return column;
}

size_t lsp_column_offset(const char *line, size_t len, size_t column,
			 enum encoding encoding)
{
	size_t i = 0;
	bool valid;

	for (size_t n, u; i < len && column; i += n) {
		n = utf8_next(line + i, len - i, &valid);
		u = units(n, valid, encoding);
		if (u > column)
			break;
		column -= u;
	}
	return i;
}

static bool lsp_positions_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Offset of the last name in a symbol. */
static size_t last_name(const char *symbol)
{
	size_t at = strlen(symbol);

	while (at && lsp_positions_is_word(symbol[at - 1]))
		at--;
	return symbol[at] ? at : 0;
}

size_t lsp_symbol_in(const char *line, size_t len, const char *symbol)
{
	size_t n = strlen(symbol);
	const char *p = line, *end = line + len;

	while (n && (p = memmem(p, (size_t)(end - p), symbol, n))) {
		bool starts = p == line || !lsp_positions_is_word(symbol[0]) ||
			      !lsp_positions_is_word(p[-1]);
		bool ends = p + n == end || !lsp_positions_is_word(symbol[n - 1]) ||
			    !lsp_positions_is_word(p[n]);

		if (starts && ends)
			return (size_t)(p - line) + last_name(symbol);
		p++;
	}
	return SIZE_MAX;
}

int lsp_uri_put(struct strbuf *out, const char *path)
{
	strbuf_add(out, "file://");
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("/-._~", *path))
			strbuf_addc(out, *path);
		else
			strbuf_addf(out, "%%%02X", (unsigned char)*path);
	return out->error;
}

char *lsp_uri_path(const char *uri)
{
	struct strbuf out = STRBUF(1 << 16);

	if (strncasecmp(uri, "file://", 7) != 0)
		return NULL;
	uri += 7;
	if (strncasecmp(uri, "localhost/", 10) == 0)
		uri += 9;
	if (*uri != '/')
		return NULL;
	for (; *uri && *uri != '?' && *uri != '#'; uri++) {
		int high = *uri == '%' ? hex_digit(uri[1]) : -1;
		int low = high >= 0 ? hex_digit(uri[2]) : -1;

		if (*uri == '%' && (low < 0 || high + low == 0)) {
			strbuf_clear(&out);
			return NULL;
		}
		strbuf_addc(&out, *uri == '%' ? (char)(high * 16 + low) : *uri);
		uri += *uri == '%' ? 2 : 0;
	}
	return strbuf_take(&out);
}
