/* SPDX-License-Identifier: MIT
 *
 * tool-notices.c - logs what tools report between calls, such as the end of a job. */
#include "features/tool-notices.h"

#include "controller/feature-api.h"
#include "files.h"
#include "utf8.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	NOTICE_MAX = 8192,       /* bytes; a longer file is ignored */
	STEP_MAX = 16,           /* logged before one step */
	KEPT_MAX = 64,           /* files that cannot be removed; beyond this number,
				  * no more files are read */
};

/* A file that was logged and could not be removed. */
struct kept {
	dev_t device;
	ino_t inode;
	struct timespec changed;
};

/* Of a conversation. */
struct tool_notices {
	struct kept kept[KEPT_MAX];
	unsigned kept_count;
	unsigned count;          /* logged before this step */
};

static const char ending_notice[] = ".notice";
static const char ending_told[] = ".told"; /* a result has reported it */

static bool has_ending(const char *name, const char *ending)
{
	size_t len = strlen(name), n = strlen(ending);

	return len > n && strcmp(name + len - n, ending) == 0;
}

static int log_notice(struct conversation *c, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(4 * NOTICE_MAX);
	struct error err = ERROR_NONE;
	json_object *args = js_new_object();

	utf8_add_clean(&clean, text, len);
	js_set_strn(args, "content", clean.text, clean.len);
	return conversation_log_event(c,
				      event_action("message", SOURCE_ENVIRONMENT, args,
						   &err),
				      &err) < 0;
}

static bool is_kept(const struct tool_notices *s, const struct stat *st)
{
	for (unsigned i = 0; i < s->kept_count; i++)
		if (s->kept[i].device == st->st_dev && s->kept[i].inode == st->st_ino &&
		    s->kept[i].changed.tv_sec == st->st_mtim.tv_sec &&
		    s->kept[i].changed.tv_nsec == st->st_mtim.tv_nsec)
			return true;
	return false;
}

/* Without its newline, a notice is still being written. */
static void tool_notices_take(struct conversation *c, const char *dir, const char *name)
{
	struct tool_notices *s = feature_state(c, &tool_notices_feature);
	AUTO(free) char *path = path_join(dir, name);
	AUTO(free) char *text = NULL;
	struct stat st;
	size_t len;

	if (s->count == STEP_MAX || s->kept_count == KEPT_MAX || !path ||
	    stat(path, &st) || is_kept(s, &st) ||
	    file_read(path, NOTICE_MAX, &text, &len, NULL) || !len ||
	    text[len - 1] != '\n' || log_notice(c, text, len - 1))
		return;
	s->count++;
	if (unlink(path) && errno != ENOENT)
		s->kept[s->kept_count++] =
			(struct kept){ st.st_dev, st.st_ino, st.st_mtim };
}

/* A result has reported it to this agent; an agent that waits for this one has not
 * seen the result. */
static void restore_notice(struct conversation *c, const char *dir, const char *name)
{
	AUTO(free) char *told = path_join(dir, name), *notice = NULL;
	int len = (int)(strlen(name) - strlen(ending_told));

	if (asprintf(&notice, "%s/%.*s%s", dir, len, name, ending_notice) < 0)
		notice = NULL;
	if (told && notice && conversation_agent(c)->above)
		rename(told, notice);
	else if (told)
		unlink(told);
}

typedef void notice_fn(struct conversation *c, const char *dir, const char *name);

/* The files of one instance. */
static void each_of_instance(struct conversation *c, const char *above,
			     const char *instance, const char *ending, notice_fn *each)
{
	AUTO(free) char *path = *instance == '.' ? NULL : path_join(above, instance);
	DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (has_ending(entry->d_name, ending))
			each(c, path, entry->d_name);
	if (dir)
		closedir(dir);
}

static void each_notice(struct conversation *c, const char *ending, notice_fn *each)
{
	AUTO(free) char *path = path_join(evlog_dir(conversation_log(c)), "tools");
	DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		each_of_instance(c, path, entry->d_name, ending, each);
	if (dir)
		closedir(dir);
}

/* An agent that waits for this one would not see the notices, so they stay until it is
 * active. */
static bool tool_notices_before_step(struct conversation *c)
{
	struct tool_notices *s = feature_state(c, &tool_notices_feature);

	s->count = 0;
	if (!conversation_agent(c)->above)
		each_notice(c, ending_notice, tool_notices_take);
	return false;
}

static void tool_notices_after_observation(struct conversation *c, struct event *action)
{
	(void)action;
	each_notice(c, ending_told, restore_notice);
}

const struct feature tool_notices_feature = {
	.name = "tool-notices",
	.state_size = sizeof(struct tool_notices),
	.before_step = tool_notices_before_step,
	.after_observation = tool_notices_after_observation,
};
