/* SPDX-License-Identifier: MIT
 *
 * columns.c - measures text with the C library, independently of the program's locale. */
#include "columns.h"

#include "utf8.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

static size_t width_of(const char *text, size_t len, bool valid)
{
	int width = valid ? wcwidth((wchar_t)utf8_code(text, len)) : 1;

	return width < 0 ? 1 : (size_t)width;
}

/* Bytes up to `max` columns; their columns in `ret`. */
static size_t columns_measure(const char *text, size_t len, size_t max, size_t *ret)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = uselocale(utf8); /* 0: stays as it is */
	size_t i = 0, n, width, columns = 0;
	bool valid;

	for (; i < len; i += n, columns += width) {
		n = utf8_next(text + i, len - i, &valid);
		width = width_of(text + i, n, valid);
		if (columns + width > max)
			break;
	}
	uselocale(before);
	if (utf8)
		freelocale(utf8);
	*ret = columns;
	return i;
}

size_t columns_count(const char *text, size_t len)
{
	size_t columns;

	columns_measure(text, len, SIZE_MAX, &columns);
	return columns;
}

size_t columns_fit(const char *text, size_t len, size_t columns)
{
	size_t used;

	return columns_measure(text, len, columns, &used);
}

int columns_put(struct strbuf *b, const char *text, size_t len, size_t width, size_t max)
{
	size_t from = b->len, columns, fits;

	if (utf8_add_clean(b, text, len))
		return b->error;
	utf8_blank_controls(b->text + from, b->len - from);
	fits = columns_measure(b->text + from, b->len - from, max, &columns);
	strbuf_cut(b, from + fits);
	return columns < width ? strbuf_addf(b, "%*s", (int)(width - columns), "")
			       : b->error;
}
