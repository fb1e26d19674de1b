/* SPDX-License-Identifier: MIT
 *
 * plugins-test-checker.c - runs the runner of `mortise plugins test` under a memory
 * checker. */
#include "plugins-test.h"

#include "files.h"
#include "registry/registry.h"

#include <dirent.h>
#include <string.h>

enum { SCRIPT_MAX = 1 << 16, LOG_MAX = 1 << 20, PLUGIN_MAX = 1 << 28 };

/* Find the runtime that gcc -fsanitize=address linked the file with. */
static int find_asan(const char *path, char **ret, struct error *err)
{
	static const char name[] = "libasan.so.";
	AUTO(free) char *bytes = NULL;
	const char *found;
	size_t len;

	if (file_read(path, PLUGIN_MAX, &bytes, &len, err))
		return err->code;
	found = memmem(bytes, len, name, sizeof name - 1);
	if (!found)
		return fail(err, MT_EINVAL,
			    "%s is not linked with libasan; build it by gcc with "
			    "-fsanitize=address",
			    path);
	*ret = strdup(found); /* file_read appends a NUL */
	return *ret ? MT_OK : out_of_memory(err);
}

/* Load plugins that require the runtime in probes, whose results are not cached. */
static int probe_with_asan(const char *library, const char *directory, struct error *err)
{
	if (setenv("XDG_CACHE_HOME", directory, 1) || registry_probe_preload(library))
		return out_of_memory(err);
	return MT_OK;
}

static void put_checker(enum plugin_checker checker, const char *directory,
			const char *library, struct strbuf *script)
{
	if (checker == CHECKER_VALGRIND)
		strbuf_addf(script,
			    "exec valgrind -q --leak-check=full "
			    "--errors-for-leak-kinds=definite --trace-children=no "
			    "--log-file='%s/checker.%%p'",
			    directory);
	else
		strbuf_addf(script,
			    "export ASAN_OPTIONS='log_path=%s/checker' LD_PRELOAD='%s'\n"
			    "export UBSAN_OPTIONS='log_path=%s/checker'\nexec",
			    directory, library, directory);
}

int checker_wrap_runner(struct common *common, enum plugin_checker checker,
			const char *path, const char *directory, struct strbuf *option,
			struct error *err)
{
	AUTO(config) struct config *c = NULL;
	AUTO(strbuf) struct strbuf script = STRBUF(SCRIPT_MAX);
	AUTO(free) char *library = NULL;

	if (checker == CHECKER_ASAN &&
	    (find_asan(path, &library, err) || probe_with_asan(library, directory, err)))
		return err->code;
	if (common_config(common, &c, err))
		return err->code;
	strbuf_add(&script, "#!/bin/sh\n");
	put_checker(checker, directory, library, &script);
	strbuf_addf(&script, " '%s' \"$@\"\n", config_get(c, "core", "runner"));
	strbuf_addf(option, "core.runner=%s/runner", directory);
	if (script.error || option->error)
		return out_of_memory(err);
	return file_write(option->text + strlen("core.runner="), script.text, script.len,
			  0700, false, err);
}

/* Lines of reports start with ==PID==, those of warnings about valgrind itself do not. */
static bool has_report(enum plugin_checker checker, const char *text)
{
	return checker == CHECKER_ASAN || strncmp(text, "==", 2) == 0 ||
	       strstr(text, "\n==");
}

static bool print_log(enum plugin_checker checker, const char *directory,
		      const char *name)
{
	AUTO(free) char *path = path_join(directory, name);
	AUTO(free) char *text = NULL;
	size_t len;

	if (!path || file_read(path, LOG_MAX, &text, &len, NULL) ||
	    !has_report(checker, text))
		return false;
	test_print_comment("report", text, test_trimmed(text, len));
	return true;
}

bool checker_print_logs(enum plugin_checker checker, const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *entry;
	bool found = false;

	while (d && (entry = readdir(d)))
		if (strncmp(entry->d_name, "checker.", strlen("checker.")) == 0)
			found |= print_log(checker, directory, entry->d_name);
	if (d)
		closedir(d);
	return found;
}
