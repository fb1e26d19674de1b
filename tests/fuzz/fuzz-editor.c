/* SPDX-License-Identifier: MIT
 *
 * fuzz-editor.c - any file, any arguments: a call that fails leaves the file
 * as it was, one that works is undone to the same bytes, its diff makes the
 * new content of the old one, and what the model reads is UTF-8.
 *
 * Input: a byte that chooses the command, then fields of the call, each ended
 * by the byte 0x01, then the file. */
#include "js.h"
#include "tests/tools/editor-kit.h"
#include "utf8.h"
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

/* The next field as a text that a model could send: valid UTF-8. */
static char *field(const uint8_t **data, size_t *size)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	const uint8_t *end = *size ? memchr(*data, 1, *size) : NULL;
	size_t n = end ? (size_t)(end - *data) : *size;

	utf8_add_clean(&out, (const char *)*data, n);
	*data += n + (end != NULL);
	*size -= n + (end != NULL);
	return out.room ? strbuf_take(&out) : strdup("");
}

static void check_text(const struct strbuf *b, const char *what)
{
	demand(utf8_valid(b->text, b->len), what);
}

static void check_call(int status, const uint8_t *file, size_t size)
{
	AUTO(free) char *patched = NULL;

	demand(status == MT_OK || kit_last.text.len, "a failure without a sentence");
	check_text(&kit_last.text, "text");
	check_text(&kit_last.old_content, "old content");
	check_text(&kit_last.diff, "diff");
	if (!kit_last.edited) {
		demand(kit_is("f", (const char *)file, size), "changed without an edit");
		return;
	}
	if (kit_last.has_old && kit_last.has_new && kit_last.diff.len) {
		patched = kit_patch(kit_last.old_content.text, kit_last.old_content.len,
				    kit_last.diff.text);
		demand(patched && strcmp(patched, kit_last.new_content.text) == 0,
		       "the diff");
	}
	demand(kit_undo("f") == MT_OK, "an edit that cannot be undone");
	demand(kit_is("f", (const char *)file, size), "undone to other bytes");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(free) char *a = NULL, *b = NULL;
	int how, status;

	if (size == 0)
		return 0;
	if (!kit_root[0]) {
		kit_open();
		atexit(kit_close);
	}
	how = *data++ % 4, size--;
	a = field(&data, &size);
	b = field(&data, &size);
	kit_put("f", (const char *)data, size);
	kit_restart();
	status = how == 0   ? kit_view("f", a)
		 : how == 1 ? kit_replace("f", a, b)
		 : how == 2 ? kit_insert("f", a, b)
			    : (kit_view("f", NULL), kit_replace("f", a, b));
	check_call(status, data, size);
	return 0;
}
