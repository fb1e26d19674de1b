/* SPDX-License-Identifier: MIT
 *
 * meta.c - ids, directories and meta.json of conversations. */
#include "conversation/meta.h"

#include "conversation/conversation.h"
#include "files.h"

#include <config.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

enum { META_FORMAT = 1, META_MAX = 4 << 20, ID_MAX = 64 };

char *meta_new_id(void)
{
	AUTO(strbuf) struct strbuf id = STRBUF(ID_MAX);
	unsigned random = 0;
	time_t now = time(NULL);
	struct tm tm;
	char date[32];

	if (getrandom(&random, sizeof random, 0) != sizeof random)
		random = (unsigned)now ^ (unsigned)getpid() << 16;
	strftime(date, sizeof date, "%Y%m%d-%H%M%S", gmtime_r(&now, &tm));
	strbuf_addf(&id, "%s-%08x", date, random);
	return strbuf_take(&id);
}

int meta_set_parent(json_object *meta, const struct conversation_options *o)
{
	bool failed = js_set_str(meta, "parent", o->parent) ||
		      js_set_str(meta, "place", o->place ? o->place : "") ||
		      js_set_int(meta, "depth", o->depth);

	return failed ? MT_ENOMEM : MT_OK;
}

int meta_write(const char *dir, const char *id, const char *title, const char *workspace,
	       json_object *spec, const struct conversation_options *options,
	       const struct mask *mask, struct error *err)
{
	AUTO(json) json_object *o = json_object_new_object();
	AUTO(free) char *path = path_join(dir, "meta.json");
	char now[32];
	const char *text;
	size_t len;
	bool failed;

	event_timestamp_now(now);
	failed = js_set_int(o, "format", META_FORMAT) || js_set_str(o, "id", id) ||
		 js_set_str(o, "title", title) || js_set_str(o, "workspace", workspace) ||
		 js_set_str(o, "created", now) || js_set_str(o, "version", VERSION) ||
		 (options && options->parent && meta_set_parent(o, options));
	if (js_set(o, "spec", spec) || failed)
		return out_of_memory(err);
	if ((mask && mask_json(mask, o, NULL, NULL)) || !path)
		return out_of_memory(err);
	text = js_text(o, &len);
	if (!text)
		return out_of_memory(err);
	return file_write(path, text, len, 0600, true, err);
}

int meta_change(struct evlog *log, const char *title, json_object *spec,
		const struct mask *mask, struct error *err)
{
	AUTO(json) json_object *o = meta_read(evlog_dir(log), err);
	AUTO(free) char *path = path_join(evlog_dir(log), "meta.json");
	bool unsynced = false;
	const char *text;
	size_t len;
	int status;

	if (!o) {
		json_object_put(spec);
		return err->code;
	}
	if ((spec && js_set(o, "spec", spec)) ||
	    (title && js_set_str(o, "title", title)) ||
	    (mask && mask_json(mask, o, NULL, NULL)) || !path)
		return out_of_memory(err);
	text = js_text(o, &len);
	if (!text)
		return out_of_memory(err);
	status = file_write_durable(path, text, len, 0600, &unsynced, err);
	return unsynced ? evlog_lose(log, "meta.json", EIO, err) : status;
}

/* The log does not depend on the file, so that its events can be copied. */
static void meta_damaged(const char *path, const char *why, struct error *err)
{
	const char *end = strrchr(path, '/'),
		   *id = memrchr(path, '/', (size_t)(end - path));
	int len = id ? (int)(end - ++id) : 0;

	fail(err, MT_EINVAL,
	     "%s is damaged (%s); to copy the events to a new conversation, run `mortise "
	     "conversations export %.*s FILE` and `mortise conversations import FILE`",
	     path, why, len, id);
}

json_object *meta_read(const char *dir, struct error *err)
{
	AUTO(free) char *path = path_join(dir, "meta.json");
	AUTO(free) char *text = NULL;
	AUTO(json) json_object *o = NULL;
	struct error why = ERROR_NONE;
	size_t len;

	if (!path) {
		out_of_memory(err);
		return NULL;
	}
	if (access(path, F_OK) != 0 && errno == ENOENT) {
		meta_damaged(path, "missing", err);
		return NULL;
	}
	if (file_read(path, META_MAX, &text, &len, err))
		return NULL;
	o = js_parse_object(text, len, &why);
	if (!o || !js_get(o, "format")) {
		meta_damaged(path, o ? "without a format" : why.text, err);
		return NULL;
	}
	if (js_int(o, "format", 0) != META_FORMAT) {
		fail(err, MT_EUNSUPPORTED,
		     "%s: format %lld, but this mortise reads format %d; update mortise",
		     path, (long long)js_int(o, "format", 0), META_FORMAT);
		return NULL;
	}
	return STEAL(o);
}

static char *state_root(const struct config *c, struct error *err)
{
	const char *set = config_get(c, "core", "state_dir");
	AUTO(free) char *base = NULL;
	char *root;

	if (set && *set)
		base = path_expand(set);
	else if (paths_xdg_dir("STATE", false, &base, err))
		return NULL;
	root = base ? path_join(base, "conversations") : NULL;
	if (!root)
		out_of_memory(err);
	return root;
}

static bool meta_good_id(const char *id)
{
	size_t n = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "0123456789_-");

	return n > 0 && n < ID_MAX && id[n] == '\0' && id[0] != '-';
}

char *conversation_dir(const struct config *c, const char *id, struct error *err)
{
	AUTO(free) char *root = NULL;
	struct error why = ERROR_NONE;
	char *dir;

	if (!meta_good_id(id)) {
		fail(err, MT_EINVAL,
		     "invalid conversation id `%.80s`: use letters, digits, - and _", id);
		return NULL;
	}
	root = state_root(c, err);
	if (!root)
		return NULL;
	/* without write permission, reading still works; a failing disk is an error */
	if (dir_make_durable(root, &why) == MT_EIO) {
		fail(err, MT_EIO, "%s", why.text);
		return NULL;
	}
	dir = path_join(root, id);
	if (!dir)
		out_of_memory(err);
	return dir;
}

/* The time of the last write to its log. */
static int64_t written_ns(const char *root, const char *id)
{
	AUTO(strbuf) struct strbuf path = STRBUF(8192);
	struct stat st;

	if (strbuf_addf(&path, "%s/%s/events.jsonl", root, id) ||
	    stat(path.text, &st) < 0)
		return -1;
	return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

/* Was it started by a user, not by another conversation, and, unless `workspace` is NULL,
 * in that directory? */
static bool is_users(const char *root, const char *id, const char *workspace)
{
	AUTO(free) char *dir = path_join(root, id);
	AUTO(json) json_object *meta = dir ? meta_read(dir, NULL) : NULL;

	return !js_get(meta, "parent") &&
	       (!workspace || strcmp(js_str(meta, "workspace", ""), workspace) == 0);
}

/* The newest conversation that a user started; NULL: none. */
static char *newest_of(const char *root, const char *workspace)
{
	AUTO(free) char *found = NULL;
	int64_t best = -1;
	struct dirent *d;
	DIR *dir = opendir(root);

	while (dir && (d = readdir(dir))) {
		int64_t when = meta_good_id(d->d_name) ? written_ns(root, d->d_name) : -1;

		if (when <= best || !is_users(root, d->d_name, workspace))
			continue;
		free(found);
		found = strdup(d->d_name);
		best = when;
	}
	if (dir)
		closedir(dir);
	return STEAL(found);
}

char *conversation_newest(const struct config *c, const char *workspace,
			  struct error *err)
{
	AUTO(free) char *root = state_root(c, err);
	AUTO(free) char *real = workspace ? realpath(workspace, NULL) : NULL;
	char *found;

	if (!root)
		return NULL;
	found = workspace && !real ? NULL : newest_of(root, real);
	if (!found && workspace)
		fail(err, MT_ENOTFOUND,
		     "no conversations in %s; `mortise conversations` lists those of "
		     "other directories",
		     real ? real : workspace);
	else if (!found)
		fail(err, MT_ENOTFOUND, "no conversations yet");
	return found;
}

char *conversation_find(const struct config *c, const char *prefix, struct error *err)
{
	AUTO(free) char *root = NULL;
	AUTO(free) char *found = NULL;
	size_t matches = 0;
	struct dirent *d;
	DIR *dir;

	if (!*prefix) {
		fail(err, MT_EINVAL, "the conversation id is empty");
		return NULL;
	}
	if (strcmp(prefix, "last") == 0)
		return conversation_newest(c, NULL, err);
	root = state_root(c, err);
	if (!root)
		return NULL;
	dir = opendir(root);
	while (dir && (d = readdir(dir))) {
		bool exact = strcmp(d->d_name, prefix) == 0;

		if (strncmp(d->d_name, prefix, strlen(prefix)) != 0 ||
		    !meta_good_id(d->d_name) || written_ns(root, d->d_name) < 0)
			continue;
		matches = exact ? 1 : matches + 1;
		free(found);
		found = strdup(d->d_name);
		if (exact)
			break;
	}
	if (dir)
		closedir(dir);
	if (matches > 1) {
		fail(err, MT_EINVAL,
		     "%zu conversations match `%.80s`; use more characters of the id",
		     matches, prefix);
		return NULL;
	}
	if (!found)
		fail(err, MT_ENOTFOUND,
		     "unknown conversation `%.80s`; "
		     "`mortise conversations` lists them",
		     prefix);
	return STEAL(found);
}
