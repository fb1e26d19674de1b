/* SPDX-License-Identifier: MIT
 *
 * fuzz-pack.c - any bytes as an archive of skills. What comes through has names that
 * stay inside and are there once, in UTF-8, and contents within their limits; a
 * refusal has a sentence; nothing is signed by chance. Headers of tar get the
 * checksum that they should have, or hardly any would be read. */
#include "skills/packs.h"
#include "skills/skills.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { BLOCK = 512, SEEN_MAX = 64 };

static void mend_sums(uint8_t *bytes, size_t n)
{
	for (size_t at = 0; at + BLOCK <= n; at += BLOCK) {
		unsigned sum = 0;

		if (memcmp(bytes + at + 257, "ustar", 5) != 0)
			continue;
		memset(bytes + at + 148, ' ', 8);
		for (size_t i = 0; i < BLOCK; i++)
			sum += bytes[at + i];
		snprintf((char *)bytes + at + 148, 8, "%06o", sum & 0777777);
	}
}

static bool stays_inside(const char *path)
{
	if (!*path || *path == '/' || !utf8_valid(path, strlen(path)))
		return false;
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (!n || (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
	}
	return true;
}

struct seen {
	char *names[SEEN_MAX];
	size_t count;
};

static bool wants(const char *path, void *arg)
{
	(void)arg;
	return strlen(path) % 2 == 0;
}

static int entry(const struct pack_entry *e, void *arg, struct error *err)
{
	struct seen *s = arg;

	(void)err;
	if (!stays_inside(e->path) ||
	    (e->kind == 'l' && *e->target && !stays_inside(e->target)) ||
	    (e->kind == 'f' && strlen(e->sha256) != 64) || e->len > SKILL_MAX ||
	    (e->bytes && !wants(e->path, NULL)))
		abort();
	for (size_t i = 0; e->kind != 'd' && i < s->count; i++)
		if (strcmp(s->names[i], e->path) == 0)
			abort();
	if (e->kind != 'd' && s->count < SEEN_MAX)
		s->names[s->count++] = strdup(e->path);
	return MT_OK;
}

static void check_scan(const char *path)
{
	struct error err = ERROR_NONE;
	struct seen s = { 0 };
	const struct pack_reader reader = {
		.wants = wants, .entry = entry, .arg = &s, .sums = true,
	};

	if (pack_scan(path, &reader, &err) != err.code || (err.code && !err.text[0]))
		abort();
	for (size_t i = 0; i < s.count; i++)
		free(s.names[i]);
}

static void check_skills(const char *path)
{
	AUTO(pack) struct pack *p = NULL;
	AUTO(skills) struct skills *all = NULL;
	AUTO(free) char *signer = NULL;
	struct error err = ERROR_NONE;
	struct skill *s;

	if (pack_open(path, &p, &all, &err)) {
		if (!err.text[0])
			abort();
		return;
	}
	for (size_t i = 0; (s = skills_at(all, i)); i++) {
		AUTO(json) json_object *files = skills_files(s, 16);

		if (!s->name || !s->source || skills_content(s, &err) || !files)
			abort();
	}
	if (!pack_verify_signature(path, NULL, KEY_DIR, &signer, NULL))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(free) uint8_t *copy = malloc(n + 1);
	int fd = memfd_create("pack", MFD_CLOEXEC);
	char path[64];

	memcpy(copy, bytes, n);
	mend_sums(copy, n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (fd >= 0 && write(fd, copy, n) == (ssize_t)n) {
		check_scan(path);
		check_skills(path);
	}
	close(fd);
	return 0;
}
