/* SPDX-License-Identifier: MIT
 *
 * spools.c - files of complete output: synced to disk before an event names them; the
 * oldest are removed. */
#include "features/spools.h"

#include "array.h"
#include "controller/feature-api.h"
#include "files.h"
#include "log.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 65536 };

struct spool {
	char *name;
	int64_t bytes;
	struct timespec written;
};

static int oldest_first(const void *x, const void *y)
{
	const struct spool *a = x, *b = y;

	if (a->written.tv_sec != b->written.tv_sec)
		return a->written.tv_sec < b->written.tv_sec ? -1 : 1;
	if (a->written.tv_nsec != b->written.tv_nsec)
		return a->written.tv_nsec < b->written.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* List the files of the directory. @return their size in bytes. */
static int64_t spools_collect(DIR *dir, struct spool **ret, size_t *ret_count)
{
	struct dirent *d;
	struct stat st;
	int64_t total = 0;

	while (*ret_count < FILES_MAX && (d = readdir(dir))) {
		if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (ARRAY_ADD(*ret, *ret_count, FILES_MAX))
			break;
		(*ret)[*ret_count] = (struct spool){ .name = strdup(d->d_name),
						     .bytes = st.st_size,
						     .written = st.st_mtim };
		if (!(*ret)[*ret_count].name)
			break;
		total += st.st_size;
		++*ret_count;
	}
	return total;
}

/* Remove the oldest files while their total exceeds [core] spool_total. */
static void spools_trim(struct conversation *c)
{
	AUTO(free) char *path = path_join(evlog_dir(conversation_log(c)), "spool");
	int64_t most = config_int(conversation_config(c), "core", "spool_total"), total;
	DIR *dir = path ? opendir(path) : NULL;
	AUTO(free) struct spool *files = NULL;
	size_t count = 0, removed = 0;

	if (!dir)
		return; /* no file was written yet */
	total = spools_collect(dir, &files, &count);
	if (total > most)
		qsort(files, count, sizeof *files, oldest_first);
	while (total > most && removed + 1 < count) { /* the newest file stays */
		total -= files[removed].bytes;
		unlinkat(dirfd(dir), files[removed++].name, 0);
	}
	closedir(dir);
	for (size_t i = 0; i < count; i++)
		free(files[i].name);
	if (removed)
		conversation_notice(c, MT_LOG_INFO,
				    "removed %zu file%s of earlier output: [core] "
				    "spool_total was exceeded",
				    removed, removed == 1 ? "" : "s");
}

/* The runner has written a file of complete output, which an event will name. */
static void spools_keep(struct conversation *c, const struct runner_result *result)
{
	const char *path = result->spool ? result->spool : "";
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	AUTO(free) char *dir = path_join(evlog_dir(conversation_log(c)), "spool");
	struct error err = ERROR_NONE;

	/* The file of a runner on another host is there. */
	if (!slash || !dir || strlen(dir) != (size_t)(slash - path) ||
	    strncmp(path, dir, strlen(dir)) != 0)
		return;
	/* after a failed sync, the next event reports it */
	if (evlog_sync_file(conversation_log(c), "spool", name, &err) &&
	    !evlog_is_lost(conversation_log(c)))
		log_line(MT_LOG_ERROR, "controller", "%s", err.text);
	spools_trim(c);
}

/* The file in `dir` that a result names as its complete output. */
static char *named_file(const char *text, size_t len, const char *dir)
{
	static const char before[] = "full output: ";
	const char *at = memmem(text, len, before, sizeof before - 1);
	const char *path = at ? at + sizeof before - 1 : NULL;

	if (!path || strncmp(path, dir, strlen(dir)) != 0 || path[strlen(dir)] != '/')
		return NULL;
	return strndup(path, strcspn(path, "]\n"));
}

/* The file that the result names, or a new one. */
static char *spools_full_result(struct conversation *c, int64_t event)
{
	AUTO(free) char *dir = path_join(evlog_dir(conversation_log(c)), "spool");
	AUTO(event) struct event *e = evlog_event(conversation_log(c), event, NULL);
	AUTO(free) char *path = NULL;
	struct error err = ERROR_NONE;
	const char *content;
	size_t len;

	if (!dir || !e)
		return NULL;
	content = event_content(e, &len);
	path = named_file(content, len, dir);
	if (path)
		return STEAL(path);
	if (asprintf(&path, "%s/result-%" PRId64 ".txt", dir, event) < 0) {
		path = NULL;
		return NULL;
	}
	if (access(path, F_OK) == 0 ||
	    (dir_make(dir, &err) == MT_OK &&
	     file_write(path, content, len, 0600, false, &err) == MT_OK))
		return STEAL(path);
	log_line(MT_LOG_WARNING, "controller", "%s", err.text);
	return NULL;
}

const struct feature spools_feature = {
	.name = "spools",
	.call_ended = spools_keep,
	.full_result = spools_full_result,
};
