/* SPDX-License-Identifier: MIT
 *
 * conversations-delete.c - `mortise conversations delete` and `prune`. */
#include "commands.h"
#include "conversations.h"
#include "conversation/conversation.h"
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#define GONE ".gone-" /* prefix of a directory that is being removed */

enum { DAY_S = 24 * 60 * 60, DEPTH_MAX = 64 };

struct removal {
	const char *root;
	struct entries *all;
	bool dry;
	int64_t bytes;
	size_t count;
};

/* A process that has the conversation open holds the lock of its log. A damaged
 * conversation may be deleted. */
static int check_unused(const char *dir, const char *id, struct error *err)
{
	AUTO(evlog) struct evlog *log = NULL;
	struct error why = ERROR_NONE;

	if (evlog_open(dir, EVLOG_WRITE, NULL, &log, NULL, &why) == MT_EDENIED)
		return fail(err, MT_EDENIED, "cannot delete %s: %s", id, why.text);
	return MT_OK;
}

/* The same without changing the log: opening it for writing repairs it. */
static int check_unlocked(const char *dir, const char *id, struct error *err)
{
	AUTO(free) char *path = path_join(dir, "events.jsonl");
	AUTO(close) int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;

	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return fail(err, MT_EDENIED, "cannot delete %s: it is open in a process",
			    id);
	return MT_OK;
}

/* Renamed first, so that an interrupted removal leaves no partial conversation. Names
 * that start with a dot are not listed. */
static int remove_directory(const char *root, const char *id, const char *dir,
			    struct error *err)
{
	AUTO(strbuf) struct strbuf hidden = STRBUF(8192);
	int status;

	if (strbuf_addf(&hidden, "%s/" GONE "%s", root, id))
		return out_of_memory(err);
	if (rename(dir, hidden.text) != 0)
		return fail(err, MT_EIO, "cannot delete %s: %s", dir, strerror(errno));
	status = dir_sync(root, err);
	return status ? status : dir_remove(hidden.text, err);
}

/* Remove the remains of an interrupted removal. */
static void remove_leftovers(const char *root)
{
	DIR *dir = opendir(root);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		AUTO(free) char *path = NULL;

		if (strncmp(d->d_name, GONE, strlen(GONE)) != 0)
			continue;
		path = path_join(root, d->d_name);
		if (path)
			dir_remove(path, NULL);
	}
	if (dir)
		closedir(dir);
}

/* Remove the subagents first, so that none remains without its parent. */
static int remove_one(struct removal *r, struct entry *e, int depth, struct error *err)
{
	AUTO(free) char *dir = path_join(r->root, e->id);
	char size[16];
	int status;

	if (!dir)
		return out_of_memory(err);
	e->shown = true;
	status = r->dry ? check_unlocked(dir, e->id, err) : check_unused(dir, e->id, err);
	for (size_t i = 0; !status && depth < DEPTH_MAX && i < r->all->count; i++)
		if (!r->all->items[i].shown &&
		    strcmp(r->all->items[i].parent, e->id) == 0)
			status = remove_one(r, &r->all->items[i], depth + 1, err);
	if (!status && !r->dry)
		status = remove_directory(r->root, e->id, dir, err);
	if (status)
		return status;
	printf("%s  %s\n", e->id, conversation_size_text(e->bytes, size));
	r->bytes += e->bytes;
	r->count++;
	return MT_OK;
}

static void print_sum(const struct removal *r)
{
	char size[16];

	printf("%zu conversation%s, %s%s\n", r->count, r->count == 1 ? "" : "s",
	       conversation_size_text(r->bytes, size),
	       r->dry ? ", would be removed" : " removed");
}

static struct entry *conversations_delete_find(struct entries *l, const char *id)
{
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->items[i].id, id) == 0)
			return &l->items[i];
	return NULL;
}

int conversations_delete(const struct config *c, char **ids, size_t count, bool dry,
			 struct error *err)
{
	AUTO(free) char *root = conversations_root(c, err);
	struct entries l = { 0 };
	struct removal r = { .root = root, .all = &l, .dry = dry };
	int status = root ? conversation_entries_collect(root, &l, err) : err->code;

	for (size_t i = 0; !status && i < count; i++) {
		struct entry *named = conversations_delete_find(&l, ids[i]);

		if (named && !named->shown)
			status = remove_one(&r, named, 0, err);
	}
	if (root && !dry)
		remove_leftovers(root);
	if (r.count)
		print_sum(&r);
	conversation_entries_clear(&l);
	return status;
}

int conversations_prune(const struct config *c, const struct prune_options *o,
			struct error *err)
{
	AUTO(free) char *root = conversations_root(c, err);
	struct entries l = { 0 };
	struct removal r = { .root = root, .all = &l, .dry = o->dry };
	time_t before = time(NULL) - (time_t)(o->older_days * DAY_S);
	int64_t seen = 0;
	int status;

	status = root ? conversation_entries_collect(root, &l, err) : err->code;
	for (size_t i = 0; !status && i < l.count; i++) {
		struct entry *e = &l.items[i];
		struct error why = ERROR_NONE;

		if (e->shown || *e->parent)
			continue;
		if ((o->keep >= 0 && seen++ < o->keep) ||
		    (o->older_days >= 0 && e->written > before))
			continue;
		if (remove_one(&r, e, 0, &why) == MT_EDENIED)
			fprintf(stderr, "mortise: %s\n", why.text);
		else if (why.code)
			status = fail(err, why.code, "%s", why.text);
	}
	if (root && !o->dry)
		remove_leftovers(root);
	if (!status)
		print_sum(&r);
	conversation_entries_clear(&l);
	return status;
}
