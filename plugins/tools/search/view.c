/* SPDX-License-Identifier: MIT
 *
 * view.c - shows a file with line numbers, as the editor does. A file that is too large
 * for the editor is read in chunks and only as far as needed, so that the end of a huge
 * log can be shown. */
#include "view.h"

#include "text/argument.h"
#include "text/textfile.h"
#include "text/file-view.h"
#include "image.h"
#include "search.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

enum {
	PIECE = 65536,
	COUNTED_MAX = 1 << 30, /* bytes in which lines that are not shown are counted */
	LINE_KEPT = 4 * FILE_VIEW_MAX, /* bytes of a line */
};

/* The lines shown of a file while it is read. */
struct lines {
	struct view *v;
	struct view_page page;
	int64_t number;      /* of the next line */
	bool begun;          /* the next line has bytes */
	struct strbuf line;  /* its first bytes */
	size_t size;         /* all its bytes */
	char last;           /* its last byte so far */
	int64_t rest;        /* first line that is not shown; 0: none */
	bool uncounted;      /* there may be more lines than `number` says */
};

static bool search_view_wanted(const struct lines *l)
{
	const struct view *v = l->v;

	return !l->rest && l->number >= v->first && (v->last < 0 || l->number <= v->last);
}

static void view_show(struct lines *l)
{
	size_t ending = l->size && l->last == '\r', size = l->size - ending;
	struct mt_str line = { l->line.text, l->line.len < size ? l->line.len : size };

	if (!view_put_line(&l->page, (size_t)l->number, line, size))
		l->rest = l->number;
}

static void view_end_line(struct lines *l)
{
	if (search_view_wanted(l))
		view_show(l);
	strbuf_reset(&l->line);
	l->size = 0;
	l->begun = false;
	l->number++;
}

static void search_view_feed(struct lines *l, const char *bytes, size_t len)
{
	while (len) {
		const char *nl = memchr(bytes, '\n', len);
		size_t n = nl ? (size_t)(nl - bytes) : len;
		size_t room = LINE_KEPT - l->line.len;

		if (search_view_wanted(l))
			strbuf_addn(&l->line, bytes, n < room ? n : room);
		if (n)
			l->last = bytes[n - 1];
		l->size += n;
		l->begun = true;
		if (nl) {
			view_end_line(l);
			n++;
		}
		bytes += n;
		len -= n;
	}
}

static bool stopped(const struct view *v)
{
	struct pollfd p = { .fd = v->cancel_fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

/* Is there more to show or to count? */
static bool has_more(const struct lines *l, int64_t read_so_far)
{
	if (l->v->last >= 0 && l->number > l->v->last)
		return false;
	return !l->rest || read_so_far < COUNTED_MAX;
}

static int stream(struct lines *l, int fd, struct error *err)
{
	char buffer[PIECE];
	int64_t so_far = 0;
	ssize_t n;

	while (has_more(l, so_far) && (n = read(fd, buffer, sizeof buffer)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(err, MT_EIO, "Cannot read %s: %s", l->v->path,
				    strerror(errno));
		if (stopped(l->v))
			return fail(err, MT_ECANCELLED, "the call was cancelled");
		if (so_far == 0 && memchr(buffer, 0, (size_t)n))
			return fail(
				err, MT_EUNSUPPORTED,
				"File validation failed for %s: binary files cannot be "
				"shown as text",
				l->v->path);
		so_far += n;
		search_view_feed(l, buffer, (size_t)n);
	}
	l->uncounted = l->rest && so_far >= COUNTED_MAX;
	if (l->begun)
		view_end_line(l);
	return MT_OK;
}

static int search_view_read_range(struct view *v, struct error *err)
{
	int64_t range[2] = { 1, -1 };
	size_t count;

	if (!argument_given(v->range))
		return MT_OK;
	if (!argument_range(v->range, range, &count))
		return fail(err, MT_EINVAL,
			    "Invalid `view_range` parameter: it should be a list of two "
			    "integers.");
	v->ranged = count == 2;
	v->first = range[0];
	v->last = range[1];
	return MT_OK;
}

static int check_range(const struct view *v, struct error *err)
{
	if (v->first < 1)
		return fail(err, MT_EINVAL,
			    "Invalid `view_range` parameter: [%lld, %lld]. "
			    "Lines are counted from 1.",
			    (long long)v->first, (long long)v->last);
	if (v->last >= 0 && v->last < v->first)
		return fail(
			err, MT_EINVAL,
			"Invalid `view_range` parameter: [%lld, %lld]. "
			"The second line must not be before the first; -1 is the end.",
			(long long)v->first, (long long)v->last);
	return v->last < -1 ? fail(err, MT_EINVAL,
				   "Invalid `view_range` parameter: the "
				   "second line is %lld; -1 is the end.",
				   (long long)v->last)
			    : MT_OK;
}

static int notes(struct lines *l, struct error *err)
{
	struct view *v = l->v;
	int64_t lines = l->number - 1;
	int64_t last = v->last < 0 || v->last > lines ? lines : v->last;

	if (v->ranged && v->first > lines && !(v->first == 1 && lines == 0))
		return fail(err, MT_EINVAL,
			    "Invalid `view_range` parameter: [%lld, %lld]. "
			    "The file has %lld line%s.",
			    (long long)v->first, (long long)v->last, (long long)lines,
			    lines == 1 ? "" : "s");
	if (l->uncounted)
		strbuf_addf(&v->text,
			    "[more than %lld lines omitted; to see them, use "
			    "`view_range`: [%lld, -1]]\n",
			    (long long)(lines + 1 - l->rest), (long long)l->rest);
	else if (l->rest)
		view_put_rest(&v->text, (size_t)(last + 1 - l->rest),
			      (size_t)(last + 1 - v->first), (size_t)l->rest,
			      (size_t)last);
	else if (v->ranged && v->last > lines)
		strbuf_addf(&v->text, "<NOTE>The file ends with line %lld.</NOTE>\n",
			    (long long)lines);
	else if (lines == 0)
		strbuf_add(&v->text, "<NOTE>The file is empty.</NOTE>\n");
	return v->text.error ? fail_code(err, v->text.error) : MT_OK;
}

/* A file within the editor's limit: shown as by the editor. */
static int view_whole(struct view *v, struct error *err)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	AUTO(strbuf) struct strbuf why = STRBUF(16384);
	struct error reason = ERROR_NONE;
	int r = textfile_read(&f, v->path, &reason);

	if (!r)
		r = textfile_decode(&f, NULL, &reason);
	if (r)
		return fail(err, r, "File validation failed for %s: %s", v->path,
			    reason.text);
	r = view_text(&f, v->path, v->range, &v->text, &why);
	return r ? fail(err, r, "%s", why.len ? why.text : status_name(r)) : MT_OK;
}

/* A larger file: read as UTF-8, as far as needed. */
static int view_part(struct view *v, int fd, struct error *err)
{
	struct lines l = { .v = v, .page = VIEW_PAGE(&v->text), .number = 1,
			   .line = STRBUF(LINE_KEPT + 16) };
	int r = search_view_read_range(v, err);

	if (!r)
		r = check_range(v, err);
	strbuf_add(&v->text, "Here's the result of running `cat -n` on ");
	listing_put_name(&v->text, v->path);
	strbuf_add(&v->text, ":\n");
	if (!r)
		r = stream(&l, fd, err);
	if (!r)
		r = notes(&l, err);
	strbuf_clear(&l.line);
	return r;
}

/* @return MT_ENOTFOUND: not an image that can be shown. */
static int search_view_image(struct view *v, int fd, const struct stat *st)
{
	struct image image;
	char buffer[PIECE];
	ssize_t n;

	if (st->st_size < 12 || st->st_size > VIEW_IMAGE_MAX ||
	    pread(fd, buffer, 12, 0) != 12 ||
	    (memcmp(buffer, "\x89PNG", 4) != 0 &&
	     memcmp(buffer, "\xff\xd8\xff", 3) != 0 && memcmp(buffer, "GIF8", 4) != 0 &&
	     memcmp(buffer, "RIFF", 4) != 0))
		return MT_ENOTFOUND;
	while ((n = pread(fd, buffer, sizeof buffer, (off_t)v->media.len)) > 0)
		if (strbuf_addn(&v->media, buffer, (size_t)n))
			return MT_ENOTFOUND;
	if (image_look(v->media.text, v->media.len, &image, NULL))
		return MT_ENOTFOUND;
	v->mime = image.mime;
	return strbuf_addf(&v->text, "The image %s.", v->path);
}

int view_path(struct view *v, struct error *err)
{
	AUTO(close) int fd = open(v->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return fail(err, MT_ENOTFOUND,
			    "Invalid `path` parameter: %s. The path does "
			    "not exist. Please provide a valid path.",
			    v->path);
	if (fd < 0 || fstat(fd, &st))
		return fail(err, MT_EDENIED, "Cannot read %s: %s", v->path,
			    strerror(errno));
	if (S_ISDIR(st.st_mode) && argument_given(v->range))
		return fail(err, MT_EINVAL,
			    "Invalid `view_range` parameter: a directory has "
			    "no lines.");
	if (S_ISDIR(st.st_mode))
		return listing_view_dir(v->path, false, &v->text, err);
	if (!S_ISREG(st.st_mode))
		return fail(err, MT_EUNSUPPORTED, "%s is neither a file nor a directory.",
			    v->path);
	if (search_view_image(v, fd, &st) == MT_OK)
		return MT_OK;
	strbuf_reset(&v->media);
	return st.st_size <= TEXTFILE_MAX ? view_whole(v, err) : view_part(v, fd, err);
}
