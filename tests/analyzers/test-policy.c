/* SPDX-License-Identifier: MIT
 *
 * test-policy.c - deletion in every disguise, the rules of a user and their
 * errors, any text cut anywhere, memory running out. */
#include "oom.h"
#include "plugins/analyzers/policy/judge.h"
#include "plugins/analyzers/policy/match.h"
#include "plugins/analyzers/policy/normalize.h"
#include "plugins/analyzers/policy/scan.h"
#include "tap.h"

#include <mortise/tool.h>
#include <stdlib.h>

enum { NO, MAYBE, YES };

/* ---- deletion ----------------------------------------------------------------- */

static const struct {
	const char *text;
	int found;
} deletions[] = {
	{ "rm -rf x", YES },
	{ "rm -r x", NO },
	{ "rm -f x", NO },
	{ "rm -rvf x", YES },
	{ "rm x -r --force", YES },
	{ "rm -- -rf", NO },
	{ "rm -r -- -f", NO },
	{ "'rm' \"-r\"f x", YES },
	{ "r\\m -rf x", YES },
	{ "r\\\nm -rf x", YES },
	{ "\"r\\m\" -rf x", NO },
	{ "/bin/rm -rf x", YES },
	{ "./rm/x -rf x", NO },
	{ "xrm -rf x", NO },
	{ "ls; rm -rf x", YES },
	{ "ls\nrm -rf x", YES },
	{ "ls &rm -rf x", YES },
	{ "ls|rm -rf x", YES },
	{ "(rm -rf x)", YES },
	{ "{ rm -rf x; }", YES },
	{ "! rm -rf x", YES },
	{ "echo $(rm -rf x)", YES },
	{ "echo \"a $(rm -rf x) b\"", YES },
	{ "echo '$(rm -rf x)'", NO },
	{ "echo `rm -rf x`", YES },
	{ "echo ${a:-$(rm -rf x)}", YES },
	{ "echo \"${a:-\"$(rm -rf x)\"}\"", YES },
	{ "cat <(rm -rf x)", YES },
	{ "a=1 b=$(rm -rf x) ls", YES },
	{ "a=1 rm -rf x", YES },
	{ ">out rm -rf x", YES },
	{ "rm 2>&1 >out -rf x", YES },
	{ "if true; then rm -rf x; fi", YES },
	{ "for i in a; do rm -rf $i; done", YES },
	{ "case $a in a|b) rm -rf x;; esac", YES },
	{ "x=$(case a in a) rm -rf x;; esac)", YES },
	{ "f() { rm -rf x; }", YES },
	{ "function f { rm -rf x; }", YES },
	{ "# rm -rf x", NO },
	{ "# a\nrm -rf x", YES },
	{ "a#b; rm -rf x", YES },
	{ "echo rm -rf x", NO },
	{ "cat <<E\nrm -rf x\nE", NO },
	{ "cat <<E\nrm -rf x\nE\nrm -rf y", YES },
	{ "cat <<-E; rm -rf y\nx\n\tE", YES },
	{ "cat <<A <<B\na\nA\nb\nB\nrm -rf x", YES },
	{ "bash <<E\n'rm' -rf x\nE", YES },
	{ "cat <<E\n$(rm -rf x)\nE", YES },
	{ "cat <<E\n`rm -rf x`\nE", YES },
	{ "cat <<E\n${a:-$(rm -rf x)}\nE", YES },
	{ "cat <<E\n\\$(rm -rf x)\nE", NO },
	{ "cat <<'E'\n$(rm -rf x)\nE", NO },
	{ "cat <<E\\F\n$(rm -rf x)\nEF", NO },
	{ "cat <<1 <<2 <<3 <<4 <<5 <<6 <<7 <<8 <<-9\nrm -rf x", NO },
	{ "sh <<< 'rm -rf x'", YES },
	{ "sh -c 'rm -rf x'", YES },
	{ "/bin/bash -o errexit -xc 'rm -rf x'", YES },
	{ "bash +x -c 'rm -rf x'", YES },
	{ "bash -- -c 'rm -rf x'", NO },
	{ "bash x.sh -c 'rm -rf x'", NO },
	{ "bash -c \"bash -c 'rm -rf x'\"", YES },
	{ "eval 'rm -rf x'", YES },
	{ "eval rm -rf x", YES },
	{ "sudo 'rm' -rf x", YES },
	{ "sudo -u root env A=1 nice -n 5 'rm' -rf x", YES },
	{ "sudo sh -c 'rm -rf x'", YES },
	{ "find . -name y -exec 'rm' -rf {} +", YES },
	{ "ls | xargs -0 'rm' -rf", YES },
	{ "$x -rf y", MAYBE },
	{ "$(echo rm) -rf y", MAYBE },
	{ "$'rm' -rf y", MAYBE },
	{ "r{m,n} -rf y", MAYBE },
	{ "/bin/r? -rf y", MAYBE },
	{ "cp -rf \"x", MAYBE },
	{ "cp -rf x", NO },
	{ "echo \"x", NO },
	{ "bash -c \"x", MAYBE },
	{ "$x y", NO },
	{ "", NO },
};

static int found(const char *text)
{
	struct scan s;

	if (scan_deletion(text, strlen(text), &s))
		return -1;
	return s.found ? YES : s.uncertain ? MAYBE : NO;
}

static void test_deletions(void)
{
	for (size_t i = 0; i < sizeof deletions / sizeof *deletions; i++)
		CHECK_MSG(found(deletions[i].text) == deletions[i].found, "%d: %s",
			  deletions[i].found, deletions[i].text);
}

static void test_depth(void)
{
	AUTO(strbuf) struct strbuf deep = STRBUF(1 << 20);

	for (int i = 0; i < 5000; i++)
		strbuf_add(&deep, "$(");
	strbuf_add(&deep, "rm -rf x");
	CHECK_MSG(found(deep.text) == MAYBE, "too deep to be looked into");
	strbuf_reset(&deep);
	for (int i = 0; i < 5000; i++)
		strbuf_add(&deep, "${a:-\"");
	CHECK_MSG(found(deep.text) == MAYBE, "braces too");
	strbuf_reset(&deep);
	for (int i = 0; i < 5000; i++)
		strbuf_add(&deep, "(");
	CHECK_MSG(found(deep.text) == MAYBE, "and parentheses");
}

static void test_cuts(void)
{
	bool good = true;

	for (size_t i = 0; i < sizeof deletions / sizeof *deletions; i++) {
		for (size_t n = 0; n <= strlen(deletions[i].text); n++) {
			char *text = strndup(deletions[i].text, n);
			struct scan s;

			good = good && text && scan_deletion(text, n, &s) == MT_OK;
			free(text);
		}
	}
	CHECK_MSG(good, "a text may end anywhere");
}

/* ---- rules -------------------------------------------------------------------- */

static const struct {
	const char *text, *error;
} bad_rules[] = {
	{ "", "must start with" },
	{ "dany command=x", "did you mean `deny`" },
	{ "deny", "requires a condition" },
	{ "deny reason=x", "requires a condition" },
	{ "deny comand=x", "unknown condition `comand`" },
	{ "deny x", "unknown condition `x`" },
	{ "deny command=", "has no value" },
	{ "deny command=a command=b", "appears twice" },
	{ "deny command=\"a", "missing closing" },
	{ "deny command=/[/", "invalid regular expression" },
	{ "deny command=/a(/ path=x", "invalid regular expression" },
};

static void test_bad_rules(void)
{
	AUTO(rules) struct rules *r = rules_new(NULL);

	for (size_t i = 0; i < sizeof bad_rules / sizeof *bad_rules; i++) {
		struct error err = ERROR_NONE;

		CHECK_MSG(rules_add(r, "rule.x", bad_rules[i].text, &err) == MT_EINVAL &&
				  strstr(err.text, bad_rules[i].error) &&
				  strncmp(err.text, "rule.x: ", 8) == 0,
			  "%s: %s", bad_rules[i].text, err.text);
	}
}

enum { LOW, MEDIUM, HIGH, DENY, NONE = -1 };

/* The verdict of two rules on an action. */
#define PATCH(body) "*** Begin Patch\n" body "*** End Patch"

static const struct {
	const char *one, *two, *name, *text;
	int says;
} judged[] = {
	{ "deny command=git push*", NULL, "command", "git push origin", DENY },
	{ "deny command=git push*", NULL, "command", "git pull", NONE },
	{ "deny command=git push*", NULL, "command", "git -C x push", DENY },
	{ "deny command=git push*", NULL, "command", "git --no-pager push", DENY },
	{ "deny command=git push*", NULL, "command", "git -c a=b --git-dir=x push -f", DENY },
	{ "deny command=git push*", NULL, "command", "git $'push'", DENY },
	{ "deny command=git push*", NULL, "command", "git $'\\x70ush'", DENY },
	{ "deny command=git push*", NULL, "command", "g''it p\"us\"h", DENY },
	{ "deny command=git push*", NULL, "command", "git  \\\n  push", DENY },
	{ "deny command=git push*", NULL, "command", "\\git push", DENY },
	{ "deny command=git push*", NULL, "command", "command git push", DENY },
	{ "deny command=git push*", NULL, "command", "env -i A=b git push", DENY },
	{ "deny command=git push*", NULL, "command", "timeout -s KILL 5 git push", DENY },
	{ "deny command=git push*", NULL, "command", "flock /tmp/l -c 'git push'", DENY },
	{ "deny command=git push*", NULL, "command", "find . -exec git push {} +", DENY },
	{ "deny command=git push*", NULL, "command", "eval 'git push'", DENY },
	{ "deny command=git push*", NULL, "command", "trap 'git push' EXIT", DENY },
	{ "deny command=git push*", NULL, "command", "alias p='git push'", DENY },
	{ "deny command=git push*", NULL, "command", "f() { git push; }; f", DENY },
	{ "deny command=git push*", NULL, "command", "{ git push; } &", DENY },
	{ "deny command=git push*", NULL, "command", "x=1 git push", DENY },
	{ "deny command=git push*", NULL, "command", "bash <<E\ngit push\nE", DENY },
	{ "deny command=git push*", NULL, "command", "ssh host 'git push'", DENY },
	{ "deny command=git push*", NULL, "command", "git $x", NONE },
	{ "allow command=git *", "deny command=git push*", "command", "git $x", NONE },
	{ "deny command=git push*", "allow command=git *", "command", "git $x", NONE },
	{ "deny command=git push*", "allow command=git *", "command", "git p?sh", NONE },
	{ "deny command=git push*", "allow command=git *", "command", "echo push | xargs git",
	  NONE },
	{ "ask command=make*", NULL, "command", "make all", HIGH },
	{ "allow command=make*", NULL, "command", "make all", LOW },
	{ "allow command=make*", NULL, "command", "LD_PRELOAD=./x make all", NONE },
	{ "allow command=make*", NULL, "command", "make() { rm x; }", NONE },
	{ "deny command=git push*", NULL, "command", "cd x && git push", DENY },
	{ "deny command=git push*", NULL, "command", "sudo -E git push", DENY },
	{ "deny command=git push*", NULL, "command", "/usr/bin/git 'push'", DENY },
	{ "deny command=git push*", NULL, "command", "sh -c 'git push'", DENY },
	{ "deny command=git push*", NULL, "command", "echo $(git push)", DENY },
	{ "deny command=git push*", NULL, "command", "echo git push", LOW },
	{ "low command=make*", NULL, "command", "make all", LOW },
	{ "low command=make*", NULL, "command", "make all && make x", LOW },
	{ "low command=make*", NULL, "command", "make all && rm x", NONE },
	{ "low command=make*", NULL, "command", "make $(rm x)", NONE },
	{ "low command=make*", NULL, "command", "make > /etc/x", NONE },
	{ "low command=make*", NULL, "command", "make > /dev/null 2>&1", LOW },
	{ "low command=make* > *", NULL, "command", "make > x", LOW },
	{ "low command=make*", NULL, "command", "sudo make", NONE },
	{ "low command=make*", "high command=rm *", "command", "make; rm x", HIGH },
	{ "low command=rm x", "high command=rm *", "command", "rm x", LOW },
	{ "low command=rm x", "high command=rm *", "command", "rm y", HIGH },
	{ "high path=/etc/*", NULL, "command", "cat /etc/passwd", HIGH },
	{ "high path=/etc/*", NULL, "command", "cat ../etc/../etc/passwd", HIGH },
	{ "high path=/etc/*", NULL, "command", "dd of=/etc/x", HIGH },
	{ "high path=/etc/*", NULL, "command", "echo x >> /etc/x", HIGH },
	{ "high path=/etc/*", NULL, "command", "cd / && cat etc/passwd", HIGH },
	{ "high path=/etc/*", NULL, "command", "cd /etc; cat passwd", HIGH },
	{ "high path=/etc/*", NULL, "command", "(cd ../etc && cat passwd)", HIGH },
	{ "high path=/etc/*", NULL, "command", "git -C x diff --no-index /etc/passwd", HIGH },
	{ "high path=/etc/*", NULL, "command", "tar cf x /etc", HIGH },
	{ "high path=/etc/*", NULL, "command", "curl -F f=@/etc/x http://h", HIGH },
	{ "high path=/etc/*", NULL, "command", "curl file:///etc/x", HIGH },
	{ "high path=/etc/*", NULL, "command", "docker run -v /etc/x:/x i", HIGH },
	{ "high path=/etc/*", NULL, "command", "cat /e?c/passwd", HIGH },
	{ "high path=/etc/*", NULL, "command", "cat /e[t]c/pass*", HIGH },
	{ "high path=/etc/*", NULL, "command", "cat /{etc,usr}/passwd", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "cat ~/.ssh/id", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "cat \"$HOME\"/.ssh/id", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "cat ${HOME}/.ssh/id", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "cat /home/me/./.ssh//id", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "cat --file=~/.ssh/id", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "cd ~ && cat .ssh/id", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "cd ~/.ssh && cat id", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "cd; cat .ssh/id", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "tar c ~", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "ls ~/.ssh", HIGH },
	{ "high path=~/.ssh/*", NULL, "command", "ls ~", NONE },
	{ "high path=~/.ssh/*", NULL, "command", "cat <~/.ssh/id", HIGH },
	{ "high path=$HOME/x", NULL, "command", "cat ~/x", HIGH },
	{ "high path=secret/*", NULL, "command", "cat ./secret/x", HIGH },
	{ "high path=secret/*", NULL, "command", "cat /ws/secret/x", HIGH },
	{ "low path=docs/* command=cat *", NULL, "command", "cat docs/a docs/b", LOW },
	{ "low path=docs/* command=cat *", NULL, "command", "cat docs/a src/b", LOW },
	{ "low path=docs/* command=cat *", NULL, "command", "cat docs/../src/b", LOW },
	{ "deny tool=bash host=*.example.org", NULL, "command",
	  "curl https://u@a.example.org:80/x", DENY },
	{ "deny host=*.example.org", NULL, "command", "ssh me@a.example.org", DENY },
	{ "deny host=a.example.org", NULL, "command", "curl HTTP://A.Example.ORG./x", DENY },
	{ "deny host=a.example.org", NULL, "command", "curl a.example.org", DENY },
	{ "deny host=a.example.org", NULL, "command", "curl 'a.example.org:80/x'", DENY },
	{ "deny host=a.example.org", NULL, "command", "curl --url=a.example.org", DENY },
	{ "deny host=a.example.org", NULL, "command", "wget -q \"a.exam\"ple.org", DENY },
	{ "deny host=A.example.org.", NULL, "command", "curl b", NONE },
	{ "deny host=A.example.org", NULL, "command", "nc a.example.org 80", DENY },
	{ "deny host=a.example.org", NULL, "command", "git clone git@a.example.org:x/y", DENY },
	{ "deny host=a.example.org", NULL, "command", "scp x me@a.example.org:y", DENY },
	{ "deny host=a.example.org", NULL, "command", "curl http://$x", NONE },
	{ "deny host=a.example.org", NULL, "command", "cat a.example.org", LOW },
	{ "deny host=*.example.org", NULL, "url", "http://a.example.org", DENY },
	{ "deny host=*.example.org", NULL, "url", "http://a.example.com/a.example.org",
	  NONE },
	{ "low tool=bash path=docs/*", NULL, "path", "docs/x", LOW },
	{ "high path=.env", NULL, "patch", PATCH("*** Update File: ./.env\n@@\n+x\n"), HIGH },
	{ "high path=.env", NULL, "patch", PATCH("*** Update File: a\n*** Move to: .env\n@@\n+x\n"),
	  HIGH },
	{ "high path=.env", NULL, "patch", PATCH("*** Add File: a\n+*** Add File: .env\n"), NONE },
	{ "low path=docs/*", NULL, "patch", PATCH("*** Add File: docs/a\n+x\n"), LOW },
	{ "low path=docs/*", NULL, "patch",
	  PATCH("*** Add File: docs/a\n+x\n*** Delete File: src/b\n"), NONE },
	{ "low tool=other path=docs/*", NULL, "path", "docs/x", NONE },
	{ "medium command=/^(a|b) c$/ reason=\"x y\"", NULL, "command", "b c", MEDIUM },
};

/* Without signatures. */
static int judge(const char *one, const char *two, const char *name, const char *text)
{
	struct policy p = { .rules = rules_new(NULL) };
	struct argument argument = { name, text, strlen(text) };
	struct action action = { .tool = "bash", .workspace = "/ws", .directory = "",
				 .arguments = &argument, .count = 1 };
	struct finding f = { 0 };
	int r = !p.rules || rules_add(p.rules, "rule.1", one, NULL) ||
		(two && rules_add(p.rules, "rule.2", two, NULL)) ||
		judge_action(&p, &action, &f);
	int risk = f.deny ? DENY : f.risk;

	rules_free(p.rules);
	patterns_free(p.patterns);
	return r ? -100 : risk;
}

static void test_rules(void)
{
	for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
		int got = judge(judged[i].one, judged[i].two, judged[i].name,
				judged[i].text);

		CHECK_MSG(got == judged[i].says, "%s: %s: %d, %d", judged[i].one,
			  judged[i].text, judged[i].says, got);
	}
}

/* The annotations of a tool raise the risk, and lower it if the tool is trusted. */
static void test_hints(void)
{
	static const struct {
		const char *rule;
		uint32_t hints;
		bool trusted;
		int says;
	} cases[] = {
		{ "ask hint=destructive", MT_TOOL_DESTRUCTIVE, false, HIGH },
		{ "ask hint=destructive", MT_TOOL_DESTRUCTIVE, true, HIGH },
		{ "deny hint=open-world", MT_TOOL_OPEN_WORLD | MT_TOOL_IDEMPOTENT, false,
		  DENY },
		{ "deny hint=open-world", MT_TOOL_IDEMPOTENT, false, NONE },
		{ "deny tool=other hint=open-world", MT_TOOL_OPEN_WORLD, false, NONE },
		{ "allow hint=read-only", MT_TOOL_READ_ONLY, true, LOW },
		{ "allow hint=read-only", MT_TOOL_READ_ONLY, false, NONE },
		{ "allow hint=idempotent", MT_TOOL_IDEMPOTENT, true, LOW },
		{ "allow hint=/^(idempotent|read-only)$/", MT_TOOL_DESTRUCTIVE, true, NONE },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct policy p = { .rules = rules_new(NULL) };
		struct action action = { .tool = "crm", .workspace = "/ws", .directory = "",
					 .hints = cases[i].hints, .open_world = true,
					 .ours = cases[i].trusted };
		struct finding f = { 0 };

		CHECK(rules_add(p.rules, "rule.1", cases[i].rule, NULL) == MT_OK);
		CHECK(judge_action(&p, &action, &f) == MT_OK);
		CHECK_MSG((f.deny ? DENY : f.risk) == cases[i].says, "%s: %d, %d",
			  cases[i].rule, cases[i].says, f.deny ? DENY : f.risk);
		rules_free(p.rules);
		patterns_free(p.patterns);
	}
}

/* ---- the rest ------------------------------------------------------------------ */

static void test_large(void)
{
	struct error err = ERROR_NONE;
	AUTO(patterns) struct patterns *b = patterns_new(&err);
	AUTO(strbuf) struct strbuf text = STRBUF(4 * CORPUS_MAX);
	struct finding f;
	struct action_text c;

	while (text.len < CORPUS_MAX + 10)
		strbuf_add(&text, "rm curl wget dd -r f\n");
	action_text_init(&c);
	CHECK(action_text_add(&c, true, text.text, text.len) == MT_OK && c.cut);
	match_begin();
	CHECK(patterns_find(b, &c, false, NULL, &f) == MT_OK && f.risk == -1);
	CHECK(*f.rule);
	CHECK(patterns_rails(b, &c, &f) == MT_OK);
	action_text_clear(&c);
}

static void test_memory(void)
{
	bool good = true;
	struct scan s;

	OOM_EACH({
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);

		normalize_text("\xef\xbd\x92m  x", 8, false, &out);
	});
	OOM_EACH({
		s = (struct scan){ 0 };
		if (!scan_deletion("sudo sh -c \"eval 'rm' -rf\" <<E >x\n`a`\nE\n", 38,
				   &s))
			good = good && s.found;
	});
	CHECK_MSG(good, "nothing is overlooked when memory runs out");
	OOM_EACH(judge("deny command=a* path=/x host=y", "low tool=x reason=y", "command",
		       "a /x http://y >z; $(b)"));
	CHECK_OOM();
}

int main(void)
{
	setenv("HOME", "/home/me", 1);
	test_deletions();
	test_depth();
	test_cuts();
	test_bad_rules();
	test_rules();
	test_hints();
	test_large();
	test_memory();
	return tap_done();
}
