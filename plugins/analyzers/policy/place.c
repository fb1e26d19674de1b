/* SPDX-License-Identifier: MIT
 *
 * place.c - normalizes and resolves paths. */
#include "place.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static void pop(struct strbuf *out)
{
	char *slash = strrchr(out->text, '/');

	strbuf_cut(out, slash ? (size_t)(slash - out->text) : 0);
}

/* Call `step` for each component except `.`. */
static int policy_place_each_part(const char *path,
				  int (*step)(void *, const char *, size_t), void *arg)
{
	int r = MT_OK;

	for (const char *p = path; !r && *p; p += strspn(p, "/")) {
		size_t n = strcspn(p, "/");

		if (n && !(n == 1 && *p == '.'))
			r = step(arg, p, n);
		p += n;
	}
	return r;
}

static bool is_parent(const char *part, size_t len)
{
	return len == 2 && part[0] == '.' && part[1] == '.';
}

static int clean_step(void *arg, const char *part, size_t len)
{
	struct strbuf *out = arg;

	if (is_parent(part, len)) {
		pop(out);
		return MT_OK;
	}
	strbuf_addc(out, '/');
	return strbuf_addn(out, part, len);
}

int place_clean(const char *path, const char *base, struct strbuf *out)
{
	int r = *path == '/' ? MT_OK : policy_place_each_part(base, clean_step, out);

	if (!r)
		r = policy_place_each_part(path, clean_step, out);
	return r || out->len ? r : strbuf_addc(out, '/');
}

struct resolving {
	struct place *place;
	struct strbuf *out;
	bool exists; /* the path so far exists */
};

static int resolve_step(void *arg, const char *part, size_t len)
{
	struct resolving *r = arg;
	char real[PATH_MAX];
	struct stat st;

	if (clean_step(r->out, part, len) || is_parent(part, len) || !r->exists)
		return r->out->error;
	if (r->place->lookups++ >= PLACE_LOOKUPS_MAX)
		return MT_ELIMIT;
	if (r->out->len >= PATH_MAX || lstat(r->out->text, &st) != 0) {
		r->exists = false;
		return MT_OK;
	}
	if (!S_ISLNK(st.st_mode))
		return MT_OK;
	if (!realpath(r->out->text, real)) {
		ssize_t n = readlink(r->out->text, real, sizeof real - 1);

		/* A link to a missing file: a write would create that file. */
		pop(r->out);
		if (n <= 0)
			return MT_ELIMIT;
		real[n] = '\0';
		if (*real == '/')
			strbuf_reset(r->out);
		r->exists = false;
		return policy_place_each_part(real, clean_step, r->out);
	}
	strbuf_reset(r->out);
	return strbuf_add(r->out, strcmp(real, "/") == 0 ? "" : real);
}

int place_resolve(struct place *p, const char *path, const char *base, struct strbuf *out)
{
	struct resolving state = { p, out, true };
	int r = *path == '/' ? MT_OK : policy_place_each_part(base, resolve_step, &state);

	if (!r)
		r = policy_place_each_part(path, resolve_step, &state);
	return r || out->len ? r : strbuf_addc(out, '/');
}

bool place_is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (!n)
		return false;
	if (n == 1)
		return *path == '/';
	return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool in_roots(const struct place *p, const char *path)
{
	for (size_t i = 0; p->roots && p->roots[i]; i++)
		if (place_is_below(path, p->roots[i]) && p->roots[i][1])
			return true;
	return false;
}

bool place_belongs(const struct place *p, const char *path)
{
	return place_is_below(path, p->workspace) || in_roots(p, path);
}

bool place_is_inside(const struct place *p, const char *resolved)
{
	return (place_is_below(resolved, p->real_workspace) && p->real_workspace[1]) ||
	       in_roots(p, resolved);
}

static int resolved(struct place *p, const char *path, char **ret)
{
	AUTO(strbuf) struct strbuf out = STRBUF(PLACE_PATH_MAX);
	int r = place_resolve(p, path, "/", &out);

	*ret = r ? NULL : strbuf_take(&out);
	return *ret ? MT_OK : r ? r : MT_ENOMEM;
}

int place_init(struct place *p, const char *workspace, const char *directory)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(PLACE_PATH_MAX);
	const char *home = getenv("HOME");
	int r = MT_OK;

	*p = (struct place){ 0 };
	if (*workspace)
		r = place_clean(workspace, "/", &clean);
	p->workspace = r ? NULL : strdup(clean.text);
	p->directory = r ? NULL : strdup(*directory == '/' ? directory : clean.text);
	if (!p->workspace || !p->directory)
		r = r ? r : MT_ENOMEM;
	if (!r && *workspace)
		r = resolved(p, workspace, &p->real_workspace);
	else if (!r)
		r = (p->real_workspace = strdup("")) ? MT_OK : MT_ENOMEM;
	if (!r && home && *home == '/' && home[1]) {
		strbuf_reset(&clean);
		r = place_clean(home, "/", &clean);
		p->home = r ? NULL : strdup(clean.text);
		r = !r && !p->home ? MT_ENOMEM : r ? r : resolved(p, home, &p->real_home);
	}
	p->lookups = 0;
	if (r)
		place_clear(p);
	return r;
}

void place_clear(struct place *p)
{
	free(p->workspace);
	free(p->directory);
	free(p->real_workspace);
	free(p->home);
	free(p->real_home);
	*p = (struct place){ 0 };
}
