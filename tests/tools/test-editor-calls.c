/* SPDX-License-Identifier: MIT
 *
 * test-editor-calls.c - arguments, messages, views, history, and memory that
 * runs out. */
#include "tap.h"

#include "editor-kit.h"
#include "oom.h"
#include "text/diff.h"
#include "plugins/tools/editor/memory.h"
#include "text/argument.h"
#include "text/file-view.h"
#include "utf8.h"

static const struct {
	const char *range, *want; /* a part of the answer */
	bool good;
} ranges[] = {
	{ "null", "     5\te", true },
	{ "[]", "     5\te", true },
	{ "[2, 3]", "on /P:\n     2\tb\n     3\tc\n", true },
	{ "[\"2\", \"3\"]", "on /P:\n     2\tb\n     3\tc\n", true },
	{ "\"[2, 3]\"", "on /P:\n     2\tb\n     3\tc\n", true },
	{ "[4, -1]", "on /P:\n     4\td\n     5\te\n", true },
	{ "[4, 99]", "NOTE: We only show up to 5", true },
	{ "[5, 9223372036854775807]", "     5\te\n", true },
	{ "[0, 2]", "Its first element `0` should be within", false },
	{ "[-1, 2]", "[1, 5]", false },
	{ "[6, 7]", "[6, 7]. Its first element `6`", false },
	{ "[3, 2]", "Its second element `2`", false },
	{ "[2, -2]", "Its second element `-2`", false },
	{ "[1]", "[1]. It should be a list of two integers", false },
	{ "[1, 2, 3]", "two integers", false },
	{ "[1.0, 2.0]", "[1.0, 2.0]. It should", false },
	{ "[1, null]", "two integers", false },
	{ "{\"a\":1}", "two integers", false },
	{ "\"x\"", "x. It should", false },
	{ "[\"1x\", 2]", "two integers", false },
	{ "[", "two integers", false },
	{ "7", "7. It should", false },
};

static void views(void)
{
	kit_put("P", "a\nb\nc\nd\ne\n", 10);
	for (size_t i = 0; i < ARRAY_LEN(ranges); i++) {
		bool good = kit_view("P", ranges[i].range) == MT_OK;
		const char *want = ranges[i].want, *path = strstr(want, "/P");

		CHECK_MSG(good == ranges[i].good && kit_says(path ? path : want),
			  "range %s", ranges[i].range);
	}
	kit_put("long", "", 0);
	for (int i = 0; i < 400; i++)
		kit_insert("long", "0",
			   "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5"
			   "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5"
			   "\xe6\x97\xa5 ........................................");
	CHECK(kit_view("long", NULL) == MT_OK && kit_says("[62 of 400 lines omitted; "));
	CHECK(utf8_valid(kit_last.text.text, kit_last.text.len));
	CHECK(kit_view("long", "[399, 400]") == MT_OK && !kit_says("omitted"));
}

static const struct {
	const char *what, *command, *path, *line, *old, *new_, *want;
} bad[] = {
	{ "no command", NULL, "/x", NULL, NULL, NULL, "`command` is required" },
	{ "unknown command", "delete", "/x", NULL, NULL, NULL,
	  "Unrecognized command delete. The allowed commands" },
	{ "no path", "view", NULL, NULL, NULL, NULL,
	  "Parameter `path` is required for command: "
	  "view." },
	{ "relative", "view", "nowhere", NULL, NULL, NULL,
	  "Invalid `path` parameter: nowhere. The path should be an absolute path, "
	  "starting with `/`." },
	{ "relative, there", "view", "./f", NULL, NULL, NULL, "Maybe you meant /" },
	{ "no old_str", "str_replace", "@f", NULL, NULL, "x",
	  "Parameter `old_str` is required for command: str_replace." },
	{ "same", "str_replace", "@f", NULL, "a", "a", "must be different" },
	{ "same but for line ends", "str_replace", "@f", NULL, "a\nb", "a\r\nb",
	  "must be different" },
	{ "several", "str_replace", "@f", NULL, "a", "x", "in lines [1, 3]. Please" },
	{ "empty", "str_replace", "@f", NULL, "", "x",
	  "old_str `` in lines [1, 2, 3, 4]." },
	{ "no line", "insert", "@f", NULL, NULL, "x", "`insert_line` is required" },
	{ "no text", "insert", "@f", "1", NULL, NULL, "`new_str` is required" },
	{ "below", "insert", "@f", "-1", NULL, "x", "-1. It should be within" },
	{ "above", "insert", "@f", "4", NULL, "x", "allowed values: [0, 3]" },
	{ "fraction", "insert", "@f", "1.5", NULL, "x", "1.5. It should be an integer" },
	{ "word", "insert", "@f", "\"one\"", NULL, "x", "one. It should be an integer" },
	{ "nothing to undo", "undo_edit", "@f", NULL, NULL, NULL,
	  "No edit history found for /" },
};

static void refusals(void)
{
	kit_put("f", "a\nb\na\n", 6);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const char *path = bad[i].path;
		struct editor_request q = {
			.command = kit_str(bad[i].command),
			.path = kit_str(path && *path == '@' ? kit_path(path + 1) : path),
			.old_str = kit_str(bad[i].old),
			.new_str = kit_str(bad[i].new_),
			.insert_line = kit_str(bad[i].line),
		};

		CHECK_MSG(kit_run(&q) != MT_OK && kit_says(bad[i].want), "%s",
			  bad[i].what);
		if (!kit_says(bad[i].want))
			printf("# %s\n", kit_last.text.text);
	}
	CHECK(kit_is("f", "a\nb\na\n", 6));
}

static const struct {
	const char *file, *old, *want;
} misses[] = {
	{ "\tif x:\n\t\treturn\nend\n", "    if x:\n        return 1\nend",
	  "(2 of 3 lines agree)" },
	{ "int  main(void)\n{\n}\n", "int main(void)\n{\n}",
	  "other white space (or line breaks) is in lines 1-3:\n     1\tint  main" },
	{ "one\ntwo\nthree\n", "     1\tone\n     2\ttwo", "line numbers of a view" },
	{ "alpha\nint count = 0;\nomega\n", "int counter = 0;",
	  "most similar line is line 2:\n     2\tint count = 0;" },
	{ "alpha\nbeta\n", "zzz", "" },
	{ "", "zzz", "" },
	{ "\n\n\n", "x\n\n", "" },
};

static void near_misses(void)
{
	char *text = malloc((size_t)4 << 20);

	for (size_t i = 0; i < ARRAY_LEN(misses); i++) {
		kit_put("miss", misses[i].file, strlen(misses[i].file));
		kit_restart();
		CHECK_MSG(kit_replace("miss", misses[i].old, "q") == MT_ENOTFOUND &&
				  kit_says("did not appear verbatim") &&
				  kit_says(misses[i].want) &&
				  (*misses[i].want ||
				   !strchr(strstr(kit_last.text.text, "verbatim"), '\n')),
			  "near miss %zu", i + 1);
		if (!kit_says(misses[i].want))
			printf("# %s\n", kit_last.text.text);
	}
	memset(text, '\n', (size_t)4 << 20);
	kit_put("miss", text, (size_t)4 << 20);
	memset(text, 'x', 5000);
	memcpy(text + 5000, "\n\n\n\n\n\n\ny", 9);
	CHECK_MSG(kit_replace("miss", text, "q") != MT_OK && kit_last.text.len < 20000,
		  "a long text and a large file");
	free(text);
	CHECK(kit_replace("f", "a ", "c") != MT_OK); /* stripped, then ambiguous */
	CHECK(kit_replace("f", " b", "c") == MT_OK && kit_is("f", "a\nc\na\n", 6));
}

static const struct {
	const char *edits, *want, *file;
} edit_lists[] = {
	{ "[{\"old_str\":\"one\",\"new_str\":\"1\"},"
	  "{\"old_str\":\"nine\",\"new_str\":\"9\\n9\"}]",
	  "edited in 2 places. Here's the result of running `cat -n` on them:\n"
	  "     1\t1\n     2\ttwo\n     3\tthree\n   ...\n"
	  "     7\tseven\n     8\ttwo\n     9\t9\n    10\t9\nCheck",
	  "1\ntwo\nthree\nfour\nfive\nsix\nseven\ntwo\n9\n9\n" },
	{ "[{\"old_str\":\"six\",\"new_str\":\"a\"},{\"old_str\":\"a\\nseven\",\"new_str\":\"b\"},"
	  "{\"old_str\":\"two\",\"new_str\":\"2\",\"replace_all\":true}]",
	  "edited in 4 places",
	  "one\n2\nthree\nfour\nfive\nb\n2\nnine\n" },
	{ "[{\"old_str\":\"six\",\"new_str\":\"a\"},{\"old_str\":\"six\",\"new_str\":\"b\"}]",
	  "Edit 2 of 2 failed, so none was made. No replacement was performed, old_str "
	  "`six` did not appear", NULL },
	{ "[{\"old_str\":\"six\",\"new_str\":\"a\"},{\"old_str\":\"two\",\"new_str\":\"b\"}]",
	  "Multiple occurrences of old_str `two` in lines [2, 8]", NULL },
	{ "[]", "a list of 1 to 100 objects", NULL },
	{ "{\"old_str\":\"six\"}", "a list of 1 to 100 objects", NULL },
	{ "[{\"old_str\":\"six\",\"new_str\":\"a\"},{\"old_str\":\"six\"}]",
	  "item 2 should be an object", NULL },
};

static void several_edits(void)
{
	static const char before[] =
		"one\ntwo\nthree\nfour\nfive\nsix\nseven\ntwo\nnine\n";

	for (size_t i = 0; i < ARRAY_LEN(edit_lists); i++) {
		const char *file = edit_lists[i].file ? edit_lists[i].file : before;
		bool good;

		kit_put("e", before, sizeof before - 1);
		kit_restart();
		kit_view("e", NULL);
		good = kit_edits("e", edit_lists[i].edits) == MT_OK;
		CHECK_MSG(good == (edit_lists[i].file != NULL) &&
				  kit_says(edit_lists[i].want) &&
				  kit_is("e", file, strlen(file)),
			  "edits %s", edit_lists[i].edits);
		if (!kit_says(edit_lists[i].want))
			printf("# %s\n", kit_last.text.text);
		CHECK(!good ||
		      (kit_undo("e") == MT_OK && kit_is("e", before, sizeof before - 1)));
	}
	kit_put("e", "a\r\nb a\r\nb\ra\n", 12);
	kit_restart();
	CHECK(kit_replace_all("e", "a", "x\ny") == MT_OK &&
	      kit_is("e", "x\r\ny\r\nb x\r\ny\r\nb\rx\ny\n", 20));
	CHECK(kit_replace_all("e", "none", "x") == MT_ENOTFOUND);
	CHECK(kit_replace_all("e", "", "x") == MT_EINVAL);
}

static int tell_past(void *arg, const char *path, int64_t changed_ms,
		     struct file_past *ret)
{
	(void)path;
	*ret = *(const struct file_past *)arg;
	return changed_ms > 1500000000000 ? MT_OK : MT_EINVAL;
}

static void pasts(void)
{
	struct file_past past = { .shown = false };

	kit_restart();
	editor_set_past(kit_editor, tell_past, &past);
	kit_put("s", "one\ntwo\n", 8);
	CHECK(kit_replace("s", "one", "1") == MT_EDENIED &&
	      kit_says("You have not viewed"));
	CHECK(kit_insert("s", "0", "1") == MT_EDENIED && kit_is("s", "one\ntwo\n", 8));
	past.shown = true;
	CHECK(kit_replace("s", "one", "1") == MT_OK);
	kit_put("s", "3\n1\ntwo\n", 8);
	CHECK(kit_replace("s", "1", "one") == MT_EDENIED &&
	      kit_says("viewed it. Nothing"));
	snprintf(past.changed_by, sizeof past.changed_by, "`make fmt`");
	CHECK(kit_insert("s", "0", "1") == MT_EDENIED &&
	      kit_says("last viewed it, by `make fmt`. Nothing was written."));
	CHECK(kit_replace("s", "1", "one") == MT_OK &&
	      kit_says("[`make fmt` has changed the file since you last viewed it.]\nThe "
		       "file"));
	CHECK(kit_insert("s", "0", "0") == MT_OK);
	CHECK(kit_create("s2", "x\n") == MT_OK && kit_replace("s2", "x", "y") == MT_OK);
	kit_restart();
}

static void directories(void)
{
	char name[32];

	kit_create("d/.gitignore", "*.o\nbuild/\n");
	kit_create("d/a.c", "x");
	kit_create("d/a.o", "x");
	kit_create("d/build/b", "x");
	kit_create("d/src/big.c", "");
	kit_create("d/src/b.o", "x");
	kit_create("d/src/deep/c", "x");
	if (truncate(kit_path("d/src/big.c"), 1536) != 0)
		abort();
	CHECK(kit_view("d", NULL) == MT_OK &&
	      kit_says("/d, two levels deep:\na.c\t1B\nsrc/\nsrc/big.c\t1.5K\nsrc/deep/\n"
		       "[Not shown: 1 hidden, 3 ignored by git.]\n"));
	CHECK(kit_view("d/src/deep", NULL) == MT_OK && kit_says("deep:\nc\t1B\n") &&
	      !kit_says("Not shown"));
	CHECK(kit_view("d/build", NULL) == MT_OK && kit_says("\nb\t1B\n"));
	for (int i = 0; i < LISTING_SHOWN; i++) {
		snprintf(name, sizeof name, "d/src/%d", i);
		kit_create(name, "");
	}
	CHECK(kit_view("d", NULL) == MT_OK &&
	      kit_says("/d:\na.c\t1B\nsrc/\t202 entries\n["));
	CHECK(kit_view("d/src", NULL) == MT_OK &&
	      kit_says("[200 of 202 entries are shown. View a subdirectory"));
	editor_set_v0(kit_editor);
	CHECK(kit_view("d", NULL) == MT_OK &&
	      kit_says("Here's the files and directories up to 2 levels deep in /") &&
	      kit_says("/d/a.o\n"));
	kit_restart();
}

static void history(void)
{
	char name[32], text[32];
	bool good = true;

	kit_put("h", "0\n", 2);
	for (int i = 1; i <= EDITOR_HISTORY + 3; i++) {
		snprintf(name, sizeof name, "%d\n", i - 1);
		snprintf(text, sizeof text, "%d\n", i);
		good = good && kit_replace("h", name, text) == MT_OK;
	}
	for (int i = 0; i < EDITOR_HISTORY; i++)
		good = good && kit_undo("h") == MT_OK;
	CHECK(good && kit_is("h", "3\n", 2));
	CHECK(kit_undo("h") == MT_ENOTFOUND && kit_says("No edit history"));
	for (int i = 0; i < EDITOR_PATHS_MAX + 10; i++) {
		snprintf(name, sizeof name, "many/%d", i);
		good = good && kit_create(name, "x") == MT_OK;
	}
	CHECK_MSG(good && kit_undo("many/0") == MT_ENOTFOUND,
		  "the oldest file is forgotten");
	CHECK(kit_undo("many/100") == MT_OK);
}

static void fields(void)
{
	char *text = malloc(EDITOR_CONTENT_MAX + 20);

	kit_put("r", "a\r\nb\r\n", 6);
	CHECK(kit_replace("r", "a", "x") == MT_OK && kit_last.edited &&
	      kit_last.prev_exist);
	CHECK_STR(kit_last.old_content.text, "a\r\nb\r\n");
	CHECK_STR(kit_last.new_content.text, "x\r\nb\r\n");
	CHECK(strstr(kit_last.diff.text, "\n-a\r\n+x\r\n b\r\n") != NULL);
	CHECK_STR(kit_last.path, kit_path("r"));
	CHECK(kit_view("./odd//../r/.", NULL) != MT_OK);
	CHECK(kit_view(".//r", NULL) == MT_OK && !kit_last.edited);
	CHECK_STR(kit_last.path, kit_path("r"));
	memset(text, 'x', EDITOR_CONTENT_MAX + 10);
	memcpy(text, "a\n", 2);
	kit_put("r", text, EDITOR_CONTENT_MAX + 1);
	kit_restart();
	CHECK(kit_replace("r", "a\n", "\n") == MT_OK && !kit_last.has_old &&
	      kit_last.has_new);
	free(text);
}

static bool patches(const char *a, const char *b)
{
	AUTO(strbuf) struct strbuf out = STRBUF((size_t)64 << 20);
	AUTO(free) char *got = NULL;

	if (diff_unified(kit_str(a), kit_str(b), "a", "b", &out) != MT_OK)
		return false;
	got = kit_patch(a, strlen(a), out.text);
	return got && strcmp(got, b) == 0 && (strcmp(a, b) != 0) == (out.len > 0);
}

static void diffs(void)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	AUTO(strbuf) struct strbuf a = STRBUF(1 << 20), b = STRBUF(1 << 20);
	unsigned seed = 7;
	bool good = true;

	diff_unified(kit_str("1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
		     kit_str("1\n2\n3\n4\nfive\n6\n7\n8\n9"), "old", "new\n", &out);
	CHECK_STR(
		out.text,
		"--- old\n+++ new?\n@@ -2,8 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
		"-9\n+9\n\\ No newline at end of file\n");
	CHECK(patches("", "a") && patches("a", "") && patches("", "") &&
	      patches("a\n", "a"));
	for (int i = 0; good && i < 3000; i++) {
		char x[64], y[64];
		size_t n = (seed = seed * 1103515245 + 12345) >> 16 & 31;
		size_t m = (seed = seed * 1103515245 + 12345) >> 16 & 31;

		for (size_t k = 0; k < n; k++)
			x[k] = "ab\n\n"[(seed = seed * 1103515245 + 12345) >> 16 & 3];
		for (size_t k = 0; k < m; k++)
			y[k] = "ab\n\n"[(seed = seed * 1103515245 + 12345) >> 16 & 3];
		x[n] = y[m] = '\0';
		good = patches(x, y);
	}
	CHECK_MSG(good, "3000 pairs of texts: the diff makes one of the other");
	for (int i = 0; i < 3000; i++) {
		strbuf_addf(&a, "%d\n", i);
		strbuf_addf(&b, "%d\n", i % 3 ? i : -i);
	}
	CHECK_MSG(patches(a.text, b.text), "more differences than are searched for");
}

static void allocation_fails(void)
{
	static const char latin[] = "caf\xe9 d\xe9j\xe0\r\nline two\r\nend\r\n";
	bool good = true;

	kit_put("oom", latin, sizeof latin - 1);
	kit_view("oom", NULL);
	OOM_EACH(kit_view("oom", "[1, 2]"));
	OOM_EACH(kit_view(".", NULL));
	OOM_EACH({
		int status = kit_replace("oom", "line two", "2");

		oom_left = -1;
		if (status != MT_OK && !kit_last.edited)
			good = good && kit_is("oom", latin, sizeof latin - 1);
		kit_put("oom", latin, sizeof latin - 1);
		kit_view("oom", NULL);
	});
	OOM_EACH({
		int status = kit_edits("oom", "[{\"old_str\":\"line\",\"new_str\":\"x\"},"
					      "{\"old_str\":\"e\",\"new_str\":\"f\","
					      "\"replace_all\":true}]");

		oom_left = -1;
		if (status != MT_OK && !kit_last.edited)
			good = good && kit_is("oom", latin, sizeof latin - 1);
		kit_put("oom", latin, sizeof latin - 1);
		kit_view("oom", NULL);
	});
	OOM_EACH({
		int status = kit_insert("oom", "1", "2");

		oom_left = -1;
		if (status == MT_OK || kit_last.edited)
			kit_undo("oom");
		good = good && kit_is("oom", latin, sizeof latin - 1);
	});
	OOM_EACH(kit_replace("oom", "line tow", "2"));
	OOM_EACH({
		kit_create("oom-new", "x\n");
		oom_left = -1;
		unlink(kit_path("oom-new"));
	});
	OOM_EACH({
		struct editor *e = editor_new("/");

		editor_free(e);
	});
	CHECK_MSG(good, "without memory a file is as before or as wanted");
	CHECK(kit_replace("oom", "line two", "2") == MT_OK);
	OOM_EACH({
		kit_undo("oom");
		oom_left = -1;
		if (kit_is("oom", latin, sizeof latin - 1))
			kit_replace("oom", "line two", "2");
	});
	CHECK(kit_get("oom", NULL) != NULL);
}

int main(void)
{
	kit_open();
	views();
	refusals();
	near_misses();
	several_edits();
	directories();
	pasts();
	history();
	fields();
	diffs();
	kit_close();
	kit_open();
	allocation_fails();
	kit_close();
	return tap_done();
}
