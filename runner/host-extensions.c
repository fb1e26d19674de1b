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

static int find_text(struct mt_call *c, const char *name, const char **ret,
		     size_t *ret_len)
{
	*ret = tool_host.arg_str(c, name, ret_len);
	if (*ret)
		return MT_OK;
	return js_get(c->args, name) ? MT_EINVAL : MT_ENOTFOUND;
}

static int argument_length(struct mt_call *c, const char *name, uint64_t *ret)
{
	const char *text;
	size_t len;
	int status = find_text(c, name, &text, &len);

	if (!status)
		*ret = len;
	return status;
}

static int argument_read(struct mt_call *c, const char *name, uint64_t offset,
			 void *buffer, size_t room, size_t *ret_len)
{
	const char *text;
	size_t len;
	int status = find_text(c, name, &text, &len);

	if (status)
		return status;
	len = offset < len ? len - (size_t)offset : 0;
	*ret_len = len < room ? len : room;
	if (*ret_len)
		memcpy(buffer, text + offset, *ret_len);
	return MT_OK;
}

static const struct mt_arguments_draft_1 arguments_draft_1 = {
	.size = sizeof arguments_draft_1, .length = argument_length,
	.read = argument_read };

static const struct {
	const char *name;
	const void *table;
} extensions[] = {
	{ MT_ARGUMENTS_DRAFT_1, &arguments_draft_1 },
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
