/* SPDX-License-Identifier: MIT
 *
 * test-files.c - real files in a directory of its own. */
#include "copy.h"
#include "files.h"
#include "oom.h"
#include "tap.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

static char root[PATH_MAX];

static char *at(const char *name)
{
	char *path = path_join(root, name);

	if (!path)
		abort();
	return path;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

static void files_are_written_and_read(void)
{
	AUTO(free) char *path = at("file"), *text = NULL;
	struct error err = ERROR_NONE;
	size_t len = 0;

	CHECK(file_write(path, "a\0b", 3, 0600, true, &err) == MT_OK);
	CHECK(mode_of(path) == 0600);
	CHECK(file_read(path, 3, &text, &len, &err) == MT_OK && len == 3 &&
	      memcmp(text, "a\0b", 4) == 0);
	CHECK(file_read(path, 2, &text, &len, &err) == MT_ELIMIT);
	CHECK(file_write(path, "", 0, 0640, false, NULL) == MT_OK);
	CHECK(mode_of(path) == 0640);
	free(STEAL(text));
	CHECK(file_read(path, 2, &text, NULL, NULL) == MT_OK && text[0] == '\0');
	free(STEAL(text));
	CHECK_MSG(file_read("/proc/self/status", 1 << 16, &text, &len, NULL) == MT_OK &&
			  len > 100,
		  "a file that does not tell its size");
	CHECK(file_read(root, 10, &text, &len, NULL) == MT_EINVAL);
	CHECK(file_read("/dev/null", 10, &text, &len, NULL) == MT_EINVAL);
	CHECK(file_read("/nonexistent/x", 10, &text, &len, NULL) == MT_ENOTFOUND);
	CHECK(file_write("/nonexistent/x", "", 0, 0600, false, NULL) == MT_ENOTFOUND);
}

static void a_directory_is_abbreviated(void)
{
	static const struct {
		const char *path, *shown;
	} cases[] = {
		{ "/home/me/x", "~/x" }, { "/home/me", "~" },
		{ "/home/meg", "/home/meg" }, { "/srv", "/srv" }, { "", "-" },
	};
	AUTO(free) char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;

	setenv("HOME", "/home/me", 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(64);

		CHECK_MSG(path_abbreviate(&out, cases[i].path) == MT_OK &&
				  strcmp(out.text, cases[i].shown) == 0,
			  "abbreviate %s", cases[i].path);
	}
	if (home)
		setenv("HOME", home, 1);
	else
		unsetenv("HOME");
}

static void a_fifo_does_not_hold_us(void)
{
	AUTO(free) char *path = at("fifo"), *text = NULL;

	CHECK(mkfifo(path, 0600) == 0);
	CHECK(file_read(path, 10, &text, NULL, NULL) == MT_EINVAL);
}

static void dirs_are_made_and_removed(void)
{
	AUTO(free) char *deep = at("d/e//f/"), *top = at("d"), *link = at("d/link");
	AUTO(free) char *kept = at("kept"), *below = at("file/x"), *inner = at("d/e/g");
	struct error err = ERROR_NONE;

	umask(077);
	CHECK(dir_make(deep, NULL) == MT_OK && mode_of(deep) == 0700);
	CHECK(dir_make(deep, NULL) == MT_OK);
	CHECK(dir_make(below, NULL) != MT_OK);
	CHECK(dir_make("/proc/none/such", &err) != MT_OK);
	CHECK(strstr(err.text, "cannot create /proc/none: ") != NULL);
	CHECK(file_write(kept, "k", 1, 0600, false, NULL) == MT_OK);
	CHECK(file_write(inner, "g", 1, 0400, false, NULL) == MT_OK);
	CHECK(symlink(root, link) == 0);
	CHECK(dir_remove(link, NULL) != MT_OK);
	CHECK(dir_remove(top, NULL) == MT_OK && access(top, F_OK) != 0);
	CHECK_MSG(access(kept, F_OK) == 0, "a link was not followed");
	CHECK(dir_remove(top, NULL) == MT_ENOTFOUND);
}

static void dirs_are_copied(void)
{
	struct copy_limits some = { .files = 5, .bytes = 4 };
	AUTO(free) char *from = at("from"), *sub = at("from/sub"),
			*file = at("from/sub/f");
	AUTO(free) char *fifo = at("from/fifo"), *link = at("from/link"),
			*to = at("from/to");
	AUTO(free) char *copy = at("from/to/sub/f"), *again = at("from/to/to");
	AUTO(free) char *copied = at("from/to/link"), *pipe = at("from/to/fifo");
	struct error err = ERROR_NONE;
	char target[16] = "";

	CHECK(dir_make(sub, NULL) == MT_OK && dir_make(to, NULL) == MT_OK);
	CHECK(file_write(file, "text", 4, 0750, false, NULL) == MT_OK);
	CHECK(mkfifo(fifo, 0600) == 0 && symlink("/none", link) == 0);
	CHECK(copy_directory(from, to, &some, &err) == MT_OK);
	CHECK(mode_of(copy) == 0750 && readlink(copied, target, sizeof target) == 5);
	CHECK_MSG(access(again, F_OK) != 0, "not the directory that is written");
	CHECK_MSG(access(pipe, F_OK) != 0, "no pipe");
	CHECK_MSG(copy_directory(from, to, &some, &err) != MT_OK,
		  "nothing is overwritten");
	CHECK(dir_remove(to, NULL) == MT_OK && dir_make(to, NULL) == MT_OK);
	CHECK(copy_directory(from, to, &(struct copy_limits){ 5, 3 }, NULL) == MT_ELIMIT);
	CHECK(dir_remove(to, NULL) == MT_OK && dir_make(to, NULL) == MT_OK);
	CHECK(copy_directory(from, to, &(struct copy_limits){ 2, 9 }, NULL) == MT_ELIMIT);
	CHECK(copy_directory("/nonexistent", to, &some, NULL) == MT_EIO);
}

static void paths_are_put_together(void)
{
	static const struct { const char *a, *b, *want; } joins[] = {
		{ "a", "b", "a/b" }, { "a/", "b", "a/b" }, { "a", "/b", "/b" },
		{ "", "b", "b" },    { "/", "b", "/b" },
	};
	static const struct { const char *in, *want; } expands[] = {
		{ "~", "/h" }, { "~/x", "/h/x" }, { "~x", "~x" }, { "/a/~", "/a/~" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(joins); i++) {
		AUTO(free) char *got = path_join(joins[i].a, joins[i].b);

		CHECK_STR(got, joins[i].want);
	}
	setenv("HOME", "/h", 1);
	for (size_t i = 0; i < ARRAY_LEN(expands); i++) {
		AUTO(free) char *got = path_expand(expands[i].in);

		CHECK_STR(got, expands[i].want);
	}
}

static void paths_are_in_directories(void)
{
	static const struct { const char *path, *dir; bool want; } cases[] = {
		{ "/a/b", "/a/b", true },  { "/a/b/c", "/a/b", true },
		{ "/a/bc", "/a/b", false }, { "/a", "/a/b", false },
		{ "/a/b/c", "/a/b/", true }, { "/a/b", "/a/b//", true },
		{ "/a", "/", true },       { "/", "/", true },
		{ "/a", "", false },       { "a", "/", false },
	};
	char other[] = "/x", parent[] = "/a/b";
	char *const list[] = { other, parent, NULL };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		CHECK(path_is_in(cases[i].path, cases[i].dir) == cases[i].want);
	CHECK(path_is_in_any("/a/b/c", list));
	CHECK(!path_is_in_any("/a", list));
	CHECK(!path_is_in_any("/a", NULL));
}

static void programs_are_found(void)
{
	static const struct { const char *path, *name, *want; } cases[] = {
		{ "/nonexistent:/usr/bin:/bin", "sh", "/usr/bin/sh" },
		{ "/bin", "sh", "/bin/sh" }, { ".:bin:/bin", "sh", "/bin/sh" },
		{ "/", "bin", NULL }, /* a directory */
		{ "", "sh", NULL }, { NULL, "sh", NULL }, { "/bin", "no-such-program", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(free) char *got = path_find_program(cases[i].path, cases[i].name);

		CHECK_STR(got ? got : "(none)", cases[i].want ? cases[i].want : "(none)");
	}
}

static void the_dirs_of_the_user(void)
{
	AUTO(free) char *path = NULL, *want = at("state/mortise");
	AUTO(free) char *state = at("state");

	setenv("HOME", "/h", 1);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	CHECK(paths_xdg_dir("CONFIG", false, &path, NULL) == MT_OK);
	CHECK_STR(path, "/h/.config/mortise");
	free(STEAL(path));
	setenv("XDG_STATE_HOME", state, 1);
	CHECK(paths_xdg_dir("STATE", true, &path, NULL) == MT_OK);
	CHECK_STR(path, want);
	CHECK(mode_of(path) == 0700);
	free(STEAL(path));
	CHECK(paths_xdg_dir("NONE", false, &path, NULL) == MT_EINVAL);
	unsetenv("HOME");
	unsetenv("XDG_DATA_HOME");
	CHECK(paths_xdg_dir("DATA", false, &path, NULL) == MT_EINVAL);
	unsetenv("XDG_RUNTIME_DIR");
	CHECK(paths_xdg_dir("RUNTIME", false, &path, NULL) != MT_OK ||
	      strncmp(path, "/tmp/mortise-", 13) == 0 ||
	      strncmp(path, "/run/user/", 10) == 0);
}

/* A process that takes the name of the directory in $TMPDIR gets no sockets. */
static void the_runtime_dir_cannot_be_taken(void)
{
	AUTO(free) char *base = at("temporary"), *taken = NULL, *first = NULL,
			*again = NULL;
	char name[64], run[64];
	struct stat st;

	snprintf(run, sizeof run, "/run/user/%lu", (unsigned long)geteuid());
	if (stat(run, &st) == 0) {
		SKIP("there is a /run/user");
		return;
	}
	snprintf(name, sizeof name, "mortise-%lu", (unsigned long)geteuid());
	taken = path_join(base, name);
	CHECK(dir_make(base, NULL) == MT_OK && symlink("/tmp", taken) == 0);
	setenv("TMPDIR", base, 1);
	CHECK(paths_xdg_dir("RUNTIME", false, &first, NULL) == MT_EDENIED);
	CHECK(paths_xdg_dir("RUNTIME", true, &first, NULL) == MT_OK);
	CHECK(strncmp(first, taken, strlen(taken)) == 0 && strlen(first) > strlen(taken));
	CHECK(lstat(first, &st) == 0 && S_ISDIR(st.st_mode) &&
	      (st.st_mode & 0777) == 0700);
	CHECK(paths_xdg_dir("RUNTIME", false, &again, NULL) == MT_OK);
	CHECK_STR(again, first);
	CHECK(chmod(first, 0777) == 0);
	free(again);
	again = NULL;
	CHECK(paths_xdg_dir("RUNTIME", true, &again, NULL) == MT_OK &&
	      strcmp(again, first) != 0);
	CHECK(unlink(taken) == 0 && mkdir(taken, 0700) == 0);
	free(again);
	again = NULL;
	CHECK(paths_xdg_dir("RUNTIME", false, &again, NULL) == MT_OK);
	CHECK_STR(again, taken);
}

/* A link is followed, a pipe is written to; neither is replaced. */
static void a_named_file_is_written(void)
{
	AUTO(free) char *file = at("put"), *link = at("put.link"), *gone = at("put.gone");
	AUTO(free) char *fifo = at("put.fifo"), *text = NULL;
	struct error err = ERROR_NONE;
	struct stat st;
	char got[8] = "";
	int fd;

	CHECK(file_write(file, "old", 3, 0600, false, NULL) == MT_OK);
	CHECK(symlink(file, link) == 0 && symlink("nowhere", gone) == 0);
	CHECK(file_put_check(link, &err) == MT_OK);
	CHECK(file_put_check(gone, &err) == MT_ENOTFOUND);
	CHECK(file_put_check(root, &err) == MT_EIO);
	CHECK(file_put_check("/nonexistent/x", &err) == MT_ENOTFOUND);
	CHECK(file_put_check("", &(struct error){ 0 }) == MT_EINVAL);
	CHECK(file_put_check("in-this-directory", &err) == MT_OK);
	CHECK(file_put(link, "new", 3, 0600, &err) == MT_OK);
	CHECK(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(file_read(file, 10, &text, NULL, NULL) == MT_OK);
	CHECK_STR(text, "new");
	CHECK(file_put(gone, "new", 3, 0600, &err) == MT_ENOTFOUND);
	CHECK(mkfifo(fifo, 0600) == 0);
	fd = open(fifo, O_RDWR);
	CHECK(file_put(fifo, "pipe", 4, 0600, &err) == MT_OK);
	CHECK(read(fd, got, 4) == 4 && strcmp(got, "pipe") == 0);
	CHECK(lstat(fifo, &st) == 0 && S_ISFIFO(st.st_mode));
	close(fd);
}

static void what_others_may_write_is_not_safe(void)
{
	AUTO(free) char *dir = at("safe"), *file = at("safe/x.so");
	AUTO(free) char *link = at("link.so");
	struct error err = ERROR_NONE;

	CHECK(dir_make(dir, NULL) == MT_OK);
	CHECK(file_write(file, "x", 1, 0644, false, NULL) == MT_OK);
	CHECK(path_is_safe(file, NULL));
	CHECK(symlink(file, link) == 0 && path_is_safe(link, NULL));
	chmod(file, 0664);
	CHECK(!path_is_safe(file, &err) && err.code == MT_EDENIED);
	chmod(file, 0644);
	chmod(dir, 0777);
	CHECK(!path_is_safe(file, NULL) && !path_is_safe(link, NULL));
	err = ERROR_NONE;
	CHECK(!path_is_safe("/nonexistent", &err) && err.code == MT_ENOTFOUND);
}

static void without_memory(void)
{
	AUTO(free) char *path = at("kept");

	OOM_EACH({
		AUTO(free) char *text = NULL;
		AUTO(free) char *state = NULL;
		struct error err = ERROR_NONE;
		int status = file_read(path, 10, &text, NULL, &err);

		if (!status)
			status = file_write(path, "k", 1, 0600, false, &err);
		if (!status)
			status = paths_xdg_dir("STATE", true, &state, &err);
		if (oom_hit && status != MT_ENOMEM)
			CHECK_MSG(0, "an allocation failed unnoticed: %s", err.text);
	});
	CHECK_OOM();
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(root, sizeof root, "%s/mortise-test-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(root)) {
		CHECK_MSG(0, "a directory for the test");
		return tap_done();
	}
	files_are_written_and_read();
	a_directory_is_abbreviated();
	a_fifo_does_not_hold_us();
	dirs_are_made_and_removed();
	dirs_are_copied();
	paths_are_put_together();
	paths_are_in_directories();
	programs_are_found();
	the_dirs_of_the_user();
	the_runtime_dir_cannot_be_taken();
	a_named_file_is_written();
	what_others_may_write_is_not_safe();
	without_memory();
	CHECK(dir_remove(root, NULL) == MT_OK);
	return tap_done();
}
