/* SPDX-License-Identifier: MIT
 *
 * main.c - the tool `apply_patch`: the ABI around apply.h. */
#include "apply.h"
#include "text/file-view.h"
#include "text/nearmiss.h"

#include <mortise/tool.h>
#include <string.h>

enum { SPOTS_SHOWN = 20 }; /* changed positions whose lines are shown */

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

/* Append the changed lines of an update, numbered. @return the number of positions. */
static size_t patch_put_changed(const struct patch_change *c, size_t most,
				struct strbuf *out)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	size_t n = c->spot_count < most ? c->spot_count : most;
	struct view_range *ranges = calloc(n + 1, sizeof *ranges);

	for (size_t i = 0; ranges && i < n; i++)
		ranges[i] = (struct view_range){ c->spots[i].first, c->spots[i].last };
	if (ranges && textfile_from_text(&f, c->text.text, c->text.len, NULL) == MT_OK)
		view_ranges(&f, ranges, n, out);
	if (n < c->spot_count)
		strbuf_addf(out, "(%zu more places are not shown.)\n", c->spot_count - n);
	free(ranges);
	return n;
}

static void patch_tell(const struct mt_tool_host *host, struct mt_call *call,
		       const struct patch *p)
{
	static const char *const words[] = { "Added", "Updated", "Deleted" };
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	size_t left = SPOTS_SHOWN;

	for (size_t i = 0; i < p->count; i++) {
		const struct patch_change *c = &p->changes[i];

		strbuf_addf(&out, "%s %s%s%s\n", words[c->kind], c->path,
			    c->move_to ? ", now " : "", c->move_to ? c->move_to : "");
		left -= patch_put_changed(c, left, &out);
	}
	if (p->count == 0)
		strbuf_add(&out, "The patch changes nothing.\n");
	if (p->fuzz)
		strbuf_add(&out,
			   "Some context matched only without white space, or not at the "
			   "end of the file: check the changes.\n");
	host->reply_text(call, out.text, out.len);
}

/* Append the context that was not found, and similar lines of the file. */
static int tell_miss(const struct mt_tool_host *host, struct mt_call *call, int status,
		     const struct patch *p)
{
	const struct patch_change *c = &p->changes[p->count - 1];
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);

	strbuf_addf(&out, "%s does not have these lines, in this order%s:\n", c->path,
		    p->searched ? ", after those of the previous sections" : "");
	strbuf_addn(&out, p->miss.text, p->miss.len);
	nearmiss_explain((struct mt_str){ c->old.text, c->old.len },
			 (struct mt_str){ p->miss.text, p->miss.len }, &out);
	strbuf_addc(&out, '\n');
	host->reply_text(call, out.text, out.len);
	return host->fail(call, status,
			  "Nothing was changed. Repeat the patch with lines as they are "
			  "in %s.",
			  c->path);
}

/* The last line is the error sentence; the lines before it are part of the text. */
static int tell_failure(const struct mt_tool_host *host, struct mt_call *call, int status,
			const struct patch *p)
{
	const char *why = p->why.text, *last = strrchr(why, '\n');

	if (p->miss.len && p->count)
		return tell_miss(host, call, status, p);
	last = last ? last + 1 : why;
	host->reply_text(call, why, (size_t)(last - why));
	if (!p->line)
		return host->fail(call, status, "%s",
				  *last ? last : "The patch is invalid.");
	return host->fail(call, status,
			  "%s (line %zu of the patch%s%s). Nothing was changed.", last,
			  p->line, p->count ? ", in the part for " : "",
			  p->count ? p->changes[p->count - 1].path : "");
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
		r = tell_failure(host, call, r, &patch);
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
