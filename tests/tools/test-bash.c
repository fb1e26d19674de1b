/* SPDX-License-Identifier: MIT
 *
 * test-bash.c - commands in a real shell: their results, and commands that must not
 * disturb the shell or the detection of the end. */
#include "bash-kit.h"
#include "output.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif
#ifdef __SANITIZE_ADDRESS__
#define CHECKED 1 /* freed memory is kept for a while, and all is slow */
#else
#define CHECKED RUNNING_ON_VALGRIND
#endif

/* Each runs in the same shell, after the ones before it. */
static const struct {
	const char *command, *content;
	int exit_code;
} in_turn[] = {
	{ "echo hello", "hello", 0 },
	{ "false", "", 1 },
	{ "echo $?", "1", 0 },
	{ "(exit 7)", "", 7 },
	{ "echo a\necho b", "a\nb", 0 },
	{ "x=1; export Y=2", "", 0 },
	{ "echo $x $Y; bash -c 'echo $x $Y'", "1 2\n2", 0 },
	{ "declare -A m; m[k]=v; f() { echo f-$1; }", "", 0 },
	{ "echo ${m[k]}; f 3; type -t f", "v\nf-3\nfunction", 0 },
	{ "find . -maxdepth 0 -exec echo {} \\;", ".", 0 },
	{ "echo a\\;b 'single \\; quoted' \\$HOME", "a;b single \\; quoted $HOME", 0 },
	{ "echo !! !x \"!y\"", "!! !x !y", 0 },
	{ "cat <<EOF\n  two\n\tthree\nEOF", "  two\n\tthree", 0 },
	{ "printf 'no newline'", "no newline", 0 },
	{ "printf '\\n\\n  lead\\n\\n'", "  lead", 0 },
	{ "printf 'a\\0b\\377c\\n'", "ab\357\277\275c", 0 },
	{ "printf '\\e[31mred\\e[0m\\n10%%\\r20%%\\n'", "red\n20%", 0 },
	{ "echo \xe6\x97\xa5\xe6\x9c\xac \xc3\xa9",
	  "\xe6\x97\xa5\xe6\x9c\xac \xc3\xa9", 0 },
	{ "set -e; echo kept", "kept", 0 },
	{ "false; echo after set -e", "after set -e", 0 },
	{ "set -v; set -x", "", 0 },
	{ "echo no trace", "no trace", 0 },
	{ "set -u; echo [$HOME_X]; echo never", "bash: HOME_X: unbound variable", 1 },
	{ "set +u; echo on", "on", 0 },
	{ "trap 'echo dbg' DEBUG", "", 0 },
	{ "echo no dbg", "no dbg", 0 },
	{ "trap 'echo int' INT; trap 'echo err' ERR; true", "", 0 },
	{ "echo quiet; trap - INT ERR", "quiet", 0 },
	{ "PS1=x PS2=y PROMPT_COMMAND='echo pc'", "", 0 },
	{ "echo no pc; unset PROMPT_COMMAND; PROMPT_COMMAND=(a b c d e f)", "no pc", 0 },
	{ "stty raw -echo", "", 0 },
	{ "stty -a | grep -o -e ' icanon' -e ' echo '", " icanon\n echo", 0 },
	{ "break", "", 0 },
	{ "break 99; echo never", "", 130 },
	{ "continue 2", "", 0 },
	{ "echo one; return 3; echo never", "one", 3 },
	{ "break 99", "", 130 },
	{ "break 99", "", 130 },
	{ "echo still here", "still here", 0 },
	{ "${nothing:?sorry}", "bash: nothing: sorry", 1 },
	{ "readonly q=1; q=2", "bash: q: readonly variable", 1 },
	{ "echo here again", "here again", 0 },
	{ "IFS=0123456789; TMOUT=1", "", 0 },
	{ "sleep 1.3; echo waited; unset IFS TMOUT", "waited", 0 },
	{ "exec 240>/dev/null 241</dev/null; echo fds", "fds", 0 },
	{ "exec 5>&1 >out; echo into a file", "", 0 },
	{ "echo more of it >&1; exec >&5 5>&-; cat out", "into a file\nmore of it", 0 },
	{ "exec 6>&1 7>&2 8<&0 >&- 2>&- <&-", "", 0 },
	{ "echo lost", "", 1 },
	{ "exec >&6 2>&7 <&8 6>&- 7>&- 8<&-; echo found", "found", 0 },
	{ "cat /dev/null | (exit 3) | cat; echo ${PIPESTATUS[1]}", "3", 0 },
	{ "alias hi='echo alias'\nhi", "alias", 0 },
	{ "for i in 1 2 3; do\n  echo $i\ndone", "1\n2\n3", 0 },
	{ "ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3", 0 },
	{ "unset -f f; f 2>/dev/null", "", 127 },
	{ "LC_ALL=C; LANG=C; echo ok; unset LC_ALL", "ok", 0 },
	{ "set -a; z=1; set +a; set -o posix; echo p; set +o posix", "p", 0 },
	{ "cd /; mkdir -p $OLDPWD/gone && cd $OLDPWD/gone && rmdir $PWD", "", 0 },
	{ "echo in a removed directory; cd /", "in a removed directory", 0 },
};

static void test_in_turn(void)
{
	struct kit k;

	CHECK(kit_open(&k, 30000));
	for (size_t i = 0; i < ARRAY_LEN(in_turn); i++) {
		CHECK_STR(sh(&k, in_turn[i].command), in_turn[i].content);
		CHECK_MSG(k.last.exit_code == in_turn[i].exit_code, "exit of: %s: %d",
			  in_turn[i].command, k.last.exit_code);
	}
	CHECK_STR(k.last.directory, "/");
	CHECK_STR(k.last.prefix.text, "");
	CHECK_STR(k.last.suffix.text, "\n[The command completed with exit code 0.]");
	CHECK(k.last.username && k.last.hostname && *k.last.hostname);
	kit_close(&k);
}

/* Texts that are not commands end as errors, not as a wait for the rest. */
static void test_broken_commands(void)
{
	static const char *const broken[] = {
		"echo \"open", "echo 'open", "echo $(", "echo `x", "if true; then",
		"(", ")", "}", "case x in", "echo ${x", "f() {", "&&", "|", ";;",
	};
	struct kit k;

	CHECK(kit_open(&k, 30000));
	for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
		sh(&k, broken[i]);
		CHECK_MSG(k.last.exit_code > 0 && k.last.exit_code < 130, "refused: %s",
			  broken[i]);
	}
	CHECK_STR(sh(&k, "echo fine"), "fine");
	sh(&k, "cat <<EOF\nno end");
	CHECK(strstr(k.last.content.text, "no end") != NULL);
	CHECK(strstr(kit_call(&k, "echo a\0b", 8, false, 60), "NUL byte") != NULL);
	sh(&k, "echo \\");
	CHECK_STR(sh(&k, "# only a comment"), "");
	kit_close(&k);
}

/* The shell dies: said once, and the next command has a new one. */
static void test_death(void)
{
	static const struct {
		const char *command;
		int exit_code;
	} deaths[] = {
		{ "exit 3", 3 },
		{ "exec true", 0 },
		{ "exec sh -c 'exit 9'", 9 },
		{ "set -e; (exit 4); echo never", 4 },
		{ "kill -KILL $$", 137 },
		{ "trap 'echo bye' EXIT; exit 5", 5 },
		{ "exec sh -c 'exec >/dev/null 2>&1 </dev/null; sleep 0.2; exit 6'", 6 },
	};
	struct kit k;

	CHECK(kit_open(&k, 30000));
	for (size_t i = 0; i < ARRAY_LEN(deaths); i++) {
		sh(&k, "cd /usr; v=1");
		sh(&k, deaths[i].command);
		CHECK_MSG(k.last.exit_code == deaths[i].exit_code, "%s: %d",
			  deaths[i].command, k.last.exit_code);
		CHECK(strstr(k.last.suffix.text, "shell itself exited") != NULL);
		CHECK((k.last.content.len > 0) == (*k.last.suffix.text == '\n'));
		CHECK_STR(sh(&k, "echo [$v] $PWD"), "[] /usr");
		CHECK(strstr(k.last.prefix.text, "a new shell in /usr: ") != NULL);
		CHECK_STR(sh(&k, "echo 2"), "2");
		CHECK_STR(k.last.prefix.text, "");
	}
	kit_close(&k);
}

static void test_background(void)
{
	char told[64];
	struct kit k;

	CHECK(kit_open(&k, 2000));
	sh(&k, "sleep 60 & echo started");
	CHECK(k.last.pid > 0);
	snprintf(told, sizeof told, "started\n[1] %ld", k.last.pid);
	CHECK_STR(k.last.content.text, told);
	CHECK_STR(sh(&k, "echo quiet"), "quiet");
	CHECK_STR(sh(&k, "kill $!; while kill -0 $! 2>/dev/null; do :; done"),
		  "[1]+  Terminated              sleep 60");
	CHECK_STR(sh(&k, "true"), "");
	sh(&k, "sleep 60 & true | sleep 61 & true");
	CHECK(strncmp(k.last.content.text, "[1] ", 4) == 0);
	snprintf(told, sizeof told, "\n[2] %ld", k.last.pid);
	CHECK(strstr(k.last.content.text, told) != NULL);
	sh(&k, "kill %1 %2; wait");
	CHECK_STR(sh(&k, "sleep 60 & kill %1; wait %1 2>/dev/null; echo $?"), "143");
	sh(&k, "(while [ ! -e go ]; do sleep 0.05; done; echo from behind;"
	       " touch done) &");
	sh(&k, "touch go; while [ ! -e done ]; do sleep 0.05; done");
	CHECK(strstr(k.last.content.text, "from behind") != NULL);
	sh(&k, "rm go done; (while [ ! -e go ]; do sleep 0.05; done; echo later) &"
	       " touch go");
	if (!strstr(k.last.content.text, "later")) {
		const char *got = "";

		for (int i = 0; i < 1000 && !strstr(got, "later"); i++) {
			usleep(10000);
			got = start(&k, "");
		}
		CHECK(strstr(got, "later") != NULL);
		CHECK(strstr(k.last.suffix.text, "background processes") != NULL);
	}
	/* One that never stops printing holds no call. */
	sh(&k, "yes endless & echo go");
	CHECK(k.last.ended && k.last.exit_code == 0);
	sh(&k, "kill %%; wait; true");
	CHECK(k.last.ended);
	CHECK_STR(sh(&k, "setsid sh -c 'echo $$ > left; exec sleep 60' & disown; echo x"),
		  "x");
	CHECK_STR(sh(&k, "jobs"), "");
	/* Programs that ran in the foreground are not jobs. */
	CHECK_STR(sh(&k,
		     "sleep 0.01; true | sleep 0.01; jobs -l; jobs | cat; x=$(jobs -p);"
		     " echo \"<$x>\""),
		  "<>");
	/* Until it is sleep, the job is a bash that ignores SIGTERM. When bash prints
	 * that the job has ended is not defined. */
	CHECK(strstr(sh(&k, "sleep 60 & until grep -qx sleep /proc/$!/comm; do :; done;"
			    " kill $(jobs -p); wait $!; echo \"<$?>\""),
		     "<143>"));
	sh(&k, "until [ -s left ]; do sleep 0.01; done; kill $(cat left); rm left");
	kit_close(&k);
}

static void test_dialogue(void)
{
	struct kit k;

	CHECK(kit_open(&k, 300));
	CHECK_STR(start(&k, "read -p 'name? ' n && echo \"hi $n\""), "name?");
	CHECK(!k.last.ended && k.last.exit_code == -1 && !k.last.directory);
	CHECK(strstr(k.last.suffix.text,
		     "\n[The command has no new output after 0.3 seconds. "));
	start(&k, "echo other");
	CHECK(strstr(k.last.suffix.text,
		     "\n[Your command \"echo other\" is NOT executed. "));
	CHECK_STR(k.last.prefix.text, "[Below is the output of the previous command.]\n");
	CHECK_STR(type(&k, "bob"), "hi bob");
	CHECK(k.last.ended && k.last.exit_code == 0);

	start(&k, "stty -echo; read p; stty echo; echo \"got $p\"");
	CHECK_STR(type(&k, "got"), "got got");
	CHECK_STR(type(&k, "x"), "ERROR: No previous running command to interact with.");
	CHECK_STR(start(&k, " \n"),
		  "ERROR: No previous running command to retrieve logs from.");

	start(&k, "sleep 60");
	CHECK_STR(type(&k, "C-z"), "^Z\n[1]+  Stopped                 sleep 60");
	CHECK(k.last.exit_code == 148);
	start(&k, "fg");
	type(&k, "CTRL-c");
	CHECK(k.last.ended && k.last.exit_code == 130);
	CHECK(strstr(k.last.suffix.text, "exit code 130. CTRL+C was sent.]") != NULL);
	start(&k, "for i in 1 2 3; do sleep 30; done; echo never");
	CHECK_STR(start(&k, "C-c"), "^C"); /* also without is_input */
	start(&k, "while :; do :; done");
	CHECK_STR(type(&k, "C-c"), "^C");
	start(&k, "trap 'echo caught' INT; while sleep 60; do :; done");
	type(&k, "C-c");
	CHECK(k.last.ended);
	CHECK_STR(sh(&k, "trap - INT; echo fine"), "fine");
	start(&k, "PROMPT_COMMAND=; sleep 30");
	CHECK_STR(type(&k, "C-c"), "^C");
	start(&k, "unset PROMPT_COMMAND; cat");
	CHECK_STR(type(&k, "C-d"), "");
	CHECK_STR(sh(&k, "read -t 0.1 unread; echo ${unread:-none}"), "none");

	start(&k, "cat > typed");
	type(&k, "one\n  two");
	type(&k, "C-d");
	CHECK_STR(sh(&k, "cat typed"), "one\n  two");
	/* Ended between two calls. */
	start(&k, "sleep 0.6; echo late");
	sh(&k, "true"); /* refused, or run if it was slow */
	for (int i = 0; i < 100 && !k.last.ended; i++)
		start(&k, "");
	CHECK(strstr(k.last.content.text, "late") != NULL);
	kit_close(&k);
}

/* Only a program that reads keys gets the answer to a query of the terminal. */
static void test_terminal_queries(void)
{
	struct kit k;

	CHECK(kit_open(&k, 300));
	CHECK_STR(start(&k, "printf 'a\\e[cb\\e[6nc\\n'; read line; echo \"[$line]\""),
		  "abc");
	CHECK_STR(type(&k, "x"), "[x]");
	CHECK_STR(sh(&k, "stty -icanon -echo; printf '\\e[6n'; IFS= read -rd R at; "
			 "stty sane; echo ${at//[^;]}"),
		  ";");
	CHECK_STR(sh(&k, "read -rsd R -p $'\\e[6n' at; echo ${at//[^;]}"), ";");
	kit_close(&k);
}

/* A program that ignores C-c is killed by the third; a broken shell is replaced. */
static void test_unstoppable(void)
{
	static const struct {
		const char *command;
		const char *kept; /* of a variable that was set before */
	} deaf[] = {
		{ "sh -c \"trap '' INT TERM; while :; do sleep 60; done\"", "1" },
		{ "trap '' INT; while :; do :; done", "" },
		{ "enable -n builtin", "" },
		{ "eval 'builtin() { :; }'", "" },
	};
	struct kit k;

	CHECK(kit_open(&k, 300));
	for (size_t i = 0; i < ARRAY_LEN(deaf); i++) {
		kit_call(&k, "v=1", 3, false, 60);
		kit_call(&k, deaf[i].command, strlen(deaf[i].command), false, 1);
		for (int n = 0; n < 3 && !k.last.ended; n++)
			kit_call(&k, "C-c", 3, true, n < 2 ? 0.3 : 60);
		CHECK_MSG(k.last.ended && k.last.exit_code > 128, "ended: %s",
			  deaf[i].command);
		CHECK_STR(sh(&k, "echo fine$v"), *deaf[i].kept ? "fine1" : "fine");
	}
	sh(&k, "readonly PROMPT_COMMAND=x");
	CHECK(k.last.ended && strstr(k.last.suffix.text, "shell itself exited"));
	CHECK_STR(sh(&k, "echo fine"), "fine");
	kit_close(&k);
}

static void test_programs(void)
{
	struct kit k;

	CHECK(kit_open(&k, 700));
	start(&k, "python3 -q");
	CHECK(type_until(&k, "print(6 * 7)", "42"));
	CHECK(type_until(&k, "for i in range(2):\n    print('i', i)\n\n", "i 1"));
	type(&k, "exit(3)");
	for (int i = 0; i < 30 && !k.last.ended; i++)
		start(&k, "");
	CHECK(k.last.exit_code == 3);
	sh(&k, "seq 1 500 > numbers");
	if (sh(&k, "command -v less"), k.last.exit_code == 0) {
		start(&k, "less numbers");
		CHECK(strstr(k.last.content.text, "\n49") != NULL);
		CHECK(type_until(&k, "G", "500"));
		type(&k, "q");
		for (int i = 0; i < 30 && !k.last.ended; i++)
			start(&k, "");
		CHECK(k.last.exit_code == 0);
	}
	if (sh(&k, "command -v vim"), k.last.exit_code == 0) {
		start(&k, "vim -u NONE numbers");
		CHECK(strstr(k.last.content.text, "\n49") != NULL ||
		      strstr(start(&k, ""), "\n49") != NULL);
		type(&k, "ESC");
		type(&k, ":%s/^/x/");
		type(&k, ":wq");
		for (int i = 0; i < 30 && !k.last.ended; i++)
			start(&k, "");
		CHECK_STR(sh(&k, "tail -n 1 numbers"), "x500");
	}
	kit_close(&k);
}

/* Much output: bounded, the end kept, the whole of it passed on. */
static void test_floods(void)
{
	struct kit k;

	CHECK(kit_open(&k, 600000));
	sh(&k, "seq 1 10000");
	CHECK(k.last.cut);
	CHECK(strncmp(k.last.content.text, "1\n2\n3\n", 6) == 0);
	CHECK(strstr(k.last.content.text, OUTPUT_MARKER) != NULL);
	CHECK(k.last.content.len == 30000 + strlen(OUTPUT_MARKER));
	CHECK_STR(strrchr(k.last.content.text, '\n'), "\n10000");
	k.raw_bytes = 0;
	long bytes = RUNNING_ON_VALGRIND ? 2000000 : 200000000;
	char flood[64];

	snprintf(flood, sizeof flood, "yes | head -c %ld; echo end", bytes);
	sh(&k, flood);
	CHECK(k.last.ended && k.last.exit_code == 0);
	CHECK(k.raw_bytes > (uint64_t)bytes);
	CHECK_STR(strrchr(k.last.content.text, '\n'), "\nend");
	sh(&k, "head -c 30000000 /dev/zero | tr '\\0' a; echo end");
	CHECK(k.last.content.len == 30000 + strlen(OUTPUT_MARKER));
	/* No escapes: the terminal answers some, and an answer may come after the end. */
	sh(&k,
	   "head -c 3000000 /dev/urandom | LC_ALL=C tr -d '\\005\\033\\200-\\237'; echo; "
	   "echo end");
	CHECK(k.last.ended);
	CHECK_STR(sh(&k, "echo fine"), "fine");
	sh(&k, "for i in $(seq 20000); do printf '\\r%d%%' $i; done; echo");
	CHECK_STR(k.last.content.text, "20000%");
	kit_close(&k);
}

static void cancel_at_once(struct kit *k, int fds[2])
{
	CHECK(pipe(fds) == 0);
	CHECK(write(fds[1], "x", 1) == 1);
	k->cancel_fd = fds[0];
}

static void test_cancel(void)
{
	static const struct {
		const char *command;
		bool survives;
	} cases[] = {
		{ "v=kept; sleep 60", true },
		{ "for i in 1 2 3; do sleep 60; done", true },
		{ "while :; do :; done", true },
		{ "yes", true },
		{ "(trap '' INT; sleep 60)", true },
		{ "trap '' INT; sleep 60; trap - INT", true },
		{ "stty raw; sleep 60", true },
		{ "trap '' INT; while :; do :; done", false },
	};
	struct kit k;
	int fds[2];

	CHECK(kit_open(&k, 30000));
	sh(&k, "v=kept");
	cancel_at_once(&k, fds);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		k.cancel_fd = fds[0];
		sh(&k, cases[i].command);
		CHECK_MSG(k.last.cancelled && k.last.ended, "cancelled: %s",
			  cases[i].command);
		k.cancel_fd = -1;
		CHECK_STR(sh(&k, "echo $v"), cases[i].survives ? "kept" : "");
	}
	close(fds[0]);
	close(fds[1]);
	kit_close(&k);
}

static size_t open_fds(void)
{
	size_t n = 0;
	DIR *dir = opendir("/proc/self/fd");

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* Resident memory of a process in KiB. */
static long resident(long pid)
{
	char path[64], text[4096];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%ld/status", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *at = strstr(text, "VmRSS:");

	return at ? strtol(at + 6, NULL, 10) : -1;
}

/* Neither the shell nor we grow with the number of commands. */
static void test_many(void)
{
	struct kit k;
	char command[64], want[32];
	size_t wrong = 0, fds = 0;
	long us = 0, shell = 0, pid;

	CHECK(kit_open(&k, 30000));
	pid = strtol(sh(&k, "echo $$"), NULL, 10);
	for (int i = 0; i < 2000; i++) {
		if (i == 500) {
			fds = open_fds();
			us = resident(getpid());
			shell = resident(pid);
		}
		snprintf(command, sizeof command, "%s; echo %d",
			 i % 4 ? "true" : "/bin/true", i);
		snprintf(want, sizeof want, "%d", i);
		wrong += strcmp(sh(&k, command), want) != 0;
	}
	CHECK_MSG(wrong == 0, "%zu of 2000 outputs wrong", wrong);
	CHECK(open_fds() == fds);
	CHECK_MSG(CHECKED || resident(getpid()) < us + 512, "we: %ld to %ld KiB", us,
		  resident(getpid()));
	CHECK_MSG(resident(pid) < shell + 512, "bash: %ld to %ld KiB", shell,
		  resident(pid));
	kit_close(&k);
}

int main(void)
{
	test_in_turn();
	test_broken_commands();
	test_death();
	test_background();
	test_dialogue();
	test_terminal_queries();
	test_unstoppable();
	test_programs();
	test_floods();
	test_cancel();
	test_many();
	return tap_done();
}
