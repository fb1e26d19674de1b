/* SPDX-License-Identifier: MIT
 *
 * plugins-test.h - shared by the files of `mortise plugins test`. */
#ifndef CLI_PLUGINS_TEST_H
#define CLI_PLUGINS_TEST_H

#include "ini.h"
#include "plugins.h"

enum key {
	KEY_CALL, KEY_ARGUMENTS,
	KEY_RESULT, KEY_MATCH, KEY_ERROR, KEY_STRUCTURED, KEY_PREVIEW, /* expectations */
	KEYS
};

struct test_case {
	const char *name;                     /* of its section */
	unsigned line;
	const struct ini_entry *entries[KEYS]; /* NULL: absent */
	enum key expected;
};

struct cases {
	const char *path;
	struct ini ini;
	struct test_case *list;
	size_t count;
};

/* ---- plugins-test-cases.c ---- */
/** Read the case file; the caller clears `cases`, even after a failure. */
int test_cases_read(struct cases *cases, struct error *err);

/* ---- plugins-test-checker.c ---- */
/** Create a program in `directory` that starts the runner, and thereby the workers, under
 *  the checker; `option` selects this program. */
int checker_wrap_runner(struct common *common, enum plugin_checker checker,
			const char *path, const char *directory, struct strbuf *option,
			struct error *err);
/** Print the reports of the checker. @return true if there were any. */
bool checker_print_logs(enum plugin_checker checker, const char *directory);

/* ---- plugins-test.c ---- */
void test_print_comment(const char *label, const char *text, size_t len);
/** Length of a text without white space at its end. */
size_t test_trimmed(const char *text, size_t len);

#endif
