/* SPDX-License-Identifier: MIT
 *
 * fuzz-commands.c - input of a client, cut at random: each line that is not
 * empty gets one result, results are whole lines of JSON and repeat the id. */
#include "frontends/protocol.h"
#include "files.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#include "../frontends/fake.h"

static struct conversation *conversation;

static bool is_empty(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && (line[n] == ' ' || line[n] == '\t'))
		n++;
	return n == len || (n + 1 == len && line[n] == '\r');
}

static size_t lines_in(const char *bytes, size_t n)
{
	size_t count = 0;

	for (const char *end; (end = memchr(bytes, '\n', n));) {
		count += !is_empty(bytes, (size_t)(end - bytes));
		n -= (size_t)(end - bytes) + 1;
		bytes = end + 1;
	}
	return count;
}

/* Check every line; @return how many results there are. */
static size_t results_in(const struct strbuf *got)
{
	size_t count = 0;
	char *end;

	for (char *at = got->text; at < got->text + got->len; at = end + 1) {
		end = memchr(at, '\n', (size_t)(got->text + got->len - at));
		if (!end)
			abort();
		AUTO(json) json_object *o = js_parse_object(at, (size_t)(end - at), NULL);

		if (!o)
			abort();
		if (strcmp(js_str(o, "type", ""), "result") != 0)
			continue;
		count++;
		if (!js_bool(o, "ok", false) && !*js_str(o, "error", ""))
			abort();
	}
	return count;
}

static size_t run(const char *bytes, size_t n, size_t step)
{
	struct session_options o = { .from = -1 };
	AUTO(session) struct session *s = session_new(conversation, &o);
	AUTO(strbuf) struct strbuf got = STRBUF(64 << 20), piece = STRBUF(64 << 20);

	for (size_t i = 0; i < n; i += step) {
		session_feed(s, bytes + i, n - i < step ? n - i : step);
		while (session_take(s, &piece))
			strbuf_addn(&got, piece.text, piece.len);
	}
	return results_in(&got);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	size_t want = lines_in((const char *)bytes, n);

	if (conversation && evlog_count(conversation->log) > 2000) {
		fake_free(conversation);
		conversation = NULL;
	}
	if (!conversation)
		conversation = fake_new("/tmp/mortise-fuzz-commands");
	if (run((const char *)bytes, n, n + 1) != want ||
	    run((const char *)bytes, n, 1) != want)
		abort();
	return 0;
}
