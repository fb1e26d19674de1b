/* SPDX-License-Identifier: MIT
 *
 * ffi.c - `mortise ffi check FILE`: checks declared C functions against their
 * libraries, without calling them. */
#include "commands.h"
#include "files.h"
#include "function-ini.h"
#include "ini.h"
#include "js.h"
#include "tools/ffi-tools.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { LOAD_SECONDS = 10 };

static const struct flag flags[] = { { 0 } };

/* The text of one section in the file. */
struct section {
	const char *path, *name;
	struct function_line *lines;
	unsigned *numbers;       /* of the lines */
	size_t count;
	unsigned number;         /* of the section's own line */
	size_t faults;
};

static void cli_ffi_on_fault(void *arg, size_t n, const char *sentence)
{
	struct section *s = arg;

	s->faults++;
	if (n < s->count)
		printf("%s:%u: [%s] %s: %s\n", s->path, s->numbers[n], s->name,
		       s->lines[n].key, sentence);
	else
		printf("%s:%u: [%s] %s\n", s->path, s->number, s->name, sentence);
}

/* ---- the library, opened in a child ---------------------------------------------- */

static void cli_ffi_limit(int what, rlim_t most)
{
	setrlimit(what, &(struct rlimit){ most, most });
}

/* In the child: prints "N REASON" for each missing function; if the library cannot be
 * loaded, N is the number of functions. */
static _Noreturn void cli_ffi_look(const struct functions *f, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	void *library;

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	cli_ffi_limit(RLIMIT_CPU, LOAD_SECONDS);
	cli_ffi_limit(RLIMIT_CORE, 0);
	cli_ffi_limit(RLIMIT_FSIZE, 0);
	alarm(LOAD_SECONDS);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		_exit(126);
	library = dlopen(f->library, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		dprintf(out, "%zu %s\n", f->count, dlerror());
		_exit(0);
	}
	for (size_t n = 0; n < f->count; n++)
		if (!dlsym(library, f->list[n].symbol))
			dprintf(out,
				"%zu %s does not export function %s; `nm -D "
				"--defined-only` lists its functions\n",
				n, f->library, f->list[n].symbol);
	_exit(0);
}

static void read_findings(FILE *in, const struct functions *f, struct section *s)
{
	char line[1024];

	while (fgets(line, sizeof line, in)) {
		char *reason;
		size_t n = (size_t)strtoul(line, &reason, 10);

		reason[strcspn(reason, "\n")] = '\0';
		reason += *reason == ' ';
		cli_ffi_on_fault(s, n < f->count ? f->list[n].line : f->library_line,
				 reason);
	}
}

static int try_library(const struct functions *f, struct section *s, struct error *err)
{
	int ends[2], status = 0;
	AUTO(fclose) FILE *in = NULL;
	char sentence[200];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return fail(err, MT_EIO, "cannot create a pipe: %s", strerror(errno));
	fflush(stdout);
	child = fork();
	if (child == 0)
		cli_ffi_look(f, ends[1]);
	close(ends[1]);
	in = fdopen(ends[0], "r");
	if (!in)
		close(ends[0]);
	else if (child > 0)
		read_findings(in, f, s);
	if (child < 0 || !in)
		return fail(err, MT_EIO, "cannot start a process: %s", strerror(errno));
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return MT_OK;
	snprintf(sentence, sizeof sentence,
		 "%.100s terminated the process that loaded "
		 "it (%s %d)",
		 f->library, WIFSIGNALED(status) ? "signal" : "exit status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	cli_ffi_on_fault(s, f->library_line, sentence);
	return MT_OK;
}

/* ---- the file -------------------------------------------------------------------- */

static int check_section(struct section *s, size_t *functions, struct error *err)
{
	struct functions f = { 0 };
	struct error unsafe = ERROR_NONE;
	int status = functions_read(s->lines, s->count, &f, cli_ffi_on_fault, s);

	if (!status && *f.library == '/' && !path_is_safe(f.library, &unsafe))
		cli_ffi_on_fault(s, f.library_line, unsafe.text);
	else if (!status)
		status = try_library(&f, s, err);
	*functions += f.count;
	functions_clear(&f);
	return status == MT_EINVAL ? MT_OK : status; /* already reported */
}

static bool cli_ffi_is_ours(const struct ini *ini, const char *section)
{
	for (size_t i = 0; i < ini->count; i++)
		if (strcmp(ini->entries[i].section, section) == 0 &&
		    strcmp(ini->entries[i].key, "plugin") == 0)
			return strcmp(ini->entries[i].value, FFI_TOOLSET) == 0;
	return strcmp(section, "tool." FFI_TOOLSET) == 0;
}

/* The configuration also rejects repeated keys. */
static void find_repeated(struct section *s)
{
	char sentence[100];

	for (size_t n = 0; n < s->count; n++)
		for (size_t k = 0; k < n; k++)
			if (strcmp(s->lines[k].key, s->lines[n].key) == 0) {
				snprintf(sentence, sizeof sentence,
					 "already set in line %u", s->numbers[k]);
				cli_ffi_on_fault(s, n, sentence);
				break;
			}
}

static int cli_ffi_check_one(const struct ini *ini, size_t n, const char *path,
			     size_t *faults, size_t *functions, struct error *err)
{
	AUTO(free) struct function_line *lines = calloc(ini->count + 1, sizeof *lines);
	AUTO(free) unsigned *numbers = calloc(ini->count + 1, sizeof *numbers);
	struct section s = { .path = path, .name = ini->sections[n], .lines = lines,
			     .numbers = numbers, .number = ini->section_lines[n] };
	int status;

	if (!lines || !numbers)
		return out_of_memory(err);
	for (size_t i = 0; i < ini->count; i++) {
		const struct ini_entry *e = &ini->entries[i];

		if (strcmp(e->section, s.name) != 0)
			continue;
		lines[s.count] = (struct function_line){ e->key, e->value };
		numbers[s.count++] = e->line;
	}
	find_repeated(&s);
	status = check_section(&s, functions, err);
	*faults += s.faults;
	return status;
}

static bool was_before(const struct ini *ini, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(ini->sections[i], ini->sections[n]) == 0)
			return true;
	return false;
}

static int ffi_check(const char *path)
{
	size_t faults = 0, functions = 0, sections = 0;
	struct error err = ERROR_NONE;
	struct ini ini = { 0 };
	int status = ini_read(path, &ini, &err);

	for (size_t n = 0; !status && n < ini.section_count; n++) {
		if (!cli_ffi_is_ours(&ini, ini.sections[n]) || was_before(&ini, n))
			continue;
		sections++;
		status = cli_ffi_check_one(&ini, n, path, &faults, &functions, &err);
	}
	ini_clear(&ini);
	if (!status && !sections)
		status = fail(&err, MT_ENOTFOUND,
			      "%s: no section [tool.NAME] with plugin = " FFI_TOOLSET,
			      path);
	if (status)
		return command_report(status == MT_ENOMEM || status == MT_EIO
					      ? EXIT_FAILED
					      : EXIT_USAGE,
				      &err);
	if (faults == 0)
		printf("%zu function%s declared and found\n", functions,
		       functions == 1 ? "" : "s");
	return faults ? EXIT_USAGE : EXIT_DONE;
}

static int ffi_run(const struct command *self, int argc, char **argv)
{
	int index;
	enum flags_status f = flags_parse(self, argc, argv, &index, NULL);

	if (f != FLAG_END)
		return flags_exit_code(f);
	if (argc - index == 2 && strcmp(argv[index], "check") == 0)
		return ffi_check(argv[index + 1]);
	return command_misused(self, "expected `check FILE`");
}

const struct command command_ffi = {
	.name = "ffi",
	.args = "check FILE",
	.summary = "Check declarations of C functions",
	.details = "Reports each invalid declaration, and each function that its library "
		   "does not\nexport, with file and line. The libraries are loaded in a "
		   "separate process; no\nfunction is called. The exit code is 2 if "
		   "there are errors.",
	.flags = flags,
	.run = ffi_run,
};
