/* SPDX-License-Identifier: MIT
 *
 * instance-dirs.c - the directories of an instance, created on request, and its saved
 * state for the next run of its conversation. */
#include "files.h"
#include "tool-host.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Create the directory `name` in `base`, which must belong to this user, unless it
 * exists. NULL if that fails. */
static char *make_below(const char *base, const char *name)
{
	AUTO(free) char *path = *base ? path_join(base, name) : NULL;
	struct stat st;

	if (!path || dir_make(base, NULL) || lstat(base, &st) != 0 ||
	    !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return NULL;
	return mkdir(path, 0700) == 0 || errno == EEXIST ? STEAL(path) : NULL;
}

/* Create the directory once for an instance, and store its path in `*place`. */
static const char *made_once(char **place, const char *base, const char *name)
{
	pthread_mutex_lock(&worker.load);
	if (!*place && base)
		*place = make_below(base, name);
	pthread_mutex_unlock(&worker.load);
	return *place ? *place : "";
}

const char *instance_private_dir(struct mt_instance *i)
{
	return made_once(&i->private_dir, worker.spec->private_dir, i->spec->name);
}

const char *instance_conversation_dir(struct mt_instance *i)
{
	return made_once(&i->conversation_dir, worker.spec->state_dir, i->spec->name);
}

const char *instance_user_dir(struct mt_instance *i)
{
	const struct mt_plugin *p = worker.plugin;

	return made_once(&i->user_dir, worker.spec->user_dir, p->id ? p->id : p->name);
}

/* The file is next to the directory of the instance, in which only the tool writes. */
static char *saved_path(const struct mt_instance *i)
{
	AUTO(strbuf) struct strbuf name = STRBUF(512);

	if (!*worker.spec->state_dir || strbuf_addf(&name, "%s.saved", i->spec->name))
		return NULL;
	return path_join(worker.spec->state_dir, name.text);
}

int instance_save(struct mt_instance *i, const void *bytes, size_t len)
{
	AUTO(free) char *path = saved_path(i);
	int status;

	if (!path)
		return MT_EUNSUPPORTED;
	if (len > MT_SAVED_MAX)
		return MT_ELIMIT;
	pthread_mutex_lock(&worker.load);
	status = dir_make(worker.spec->state_dir, NULL);
	if (!status)
		status = file_write(path, bytes, len, 0600, true, NULL);
	pthread_mutex_unlock(&worker.load);
	return status;
}

const void *instance_saved(struct mt_instance *i, size_t *ret_len)
{
	AUTO(free) char *path = saved_path(i);
	char *text = NULL;
	size_t len = 0;

	if (path && file_read(path, MT_SAVED_MAX + 1, &text, &len, NULL))
		text = NULL;
	pthread_mutex_lock(&worker.load);
	free(i->saved);
	i->saved = text;
	pthread_mutex_unlock(&worker.load);
	if (ret_len)
		*ret_len = text ? len : 0;
	return text;
}
