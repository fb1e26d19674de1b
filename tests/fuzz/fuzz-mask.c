/* SPDX-License-Identifier: MIT
 *
 * fuzz-mask.c - pieces give what the whole gives; no secret is left in it, nor
 * any encoding of one that the text is extended by. The first line holds the
 * secrets, with commas between. */
#include "base64.h"
#include "js.h"
#include "mask.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { ROOM = 1 << 20, WORDS_MAX = 16 };

struct word {
	const char *text;
	size_t len;
};

static void in_pieces(const struct mask *m, const char *text, size_t n, size_t step,
		      struct strbuf *out)
{
	struct mask_stream s;

	mask_stream_init(&s, m);
	for (size_t i = 0; i < n; i += step)
		mask_stream_feed(&s, out, text + i, n - i < step ? n - i : step);
	mask_stream_end(&s, out);
	mask_stream_clear(&s);
}

static void same(const struct strbuf *a, const struct strbuf *b)
{
	if (a->error || b->error || a->len != b->len ||
	    memcmp(a->text, b->text, a->len) != 0)
		abort();
}

static void put_escaped(struct strbuf *out, struct word w, const char *format)
{
	for (size_t i = 0; i < w.len; i++)
		strbuf_addf(out, format, (unsigned char)w.text[i]);
}

/* The forms of a secret, one a line. */
static void put_forms(struct strbuf *out, struct word w)
{
	AUTO(strbuf) struct strbuf shifted = STRBUF(ROOM);

	strbuf_addn(out, w.text, w.len);
	strbuf_addc(out, '\n');
	put_escaped(out, w, "%02x");
	strbuf_addc(out, '\n');
	put_escaped(out, w, "\\\\u%04x");
	strbuf_addc(out, '\n');
	js_put_str(out, w.text, w.len);
	for (size_t before = 0; before < 3; before++) {
		strbuf_addc(out, '\n');
		strbuf_addc(&shifted, 'x');
		strbuf_addn(&shifted, w.text, w.len);
		base64_put(out, shifted.text, shifted.len);
		strbuf_cut(&shifted, before + 1);
	}
}

/* Does a mark touch these bytes? Together with text next to it, it may look like a
 * secret. */
static bool is_mark(const struct strbuf *got, size_t from, size_t len)
{
	size_t mark = strlen(MASK_TEXT), end = from + len + mark;

	from = from > mark ? from - mark : 0;
	end = end < got->len ? end : got->len;
	return memmem(got->text + from, end - from, MASK_TEXT, mark);
}

/* Neither a secret nor its digits are left. */
static void none_left(const struct strbuf *got, struct word w)
{
	AUTO(strbuf) struct strbuf hex = STRBUF(ROOM);
	size_t at = 0;
	const char *found;

	put_escaped(&hex, w, "%02x");
	if (memmem(got->text, got->len, hex.text, hex.len))
		abort();
	while ((found = memmem(got->text + at, got->len - at, w.text, w.len))) {
		at = (size_t)(found - got->text);
		if (!is_mark(got, at++, w.len))
			abort();
	}
}

static bool is_text(struct word w)
{
	for (size_t i = 0; i < w.len; i++)
		if ((unsigned char)w.text[i] >= 128 || !w.text[i])
			return false;
	return true;
}

static void check(const struct mask *m, const struct word *words, size_t count,
		  const char *text, size_t n)
{
	AUTO(strbuf) struct strbuf want = STRBUF(ROOM), got = STRBUF(ROOM);

	mask_put(m, &want, text, n);
	for (size_t step = 1; step < 8; step += 2) {
		strbuf_reset(&got);
		in_pieces(m, text, n, step, &got);
		same(&want, &got);
	}
	for (size_t i = 0; i < count; i++)
		none_left(&want, words[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const char *text = (const char *)bytes;
	const char *end = n ? memchr(text, '\n', n) : NULL;
	AUTO(strbuf) struct strbuf whole = STRBUF(ROOM);
	AUTO(mask) struct mask *m = mask_new();
	struct word words[WORDS_MAX];
	size_t count = 0;

	if (!end || n > 4096)
		return 0;
	for (const char *p = text; p < end && count < ARRAY_LEN(words);) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		struct word w = { p, (size_t)((comma ? comma : end) - p) };

		p += w.len + 1;
		if (is_text(w) && w.len >= MASK_MIN &&
		    mask_add(m, w.text, w.len) == MT_OK &&
		    !mask_is_placeholder(w.text, w.len))
			words[count++] = w;
	}
	n -= (size_t)(end + 1 - text);
	text = end + 1;
	check(m, words, count, text, n);
	strbuf_addn(&whole, text, n);
	for (size_t i = 0; i < count; i++) {
		strbuf_addc(&whole, '\n');
		put_forms(&whole, words[i]);
	}
	check(m, words, count, whole.text ? whole.text : "", whole.len);
	return 0;
}
