/* SPDX-License-Identifier: MIT
 *
 * escape.c - makes the attempts of `mortise sandbox verify` under any sandbox.
 *
 *   escape [--floods] [--failed] LAUNCHER [ARGUMENT]...
 *
 * LAUNCHER runs the program and the arguments that are appended, in its sandbox, in the
 * current directory, and passes standard output on. Each attempt is printed as a line of a
 * Markdown table; with --failed, only the names of those that succeeded or were not made.
 * With --floods, also those that limits refuse, each in a sandbox of its own. A line
 * `limit: TEXT` that the launcher prints names what ended the sandbox. */
#include "auto.h"
#include "files.h"
#include "sandbox/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { ARGUMENTS_MAX = 64 };
static const char *const inside_word = "--inside";
static char self[PATH_MAX];

struct run {
	struct escape_targets targets;
	struct escape_result results[ESCAPE_MAX];
	char limits[ESCAPE_MAX][200]; /* what ended the sandbox of a flood */
	char **launcher;
	bool floods, failed;
};

/* ---- inside ----------------------------------------------------------------- */

/* --inside DIR PORT ADDRESS ABSTRACT VICTIM FLOOD; FLOOD -1: all but floods */
static int inside(char **argv)
{
	struct escape_targets t = { .port = (int)strtol(argv[1], NULL, 10),
				    .address = (in_addr_t)strtoul(argv[2], NULL, 10),
				    .victim = (pid_t)strtol(argv[4], NULL, 10) };
	long flood = strtol(argv[5], NULL, 10);

	snprintf(t.dir, sizeof t.dir, "%s", argv[0]);
	snprintf(t.abstract, sizeof t.abstract, "%s", argv[3]);
	if (flood >= 0 && (size_t)flood < escape_count()) {
		escape_attempt((size_t)flood, &t, STDOUT_FILENO);
		return 0;
	}
	for (size_t i = 0; i < escape_count(); i++)
		if (!(escape_kind(i) & ESCAPE_FLOOD))
			escape_attempt(i, &t, STDOUT_FILENO);
	return 0;
}

/* ---- outside ---------------------------------------------------------------- */

static void launch(const struct run *r, long flood, int output)
{
	char numbers[4][32];
	char *argv[ARGUMENTS_MAX + 10];
	size_t n = 0;

	snprintf(numbers[0], sizeof numbers[0], "%d", r->targets.port);
	snprintf(numbers[1], sizeof numbers[1], "%u", (unsigned)r->targets.address);
	snprintf(numbers[2], sizeof numbers[2], "%d", (int)r->targets.victim);
	snprintf(numbers[3], sizeof numbers[3], "%ld", flood);
	while (r->launcher[n] && n < ARGUMENTS_MAX) {
		argv[n] = r->launcher[n];
		n++;
	}
	argv[n++] = self;
	argv[n++] = (char *)(uintptr_t)inside_word;
	argv[n++] = (char *)(uintptr_t)r->targets.dir;
	argv[n++] = numbers[0];
	argv[n++] = numbers[1];
	argv[n++] = (char *)(uintptr_t)r->targets.abstract;
	argv[n++] = numbers[2];
	argv[n++] = numbers[3];
	argv[n] = NULL;
	dup2(output, STDOUT_FILENO);
	/* A flood of output would fill the logs of tests. */
	if (flood >= 0)
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
	execvp(argv[0], argv);
	fprintf(stderr, "escape: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Runs the launcher, and reads results. */
static int run_launcher(struct run *r, long flood)
{
	char line[256];
	int ends[2];
	FILE *in;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return MT_EIO;
	pid = fork();
	if (pid == 0)
		launch(r, flood, ends[1]);
	close(ends[1]);
	in = fdopen(ends[0], "r");
	if (!in)
		return MT_ENOMEM;
	while (fgets(line, sizeof line, in)) {
		escape_read(line, r->results);
		if (flood >= 0 && strncmp(line, "limit: ", 7) == 0)
			snprintf(r->limits[flood], sizeof r->limits[flood], "%.*s",
				 (int)strcspn(line + 7, "\n"), line + 7);
	}
	fclose(in);
	waitpid(pid, NULL, 0);
	return MT_OK;
}

static void print_row(const struct run *r, size_t i)
{
	struct escape_result result = r->results[i];
	const char *reason = escape_reason(&result);

	/* The sandbox was ended, which had worked before. */
	if (*r->limits[i] ||
	    (escape_kind(i) & ESCAPE_FLOOD && result.outcome == ESCAPE_NOT_TRIED &&
	     r->results[0].outcome != ESCAPE_NOT_TRIED)) {
		result.outcome = ESCAPE_REFUSED;
		reason = *r->limits[i] ? r->limits[i] : "the sandbox was ended";
	}
	if (!r->failed)
		printf("| %s | %s | %s |\n", escape_name(i), escape_outcome_text(&result),
		       reason);
	else if (result.outcome == ESCAPE_SUCCEEDED || result.outcome == ESCAPE_NOT_TRIED)
		printf("%s\n", escape_name(i));
}

static int outside(struct run *r)
{
	struct error err = ERROR_NONE;
	AUTO(free) char *base = NULL;
	char dir[PATH_MAX];
	int status = paths_xdg_dir("STATE", true, &base, &err);

	if (!status && snprintf(dir, sizeof dir, "%s/escape-%d", base, (int)getpid()) < 0)
		status = MT_EIO;
	if (!status)
		status = escape_open(&r->targets, dir, &err);
	if (!status)
		status = run_launcher(r, -1);
	if (!status)
		escape_check(&r->targets, r->results);
	for (size_t i = 0; !status && r->floods && i < escape_count(); i++)
		if (escape_kind(i) & ESCAPE_FLOOD)
			status = run_launcher(r, (long)i);
	escape_close(&r->targets);
	if (status)
		fprintf(stderr, "escape: %s\n", err.text);
	if (!status && !r->failed)
		printf("| attempt | result | by |\n|---|---|---|\n");
	for (size_t i = 0; !status && i < escape_count(); i++)
		if (r->floods || !(escape_kind(i) & ESCAPE_FLOOD))
			print_row(r, i);
	return status ? 1 : 0;
}

int main(int argc, char **argv)
{
	static struct run r = { .targets = { .victim = -1 } };
	int at = 1;

	if (argc == 8 && strcmp(argv[1], inside_word) == 0)
		return inside(argv + 2);
	for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
		r.floods |= strcmp(argv[at], "--floods") == 0;
		r.failed |= strcmp(argv[at], "--failed") == 0;
	}
	if (at >= argc || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return 2;
	r.launcher = argv + at;
	return outside(&r);
}
