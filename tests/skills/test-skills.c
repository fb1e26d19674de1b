/* SPDX-License-Identifier: MIT
 *
 * test-skills.c - front matter, skills, their triggers, notes, and the data read from
 * a repository; cut at every byte, and without memory. */
#include "context/repository.h"
#include "skills/skills.h"
#include "skills/triggers.h"
#include "files.h"
#include "front-matter.h"
#include "notes.h"
#include "oom.h"
#include "tap.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- front matter -------------------------------------------------------- */

static const struct {
	const char *text, *json, *error;
} yaml[] = {
	{ "", "{}", NULL },
	{ "a: b", "{\"a\":\"b\"}", NULL },
	{ "a: yes\nb: 12\nc: 1.50\nd: ~\ne: '12'\nf: 007",
	  "{\"a\":true,\"b\":12,\"c\":1.50,\"d\":null,\"e\":\"12\",\"f\":007}", NULL },
	{ "a: [x, \"y: z\"]\nb:\n  - c: d", "{\"a\":[\"x\",\"y: z\"],\"b\":[{\"c\":\"d\"}]}",
	  NULL },
	{ "a: >\n  folded\n  text\n", "{\"a\":\"folded text\\n\"}", NULL },
	{ "a: &x b\nc: *x", NULL, "aliases" },
	{ "a: &x [*x]", NULL, "alias" },
	{ "&r a: *r", NULL, "alias" },
	{ "- a", NULL, "key: value" },
	{ "just text", NULL, "key: value" },
	{ "a: b: c", NULL, "line 1 of the front matter" },
	{ "a: [b", NULL, "line" },
	{ "? [a]\n: b", NULL, "a key must be plain text" },
	{ "a: [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]", NULL, "nested deeper" },
	{ "a: \xff", NULL, "front matter" },
};

static void test_yaml(void)
{
	for (size_t i = 0; i < ARRAY_LEN(yaml); i++) {
		struct error err = ERROR_NONE;
		AUTO(json)
		json_object *o =
			front_matter_read_yaml(yaml[i].text, strlen(yaml[i].text), &err);

		if (yaml[i].json)
			CHECK_STR(js_text(o, NULL), yaml[i].json);
		else
			CHECK_MSG(!o && err.code && strstr(err.text, yaml[i].error),
				  "%s: %s", yaml[i].text, err.text);
	}
}

static void test_many_values(void)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	struct error err = ERROR_NONE;
	json_object *o;

	strbuf_add(&text, "a: [");
	for (int i = 0; i < 5000; i++)
		strbuf_add(&text, "1,");
	strbuf_add(&text, "]");
	o = front_matter_read_yaml(text.text, text.len, &err);
	CHECK_MSG(!o && err.code == MT_ELIMIT, "too many values: %s", err.text);
}

/* ---- skills --------------------------------------------------------------- */

static const char whole[] =
	"\xef\xbb\xbf---\nname: pdf-tools\ndescription: Work with PDF.\nlicense: MIT\n"
	"metadata: {author: me, n: 3}\nallowed-tools: Read Write\n"
	"triggers: [pdf, /pdf]\ninputs:\n  - name: FILE\n    description: which\n---\n"
	"\n# Title\n\nDo it with ${FILE}.\nMore.\n";

static void test_whole(void)
{
	struct error err = ERROR_NONE, warning = ERROR_NONE;
	AUTO(skill) struct skill *s =
		skill_parse("/x/pdf-tools/SKILL.md", "/x", whole, sizeof whole - 1, false,
			    &warning, &err);

	CHECK_MSG(s && !warning.code, "read: %s%s", err.text, warning.text);
	if (!s)
		return;
	CHECK_STR(s->name, "pdf-tools");
	CHECK(s->trigger == TRIGGER_TASK);
	CHECK((int64_t)s->trigger_count == 3);
	CHECK_MSG(s->asks && s->listed && !s->hidden, "its flags");
	CHECK_STR(skill_find_trigger(s, "look at a.PDF", 13), "pdf");
	CHECK_STR(skill_find_trigger(s, "/pdf-tools", 10), "pdf");
	CHECK_MSG(!skill_find_trigger(s, "pdfs", 4), "a part of a word does not call it");
	CHECK_STR(js_text(js_get(s->more, "metadata"), NULL),
		  "{\"author\":\"me\",\"n\":\"3\"}");
}

static void test_cut(void)
{
	size_t silent = 0;

	for (size_t n = 0; n < sizeof whole; n++) {
		struct error err = ERROR_NONE;
		AUTO(free) char *text = malloc(n + 1); /* valgrind and ASan see the end */
		AUTO(skill) struct skill *s = NULL;

		memcpy(text, whole, n);
		s = skill_parse("/x/pdf-tools/SKILL.md", NULL, text, n, false, NULL,
				&err);
		silent += !s && !*err.text;
	}
	CHECK_MSG(silent == 0, "cut at every byte, refused with a sentence or read");
}

static void test_memory(void)
{
	int read = 0;

	OOM_EACH({
		struct error err = ERROR_NONE;
		struct skill *s = skill_parse("/x/pdf-tools/SKILL.md", "/x", whole,
					      sizeof whole - 1, false, NULL, &err);

		if (s)
			read++;
		else if (err.code != MT_ENOMEM)
			read -= 1000;
		skill_free(s);
	});
	CHECK_MSG(read >= 1, "without memory a skill is refused, not broken");
}

static void test_warnings(void)
{
	static const char text[] = "---\nname: Other Name\n---\nBody.";
	struct error err = ERROR_NONE, warning = ERROR_NONE;
	AUTO(skill) struct skill *s = skill_parse("/x/pdf/SKILL.md", NULL, text,
						  sizeof text - 1, false, &warning, &err);

	CHECK_MSG(s && strstr(warning.text, "does not match directory"),
		  "a strange name warns: %s", warning.text);
}

static void test_rules(void)
{
	static const char text[] = "---\nnot: read\n---\nUse tabs.\n";
	struct error err = ERROR_NONE;
	AUTO(skill) struct skill *s = skill_parse("/x/Agents.md", NULL, text,
						  sizeof text - 1, false, NULL, &err);
	AUTO(strbuf) struct strbuf long_text = STRBUF(1 << 20);
	AUTO(skill) struct skill *t = NULL;

	CHECK_MSG(s && strcmp(s->name, "agents") == 0, "AGENTS.md is called agents");
	CHECK_STR(s ? s->content : "", text);
	while (long_text.len < 2 * RULES_MAX)
		strbuf_add(&long_text, "\xc3\xa4");
	t = skill_parse("/x/CLAUDE.md", NULL, long_text.text, long_text.len, false, NULL,
			&err);
	CHECK_MSG(t && strlen(t->content) < RULES_MAX + 200 &&
			  strstr(t->content, "read the file"),
		  "long rules are cut, with a note");
}

static void test_summary(void)
{
	static const char text[] = "# Title\n\n  First line.  \nThe \xc3\xa4 rest\n";
	struct error err = ERROR_NONE;
	AUTO(skill) struct skill *s =
		skill_parse("/x/a.md", "/x", text, sizeof text - 1, false, NULL, &err);
	AUTO(strbuf) struct strbuf out = STRBUF(4096), list = STRBUF(4096);

	skill_summary(s, &out);
	CHECK_STR(out.text, "First line.... [11 characters truncated. Call "
			    "invoke_skill(name=\"a\") to load the full skill]");
	skills_list_of((struct skill *[]){ s, s, s }, 3, 60, &list);
	CHECK_MSG(strstr(list.text, "1 more: call invoke_skill") ||
			  strstr(list.text, "2 more: call invoke_skill"),
		  "a long list says how many are left out");
}

/* ---- globs and words ------------------------------------------------------- */

static void test_matching(void)
{
	static const struct {
		const char *pattern, *path;
		bool matches;
	} globs[] = {
		{ "**/*.py", "a.py", true }, { "**/*.py", "x/y/a.py", true },
		{ "src/**/t_*.py", "src/t_a.py", true }, { "src/*", "src/a/b", false },
		{ "a?c", "a\xc3\xa4""c", true }, { "a?c", "a/c", false },
		{ "*.PY", "a.py", false }, { "[ab]", "a", false },
		{ "**", "a/b", true }, { "docs/", "docs/x", false },
	};
	/* a keyword, a message */
	static const struct {
		const char *pattern, *path;
		bool matches;
	} words[] = {
		{ "no", "Fu\xc3\x9fnoten", false },          /* Fussnoten, with sharp s */
		{ "PR", "pr\xc3\xa4gnant", false },          /* praegnant */
		{ "PR", "das PR pr\xc3\xbc" "fen", true },
		{ "git", "de-git", true },                   { "git", "gits", false },
		{ "PR", "\xd0\xb0PR", false },               /* a Cyrillic letter before */
		{ "PR", "\xe8\xbf\x99\xe4\xb8\xaaPR\xe7\x9a\x84", true }, /* Chinese */
		{ "PR", "PR\xec\x9d\x84", true },            /* a Korean particle */
		{ "PR", "\xe2\x80\x9ePR\xe2\x80\x9c", true }, /* quotation marks */
		{ "PR", "PR\xcd\xbe", true },                /* Greek question mark */
		{ "\xc5\xa1kola", "\xc5\xa0KOLA", true },     /* Czech */
		{ "\xc5\xbelu\xc5\xa5", "\xc5\xbdLU\xc5\xa4", true },
		{ "Fu\xc3\x9fnoten", "FU\xe1\xba\x9eNOTEN", true }, /* capital sharp s */
		{ "vi\xe1\xbb\x87t", "VI\xe1\xbb\x86T", true }, /* Vietnamese */
		{ "\xce\xac\xcf\x82", "\xce\x86\xce\xa3", true }, /* Greek, final sigma */
		{ "\xc8\x99i", "\xc8\x98I", true },          /* Romanian */
		{ "\xbc", "\xc3\xbc", false },               /* a part of a character */
	};
	char deep[700];

	for (size_t i = 0; i < ARRAY_LEN(globs); i++)
		CHECK_MSG(trigger_matches_path(globs[i].pattern, globs[i].path) ==
				  globs[i].matches,
			  "%s on %s", globs[i].pattern, globs[i].path);
	memset(deep, '*', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	trigger_matches_path(deep, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	memset(deep, '?', sizeof deep - 1);
	CHECK_MSG(!trigger_matches_path(deep, "a"),
		  "a glob that is too long matches nothing");
	CHECK_MSG(trigger_matches("\xc3\xbc"
				  "ber",
				  "\xc3\x9c"
				  "BER",
				  5),
		  "other letters have no case");
	CHECK_MSG(trigger_matches("\xd0\xbf", "\xd0\x9f", 2),
		  "nor have those of Cyrillic");
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		CHECK_MSG(trigger_matches(words[i].pattern, words[i].path,
					  strlen(words[i].path)) == words[i].matches,
			  "%s in %s", words[i].pattern, words[i].path);
	CHECK_MSG(trigger_matches("PR", "PR\xc3", 3), "a cut character is not a letter");
	CHECK_MSG(!trigger_matches("", "x", 1), "an empty word is none");
	CHECK_MSG(!trigger_matches("abc", "ab", 2), "a message may be shorter");
}

/* ---- notes ------------------------------------------------------------------ */

static void test_notes(const char *dir)
{
	AUTO(free) char *path = path_join(dir, "below/MEMORY.md");
	AUTO(free) char *link = path_join(dir, "link.md"), *text = NULL, *much = NULL;
	struct error err = ERROR_NONE;

	CHECK_MSG(!notes_read(path, &err) && !err.code, "no notes: no error");
	CHECK(notes_write(path, NOTES_APPEND, "", "one", &err) == MT_OK);
	CHECK(notes_write(path, NOTES_APPEND, "", "two\n", &err) == MT_OK);
	CHECK(notes_write(path, NOTES_REPLACE, "one", "first", &err) == MT_OK);
	text = notes_read(path, &err);
	CHECK_STR(text, "first\ntwo\n");
	CHECK(notes_write(path, NOTES_REPLACE, "o", "0", &err) == MT_OK);
	CHECK(notes_write(path, NOTES_APPEND, "", "t", &err) == MT_OK);
	CHECK(notes_write(path, NOTES_REPLACE, "t", "0", &err) == MT_EINVAL);
	err = ERROR_NONE;
	CHECK(notes_write(path, NOTES_REPLACE, "none", "0", &err) == MT_ENOTFOUND);
	err = ERROR_NONE;
	much = malloc(NOTES_MAX + 1);
	memset(much, 'x', NOTES_MAX);
	much[NOTES_MAX] = '\0';
	CHECK(notes_write(path, NOTES_APPEND, "", much, &err) == MT_ELIMIT);
	err = ERROR_NONE;
	CHECK_MSG(symlink(path, link) == 0, "a link");
	CHECK(notes_write(link, NOTES_APPEND, "", "x", &err) == MT_EDENIED);
	CHECK_MSG(!notes_read(link, NULL), "a link is not read");
}

/* Conversations that note something at the same time lose nothing. */
static void test_notes_together(const char *dir)
{
	enum { WRITERS = 4, EACH = 20 };
	AUTO(free) char *path = path_join(dir, "together/MEMORY.md"), *text = NULL;
	size_t lines = 0;
	int bad = 0, how;

	for (int w = 0; w < WRITERS; w++) {
		pid_t pid = fork();

		for (int n = 0; pid == 0 && n < EACH; n++) {
			struct error err = ERROR_NONE;

			bad |= notes_write(path, NOTES_APPEND, "", "a line", &err) !=
			       MT_OK;
		}
		if (pid == 0)
			_exit(bad);
		CHECK(pid > 0);
	}
	while (wait(&how) > 0)
		bad |= how;
	text = notes_read(path, NULL);
	for (const char *at = text; at && *at; at++)
		lines += *at == '\n';
	CHECK_MSG(!bad && lines == WRITERS * EACH, "%zu lines", lines);
}

/* ---- repositories ----------------------------------------------------------- */

static void put(const char *dir, const char *name, const char *text)
{
	AUTO(free) char *path = path_join(dir, name), *directory = strdup(path);
	struct error err = ERROR_NONE;

	*strrchr(directory, '/') = '\0';
	if (dir_make(directory, &err) ||
	    file_write(path, text, strlen(text), 0600, false, &err))
		printf("# %s\n", err.text);
}

static void test_repository(const char *dir)
{
	static const struct {
		const char *config, *head, *name, *branch;
	} cases[] = {
		{ "[remote \"origin\"]\n\turl = git@h:o/n.git\n", "ref: refs/heads/a/b\n",
		  "o/n", "a/b" },
		{ "[core]\n\turl = x\n[remote \"origin\"]\n url=https://h/o/n/\n",
		  "ref: refs/heads/m", "o/n", "m" },
		{ "", "0123456789abcdef0123\n", "repo", "0123456789ab" },
		{ "[remote \"origin\"]\nurl = \n", "ref: refs/heads/m\n", "repo", "m" },
	};
	AUTO(free) char *root = path_join(dir, "repo"), *below = path_join(root, "x/y");
	struct repository r;

	CHECK(repository_read(dir, &r) == MT_ENOTFOUND);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put(root, ".git/config", cases[i].config);
		put(root, ".git/HEAD", cases[i].head);
		CHECK(repository_read(below, &r) == MT_OK);
		CHECK_STR(r.name ? r.name : "", cases[i].name);
		CHECK_STR(r.branch ? r.branch : "", cases[i].branch);
		CHECK_STR(r.dir ? r.dir : "", root);
		repository_clear(&r);
	}
	put(dir, "tree/.git", "gitdir: ../repo/.git/worktrees/t\n");
	put(root, ".git/worktrees/t/HEAD", "ref: refs/heads/side\n");
	put(root, ".git/worktrees/t/commondir", "../..\n");
	put(root, ".git/config", cases[0].config);
	free(below);
	below = path_join(dir, "tree");
	CHECK(repository_read(below, &r) == MT_OK);
	CHECK_STR(r.branch ? r.branch : "", "side");
	CHECK_STR(r.name ? r.name : "", "o/n");
	repository_clear(&r);
}

int main(void)
{
	char dir[] = "/tmp/mortise-skills-XXXXXX";

	if (!mkdtemp(dir))
		return 1;
	test_yaml();
	test_many_values();
	test_whole();
	test_cut();
	test_memory();
	test_warnings();
	test_rules();
	test_summary();
	test_matching();
	test_notes(dir);
	test_notes_together(dir);
	test_repository(dir);
	dir_remove(dir, NULL);
	return tap_done();
}
