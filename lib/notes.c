/* SPDX-License-Identifier: MIT
 *
 * notes.c - reads and changes MEMORY.md. */
#include "notes.h"

#include "files.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

static bool is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static int notes_read_all(const char *path, char **ret, size_t *ret_len,
			  struct error *err)
{
	struct error why = ERROR_NONE;
	int r;

	*ret = NULL;
	*ret_len = 0;
	if (is_link(path))
		return fail(err, MT_EDENIED,
			    "%s is a symbolic link, which is not followed", path);
	r = file_read(path, (size_t)1 << 20, ret, ret_len, &why);
	return r == MT_OK || r == MT_ENOTFOUND ? MT_OK : fail(err, r, "%s", why.text);
}

char *notes_read(const char *path, struct error *err)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(4 * NOTES_MAX);
	AUTO(free) char *text = NULL;
	size_t len, shown;

	if (notes_read_all(path, &text, &len, err) || !text || !len)
		return NULL;
	shown = utf8_cut(text, len, NOTES_MAX);
	utf8_add_clean(&clean, text, shown);
	if (shown < len)
		strbuf_add(&clean, "\n[... the rest is not shown: the file is too long]");
	return strbuf_take(&clean);
}

static int notes_append(struct strbuf *all, const char *text)
{
	if (all->len && all->text[all->len - 1] != '\n')
		strbuf_addc(all, '\n');
	strbuf_add(all, text);
	return *text && text[strlen(text) - 1] != '\n' ? strbuf_addc(all, '\n')
						       : all->error;
}

static int notes_replace(struct strbuf *all, const char *path, const char *old,
			 const char *text, struct error *err)
{
	AUTO(free) char *rest = NULL;
	char *at = *old ? strstr(all->text, old) : NULL;

	if (*old && !at)
		return fail(err, MT_ENOTFOUND,
			    "%s does not contain the text of `old`. Nothing was changed.",
			    path);
	if (*old && strstr(at + 1, old))
		return fail(err, MT_EINVAL,
			    "%s contains the text of `old` more than once. Nothing was "
			    "changed. Include more context.",
			    path);
	rest = strdup(at ? at + strlen(old) : "");
	if (!rest)
		return out_of_memory(err);
	strbuf_cut(all, at ? (size_t)(at - all->text) : 0);
	strbuf_add(all, text);
	return strbuf_add(all, rest);
}

/* Serialize the writes of two conversations. @return a descriptor to close, or -1 */
static int lock_dir(const char *dir, struct error *err)
{
	int fd;

	if (dir_make(dir, err))
		return -1;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (fd >= 0 && flock(fd, LOCK_EX) && errno == EINTR)
		;
	if (fd < 0)
		fail(err, MT_EIO, "%s: %s", dir, strerror(errno));
	return fd;
}

int notes_write(const char *path, enum notes_change change, const char *old,
		const char *text, struct error *err)
{
	AUTO(strbuf) struct strbuf all = STRBUF(2 << 20);
	AUTO(free) char *before = NULL, *dir = strdup(path);
	AUTO(close) int lock = -1;
	char *slash = dir ? strrchr(dir, '/') : NULL;
	size_t len;
	int r;

	if (!slash)
		return out_of_memory(err);
	*slash = '\0';
	lock = lock_dir(dir, err);
	r = lock < 0 ? err->code : notes_read_all(path, &before, &len, err);
	if (r)
		return r;
	if (before)
		strbuf_addn(&all, before, len);
	if (change == NOTES_APPEND)
		notes_append(&all, text);
	else if (notes_replace(&all, path, old, text, err))
		return err->code;
	if (all.error)
		return out_of_memory(err);
	if (all.len > NOTES_MAX && all.len > len)
		return fail(
			err, MT_ELIMIT,
			"%s would have %zu bytes, but at most %d are allowed. Nothing "
			"was changed. Remove outdated notes.",
			path, all.len, NOTES_MAX);
	return file_write(path, all.text, all.len, file_mode(path, 0600), false, err);
}
