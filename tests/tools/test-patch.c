/* SPDX-License-Identifier: MIT
 *
 * test-patch.c - patches on texts, cut at every byte, and on real files. */
#include "oom.h"
#include "plugins/tools/patch/apply.h"
#include "tests/tools/plugin-kit.h"

#include <sys/stat.h>

static const char source[] = "one\ntwo\nthree\nfour\ntwo\nfive\n";

static int load(void *arg, const char *path, struct strbuf *ret, struct strbuf *why)
{
	(void)why;
	return strcmp(path, "a") == 0 ? strbuf_add(ret, arg) : MT_ENOTFOUND;
}

static void texts(void)
{
	static const struct {
		const char *body, *text, *why; /* why: part of the error */
		unsigned fuzz;
		const char *source;
	} cases[] = {
		{ "*** Update File: a\n@@\n-one\n+1\n@@\n four\n-two\n+2\n",
		  "1\ntwo\nthree\nfour\n2\nfive\n", NULL, 0, NULL },
		{ "*** Update File: a\n@@ four\n-two\n+2\n", "one\ntwo\nthree\nfour\n2\nfive\n",
		  NULL, 0, NULL },
		{ "*** Update File: a\n@@   four \n-two\n", "one\ntwo\nthree\nfour\nfive\n", NULL,
		  1, NULL },
		{ "*** Update File: a\n@@\n five\n+six\n*** End of File\n",
		  "one\ntwo\nthree\nfour\ntwo\nfive\nsix\n", NULL, 10000, NULL },
		{ "*** Update File: a\n@@\n two\n-three\n+3\n*** End of File\n",
		  "one\ntwo\n3\nfour\ntwo\nfive\n", NULL, 10000, NULL },
		{ "*** Update File: a\n@@\n  two \n-three\n+3\n",
		  "one\ntwo\n3\nfour\ntwo\nfive\n", NULL, 100, NULL },
		{ "*** Update File: a\n@@\n-b\n+B\n+C\n", "a\r\nB\r\nC\r\nc\r\n", NULL, 1,
		  "a\r\nb\r\nc\r\n" },
		{ "*** Update File: a\n@@\n-b\n+B\n", "a\nB", NULL, 0, "a\nb" },
		{ "*** Update File: a\n@@\n\n-b\n", "a\n\n", NULL, 0, "a\n\nb\n" },
		{ "*** Update File: a\n", "one\ntwo\nthree\nfour\ntwo\nfive\n", NULL, 0, NULL },
		{ "*** Update File: a\n@@\n-one\n@@\n-one\n", NULL,
		  "Invalid Context 1:\none", 0, NULL },
		{ "*** Update File: a\n@@\n-no\n*** End of File\n", NULL,
		  "Invalid EOF Context 0:\nno", 0, NULL },
		{ "*** Update File: a\n@@\n?x\n", NULL, "Invalid Line: ?x", 0, NULL },
		{ "*** Update File: a\n@@\n*** x\n", NULL, "Invalid Line: *** x", 0, NULL },
		{ "*** Update File: a\n@@\n-one\n***\n", NULL, "Invalid Line:\n***", 0, NULL },
		{ "*** Update File: a\n@@\n@@\n-one\n", NULL, "Empty section: @@", 0,
		  NULL },
		{ "*** Update File: b\n", NULL, "Update File Error: Missing File: b", 0, NULL },
		{ "*** Update File: a\n*** Update File: a\n", NULL,
		  "Update File Error: Duplicate Path: a", 0, NULL },
		{ "*** Add File: a\n+x\n", NULL, "Add File Error: File already exists: a", 0,
		  NULL },
		{ "*** Add File: b\nx\n", NULL, "Invalid Add File Line: x", 0, NULL },
		{ "*** Add File: b\n", "", NULL, 0, NULL },
		{ "*** Delete File: a\n*** Delete File: a\n", NULL,
		  "Delete File Error: Duplicate Path: a", 0, NULL },
		{ "hello\n", NULL, "Unknown Line: hello", 0, NULL },
		{ "*** Update File: \n", NULL, "Unknown Line: *** Update File: ", 0, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *from = cases[i].source ? cases[i].source : source;
		AUTO(strbuf) struct strbuf text = STRBUF(4096);
		struct patch p;
		int r;

		strbuf_addf(&text, "*** Begin Patch\n%s*** End Patch\n", cases[i].body);
		r = patch_apply(text.text, text.len, load, (void *)from, &p);
		CHECK_MSG(!r == !cases[i].why, "patch %zu: %d", i, r);
		if (r)
			CHECK_STR(p.why.text, cases[i].why);
		else
			CHECK_STR(p.changes[p.count - 1].text.text, cases[i].text);
		CHECK_MSG(r || p.fuzz == cases[i].fuzz, "patch %zu: fuzz %llu", i,
			  (unsigned long long)p.fuzz);
		patch_clear(&p);
	}
}

static const char whole[] =
	"*** Begin Patch\n*** Update File: a\n*** Move to: sub/m\n@@ one\n-two\n+2\n three\n"
	"*** Add File: n\n+new\n*** End Patch";

/* No cut of a patch crashes; only the whole of it is one. */
static void cut(void)
{
	size_t good = 0;

	for (size_t len = 0; len < sizeof whole; len++) {
		struct patch p;

		good += patch_apply(whole, len, load, (void *)source, &p) == MT_OK;
		patch_clear(&p);
	}
	CHECK(good == 1);
}

static void without_memory(void)
{
	struct patch p;
	int r = 0, bad = 0;

	OOM_EACH(r = patch_apply(whole, sizeof whole - 1, load, (void *)source, &p);
		 bad += oom_hit ? r != MT_ENOMEM : r != MT_OK; patch_clear(&p));
	CHECK(bad == 0);
}

/* ---- files ------------------------------------------------------------- */

static char dir[] = "/tmp/mortise-patch-XXXXXX";

static bool holds(const char *name, const char *want)
{
	AUTO(free) char *path = path_join(dir, name);
	AUTO(free) char *text = NULL;

	if (file_read(path, 1 << 20, &text, NULL, NULL))
		return want == NULL;
	return want && strcmp(text, want) == 0;
}

static int apply(const char *body, struct patch *p)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4096);

	strbuf_addf(&text, "*** Begin Patch\n%s*** End Patch", body);
	return patch_files(dir, text.text, text.len, p);
}

static void files(void)
{
	AUTO(free) char *tool = path_join(dir, "tool"), *link = path_join(dir, "link");
	AUTO(free) char *body = NULL;
	struct stat st;
	struct patch p;

	kit_file(dir, "tool", "one\ntwo\n");
	kit_file(dir, "gone", "x\n");
	CHECK(chmod(tool, 0751) == 0 && symlink("tool", link) == 0);
	CHECK(apply("*** Update File: tool\n@@\n-one\n+1\n*** Delete File: gone\n"
		    "*** Add File: deep/er/new\n+hello\n",
		    &p) == MT_OK);
	patch_clear(&p);
	CHECK(holds("tool", "1\ntwo\n") && holds("gone", NULL) &&
	      holds("deep/er/new", "hello"));
	CHECK(stat(tool, &st) == 0 && (st.st_mode & 07777) == 0751);
	CHECK(apply("*** Update File: link\n@@\n-two\n+2\n", &p) == MT_OK);
	patch_clear(&p);
	CHECK(holds("tool", "1\n2\n") && lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(apply("*** Update File: tool\n*** Move to: bin/tool\n@@\n-2\n+3\n", &p) ==
	      MT_OK);
	patch_clear(&p);
	CHECK(holds("tool", NULL) && holds("bin/tool", "1\n3\n"));
	if (asprintf(&body, "*** Delete File: %s/bin/tool\n", dir) < 0)
		body = NULL;
	CHECK(body && apply(body, &p) == MT_OK && holds("bin/tool", NULL));
	patch_clear(&p);
}

/* Patches that are refused and do not change anything. */
static void refused(void)
{
	static const struct {
		const char *body, *why;
	} cases[] = {
		{ "*** Add File: made\n+x\n*** Add File: ../out\n+x\n", "inside the workspace" },
		{ "*** Add File: made\n+x\n*** Add File: /etc/out\n+x\n", "inside the workspace" },
		{ "*** Add File: made\n+x\n*** Add File: file/below\n+x\n", "Not a directory" },
		{ "*** Add File: made\n+x\n*** Delete File: dir\n", "not a regular file" },
		{ "*** Update File: file\n*** Move to: other\n@@\n-f\n", "already exists" },
		{ "*** Update File: file\n@@\n-f\n+g\n*** Delete File: other\n"
		  "*** Add File: made\n+x\n*** Add File: up/y\n+x\n*** Add File: up\n+x\n",
		  "Nothing was changed" },
		{ "*** Update File: file\n@@\n-f\n+g\n*** Update File: ./file\n@@\n-f\n+h\n",
		  "change the same file" },
		{ "*** Update File: file\n@@\n-f\n+g\n*** Delete File: way/../file\n",
		  "must not contain `..`" },
		{ "*** Update File: file\n@@\n-f\n+g\n*** Update File: same\n@@\n-f\n+h\n",
		  "change the same file" },
		{ "*** Update File: file\n*** Move to: made\n@@\n-f\n+g\n"
		  "*** Add File: .//made\n+x\n", "change the same file" },
		{ "*** Add File: made\n+x\n*** Add File: way/out\n+x\n", "outside the workspace" },
		{ "*** Add File: made\n+x\n*** Update File: way/hosts\n@@\n+x\n",
		  "outside the workspace" },
		{ "*** Update File: file\n*** Move to: way/a/b\n@@\n-f\n",
		  "outside the workspace" },
	};
	AUTO(free) char *way = path_join(dir, "way"), *same = path_join(dir, "same");

	CHECK(symlink("/etc", way) == 0 && symlink("file", same) == 0);
	kit_file(dir, "file", "f\n");
	kit_file(dir, "other", "o\n");
	kit_file(dir, "dir/x", "");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct patch p;

		CHECK(apply(cases[i].body, &p) != MT_OK);
		CHECK_MSG(strstr(p.why.text, cases[i].why), "%zu: %s", i, p.why.text);
		CHECK(holds("made", NULL) && holds("file", "f\n") &&
		      holds("other", "o\n"));
		patch_clear(&p);
	}
}

static void plugin(void)
{
	const struct mt_plugin *p = kit_load("apply-patch");
	const struct mt_toolset *set = p ? p->components[0].functions : NULL;
	struct mt_instance i = { .component = p ? p->components : NULL,
				 .workspace = dir };
	struct mt_call c;
	void *self;

	CHECK(set && set->open(&kit_host, &i, &self) == MT_OK);
	if (!set)
		return;
	kit_check_tools(set, 1400);
	kit_call(set, self, "apply_patch", &c,
		 "{\"patch\":\"*** Begin Patch\\n*** Add File: p"
		 "\\n+x\\n*** End Patch\"}");
	CHECK_STR(c.text.text, "Added p\n");
	kit_end(&c);
	CHECK(kit_call(set, self, "apply_patch", &c,
		       "{\"patch\":\"*** Begin Patch\\n*** Update "
		       "File: p\\n@@\\n-q\\n*** End Patch\"}") == MT_ENOTFOUND);
	CHECK_STR(c.text.text, "p does not have these lines, in this order:\nq\n");
	CHECK_STR(c.sentence.text, "Nothing was changed. Repeat the patch with lines as "
				   "they are in p.");
	kit_end(&c);
	kit_file(dir, "p", "alpha\nbeta\ngamma\ndelta\nepsilon\nzeta\neta\n");
	CHECK(kit_call(set, self, "apply_patch", &c,
		       "{\"patch\":\"*** Begin Patch\\n*** Update "
		       "File: p\\n@@\\n beta\\n-gamm\\n*** End Patch\"}") ==
	      MT_ENOTFOUND);
	CHECK_STR(c.text.text,
		  "p does not have these lines, in this order:\nbeta\ngamm\n"
		  "The most similar text is in lines 2-3 (1 of 2 lines agree):\n"
		  "     2\tbeta\n     3\tgamma\n");
	kit_end(&c);
	kit_call(
		set, self, "apply_patch", &c,
		"{\"patch\":\"*** Begin Patch\\n*** Update File: p\\n@@\\n-alpha\\n+1\\n@@\\n"
		"-zeta\\n*** End Patch\"}");
	CHECK_STR(c.text.text, "Updated p\n     1\t1\n     2\tbeta\n     3\tgamma\n"
			       "     4\tdelta\n     5\tepsilon\n     6\teta\n");
	kit_end(&c);
	CHECK(kit_call(
		      set, self, "apply_patch", &c,
		      "{\"patch\":\"*** Begin Patch\\n*** Update File: p\\n@@\\n?x\\n*** End "
		      "Patch\"}") == MT_EINVAL);
	CHECK_STR(c.sentence.text,
		  "Invalid Line: ?x (line 4 of the patch, in the part for "
		  "p). Nothing was changed.");
	kit_end(&c);
	CHECK(kit_call(set, self, "apply_patch", &c, "{}") == MT_EINVAL);
	kit_end(&c);
	set->close(&kit_host, NULL, self);
}

int main(void)
{
	texts();
	cut();
	without_memory();
	CHECK(mkdtemp(dir) != NULL);
	files();
	refused();
	plugin();
	dir_remove(dir, NULL);
	return tap_done();
}
