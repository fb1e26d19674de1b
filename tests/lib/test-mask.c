/* SPDX-License-Identifier: MIT
 *
 * test-mask.c - no secret leaks, whole or in pieces. */
#include "base64.h"
#include "log.h"
#include "mask.h"
#include "oom.h"
#include "tap.h"
#include <fcntl.h>

#define X MASK_TEXT

static const struct { const char *in, *out; } cases[] = {
	{ "", "" },
	{ "nothing here", "nothing here" },
	{ "a sekret-1.", "a " X "." },
	{ "sekret-1-more", X },
	{ "sekret-1-mor", X },
	{ "sekret-1-mor.", X "-mor." },
	{ "t-1-cret", X },
	{ "t-1-cret.", "t-1-cret." },
	{ "sekret-1", X },
	{ "sekret-", "sekret-" },
	{ "sesekret-1", "se" X },
	{ "sekret-1sekret-1", X X },
	{ "abababcdababababcd", X "ab" X },
	{ "aabababababcdababab", "aabab" X "ababab" },
	{ "t-1-cretin sekret-1cretin", X " " X "cretin" },
	{ "\\\\sekret-1\\n", X "\\n" },
	{ "100% of \\ and % and \\\\", "100% of \\ and % and \\\\" },
	{ "short pw test", "short pw test" },
};

static struct mask *make(void)
{
	static const char *const secrets[] = { "sekret-1", "sekret-1-more", "t-1-cretin",
					       "abababcd", "", "sekret-1" };
	struct mask *m = mask_new();

	for (size_t i = 0; m && i < ARRAY_LEN(secrets); i++)
		if (mask_add(m, secrets[i], strlen(secrets[i])))
			return mask_free(m);
	return m;
}

static void whole_and_cut_everywhere(void)
{
	AUTO(mask) struct mask *m = make();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf got = STRBUF(4096);
		size_t len = strlen(cases[i].in);

		mask_put(m, &got, cases[i].in, len);
		CHECK_STR(got.text, cases[i].out);
		for (size_t cut = 0; cut <= len; cut++) {
			struct mask_stream s;

			strbuf_reset(&got);
			mask_stream_init(&s, m);
			mask_stream_feed(&s, &got, cases[i].in, cut);
			CHECK_MSG(s.held.len <= strlen("sekret-1-more"),
				  "little is held back");
			mask_stream_feed(&s, &got, cases[i].in + cut, len - cut);
			mask_stream_end(&s, &got);
			mask_stream_clear(&s);
			if (strcmp(got.text, cases[i].out) != 0)
				CHECK_MSG(0, "case %zu cut at %zu: %s", i, cut, got.text);
		}
	}
}

static void what_is_no_secret_passes_at_once(void)
{
	AUTO(mask) struct mask *m = make();
	AUTO(strbuf) struct strbuf got = STRBUF(4096);
	struct mask_stream s;

	mask_stream_init(&s, m);
	mask_stream_feed(&s, &got, "hello sek", 9);
	CHECK_STR(got.text, "hello ");
	mask_stream_feed(&s, &got, "on.", 3);
	CHECK_STR(got.text, "hello sekon.");
	mask_stream_clear(&s);
	CHECK(mask_is_empty(NULL) && !mask_is_empty(m));
}

static void every_string_of_a_value(void)
{
	static const char text[] =
		"{\"keep\":\"sekret-1\",\"a\":\"x sekret-1\","
		"\"l\":[\"abababcd\",{\"keep\":\"t-1-cretin\",\"n\":1}],"
		"\"sekret-1\":null}";
	static const char *const skip[] = { "keep", NULL };
	AUTO(mask) struct mask *m = make();
	AUTO(json) json_object *o = js_parse(text, sizeof text - 1, NULL);
	bool changed = false;

	CHECK(mask_json(m, o, skip, &changed) == MT_OK && changed);
	CHECK_STR(js_text(o, NULL), "{\"keep\":\"sekret-1\",\"a\":\"x " X "\",\"l\":[\"" X
				    "\",{\"keep\":\"" X "\",\"n\":1}],\"" X "\":null}");
	changed = false;
	CHECK(mask_json(m, o, NULL, &changed) == MT_OK && changed);
	changed = false;
	CHECK(mask_json(m, o, NULL, &changed) == MT_OK && !changed);
}

static void a_text_without_its_beginning(void)
{
	static const struct { const char *in, *out; } rests[] = {
		{ "ret-1-more and sekret-1", X " and " X }, { "1-more", "1-more" },
		{ "xret-1-more", "xret-1-more" }, { "", "" },
	};
	AUTO(mask) struct mask *m = make();

	for (size_t i = 0; i < ARRAY_LEN(rests); i++) {
		AUTO(strbuf) struct strbuf got = STRBUF(4096);

		mask_put_rest(m, &got, rests[i].in, strlen(rests[i].in));
		CHECK_STR(got.text, rests[i].out);
	}
}

static void lines_of_the_log(void)
{
	AUTO(mask) struct mask *m = make();
	int fds[2];
	char line[512];
	ssize_t n;

	if (pipe2(fds, O_CLOEXEC) != 0) {
		CHECK_MSG(0, "a pipe");
		return;
	}
	log_setup(fds[1], MT_LOG_INFO, "test");
	log_set_mask(m);
	log_context("bash", "one", NULL);
	log_line(MT_LOG_INFO, "llm", "a %s\nof two lines \xff", "sekret-1");
	log_line(MT_LOG_DEBUG, "llm", "not this");
	log_context(NULL, NULL, NULL);
	log_setup(-1, MT_LOG_INFO, "test");
	log_set_mask(NULL);
	n = read(fds[0], line, sizeof line - 1);
	line[n > 0 ? n : 0] = '\0';
	CHECK_MSG(n > 25 && line[10] == 'T' && line[23] == 'Z', "the time comes first");
	CHECK_STR(n > 25 ? line + 25 : "",
		  "info llm: a " X
		  " of two lines \xef\xbf\xbd plugin=bash instance=one\n");
	CHECK(!log_wants(MT_LOG_ERROR));
	close(fds[0]);
	close(fds[1]);
}

/* ---- forms ------------------------------------------------------------------- */

enum { FORM_ROOM = 1024 };

static void put_url(struct strbuf *out, const char *key, const char *format, bool all)
{
	for (const char *p = key; *p; p++)
		if (all || !strchr("abcdefghijklmnopqrstuvwxyz0123456789-._~", *p))
			strbuf_addf(out, format, (unsigned char)*p);
		else
			strbuf_addc(out, *p);
}

static void put_base64(struct strbuf *out, const char *before, const char *key,
		       const char *after)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(FORM_ROOM);

	strbuf_addf(&whole, "%s%s%s", before, key, after);
	base64_put(out, whole.text, whole.len);
}

static void put_wrapped(struct strbuf *out, const char *text, size_t len, const char *end)
{
	for (size_t i = 0; i < len; i += 7)
		strbuf_addf(out, "%.7s%s", text + i, i + 7 < len ? end : "");
}

static void put_json(struct strbuf *out, const char *key, int depth)
{
	AUTO(strbuf) struct strbuf text = STRBUF(FORM_ROOM);

	strbuf_add(&text, key);
	while (depth-- > 0) {
		strbuf_reset(out);
		js_put_str(out, text.text, text.len);
		strbuf_reset(&text);
		strbuf_addn(&text, out->text + 1, out->len - 2);
	}
	strbuf_reset(out);
	strbuf_addn(out, text.text, text.len);
}

/* The form `n` of a key; false: there is none. */
static bool put_form(struct strbuf *out, const char *key, int n)
{
	static const char *const around[] = { "", "a", "ab", "abc", "\xff\xff" };
	AUTO(strbuf) struct strbuf plain = STRBUF(FORM_ROOM);

	strbuf_reset(out);
	switch (n) {
	case 0:
		return strbuf_add(out, key) == MT_OK;
	case 1:
	case 2:
		put_url(out, key, n == 1 ? "%%%02X" : "%%%02x", false);
		return true;
	case 3:
		put_url(out, key, "%%%02X", true);
		return true;
	case 4:
		put_url(out, key, "%%25%02X", false);
		return true;
	case 5:
	case 6:
		put_url(out, key, n == 5 ? "%02x" : "%02X", true);
		return true;
	case 7:
		put_url(out, key, "\\u%04x", true);
		return true;
	case 8:
		put_url(out, key, "\\\\u%04X", true);
		return true;
	case 9:
		put_url(out, key, "\\x%02x", true);
		return true;
	case 10:
	case 11:
	case 12:
		put_json(out, key, n - 9);
		return true;
	case 13:
		for (const char *p = key; *p; p++)
			strbuf_addf(out, "%s%c", *p == '/' ? "\\" : "", *p);
		return true;
	case 14:
		for (const char *p = key; *p; p++)
			strbuf_addc(out, *p == ' ' ? '+' : *p);
		return true;
	default:
		break;
	}
	n -= 15;
	if (n >= 4 * 25)
		return false;
	put_base64(&plain, around[n % 5], key, around[n / 5 % 5]);
	if (n / 25 == 1) /* the URL alphabet, without padding */
		for (size_t i = plain.len; i-- > 0;) {
			if (plain.text[i] == '=')
				strbuf_cut(&plain, i);
			else if (plain.text[i] == '+' || plain.text[i] == '/')
				plain.text[i] = plain.text[i] == '+' ? '-' : '_';
		}
	if (n / 25 == 2)
		put_wrapped(out, plain.text, plain.len, "\r\n");
	else if (n / 25 == 3) /* a line break of JSON, escaped slashes */
		for (size_t i = 0; i < plain.len; i++)
			strbuf_addf(out, "%s%s%c", i == 9 ? "\\n" : "",
				    plain.text[i] == '/' ? "\\" : "", plain.text[i]);
	else
		strbuf_addn(out, plain.text, plain.len);
	return true;
}

/* Only digits shared with the bytes around a secret are left. */
static void check_form(const struct mask *m, const char *key, int n, const char *form,
		       size_t len)
{
	AUTO(strbuf) struct strbuf got = STRBUF(2 * FORM_ROOM),
				   whole = STRBUF(2 * FORM_ROOM);
	struct mask_stream s;
	const char *at;

	mask_put(m, &whole, form, len);
	at = strstr(whole.text, X);
	CHECK_MSG(at && at - whole.text <= 6 && whole.len <= strlen(X) + 14,
		  "form %d of %s: %.*s: %s", n, key, (int)len, form, whole.text);
	for (size_t cut = 1; cut < len; cut++) {
		strbuf_reset(&got);
		mask_stream_init(&s, m);
		mask_stream_feed(&s, &got, form, cut);
		mask_stream_feed(&s, &got, form + cut, len - cut);
		mask_stream_end(&s, &got);
		mask_stream_clear(&s);
		if (strcmp(got.text, whole.text) != 0)
			CHECK_MSG(0, "form %d of %s cut at %zu: %s", n, key, cut,
				  got.text);
	}
	strbuf_reset(&got);
	mask_stream_init(&s, m);
	for (size_t i = 0; i < len; i++)
		mask_stream_feed(&s, &got, form + i, 1);
	mask_stream_end(&s, &got);
	mask_stream_clear(&s);
	CHECK_STR(got.text, whole.text);
}

static void every_form_cut_everywhere(void)
{
	static const char *const keys[] = {
		"sk-abcDEF0123456789", "hunter22", "p/a+s s=w&o?rd%41", "back\\slash\\\\\"quoted\"",
		"\\u0041\\starts with one", "%41%20 percent", "two\nlines\tof text\n.",
		"sch\xc3\xb6n-\xe2\x82\xac-\xf0\x9f\x98\x80", "nnnnuuuu\\nx41", "ends with \\",
	};

	for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
		AUTO(mask) struct mask *m = mask_new();
		AUTO(strbuf) struct strbuf form = STRBUF(4 * FORM_ROOM);

		mask_add(m, keys[k], strlen(keys[k]));
		for (int n = 0; put_form(&form, keys[k], n); n++)
			check_form(m, keys[k], n, form.text, form.len);
	}
}

static void short_keys_and_placeholders(void)
{
	static const char *const placeholders[] = {
		"test", "x", "dummy", "none", "EMPTY", "not-needed", "changeme",
		"your-api-key", "YOUR_API_KEY", "<your-api-key>", "sk-no-key-required",
		"lm-studio", "ollama", "xxxxxxxx", "sk-xxxxxxxxxxxxxxxxxxxx",
		"sk-xxxx-xxxx-xxxx", "********", "sk-00000000000000", "secret_hidden", "1234567",
	};
	static const char letters[] = "k7Qp2Vx9Lm4Rt8Zb3Nc6Wd1Hs5Jf0GyTuAeIoBvCx";

	for (size_t i = 0; i < ARRAY_LEN(placeholders); i++) {
		AUTO(mask) struct mask *m = mask_new();
		size_t len = strlen(placeholders[i]);

		CHECK_MSG(mask_add(m, placeholders[i], len) == MT_EINVAL, "%s is refused",
			  placeholders[i]);
		CHECK_MSG(mask_add(m, placeholders[i], len) == MT_OK, "%s is added once",
			  placeholders[i]);
		CHECK(mask_is_empty(m));
	}
	for (size_t len = 1; len <= 40; len++) {
		AUTO(mask) struct mask *m = mask_new();
		AUTO(strbuf) struct strbuf got = STRBUF(FORM_ROOM);

		CHECK(mask_add(m, letters, len) == (len < MASK_MIN ? MT_EINVAL : MT_OK));
		mask_put(m, &got, letters, len);
		CHECK_MSG((strcmp(got.text, X) == 0) == (len >= MASK_MIN),
			  "%zu bytes: %s", len, got.text);
	}
}

static void without_memory(void)
{
	OOM_EACH({
		AUTO(mask) struct mask *m = make();
		AUTO(strbuf) struct strbuf got = STRBUF(4096);
		struct mask_stream s;

		mask_stream_init(&s, m);
		if (m) {
			mask_stream_feed(&s, &got, "sekre", 5);
			mask_stream_feed(&s, &got, "t-1", 3);
			mask_stream_end(&s, &got);
			if (got.len > 0 && strcmp(got.text, X) != 0)
				CHECK_MSG(0, "a secret got out");
		}
		mask_stream_clear(&s);
	});
	OOM_EACH({
		static const char text[] =
			"{\"sekret-1\":[\"a sekret-1\"],\"b\":\"sekret-1\"}";
		AUTO(mask) struct mask *m = make();
		AUTO(json) json_object *o = js_parse(text, sizeof text - 1, NULL);
		const char *masked = m && o && mask_json(m, o, NULL, NULL) == MT_OK
					     ? js_text(o, NULL)
					     : NULL;

		if (masked && strstr(masked, "sekret"))
			CHECK_MSG(0, "a secret got out of a value");
	});
	CHECK_OOM();
}

int main(void)
{
	whole_and_cut_everywhere();
	what_is_no_secret_passes_at_once();
	every_string_of_a_value();
	every_form_cut_everywhere();
	short_keys_and_placeholders();
	a_text_without_its_beginning();
	lines_of_the_log();
	without_memory();
	return tap_done();
}
