/* SPDX-License-Identifier: MIT
 *
 * repository.c - reads name and branch from the files in .git. */
#include "context/repository.h"

#include "files.h"
#include "git-dirs.h"
#include "log.h"
#include "space.h"

#include <string.h>
#include <strings.h>

enum { GIT_FILE_MAX = 1 << 20, SHORT_HASH = 12 };

void repository_clear(struct repository *r)
{
	free(r->name);
	free(r->dir);
	free(r->branch);
	*r = (struct repository){ 0 };
}

/* ---- .git --------------------------------------------------------------- */

static size_t repository_line_length(const char *text)
{
	return strcspn(text, "\r\n");
}

/* A file of git that cannot be read is treated as one that does not exist. */
static void repository_report(const struct error *err)
{
	log_line(MT_LOG_WARNING, "context",
		 "cannot read name or branch of the repository: %s", err->text);
}

static char *read_git_file(const char *path)
{
	char *text = NULL;
	struct error err = ERROR_NONE;
	int status = file_read(path, GIT_FILE_MAX, &text, NULL, &err);

	if (status && status != MT_ENOTFOUND)
		repository_report(&err);
	return status ? NULL : text;
}

static char *repository_found(char *dir, const struct error *err)
{
	if (err->code)
		repository_report(err);
	return dir;
}

static char *git_dir(const char *root)
{
	struct error err = ERROR_NONE;

	return repository_found(git_dir_of(root, &err), &err);
}

static char *common_dir(const char *git)
{
	struct error err = ERROR_NONE;

	return repository_found(git_common_dir(git, &err), &err);
}

static char *branch_of(const char *git)
{
	AUTO(free) char *path = path_join(git, "HEAD");
	AUTO(free) char *text = path ? read_git_file(path) : NULL;
	static const char ref[] = "ref: refs/heads/";
	size_t n;

	if (!text)
		return NULL;
	n = repository_line_length(text);
	if (strncmp(text, ref, sizeof ref - 1) == 0)
		return strndup(text + sizeof ref - 1, n - (sizeof ref - 1));
	return strndup(text, n > SHORT_HASH ? SHORT_HASH : n);
}

/* "owner/name" of git@host:owner/name.git or https://host/owner/name; owned. */
static char *name_of_url(const char *url, size_t len)
{
	const char *end = url + len, *start = end;
	unsigned parts = 0;

	while (end > url && end[-1] == '/')
		end--;
	if (end - url > 4 && strncmp(end - 4, ".git", 4) == 0)
		end -= 4;
	for (start = end; start > url; start--)
		if (start[-1] == ':' || (start[-1] == '/' && ++parts == 2))
			break;
	return start < end ? strndup(start, (size_t)(end - start)) : NULL;
}

/* The url of [remote "origin"]; owned. */
static char *remote_name(const char *git)
{
	AUTO(free) char *common = common_dir(git);
	AUTO(free) char *path = common ? path_join(common, "config") : NULL;
	AUTO(free) char *text = path ? read_git_file(path) : NULL;
	bool origin = false;

	if (!text)
		return NULL;
	for (const char *line = text; *line;
	     line += repository_line_length(line), line += strspn(line, "\r\n")) {
		const char *at = line + strspn(line, " \t");
		size_t n = repository_line_length(at);

		if (*at == '[')
			origin = strncmp(at, "[remote \"origin\"]", 17) == 0;
		if (!origin || strncasecmp(at, "url", 3) != 0)
			continue;
		at += 3 + strspn(at + 3, " \t");
		if (*at != '=')
			continue;
		at += 1 + strspn(at + 1, " \t");
		n = space_trim_end(at, repository_line_length(at));
		return name_of_url(at, n);
	}
	return NULL;
}

int repository_read(const char *workspace, struct repository *ret)
{
	AUTO(free) char *at = strdup(workspace), *git = NULL;

	*ret = (struct repository){ 0 };
	while (at && *at && !(git = git_dir(at))) {
		char *slash = strrchr(at, '/');

		if (!slash)
			break;
		*slash = '\0';
	}
	if (!git)
		return MT_ENOTFOUND;
	ret->branch = branch_of(git);
	ret->name = remote_name(git);
	if (!ret->name)
		ret->name = strdup(strrchr(at, '/') ? strrchr(at, '/') + 1 : at);
	ret->dir = STEAL(at);
	if (ret->branch && ret->name)
		return MT_OK;
	repository_clear(ret);
	return MT_ENOTFOUND;
}
