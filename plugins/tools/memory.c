/* SPDX-License-Identifier: MIT
 *
 * memory.c - notes that persist across conversations: MEMORY.md of the project, written
 * here, and of the user, written by the host. */
#include "files.h"
#include "js.h"
#include "notes.h"

#include <mortise/tool.h>
#include <string.h>

struct self {
	const struct mt_tool_host *host;
	char *path;       /* the project's */
};

static int memory_open_set(const struct mt_tool_host *host, struct mt_instance *instance,
			   void **ret_self)
{
	struct self *self = calloc(1, sizeof *self);

	if (self)
		self->path = path_join(host->workspace(instance),
				       ".openhands/memory/MEMORY.md");
	if (!self || !self->path) {
		free(self);
		return MT_ENOMEM;
	}
	self->host = host;
	*ret_self = self;
	return MT_OK;
}

static void memory_close_set(const struct mt_tool_host *host,
			     struct mt_instance *instance, void *self_)
{
	struct self *self = self_;

	(void)host, (void)instance;
	free(self->path);
	free(self);
}

/* Reply with the text that was written, and the file. */
static int memory_reply(const struct self *self, struct mt_call *call, const char *path)
{
	const char *text = self->host->arg_str(call, "text", NULL);
	bool add = strcmp(self->host->arg_str(call, "command", NULL), "append") == 0;

	return self->host->reply(call, "%s %s: %s\n", add ? "Added to" : "Changed in",
				 path, *text ? text : "(the notes were removed)");
}

/* The host writes the notes of the user, and returns the file name. */
static int write_of_user(const struct self *self, struct mt_call *call)
{
	struct mt_str all = { "", 0 }, result = { "", 0 };
	AUTO(json) json_object *answer = NULL;
	int r;

	all.ptr = self->host->arg_json(call, NULL, &all.len);
	r = self->host->request(call, "memory/write", all, &result);
	if (r)
		return self->host->fail(call, r, "%.*s", (int)result.len, result.ptr);
	answer = js_parse(result.ptr, result.len, NULL);
	return memory_reply(self, call, js_str(answer, "path", "the notes of the user"));
}

/* A project file is written only if the call requests it. */
static int memory_run(const struct mt_tool_host *host, void *self_, struct mt_call *call)
{
	struct self *self = self_;
	const char *command = host->arg_str(call, "command", NULL);
	const char *scope = host->arg_str(call, "scope", NULL);
	const char *text = host->arg_str(call, "text", NULL);
	const char *old = host->arg_str(call, "old", NULL);
	bool add = strcmp(command, "append") == 0;
	struct error err = ERROR_NONE;

	if (!scope || strcmp(scope, "project") != 0)
		return write_of_user(self, call);
	if (notes_write(self->path, add ? NOTES_APPEND : NOTES_REPLACE, old ? old : "",
			text, &err))
		return host->fail(call, err.code, "%s", err.text);
	return memory_reply(self, call, self->path);
}

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.name = "memory",
		.hints = MT_TOOL_DESTRUCTIVE | MT_TOOL_OPTIONAL, /* a note may be removed */
		.description =
			"Update notes for future conversations: facts that were hard to "
			"discover, one line each; never secrets. `replace` puts `text` "
			"in place of `old` (default: all). `scope` project: in the "
			"repository, if the user wants that.",
		.brief = "Update notes for future conversations.",
		MT_PARAMS(MT_CHOICE("command", MT_REQUIRED, .choices = "append|replace"),
			  MT_TEXT("text", MT_REQUIRED), MT_TEXT("old"),
			  MT_CHOICE("scope", .choices = "project|user")),
	},
};

static const struct mt_toolset set = {
	.size = sizeof set, .tool_count = 1, .tools = tools,
	.open = memory_open_set, .call = memory_run, .close = memory_close_set,
};

MT_TOOLSET(&set, "memory", .name = "memory",
	   .summary = "Keeps notes for later conversations.")
