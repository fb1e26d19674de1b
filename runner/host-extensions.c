/* SPDX-License-Identifier: MIT
 *
 * host-extensions.c - the tables that mt_tool_host.extension returns; documented in
 * mortise/extensions.h. */
#include "tool-host.h"
#include <mortise/extensions.h>
#include <string.h>

static int structured(struct mt_call *c, const char *json, size_t len)
{
	AUTO(json) json_object *value = js_parse_object(json, len, NULL);

	if (!value)
		return MT_EINVAL;
	return tool_host.field(c, "structured", json, len);
}

static const struct mt_result_draft_1 result_draft_1 = {
	.size = sizeof result_draft_1, .structured = structured };

static const struct {
	const char *name;
	const void *table;
} extensions[] = {
	{ MT_RESULT_DRAFT_1, &result_draft_1 },
	{ MT_REQUESTS_DRAFT_1, &host_requests_draft_1 },
};

const void *host_extension(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(extensions); i++)
		if (strcmp(extensions[i].name, name) == 0)
			return extensions[i].table;
	return NULL;
}
