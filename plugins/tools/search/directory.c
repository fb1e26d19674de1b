/* SPDX-License-Identifier: MIT
 *
 * directory.c - lists a directory, two levels deep. */
#include "utf8.h"
#include "view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

struct entries {
	char *paths[VIEW_ENTRIES_MAX]; /* below the directory; a directory ends in '/' */
	size_t count, hidden;
	bool more;
};

void view_name(struct strbuf *out, const char *name)
{
	for (size_t len = strlen(name), n; len > 0; name += n, len -= n) {
		bool valid;

		n = utf8_next(name, len, &valid);
		if (valid && (unsigned char)*name >= ' ' && *name != 0x7f)
			strbuf_addn(out, name, n);
		else
			for (size_t i = 0; i < n; i++)
				strbuf_addf(out, "\\x%02x", (unsigned char)name[i]);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The entries of one directory; `inside` is its path below the top with a slash at its
 * end, "" there. A directory that cannot be read has none. */
static int directory_collect(struct entries *e, int top, const char *inside)
{
	int fd = openat(top, *inside ? inside : ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | (*inside ? O_NOFOLLOW : 0));
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	int r = MT_OK;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return fd >= 0 ? MT_ENOMEM : MT_OK;
	}
	while (!r && !e->more && (d = readdir(dir))) {
		struct stat st;
		bool is_dir;

		if (d->d_name[0] == '.') {
			e->hidden += !*inside && strcmp(d->d_name, ".") != 0 &&
				     strcmp(d->d_name, "..") != 0;
			continue;
		}
		e->more = e->count == VIEW_ENTRIES_MAX;
		is_dir = fstatat(fd, d->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode);
		if (!e->more && asprintf(&e->paths[e->count], "%s%s%s", inside, d->d_name,
					 is_dir ? "/" : "") < 0)
			r = MT_ENOMEM;
		else if (!e->more)
			e->count++;
	}
	closedir(dir);
	return r;
}

static void directory_put(struct strbuf *out, const struct entries *e, const char *path)
{
	size_t i, start = out->len;

	strbuf_add(out, "Here's the files and directories up to 2 levels deep in ");
	view_name(out, path);
	strbuf_add(out, ", excluding hidden items:\n");
	for (i = 0; i < e->count && out->len - start < VIEW_SHOWN_MAX; i++) {
		view_name(out, strcmp(path, "/") == 0 ? "" : path);
		strbuf_addc(out, '/');
		view_name(out, e->paths[i]);
		strbuf_addc(out, '\n');
	}
	if (i < e->count || e->more)
		strbuf_addf(
			out,
			"<response clipped><NOTE>%zu of %s%zu entries are shown. View "
			"a subdirectory, or use glob, for the rest.</NOTE>\n",
			i, e->more ? "more than " : "", e->count);
	if (e->hidden)
		strbuf_addf(out, "%zu hidden entries are omitted.\n", e->hidden);
}

int view_dir(const char *path, struct strbuf *out, struct error *err)
{
	AUTO(close) int top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO(free) struct entries *e = calloc(1, sizeof *e);
	int r = e ? MT_OK : MT_ENOMEM;

	if (top < 0)
		return fail(err, MT_EDENIED, "Cannot read %s: %s", path, strerror(errno));
	if (!r)
		r = directory_collect(e, top, "");
	for (size_t i = 0, first = e ? e->count : 0; i < first && !r; i++)
		if (e->paths[i][strlen(e->paths[i]) - 1] == '/')
			r = directory_collect(e, top, e->paths[i]);
	if (!r) {
		qsort(e->paths, e->count, sizeof *e->paths, by_text);
		directory_put(out, e, path);
		r = out->error;
	}
	for (size_t i = 0; e && i < e->count; i++)
		free(e->paths[i]);
	return r ? fail_code(err, r) : MT_OK;
}
