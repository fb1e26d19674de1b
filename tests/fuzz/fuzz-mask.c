/* SPDX-License-Identifier: MIT
 *
 * fuzz-mask.c - pieces give what the whole gives, and that is what the plainest
 * search gives. The first line holds the secrets, with commas between. */
#include "mask.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct word {
	const char *text;
	size_t len;
};

static size_t longest(const struct word *words, size_t count, const char *text, size_t n)
{
	size_t best = 0;

	for (size_t i = 0; i < count; i++)
		if (words[i].len >= MASK_MIN && words[i].len <= n &&
		    words[i].len > best && memcmp(words[i].text, text, words[i].len) == 0)
			best = words[i].len;
	return best;
}

static void plain(const struct word *words, size_t count, const char *text, size_t n,
		  struct strbuf *out)
{
	for (size_t i = 0; i < n;) {
		size_t len = longest(words, count, text + i, n - i);

		if (len > 0)
			strbuf_add(out, MASK_TEXT);
		else
			strbuf_addc(out, text[i]);
		i += len ? len : 1;
	}
}

static void in_pieces(const struct mask *m, size_t max, const char *text, size_t n,
		      size_t step, struct strbuf *out)
{
	struct mask_stream s;

	mask_stream_init(&s, m);
	for (size_t i = 0; i < n; i += step) {
		mask_stream_feed(&s, out, text + i, n - i < step ? n - i : step);
		if (s.held.len >= max + (max == 0))
			abort();
	}
	mask_stream_end(&s, out);
	mask_stream_clear(&s);
}

static void same(const struct strbuf *a, const struct strbuf *b)
{
	if (a->error || b->error || a->len != b->len ||
	    memcmp(a->text, b->text, a->len) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const char *text = (const char *)bytes;
	const char *end = n ? memchr(text, '\n', n) : NULL;
	AUTO(strbuf) struct strbuf want = STRBUF(1 << 20), got = STRBUF(1 << 20);
	AUTO(mask) struct mask *m = mask_new();
	struct word words[16];
	size_t count = 0, max = 0;

	if (!end)
		return 0;
	for (const char *p = text; p < end && count < ARRAY_LEN(words);) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		size_t len = (size_t)((comma ? comma : end) - p);

		words[count++] = (struct word){ p, len };
		mask_add(m, p, len);
		if (len >= MASK_MIN && len > max)
			max = len;
		p += len + 1;
	}
	n -= (size_t)(end + 1 - text);
	text = end + 1;
	plain(words, count, text, n, &want);
	mask_put(m, &got, text, n);
	same(&want, &got);
	for (size_t step = 1; step < 8; step += 2) {
		strbuf_reset(&got);
		in_pieces(m, max, text, n, step, &got);
		same(&want, &got);
	}
	return 0;
}
