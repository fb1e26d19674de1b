/* SPDX-License-Identifier: MIT
 *
 * asking.h - tools that pass their arguments to the host and reply with the text of
 * its answer. */
#ifndef PLUGINS_TOOLS_ASKING_H
#define PLUGINS_TOOLS_ASKING_H

#include "js.h"

#include <mortise/tool.h>
#include <stdlib.h>
#include <string.h>

struct asking {
	const struct mt_tool_host *host;
};

static int asking_open(const struct mt_tool_host *host, struct mt_instance *instance,
		       void **ret_self)
{
	struct asking *self = calloc(1, sizeof *self);

	(void)instance;
	if (!self)
		return MT_ENOMEM;
	self->host = host;
	*ret_self = self;
	return MT_OK;
}

static void asking_close(const struct mt_tool_host *host, struct mt_instance *instance,
			 void *self)
{
	(void)host, (void)instance;
	free(self);
}

static int ask_host(const struct asking *self, const char *method, struct mt_call *call)
{
	struct mt_str all = { "", 0 }, result = { "", 0 };
	AUTO(json) json_object *answer = NULL;
	const char *text;
	int r;

	all.ptr = self->host->arg_json(call, NULL, &all.len);
	r = self->host->request(call, method, all, &result);
	if (r)
		return self->host->fail(call, r, "%.*s", (int)result.len, result.ptr);
	answer = js_parse_object(result.ptr, result.len, NULL);
	text = js_str(answer, "text", "");
	return self->host->reply_text(call, text, strlen(text));
}

#endif
