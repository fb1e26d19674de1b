/* SPDX-License-Identifier: MIT
 *
 * @name@ - a tool that counts the words and lines of a text. */
#include <ctype.h>
#include <mortise/tool.h>

static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	size_t length, words = 0, lines = 1;
	const char *text = host->arg_str(call, "text", &length);
	int in_word = 0;

	(void)self;
	if (length == 0)
		return host->fail(call, MT_EINVAL, "`text` is empty.");
	for (size_t i = 0; i < length; i++) {
		int space = isspace((unsigned char)text[i]) != 0;

		words += !space && !in_word;
		lines += text[i] == '\n' && i + 1 < length;
		in_word = !space;
	}
	return host->reply(call, "%zu words, %zu lines", words, lines);
}

MT_TOOL(run, "@name@", .name = "@ident@",
	.description = "Count the words and lines of a text.",
	.hints = MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT,
	MT_PARAMS(MT_TEXT("text", MT_REQUIRED, "The text.")))
