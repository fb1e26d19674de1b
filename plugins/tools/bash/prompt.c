/* SPDX-License-Identifier: MIT
 *
 * prompt.c - prompt blocks in the text of a terminal. */
#include "prompt.h"
#include "js.h"
#include <ctype.h>
#include <string.h>

static void skip_space(const char **text, size_t *len)
{
	while (*len && isspace((unsigned char)**text))
		(*text)++, (*len)--;
}

void prompt_strip_echo(const char **text, size_t *len, const char *command,
		       size_t command_len)
{
	skip_space(&command, &command_len);
	skip_space(text, len);
	if (command_len && command_len <= *len && !memcmp(*text, command, command_len)) {
		*text += command_len;
		*len -= command_len;
	}
	skip_space(text, len);
}

static bool block_at(const char *text, size_t len, size_t start, size_t *ret_end)
{
	const size_t mark = sizeof PROMPT_BEGIN - 1;

	if (len - start < mark || memcmp(text + start, PROMPT_BEGIN, mark) != 0)
		return false;
	const char *json = text + start + mark;
	const char *end = memmem(json, len - start - mark, PROMPT_END,
				 sizeof PROMPT_END - 1);

	if (!end)
		return false;
	struct error err = ERROR_NONE;

	json_object_put(js_parse(json, (size_t)(end - json), &err));
	*ret_end = (size_t)(end - text) + sizeof PROMPT_END - 1;
	return err.code == MT_OK;
}

bool prompt_find(const char *text, size_t len, size_t from, size_t *ret_start,
		 size_t *ret_end)
{
	for (size_t i = from; i < len; i++)
		if ((i == 0 || text[i - 1] == '\n') && block_at(text, len, i, ret_end)) {
			*ret_start = i;
			return true;
		}
	return false;
}

int prompt_outputs(const char *text, size_t len, bool before, struct strbuf *out)
{
	size_t start, end, next, next_end;

	if (!prompt_find(text, len, 0, &start, &end))
		return strbuf_addn(out, text, len);
	if (!prompt_find(text, len, end, &next, &next_end)) {
		if (before)
			return strbuf_addn(out, text, start);
		size_t after = end < len ? end + 1 : end;

		return strbuf_addn(out, text + after, len - after);
	}
	while (prompt_find(text, len, end, &next, &next_end)) {
		strbuf_addn(out, text + end + 1, next - end - 1);
		strbuf_addc(out, '\n');
		end = next_end;
	}
	size_t after = end < len ? end + 1 : end;

	return strbuf_addn(out, text + after, len - after);
}
