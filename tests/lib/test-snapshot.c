/* SPDX-License-Identifier: MIT
 *
 * test-snapshot.c - takes and restores snapshots of real directories. */
#include "snapshot/snapshot.h"
#include "files.h"
#include "tap.h"

#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char root[PATH_MAX], workspace[PATH_MAX + 16], dir[PATH_MAX + 16];
static struct snapshot_options options = {
	.workspace = workspace, .dir = dir, .disk = 1 << 30, .file = 1 << 20, .files = 10000,
};

/* Run commands in the workspace. */
static void sh(const char *commands)
{
	AUTO(strbuf) struct strbuf text = STRBUF(65536);

	strbuf_addf(&text, "cd %s && %s", workspace, commands);
	if (text.error || system(text.text) != 0)
		printf("Bail out! %s\n", commands);
}

static char *output(const char *commands)
{
	AUTO(strbuf) struct strbuf text = STRBUF(65536), out = STRBUF(16 << 20);
	char piece[4096];
	FILE *f;
	size_t n;

	strbuf_addf(&text, "cd %s && %s", workspace, commands);
	f = popen(text.text, "r");
	while (f && (n = fread(piece, 1, sizeof piece, f)) > 0)
		strbuf_addn(&out, piece, n);
	if (f)
		pclose(f);
	return strbuf_take(&out);
}

/* Names, types, modes, times, link targets and contents. */
static char *state(void)
{
	return output("find . -printf '%p %y %m %T@ %l\\0' | sort -z | tr '\\0' '\\n';"
		      "find . -type f -print0 | sort -z | xargs -0r sha256sum");
}

static void fresh(const char *commands)
{
	if (*root)
		dir_remove(root, NULL);
	if (dir_temporary("mortise-test", root, sizeof root, NULL))
		puts("Bail out! no directory");
	snprintf(workspace, sizeof workspace, "%s/work", root);
	snprintf(dir, sizeof dir, "%s/snapshots", root);
	mkdir(workspace, 0755);
	sh(commands);
}

static struct snapshot_store *opened(void)
{
	struct snapshot_store *s = NULL;
	struct error err = ERROR_NONE;

	if (snapshot_open(&options, true, &s, &err))
		printf("Bail out! %s\n", err.text);
	return s;
}

/* Take a snapshot and add it to the index. */
static int64_t keep(struct snapshot_store *s, int64_t event)
{
	struct snapshot_state now;
	struct error err = ERROR_NONE;
	int64_t number = -1;

	if (!snapshot_make(s, &now, &err))
		number = snapshot_keep(s, SNAPSHOT_STEP, event, now.root, &err);
	if (number < 0)
		printf("# %s\n", err.text);
	snapshot_state_clear(&now);
	return number;
}

static int restore(struct snapshot_store *s, size_t n, struct snapshot_report *report)
{
	struct snapshot_state now;
	struct error err = ERROR_NONE;
	int r = snapshot_make(s, &now, &err);

	if (!r)
		r = snapshot_restore(s, now.root, snapshot_at(s, n)->root, report, &err);
	if (r)
		printf("# %s\n", err.text);
	for (int64_t i = 0; i < report->problems.count && i < SNAPSHOT_NAMES_MAX; i++)
		printf("# %s\n", report->problems.list[i]);
	snapshot_state_clear(&now);
	return r;
}

static void check_restored(struct snapshot_store *s, size_t n, const char *want)
{
	struct snapshot_report report = { 0 };
	AUTO(free) char *got = NULL;

	CHECK(restore(s, n, &report) == MT_OK);
	CHECK(report.problems.count == 0);
	got = state();
	CHECK_STR(got, want);
	snapshot_names_clear(&report.problems);
}

static const char many[] =
	"mkdir -p a/b/c empty locked && echo one > a/one && echo two > a/b/two && "
	"printf 'x\\000y' > 'a/b/c/with space' && : > $'new\\nline' 2>/dev/null; "
	": > none && ln -s ../a/one a/b/link && ln -s /nowhere dangling && chmod 755 a/one && "
	"echo k > locked/k && chmod 640 none && touch -d '2001-02-03 04:05:06.789' a/b/two && "
	"touch -h -d '2002-02-02 02:02:02.5' dangling && chmod 555 locked && "
	"head -c 3000000 /dev/zero > large && touch -d '1999-01-01' a/b a empty";

static void everything_comes_back(void)
{
	struct snapshot_store *s;
	AUTO(free) char *before = NULL, *after = NULL;

	options.file = 64 << 20;
	fresh(many);
	s = opened();
	before = state();
	CHECK(keep(s, 5) == 1);
	sh("chmod 755 locked && rm -rf a/b locked none && echo three > a/one && chmod 600 a/one "
	   "&& rmdir empty && echo file > empty && mkdir -p a/b/new/deep && echo n > "
	   "a/b/new/deep/n && rm dangling && mkdir dangling && echo d > dangling/d && "
	   "echo >> large && touch another");
	after = state();
	CHECK(keep(s, 9) == 2);
	check_restored(s, 0, before);
	check_restored(s, 1, after);
	sh("rm -rf *");
	check_restored(s, 0, before);
	CHECK(snapshot_after(s, 4)->number == 1 && snapshot_after(s, 5)->number == 2);
	CHECK(snapshot_after(s, 9) == NULL);
	snapshot_close(s);
	options.file = 1 << 20;
}

static void ignored_files_stay(void)
{
	AUTO(snapshot_store) struct snapshot_store *s = NULL;
	AUTO(free) char *before = NULL;
	struct snapshot_report report = { 0 };
	struct snapshot_state now;

	fresh("mkdir -p build src .git && echo build/ > .gitignore && echo o > build/o && "
	      "echo c > src/c && echo git > .git/HEAD && head -c 2000000 /dev/zero > big && "
	      "mkfifo pipe");
	s = opened();
	CHECK(snapshot_make(s, &now, NULL) == MT_OK);
	CHECK(now.files == 2 && now.ignored.count == 1 && now.left_out.count == 2);
	CHECK_STR(now.ignored.list[0], "build");
	CHECK_STR(now.left_out.list[0], "big (larger than snapshot_file)");
	CHECK_STR(now.left_out.list[1], "pipe (a device, pipe or socket)");
	snapshot_state_clear(&now);
	keep(s, 1);
	sh("touch -d 2000-01-01 build src && echo more > build/new && echo changed > big && "
	   "echo x > .git/new && rm -r src && mkdir out && echo 1 > out/1 && echo 2 > out/keep "
	   "&& echo keep > out/.gitignore");
	CHECK(restore(s, 0, &report) == MT_OK);
	CHECK(report.written == 1 && report.removed == 2);
	CHECK(report.problems.count == 1);
	CHECK_STR(report.problems.list[0], "big (it was not covered)");
	snapshot_names_clear(&report.problems);
	before = output("cat build/new .git/new big out/keep src/c; ls -A out");
	CHECK_STR(before, "more\nx\nchanged\n2\nc\nkeep\n");
}

/* The ignore file of the restored state decides. */
static void restored_rules_decide(void)
{
	AUTO(snapshot_store) struct snapshot_store *s = NULL;
	AUTO(free) char *got = NULL;
	struct snapshot_report report = { 0 };

	fresh("echo kept > .gitignore && echo 1 > kept");
	s = opened();
	keep(s, 1);
	sh("echo made > .gitignore && echo 2 > made && echo 3 > other");
	keep(s, 2);
	sh("echo > .gitignore");
	keep(s, 3);
	CHECK(restore(s, 0, &report) == MT_OK);
	got = output("cat .gitignore; ls");
	CHECK_STR(got, "kept\nkept\n");
	snapshot_names_clear(&report.problems);
}

static void links_are_not_followed(void)
{
	AUTO(snapshot_store) struct snapshot_store *s = NULL;
	AUTO(free) char *outside = NULL, *inside = NULL;
	struct snapshot_report report = { 0 };
	struct snapshot_state now;

	fresh("mkdir -p d/e ../outside/e && echo in > d/e/f && echo in > d/e/g && "
	      "echo out > ../outside/e/f");
	s = opened();
	keep(s, 1);
	sh("rm -r d && ln -s ../outside d");
	CHECK(restore(s, 0, &report) == MT_OK);
	snapshot_names_clear(&report.problems);
	inside = output("cat d/e/f");
	outside = output("cat ../outside/e/f; ls ../outside/e");
	CHECK_STR(inside, "in\n");
	CHECK_STR(outside, "out\nf\n");
	/* the directory is replaced between the snapshot and the restore */
	sh("echo changed > d/e/f");
	CHECK(snapshot_make(s, &now, NULL) == MT_OK);
	sh("rm -r d && ln -s ../outside d");
	CHECK(snapshot_restore(s, now.root, snapshot_at(s, 0)->root, &report, NULL) ==
	      MT_OK);
	CHECK(report.problems.count > 0);
	free(outside);
	outside = output("cat ../outside/e/f");
	CHECK_STR(outside, "out\n");
	snapshot_names_clear(&report.problems);
	snapshot_state_clear(&now);
}

static void quick_changes_are_seen(void)
{
	AUTO(snapshot_store) struct snapshot_store *s = NULL;
	AUTO(free) char *path = NULL;
	int missed = 0;

	fresh("echo 0 > f");
	path = path_join(workspace, "f");
	s = opened();
	for (int i = 0; i < 40; i++) {
		char text[2] = { (char)('a' + i % 2), '\n' };
		FILE *f;

		keep(s, i);
		f = fopen(path, "r+"); /* in place: the same inode and size */
		if (f) {
			fwrite(text, 1, sizeof text, f);
			fclose(f);
		}
	}
	keep(s, 40);
	for (size_t i = 2; i < 41; i++)
		missed += memcmp(snapshot_at(s, i)->root, snapshot_at(s, i - 1)->root,
				 SHA256_BYTES) == 0;
	CHECK_MSG(missed == 0, "%d changes missed", missed);
}

static int64_t size_of_store(void)
{
	AUTO(free) char *text =
		output("du -s --block-size=1 ../snapshots/objects | cut -f1");

	return strtoll(text, NULL, 10);
}

static void the_disk_is_bounded(void)
{
	AUTO(snapshot_store) struct snapshot_store *s = NULL;
	struct snapshot_state now;
	AUTO(free) char *before = NULL;

	options.disk = 8 << 20;
	fresh(":");
	s = opened();
	for (int i = 0; i < 40; i++) {
		sh("head -c 900000 /dev/urandom > f");
		keep(s, i);
	}
	CHECK(size_of_store() < (8 << 20) + (2 << 20)); /* directories too */
	CHECK(snapshot_count(s) > 2 && snapshot_count(s) < 12);
	CHECK(snapshot_at(s, snapshot_count(s) - 1)->number == 40);
	before = state();
	sh("rm f");
	check_restored(s, snapshot_count(s) - 1, before);
	/* what does not fit at all is named */
	sh("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do head -c 900000 /dev/urandom > f$i; done");
	CHECK(snapshot_make(s, &now, NULL) == MT_OK);
	CHECK(now.left_out.count > 3);
	CHECK(strstr(now.left_out.list[0], "snapshot_disk is used up") != NULL);
	CHECK(size_of_store() < (8 << 20) + (2 << 20));
	snapshot_state_clear(&now);
	options.disk = 1 << 30;
}

static void damage_is_named(void)
{
	struct snapshot_store *s;
	AUTO(free) char *got = NULL;
	struct snapshot_report report = { 0 };

	fresh("echo 1 > a && echo 2 > b");
	s = opened();
	keep(s, 1);
	sh("rm a b && f=$(printf '1\\n' | sha256sum | cut -c1-64) && "
	   "printf 'x\\n' > ../snapshots/objects/$(echo $f | cut -c1-2)/$(echo $f | cut -c3-)");
	CHECK(restore(s, 0, &report) == MT_OK);
	CHECK(report.problems.count == 1 && report.written == 1);
	got = output("ls -A; cat b");
	CHECK_STR(got, "b\n2\n");
	snapshot_names_clear(&report.problems);
	snapshot_close(s);
	/* a process was killed while it wrote the index and the cache */
	sh("printf '2 7 st' >> ../snapshots/index && head -c 50 ../snapshots/cache > x && "
	   "mv x ../snapshots/cache");
	s = opened();
	CHECK(snapshot_count(s) == 1 && keep(s, 2) == 2);
	snapshot_close(s);
	s = opened();
	CHECK(snapshot_count(s) == 2);
	snapshot_close(s);
}

static void too_many_files_are_refused(void)
{
	AUTO(snapshot_store) struct snapshot_store *s = NULL;
	struct snapshot_state now;
	struct error err = ERROR_NONE;

	options.files = 5;
	fresh("touch 1 2 3 4 5 6");
	s = opened();
	CHECK(snapshot_make(s, &now, &err) == MT_ELIMIT);
	CHECK_STR(err.text, "the workspace has more than snapshot_files = 5 files");
	options.files = 10000;
}

/* ---- killed at any moment ---- */

static int read_item(void *arg, const struct snapshot_change *change, struct error *err)
{
	struct snapshot_store *s = arg;
	AUTO(free) char *text = NULL;
	size_t len;

	return change->to && change->to->type != TREE_DIRECTORY
		       ? snapshot_read(s, change->to->hash, 1 << 20, &text, &len, err)
		       : MT_OK;
}

/* Can everything be read that the index names? */
static bool is_whole(struct snapshot_store *s, const unsigned char *empty)
{
	struct error err = ERROR_NONE;
	const struct snapshot_entry *e;

	for (size_t i = 0; (e = snapshot_at(s, i)); i++)
		if (snapshot_compare(s, empty, e->root, read_item, s, &err)) {
			printf("# %s\n", err.text);
			return false;
		}
	return true;
}

/* Run it in a child, which is killed after some time. @return whether it had ended */
static bool killed(void (*run)(void), int round)
{
	const struct timespec wait = { .tv_nsec = (round * 7919 % 100) * 1000000L };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		run();
		_exit(0);
	}
	nanosleep(&wait, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return WIFEXITED(status);
}

static void take_one(void)
{
	struct snapshot_store *s = opened();

	keep(s, 1000);
	snapshot_close(s);
}

static void restore_first(void)
{
	struct snapshot_store *s = opened();
	struct snapshot_report report = { 0 };

	restore(s, 1, &report);
	snapshot_close(s);
}

static void a_kill_leaves_a_usable_store(void)
{
	struct snapshot_store *s;
	AUTO(free) char *before = NULL, *after = NULL;
	struct snapshot_state empty;
	struct snapshot_report report = { 0 };
	int ended = 0, bad = 0;

	fresh(":");
	s = opened();
	snapshot_make(s, &empty, NULL);
	snapshot_keep(s, SNAPSHOT_START, 0, empty.root, NULL);
	sh("mkdir a b c && for i in $(seq 60); do echo $i >a/$i; echo $i >b/$i; done; chmod "
	   "500 b");
	before = state();
	keep(s, 1);
	snapshot_close(s);
	for (int round = 0; round < 25; round++) {
		AUTO(strbuf) struct strbuf text = STRBUF(1024);

		strbuf_addf(&text,
			    "for i in $(seq 60); do echo %d $i >a/$i; done; "
			    "mkdir c/%d; echo x >c/%d/x",
			    round, round, round);
		sh(text.text);
		ended += killed(take_one, round);
		s = opened();
		bad += !is_whole(s, empty.root);
		bad += keep(s, round + 2) < 0;
		snapshot_close(s);
	}
	CHECK_MSG(bad == 0 && ended < 25, "%d stores damaged, %d ended", bad, ended);
	for (int round = 0; round < 25; round++)
		ended += killed(restore_first, round + 3);
	s = opened();
	CHECK(restore(s, 1, &report) == MT_OK && report.problems.count == 0);
	after = state();
	CHECK_STR(after, before);
	snapshot_close(s);
	sh("chmod 700 b");
}

/* ---- several directories ---------------------------------------------------------- */

static void other_directories_come_back(void)
{
	AUTO(snapshot_store) struct snapshot_store *s = NULL;
	struct snapshot_options with = options;
	struct snapshot_report report = { 0 };
	struct snapshot_state before, after;
	char more[PATH_MAX + 16], *roots[] = { more, NULL };
	struct error err = ERROR_NONE;

	fresh("echo one > file; mkdir -p '../mo%re/sub'; cd '../mo%re'; echo two > file;"
	      "echo keep > ignored; echo ignored > .gitignore; echo three > sub/file");
	snprintf(more, sizeof more, "%s/mo%%re", root);
	with.roots = roots;
	CHECK(snapshot_open(&with, true, &s, &err) == MT_OK);
	CHECK_MSG(snapshot_make(s, &before, &err) == MT_OK, "%s", err.text);
	CHECK(before.files == 4);
	CHECK(snapshot_keep(s, SNAPSHOT_START, 1, before.root, &err) == 1);
	s = snapshot_close(s);

	/* The directories are those of the newest snapshot. */
	sh("cd '../mo%re' && rm -r sub && echo new > file && echo new > new &&"
	   "echo changed > ignored");
	CHECK(snapshot_open(&options, true, &s, &err) == MT_OK);
	CHECK_MSG(snapshot_make(s, &after, &err) == MT_OK, "%s", err.text);
	CHECK_MSG(snapshot_restore(s, after.root, before.root, &report, &err) == MT_OK,
		  "%s", err.text);
	CHECK(report.problems.count == 0 && report.removed == 1 && report.written == 2);
	AUTO(free) char *text =
		output("cd '../mo%re' && cat file sub/file ignored && ls");
	CHECK_STR(text, "two\nthree\nchanged\nfile\nignored\nsub\n");
	snapshot_state_clear(&before);
	snapshot_state_clear(&after);
}

static void a_directory_that_became_a_link_is_not_followed(void)
{
	AUTO(snapshot_store) struct snapshot_store *s = NULL;
	struct snapshot_options with = options;
	struct snapshot_report report = { 0 };
	struct snapshot_state before, after;
	char more[PATH_MAX + 16], *roots[] = { more, NULL };
	struct error err = ERROR_NONE;

	fresh("mkdir ../more ../victim; echo one > ../more/file; echo own > ../victim/own");
	snprintf(more, sizeof more, "%s/more", root);
	with.roots = roots;
	CHECK(snapshot_open(&with, true, &s, &err) == MT_OK);
	CHECK(snapshot_make(s, &before, &err) == MT_OK);
	sh("rm -r ../more && ln -s victim ../more");
	CHECK(snapshot_make(s, &after, &err) == MT_OK);
	CHECK(after.left_out.count == 1);
	CHECK(snapshot_restore(s, before.root, before.root, &report, &err) == MT_OK);
	CHECK(report.problems.count == 1);
	AUTO(free) char *text = output("ls ../victim");
	CHECK_STR(text, "own\n");
	snapshot_names_clear(&report.problems);
	snapshot_state_clear(&before);
	snapshot_state_clear(&after);
}

int main(void)
{
	a_kill_leaves_a_usable_store();
	everything_comes_back();
	ignored_files_stay();
	restored_rules_decide();
	links_are_not_followed();
	quick_changes_are_seen();
	the_disk_is_bounded();
	damage_is_named();
	too_many_files_are_refused();
	other_directories_come_back();
	a_directory_that_became_a_link_is_not_followed();
	dir_remove(root, NULL);
	return tap_done();
}
