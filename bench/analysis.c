/* SPDX-License-Identifier: MIT
 *
 * analysis.c - measures the policy on a text of 1 MB: as a command, with every built-in
 * pattern, and as input of the pattern analyzer.
 *
 *   analysis KIND [END]   prints milliseconds of processor time and the risk, of the
 *                         policy and of the pattern analyzer. KIND is one of `kinds`,
 *                         base64, or a file to be repeated; END is appended. */
#include "plugins/analyzers/policy/judge.h"
#include "plugins/analyzers/policy/match.h"
#include "strbuf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 1 << 20 };

static const struct {
	const char *name, *text;
} kinds[] = {
	{ "slashes", "/" },
	{ "parentheses", "(" },
	{ "backticks", "`" },
	{ "letters", "a" },
	{ "words", "rm curl dd eval " },
	{ "wrappers", "xargs find sudo " },
	{ "script", "function a(b,c){var d=b.exec(c);return d&&eval(\"(\"+d[1]+\")\")}"
		    "a.prototype={x:/[a-z]+/g,y:function(){return this.x/2}};" },
};

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static const char *unit_of(const char *kind)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].name, kind) == 0)
			return kinds[i].text;
	return NULL;
}

/* Random bytes in base64, the same in each run. */
static void add_base64(struct strbuf *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned x = 1;

	while (out->len < SIZE) {
		x = x * 1664525 + 1013904223;
		strbuf_addc(out, digits[x >> 26]);
	}
}

static int add_file(struct strbuf *out, const char *path)
{
	FILE *f = fopen(path, "r");
	char bytes[65536];
	size_t n;

	if (!f)
		return -1;
	while (out->len < SIZE) {
		n = fread(bytes, 1, sizeof bytes, f);
		if (!n)
			rewind(f);
		strbuf_addn(out, bytes, n < SIZE - out->len ? n : SIZE - out->len);
	}
	fclose(f);
	return 0;
}

/* The verdict of the policy: its patterns, rails, commands and files. */
static double policy(struct policy *p, const struct strbuf *text, struct finding *ret)
{
	const struct argument argument = { "command", text->text, text->len };
	const struct action action = { .tool = "execute_bash",
				       .workspace = "/ws",
				       .directory = "",
				       .arguments = &argument,
				       .count = 1 };
	double began = cpu_ms();

	if (judge_action(p, &action, ret))
		exit(1);
	return cpu_ms() - began;
}

/* The verdict of the pattern analyzer. */
static double pattern(const struct strbuf *text, struct finding *ret)
{
	AUTO(patterns) struct patterns *tables = patterns_new(NULL);
	double began = cpu_ms();
	struct action_text c;

	action_text_init(&c);
	match_begin();
	if (!tables || action_text_add(&c, true, text->text, text->len) ||
	    patterns_find(tables, &c, false, NULL, ret))
		exit(1);
	action_text_clear(&c);
	return cpu_ms() - began;
}

int main(int argc, char **argv)
{
	AUTO(strbuf) struct strbuf text = STRBUF(2 * SIZE);
	struct policy p = { .rules = rules_new(NULL), .signatures = true, .rails = true };
	const char *unit = argc > 1 ? unit_of(argv[1]) : NULL;
	struct finding first, second;
	double one, two;

	if (argc > 1 && strcmp(argv[1], "base64") == 0)
		add_base64(&text);
	else if (unit)
		while (text.len < SIZE)
			strbuf_add(&text, unit);
	else if (argc < 2 || add_file(&text, argv[1]))
		return 2;
	if (argc > 2)
		strbuf_add(&text, argv[2]);
	one = policy(&p, &text, &first);
	two = pattern(&text, &second);
	printf("%.2f %d %.2f %d\n", one, first.risk, two, second.risk);
	rules_free(p.rules);
	patterns_free(p.patterns);
	return 0;
}
