/* SPDX-License-Identifier: MIT
 *
 * file-view.c - formats numbered lines; detects image files. */
#include "file-view.h"
#include "argument.h"
#include "utf8.h"
#include <string.h>
#include <strings.h>

/* Bytes of the first `max` characters of a text, as utf8_add_clean counts them. */
static size_t bytes_of(struct mt_str text, size_t max, size_t *ret_chars)
{
	size_t at = 0;
	bool valid;

	for (*ret_chars = 0; at < text.len && *ret_chars < max; ++*ret_chars)
		at += utf8_next(text.ptr + at, text.len - at, &valid);
	return at;
}

bool view_put_line(struct view_page *p, size_t number, struct mt_str line, size_t size)
{
	char prefix[32];
	size_t before = (size_t)snprintf(prefix, sizeof prefix, "%6zu\t", number) + 1;
	size_t room = p->room > before ? p->room - before : 0, chars;
	size_t shown = bytes_of(line, room, &chars);

	if (p->begun && (shown < size || p->room < before))
		return false;
	p->begun = true;
	p->room = shown < size ? 0 : room - chars;
	strbuf_add(p->out, prefix);
	utf8_add_clean(p->out, line.ptr, shown);
	if (shown < size)
		strbuf_addf(p->out, " [%zu of %zu bytes omitted; `cut -b` shows a part] ",
			    size - shown, size);
	strbuf_addc(p->out, '\n');
	return true;
}

void view_put_rest(struct strbuf *out, size_t omitted, size_t total, size_t from,
		   size_t last)
{
	strbuf_addf(out,
		    "[%zu of %zu lines omitted; to see them, use `view_range`: [%zu, "
		    "%zu]]\n",
		    omitted, total, from, last);
}

/* Append lines until the view is full. @return the first line that is not shown, or
 * last + 1 */
static size_t file_view_put_lines(struct view_page *p, const struct textfile *f,
				  size_t first, size_t last)
{
	size_t at = textfile_line_at(f, first);

	for (; first <= last; first++) {
		const char *text = f->text.text + at;
		const char *nl = memchr(text, '\n', f->text.len - at);
		size_t len = nl ? (size_t)(nl - text) : f->text.len - at;

		if (!view_put_line(p, first, (struct mt_str){ text, len }, len))
			break;
		at += len + 1;
	}
	return first;
}

int view_lines(const struct textfile *f, size_t first, size_t last, struct strbuf *out)
{
	struct view_page page = VIEW_PAGE(out);
	size_t next = file_view_put_lines(&page, f, first, last);

	if (next <= last)
		view_put_rest(out, last + 1 - next, last + 1 - first, next, last);
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
	struct view_page page = VIEW_PAGE(out);
	size_t at = 0, lines = textfile_lines(f), total = 0, omitted = 0, next = 0;

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
		struct view_range *r = &ranges[i];

		r->last = r->last < lines ? r->last : lines;
		total += r->last + 1 - r->first;
		if (omitted) {
			omitted += r->last + 1 - r->first;
			continue;
		}
		strbuf_add(out, i ? "   ...\n" : "");
		next = file_view_put_lines(&page, f, r->first, r->last);
		omitted = r->last + 1 - next;
	}
	if (omitted)
		view_put_rest(out, omitted, total, next, ranges[at].last);
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
