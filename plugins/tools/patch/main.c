/* SPDX-License-Identifier: MIT
 *
 * main.c - the tool `apply_patch`: the ABI around apply.h. */
#include "apply.h"

#include <mortise/tool.h>
#include <string.h>

struct self {
	const struct mt_tool_host *host;
	const char *workspace;
};

static int patch_open_set(const struct mt_tool_host *host, struct mt_instance *instance,
			  void **ret_self)
{
	struct self *self = calloc(1, sizeof *self);

	if (!self)
		return MT_ENOMEM;
	self->host = host;
	self->workspace = host->workspace(instance);
	*ret_self = self;
	return MT_OK;
}

static void patch_close_set(const struct mt_tool_host *host, struct mt_instance *instance,
			    void *self)
{
	(void)host, (void)instance;
	free(self);
}

static void patch_tell(const struct mt_tool_host *host, struct mt_call *call,
		       const struct patch *p)
{
	static const char *const words[] = { "Added", "Updated", "Deleted" };

	for (size_t i = 0; i < p->count; i++) {
		const struct patch_change *c = &p->changes[i];

		host->reply(call, "%s %s%s%s\n", words[c->kind], c->path,
			    c->move_to ? ", now " : "", c->move_to ? c->move_to : "");
	}
	if (p->count == 0)
		host->reply(call, "The patch changes nothing.\n");
	if (p->fuzz)
		host->reply(
			call,
			"Some context matched only without white space, or not at the "
			"end of the file: check the changes.\n");
}

/* The last line is the sentence, what stands before it goes with the text. */
static int tell_failure(const struct mt_tool_host *host, struct mt_call *call, int status,
			const char *why)
{
	const char *last = strrchr(why, '\n');

	last = last ? last + 1 : why;
	host->reply_text(call, why, (size_t)(last - why));
	return host->fail(call, status, "%s", *last ? last : "The patch is invalid.");
}

static int patch_run(const struct mt_tool_host *host, void *self_, struct mt_call *call)
{
	struct self *self = self_;
	struct patch patch;
	size_t len = 0;
	const char *text = host->arg_str(call, "patch", &len);
	int r;

	if (!text)
		return host->fail(call, MT_EINVAL, "Missing argument `patch`.");
	r = patch_files(self->workspace, text, len, &patch);
	if (r)
		r = tell_failure(host, call, r, patch.why.text);
	else
		patch_tell(host, call, &patch);
	patch_clear(&patch);
	return r;
}

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_DESTRUCTIVE,
		.name = "apply_patch",
		.description =
			"Change several files at once, completely or not at all. "
			"Format:\n"
			"*** Begin Patch\n"
			"*** Update File: src/a.c\n"
			"@@ int main(void)\n"
			" a line of context\n"
			"-a line to take out\n"
			"+a line to put in\n"
			"*** Add File: src/new.c\n"
			"+each line with a plus\n"
			"*** Delete File: src/old.c\n"
			"*** End Patch\n"
			"Paths are relative to the workspace. `*** Move to: PATH` "
			"after an Update line renames. A section starts with `@@`, or "
			"`@@` and a complete line above it; give three lines of "
			"context before and after each change, exactly as in the file. "
			"`*** End of File` after a section anchors it at the end.",
		.brief = "Apply a patch (`*** Begin Patch` ... `*** End Patch`) to several files.",
		.schema =
			"{\"type\":\"object\",\"properties\":{\"patch\":{\"type\":\"string\","
			"\"description\":\"the patch, with its Begin and End lines\"}},"
			"\"required\":[\"patch\"]"
			",\"additionalProperties\":false}",
	},
};

static const struct mt_toolset set = {
	.size = sizeof set,
	.tool_count = 1,
	.tools = tools,
	.open = patch_open_set,
	.call = patch_run,
	.close = patch_close_set,
};

MT_TOOLSET(&set, "apply-patch", .name = "apply-patch",
	   .summary = "Changes several files with one patch.")
