/* SPDX-License-Identifier: MIT
 *
 * test-packs.c - archives of skills: cut at every byte, without memory at every
 * allocation, and with an index that is not what it should be. */
#include "skills/packs.h"
#include "skills/skills-internal.h"
#include "files.h"
#include "log.h"
#include "oom.h"
#include "tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

static char *at(const char *dir, const char *name)
{
	char *path = path_join(dir, name);

	if (!path)
		abort();
	return path;
}

static void put(const char *dir, const char *name, const char *bytes, size_t len)
{
	AUTO(free) char *path = at(dir, name);
	char *slash = strrchr(path, '/');
	struct error err = ERROR_NONE;

	*slash = '\0';
	dir_make(path, &err);
	*slash = '/';
	if (file_write(path, bytes, len, 0644, false, &err))
		printf("Bail out! %s\n", err.text);
}

static void put_text(const char *dir, const char *name, const char *text)
{
	put(dir, name, text, strlen(text));
}

static void make_dir(const char *dir)
{
	put_text(dir, "p/pack.ini", "[pack]\nname = zoo\nversion = 2\nlicence = MIT\n");
	put_text(
		dir, "p/skills/zed/SKILL.md",
		"---\nname: zed\ndescription: Stripes.\ntriggers: [zebra, /zed]\n---\nAll.\n");
	put_text(dir, "p/skills/zed/scripts/run.sh", "echo out\n");
	put_text(dir, "p/skills/gnu.md", "---\nname: gnu\n---\nHorns.\n");
	put_text(dir, "p/skills/bad.md", "---\nname: [\n---\n");
}

/* ---- memory ---------------------------------------------------------------- */

static void test_memory(const char *dir)
{
	static const char *const forms[] = { "m.tar", "m.tar.gz", "m.tar.xz", "m.tar.zst",
					     "m.zip" };
	AUTO(free) char *directory = at(dir, "p");
	size_t silent = 0;

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		AUTO(free) char *path = at(dir, forms[i]);
		struct error err = ERROR_NONE;

		OOM_EACH({
			AUTO(close) int fd =
				open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

			err = ERROR_NONE;
			int r = pack_make(directory, fd, path, NULL, &err);
			silent += r != err.code || (r && !err.text[0]);
		})
		CHECK_STR(err.text, "");
		OOM_EACH({
			AUTO(pack) struct pack *p = NULL;
			AUTO(skills) struct skills *all = NULL;

			err = ERROR_NONE;
			int r = pack_open(path, &p, &all, &err);
			silent += r != err.code || (r && !err.text[0]) || (!r && !all);
		})
		CHECK_STR(err.text, "");
	}
	CHECK_MSG(silent == 0, "a failure has a sentence, and leaves nothing");
}

static void test_index_memory(const char *dir)
{
	AUTO(free) char *path = at(dir, "m.tar.gz");
	struct error err = ERROR_NONE;
	size_t wrong = 0, least = 9;

	for (int round = 0; round < 2; round++) /* the second time there is an index */
		OOM_EACH({
			AUTO(skills) struct skills *s = skills_new("", NULL);
			int r;

			err = ERROR_NONE;
			r = s ? skills_add_pack(s, path, &err) : MT_ENOMEM;
			oom_left = -1;
			wrong += r && r != MT_ENOMEM;
			for (size_t i = 0; s && !r && i < s->count; i++)
				wrong += !s->list[i]->name ||
					 skills_content(s->list[i], &err);
			least = s && !r ? s->count : least;
		})
	CHECK_MSG(wrong == 0, "out of memory is said, or what is there is whole");
	CHECK(least == 2);
}

/* ---- cut ------------------------------------------------------------------- */

static void cut(const char *dir, const char *name, const char *copy_name, size_t step)
{
	AUTO(free) char *path = at(dir, name), *copy = at(dir, copy_name), *bytes = NULL;
	size_t len = 0, silent = 0, whole = 0;
	struct error err = ERROR_NONE;

	if (file_read(path, 1 << 20, &bytes, &len, &err))
		printf("Bail out! %s\n", err.text);
	for (size_t n = len % step; n <= len; n += step) {
		AUTO(pack) struct pack *p = NULL;
		AUTO(skills) struct skills *all = NULL;

		file_write(copy, bytes, n, 0600, false, &err);
		err = ERROR_NONE;
		if (pack_open(copy, &p, &all, &err))
			silent += !err.text[0];
		else
			whole += all->count == 2;
	}
	CHECK_MSG(silent == 0, "%s: cut anywhere it is refused with a sentence", name);
	CHECK_MSG(whole >= 1 && err.code == 0, "%s: in one piece it is whole", name);
}

/* ---- a file that is not an index --------------------------------------------- */

static void spoil(const char *cache, void (*change)(char *text, size_t len))
{
	AUTO(free) char *directory = at(cache, "mortise/packs"), *text = NULL,
			*path = NULL;
	struct dirent **names = NULL;
	int n = scandir(directory, &names, NULL, alphasort);
	size_t len = 0;

	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.' && !path)
			path = at(directory, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	if (!path || file_read(path, 1 << 20, &text, &len, NULL)) {
		puts("Bail out! there is no index");
		return;
	}
	change(text, len);
	file_write(path, text, len, 0600, false, NULL);
}

static void spoil_key(char *text, size_t len)
{
	(void)len;
	text[0] ^= 1;
}

static void spoil_words(char *text, size_t len)
{
	char *line = memchr(text, '\n', len);

	for (size_t i = (size_t)(line - text) + 1; i < len; i++)
		text[i] = (char)(i % 7 == 0 ? '\x1f' : i % 11 == 0 ? '\n' : 'S');
}

static void spoil_utf8(char *text, size_t len)
{
	text[len - 3] = (char)0xff;
}

static void test_spoiled(const char *dir, const char *cache)
{
	static void (*const changes[])(char *text, size_t len) = {
		spoil_key, spoil_words, spoil_utf8,
	};
	AUTO(free) char *path = at(dir, "m.tar.gz");

	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		AUTO(skills) struct skills *first = skills_new("", NULL);
		AUTO(skills) struct skills *s = skills_new("", NULL);
		struct error err = ERROR_NONE;

		skills_add_pack(first, path, &err);
		spoil(cache, changes[i]);
		CHECK(skills_add_pack(s, path, &err) == MT_OK);
		CHECK(changes[i] == spoil_words || s->count == 2);
		for (size_t n = 0; n < s->count; n++)
			skill_describe(s->list[n]);
		for (size_t n = 0; n < first->count; n++) { /* its index is still open */
			CHECK(skill_describe(first->list[n]) == MT_OK);
			CHECK(first->list[n]->description != NULL);
		}
	}
}

int main(void)
{
	char dir[] = "/tmp/mortise-packs-XXXXXX";
	AUTO(free) char *cache = NULL;

	if (!mkdtemp(dir))
		return 1;
	log_setup(STDERR_FILENO, MT_LOG_ERROR, NULL);
	cache = at(dir, "cache");
	setenv("XDG_CACHE_HOME", cache, 1);
	make_dir(dir);
	test_memory(dir);
	test_index_memory(dir);
	cut(dir, "m.tar", "cut.tar", 31);
	cut(dir, "m.tar.gz", "cut.tar.gz", 1);
	cut(dir, "m.zip", "cut.zip", 1);
	test_spoiled(dir, cache);
	dir_remove(dir, NULL);
	return tap_done();
}
