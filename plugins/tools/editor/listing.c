/* SPDX-License-Identifier: MIT
 *
 * listing.c - lists a directory, two levels deep. */
#include "editor.h"
#include "array.h"
#include "utf8.h"
#include "view.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

struct entry {
	char *path; /* relative to the directory viewed */
	bool is_dir;
};

struct listing {
	struct entry *entries;
	size_t count, room;
	size_t hidden; /* of the top level */
	bool more;     /* EDITOR_LISTING_MAX was reached */
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static int listing_add(struct listing *l, const char *inside, const char *name,
		       bool is_dir)
{
	AUTO(strbuf) struct strbuf path = STRBUF(16384);

	if (ARRAY_GROW(l->entries, &l->room, l->count + 1, ARRAY_MAX))
		return MT_ENOMEM;
	if (*inside)
		strbuf_addf(&path, "%s/", inside);
	strbuf_add(&path, name);
	l->entries[l->count].path = path.error ? NULL : strbuf_take(&path);
	l->entries[l->count].is_dir = is_dir;
	if (!l->entries[l->count].path)
		return MT_ENOMEM;
	l->count++;
	return MT_OK;
}

/* The entries of one directory; `inside` is its path below the top, "" there. */
static int listing_collect(struct listing *l, int top, const char *inside)
{
	int fd = openat(top, *inside ? inside : ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int status = MT_OK;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return fd >= 0 ? MT_ENOMEM : MT_EDENIED;
	}
	for (struct dirent *d; status == MT_OK && (d = readdir(dir));) {
		struct stat st;

		if (d->d_name[0] == '.') {
			l->hidden += !*inside && strcmp(d->d_name, ".") != 0 &&
				     strcmp(d->d_name, "..") != 0;
			continue;
		}
		l->more = l->count >= EDITOR_LISTING_MAX;
		if (l->more)
			break;
		status = listing_add(l, inside, d->d_name,
				     fstatat(fd, d->d_name, &st, 0) == 0 &&
					     S_ISDIR(st.st_mode));
	}
	closedir(dir);
	return status;
}

/* A name on one line and as valid text: what is not becomes an escape. */
static void put_name(struct strbuf *out, const char *name)
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

static void put_entries(const struct listing *l, const char *path, struct strbuf *out)
{
	const char *base = strcmp(path, "/") == 0 ? "" : path;
	size_t i, start = out->len;

	put_name(out, base);
	strbuf_addc(out, '/');
	for (i = 0; i < l->count && out->len - start < EDITOR_SHOWN_MAX; i++) {
		strbuf_addc(out, '\n');
		put_name(out, base);
		strbuf_addc(out, '/');
		put_name(out, l->entries[i].path);
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
		put_name(out, path);
		strbuf_add(out, "' to see them.");
	}
}

int view_dir(const char *path, struct strbuf *out, struct error *err)
{
	struct listing l = { 0 };
	AUTO(close) int top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int status;

	if (top < 0)
		return fail(err, MT_EDENIED, "%s", strerror(errno));
	status = listing_collect(&l, top, "");
	for (size_t i = 0, first = l.count; i < first && status == MT_OK && !l.more;
	     i++) {
		if (!l.entries[i].is_dir)
			continue;
		status = listing_collect(&l, top, l.entries[i].path);
		if (status == MT_EDENIED)
			status = MT_OK;
	}
	if (status == MT_OK) {
		if (l.count)
			qsort(l.entries, l.count, sizeof *l.entries, by_path);
		strbuf_add(out,
			   "Here's the files and directories up to 2 levels deep in ");
		put_name(out, path);
		strbuf_add(out, ", excluding hidden items:\n");
		put_entries(&l, path, out);
		status = out->error;
	}
	for (size_t i = 0; i < l.count; i++)
		free(l.entries[i].path);
	free(l.entries);
	return status == MT_OK ? MT_OK : fail_code(err, status);
}
