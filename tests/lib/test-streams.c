/* SPDX-License-Identifier: MIT
 *
 * test-streams.c - the push parsers, jsonl and sse, cut at every byte. */
#include "jsonl.h"
#include "oom.h"
#include "sse.h"
#include "tap.h"

static int collect_event(const char *name, const char *data, size_t len, void *arg)
{
	struct strbuf *out = arg;

	strbuf_addf(out, "[%s|", name);
	strbuf_addn(out, data, len);
	strbuf_addc(out, ']');
	return strcmp(name, "stop") == 0 ? 7 : out->error;
}

static int collect_line(char *line, size_t len, void *arg)
{
	struct strbuf *out = arg;

	if (strlen(line) != len)
		return MT_EINVAL;
	strbuf_addf(out, "<%s>", line);
	return strcmp(line, "stop") == 0 ? 7 : out->error;
}

static const struct { const char *in, *out; int status;
} events[] = {
	{ "data: a\n\n", "[message|a]", 0 },
	{ "data:a\r\ndata: b\r\n\r\n", "[message|a\nb]", 0 },
	{ "event: x\rdata: 1\r\r", "[x|1]", 0 },
	{ "data: 1\r\n\ndata: 2\n\r\n", "[message|1][message|2]", 0 },
	{ ": comment\n\ndata\n\n", "[message|]", 0 },
	{ "data\ndata\n\n", "[message|\n]", 0 },
	{ "event: lost\n\ndata: x\n\n", "[message|x]", 0 },
	{ "id: 7\nretry: 9\nfuture: yes\nDATA: no\ndata:  two\n\n", "[message| two]", 0 },
	{ "\xef\xbb\xbf"
	  "data: bom\n\n",
	  "[message|bom]", 0 },
	{ "\xef\xbb"
	  "data: half\n\ndata: x\n\n",
	  "[message|x]", 0 },
	{ "\n\xef\xbb\xbf"
	  "data: late\n\n",
	  "", 0 },
	{ "data: cut", "", 0 },
	{ "data: cut\n", "", 0 },
	{ "event: stop\ndata: 1\n\ndata: 2\n\n", "[stop|1]", 7 },
	{ "data: a line that is longer than the limit of forty bytes\n\n", "",
	  MT_ELIMIT },
	{ "data: many lines of data\ndata: that are together\ndata: too long\n\n", "",
	  MT_ELIMIT },
};

static int feed_sse(const char *in, size_t len, size_t cut, struct strbuf *got)
{
	struct sse s;
	int status;

	sse_init(&s, 40, collect_event, got);
	status = sse_feed(&s, in, cut);
	if (sse_feed(&s, in + cut, len - cut) && !status)
		status = s.error;
	sse_done(&s);
	return status;
}

static const struct { const char *in, *out; int status; } lines[] = {
	{ "a\nb\r\n\n\r\nrest", "<a><b><><>", 0 },
	{ "a\rb\n\r\r\n", "<a\rb><\r>", 0 },
	{ "0123456789\n0123456789\r\n", "<0123456789><0123456789>", 0 },
	{ "a\n01234567890\n", "<a>", MT_ELIMIT },
	{ "01234567890\r\n", "", MT_ELIMIT },
	{ "012345678901", "", MT_ELIMIT },
	{ "stop\nb\n", "<stop>", 7 },
};

static int feed_jsonl(const char *in, size_t len, size_t cut, struct strbuf *got)
{
	struct jsonl j;
	int status;

	jsonl_init(&j, 10, collect_line, got);
	jsonl_feed(&j, in, cut);
	status = jsonl_feed(&j, in + cut, len - cut);
	if (jsonl_feed(&j, "x\n", 2) != status && status)
		status = 99; /* it must stick */
	jsonl_done(&j);
	return status;
}

static void cut_everywhere(const char *what, size_t i, const char *in, const char *out,
			   int status,
			   int (*feed)(const char *, size_t, size_t, struct strbuf *))
{
	size_t len = strlen(in), wrong = 0;

	for (size_t cut = 0; cut <= len; cut++) {
		AUTO(strbuf) struct strbuf got = STRBUF(1024);
		int is = feed(in, len, cut, &got);

		/* What comes after the end is only there to see the error stick. */
		if (is != status || strncmp(got.text, out, strlen(out)) != 0) {
			printf("# cut at %zu: %d %s\n", cut, is, got.text);
			wrong++;
		}
	}
	CHECK_MSG(wrong == 0, "%s %zu, cut everywhere", what, i);
}

static void without_memory(void)
{
	OOM_EACH({
		AUTO(strbuf) struct strbuf got = STRBUF(1024);
		int status = feed_sse(events[1].in, strlen(events[1].in), 5, &got);

		if (oom_hit && status != MT_ENOMEM)
			CHECK_MSG(0, "sse: an allocation failed unnoticed");
	});
	OOM_EACH({
		AUTO(strbuf) struct strbuf got = STRBUF(1024);
		int status = feed_jsonl("a\n", 2, 1, &got);

		if (oom_hit && status != MT_ENOMEM && !got.error)
			CHECK_MSG(0, "jsonl: an allocation failed unnoticed");
	});
	CHECK_OOM();
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		cut_everywhere("events", i, events[i].in, events[i].out, events[i].status,
			       feed_sse);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		cut_everywhere("lines", i, lines[i].in, lines[i].out, lines[i].status,
			       feed_jsonl);
	without_memory();
	return tap_done();
}
