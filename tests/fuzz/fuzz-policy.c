/* SPDX-License-Identifier: MIT
 *
 * fuzz-policy.c - any text as a command and as a rule. What is found does not
 * depend on what stands around it: a text that is certain to delete is found as a
 * script too, and normalizing twice is normalizing once. */
#include "plugins/analyzers/policy/builtin.h"
#include "plugins/analyzers/policy/normalize.h"
#include "plugins/analyzers/policy/rules.h"
#include "plugins/analyzers/policy/scan.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_normalize(const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf once = STRBUF(1 << 22), twice = STRBUF(1 << 22);

	if (normalize(text, len, false, &once))
		return;
	for (size_t i = 0; i + 1 < once.len; i++)
		if (once.text[i] == ' ' && once.text[i + 1] == ' ')
			abort();
	if (strlen(once.text) != once.len || normalize(once.text, once.len, false, &twice))
		abort();
}

static void check_scan(const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf list = STRBUF(1 << 22);
	struct scan alone, behind;

	if (scan_deletion(text, len, &alone))
		abort();
	strbuf_add(&list, "true\n");
	strbuf_addn(&list, text, len);
	if (scan_deletion(list.text, list.len, &behind) || behind.found != alone.found)
		abort();
}

static void check_rules(const char *line, const char *text)
{
	AUTO(rules) struct rules *rules = rules_new(NULL);
	const struct argument arguments[] = {
		{ "command", text, strlen(text) },
	};
	struct deed deed = { "bash", "/ws", arguments, 1 };
	struct error err = ERROR_NONE;
	struct finding f;
	bool covered;

	rules_add(rules, "rule.a", line, &err);
	rules_add(rules, "rule.b", "low command=ls*", NULL);
	if (rules_judge(rules, &deed, &f, &covered) || (covered && f.risk < 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct builtin *builtin;
	AUTO(free) char *text = malloc(n + 1);
	struct finding f;
	struct corpus c;
	char *end;

	if (!builtin)
		builtin = builtin_new(NULL);
	memcpy(text, bytes, n);
	text[n] = '\0';
	check_normalize(text, n);
	check_scan(text, n);
	corpus_init(&c);
	if (corpus_add(&c, true, text, n) || builtin_patterns(builtin, &c, &f) ||
	    builtin_rails(builtin, &c, &f))
		abort();
	corpus_clear(&c);
	end = strchrnul(text, '\n');
	if (*end) {
		*end = '\0';
		check_rules(text, end + 1);
	}
	return 0;
}
