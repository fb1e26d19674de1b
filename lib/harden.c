/* SPDX-License-Identifier: MIT
 *
 * harden.c - keeps the memory and environment of a process out of /proc and core
 * files. */
#include "harden.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define DUMPABLE 1
#else
#define DUMPABLE 0
#endif

/* ---- the process ------------------------------------------------------------- */

void harden_process(void)
{
	struct rlimit limit;

	/* The hard limit is kept: programs executed later may need core files. */
	if (getrlimit(RLIMIT_CORE, &limit) == 0) {
		limit.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &limit);
	}
	prctl(PR_SET_DUMPABLE, DUMPABLE);
}

/* ---- the environment --------------------------------------------------------- */

static struct {
	char **list;
	char *block;
	size_t size;
} moved;

static void harden_wipe(void)
{
	static char *none[] = { NULL };

	environ = none;
	explicit_bzero(moved.block, moved.size);
}

void harden_environment(void)
{
	size_t count = 0, size = 0, at = 0;
	char **list;

	for (; environ && environ[count]; count++)
		size += strlen(environ[count]) + 1;
	if (!size || moved.block)
		return;
	list = calloc(count + 1, sizeof *list);
	moved.size = size;
	moved.block = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!list || moved.block == MAP_FAILED) {
		free(list);
		moved.block = NULL;
		return;
	}
	madvise(moved.block, size, MADV_DONTDUMP);
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(environ[i]) + 1;

		list[i] = moved.block + at;
		memcpy(list[i], environ[i], len);
		explicit_bzero(environ[i], len);
		at += len;
	}
	environ = moved.list = list; /* never freed: getenv may be called at any time */
	atexit(harden_wipe);
}

/* ---- arguments --------------------------------------------------------------- */

static bool harden_holds(const char *text, size_t len, const char *word)
{
	return memmem(text, len, word, strlen(word)) != NULL;
}

/* The name of a setting, up to its equals sign, whose value may be a secret. */
static bool harden_is_secret(const char *name, size_t len)
{
	static const char *const words[] = { "auth", "cookie", "header", "key", "password",
					     "proxy", "secret", "token" };
	static const char *const references[] = { "_env", "_file", "_tokens" };

	for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
		size_t n = strlen(references[i]);

		if (len > n && memcmp(name + len - n, references[i], n) == 0)
			return false;
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (harden_holds(name, len, words[i]))
			return true;
	return false;
}

void harden_arguments(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '='), *dot, *copy;

		if (value && strncmp(argv[i], "--set=", 6) == 0)
			value = strchr(value + 1, '=');
		dot = value ? memrchr(argv[i], '.', (size_t)(value - argv[i])) : NULL;
		if (!dot || memchr(argv[i], ' ', (size_t)(value - argv[i])) ||
		    !harden_is_secret(dot + 1, (size_t)(value - dot - 1)))
			continue;
		copy = strdup(argv[i]);
		if (!copy)
			continue;
		memset(value + 1, '*', strlen(value + 1));
		argv[i] = copy;
	}
}
