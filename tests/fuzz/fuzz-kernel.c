/* SPDX-License-Identifier: MIT
 *
 * fuzz-kernel.c - messages of a Jupyter kernel: parts into a message, a message
 * into text and images. Parts are cut out of the input by their lengths; a first
 * byte that is odd has them signed, so that what lies behind the signature is
 * reached too. */
#include "plugins/tools/ipython/plain.h"
#include "plugins/tools/ipython/show.h"
#include "plugins/tools/ipython/wire.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct output output;
static struct plain plain;

static void on_text(void *arg, const char *bytes, size_t len)
{
	AUTO(strbuf) struct strbuf live = STRBUF(1 << 20);

	(void)arg;
	plain_add(&plain, bytes, len, &live);
	if (memchr(live.text, '\033', live.len) || live.len > len)
		abort();
}

static void on_image(void *arg, const char *mime, const void *bytes, size_t len)
{
	(void)arg, (void)bytes;
	if (strncmp(mime, "image/", 6) != 0 || !len)
		abort();
}

static void on_clear(void *arg)
{
	(void)arg;
	plain_reset(&plain);
	if (!plain_at_start(&plain))
		abort();
}

static const struct cell_events events = { .text = on_text, .block = on_text,
					   .image = on_image, .clear = on_clear };

static void show(const struct wire_message *m)
{
	static const char *const types[] = { "stream", "display_data", "error",
					     "clear_output" };

	plain_init(&plain, &output);
	show_message(wire_type(m), m->content, &events, NULL);
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		show_message(types[i], m->content, &events, NULL);
	show_payload(m->content, &events, NULL);
	plain_end(&plain);
	plain_clear(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mt_str parts[WIRE_PARTS_MAX];
	char hex[WIRE_HEX + 1];
	struct wire_message m;
	size_t n = 0, at = 1;

	if (!size)
		return 0;
	while (at + 2 <= size && n < WIRE_PARTS_MAX) {
		size_t len = data[at] + 256u * data[at + 1];

		at += 2;
		len = len < size - at ? len : size - at;
		parts[n++] = (struct mt_str){ (const char *)data + at, len };
		at += len;
	}
	if (data[0] & 1 && n > 1 + WIRE_SIGNED) {
		parts[0] = (struct mt_str)MT_STR(WIRE_MARK);
		if (wire_sign("key", parts + 2, hex) != MT_OK)
			abort();
		parts[1] = (struct mt_str){ hex, WIRE_HEX };
	}
	int status = wire_read("key", parts, n, &m, NULL);

	if (data[0] & 1 && n > 1 + WIRE_SIGNED && status == MT_EDENIED)
		abort();
	if ((status == MT_OK) != (m.header && m.parent && m.content))
		abort();
	if (status == MT_OK) {
		struct wire_message other;

		if (wire_read("another", parts, n, &other, NULL) != MT_EDENIED)
			abort();
		show(&m);
	}
	wire_clear(&m);
	return 0;
}
