/* SPDX-License-Identifier: MIT
 *
 * overlay.c - the directory of an overlay: what it covers, and what it has stored. */
#include "overlay/overlay.h"

#include "files.h"
#include "js.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { LIST_MAX = 1 << 16, ATTRIBUTES_MAX = 1 << 16 };

static const char list_name[] = "roots.json", base_name[] = "base";

/* ---- names ----------------------------------------------------------------------- */

static char *overlay_part(const char *dir, size_t n, const char *name)
{
	char part[64];

	snprintf(part, sizeof part, "%zu%s%s", n, *name ? "/" : "", name);
	return path_join(dir, part);
}

void overlay_clear(struct overlay *o)
{
	for (size_t i = 0; i < o->count; i++) {
		free(o->roots[i].path);
		free(o->roots[i].upper);
		auto_close(&o->roots[i].fd);
	}
	auto_close(&o->user);
	auto_close(&o->mount);
	free(o->dir);
	*o = OVERLAY_NONE;
}

static int overlay_add_root(struct overlay *o, const char *path, struct error *err)
{
	struct overlay_root *root = &o->roots[o->count];

	if (o->count == OVERLAY_ROOTS_MAX)
		return fail(err, MT_ELIMIT, "an overlay covers at most %d directories",
			    OVERLAY_ROOTS_MAX);
	*root = (struct overlay_root){
		.path = strdup(path), .upper = overlay_part(o->dir, o->count, "upper"),
		.fd = -1,
	};
	o->count++;
	return root->path && root->upper ? MT_OK : out_of_memory(err);
}

/* ---- the list -------------------------------------------------------------------- */

bool overlay_exists(const char *dir)
{
	AUTO(free) char *path = path_join(dir, list_name);

	return path && access(path, F_OK) == 0;
}

static int overlay_read_list(struct overlay *o, struct error *err)
{
	AUTO(free) char *path = path_join(o->dir, list_name), *text = NULL;
	AUTO(json) json_object *whole = NULL;
	size_t len;
	json_object *list;
	int r;

	if (!path)
		return out_of_memory(err);
	if (file_read(path, LIST_MAX, &text, &len, err))
		return err->code;
	whole = js_parse_object(text, len, err);
	if (!whole)
		return err->code;
	list = js_get(whole, "roots");
	r = js_length(list) ? MT_OK : fail(err, MT_EINVAL, "%s lists no directory", path);
	for (size_t i = 0; !r && i < js_length(list); i++)
		r = overlay_add_root(o,
				     json_object_get_string(
					     json_object_array_get_idx(list, i)),
				     err);
	return r;
}

static int overlay_write_list(const struct overlay *o, struct error *err)
{
	AUTO(free) char *path = path_join(o->dir, list_name);
	AUTO(json) json_object *whole = js_new_object();
	json_object *list = js_new_list();
	const char *text;
	size_t len;

	for (size_t i = 0; i < o->count; i++)
		js_add_new(list, json_object_new_string(o->roots[i].path));
	js_set(whole, "roots", list);
	text = js_text(whole, &len);
	if (!path || !text)
		return out_of_memory(err);
	return file_write(path, text, len, 0600, true, err);
}

/* ---- creating -------------------------------------------------------------------- */

/* The upper directory gives the covered one its mode, time and attributes. */
static int overlay_imitate(const char *path, const char *upper, struct error *err)
{
	char names[ATTRIBUTES_MAX], value[ATTRIBUTES_MAX];
	ssize_t len = listxattr(path, names, sizeof names), size;
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	struct stat st;

	for (char *name = names; len > 0 && name < names + len; name += strlen(name) + 1)
		if (strncmp(name, "user.", 5) == 0 &&
		    (size = getxattr(path, name, value, sizeof value)) >= 0)
			setxattr(upper, name, value, (size_t)size, 0);
	if (stat(path, &st) == 0) {
		times[1] = st.st_mtim;
		if (chmod(upper, st.st_mode & 07777) == 0 &&
		    utimensat(AT_FDCWD, upper, times, 0) == 0)
			return MT_OK;
	}
	return fail(err, MT_EIO, "cannot prepare an overlay of %s: %s", path,
		    strerror(errno));
}

static int overlay_make_part(const struct overlay *o, size_t n, struct error *err)
{
	AUTO(free) char *part = overlay_part(o->dir, n, "");
	AUTO(free) char *work = overlay_part(o->dir, n, "work");
	AUTO(free) char *old = path_join(o->dir, "old");

	if (!part || !work || !old)
		return out_of_memory(err);
	/* Either all of the changes are gone or none, even if this process is killed. */
	if (access(old, F_OK) == 0 && dir_remove(old, err))
		return err->code;
	if (rename(part, old) == 0 ? dir_remove(old, err) : errno != ENOENT)
		return fail(err, MT_EIO, "cannot remove %s: %s", part, strerror(errno));
	if (dir_make(o->roots[n].upper, err) || dir_make(work, err))
		return err->code;
	return overlay_imitate(o->roots[n].path, o->roots[n].upper, err);
}

int overlay_set_base(const struct overlay *o, struct error *err)
{
	AUTO(free) char *path = path_join(o->dir, base_name);

	return path ? file_write(path, "", 0, 0600, true, err) : out_of_memory(err);
}

struct timespec overlay_base(const struct overlay *o)
{
	AUTO(free) char *path = path_join(o->dir, base_name);
	struct stat st;

	return path && stat(path, &st) == 0 ? st.st_mtim : (struct timespec){ 0 };
}

/* Discarding was interrupted. */
static int overlay_complete(const struct overlay *o, struct error *err)
{
	int r = MT_OK;

	for (size_t i = 0; !r && i < o->count; i++)
		if (access(o->roots[i].upper, F_OK) != 0)
			r = overlay_make_part(o, i, err);
	return r;
}

static int overlay_create(struct overlay *o, char *const *roots, struct error *err)
{
	int r = dir_make(o->dir, err);

	for (size_t i = 0; !r && roots[i]; i++)
		r = overlay_add_root(o, roots[i], err);
	for (size_t i = 0; !r && i < o->count; i++)
		r = overlay_make_part(o, i, err);
	if (!r)
		r = overlay_set_base(o, err);
	return r ? r : overlay_write_list(o, err);
}

/* What was added to the conversation since. */
static int overlay_extend(struct overlay *o, char *const *roots, struct error *err)
{
	size_t before = o->count;
	int r = MT_OK;

	for (size_t i = 0; !r && roots && roots[i]; i++) {
		bool covered = false;

		for (size_t k = 0; !r && k < o->count; k++) {
			covered = covered || path_is_in(roots[i], o->roots[k].path);
			if (!covered && path_is_in(o->roots[k].path, roots[i]))
				r = fail(
					err, MT_EUNSUPPORTED,
					"the overlay cannot cover %s, which contains %s: "
					"apply or discard the changes, and start a new "
					"conversation",
					roots[i], o->roots[k].path);
		}
		if (r || covered)
			continue;
		r = overlay_add_root(o, roots[i], err);
		if (!r)
			r = overlay_make_part(o, o->count - 1, err);
	}
	return !r && o->count > before ? overlay_write_list(o, err) : r;
}

int overlay_open(const char *dir, char *const *roots, struct overlay *ret,
		 struct error *err)
{
	int r;

	*ret = OVERLAY_NONE;
	ret->dir = strdup(dir);
	if (!ret->dir)
		r = out_of_memory(err);
	else if (overlay_exists(dir)) {
		r = overlay_read_list(ret, err) ? err->code : overlay_complete(ret, err);
		if (!r)
			r = overlay_extend(ret, roots, err);
	} else
		r = overlay_create(ret, roots, err);
	if (!r)
		r = overlay_mount(ret, false, err);
	if (r)
		overlay_clear(ret);
	return r;
}

int overlay_adopt(const char *dir, int first, struct overlay *ret, struct error *err)
{
	int r;

	*ret = OVERLAY_NONE;
	ret->dir = strdup(dir);
	r = ret->dir ? overlay_read_list(ret, err) : out_of_memory(err);
	if (!r) {
		ret->user = first;
		ret->mount = first + 1;
		for (size_t i = 0; i < ret->count; i++)
			ret->roots[i].fd = first + 2 + (int)i;
		for (int fd = first; fd < first + 2 + (int)ret->count; fd++)
			if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
				r = fail(err, MT_EIO,
					 "the overlay of the parent is missing");
	}
	if (r)
		overlay_clear(ret);
	return r;
}

int overlay_view(const char *dir, struct overlay *ret, struct error *err)
{
	int r;

	*ret = OVERLAY_NONE;
	if (!overlay_exists(dir))
		return fail(err, MT_ENOTFOUND, "%s has no overlay", dir);
	ret->dir = strdup(dir);
	r = ret->dir ? overlay_read_list(ret, err) : out_of_memory(err);
	if (!r)
		r = overlay_mount(ret, true, err);
	if (r)
		overlay_clear(ret);
	return r;
}

int overlay_probe(const char *dir, struct error *err)
{
	AUTO(free) char *own = NULL, *lower = NULL, *state = NULL;
	struct overlay o = OVERLAY_NONE;
	int r;

	if (asprintf(&own, "%s/.overlay-%d", dir, (int)getpid()) < 0) {
		own = NULL;
		return out_of_memory(err);
	}
	lower = path_join(own, "lower");
	state = path_join(own, "state");
	if (!lower || !state)
		return out_of_memory(err);
	r = dir_make(lower, err);
	if (!r)
		r = overlay_open(state, (char *[]){ lower, NULL }, &o, err);
	overlay_clear(&o);
	dir_remove(own, NULL);
	return r;
}

/* ---- using it -------------------------------------------------------------------- */

char *overlay_path(const struct overlay *o, const char *path, int *ret_fd)
{
	char *inner = NULL;

	*ret_fd = -1;
	for (size_t i = 0; i < o->count; i++) {
		size_t len = strlen(o->roots[i].path);

		if (strncmp(path, o->roots[i].path, len) != 0 ||
		    (path[len] != '/' && path[len] != '\0'))
			continue;
		*ret_fd = o->roots[i].fd;
		return asprintf(&inner, "/proc/self/fd/%d%s", o->roots[i].fd,
				path + len) < 0
			       ? NULL
			       : inner;
	}
	return strdup(path);
}

int overlay_discard(const char *dir, struct error *err)
{
	struct overlay o = OVERLAY_NONE;
	int r;

	o.dir = strdup(dir);
	r = o.dir ? overlay_read_list(&o, err) : out_of_memory(err);
	for (size_t i = 0; !r && i < o.count; i++)
		r = overlay_make_part(&o, i, err);
	if (!r)
		r = overlay_set_base(&o, err);
	overlay_clear(&o);
	return r;
}
