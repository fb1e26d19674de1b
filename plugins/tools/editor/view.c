/* SPDX-License-Identifier: MIT
 *
 * view.c - formats numbered lines; detects image files. */
#include "view.h"
#include "editor.h"
#include "utf8.h"
#include <string.h>
#include <strings.h>

static void number_lines(const char *text, size_t len, size_t first, struct strbuf *out)
{
	const char *end = text + len;

	for (size_t n = first; text < end; n++) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)((nl ? nl : end) - text);

		strbuf_addf(out, "%6zu\t", n);
		strbuf_addn(out, text, line);
		strbuf_addc(out, '\n');
		text += line + 1;
	}
}

int view_lines(const struct textfile *f, size_t first, size_t last, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(16 * EDITOR_SHOWN_MAX);
	size_t from = textfile_line_at(f, first), to = textfile_line_at(f, last + 1);
	size_t len = to - from, most = 4 * (EDITOR_SHOWN_MAX + 1), cut, line = first;

	if (utf8_add_clean(&shown, f->text.text + from, len < most ? len : most) != MT_OK)
		return shown.error;
	cut = utf8_offset(shown.text, shown.len, EDITOR_SHOWN_MAX);
	if (cut < shown.len) {
		strbuf_cut(&shown, cut);
		for (size_t i = 0; i < cut; i++)
			line += shown.text[i] == '\n';
		strbuf_addf(&shown,
			    "<response clipped><NOTE>Cut after %d characters, in line "
			    "%zu of %zu: use `view_range` for the rest.</NOTE>",
			    EDITOR_SHOWN_MAX, line, textfile_lines(f));
	}
	if (shown.error)
		return shown.error;
	number_lines(shown.text, shown.len, first, out);
	return out->error;
}

const char *image_type(const char *path, const char *bytes, size_t len)
{
	static const struct {
		const char *ending, *mime, *magic;
		size_t magic_len;
	} types[] = {
		{ ".png", "image/png", "\x89PNG\r\n", 6 },
		{ ".jpg", "image/jpeg", "\xff\xd8\xff", 3 },
		{ ".jpeg", "image/jpeg", "\xff\xd8\xff", 3 },
		{ ".gif", "image/gif", "GIF8", 4 },
		{ ".webp", "image/webp", "RIFF", 4 },
		{ ".bmp", "image/bmp", "BM", 2 },
	};
	const char *dot = strrchr(path, '.'), *mime = NULL;

	for (size_t i = 0; dot && i < ARRAY_LEN(types); i++)
		if (strcasecmp(dot, types[i].ending) == 0)
			mime = types[i].mime;
	if (!mime || (len >= 12 && memcmp(bytes, "RIFF", 4) == 0 &&
		      memcmp(bytes + 8, "WEBP", 4) != 0))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (len > types[i].magic_len &&
		    memcmp(bytes, types[i].magic, types[i].magic_len) == 0)
			return types[i].mime;
	return NULL;
}
