/* SPDX-License-Identifier: MIT
 *
 * fuzz-screen.c - terminal bytes to text: the same in one piece as in many,
 * and text that was taken is not returned again. */
#include "plugins/tools/bash/screen.h"
#include "utf8.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void nothing(void *arg, const char *bytes, size_t len)
{
	(void)arg, (void)bytes, (void)len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct screen_hooks hooks = { nothing, nothing, NULL };
	const char *bytes = (const char *)data;
	size_t step = size ? data[0] % 7u + 1 : 1;
	AUTO(strbuf) struct strbuf whole = STRBUF(1 << 24), pieces = STRBUF(1 << 24);
	struct screen *a = screen_new(&hooks), *b = screen_new(&hooks);

	if (!a || !b)
		abort();
	screen_feed(a, bytes, size);
	for (size_t i = 0; i < size; i += step)
		screen_feed(b, bytes + i, size - i < step ? size - i : step);
	if (screen_take(a, false, &whole) != MT_OK ||
	    screen_take(b, false, &pieces) != MT_OK)
		abort();
	/* libvterm sees invalid text by the piece. */
	if (utf8_valid(bytes, size) &&
	    (whole.len != pieces.len || memcmp(whole.text, pieces.text, whole.len)))
		abort();
	strbuf_reset(&whole);
	screen_take(a, false, &whole);
	if (whole.len)
		abort();
	screen_take(b, true, &pieces);
	if (screen_has_text(b))
		abort();
	screen_free(a);
	screen_free(b);
	return 0;
}
