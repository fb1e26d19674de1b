/* SPDX-License-Identifier: MIT
 *
 * paths.c - joins paths, finds the user's directories, checks their owner. */
#include "files.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *path_join(const char *a, const char *b)
{
	size_t len = strlen(a);
	struct strbuf path = STRBUF(1 << 20);

	if (*b == '/' || len == 0)
		return strdup(b);
	strbuf_add(&path, a);
	if (a[len - 1] != '/')
		strbuf_addc(&path, '/');
	strbuf_add(&path, b);
	return strbuf_take(&path);
}

bool path_is_in(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	while (len > 1 && dir[len - 1] == '/')
		len--;
	return len && strncmp(path, dir, len) == 0 &&
	       (path[len] == '/' || path[len] == '\0' || path[len - 1] == '/');
}

bool path_is_in_any(const char *path, char *const *dirs)
{
	for (size_t i = 0; dirs && dirs[i]; i++)
		if (path_is_in(path, dirs[i]))
			return true;
	return false;
}

bool path_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *path_find_program(const char *path, const char *name)
{
	for (const char *dir = path, *end; dir && *dir; dir = *end ? end + 1 : end) {
		AUTO(free) char *file = NULL;

		end = strchrnul(dir, ':');
		if (*dir != '/' ||
		    asprintf(&file, "%.*s/%s", (int)(end - dir), dir, name) < 0) {
			file = NULL;
			continue;
		}
		if (path_is_program(file))
			return STEAL(file);
	}
	return NULL;
}

char *path_expand(const char *path)
{
	const char *home = getenv("HOME");

	if (path[0] != '~' || (path[1] && path[1] != '/') || !home || !*home)
		return strdup(path);
	return path[1] ? path_join(home, path + 2) : strdup(home);
}

int path_abbreviate(struct strbuf *out, const char *path)
{
	const char *home = getenv("HOME");
	size_t len = home ? strlen(home) : 0;

	if (len > 1 && strncmp(path, home, len) == 0 && (!path[len] || path[len] == '/'))
		return strbuf_addf(out, "~%s", path + len);
	return strbuf_add(out, *path ? path : "-");
}

/* Our directory in a world-writable one must belong to us and be private. */
static int check_private(const char *path, struct error *err)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT
			       ? MT_OK
			       : fail(err, MT_EIO, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
		return fail(
			err, MT_EDENIED,
			"%s must be a directory that belongs to you and has mode 0700; "
			"remove it, or set XDG_RUNTIME_DIR",
			path);
	return MT_OK;
}

/* systemd's directory for each user: other users cannot create it. */
static bool find_run_user(struct strbuf *path)
{
	struct stat st;

	if (strbuf_addf(path, "/run/user/%lu", (unsigned long)geteuid()) ||
	    lstat(path->text, &st) != 0 || !S_ISDIR(st.st_mode) ||
	    st.st_uid != geteuid() || (st.st_mode & 077)) {
		strbuf_cut(path, 0);
		return false;
	}
	return strbuf_add(path, "/mortise") == MT_OK;
}

/* The first, in order of names, of the directories BASE/NAME-XXXXXX that this user owns, so
 * that each process finds the same one. */
static int find_other(const char *base, const char *name, struct strbuf *path)
{
	size_t len = strlen(name);
	DIR *dir = opendir(base);
	struct dirent *d;

	strbuf_reset(path);
	while (dir && (d = readdir(dir))) {
		AUTO(strbuf) struct strbuf found = STRBUF(PATH_MAX);
		struct stat st;

		if (strncmp(d->d_name, name, len) != 0 || d->d_name[len] != '-' ||
		    strbuf_addf(&found, "%s/%s", base, d->d_name) ||
		    (path->len && strcmp(found.text, path->text) > 0))
			continue;
		if (lstat(found.text, &st) == 0 && !check_private(found.text, NULL)) {
			strbuf_reset(path);
			strbuf_add(path, found.text);
		}
	}
	if (dir)
		closedir(dir);
	return path->len ? MT_OK : MT_ENOTFOUND;
}

/* The default name is taken by another user or by a link. */
static int other_private(const char *base, const char *name, bool make,
			 struct strbuf *path, struct error *err)
{
	char made[PATH_MAX];
	int len = snprintf(made, sizeof made, "%s/%s-XXXXXX", base, name);

	if (find_other(base, name, path) == MT_OK)
		return MT_OK;
	if (!make || len < 0 || (size_t)len >= sizeof made)
		return MT_EDENIED;
	if (!mkdtemp(made))
		return fail(err, MT_EIO, "cannot create %s: %s", made, strerror(errno));
	return find_other(base, name, path);
}

static int runtime_fallback(bool make, struct strbuf *path, struct error *err)
{
	const char *base = getenv("TMPDIR");
	char name[64];

	if (find_run_user(path))
		return make ? dir_make(path->text, err) : MT_OK;
	base = base && *base == '/' ? base : "/tmp";
	snprintf(name, sizeof name, "mortise-%lu", (unsigned long)geteuid());
	if (strbuf_addf(path, "%s/%s", base, name))
		return fail_code(err, path->error);
	if (make && mkdir(path->text, 0700) != 0 && errno != EEXIST)
		return fail(err, MT_EIO, "cannot create %s: %s", path->text,
			    strerror(errno));
	return check_private(path->text, err) ? other_private(base, name, make, path, err)
					      : MT_OK;
}

static int find_xdg(const char *which, struct strbuf *path, struct error *err)
{
	static const struct {
		const char *which, *variable, *below_home;
	} dirs[] = {
		{ "CONFIG", "XDG_CONFIG_HOME", ".config" },
		{ "STATE", "XDG_STATE_HOME", ".local/state" },
		{ "CACHE", "XDG_CACHE_HOME", ".cache" },
		{ "DATA", "XDG_DATA_HOME", ".local/share" },
		{ "RUNTIME", "XDG_RUNTIME_DIR", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		const char *set, *home = getenv("HOME");

		if (strcmp(dirs[i].which, which) != 0)
			continue;
		set = getenv(dirs[i].variable);
		if (set && *set == '/') /* XDG: a relative path is ignored */
			return strbuf_addf(path, "%s/mortise", set);
		if (!dirs[i].below_home)
			return MT_OK;
		if (!home || *home != '/')
			return fail(err, MT_EINVAL, "HOME is not set; set it, or %s",
				    dirs[i].variable);
		return strbuf_addf(path, "%s/%s/mortise", home, dirs[i].below_home);
	}
	return fail(err, MT_EINVAL, "unknown type of directory: %s", which);
}

int paths_xdg_dir(const char *which, bool make, char **ret_path, struct error *err)
{
	AUTO(strbuf) struct strbuf path = STRBUF(PATH_MAX);
	struct error why = ERROR_NONE;
	int status = find_xdg(which, &path, &why);

	if (!status && path.len == 0)
		status = runtime_fallback(make, &path, &why);
	else if (!status && make)
		status = dir_make_durable(path.text, &why);
	if (status)
		return fail(err, status, "%s directory: %s", which,
			    why.code ? why.text : status_name(status));

	char *taken = strbuf_take(&path);

	if (!taken)
		return out_of_memory(err);
	*ret_path = taken;
	return MT_OK;
}

static bool one_is_safe(const char *path, struct error *err)
{
	struct stat st;

	if (stat(path, &st) != 0)
		fail(err, errno == ENOENT ? MT_ENOTFOUND : MT_EIO, "%s: %s", path,
		     strerror(errno));
	else if (st.st_uid != 0 && st.st_uid != geteuid())
		fail(err, MT_EDENIED, "%s belongs to another user", path);
	else if (st.st_mode & 022)
		fail(err, MT_EDENIED,
		     "%s is writable by other users; run chmod go-w on it", path);
	else
		return true;
	return false;
}

bool path_is_safe(const char *path, struct error *err)
{
	AUTO(free) char *real = realpath(path, NULL);

	if (!real) {
		fail(err, errno == ENOENT ? MT_ENOTFOUND : MT_EIO, "%s: %s", path,
		     strerror(errno));
		return false;
	}
	if (!one_is_safe(real, err))
		return false;

	char *slash = strrchr(real, '/');

	slash[slash == real] = '\0';
	return one_is_safe(real, err);
}

int paths_open_runtime_dir(bool make, int *ret, char **ret_path, struct error *err)
{
	AUTO(free) char *path = NULL;
	AUTO(close) int dir = -1;
	struct stat st;
	int r = paths_xdg_dir("RUNTIME", make, &path, err);

	if (r)
		return r;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || fstat(dir, &st) < 0)
		return fail(err, errno == ENOENT ? MT_ENOTFOUND : MT_EIO, "%s: %s", path,
			    strerror(errno));
	if (st.st_uid != geteuid() || (st.st_mode & 077))
		return fail(err, MT_EDENIED,
			    "%s: must be a directory that only you can access; run chmod "
			    "700 on it, or set XDG_RUNTIME_DIR",
			    path);
	*ret = dir;
	dir = -1;
	if (ret_path)
		*ret_path = STEAL(path);
	return MT_OK;
}
