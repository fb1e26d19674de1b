/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <mortise/tool.h>
#include <stdio.h>
#include <string.h>

static int count(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	const char *path = host->arg_str(call, "path", NULL);
	unsigned long long lines = 0, words = 0, bytes = 0;
	FILE *file = fopen(path, "re");
	int byte, in_word = 0;

	(void)self;
	if (!file)
		return host->fail(call, MT_EIO, "Cannot open %s: %s.", path,
				  strerror(errno));
	while ((byte = getc(file)) != EOF) {
		lines += byte == '\n';
		words += !isspace(byte) && !in_word;
		in_word = !isspace(byte);
		if (++bytes % 65536 == 0 && host->cancelled(call))
			break;
	}
	byte = ferror(file) ? errno : 0;
	fclose(file);
	if (byte)
		return host->fail(call, MT_EIO, "Cannot read %s: %s.", path,
				  strerror(byte));
	return host->reply(call, "%llu lines, %llu words, %llu bytes", lines, words,
			   bytes);
}

MT_TOOL(count, "wc", .name = "count_words",
	.description = "Count the lines, words and bytes of a file.",
	.hints = MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT,
	MT_PARAMS(MT_TEXT("path", MT_REQUIRED,
			  "The file, absolute or from the workspace.")))
