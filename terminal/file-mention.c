/* SPDX-License-Identifier: MIT
 *
 * file-mention.c - @path in a message: adds the text of the file, and finds the text
 * that was typed. */
#include "chat.h"

#include "files.h"
#include "text/tool-ignore.h"
#include "utf8.h"

#include <string.h>

enum { FILE_BYTES_MAX = 128 << 10, FILES_MAX = 16 };

static bool ends_path(char c)
{
	return c == '\0' || c == ' ' || c == '\t' || c == '\n';
}

/* The path without the punctuation of a sentence. */
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

#define BEFORE_PATH "\n\nThe file "
#define AFTER_PATH ":\n```\n"

static void file_mention_put_file(struct strbuf *out, const char *dir, const char *path,
				  void (*on_skip)(void *, const char *, const char *),
				  void *arg)
{
	AUTO(free) char *expanded = path_expand(path), *whole = NULL, *text = NULL;
	struct error err = ERROR_NONE;
	size_t len = 0;

	whole = expanded ? path_join(dir, expanded) : NULL;
	if (!whole || access(whole, F_OK) != 0)
		return; /* a name with an @, not a file */
	if (tool_ignore_has(whole)) {
		on_skip(arg, path, "matches `.mortise/ignore`");
	} else if (file_read(whole, FILE_BYTES_MAX, &text, &len, &err)) {
		on_skip(arg, path, err.text);
	} else if (len >= 5 && memcmp(text, "%PDF-", 5) == 0) {
		on_skip(arg, path,
			"is a PDF file: send it with `mortise run --image`, or extract its "
			"text with pdftotext");
	} else if (!utf8_valid(text, len) || memchr(text, '\0', len)) {
		on_skip(arg, path, "is not a text file");
	} else {
		strbuf_addf(out, BEFORE_PATH "%s" AFTER_PATH, path);
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
			file_mention_put_file(out, dir, path, on_skip, arg);
			seen[count++] = path;
		} else {
			free(path);
		}
	}
	while (count > 0)
		free(seen[--count]);
}

/* Does the text contain @path? */
static bool mentions(const char *text, size_t len, const char *path, size_t path_len)
{
	for (size_t at = 0; at + path_len < len; at++)
		if (text[at] == '@' && memcmp(text + at + 1, path, path_len) == 0)
			return true;
	return false;
}

size_t file_mention_typed(const char *text)
{
	for (const char *p = strstr(text, BEFORE_PATH); p;
	     p = strstr(p + 1, BEFORE_PATH)) {
		const char *path = p + strlen(BEFORE_PATH);
		size_t line = strcspn(path, "\n"), len = line ? line - 1 : 0;

		if (len && strncmp(path + len, AFTER_PATH, strlen(AFTER_PATH)) == 0 &&
		    mentions(text, (size_t)(p - text), path, len))
			return (size_t)(p - text);
	}
	return strlen(text);
}
