/* SPDX-License-Identifier: MIT
 *
 * editor-kit.h - a directory of its own, and the editor called in one line. */
#ifndef TESTS_EDITOR_KIT_H
#define TESTS_EDITOR_KIT_H

#include "files.h"
#include "plugins/tools/editor/editor.h"
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

static char kit_root[64];
static struct editor *kit_editor;
static struct editor_result kit_last; /* of the last call */

static inline void kit_open(void)
{
	memcpy(kit_root, "/tmp/mortise-editor-XXXXXX", 27);
	if (!mkdtemp(kit_root))
		abort();
	kit_editor = editor_new(kit_root);
}

static inline void kit_close(void)
{
	editor_result_clear(&kit_last);
	kit_editor = editor_free(kit_editor);
	dir_remove(kit_root, NULL);
}

/** Forget everything, as a new instance does. */
static inline void kit_restart(void)
{
	editor_free(kit_editor);
	kit_editor = editor_new(kit_root);
}

/** Absolute path of a name; four texts live at a time. */
static inline const char *kit_path(const char *name)
{
	static char paths[4][8300];
	static unsigned next;
	char *p = paths[next++ % 4];

	snprintf(p, sizeof paths[0], "%s/%s", kit_root, name);
	return p;
}

static inline void kit_put(const char *name, const char *bytes, size_t len)
{
	if (file_write(kit_path(name), bytes, len, 0644, false, NULL) != MT_OK)
		abort();
}

/** What the file holds; one text lives at a time. */
static inline const char *kit_get(const char *name, size_t *ret_len)
{
	static char *text;
	size_t len = 0;

	free(text);
	text = NULL;
	if (file_read(kit_path(name), (size_t)64 << 20, &text, &len, NULL) != MT_OK)
		text = NULL;
	if (ret_len)
		*ret_len = len;
	return text;
}

static inline bool kit_is(const char *name, const char *bytes, size_t len)
{
	size_t got;
	const char *text = kit_get(name, &got);

	return text && got == len && memcmp(text, bytes, len) == 0;
}

static inline struct mt_str kit_str(const char *s)
{
	return (struct mt_str){ s, s ? strlen(s) : 0 };
}

static inline int kit_run(const struct editor_request *q)
{
	editor_result_clear(&kit_last);
	return editor_run(kit_editor, q, &kit_last);
}

static inline int kit_view(const char *name, const char *range)
{
	struct editor_request q = { .command = kit_str("view"),
				    .path = kit_str(kit_path(name)),
				    .view_range = kit_str(range) };
	return kit_run(&q);
}

static inline int kit_create(const char *name, const char *text)
{
	struct editor_request q = { .command = kit_str("create"),
				    .path = kit_str(kit_path(name)),
				    .file_text = kit_str(text) };
	return kit_run(&q);
}

static inline int kit_replace(const char *name, const char *old, const char *new_)
{
	struct editor_request q = { .command = kit_str("str_replace"),
				    .path = kit_str(kit_path(name)),
				    .old_str = kit_str(old),
				    .new_str = kit_str(new_) };
	return kit_run(&q);
}

static inline int kit_edits(const char *name, const char *edits)
{
	struct editor_request q = { .command = kit_str("str_replace"),
				    .path = kit_str(kit_path(name)),
				    .edits = kit_str(edits) };
	return kit_run(&q);
}

static inline int kit_replace_all(const char *name, const char *old, const char *new_)
{
	struct editor_request q = { .command = kit_str("str_replace"),
				    .path = kit_str(kit_path(name)),
				    .old_str = kit_str(old),
				    .new_str = kit_str(new_),
				    .replace_all = true };
	return kit_run(&q);
}

static inline int kit_insert(const char *name, const char *line, const char *text)
{
	struct editor_request q = { .command = kit_str("insert"),
				    .path = kit_str(kit_path(name)),
				    .insert_line = kit_str(line),
				    .new_str = kit_str(text) };
	return kit_run(&q);
}

static inline int kit_undo(const char *name)
{
	struct editor_request q = { .command = kit_str("undo_edit"),
				    .path = kit_str(kit_path(name)) };
	return kit_run(&q);
}

static inline bool kit_says(const char *part)
{
	return strstr(kit_last.text.text, part) != NULL;
}

/** Apply a unified diff to a text. @return the other text, or NULL if the diff
 *  does not fit. */
static inline char *kit_patch(const char *old, size_t len, const char *diff)
{
	struct strbuf out = STRBUF((size_t)256 << 20);
	const char *p = old, *end = old + len;
	size_t line = 1;

	while (*diff && strncmp(diff, "@@ ", 3) != 0) /* names of the files */
		diff = strchr(diff, '\n') + 1;
	while (strncmp(diff, "@@ -", 4) == 0) {
		char *rest;
		size_t start = strtoul(diff + 4, &rest, 10), count = 1;

		if (*rest == ',')
			count = strtoul(rest + 1, &rest, 10);
		for (start += count == 0; line < start && p < end; line++) {
			const char *nl = memchr(p, '\n', (size_t)(end - p));

			nl = nl ? nl + 1 : end;
			strbuf_addn(&out, p, (size_t)(nl - p));
			p = nl;
		}
		diff = strchr(diff, '\n') + 1;
		while (*diff == ' ' || *diff == '-' || *diff == '+') {
			const char *text = diff + 1, *nl = strchr(text, '\n');
			bool open = strncmp(nl + 1, "\\ No newline", 12) == 0;
			size_t n = (size_t)(nl - text) + !open;

			if (*diff != '+') {
				if ((size_t)(end - p) < n || memcmp(p, text, n) != 0) {
					strbuf_clear(&out);
					return NULL;
				}
				p += n, line++;
			}
			if (*diff != '-')
				strbuf_addn(&out, text, n);
			diff = nl + 1;
			if (open)
				diff = strchr(diff, '\n') + 1;
		}
	}
	strbuf_addn(&out, p, (size_t)(end - p));
	if (*diff || out.error) {
		strbuf_clear(&out);
		return NULL;
	}
	return out.room ? strbuf_take(&out) : strdup("");
}

#endif
