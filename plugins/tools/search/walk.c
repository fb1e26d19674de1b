/* SPDX-License-Identifier: MIT
 *
 * walk.c - searches without ripgrep: every directory under the top, without hidden and
 * ignored ones, without following links. */
#include "text/ignore.h"
#include "text/tool-ignore.h"
#include "array.h"
#include "clock.h"
#include "search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

void walk_found_clear(struct found *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->files[i].path);
	free(f->files);
	*f = (struct found){ 0 };
}

int walk_found_add(struct found *f, const char *path, int64_t mtime)
{
	int status = ARRAY_GROW(f->files, &f->room, f->count + 1, ARRAY_MAX);

	if (status)
		return status;
	f->files[f->count] = (struct found_file){ .path = strdup(path), .mtime = mtime };
	return f->files[f->count].path ? (f->count++, MT_OK) : MT_ENOMEM;
}

static int walk_newest(const void *a_, const void *b_)
{
	const struct found_file *a = a_, *b = b_;

	if (a->mtime != b->mtime)
		return a->mtime < b->mtime ? 1 : -1;
	return strcmp(a->path, b->path);
}

void walk_found_sort(struct found *f)
{
	if (f->count)
		qsort(f->files, f->count, sizeof *f->files, walk_newest);
}

bool search_over(const struct search *s, struct found *f)
{
	struct pollfd p = { .fd = s->cancel_fd, .events = POLLIN };

	if (f->end == SEARCH_WHOLE && poll(&p, 1, 0) == 1)
		f->end = SEARCH_CANCELLED;
	if (f->end == SEARCH_WHOLE && clock_ms() >= s->until_ms)
		f->end = SEARCH_TIME;
	return f->end != SEARCH_WHOLE;
}

bool search_may_show(const struct search *s, const char *path)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(SEARCH_PATH_MAX);

	return !strbuf_addf(&whole, "%s%s%s", s->top,
			    *path && strcmp(s->top, "/") != 0 ? "/" : "", path) &&
	       !tool_ignore_has(whole.text);
}

/* ---- the walk ---------------------------------------------------------- */

struct walk {
	const struct search *s;
	struct found *found;
	struct matcher *matcher; /* NULL: names only */
	struct strbuf path;      /* of the entry, relative to the top */
	struct strbuf text;      /* of the file */
	size_t seen;
};

/* Does the open file match the pattern? @return MT_OK or MT_ENOMEM */
static int look_inside(struct walk *w, int fd, bool *ret)
{
	struct mt_str line;
	size_t at = 0;
	int r = search_text_read(fd, w->s->file_max, &w->text);

	*ret = false;
	if (r == MT_OK)
		r = matcher_next(w->matcher, w->text.text, w->text.len, &at, &line);
	else if (r == MT_ELIMIT && ++w->found->large)
		return MT_OK;
	if (r == MT_ELIMIT)
		w->found->costly++;
	if (r == MT_EIO)
		w->found->unreadable++;
	*ret = r == MT_OK;
	return r == MT_ENOMEM ? r : MT_OK;
}

static int on_file(struct walk *w, int dir_fd, const char *name, const struct stat *st)
{
	bool yes = true;

	if (w->s->glob && !glob_has(w->s->glob, w->path.len ? w->path.text : name))
		return MT_OK;
	if (!search_may_show(w->s, w->path.text))
		return MT_OK;
	if (w->matcher) {
		AUTO(close) int fd =
			openat(dir_fd, name,
			       O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
		int r = MT_OK;

		if (fd < 0) {
			w->found->unreadable++;
			return MT_OK;
		}
		r = look_inside(w, fd, &yes);
		if (r || !yes)
			return r;
	}
	return walk_found_add(w->found, w->path.text,
			      (int64_t)st->st_mtim.tv_sec * 1000000000 +
				      st->st_mtim.tv_nsec);
}

static int into(struct walk *w, int fd, const struct ignore *above, unsigned depth);

static int walk_on_entry(struct walk *w, int dir_fd, const char *name,
			 const struct ignore *rules, unsigned depth)
{
	struct stat st;
	int fd;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) ||
	    ignore_has(rules, w->path.text, S_ISDIR(st.st_mode)))
		return MT_OK;
	if (S_ISREG(st.st_mode))
		return on_file(w, dir_fd, name, &st);
	fd = depth == SEARCH_DEPTH_MAX
		     ? -1
		     : openat(dir_fd, name,
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0) {
		w->found->unreadable++;
		return MT_OK;
	}
	return into(w, fd, rules, depth + 1);
}

static bool walk_left_out(const struct walk *w, const char *name)
{
	if (name[0] != '.')
		return false;
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       strcmp(name, ".git") == 0 || !w->s->glob || !w->s->glob->hidden;
}

static int each_entry(struct walk *w, DIR *dir, const struct ignore *rules,
		      unsigned depth)
{
	size_t len = w->path.len;
	struct dirent *d;
	int r = MT_OK;

	while (!r && (d = readdir(dir)) && !search_over(w->s, w->found)) {
		if (walk_left_out(w, d->d_name))
			continue;
		if (w->seen++ == w->s->files_max) {
			w->found->end = SEARCH_FILES;
			break;
		}
		if (strbuf_addf(&w->path, "%s%s", len ? "/" : "", d->d_name) == MT_OK)
			r = walk_on_entry(w, dirfd(dir), d->d_name, rules, depth);
		else if (w->path.error == MT_ENOMEM)
			r = MT_ENOMEM;
		else
			w->found->unreadable++; /* too deep for its path */
		w->path.error = MT_OK;
		strbuf_cut(&w->path, len);
	}
	return r;
}

/* Take the descriptor. */
static int into(struct walk *w, int fd, const struct ignore *above, unsigned depth)
{
	DIR *dir = fdopendir(fd);
	struct ignore rules;
	int r;

	if (!dir) {
		close(fd);
		return MT_ENOMEM;
	}
	r = ignore_open(&rules, above, fd, w->path.len + (w->path.len > 0));
	if (!r) {
		r = each_entry(w, dir, &rules, depth);
		ignore_close(&rules);
	}
	closedir(dir);
	return r;
}

static int walk_begin(struct walk *w, struct error *err)
{
	struct ignore *above = NULL;
	struct stat st;
	int r, fd = open(w->s->top, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st)) {
		r = fail(err, MT_EIO, "cannot read %s: %s", w->s->top, strerror(errno));
		if (fd >= 0)
			close(fd);
		return r;
	}
	if (S_ISDIR(st.st_mode)) {
		r = ignore_above(w->s->top, &above);
		if (r)
			close(fd);
		else
			r = into(w, fd, above, 0);
		ignore_free_above(above);
		return r;
	}
	close(fd);
	if (!S_ISREG(st.st_mode))
		return fail(err, MT_EINVAL, "%s is neither a directory nor a file",
			    w->s->top);
	return on_file(w, AT_FDCWD, w->s->top, &st);
}

int search_walk(const struct search *s, struct found *ret, struct error *err)
{
	struct walk w = { .s = s, .found = ret, .path = STRBUF(SEARCH_PATH_MAX),
			  .text = STRBUF(s->file_max + 8) };
	int r = MT_OK;

	*ret = (struct found){ 0 };
	if (s->pattern)
		r = matcher_open(s->pattern, s->match_case, &w.matcher, err);
	if (!r)
		r = walk_begin(&w, err);
	if (r == MT_ENOMEM)
		fail_code(err, r);
	matcher_free(w.matcher);
	strbuf_clear(&w.path);
	strbuf_clear(&w.text);
	walk_found_sort(ret);
	if (r)
		walk_found_clear(ret);
	return r;
}
