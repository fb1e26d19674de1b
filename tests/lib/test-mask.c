/* SPDX-License-Identifier: MIT
 *
 * test-mask.c - no secret gets out, whole or in pieces. */
#include "log.h"
#include "mask.h"
#include "oom.h"
#include "tap.h"
#include <fcntl.h>

#define X MASK_TEXT

static const struct { const char *in, *out; } cases[] = {
	{ "", "" },
	{ "nothing here", "nothing here" },
	{ "a secret.", "a " X "." },
	{ "secretive", X },
	{ "secretiv", X "iv" },
	{ "secret", X },
	{ "secre", "secre" },
	{ "sesecret", "se" X },
	{ "secretsecret", X X },
	{ "abababab", X X },
	{ "aababab", "a" X "ab" },
	{ "cretin secretin", X " " X "in" },
};

static struct mask *make(void)
{
	static const char *const secrets[] = { "secret", "secretive", "cretin", "abab",
					       "", "secret" };
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
			CHECK_MSG(s.held.len < strlen("secretive"),
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
	mask_stream_feed(&s, &got, "hello sec", 9);
	CHECK_STR(got.text, "hello ");
	mask_stream_feed(&s, &got, "ond", 3);
	CHECK_STR(got.text, "hello second");
	mask_stream_clear(&s);
	CHECK(mask_is_empty(NULL) && !mask_is_empty(m));
}

static void every_string_of_a_value(void)
{
	static const char text[] = "{\"keep\":\"secret\",\"a\":\"x secret\","
				   "\"l\":[\"abab\",{\"keep\":\"cretin\",\"n\":1}],"
				   "\"secret\":null}";
	static const char *const skip[] = { "keep", NULL };
	AUTO(mask) struct mask *m = make();
	AUTO(json) json_object *o = js_parse(text, sizeof text - 1, NULL);

	CHECK(mask_json(m, o, skip) == MT_OK);
	CHECK_STR(js_text(o, NULL),
		  "{\"keep\":\"secret\",\"a\":\"x " X "\",\"l\":[\"" X
		  "\",{\"keep\":\"" X "\",\"n\":1}],\"secret\":null}");
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
	log_line(MT_LOG_INFO, "llm", "a %s\nof two lines \xff", "secret");
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

static void without_memory(void)
{
	OOM_EACH({
		AUTO(mask) struct mask *m = make();
		AUTO(strbuf) struct strbuf got = STRBUF(4096);
		struct mask_stream s;

		mask_stream_init(&s, m);
		if (m) {
			mask_stream_feed(&s, &got, "secre", 5);
			mask_stream_feed(&s, &got, "t", 1);
			mask_stream_end(&s, &got);
			if (strcmp(got.text, X) != 0 && got.len > 0 && !got.error)
				CHECK_MSG(0, "a secret got out");
		}
		mask_stream_clear(&s);
	});
	CHECK_MSG(1, "every allocation failed once");
}

int main(void)
{
	whole_and_cut_everywhere();
	what_is_no_secret_passes_at_once();
	every_string_of_a_value();
	lines_of_the_log();
	without_memory();
	return tap_done();
}
