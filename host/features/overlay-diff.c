/* SPDX-License-Identifier: MIT
 *
 * overlay-diff.c - lists the changes in an overlay: names, and a unified diff. */
#include "features/overlay-diff.h"

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

static char *overlay_diff_name(const struct overlay *o, const struct overlay_change *c)
{
	return c->root ? path_join(o->roots[c->root].path, c->path) : strdup(c->path);
}

static bool overlay_diff_is_leaf(const struct stat *st)
{
	return st->st_mode && !S_ISDIR(st->st_mode);
}

/* ---- contents -------------------------------------------------------------------- */

static int overlay_diff_load(int fd, const struct stat *st, struct snapshots_side *ret)
{
	size_t room = S_ISLNK(st->st_mode) ? PATH_MAX : (size_t)st->st_size;
	ssize_t n = 1;

	ret->text = malloc(room + 1);
	if (!ret->text)
		return MT_ENOMEM;
	if (S_ISLNK(st->st_mode)) {
		n = readlinkat(fd, "", ret->text, room);
		ret->len = n > 0 ? (size_t)n : 0;
		return n < 0 ? MT_EIO : MT_OK;
	}
	while (ret->len < room &&
	       (n = read(fd, ret->text + ret->len, room - ret->len)) > 0)
		ret->len += (size_t)n;
	return n < 0 ? MT_EIO : MT_OK;
}

static int overlay_diff_read(int root, const struct overlay_change *c,
			     const struct stat *st, struct snapshots_side *ret,
			     struct error *err)
{
	AUTO(close) int fd = -1;
	int r;

	if (!overlay_diff_is_leaf(st))
		return MT_OK;
	ret->exists = true;
	ret->mode = st->st_mode & 07777;
	ret->binary = st->st_size > SNAPSHOTS_SIDE_MAX ||
		      !(S_ISREG(st->st_mode) || S_ISLNK(st->st_mode));
	if (ret->binary || !c->content)
		return MT_OK;
	fd = overlay_open_at(root, c->path, S_ISLNK(st->st_mode) ? O_PATH : O_RDONLY);
	r = fd < 0 ? MT_EIO : overlay_diff_load(fd, st, ret);
	return r == MT_ENOMEM ? out_of_memory(err)
	       : r ? fail(err, r, "cannot read %s: %s", c->path, strerror(errno))
		   : MT_OK;
}

static int overlay_diff_one(const struct overlay *o, const struct overlay_change *c,
			    const int real[OVERLAY_ROOTS_MAX], snapshots_diff_fn *fn,
			    void *arg, struct error *err)
{
	AUTO(snapshots_side) struct snapshots_side from = { 0 }, to = { 0 };
	AUTO(free) char *name = overlay_diff_name(o, c);

	if (!name)
		return out_of_memory(err);
	if (overlay_diff_read(real[c->root], c, &c->real, &from, err) ||
	    overlay_diff_read(o->roots[c->root].fd, c, &c->is, &to, err))
		return err->code;
	return from.exists || to.exists
		       ? snapshots_diff_sides(name, &from, &to, c->content, fn, arg, err)
		       : MT_OK;
}

int overlay_diff(const struct overlay *o, const struct overlay_changes *c,
		 snapshots_diff_fn *fn, void *arg, struct error *err)
{
	int real[OVERLAY_ROOTS_MAX], r = MT_OK;

	for (size_t i = 0; i < o->count; i++) {
		real[i] = open(o->roots[i].path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (real[i] < 0)
			r = fail(err, MT_EIO, "cannot open %s: %s", o->roots[i].path,
				 strerror(errno));
	}
	for (size_t i = 0; !r && i < c->count; i++)
		if (!c->list[i].same)
			r = overlay_diff_one(o, &c->list[i], real, fn, arg, err);
	for (size_t i = 0; i < o->count; i++)
		auto_close(&real[i]);
	return r;
}

/* ---- names ----------------------------------------------------------------------- */

/* A directory is named if it is new or gone. */
static bool overlay_is_named(const struct overlay_change *c)
{
	return !c->same && (c->content || overlay_diff_is_leaf(&c->is));
}

static void overlay_add_name(const struct overlay *o, const struct overlay_change *c,
			     bool back, struct snapshot_names *ret)
{
	const bool from = back ? c->is.st_mode : c->real.st_mode;
	const bool to = back ? c->real.st_mode : c->is.st_mode;
	const mode_t mode = c->is.st_mode ? c->is.st_mode : c->real.st_mode;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 17);
	AUTO(free) char *name = NULL;

	if (ret->count >= SNAPSHOT_NAMES_MAX) {
		ret->count++;
		return;
	}
	name = overlay_diff_name(o, c);
	strbuf_addf(&text, "%s%s%s",
		    from && to ? "~"
		    : to       ? "+"
			       : "-",
		    name ? name : "?", S_ISDIR(mode) ? "/" : "");
	snapshot_names_add(ret, text.len ? text.text : "?", NULL);
}

static bool overlay_is_git(const struct overlay_change *c)
{
	return c->root || strncmp(c->path, ".git/", 5) == 0;
}

void overlay_names(const struct overlay *o, const struct overlay_changes *c, bool back,
		   struct snapshots_changes *ret)
{
	*ret = (struct snapshots_changes){ 0 };
	for (int git = 0; git < 2; git++)
		for (size_t i = 0; i < c->count; i++)
			if (overlay_is_named(&c->list[i]) &&
			    overlay_is_git(&c->list[i]) == git)
				overlay_add_name(o, &c->list[i], back, &ret->names);
	ret->count = ret->names.count;
}
