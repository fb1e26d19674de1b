/* SPDX-License-Identifier: MIT
 *
 * apply.c - applies a patch to files. Each is written to a temporary file and renamed;
 * if one cannot be written, the previous ones are restored. */
#include "apply.h"

#include "error.h"
#include "files.h"
#include "text/tool-ignore.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

struct place {
	const char *workspace;
	size_t len; /* of `workspace` */
};

static int apply_refuse(struct strbuf *why, int status, const char *path,
			const char *reason)
{
	strbuf_addf(why, "%s: %s", path, reason);
	return status;
}

static bool climbs(const char *path)
{
	for (const char *p = path; *p; p += strcspn(p, "/"), p += *p == '/')
		if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || !p[2]))
			return true;
	return false;
}

/* Resolve symbolic links in the existing part of a path, and remove empty components from
 * the rest. @return owned, NULL: see errno */
static char *without_links(const char *path)
{
	AUTO(free) char *head = strdup(path);
	char *end = head ? head + strlen(head) : NULL, *real = NULL;
	AUTO(strbuf) struct strbuf out = STRBUF(PATH_MAX);

	errno = ENOMEM;
	while (end && end > head && !(real = realpath(head, NULL)) && errno == ENOENT) {
		while (end > head && *--end != '/')
			;
		*end = '\0';
	}
	if (!real)
		return NULL;
	strbuf_add(&out, real);
	free(real);
	for (const char *p = path + (end - head); *p; p += strcspn(p, "/")) {
		size_t n;

		p += strspn(p, "/");
		n = strcspn(p, "/");
		if (n && !(n == 1 && *p == '.') && strbuf_addc(&out, '/') == MT_OK)
			strbuf_addn(&out, p, n);
	}
	errno = ENAMETOOLONG;
	return out.error ? NULL : strbuf_take(&out);
}

static bool patch_apply_is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 &&
	       (path[len] == '/' || (len && dir[len - 1] == '/'));
}

/* The file for a path in the patch: in the workspace, symbolic links resolved, so that
 * each file has one name. @return owned, or NULL with the reason. */
static char *patch_apply_file_of(const struct place *w, const char *path,
				 struct strbuf *why)
{
	AUTO(free) char *whole = NULL, *top = NULL, *real = NULL;

	if (path[0] == '/' && strncmp(path, w->workspace, w->len) == 0 &&
	    path[w->len] == '/')
		path += w->len + 1;
	if (path[0] == '/' || climbs(path)) {
		apply_refuse(why, MT_EDENIED, path,
			     "paths of a patch must be inside the workspace and must "
			     "not contain `..`");
		return NULL;
	}
	whole = path_join(w->workspace, path);
	top = whole ? realpath(w->workspace, NULL) : NULL;
	real = top ? without_links(whole) : NULL;
	if (!real) {
		apply_refuse(why, MT_EIO, path,
			     whole ? strerror(errno) : status_name(MT_ENOMEM));
	} else if (!patch_apply_is_below(real, top)) {
		apply_refuse(why, MT_EDENIED, path,
			     "a symbolic link leads outside the workspace");
		return NULL;
	}
	if (real && tool_ignore_has(real)) {
		apply_refuse(why, MT_EDENIED, path,
			     "the user does not allow tools to read or change it: it "
			     "matches `.mortise/ignore`");
		return NULL;
	}
	return STEAL(real);
}

static int apply_load(void *arg, const char *path, struct strbuf *ret, struct strbuf *why)
{
	AUTO(free) char *file = patch_apply_file_of(arg, path, why);
	AUTO(close) int fd = -1;
	char buffer[65536];
	struct stat st;
	ssize_t n;

	if (!file)
		return MT_EDENIED;
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? MT_ENOTFOUND
			       : apply_refuse(why, MT_EDENIED, path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return apply_refuse(why, MT_EINVAL, path, "not a regular file");
	if (st.st_size > PATCH_FILE_MAX)
		return apply_refuse(why, MT_ELIMIT, path,
				    "the file is too large for a patch");
	while ((n = read(fd, buffer, sizeof buffer)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return apply_refuse(why, MT_EIO, path, strerror(errno));
		if (strbuf_addn(ret, buffer, (size_t)n))
			return apply_refuse(why, ret->error, path,
					    "the file is too large");
	}
	return MT_OK;
}

/* ---- writing ----------------------------------------------------------- */

/* Create the parent directories of a new file, like `mkdir -p`. */
static int patch_apply_make_parents(char *file)
{
	for (char *p = strchr(file + 1, '/'); p; p = strchr(p + 1, '/')) {
		int r;

		*p = '\0';
		r = mkdir(file, 0777);
		*p = '/';
		if (r && errno != EEXIST)
			return MT_EIO;
	}
	return MT_OK;
}

static mode_t new_mode(void)
{
	mode_t mask = umask(022);

	umask(mask);
	return 0666 & ~mask;
}

static int apply_put(char *file, const struct strbuf *text, const char *like,
		     struct error *err)
{
	struct stat st;
	mode_t mode = stat(like, &st) == 0 ? st.st_mode & 07777 : new_mode();

	if (patch_apply_make_parents(file))
		return fail(err, MT_EIO, "%s", strerror(errno));
	return file_write(file, text->text, text->len, mode, false, err);
}

static int patch_apply_drop(const char *file, struct error *err)
{
	return unlink(file) == 0 ? MT_OK : fail(err, MT_EIO, "%s", strerror(errno));
}

struct step {
	char *file, *target; /* target: new path, or NULL */
	bool written, dropped;
};

static int take_step(const struct patch_change *c, struct step *s, struct error *err)
{
	char *to = s->target ? s->target : s->file;
	int r = MT_OK;

	if (c->kind != PATCH_DELETE) {
		r = apply_put(to, &c->text, s->file, err);
		s->written = r == MT_OK;
	}
	if (!r && (c->kind == PATCH_DELETE || (s->target && strcmp(to, s->file) != 0))) {
		r = patch_apply_drop(s->file, err);
		s->dropped = r == MT_OK;
	}
	return r;
}

static void patch_apply_take_back(const struct patch_change *c, struct step *s)
{
	bool moved = s->target && strcmp(s->target, s->file) != 0;

	if (s->dropped || (s->written && c->kind == PATCH_UPDATE && !moved))
		apply_put(s->file, &c->old, s->written && moved ? s->target : s->file,
			  NULL);
	if (s->written && (c->kind == PATCH_ADD || moved))
		unlink(s->target ? s->target : s->file);
}

static bool patch_apply_is_taken(const struct step *steps, size_t count, const char *file)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(steps[i].file, file) == 0 ||
		    (steps[i].target && strcmp(steps[i].target, file) == 0))
			return true;
	return false;
}

static int patch_apply_resolve(const struct place *w, struct patch *p, struct step *steps)
{
	struct stat st;

	for (size_t i = 0; i < p->count; i++) {
		struct patch_change *c = &p->changes[i];
		struct step *s = &steps[i];

		s->file = patch_apply_file_of(w, c->path, &p->why);
		if (s->file && c->move_to)
			s->target = patch_apply_file_of(w, c->move_to, &p->why);
		if (!s->file || (c->move_to && !s->target))
			return MT_EDENIED;
		if (patch_apply_is_taken(steps, i, s->file) ||
		    (s->target && patch_apply_is_taken(steps, i, s->target)))
			return apply_refuse(
				&p->why, MT_EINVAL, c->move_to ? c->move_to : c->path,
				"two parts of the patch change the same file; use one "
				"part per file");
		if (s->target && strcmp(s->target, s->file) != 0 &&
		    lstat(s->target, &st) == 0)
			return apply_refuse(&p->why, MT_EEXIST, c->move_to,
					    "the target file already exists");
	}
	return MT_OK;
}

int patch_files(const char *workspace, const char *text, size_t len, struct patch *ret)
{
	struct place w = { .workspace = workspace, .len = strlen(workspace) };
	struct step *steps = NULL;
	struct error err = ERROR_NONE;
	int r = patch_apply(text, len, apply_load, &w, ret);

	if (!r) {
		steps = calloc(ret->count + 1, sizeof *steps);
		r = steps ? patch_apply_resolve(&w, ret, steps) : MT_ENOMEM;
	}
	for (size_t i = 0; i < ret->count && !r; i++) {
		r = take_step(&ret->changes[i], &steps[i], &err);
		if (!r)
			continue;
		apply_refuse(&ret->why, r, ret->changes[i].path, err.text);
		strbuf_add(&ret->why, ". Nothing was changed.");
		do
			patch_apply_take_back(&ret->changes[i], &steps[i]);
		while (i-- > 0);
		break;
	}
	for (size_t i = 0; steps && i < ret->count; i++) {
		free(steps[i].file);
		free(steps[i].target);
	}
	free(steps);
	return r;
}
