/* SPDX-License-Identifier: MIT
 *
 * decode-kit.h - a table of responses and the decoded replies, each fed
 * with every cut, and with the first allocation, the second, ... failing. */
#ifndef TESTS_LLM_DECODE_KIT_H
#define TESTS_LLM_DECODE_KIT_H

#include "decode.h"
#include "oom.h"
#include "tap.h"

struct decode_case {
	const char *name;
	int status;
	const char *type;
	const char *in;
	const char *out;     /* NULL: only the cuts matter */
	size_t len;          /* of `in`; 0: to its NUL */
};

static const struct mt_dialect *the_dialect(void)
{
	return mortise_plugin_v1()->components[0].functions;
}

static void every_cut(const struct decode_case *c)
{
	size_t len = c->len ? c->len : strlen(c->in), bad = 0;
	AUTO(strbuf) struct strbuf whole = STRBUF(1 << 20);

	decode_in_pieces(the_dialect(), c->status, c->type, c->in, len, 0, len + 1,
			 &whole);
	if (c->out)
		CHECK_STR(whole.text, c->out);
	for (size_t cut = 0; cut <= len; cut++) {
		AUTO(strbuf) struct strbuf got = STRBUF(1 << 20);

		decode_in_pieces(the_dialect(), c->status, c->type, c->in, len, cut,
				 cut ? len : 1, &got);
		if (strcmp(got.text, whole.text) != 0 && !bad++)
			printf("# cut at %zu: %s\n", cut, got.text);
	}
	CHECK_MSG(!bad, "%s, cut everywhere", c->name);
}

/* Whatever fails, nothing is lost or used after it was freed; valgrind and the
 * sanitizers tell. */
static void without_memory(const struct decode_case *c)
{
	size_t len = c->len ? c->len : strlen(c->in);
	long tries = 0;

	OOM_EACH({
		AUTO(strbuf) struct strbuf got = STRBUF(1 << 20);

		tries++;
		decode_in_pieces(the_dialect(), c->status, c->type, c->in, len, 0,
				 len + 1, &got);
	});
	CHECK_MSG(tries > 1, "%s, without memory", c->name);
}

static void run_cases(const struct decode_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		every_cut(&cases[i]);
	for (size_t i = 0; i < count; i++)
		without_memory(&cases[i]);
}

#endif
