/* SPDX-License-Identifier: MIT
 *
 * test-search.c - patterns of paths, and search.so as a host sees it, with
 * ripgrep (where it is there) and without: both find the same. */
#include "text/file-view.h"
#include "text/glob.h"
#include "plugins/tools/search/search.h"
#include "tests/tools/plugin-kit.h"

#include <fcntl.h>
#include <sys/stat.h>

static char dir[] = "/tmp/mortise-search-XXXXXX";

/* ---- patterns ---------------------------------------------------------- */

static void globs(void)
{
	static const struct {
		const char *pattern, *path;
		bool yes;
	} cases[] = {
		{ "*.c", "a.c", true },          { "*.c", "x/y/a.c", true },
		{ "*.c", "a.cc", false },        { "*", "x/a", true },
		{ "**/*.c", "a.c", true },       { "**/*.c", "x/y/a.c", true },
		{ "src/*.c", "src/a.c", true },  { "src/*.c", "src/x/a.c", false },
		{ "src/*.c", "x/src/a.c", false }, { "src/**", "src/x/a", true },
		{ "src/**", "src", false },      { "a/**/b", "a/b", true },
		{ "a/**/b", "a/x/y/b", true },   { "a/**/b", "a/x/y/c", false },
		{ "**/a/**/b", "x/a/y/a/z/b", true }, { "**", "x/y", true },
		{ "?.c", "a.c", true },          { "?.c", "ab.c", false },
		{ "[a-c].x", "b.x", true },      { "[!a-c].x", "b.x", false },
		{ "[^a-c].x", "d.x", true },     { "[]a].x", "].x", true },
		{ "[a.x", "[a.x", true },        { "\\*.c", "*.c", true },
		{ "\\*.c", "a.c", false },       { "*.{c,h}", "a.h", true },
		{ "*.{c,h}", "a.o", false },     { "{a,b{c,d}}/x", "bd/x", true },
		{ "{a,b{c,d}}/x", "b/x", false }, { "a{,b}", "a", true },
		{ "{x", "{x", true },            { "./a/b", "a/b", true },
		{ "a**b", "axxb", true },        { "*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaa", false },
		{ "a/b", "a/b/c", false },       { "a/b/c", "a/b", false },
		{ "", "a", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct glob g;

		CHECK(glob_open(&g, cases[i].pattern, NULL) == MT_OK);
		CHECK_MSG(glob_has(&g, cases[i].path) == cases[i].yes, "%s of %s",
			  cases[i].pattern, cases[i].path);
		glob_close(&g);
	}
}

static void glob_limits(void)
{
	struct error err = ERROR_NONE;
	struct glob g;
	char many[8 * GLOB_FORMS + 1] = "";

	for (size_t i = 0; i < 7; i++)
		strcat(many, "{a,b}");
	CHECK(glob_open(&g, many, &err) == MT_ELIMIT && strstr(err.text, "braces"));
	CHECK(glob_open(&g, ".github/*.yml", NULL) == MT_OK && g.hidden);
	glob_close(&g);
}

static void content(void)
{
	static const char text[] = "one\r\nTwo three\nfour\n";
	static const struct {
		const char *pattern, *line;
	} cases[] = {
		{ "two", "Two three" }, { "^four$", "four" }, { "one$", "one" },
		{ "one\\s+two", NULL }, { "[^x]three", "Two three" }, { "$^", NULL },
		{ "f(?=our)", "four" },
	};
	struct error err = ERROR_NONE;
	struct matcher *m;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mt_str line = { "", 0 };
		size_t at = 0;
		int r;

		CHECK(matcher_open(cases[i].pattern, false, &m, NULL) == MT_OK);
		r = matcher_next(m, text, sizeof text - 1, &at, &line);
		CHECK_MSG(cases[i].line
				  ? r == MT_OK && line.len == strlen(cases[i].line) &&
					    !memcmp(line.ptr, cases[i].line, line.len)
				  : r == MT_ENOTFOUND,
			  "%s", cases[i].pattern);
		matcher_free(m);
	}
	CHECK(matcher_open("a(b", false, &m, &err) == MT_EINVAL &&
	      strstr(err.text, "character 4"));
	CHECK(matcher_open("(a+)+$", false, &m, NULL) == MT_OK);
	{
		char slow[64];
		struct mt_str line;
		size_t at = 0;

		memset(slow, 'a', sizeof slow);
		slow[63] = 'b';
		CHECK(matcher_next(m, slow, sizeof slow, &at, &line) != MT_OK);
	}
	matcher_free(m);
}

/* ---- the plugin -------------------------------------------------------- */

static void make_tree(void)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{ ".git/HEAD", "needle" },     { ".git/info/exclude", "excluded.txt\n" },
		{ ".gitignore", "# no\n*.log\n!keep.log\n/build/\nsub/deep/\n" },
		{ ".ignore", "!special.log\n" },
		{ "a.c", "int needle;\n" },    { "b.log", "needle" },
		{ "keep.log", "needle" },      { "special.log", "Needle\n" },
		{ "excluded.txt", "needle" },  { "build/x.c", "needle" },
		{ "sub/build/y.c", "needle" }, { "sub/deep/z.c", "needle" },
		{ "sub/.gitignore", "n?.c\n!n1.c\nonly/  \n" },
		{ "sub/n1.c", "needle" },      { "sub/n2.c", "needle" },
		{ "sub/only", "a file NEEDLE" }, { ".hidden/h.c", "needle" },
		{ "sp ace/$(touch x);`y`.c", "needle\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		kit_file(dir, files[i].name, files[i].text);
	{
		AUTO(free) char *loop = path_join(dir, "sub/loop");
		AUTO(free) char *fifo = path_join(dir, "fifo");
		AUTO(free) char *bytes = path_join(dir, "binary");
		AUTO(free) char *wide = path_join(dir, "wide.txt");

		CHECK(symlink(dir, loop) == 0 && mkfifo(fifo, 0600) == 0);
		CHECK(file_write(bytes, "needle\0x", 8, 0600, false, NULL) == MT_OK);
		CHECK(file_write(wide,
				 "\xff\xfe"
				 "n\0e\0e\0d\0l\0e\0=\xd8\0\xde\n\0",
				 20, 0600, false, NULL) == MT_OK);
	}
}

/* Files get older in the order of the tree's list, so that order is known. */
static void set_age(const char *name, int64_t seconds)
{
	AUTO(free) char *path = path_join(dir, name);
	struct timespec times[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };

	CHECK(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0);
}

/* Is the path, below the directory, a line of the result? */
static bool lists(const struct mt_call *c, const char *name)
{
	AUTO(strbuf) struct strbuf line = STRBUF(8192);

	strbuf_addf(&line, "\n%s/%s\n", dir, name);
	return c->text.len && strstr(c->text.text, line.text);
}

static size_t count(const struct mt_call *c)
{
	size_t n = 0;

	for (const char *at = c->text.text; (at = strstr(at, "\n/tmp/")); at++)
		n++;
	return n;
}

static void finds(const struct mt_toolset *set, void *self)
{
	static const struct {
		const char *tool, *args, *names[10];
	} cases[] = {
		{ "grep", "{\"pattern\":\"needle\"}",
		  { "a.c", "keep.log", "special.log", "sub/build/y.c", "sub/n1.c", "sub/only",
		    "sp ace/$(touch x);`y`.c", "wide.txt" } },
		{ "grep", "{\"pattern\":\"needle\",\"include\":\"*.c\"}",
		  { "a.c", "sub/build/y.c", "sub/n1.c", "sp ace/$(touch x);`y`.c" } },
		{ "grep", "{\"pattern\":\"needle\",\"include\":\"sub/**/*.c\"}",
		  { "sub/build/y.c", "sub/n1.c" } },
		{ "grep", "{\"pattern\":\"^int\\\\s\"}", { "a.c" } },
		{ "grep", "{\"pattern\":\"x\\\\d{7}\"}", { NULL } },
		{ "grep", "{\"pattern\":\"needle\",\"path\":\"a.c\"}", { "a.c" } },
		{ "grep", "{\"pattern\":\"needle\",\"path\":\".hidden\"}", { ".hidden/h.c" } },
		{ "grep", "{\"pattern\":\"needle\",\"path\":\"sub\"}",
		  { "sub/build/y.c", "sub/n1.c", "sub/only" } },
		{ "grep", "{\"pattern\":\"-e\"}", { NULL } },
		{ "grep", "{\"pattern\":\"(?<=int )needle\"}", { "a.c" } },
		{ "glob", "{\"pattern\":\"*.c\"}",
		  { "a.c", "sub/build/y.c", "sub/n1.c", "sp ace/$(touch x);`y`.c" } },
		{ "glob", "{\"pattern\":\"sub/*\"}", { "sub/n1.c", "sub/only" } },
		{ "glob", "{\"pattern\":\"sub\"}", { "sub/build/y.c", "sub/n1.c", "sub/only" } },
		{ "glob", "{\"pattern\":\"sub/\"}",
		  { "sub/build/y.c", "sub/n1.c", "sub/only" } },
		{ "glob", "{\"pattern\":\"*.log\"}", { "keep.log", "special.log" } },
		{ "glob", "{\"pattern\":\".hidden/*.c\"}", { ".hidden/h.c" } },
		{ "glob", "{\"pattern\":\"*.{txt,log}\"}",
		  { "wide.txt", "keep.log", "special.log" } },
		{ "glob", "{\"pattern\":\"$(touch x)*\",\"path\":\"sp ace\"}",
		  { "sp ace/$(touch x);`y`.c" } },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mt_call c;
		size_t n = 0;

		CHECK_MSG(kit_call(set, self, cases[i].tool, &c, cases[i].args) == MT_OK,
			  "%s %s: %s", cases[i].tool, cases[i].args, c.sentence.text);
		for (; cases[i].names[n]; n++)
			CHECK_MSG(lists(&c, cases[i].names[n]), "%s lists %s",
				  cases[i].args, cases[i].names[n]);
		CHECK_MSG(count(&c) == n, "%s: %zu files", cases[i].args, n);
		kit_end(&c);
	}
}

static void answers(const struct mt_toolset *set, void *self)
{
	struct mt_call c;
	char args[300];

	set_age("a.c", 1000);
	set_age("sub/n1.c", 3000);
	set_age("sub/build/y.c", 2000);
	kit_call(set, self, "glob", &c, "{\"pattern\":\"[any]*.c\"}");
	CHECK(strncmp(c.text.text, "3 files, newest first:\n", 23) == 0);
	CHECK(strstr(c.text.text, "n1.c") < strstr(c.text.text, "y.c") &&
	      strstr(c.text.text, "y.c") < strstr(c.text.text, "a.c"));
	kit_end(&c);
	snprintf(args, sizeof args, "{\"pattern\":\"%s/sub/n*.c\"}", dir);
	kit_call(set, self, "glob", &c, args);
	CHECK(count(&c) == 1 && lists(&c, "sub/n1.c"));
	kit_end(&c);
	kit_call(set, self, "grep", &c,
		 "{\"pattern\":\"NEEDLE\",\"lines\":true,"
		 "\"include\":\"{a.c,wide.txt}\"}");
	CHECK(strstr(c.text.text, "a.c\n  1: int needle;\n") != NULL);
	CHECK(strstr(c.text.text, "wide.txt\n  1: needle\xf0\x9f\x98\x80\n") != NULL);
	kit_end(&c);
	CHECK(kit_call(set, self, "grep", &c, "{\"pattern\":\"a(b\"}") == MT_EINVAL);
	CHECK(strstr(c.sentence.text, "Invalid regular expression") != NULL);
	kit_end(&c);
	CHECK(kit_call(set, self, "grep", &c, "{\"pattern\":\"a\",\"path\":\"none\"}") ==
	      MT_ENOTFOUND);
	kit_end(&c);
	CHECK(kit_call(set, self, "glob", &c, "{\"pattern\":\"*\",\"path\":\"a.c\"}") ==
	      MT_EINVAL);
	kit_end(&c);
	CHECK(kit_call(set, self, "grep", &c, "{\"pattern\":\"a\\u0000b\"}") ==
	      MT_EINVAL);
	kit_end(&c);
	kit_begin(&c, "{\"pattern\":\"*\"}");
	CHECK(write(c.cancel[1], "x", 1) == 1);
	c.tool = "glob";
	CHECK(set->call(&kit_host, self, &c) == MT_ECANCELLED);
	kit_end(&c);
}

static void limits(const struct mt_toolset *set, struct mt_instance *i,
		   const char *program)
{
	const char *few[] = { "program", program, "results", "2", NULL };
	const char *tiny[] = {
		"program", program, "files_max", "3", "file_max", "4", NULL
	};
	struct mt_call c;
	void *self;

	i->set = few;
	CHECK(set->open(&kit_host, i, &self) == MT_OK);
	kit_call(set, self, "grep", &c, "{\"pattern\":\"needle\"}");
	CHECK(count(&c) == 2 &&
	      strstr(c.text.text, "files 1 to 2 of 8; offset 2 shows the next ones; all "
				  "are listed in /spool/7"));
	CHECK(strstr(c.spooled.text, "/wide.txt\n") && strstr(c.spooled.text, "/a.c\n"));
	kit_end(&c);
	set->close(&kit_host, NULL, self);
	i->set = tiny;
	CHECK(set->open(&kit_host, i, &self) == MT_OK);
	kit_call(set, self, "glob", &c, "{\"pattern\":\"**\"}");
	CHECK(count(&c) <= 3 && strstr(c.text.text, "stopped after 3 files"));
	kit_end(&c);
	if (!*program) {
		kit_call(set, self, "grep", &c, "{\"pattern\":\"x\",\"path\":\"a.c\"}");
		CHECK(strstr(c.text.text, "1 file was skipped") != NULL);
		kit_end(&c);
	}
	set->close(&kit_host, NULL, self);
}

static void views(const struct mt_toolset *set, void *self)
{
	static const char png[] =
		"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0\x1f"
		"\x15\xc4\x89\0\0\0\rIDATx\x9c"
		"c\xf8\xcf\xc0\xf0\x1f\0\5\0\1\xff\x89\x99=\x1d\0\0"
		"\0\0IEND\xae"
		"B`\x82";
	static const struct {
		const char *args, *text, *sentence;
	} cases[] = {
		{ "{\"path\":\"v.txt\"}", "     1\tone\n     2\ttwo\n     3\tthree\n", NULL },
		{ "{\"path\":\"v.txt\",\"view_range\":[2,2]}", "v.txt:\n     2\ttwo\n", NULL },
		{ "{\"path\":\"v.txt\",\"view_range\":[2,-1]}", "     3\tthree\n", NULL },
		{ "{\"path\":\"v.txt\",\"view_range\":[3,9]}", "only show up to 3", NULL },
		{ "{\"path\":\"v.txt\",\"view_range\":[4,5]}", "ERROR:\n", "[1, 3]" },
		{ "{\"path\":\"v.txt\",\"view_range\":[0,1]}", "ERROR:\n", "[1, 3]" },
		{ "{\"path\":\"v.txt\",\"view_range\":[2,1]}", "ERROR:\n", "greater than or equal" },
		{ "{\"path\":\"v.txt\",\"view_range\":[1]}", "ERROR:\n", "two integers" },
		{ "{\"path\":\"none\"}", "ERROR:\n", "does not exist" },
		{ "{\"path\":\"binary\"}", "ERROR:\n", "binary" },
		{ "{\"path\":\"fifo\"}", "ERROR:\n", "neither a file nor a directory" },
		{ "{\"path\":\"empty\"}", "/empty:\n", NULL },
		{ "{\"path\":\"wide.txt\"}", "     1\tneedle\xf0\x9f\x98\x80\n", NULL },
		{ "{\"path\":\"sub\"}", "/sub, two levels deep:\nbuild/\n", NULL },
		{ "{\"path\":\"sub\"}", "\nbuild/y.c\t", NULL },
		{ "{\"path\":\"sub\",\"view_range\":[1,2]}", "ERROR:\n", "a directory has" },
		{ "{}", "ERROR:\n", "Missing required argument \"path\"" },
	};
	AUTO(free) char *path = path_join(dir, "i.png");
	struct mt_call c;

	kit_file(dir, "v.txt", "one\r\ntwo\nthree");
	kit_file(dir, "empty", "");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int r = kit_call(set, self, "view", &c, cases[i].args);

		CHECK_MSG(!r == !cases[i].sentence &&
				  strstr(c.text.text, cases[i].text) &&
				  strstr(c.sentence.text,
					 cases[i].sentence ? cases[i].sentence : ""),
			  "view %s: %s", cases[i].args, c.sentence.text);
		kit_end(&c);
	}
	CHECK(file_write(path, png, sizeof png - 1, 0600, false, NULL) == MT_OK);
	CHECK(kit_call(set, self, "view", &c, "{\"path\":\"i.png\"}") == MT_OK);
	CHECK_STR(c.mime, "image/png");
	CHECK(c.media_len == sizeof png - 1);
	CHECK_STR(js_str(c.fields, "path", ""), path);
	kit_end(&c);
}

/* A file of which a page is a small part. */
static void long_view(const struct mt_toolset *set, void *self)
{
	AUTO(free) char *path = path_join(dir, "long");
	FILE *f = fopen(path, "we");
	struct mt_call c;

	CHECK(f != NULL);
	for (int i = 1; f && i <= 200000; i++)
		fprintf(f, "line number %d of many, long enough to fill a page soon\n",
			i);
	if (f)
		fclose(f);
	kit_call(set, self, "view", &c, "{\"path\":\"long\"}");
	CHECK(c.text.len < FILE_VIEW_MAX + 200);
	CHECK(strstr(c.text.text,
		     "\n   314\tline number 314 of many, long enough to fill a "
		     "page soon\n[199686 of 200000 lines omitted; to see them, "
		     "use `view_range`: [315, 200000]]\n") != NULL);
	kit_end(&c);
	kit_call(set, self, "view", &c, "{\"path\":\"long\",\"view_range\":[5,1000]}");
	CHECK(strstr(c.text.text,
		     " of 996 lines omitted; to see them, use `view_range`: ["));
	CHECK(strstr(c.text.text, ", 1000]]\n"));
	kit_end(&c);
	kit_call(set, self, "view", &c, "{\"path\":\"long\",\"view_range\":[199999,-1]}");
	CHECK(strstr(c.text.text, "200000\tline number 200000 of") != NULL);
	kit_end(&c);
}

/* What was left out because it could not be read is said, by either way. */
static void unread(const struct mt_toolset *set, struct mt_instance *i)
{
	enum { DEEP = 105 };
	AUTO(free) char *rg = path_join(dir, ".rg");
	const char *with[] = { "program", rg, NULL };
	const char *own[] = { "program", "", NULL };
	char deep[2 * DEEP + 8] = "";
	struct mt_call c;
	void *self;

	kit_file(dir, ".rg", "#!/bin/sh\nprintf './a.c\\0'\nexit 2\n");
	CHECK(chmod(rg, 0700) == 0);
	i->set = with;
	CHECK(set->open(&kit_host, i, &self) == MT_OK);
	kit_call(set, self, "grep", &c, "{\"pattern\":\"needle\"}");
	CHECK(count(&c) == 1 &&
	      strstr(c.text.text, "Some files or directories could not be read"));
	kit_end(&c);
	set->close(&kit_host, NULL, self);
	for (size_t n = 0; n < DEEP; n++)
		memcpy(deep + 2 * n, "d/", 2);
	memcpy(deep + 2 * (size_t)DEEP, "x", 2);
	kit_file(dir, deep, "needle\n");
	i->set = own;
	CHECK(set->open(&kit_host, i, &self) == MT_OK);
	kit_call(set, self, "grep", &c, "{\"pattern\":\"needle\",\"path\":\"d\"}");
	CHECK_STR(c.text.text,
		  "No file contains this pattern.\n[1 file or directory could not be "
		  "read.]\n");
	kit_end(&c);
	set->close(&kit_host, NULL, self);
}

int main(void)
{
	static const char *programs[] = { "", "rg", "no-such-program" };
	const struct mt_plugin *p = kit_load("search");
	const struct mt_toolset *set = p ? p->components[0].functions : NULL;
	struct mt_instance i = { .component = p ? p->components : NULL,
				 .workspace = dir };
	void *self;

	globs();
	glob_limits();
	content();
	CHECK(set != NULL && mkdtemp(dir));
	if (!set)
		return tap_done();
	kit_check_tools(set, 1600);
	make_tree();
	for (size_t n = 0; n < ARRAY_LEN(programs); n++) {
		const char *with[] = { "program", programs[n], NULL };

		i.set = with;
		CHECK(set->open(&kit_host, &i, &self) == MT_OK);
		finds(set, self);
		answers(set, self);
		set->close(&kit_host, NULL, self);
		limits(set, &i, programs[n]);
	}
	unread(set, &i);
	i.set = NULL;
	CHECK(set->open(&kit_host, &i, &self) == MT_OK);
	views(set, self);
	long_view(set, self);
	set->close(&kit_host, NULL, self);
	dir_remove(dir, NULL);
	return tap_done();
}
