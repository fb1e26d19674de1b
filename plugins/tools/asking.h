/* SPDX-License-Identifier: MIT
 *
 * asking.h - tools that pass their arguments to the host and reply with the text of its
 * response. */
#ifndef PLUGINS_TOOLS_ASKING_H
#define PLUGINS_TOOLS_ASKING_H

#include "js.h"
#include "tool-plugin.h"

#include <string.h>

static int ask_host(const struct tool_self *self, const char *method,
		    struct mt_call *call)
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
