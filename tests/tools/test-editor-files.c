/* SPDX-License-Identifier: MIT
 *
 * test-editor-files.c - files as files: modes, links, other writers, directories
 * with odd names, files that are not text. */
#include "tap.h"

#include "editor-kit.h"
#include "text/file-view.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/xattr.h>

static struct stat stat_of(const char *name)
{
	struct stat st = { 0 };

	if (lstat(kit_path(name), &st) != 0)
		st.st_nlink = 0;
	return st;
}

static bool exists(const char *name)
{
	return stat_of(name).st_nlink > 0;
}

static void keeps_mode_and_links(void)
{
	ino_t inode;

	kit_put("script", "#!/bin/sh\n", 10);
	chmod(kit_path("script"), 0751);
	CHECK(kit_replace("script", "/bin/sh", "/bin/bash") == MT_OK);
	CHECK((stat_of("script").st_mode & 07777) == 0751);
	CHECK(kit_insert("script", "1", "true") == MT_OK);
	CHECK((stat_of("script").st_mode & 07777) == 0751);
	if (setxattr(kit_path("script"), "user.note", "x", 1, 0) == 0) {
		char c = 0;

		CHECK(kit_replace("script", "true", "false") == MT_OK);
		CHECK(getxattr(kit_path("script"), "user.note", &c, 1) == 1 && c == 'x');
	}

	CHECK(symlink("script", kit_path("link")) == 0);
	CHECK(kit_insert("link", "0", "# top") == MT_OK);
	CHECK_MSG(S_ISLNK(stat_of("link").st_mode), "a link stays a link");
	CHECK(strncmp(kit_get("script", NULL), "# top\n#!/bin/bash\n", 18) == 0);
	CHECK_MSG(kit_undo("script") == MT_OK, "an edit by a link is undone by the name");

	kit_put("one", "a\n", 2);
	CHECK(link(kit_path("one"), kit_path("two")) == 0);
	inode = stat_of("one").st_ino;
	CHECK(kit_replace("one", "a", "longer") == MT_OK);
	CHECK(kit_is("two", "longer\n", 7) && stat_of("one").st_ino == inode);
	CHECK(kit_replace("two", "longer", "") == MT_OK && kit_is("one", "\n", 1));

	CHECK(symlink("nowhere", kit_path("dangling")) == 0);
	CHECK(kit_view("dangling", NULL) == MT_ENOTFOUND);
	CHECK(kit_create("dangling", "x") == MT_EEXIST && !exists("nowhere"));
	CHECK(symlink("loop", kit_path("loop")) == 0);
	CHECK(kit_view("loop", NULL) != MT_OK && *kit_last.text.text);
}

static void respects_permissions(void)
{
	if (geteuid() == 0) {
		SKIP("root may write everything");
		return;
	}
	kit_put("locked", "a\n", 2);
	chmod(kit_path("locked"), 0444);
	CHECK(kit_replace("locked", "a", "b") == MT_EDENIED &&
	      kit_is("locked", "a\n", 2));
	chmod(kit_path("locked"), 0);
	CHECK(kit_view("locked", NULL) == MT_EDENIED);
	mkdir(kit_path("closed"), 0755);
	kit_put("closed/f", "a\n", 2);
	chmod(kit_path("closed"), 0555);
	CHECK_MSG(kit_replace("closed/f", "a", "b") == MT_OK &&
			  kit_is("closed/f", "b\n", 2),
		  "a file in a directory that cannot be written");
	CHECK(kit_create("closed/g", "x") == MT_EDENIED);
	chmod(kit_path("closed"), 0);
	CHECK_MSG(kit_view(".", NULL) == MT_OK && kit_says("closed/"),
		  "an unreadable directory is named, and skipped");
	chmod(kit_path("closed"), 0755);
}

static void notices_other_writers(void)
{
	struct timespec past[2] = { { 1000, 0 }, { 1000, 0 } };

	kit_put("shared", "a\nb\n", 4);
	CHECK_MSG(kit_replace("shared", "a", "A") == MT_OK,
		  "never viewed: may be edited");
	kit_put("shared", "A\nother\n", 8);
	CHECK(kit_replace("shared", "A", "x") == MT_EDENIED && kit_says("View it again"));
	CHECK(kit_insert("shared", "0", "x") == MT_EDENIED);
	CHECK(kit_undo("shared") == MT_EDENIED);
	CHECK(kit_is("shared", "A\nother\n", 8));
	CHECK(kit_view("shared", "[1, 1]") == MT_OK);
	CHECK(kit_replace("shared", "A", "x") == MT_OK &&
	      kit_is("shared", "x\nother\n", 8));
	utimensat(AT_FDCWD, kit_path("shared"), past, 0);
	CHECK_MSG(kit_replace("shared", "x", "y") == MT_OK, "touched is not changed");
	CHECK(kit_undo("shared") == MT_OK && kit_undo("shared") == MT_OK);
	CHECK_MSG(kit_undo("shared") == MT_EDENIED,
		  "an edit from before the other writer is not undone");
	CHECK(kit_is("shared", "A\nother\n", 8));

	CHECK(kit_create("made", "x") == MT_OK);
	kit_put("made", "y", 1);
	CHECK(kit_undo("made") == MT_EDENIED && exists("made"));
	unlink(kit_path("made"));
	CHECK(kit_undo("made") == MT_ENOTFOUND);
	CHECK(kit_create("made", "z") == MT_OK && kit_undo("made") == MT_OK &&
	      !exists("made"));
}

static void creates(void)
{
	CHECK(kit_create("new/deep/er/f.txt", "x\r\ny") == MT_OK);
	CHECK(kit_is("new/deep/er/f.txt", "x\r\ny", 4));
	CHECK(!kit_last.prev_exist && kit_last.has_new && !kit_last.has_old);
	CHECK(strstr(kit_last.diff.text, "--- /dev/null\n+++ /") == kit_last.diff.text);
	CHECK(kit_create("new/deep/er/f.txt", "z") == MT_EEXIST &&
	      kit_says("already exists"));
	CHECK(kit_create("new/deep", "z") == MT_EEXIST);
	CHECK(kit_create("new/deep/er/f.txt/g", "z") != MT_OK && *kit_last.text.text);
	CHECK(kit_replace("new/deep/er/f.txt", "x", "X") == MT_OK);
	CHECK(kit_undo("new/deep/er/f.txt") == MT_OK);
	CHECK(kit_undo("new/deep/er/f.txt") == MT_OK && !exists("new"));
	CHECK(kit_last.has_old && !kit_last.has_new &&
	      strstr(kit_last.diff.text, "+++ /dev/null"));
	CHECK(kit_undo("new/deep/er/f.txt") == MT_ENOTFOUND);
	CHECK(kit_create("empty", "") == MT_OK && kit_is("empty", "", 0));
	CHECK(kit_view("empty", NULL) == MT_OK && !kit_says("1\t"));
	CHECK(kit_create("null", NULL) == MT_EINVAL &&
	      kit_says("`file_text` is required"));
}

static void not_text(void)
{
	static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
	size_t big = TEXTFILE_MAX + 1;
	char *bytes = malloc(big);

	kit_put("bin", "a\0b", 3);
	CHECK(kit_view("bin", NULL) == MT_EUNSUPPORTED &&
	      kit_says("appears to be binary"));
	CHECK(kit_replace("bin", "a", "b") == MT_EUNSUPPORTED &&
	      kit_is("bin", "a\0b", 3));
	kit_put("x.pdf", "%PDF-1.4 text", 13);
	CHECK(kit_view("x.pdf", NULL) == MT_EUNSUPPORTED);
	kit_put("pic.PNG", png, sizeof png - 1);
	CHECK(kit_view("pic.PNG", NULL) == MT_OK);
	CHECK_STR(kit_last.mime, "image/png");
	CHECK(kit_last.media_len == sizeof png - 1 &&
	      memcmp(kit_last.media, png, sizeof png - 1) == 0);
	CHECK(kit_replace("pic.PNG", "PNG", "GNP") == MT_EUNSUPPORTED);
	kit_put("text.png", "not an image\n", 13);
	CHECK(kit_view("text.png", NULL) == MT_OK && !kit_last.mime &&
	      kit_says("not an image"));
	memset(bytes, 'x', big);
	kit_put("big", bytes, big);
	CHECK(kit_view("big", NULL) == MT_ELIMIT && kit_says("too large"));
	kit_put("full", bytes, big - 1);
	CHECK(kit_view("full", NULL) == MT_OK &&
	      kit_says("[10465768 of 10485760 bytes omitted; `cut -b` shows a part]"));
	CHECK(kit_insert("full", "1", "x") == MT_ELIMIT);
	CHECK(stat_of("full").st_size == TEXTFILE_MAX);
	free(bytes);
	CHECK(mkfifo(kit_path("pipe"), 0600) == 0);
	CHECK_MSG(kit_view("pipe", NULL) == MT_EUNSUPPORTED, "a pipe does not hang");
	CHECK(kit_replace("pipe", "a", "b") == MT_EUNSUPPORTED);
}

static void lists_dirs(void)
{
	char name[64];
	bool good = true;

	mkdir(kit_path("odd"), 0755);
	mkdir(kit_path("odd/a b"), 0755);
	kit_put("odd/a b/c;d$(x)", "", 0);
	kit_put("odd/new\nline", "", 0);
	kit_put("odd/\xff\xfe", "", 0);
	kit_put("odd/\xc3\xa9", "", 0);
	kit_put("odd/.hid", "", 0);
	CHECK(symlink("..", kit_path("odd/up")) == 0);
	CHECK(kit_view("odd", NULL) == MT_OK);
	CHECK(kit_says("\na b/\n") && kit_says("\na b/c;d$(x)\t0B\n"));
	CHECK(kit_says("\nnew\\nline\t0B\n") && kit_says("\n\\xff\\xfe\t"));
	CHECK(kit_says("\n\xc3\xa9\t0B\n") &&
	      kit_says("\n[Not shown: 1 hidden, 0 ignored by git.]\n"));
	CHECK(kit_says("\nup/\n"));
	CHECK(kit_view("odd", "[1, 2]") == MT_EINVAL && kit_says("not allowed"));
	CHECK(kit_replace("odd", "a", "b") == MT_EINVAL && kit_says("is a directory"));

	mkdir(kit_path("many"), 0755);
	for (int i = 0; i < 1200; i++) {
		snprintf(name, sizeof name, "many/file-%04d", i);
		kit_put(name, "", 0);
	}
	CHECK(kit_view("many", NULL) == MT_OK && kit_says("200 of 1200 entries"));
	for (const char *p = kit_last.text.text; good && *p; p++)
		good = (unsigned char)*p < 0x80;
	CHECK(good && kit_last.text.len < FILE_VIEW_MAX + 1000);
}

int main(void)
{
	kit_open();
	keeps_mode_and_links();
	respects_permissions();
	notices_other_writers();
	creates();
	not_text();
	lists_dirs();
	kit_close();
	return tap_done();
}
