/* SPDX-License-Identifier: MIT
 *
 * editor.c - maps the arguments of a call to its command. */
#include "editor.h"
#include "commands.h"
#include "files.h"
#include "text/tool-ignore.h"
#include "utf8.h"
#include <errno.h>
#include <limits.h>
#include <string.h>

static const struct {
	const char *name;
	int (*run)(struct job *j);
} commands[] = {
	{ "view", command_view },
	{ "create", command_create },
	{ "str_replace", editor_command_str_replace },
	{ "insert", editor_command_insert },
	{ "undo_edit", editor_command_undo },
	{ "write", editor_command_write }, /* of V0's recordings; no model is offered it */
};

struct editor *editor_new(const char *workspace)
{
	struct editor *e = calloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->memory = memory_new();
	e->workspace = workspace ? strdup(workspace) : NULL;
	if (!e->memory || (workspace && !e->workspace))
		return editor_free(e);
	return e;
}

struct editor *editor_free(struct editor *e)
{
	if (e) {
		memory_free(e->memory);
		free(e->workspace);
		free(e);
	}
	return NULL;
}

void editor_set_v0(struct editor *e)
{
	e->v0 = true;
}

void editor_set_past(struct editor *e, editor_past_fn *ask, void *arg)
{
	e->past = ask;
	e->past_arg = arg;
}

/* The path without doubled, trailing and `.` parts; `..` stays. NULL: out of memory. */
static char *editor_path_tidy(struct mt_str path)
{
	char *tidy = malloc(path.len + 2);
	size_t out = 0, i = 0;

	if (!tidy)
		return NULL;
	if (path.len && path.ptr[0] == '/')
		tidy[out++] = '/';
	while (i < path.len) {
		size_t n = 0;

		while (i + n < path.len && path.ptr[i + n] != '/')
			n++;
		if (n > 0 && !(n == 1 && path.ptr[i] == '.')) {
			if (out && tidy[out - 1] != '/')
				tidy[out++] = '/';
			memcpy(tidy + out, path.ptr + i, n);
			out += n;
		}
		i += n + 1;
	}
	if (!out)
		tidy[out++] = '.';
	tidy[out] = '\0';
	return tidy;
}

/* Refuse a relative path, and suggest the file of that name in the workspace. */
static int refuse_relative(struct job *j)
{
	AUTO(free) char *there = NULL;

	if (j->e->workspace)
		there = path_join(j->e->workspace, j->path);
	if (there && access(there, F_OK) == 0)
		return editor_refuse(
			j, MT_EINVAL,
			"Invalid `path` parameter: %s. The path should be an "
			"absolute path, starting with `/`. Maybe you meant %s?",
			j->path, there);
	return editor_refuse(j, MT_EINVAL,
			     "Invalid `path` parameter: %s. The path should be an "
			     "absolute path, starting with `/`.",
			     j->path);
}

/* The type of the path determines which commands are valid. */
static int check_path(struct job *j)
{
	bool creates = strcmp(j->command, "create") == 0;
	struct stat st;
	int why = stat(j->path, &st) == 0 ? 0 : errno;

	if (creates && (why == 0 || lstat(j->path, &st) == 0))
		return editor_refuse(
			j, MT_EEXIST,
			"Invalid `path` parameter: %s. File already exists "
			"at: %s. Cannot overwrite files using command `create`.",
			j->path, j->path);
	if (why == ENOENT && (creates || strcmp(j->command, "write") == 0))
		return MT_OK;
	if (why == ENOENT || (why == ENOTDIR && !creates))
		return editor_refuse(j, MT_ENOTFOUND,
				     "Invalid `path` parameter: %s. The path %s does "
				     "not exist. Please provide a valid path.",
				     j->path, j->path);
	if (why)
		return editor_refuse(j, MT_EDENIED, "File validation failed for %s: %s",
				     j->path, strerror(why));
	j->is_dir = S_ISDIR(st.st_mode);
	if (j->is_dir && strcmp(j->command, "view") != 0)
		return editor_refuse(
			j, MT_EINVAL,
			"Invalid `path` parameter: %s. The path %s is a "
			"directory and only the `view` command can be used on "
			"directories.",
			j->path, j->path);
	j->real = realpath(j->path, NULL);
	if (!j->real)
		return editor_refuse(j, MT_EIO, "File validation failed for %s: %s",
				     j->path, strerror(errno));
	return MT_OK;
}

static int check_texts(struct job *j)
{
	const struct editor_request *q = j->q;
	const struct {
		const char *name;
		struct mt_str text;
	} texts[] = {
		{ "path", q->path },
		{ "file_text", q->file_text },
		{ "new_str", q->new_str },
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].text.ptr &&
		    memchr(texts[i].text.ptr, '\0', texts[i].text.len))
			return editor_refuse(
				j, MT_EINVAL,
				"Invalid `%s` parameter: it contains a NUL character.",
				texts[i].name);
	return MT_OK;
}

static int editor_do(struct job *j)
{
	const struct editor_request *q = j->q;
	struct error err = ERROR_NONE;
	size_t i = 0;
	int status;

	while (i < ARRAY_LEN(commands) && q->command.ptr &&
	       (strlen(commands[i].name) != q->command.len ||
		memcmp(commands[i].name, q->command.ptr, q->command.len) != 0))
		i++;
	if (!q->command.ptr)
		return editor_refuse(j, MT_EINVAL, "Parameter `command` is required.");
	if (i == ARRAY_LEN(commands))
		return editor_refuse(
			j, MT_EINVAL,
			"Unrecognized command %.*s. The allowed commands for "
			"the oh_editor tool are: view, create, str_replace, insert, "
			"undo_edit",
			(int)utf8_cut(q->command.ptr, q->command.len, 100),
			q->command.ptr);
	j->command = commands[i].name;
	if (!q->path.ptr || q->path.len == 0)
		return editor_refuse_missing(j, "path");
	status = check_texts(j);
	if (status != MT_OK)
		return status;
	j->ret->path = editor_path_tidy(q->path);
	if (!j->ret->path)
		return MT_ENOMEM;
	j->path = j->ret->path;
	if (j->path[0] != '/')
		return refuse_relative(j);
	if (tool_ignore_check(j->path, &err))
		return editor_refuse(j, MT_EDENIED, "%s", err.text);
	status = check_path(j);
	return status == MT_OK ? commands[i].run(j) : status;
}

int editor_run(struct editor *e, const struct editor_request *q,
	       struct editor_result *ret)
{
	struct job j = { .e = e, .q = q, .ret = ret };
	int status;

	*ret = (struct editor_result){
		.text = STRBUF(4 << 20),
		.diff = STRBUF(EDITOR_DIFF_MAX),
		.old_content = STRBUF(EDITOR_CONTENT_MAX + 1),
		.new_content = STRBUF(EDITOR_CONTENT_MAX + 1),
	};
	status = editor_do(&j);
	free(j.real);
	if (status == MT_OK && ret->text.error)
		status = editor_refuse(&j, ret->text.error,
				       "Out of memory: cannot show the result%s.",
				       ret->edited ? "; the edit was made" : "");
	return status;
}
