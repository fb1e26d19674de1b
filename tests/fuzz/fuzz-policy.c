/* SPDX-License-Identifier: MIT
 *
 * fuzz-policy.c - any text as a command and as a rule. What is found does not depend on
 * what stands before it, a denial is not lifted by what follows, a harmless command is
 * none that deletes, and normalizing twice is normalizing once. */
#include "plugins/analyzers/policy/judge.h"
#include "plugins/analyzers/policy/match.h"
#include "plugins/analyzers/policy/normalize.h"
#include "plugins/analyzers/policy/scan.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_normalize(const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf once = STRBUF(1 << 22), twice = STRBUF(1 << 22);

	if (normalize_text(text, len, false, &once))
		return;
	for (size_t i = 0; i + 1 < once.len; i++)
		if (once.text[i] == ' ' && once.text[i + 1] == ' ')
			abort();
	if (strlen(once.text) != once.len ||
	    normalize_text(once.text, once.len, false, &twice))
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

static int judge(struct policy *p, const char *text, size_t len, struct finding *ret)
{
	const struct argument argument = { "command", text, len };
	const struct action action = { .tool = "bash", .workspace = "/nowhere/ws",
				       .directory = "", .arguments = &argument, .count = 1 };

	if (judge_action(p, &action, ret))
		abort();
	return ret->deny ? 3 : ret->risk;
}

static void check_rules(const char *line, const char *text)
{
	struct policy p = { .rules = rules_new(NULL) };
	AUTO(strbuf) struct strbuf more = STRBUF(1 << 22);
	struct error err = ERROR_NONE;
	struct finding f;

	rules_add(p.rules, "rule.a", line, &err);
	rules_add(p.rules, "rule.b", "allow command=ls*", NULL);
	strbuf_addf(&more, "%s\ntrue", text);
	if (judge(&p, text, strlen(text), &f) == 3 &&
	    judge(&p, more.text, more.len, &f) != 3 && !match_is_over())
		abort();
	rules_free(p.rules);
	patterns_free(p.patterns);
}

static void check_judge(const char *text, size_t len)
{
	static struct policy p = { .signatures = true, .rails = true };
	AUTO(strbuf) struct strbuf list = STRBUF(1 << 22);
	struct finding alone, behind;
	struct scan scan;

	if (!p.rules)
		p.rules = rules_new(NULL);
	strbuf_add(&list, "true\n");
	strbuf_addn(&list, text, len);
	judge(&p, text, len, &alone);
	judge(&p, list.text, list.len, &behind);
	if (alone.risk != behind.risk && !strstr(alone.reason, "too large") &&
	    !strstr(behind.reason, "too large"))
		abort();
	if (!scan_deletion(text, len, &scan) && scan.found && alone.risk == 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct patterns *tables;
	AUTO(free) char *text = malloc(n + 1);
	struct finding f;
	struct action_text c;
	char *end;

	if (!tables)
		tables = patterns_new(NULL);
	memcpy(text, bytes, n);
	text[n] = '\0';
	check_normalize(text, n);
	check_scan(text, n);
	check_judge(text, n);
	action_text_init(&c);
	match_begin();
	if (action_text_add(&c, true, text, n) ||
	    patterns_find(tables, &c, false, NULL, &f) || patterns_rails(tables, &c, &f))
		abort();
	action_text_clear(&c);
	end = strchrnul(text, '\n');
	if (*end) {
		*end = '\0';
		check_rules(text, end + 1);
	}
	return 0;
}
