/* SPDX-License-Identifier: MIT
 *
 * test-bash-results.c - results in the brief style, and programs that wait for input:
 * no call here reaches the time without output, which is ten minutes. */
#include "bash-kit.h"
#include "clock.h"
#include <string.h>
#include <unistd.h>

enum { NEVER_MS = 600000 };

/* The note of the last call, without the time of a command that took long here. */
static const char *note(const struct kit *k)
{
	static char text[4096];
	char *time, *end;

	snprintf(text, sizeof text, "%s", k->last.suffix.text ? k->last.suffix.text : "");
	time = strstr(text, "took ");
	if (!time)
		return text;
	end = time + strcspn(time, ";]");
	if (time[-1] == ' ') /* after another clause */
		time -= 2;
	else if (*end == ';')
		end += 2;
	memmove(time, end, strlen(end) + 1);
	return strstr(text, "[]") ? "" : text;
}

/* Each runs in the same shell, whose directory is the workspace. */
static const struct {
	const char *command, *content, *note;
} results[] = {
	{ "echo a", "a", "" },
	{ "true", "", "[no output]" },
	{ "false", "", "[no output; exit code 1]" },
	{ "echo x; (exit 3)", "x", "\n[exit code 3]" },
	{ "false | cat", "",
	  "[no output; part 1 of 2 of the pipeline (`false`) exited with code 1]" },
	{ "echo a | grep b | cat; true", "", "[no output]" },
	{ "grep -c x /dev/null | cat", "0",
	  "\n[part 1 of 2 of the pipeline (`grep -c x /dev/null`) matched nothing]" },
	{ "grep x /none 2>&1 | cat >/dev/null", "",
	  "[no output; part 1 of 2 of the pipeline (`grep x /none 2>&1`) exited with code 2]" },
	{ "(exit 2) | (exit 3) | cat", "",
	  "[no output; part 1 of 3 of the pipeline exited with code 2; part 2 of 3 of the "
	  "pipeline exited with code 3]" },
	{ "set -o pipefail; sh -c 'exit 4' | cat; ", "",
	  "[no output; exit code 4; part 1 of 2 of the pipeline (`sh -c 'exit 4'`) exited "
	  "with code 4]" },
	{ "set +o pipefail; yes | head -n 1", "y", "" },
	{ "true | false", "", "[no output; exit code 1]" },
	{ "echo $?", "1", "" },
	{ "false | true && echo b", "b", "" },
	{ "false || true", "", "[no output]" },
	{ "cat <<E | cat\na|b\nE", "a|b", "" },
	{ "echo 'a | b'", "a | b", "" },
	{ "true | false # no\\", "", "[no output; exit code 1]" },
	{ "IFS=0123; false | cat; unset IFS", "", "[no output]" },
};

static void test_results(void)
{
	char told[128];
	struct kit k;

	CHECK(kit_open_style(&k, NEVER_MS, RUN_STYLE_BRIEF));
	sh(&k, "echo hello");
	CHECK_STR(note(&k), "");
	for (size_t i = 0; i < ARRAY_LEN(results); i++) {
		CHECK_STR(sh(&k, results[i].command), results[i].content);
		CHECK_STR(note(&k), results[i].note);
		CHECK_STR(k.last.prefix.text, "");
	}
	sh(&k, "cd /usr");
	CHECK(strstr(k.last.suffix.text, "directory: /usr]") != NULL);
	sh(&k, "sleep 1");
	CHECK(!strstr(k.last.suffix.text, "directory"));
	CHECK(strstr(k.last.suffix.text, "[no output; took ") != NULL);
	sh(&k, "mkdir -p \"$OLDPWD/bin\"; printf '#!/bin/sh\\n' >$OLDPWD/bin/python;"
	       " chmod +x $OLDPWD/bin/python; PATH=$OLDPWD/bin:$PATH");
	snprintf(told, sizeof told, "Python: %s/bin/python]", k.directory);
	CHECK(strstr(k.last.suffix.text, told) != NULL);
	sh(&k, "set -x; true | false");
	CHECK(strstr(k.last.content.text, "+ true") != NULL);
	CHECK(!strstr(k.last.content.text, "mortise_pipe"));
	kit_close(&k);
}

static void test_cut(void)
{
	struct kit k;

	CHECK(kit_open_style(&k, NEVER_MS, RUN_STYLE_BRIEF));
	sh(&k, "seq 1 100000");
	CHECK(k.last.cut && k.last.content.len < RUN_CHARS + 200);
	CHECK(strncmp(k.last.content.text, "1\n2\n3\n", 6) == 0);
	CHECK(strstr(k.last.content.text, " of 100,000 lines omitted]\n") != NULL);
	CHECK_STR(strrchr(k.last.content.text, '\n'), "\n100000");
	sh(&k, "head -c 30000000 /dev/zero | tr '\\0' a; echo; echo end");
	CHECK(strstr(k.last.content.text, "a [29,998,000 of 30,000,000 characters "
					  "omitted] a") != NULL);
	CHECK(strstr(k.last.content.text, "\nend\n[Long lines are cut]") != NULL);
	kit_close(&k);
}

/* The seconds that the last note gives; 0: it gives none. */
static double seconds_taken(const struct kit *k)
{
	const char *took = strstr(k->last.suffix.text, "took ");

	return took ? atof(took + 5) : 0;
}

/* The time in which a program waits for an answer is not time of the program. */
static void test_time_of_waiting(void)
{
	struct kit k;
	int64_t began = clock_ms();

	CHECK(kit_open_style(&k, NEVER_MS, RUN_STYLE_BRIEF));
	start(&k, "read -p 'name? ' n");
	usleep(1500 * 1000);
	type(&k, "bob");
	CHECK(k.last.ended);
	CHECK(seconds_taken(&k) <= (double)(clock_ms() - began - 1500) / 1000 + 0.1);
	kit_close(&k);
}

static void test_waiting(void)
{
	struct kit k;

	CHECK(kit_open_style(&k, NEVER_MS, RUN_STYLE_BRIEF));
	CHECK_STR(start(&k, "read -p 'name? ' n && echo \"hi $n\""), "name?");
	CHECK(strstr(k.last.suffix.text,
		     "\n[The program waits for terminal input, after "));
	CHECK_STR(type(&k, "bob"), "hi bob");
	CHECK(k.last.ended);
	CHECK_STR(start(&k, "cat"), "");
	CHECK(strstr(k.last.suffix.text, "waits for terminal input"));
	CHECK_STR(type(&k, "one"), "one");
	CHECK(!k.last.ended && strstr(k.last.suffix.text, "waits for terminal input"));
	start(&k, "echo other");
	CHECK(strstr(k.last.suffix.text, "Your command was not run"));
	CHECK_STR(type(&k, "C-d"), "");
	CHECK(k.last.ended);
	start(&k, "sh -c 'sleep 0.3; read x; echo got $x' | cat");
	CHECK_STR(type(&k, "y"), "got y");
	/* A short wait for the terminal, as of an editor that exits, is not for input. */
	start(&k, "python3 -c \"import select; input('go? ');"
		  " select.select([0], [], [], 0.5); print('done')\"");
	CHECK_STR(type(&k, "x"), "done");
	CHECK(k.last.ended);
	start(&k, "python3 -c \"import select; p = select.poll(); p.register(0, 1);"
		  " input('go? '); p.poll(500); print('done')\"");
	CHECK_STR(type(&k, "x"), "done");
	CHECK(k.last.ended);
	/* A long one is. */
	start(&k, "python3 -c \"import select; select.select([0], [], [], 9)\"");
	CHECK(strstr(k.last.suffix.text, "waits for terminal input"));
	type(&k, "x");
	CHECK(k.last.ended);
	/* A program that does not read is waited for. */
	CHECK_STR(start(&k, "sleep 0.5; echo slept"), "slept");
	CHECK(k.last.ended);
	sh(&k, "sleep 0.5 & wait; echo waited");
	CHECK(k.last.ended && strstr(k.last.content.text, "waited"));
	kit_close(&k);
}

static void test_repl(void)
{
	struct kit k;

	CHECK(kit_open_style(&k, NEVER_MS, RUN_STYLE_BRIEF));
	CHECK_STR(start(&k, "python3 -q"), ">>>");
	CHECK_STR(type(&k, "print(6 * 7)"), "42\n>>>");
	/* A block is closed by its final newline, or because its last line is indented. */
	CHECK(strstr(type(&k, "for i in range(2):\n    print('i', i)\n"), "i 1\n>>>"));
	CHECK(strstr(type(&k, "for i in range(2):\n    print('j', i)"), "j 1\n>>>"));
	CHECK(strstr(type(&k, "import time; time.sleep(0.7); print('slept')"),
		     "slept\n>>>"));
	type(&k, "exit(3)");
	CHECK(k.last.ended && k.last.exit_code == 3);
	kit_close(&k);
}

int main(void)
{
	test_results();
	test_cut();
	test_waiting();
	test_time_of_waiting();
	test_repl();
	return tap_done();
}
