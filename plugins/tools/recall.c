/* SPDX-License-Identifier: MIT
 *
 * recall.c - what was forgotten is still in the log: the tool that asks the host
 * for it. */
#include "js.h"

#include <mortise/tool.h>
#include <stdlib.h>
#include <string.h>

struct self {
	const struct mt_tool_host *host;
};

static int open_set(const struct mt_tool_host *host, struct mt_instance *instance,
		    void **ret_self)
{
	struct self *self = calloc(1, sizeof *self);

	(void)instance;
	if (!self)
		return MT_ENOMEM;
	self->host = host;
	*ret_self = self;
	return MT_OK;
}

static int run(void *self_, const char *tool, struct mt_call *call)
{
	struct self *self = self_;
	struct mt_str all = { "", 0 }, result = { "", 0 };
	AUTO(json) json_object *answer = NULL;
	const char *text;
	int r;

	(void)tool;
	all.ptr = self->host->arg_json(call, NULL, &all.len);
	r = self->host->request(call, "history/recall", all, &result);
	if (r)
		return self->host->fail(call, r, "%.*s", (int)result.len, result.ptr);
	answer = js_parse_object(result.ptr, result.len, NULL);
	text = js_str(answer, "text", "");
	return self->host->reply_text(call, text, strlen(text));
}

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT,
		.name = "recall",
		.description =
			"Read again what happened earlier in this conversation, also what was "
			"forgotten or summarised. `query`: words that it has; you get the "
			"events that have them, cut, each with its number. `from` and `to`: "
			"numbers of events; you get them whole.",
		.brief = "Read again what happened earlier, by words or by numbers of events.",
		.schema = "{\"type\":\"object\",\"properties\":{"
			  "\"query\":{\"type\":\"string\"},"
			  "\"from\":{\"type\":\"integer\",\"minimum\":0},"
			  "\"to\":{\"type\":\"integer\",\"minimum\":0}}}",
	},
};

static const struct mt_toolset set = {
	.size = sizeof set, .tool_count = 1, .tools = tools,
	.open = open_set, .call = run, .close = free,
};

static const struct mt_component parts[] = {
	{
		.size = sizeof parts[0], .kind = MT_KIND_TOOL,
		.version_major = MT_TOOL_MAJOR, .version_minor = MT_TOOL_MINOR,
		.name = "recall", .summary = "What was forgotten, from the log.",
		.functions = &set,
	},
};

MT_PLUGIN(.name = "recall", .version = "1.0", .license = "MIT", .components = parts,
	  .component_count = 1)
