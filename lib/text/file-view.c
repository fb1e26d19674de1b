/* SPDX-License-Identifier: MIT
 *
 * file-view.c - formats numbered lines; detects image files. */
#include "file-view.h"
#include "argument.h"
#include "utf8.h"
#include <string.h>
#include <strings.h>

static void number_lines(const char *text, size_t len, size_t first, struct strbuf *out)
{
	const char *end = text + len;

	for (size_t n = first; text < end; n++) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)((nl ? nl : end) - text);

		strbuf_addf(out, "%6zu\t", n);
		strbuf_addn(out, text, line);
		strbuf_addc(out, '\n');
		text += line + 1;
	}
}

int view_lines(const struct textfile *f, size_t first, size_t last, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(16 * FILE_VIEW_MAX);
	size_t from = textfile_line_at(f, first), to = textfile_line_at(f, last + 1);
	size_t len = to - from, most = 4 * (FILE_VIEW_MAX + 1), cut, line = first;

	if (utf8_add_clean(&shown, f->text.text + from, len < most ? len : most) != MT_OK)
		return shown.error;
	cut = utf8_offset(shown.text, shown.len, FILE_VIEW_MAX);
	if (cut < shown.len) {
		strbuf_cut(&shown, cut);
		for (size_t i = 0; i < cut; i++)
			line += shown.text[i] == '\n';
		strbuf_addf(&shown,
			    "<response clipped><NOTE>Cut after %d characters, in line "
			    "%zu of %zu: use `view_range` for the rest.</NOTE>",
			    FILE_VIEW_MAX, line, textfile_lines(f));
	}
	if (shown.error)
		return shown.error;
	number_lines(shown.text, shown.len, first, out);
	return out->error;
}

static int by_line(const void *a, const void *b)
{
	const struct view_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

int view_ranges(const struct textfile *f, struct view_range *ranges, size_t count,
		struct strbuf *out)
{
	size_t at = 0, lines = textfile_lines(f);

	for (size_t i = 0; i < count; i++) {
		size_t first = ranges[i].first;

		ranges[i].first = first > VIEW_CONTEXT ? first - VIEW_CONTEXT : 1;
		ranges[i].last += VIEW_CONTEXT;
	}
	if (count)
		qsort(ranges, count, sizeof *ranges, by_line);
	for (size_t i = 1; i < count; i++)
		if (ranges[i].first > ranges[at].last + 1)
			ranges[++at] = ranges[i];
		else if (ranges[i].last > ranges[at].last)
			ranges[at].last = ranges[i].last;
	for (size_t i = 0; i <= at && i < count; i++) {
		strbuf_add(out, i ? "   ...\n" : "");
		view_lines(f, ranges[i].first,
			   ranges[i].last < lines ? ranges[i].last : lines, out);
	}
	return out->error;
}

/* Determine the lines of a view; append a note if the range ends after the file. */
static int view_range(struct mt_str json, size_t lines, size_t *first, size_t *last,
		      struct strbuf *out, struct strbuf *why)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(8192);
	int64_t range[2] = { 1, -1 };
	size_t count = 0;

	*first = 1, *last = lines;
	if (!argument_given(json))
		return MT_OK;
	argument_put(&shown, json);
	if (!argument_range(json, range, &count))
		strbuf_addf(why,
			    "Invalid `view_range` parameter: %s. It should be a list of "
			    "two integers.",
			    shown.text);
	else if (count && (range[0] < 1 || (uint64_t)range[0] > lines))
		strbuf_addf(why,
			    "Invalid `view_range` parameter: %s. Its first element "
			    "`%lld` should be within the range of lines of the file: "
			    "[1, %zu].",
			    shown.text, (long long)range[0], lines);
	else if (count && range[1] != -1 && range[1] < range[0])
		strbuf_addf(why,
			    "Invalid `view_range` parameter: %s. Its second element "
			    "`%lld` should be greater than or equal to the first element "
			    "`%lld`.",
			    shown.text, (long long)range[1], (long long)range[0]);
	if (why->len || why->error)
		return why->error == MT_ENOMEM ? MT_ENOMEM : MT_EINVAL;
	if (!count)
		return MT_OK;
	*first = (size_t)range[0];
	if (range[1] != -1 && (uint64_t)range[1] > lines)
		strbuf_addf(out,
			    "NOTE: We only show up to %zu since there're only %zu "
			    "lines in this file.\n",
			    lines, lines);
	else if (range[1] != -1)
		*last = (size_t)range[1];
	return MT_OK;
}

int view_text(const struct textfile *f, const char *path, struct mt_str range,
	      struct strbuf *out, struct strbuf *why)
{
	size_t first, last;
	int status = view_range(range, textfile_lines(f), &first, &last, out, why);

	if (status != MT_OK)
		return status;
	strbuf_add(out, "Here's the result of running `cat -n` on ");
	listing_put_name(out, path);
	strbuf_add(out, ":\n");
	return view_lines(f, first, last, out);
}

const char *file_view_image_type(const char *path, const char *bytes, size_t len)
{
	static const struct {
		const char *ending, *mime, *magic;
		size_t magic_len;
	} types[] = {
		{ ".png", "image/png", "\x89PNG\r\n", 6 },
		{ ".jpg", "image/jpeg", "\xff\xd8\xff", 3 },
		{ ".jpeg", "image/jpeg", "\xff\xd8\xff", 3 },
		{ ".gif", "image/gif", "GIF8", 4 },
		{ ".webp", "image/webp", "RIFF", 4 },
		{ ".bmp", "image/bmp", "BM", 2 },
	};
	const char *dot = strrchr(path, '.'), *mime = NULL;

	for (size_t i = 0; dot && i < ARRAY_LEN(types); i++)
		if (strcasecmp(dot, types[i].ending) == 0)
			mime = types[i].mime;
	if (!mime || (len >= 12 && memcmp(bytes, "RIFF", 4) == 0 &&
		      memcmp(bytes + 8, "WEBP", 4) != 0))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (len > types[i].magic_len &&
		    memcmp(bytes, types[i].magic, types[i].magic_len) == 0)
			return types[i].mime;
	return NULL;
}
