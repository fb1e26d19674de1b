/* SPDX-License-Identifier: MIT
 *
 * file-mention.c - @path in a message: adds the text of the file. */
#include "chat.h"

#include "files.h"
#include "utf8.h"

#include <string.h>

enum { FILE_BYTES_MAX = 128 << 10, FILES_MAX = 16 };

static bool ends_path(char c)
{
	return c == '\0' || c == ' ' || c == '\t' || c == '\n';
}

/* The path without what a sentence adds to it. */
static char *path_at(const char *text)
{
	size_t n = 0;

	while (!ends_path(text[n]))
		n++;
	while (n > 0 && strchr(",;:!?)\"'", text[n - 1]))
		n--;
	if (n > 1 && text[n - 1] == '.')
		n--;
	return n ? strndup(text, n) : NULL;
}

static void put_file(struct strbuf *out, const char *dir, const char *path,
		     void (*on_skip)(void *, const char *, const char *), void *arg)
{
	AUTO(free) char *expanded = path_expand(path), *whole = NULL, *text = NULL;
	struct error err = ERROR_NONE;
	size_t len = 0;

	whole = expanded ? path_join(dir, expanded) : NULL;
	if (!whole || access(whole, F_OK) != 0)
		return; /* a name with an @, not a file */
	if (file_read(whole, FILE_BYTES_MAX, &text, &len, &err)) {
		on_skip(arg, path, err.text);
	} else if (!utf8_valid(text, len) || memchr(text, '\0', len)) {
		on_skip(arg, path, "is not a text file");
	} else {
		strbuf_addf(out, "\n\nThe file %s:\n```\n", path);
		strbuf_addn(out, text, len);
		strbuf_add(out, len && text[len - 1] != '\n' ? "\n```" : "```");
	}
}

void file_mention_complete(struct strbuf *out, const char *dir, const char *text,
			   void (*on_skip)(void *arg, const char *path, const char *why),
			   void *arg)
{
	char *seen[FILES_MAX];
	size_t count = 0;

	for (const char *p = strchr(text, '@'); p && count < FILES_MAX;
	     p = strchr(p + 1, '@')) {
		char *path = p == text || ends_path(p[-1]) || p[-1] == '('
				     ? path_at(p + 1)
				     : NULL;
		bool again = false;

		for (size_t i = 0; i < count && path; i++)
			again |= strcmp(seen[i], path) == 0;
		if (path && !again) {
			put_file(out, dir, path, on_skip, arg);
			seen[count++] = path;
		} else {
			free(path);
		}
	}
	while (count > 0)
		free(seen[--count]);
}
