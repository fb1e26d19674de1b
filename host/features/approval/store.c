/* SPDX-License-Identifier: MIT
 *
 * store.c - one JSON file for each project, STATE/approvals/HASH.json, named by
 * the hash of the real path of the workspace. */
#include "features/approval/store.h"

#include "digest.h"
#include "features/approval/scope.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

enum { STORE_MAX = 16 << 20 };

struct store {
	char *dir, *path, *workspace;
	int lock;            /* -1: reading needs no lock, because the file is replaced
			      * as a whole */
};

static void store_clear(struct store *s)
{
	free(s->dir);
	free(s->path);
	free(s->workspace);
	auto_close(&s->lock);
}

static int approval_store_find(const struct config *c, const char *workspace,
			       struct store *s, struct error *err)
{
	AUTO(free) char *state = NULL;
	const char *set = config_get(c, "core", "state_dir");
	char hash[SHA256_HEX], name[SHA256_HEX + 8];

	*s = (struct store){ .lock = -1 };
	s->workspace = realpath(workspace, NULL);
	if (!s->workspace)
		return fail(err, MT_ENOTFOUND, "cannot find the project %s: %s",
			    workspace, strerror(errno));
	if (digest_sha256_hex(s->workspace, strlen(s->workspace), hash))
		return fail(err, MT_EUNSUPPORTED,
			    "cannot compute SHA-256: libcrypto is not "
			    "available");
	snprintf(name, sizeof name, "%s.json", hash);
	if (set && *set)
		state = path_expand(set);
	else if (paths_xdg_dir("STATE", true, &state, err))
		return err->code;
	s->dir = state ? path_join(state, "approvals") : NULL;
	s->path = s->dir ? path_join(s->dir, name) : NULL;
	return s->path ? MT_OK : out_of_memory(err);
}

/* ---- reading ------------------------------------------------------------------------ */

static bool is_scope(json_object *o)
{
	json_object *items = js_get(o, "items");

	return *js_str(o, "text", "") && json_object_is_type(items, json_type_array);
}

/* The list in the file; `whole` (owned) contains it. */
static int parse(const struct store *s, const char *text, size_t len, json_object **ret,
		 struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(json) json_object *whole = js_parse_object(text, len, &why);
	json_object *list = js_get(whole, "approvals");

	if (!whole)
		return fail(err, MT_EINVAL, "%s: %s", s->path, why.text);
	if (!json_object_is_type(list, json_type_array) ||
	    json_object_array_length(list) > APPROVALS_MAX ||
	    strcmp(js_str(whole, "workspace", ""), s->workspace) != 0)
		return fail(err, MT_EINVAL, "%s: not a list of approvals of %s", s->path,
			    s->workspace);
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (!is_scope(json_object_array_get_idx(list, i)))
			return fail(err, MT_EINVAL, "%s: entry %zu is not an approval",
				    s->path, i + 1);
	*ret = json_object_get(list);
	return MT_OK;
}

static json_object *approval_store_read_list(const struct store *s, struct error *err)
{
	AUTO(free) char *text = NULL;
	struct error why = ERROR_NONE;
	json_object *list = NULL;
	size_t len;
	int r;

	if (access(s->path, F_OK) < 0 && errno == ENOENT)
		r = MT_ENOTFOUND;
	else if (!path_is_safe(s->path, err))
		return NULL;
	else
		r = file_read(s->path, STORE_MAX, &text, &len, &why);
	if (r == MT_ENOTFOUND)
		return json_object_new_array();
	if (r)
		fail(err, r, "%s", why.text);
	else
		parse(s, text, len, &list, err);
	return list;
}

json_object *approvals_read(const struct config *c, const char *workspace,
			    struct error *err)
{
	json_object *list = NULL;
	struct store s;

	if (!approval_store_find(c, workspace, &s, err))
		list = approval_store_read_list(&s, err);
	store_clear(&s);
	return list;
}

/* ---- writing ------------------------------------------------------------------------ */

static int approval_store_lock(struct store *s, struct error *err)
{
	AUTO(free) char *path = path_join(s->dir, "lock");

	if (!path)
		return out_of_memory(err);
	if (dir_make_durable(s->dir, err))
		return err->code;
	s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lock < 0)
		return fail(err, MT_EIO, "cannot open %s: %s", path, strerror(errno));
	while (flock(s->lock, LOCK_EX) < 0)
		if (errno != EINTR)
			return fail(err, MT_EIO, "cannot lock %s: %s", path,
				    strerror(errno));
	return MT_OK;
}

static int approval_store_write_list(const struct store *s, json_object *list,
				     struct error *err)
{
	AUTO(json) json_object *whole = json_object_new_object();
	const char *text;
	size_t len;

	if (js_set_str(whole, "workspace", s->workspace) ||
	    js_set(whole, "approvals", json_object_get(list)))
		return out_of_memory(err);
	text = js_text(whole, &len);
	return text ? file_write(s->path, text, len, 0600, true, err)
		    : out_of_memory(err);
}

static json_object *dated(json_object *scope, const char *conversation)
{
	AUTO(json) json_object *o = json_object_new_object();
	time_t now = time(NULL);
	struct tm tm;
	char when[32];

	gmtime_r(&now, &tm);
	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (js_set_str(o, "text", js_str(scope, "text", "")) ||
	    js_set(o, "items", json_object_get(js_get(scope, "items"))) ||
	    js_set_str(o, "granted", when) || js_set_str(o, "conversation", conversation))
		return NULL;
	return STEAL(o);
}

static int approval_store_add(json_object *list, json_object *scope,
			      const char *conversation, struct error *err)
{
	json_object *one;

	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (js_equal(js_get(json_object_array_get_idx(list, i), "items"),
			     js_get(scope, "items")))
			return MT_OK;
	if (json_object_array_length(list) >= APPROVALS_MAX)
		return fail(err, MT_ELIMIT,
			    "this project already has %d approvals; revoke some with "
			    "`mortise policy revoke`",
			    APPROVALS_MAX);
	one = dated(scope, conversation);
	if (one && !js_add(list, one))
		return MT_OK;
	json_object_put(one);
	return out_of_memory(err);
}

/* Read the list of a project to change it. */
static int open_list(const struct config *c, const char *workspace, struct store *s,
		     json_object **ret, struct error *err)
{
	int r = approval_store_find(c, workspace, s, err);

	if (!r)
		r = approval_store_lock(s, err);
	if (!r && !(*ret = approval_store_read_list(s, err)))
		r = err->code;
	return r;
}

int approvals_keep(const struct config *c, const char *workspace, json_object *scope,
		   const char *conversation, struct error *err)
{
	AUTO(json) json_object *list = NULL;
	struct store s;
	int r = open_list(c, workspace, &s, &list, err);

	if (!r)
		r = approval_store_add(list, scope, conversation, err);
	if (!r)
		r = approval_store_write_list(&s, list, err);
	store_clear(&s);
	return r;
}

static size_t approval_store_place_of(json_object *list, const char *text)
{
	size_t n = 0;

	while (n < json_object_array_length(list) &&
	       strcmp(js_str(json_object_array_get_idx(list, n), "text", ""), text) != 0)
		n++;
	return n;
}

int approvals_remove(json_object *list, json_object *texts, struct error *err)
{
	size_t count = json_object_array_length(texts);

	for (size_t i = 0; i < count; i++) {
		const char *text =
			json_object_get_string(json_object_array_get_idx(texts, i));

		if (approval_store_place_of(list, text) == json_object_array_length(list))
			return fail(err, MT_ENOTFOUND, "unknown approval `%.300s`", text);
	}
	for (size_t i = 0; i < count; i++) {
		const char *text =
			json_object_get_string(json_object_array_get_idx(texts, i));
		size_t n = approval_store_place_of(list, text);

		if (n < json_object_array_length(list))
			json_object_array_del_idx(list, n, 1);
	}
	return MT_OK;
}

int approvals_revoke(const struct config *c, const char *workspace, json_object *texts,
		     struct error *err)
{
	AUTO(json) json_object *list = NULL;
	struct store s;
	int r = open_list(c, workspace, &s, &list, err);

	if (!r)
		r = approvals_remove(list, texts, err);
	if (!r)
		r = approval_store_write_list(&s, list, err);
	store_clear(&s);
	return r;
}
