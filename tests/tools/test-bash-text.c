/* SPDX-License-Identifier: MIT
 *
 * test-bash-text.c - the parts of the shell tool that need no shell: screen,
 * cut outputs, keys, echoes. */
#include "oom.h"
#include "plugins/tools/bash/effect.h"
#include "plugins/tools/bash/keys.h"
#include "output.h"
#include "plugins/tools/bash/prompt.h"
#include "plugins/tools/bash/screen.h"
#include "tap.h"
#include <string.h>

static void nothing(void *arg, const char *bytes, size_t len)
{
	(void)arg, (void)bytes, (void)len;
}

static const struct screen_hooks silent = { nothing, nothing, NULL };

static const struct {
	const char *bytes, *text;
} screens[] = {
	{ "one\ntwo\r\nthree", "one\ntwo\nthree" },
	{ "10%\r20%\r100%\n", "100%\n" },
	{ "long line\rab\n", "abng line\n" },
	{ "long line\rab\033[K\n", "ab\n" },
	{ "abc\b\bX\n", "aXc\n" },
	{ "\033[1;31mred\033[0m \033]0;title\007x\033]8;;u\033\\y\n", "red xy\n" },
	{ "a\033[3Cb\033[2DX\033[1G_\n", "_  Xb\n" },
	{ "abcdef\r\033[2P\033[3@.\n", ".  cdef\n" },
	{ "abc\r\033[2Xz\033[1K\n", "  c\n" },
	{ "tab\there\r\tX\n", "tab     Xere\n" },
	{ "\xe6\x97\xa5\xe6\x9c\xac\rab\n", "ab\xe6\x9c\xac\n" },
	{ "\xc3\xa9t\xc3\xa9\rE\n", "Et\xc3\xa9\n" },
	{ "a\001\002\007b\033(Bc\033=d\n", "abcd\n" },
	{ "one\ntwo\n\033[1A\rTWO\n", "one\nTWO" },
	{ "1\n2\n3\n\033[3A\033[2Ka\n\033[Kb\n\033[Kc\n", "a\nb\nc" },
	{ "x\033[H\033[2Jclean\n", "clean" },
	{ "before\n\033[?1049hfull screen\033[5;5Hhere\033[?1049lafter\n",
	  "before\nafter" },
	{ "\033[2Ja\xe6\x97\xa5" "b\xc3\xa9\n", "a\xe6\x97\xa5" "b\xc3\xa9" },
	{ "p\033[?2004h\033[?25lq\033[?25h\n", "pq\n" },
	{ "\033[", "" },
	{ "\033[12;34", "" },
	{ "\033]endless", "" },
	{ "a\033]0;no end\nb\n", "a\nb\n" },
	{ "a\033Ppicture\nmore\033\\b\n", "ab\n" },
	{ "a\033Pgiven up\030b\n", "ab\n" },
	{ "\033[2Ja\033]0;no end\nb\n", "a\nb" },
};

static void test_screen(void)
{
	for (size_t i = 0; i < ARRAY_LEN(screens); i++) {
		const char *bytes = screens[i].bytes;
		size_t len = strlen(bytes), wrong = 0;

		for (size_t cut = 0; cut <= len; cut++) {
			AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
			struct screen *s = screen_new(&silent);

			screen_feed(s, bytes, cut);
			screen_feed(s, bytes + cut, len - cut);
			screen_take(s, false, &out);
			if (strcmp(out.text, screens[i].text) != 0 && !wrong++)
				printf("# %zu cut at %zu: %s\n", i, cut, out.text);
			screen_free(s);
		}
		CHECK_MSG(wrong == 0, "screen %zu, cut anywhere", i);
	}
}

/* Text is shown once, and again only where it has changed. */
static void test_take(void)
{
	static const struct {
		const char *bytes, *text;
		bool end;
	} steps[] = {
		{ "name? ", "name? ", false },
		{ "", "", false },
		{ "bob\nhi bob\n", "bob\nhi bob\n", false },
		{ "10%", "10%", false },
		{ "\r20%", "20%", false },
		{ "\r30%\ndone", "30%\ndone", true },
		{ "\033[2J\033[Hmenu", "menu", false },
		{ "", "", false },
		{ " item", " item", false },
		{ "\033[HM", "Menu item", false },
		{ "\nend\n", "\nend", true },
		{ "next\n", "next\n", true },
		{ "a\033]0;no end", "a", true },
		{ "b\033Pno end", "b", true },
		{ "c\033[3", "c", true },
		{ "d\033", "d", true },
		{ "hello\n", "hello\n", true },
	};
	struct screen *s = screen_new(&silent);

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);

		screen_feed(s, steps[i].bytes, strlen(steps[i].bytes));
		screen_take(s, steps[i].end, &out);
		CHECK_STR(out.text, steps[i].text);
	}
	CHECK(!screen_has_text(s));
	screen_free(s);
}

static void test_long(void)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 22);
	struct screen *s = screen_new(&silent);
	char block[1000];

	memset(block, 'x', sizeof block);
	for (int i = 0; i < 100; i++) /* one line, longer than any buffer of it */
		screen_feed(s, block, sizeof block);
	screen_take(s, true, &out);
	CHECK(out.len == 100000);
	strbuf_reset(&out);
	screen_feed(s, "a\rb", 3);
	for (int i = 0; i < 100; i++)
		screen_feed(s, block, sizeof block);
	screen_take(s, true, &out);
	CHECK(out.len == 100001 && out.text[0] == 'b');
	strbuf_reset(&out);
	screen_feed(s, "\033[2J\033[H", 7);
	screen_feed(s, block, 450); /* wrapped twice, and one line again */
	screen_feed(s, "\r\nshort\r\n", 9);
	for (int i = 0; i < 200; i++)
		screen_feed(s, "line\r\n", 6);
	screen_take(s, true, &out);
	CHECK(strspn(out.text, "x") == 450);
	CHECK(strncmp(out.text + 450, "\nshort\nline\n", 12) == 0);
	size_t lines = 0;

	for (const char *p = out.text; (p = strstr(p, "line\n")); p++)
		lines++;
	CHECK(lines == 200);
	screen_free(s);
}

static void test_output(void)
{
	static struct output o;
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	bool cut = true;

	output_reset(&o);
	for (int i = 0; i < 100000; i++) {
		char line[16];
		int n = snprintf(line, sizeof line, "%d\n", i);

		output_add(&o, line, (size_t)n);
	}
	CHECK(output_text(&o, &out) == MT_OK);
	CHECK(out.len == OUTPUT_HEAD + OUTPUT_TAIL);
	CHECK(strncmp(out.text, "0\n1\n", 4) == 0);
	CHECK_STR(out.text + out.len - 12, "99998\n99999\n");
	strbuf_reset(&out);
	output_pull(&o, 2, &out);
	CHECK_STR(out.text, "99998\n99999\n");
	strbuf_reset(&out);
	output_pull(&o, 1, &out);
	CHECK_STR(out.text, "99997\n");
	output_reset(&o);
	output_add(&o, "a\nb\nc\n", 6);
	strbuf_reset(&out);
	output_pull(&o, 9, &out);
	CHECK_STR(out.text, "a\nb\nc\n");
	strbuf_reset(&out);
	output_pull(&o, 9, &out);
	CHECK_STR(out.text, "");

	output_cut("12345678", 8, 8, &out, &cut);
	CHECK(!cut);
	strbuf_reset(&out);
	output_cut("1\xc3\xa9"
		   "3456\xc3\xa9"
		   "89",
		   11, 4, &out, &cut);
	CHECK(cut);
	CHECK_STR(out.text, "1\xc3\xa9" OUTPUT_MARKER "89");
}

static void test_keys(void)
{
	static const struct {
		const char *text, *bytes;
	} keys[] = {
		{ "C-c", "\003" }, { " C-d\n", "\004" }, { "CTRL-z", "\032" },
		{ "ctrl+A", "\001" }, { "C-]", "\035" }, { "ENTER", "\r" },
		{ "UP", "\033[A" }, { "enter", NULL }, { "C-1", NULL }, { "C-", NULL },
		{ "C-cc", NULL }, { "", NULL }, { "yes", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		size_t len = 0;
		const char *got = key_bytes(keys[i].text, strlen(keys[i].text), &len);

		CHECK_MSG(!got == !keys[i].bytes &&
				  (!got || (len == strlen(keys[i].bytes) &&
					    !memcmp(got, keys[i].bytes, len))),
			  "key %s", keys[i].text);
	}
}

static const struct {
	const char *command;
	enum effect effect;
} effects[] = {
	{ "", EFFECT_NONE },
	{ "make -j2 2>&1 | tail -5; ls > out && grep -n x *.c", EFFECT_NONE },
	{ "X=1 make; if test -f a; then (cat a); fi &", EFFECT_NONE },
	{ "python3 - <<E\nx = 1\nE", EFFECT_NONE },
	{ "echo \"$HOME ${x:-y} $(date)\"; printf '%s\\n' \"$x\"", EFFECT_NONE },
	{ "command -v gcc; type ls", EFFECT_NONE },
	{ "sh -c 'x=1; alias y=z'", EFFECT_NONE },
	{ "cd /", EFFECT_VALUES },
	{ "ls && cd src && make", EFFECT_VALUES },
	{ "x=1", EFFECT_VALUES },
	{ "a=(1 2)", EFFECT_VALUES },
	{ "X=1 :", EFFECT_VALUES },
	{ "export PATH=$PATH:/opt", EFFECT_VALUES },
	{ "'export' X=1", EFFECT_VALUES },
	{ "for f in *; do echo $f; done", EFFECT_VALUES },
	{ "while read -r x; do echo; done <f", EFFECT_VALUES },
	{ "echo ${x:=1}", EFFECT_VALUES },
	{ "cat <<E\n${x:=1}\nE", EFFECT_VALUES },
	{ "echo $((x++))", EFFECT_VALUES },
	{ "echo $[x++]", EFFECT_VALUES },
	{ "((x++))", EFFECT_VALUES },
	{ "cat {fd}<file", EFFECT_VALUES },
	{ "coproc cat", EFFECT_VALUES },
	{ "[[ a =~ (b) ]]", EFFECT_VALUES },
	{ "declare -a a=(1 2)", EFFECT_VALUES },
	{ "[ -f a ] || [ a = \"b\" ]", EFFECT_NONE },
	{ "[*]x", EFFECT_UNKNOWN },
	{ "[ -v 'a[x=1]' ]", EFFECT_VALUES },
	{ "printf -vx 1", EFFECT_VALUES },
	{ "printf \"$x\" 1", EFFECT_VALUES },
	{ "sleep 1 & wait -p pid", EFFECT_VALUES },
	{ "set -e; umask 022", EFFECT_VALUES },
	{ "f() { x=1; }", EFFECT_UNKNOWN },
	{ "function f { :; }", EFFECT_UNKNOWN },
	{ "alias ls='x=1'", EFFECT_UNKNOWN },
	{ "BASH_ALIASES[ls]=x", EFFECT_UNKNOWN },
	{ "read -r 'BASH_ALIASES[ls]'", EFFECT_UNKNOWN },
	{ "trap 'x=1' CHLD", EFFECT_UNKNOWN },
	{ ". venv/bin/activate && pytest", EFFECT_UNKNOWN },
	{ "eval \"$x\"", EFFECT_UNKNOWN },
	{ "$x", EFFECT_UNKNOWN },
	{ "\"$(echo eval)\" x=1", EFFECT_UNKNOWN },
	{ "builtin eval x=1", EFFECT_UNKNOWN },
	{ "command eval x=1", EFFECT_UNKNOWN },
	{ "command -p eval x=1", EFFECT_UNKNOWN },
	{ "echo $(ls", EFFECT_UNKNOWN },
	{ "shopt -s autocd", EFFECT_UNKNOWN },
	{ "mapfile -C eval -t x <f", EFFECT_UNKNOWN },
};

static void test_effects(void)
{
	for (size_t i = 0; i < ARRAY_LEN(effects); i++) {
		const char *command = effects[i].command;
		enum effect effect = bash_effect(command, strlen(command));

		CHECK_MSG(effect == effects[i].effect, "%s: %d", command, effect);
	}
}

/* A builtin that is not known would be taken for a program. */
static void test_builtins(void)
{
	static const char *const harmless[] = { ":", "bg", "break", "caller", "continue",
						"disown", "echo", "false", "fg", "help",
						"jobs", "kill", "printf", "pwd", "suspend",
						"test", "[", "times", "true", "type", "wait" };
	FILE *names = popen("bash -c 'compgen -b'", "r");
	char name[64];
	size_t count = 0;

	while (names && fscanf(names, "%63s", name) == 1) {
		bool listed = false;

		for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
			listed = listed || strcmp(harmless[i], name) == 0;
		CHECK_MSG(listed == (bash_effect(name, strlen(name)) == EFFECT_NONE),
			  "builtin %s", name);
		count++;
	}
	CHECK(names && pclose(names) == 0 && count > 50);
}

static void test_memory(void)
{
	bool good = true;

	OOM_EACH({
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
		struct screen *s = screen_new(&silent);

		if (s) {
			screen_feed(s, "a\rb\nplain\nx\ry", 13);
			int r = screen_take(s, true, &out);

			good = good && (r == MT_OK || r == MT_ENOMEM);
		}
		screen_free(s);
	});
	CHECK(good);
}

int main(void)
{
	test_screen();
	test_take();
	test_long();
	test_output();
	test_keys();
	test_effects();
	test_builtins();
	test_memory();
	return tap_done();
}
