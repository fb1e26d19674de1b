/* SPDX-License-Identifier: MIT
 *
 * listing.c - lists a directory, two levels deep. */
#include "array.h"
#include "ignore.h"
#include "tool-ignore.h"
#include "utf8.h"
#include "file-view.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

struct entry {
	char *path; /* relative to the directory viewed */
	bool is_dir;
	int64_t size; /* bytes of a file */
	size_t held;  /* entries of a directory */
};

struct listing {
	struct entry *entries;
	size_t count, room;
	size_t top;    /* of the top level */
	size_t hidden; /* of the top level */
	size_t ignored;
	bool all;  /* ignore files have no effect */
	bool more; /* LISTING_MAX was reached */
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static int listing_add(struct listing *l, const char *path, const struct stat *st)
{
	struct entry *e;

	if (ARRAY_GROW(l->entries, &l->room, l->count + 1, ARRAY_MAX))
		return MT_ENOMEM;
	e = &l->entries[l->count];
	*e = (struct entry){ .path = strdup(path), .is_dir = S_ISDIR(st->st_mode),
			     .size = st->st_size };
	if (!e->path)
		return MT_ENOMEM;
	l->count++;
	return MT_OK;
}

/* One entry of the directory `fd`, whose rules are `rules`. */
static int collect_one(struct listing *l, int fd, const char *inside, const char *name,
		       const struct ignore *rules)
{
	AUTO(strbuf) struct strbuf path = STRBUF(16384);
	struct stat st = { 0 };

	strbuf_addf(&path, "%s%s%s", inside, *inside ? "/" : "", name);
	if (path.error)
		return path.error == MT_ELIMIT ? MT_OK : path.error;
	if (fstatat(fd, name, &st, 0) != 0)
		st.st_mode = S_IFREG;
	if (!l->all && ignore_has(rules, path.text, S_ISDIR(st.st_mode))) {
		l->ignored++;
		return MT_OK;
	}
	l->more = l->count >= LISTING_MAX;
	return l->more ? MT_OK : listing_add(l, path.text, &st);
}

static int collect_each(struct listing *l, DIR *dir, const char *inside,
			const struct ignore *rules)
{
	int status = MT_OK;

	for (struct dirent *d; !status && !l->more && (d = readdir(dir));) {
		if (d->d_name[0] != '.')
			status = collect_one(l, dirfd(dir), inside, d->d_name, rules);
		else
			l->hidden += !*inside && strcmp(d->d_name, ".") != 0 &&
				     strcmp(d->d_name, "..") != 0;
	}
	return status;
}

/* The entries of one directory; `inside` is its path below the top, "" there. `ret`
 * are its rules, to be closed after success. */
static int listing_collect(struct listing *l, int top, const char *inside,
			   const struct ignore *above, struct ignore *ret)
{
	int fd = openat(top, *inside ? inside : ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int status;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return fd >= 0 ? MT_ENOMEM : MT_EDENIED;
	}
	status = ignore_open(ret, above, fd, *inside ? strlen(inside) + 1 : 0);
	if (!status) {
		status = collect_each(l, dir, inside, ret);
		if (status)
			ignore_close(ret);
	}
	closedir(dir);
	return status;
}

/* Both levels. */
static int collect_all(struct listing *l, int top, const struct ignore *above)
{
	struct ignore rules, inner;
	int status = listing_collect(l, top, "", above, &rules);

	if (status)
		return status;
	l->top = l->count;
	for (size_t i = 0; i < l->top && !status && !l->more; i++) {
		size_t before = l->count;
		AUTO(free) char *path = strdup(l->entries[i].path);

		if (!l->entries[i].is_dir)
			continue;
		status = path ? listing_collect(l, top, path, &rules, &inner) : MT_ENOMEM;
		if (!status)
			ignore_close(&inner);
		if (status == MT_EDENIED)
			status = MT_OK;
		l->entries[i].held = l->count - before;
	}
	ignore_close(&rules);
	return status;
}

void listing_put_name(struct strbuf *out, const char *name)
{
	for (size_t len = strlen(name), n; len > 0; name += n, len -= n) {
		unsigned char c = (unsigned char)*name;

		n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
		if (n > len || !utf8_valid(name, n) || c < 0x20 || c == 0x7f) {
			n = 1;
			if (c == '\n')
				strbuf_add(out, "\\n");
			else
				strbuf_addf(out, "\\x%02x", c);
		} else {
			strbuf_addn(out, name, n);
		}
	}
}

/* 512, 1.5K, 12K, 3.4M */
static void put_size(struct strbuf *out, int64_t size)
{
	static const char units[] = "BKMGT";
	double n = (double)size;
	size_t unit = 0;

	while (n >= 1024 && unit + 2 < sizeof units)
		n /= 1024, unit++;
	strbuf_addf(out, unit && n < 10 ? "\t%.1f%c" : "\t%.0f%c", n, units[unit]);
}

static void listing_put_entry(struct strbuf *out, const struct entry *e, bool folded)
{
	listing_put_name(out, e->path);
	if (!e->is_dir)
		put_size(out, e->size);
	else if (folded)
		strbuf_addf(out, "/\t%zu %s", e->held,
			    e->held == 1 ? "entry" : "entries");
	else
		strbuf_addc(out, '/');
	strbuf_addc(out, '\n');
}

/* Remove the second level: each directory gets the number of its entries. */
static void listing_fold(struct listing *l)
{
	for (size_t i = l->top; i < l->count; i++)
		free(l->entries[i].path);
	l->count = l->top;
	l->more = false;
}

static void put_listing(struct listing *l, const char *path, struct strbuf *out)
{
	bool folded = l->more || l->count > LISTING_SHOWN;
	size_t i, n;

	if (folded && l->top < l->count)
		listing_fold(l);
	if (l->count)
		qsort(l->entries, l->count, sizeof *l->entries, by_path);
	listing_put_name(out, path);
	strbuf_add(out, folded ? ":\n" : ", two levels deep:\n");
	n = l->count < LISTING_SHOWN ? l->count : LISTING_SHOWN;
	for (i = 0; i < n && out->len < FILE_VIEW_MAX; i++)
		listing_put_entry(out, &l->entries[i], folded);
	if (l->count == 0)
		strbuf_add(out, "(no entries)\n");
	if (i < l->count || l->more)
		strbuf_addf(out,
			    "[%zu of %s%zu entries are shown. View a subdirectory, or "
			    "use `glob` or `ls` for the rest.]\n",
			    i, l->more ? "more than " : "", l->count);
	if (l->hidden || l->ignored)
		strbuf_addf(out, "[Not shown: %zu hidden, %zu ignored by git.]\n",
			    l->hidden, l->ignored);
}

/* Put the listing in the form of V0. */
static void put_listing_v0(struct listing *l, const char *path, struct strbuf *out)
{
	const char *base = strcmp(path, "/") == 0 ? "" : path;
	size_t i, start;

	if (l->count)
		qsort(l->entries, l->count, sizeof *l->entries, by_path);
	strbuf_add(out, "Here's the files and directories up to 2 levels deep in ");
	listing_put_name(out, path);
	strbuf_add(out, ", excluding hidden items:\n");
	start = out->len;
	listing_put_name(out, base);
	strbuf_addc(out, '/');
	for (i = 0; i < l->count && out->len - start < FILE_VIEW_MAX; i++) {
		strbuf_addc(out, '\n');
		listing_put_name(out, base);
		strbuf_addc(out, '/');
		listing_put_name(out, l->entries[i].path);
		if (l->entries[i].is_dir)
			strbuf_addc(out, '/');
	}
	if (i < l->count || l->more)
		strbuf_addf(out,
			    "\n"
			    "<response clipped><NOTE>%zu of %s%zu entries are shown. "
			    "View a subdirectory for the rest.</NOTE>",
			    i, l->more ? "more than " : "", l->count);
	if (l->hidden) {
		strbuf_addf(out,
			    "\n\n%zu hidden files/directories in this directory are "
			    "excluded. You can use 'ls -la ",
			    l->hidden);
		listing_put_name(out, path);
		strbuf_add(out, "' to see them.");
	}
}

int listing_view_dir(const char *path, bool v0, struct strbuf *out, struct error *err)
{
	struct listing l = { .all = v0 };
	struct ignore *above = NULL;
	AUTO(free) char *real = realpath(path, NULL);
	AUTO(close) int top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int status;

	if (tool_ignore_check(path, err))
		return MT_EDENIED;
	if (top < 0 || !real)
		return fail(err, MT_EDENIED, "%s", strerror(errno));
	status = v0 ? MT_OK : ignore_above(real, &above);
	if (status == MT_OK)
		status = collect_all(&l, top, above);
	ignore_free_above(above);
	if (status == MT_OK) {
		if (v0)
			put_listing_v0(&l, path, out);
		else
			put_listing(&l, path, out);
		status = out->error;
	}
	for (size_t i = 0; i < l.count; i++)
		free(l.entries[i].path);
	free(l.entries);
	return status == MT_OK ? MT_OK : fail_code(err, status);
}
