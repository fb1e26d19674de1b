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
	KEPT_MAX = 64,           /* that cannot be removed; then no more are read */
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

static bool is_notice(const char *name)
{
	static const char ending[] = ".notice";
	size_t len = strlen(name);

	return len > sizeof ending - 1 &&
	       strcmp(name + len - (sizeof ending - 1), ending) == 0;
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

/* Of one instance. */
static void tool_notices_take_all(struct conversation *c, const char *above,
				  const char *instance)
{
	AUTO(free) char *path = *instance == '.' ? NULL : path_join(above, instance);
	DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_notice(entry->d_name))
			tool_notices_take(c, path, entry->d_name);
	if (dir)
		closedir(dir);
}

/* An agent that waits for this one would not see the notices: they wait for it. */
static bool tool_notices_before_step(struct conversation *c)
{
	struct tool_notices *s = feature_state(c, &tool_notices_feature);
	AUTO(free) char *path = path_join(evlog_dir(conversation_log(c)), "tools");
	DIR *dir = path && !conversation_agent(c)->above ? opendir(path) : NULL;
	const struct dirent *entry;

	s->count = 0;
	while (dir && (entry = readdir(dir)))
		tool_notices_take_all(c, path, entry->d_name);
	if (dir)
		closedir(dir);
	return false;
}

const struct feature tool_notices_feature = {
	.name = "tool-notices",
	.state_size = sizeof(struct tool_notices),
	.before_step = tool_notices_before_step,
};
