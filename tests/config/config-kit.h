/* SPDX-License-Identifier: MIT
 *
 * config-kit.h - loads configurations from directories of their own. */
#ifndef TESTS_CONFIG_CONFIG_KIT_H
#define TESTS_CONFIG_CONFIG_KIT_H

#include "config/config.h"
#include "files.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static char root[256]; /* home, etc, project below it */

static inline void put(const char *name, const char *text)
{
	AUTO(free) char *path = path_join(root, name);
	char *slash = strrchr(path, '/');
	struct error err = ERROR_NONE;

	*slash = '\0';
	dir_make(path, &err);
	*slash = '/';
	if (file_write(path, text, strlen(text), 0600, false, &err))
		printf("Bail out! %s\n", err.text);
}

static inline void set_up(void)
{
	static const char *const mine[] = { "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME" };
	const char *home = getenv("MORTISE_TEST_HOME");
	AUTO(free) char *real =
		realpath(home ? home : "/tmp", NULL); /* no symbolic link */
	char path[512];

	snprintf(root, sizeof root, "%s/config-XXXXXX", real ? real : "/tmp");
	if (!mkdtemp(root))
		puts("Bail out! no temporary directory");
	clearenv();
	for (size_t i = 0; i < ARRAY_LEN(mine); i++)
		setenv(mine[i], root, 1);
	snprintf(path, sizeof path, "%s/etc", root);
	setenv("MORTISE_SYSTEM_CONFIG", path, 1);
}

static inline void clean(void)
{
	static const char *const names[] = { "etc", "mortise", "project" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO(free) char *path = path_join(root, names[i]);

		dir_remove(path, NULL);
	}
}

/* Load with up to four -o; NULL and `err` on failure. */
static inline struct config *load(struct error *err, const char *const *overrides)
{
	AUTO(free) char *project = path_join(root, "project");
	struct config_input in = { .overrides = overrides, .workspace = project };
	struct config *c = NULL;

	while (overrides && overrides[in.override_count])
		in.override_count++;
	*err = ERROR_NONE;
	config_load(&in, &c, err);
	return c;
}

static inline struct config *load_user(const char *text, struct error *err)
{
	put("mortise/mortise.ini", text);
	return load(err, NULL);
}

static inline const char *or_unset(const char *text)
{
	return text ? text : "(unset)";
}

/* Remove the directories, and print the plan. */
static inline int tear_down(void)
{
	dir_remove(root, NULL);
	return tap_done();
}

#endif
