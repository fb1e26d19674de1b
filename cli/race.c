/* SPDX-License-Identifier: MIT
 *
 * race.c - `mortise race`: continues a conversation several times at once, each in an
 * overlay of its own, until a command succeeds in one of them. */
#include "commands.h"

#include "auto.h"
#include "clock.h"
#include "conversation/conversation.h"
#include "conversation/fork.h"
#include "files.h"
#include "strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	RUNNERS_MAX = 32,
	RUNNERS = 3,
	ARGUMENTS_MAX = 600,
	STOP_MS = 10000, /* until those that do not stop are killed */
	LOOK_MS = 20,
};

struct arguments {
	struct common common;
	const char *id, *until, *task;
	int64_t count, at;
};

static const struct flag flags[] = {
	FLAG('n', "copies", "N", "number of copies (default: 3)",
	     STORE(FLAG_NUMBER, struct arguments, count), .max = RUNNERS_MAX,
	     .expected = "2 to 32"),
	FLAG(0, "until", "CMD", "command that must succeed; required",
	     STORE(FLAG_TEXT, struct arguments, until)),
	FLAG(0, "at", "EVENT", "last event that the copies have (default: all)",
	     STORE(FLAG_NUMBER, struct arguments, at), .expected = "an event id"),
	FLAG('t', "task", "TEXT", "message to each copy (default: to make CMD succeed)",
	     STORE(FLAG_TEXT, struct arguments, task)),
	{ 0 },
};

struct race_copy {
	char *id, *log;
	pid_t pid;             /* 0: it has ended */
};

struct race {
	const struct arguments *a;
	struct config *config;
	struct race_copy copies[RUNNERS_MAX];
	size_t count;
};

/* ---- copies ---------------------------------------------------------------------- */

static int race_fork(struct race *r, const char *id, struct error *err)
{
	struct race_copy *copy = &r->copies[r->count];
	const struct fork_options o = { .id = id, .at = r->a->at };
	AUTO(free) char *dir = NULL;
	int64_t end;

	if (conversation_fork(r->config, &o, &copy->id, &end, err))
		return err->code;
	r->count++;
	dir = conversation_dir(r->config, copy->id, err);
	if (!dir)
		return err->code;
	copy->log = path_join(dir, "race.log");
	return copy->log ? MT_OK : out_of_memory(err);
}

static int race_fork_all(struct race *r, struct error *err)
{
	AUTO(free) char *id = conversation_find(r->config, r->a->id, err);

	if (!id)
		return err->code;
	for (int64_t i = 0; i < r->a->count; i++)
		if (race_fork(r, id, err))
			return err->code;
	return MT_OK;
}

/* ---- processes ------------------------------------------------------------------- */

static _Noreturn void race_execute(const struct race *r, const struct race_copy *copy,
				   pid_t parent)
{
	AUTO(strbuf) struct strbuf until = STRBUF(1 << 16), task = STRBUF(1 << 20);
	AUTO(free) char *self = realpath("/proc/self/exe", NULL);
	const char *argv[ARGUMENTS_MAX] = { "mortise", "resume", copy->id };
	size_t n = 3;
	int log = open(copy->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	strbuf_addf(&until, "controller.until=%s", r->a->until);
	if (r->a->task)
		strbuf_add(&task, r->a->task);
	else
		strbuf_addf(&task, "Make this command succeed: %s", r->a->until);
	for (size_t i = 0; i < r->a->common.override_count; i++) {
		argv[n++] = "-o";
		argv[n++] = r->a->common.overrides[i];
	}
	if (r->a->common.file) {
		argv[n++] = "--config";
		argv[n++] = r->a->common.file;
	}
	argv[n++] = "-o";
	argv[n++] = until.text;
	argv[n++] = "-o";
	argv[n++] = "workspace.workspace=overlay";
	argv[n++] = "-t";
	argv[n++] = task.text;
	if (!self || until.error || task.error || log < 0 || null < 0 ||
	    dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0 ||
	    getppid() != parent)
		_exit(EXIT_FAILED);
	execv(self, (char **)(uintptr_t)argv);
	_exit(EXIT_FAILED);
}

static int race_start_all(struct race *r, struct error *err)
{
	pid_t parent = getpid();

	fflush(stdout);
	for (size_t i = 0; i < r->count; i++) {
		pid_t pid = fork();

		if (pid == 0)
			race_execute(r, &r->copies[i], parent);
		if (pid < 0)
			return fail(err, MT_EIO, "cannot start a process: %s",
				    strerror(errno));
		r->copies[i].pid = pid;
		fprintf(stderr, "mortise: started %s\n", r->copies[i].id);
	}
	return MT_OK;
}

static struct race_copy *race_ended(struct race *r, pid_t pid)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->copies[i].pid == pid) {
			r->copies[i].pid = 0;
			return &r->copies[i];
		}
	return NULL;
}

/* The first that succeeds; NULL: none. */
static const struct race_copy *race_wait(struct race *r)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, 0)) > 0 || (pid < 0 && errno == EINTR)) {
		const struct race_copy *copy = race_ended(r, pid);

		if (!copy)
			continue;
		if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONE)
			return copy;
		fprintf(stderr,
			"mortise: %s did not make the command succeed (%s %d); see %s\n",
			copy->id, WIFEXITED(status) ? "exit code" : "signal",
			WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
			copy->log);
	}
	return NULL;
}

static bool race_signal(const struct race *r, int signal)
{
	bool any = false;

	for (size_t i = 0; i < r->count; i++)
		if (r->copies[i].pid) {
			kill(r->copies[i].pid, signal);
			any = true;
		}
	return any;
}

/* Their runners, tools and mounts end with them. */
static void race_stop(struct race *r)
{
	int64_t until = clock_ms() + STOP_MS;
	bool any = race_signal(r, SIGTERM);
	pid_t pid;

	while (any && clock_ms() < until) {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			race_ended(r, pid);
		any = race_signal(r, 0);
		if (any)
			usleep(LOOK_MS * 1000);
	}
	if (any && race_signal(r, SIGKILL))
		while ((pid = waitpid(-1, NULL, 0)) > 0)
			race_ended(r, pid);
}

/* ---- the command ----------------------------------------------------------------- */

static int race_now(struct race *r, struct error *err)
{
	const struct race_copy *winner = NULL;

	if (common_config(&r->a->common, &r->config, err) || race_fork_all(r, err))
		return EXIT_USAGE;
	if (race_start_all(r, err) == MT_OK)
		winner = race_wait(r);
	race_stop(r);
	if (err->code)
		return EXIT_FAILED;
	if (!winner) {
		fail(err, MT_ENOTFOUND, "`%.200s` did not succeed in any copy",
		     r->a->until);
		return EXIT_FAILED;
	}
	puts(winner->id);
	fprintf(stderr,
		"mortise: the command succeeds in %s; `mortise diff %s` shows its changes, "
		"and `mortise apply %s` copies them to the workspace\n",
		winner->id, winner->id, winner->id);
	return EXIT_DONE;
}

static int race_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { .count = RUNNERS, .at = -1 };
	struct race r = { .a = &a };
	struct error err = ERROR_NONE;
	int index, code;
	enum flags_status f = flags_parse(self, argc, argv, &index, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	if (index + 1 < argc)
		return command_misused(self, "more than one conversation given");
	if (!a.until)
		return command_misused(self, "--until is missing");
	if (a.count < 2)
		return command_misused(self, "-n is less than 2");
	a.id = index < argc ? argv[index] : "last";
	code = race_now(&r, &err);
	if (code)
		code = command_report(code, &err);
	for (size_t i = 0; i < r.count; i++) {
		free(r.copies[i].id);
		free(r.copies[i].log);
	}
	config_free(r.config);
	return code;
}

const struct command command_race = {
	.name = "race",
	.args = "[ID] --until CMD",
	.summary = "Run copies of a conversation until a command succeeds",
	.details =
		"Copies the conversation (default: the most recent) N times. Each copy works\n"
		"in an overlay of the workspace, which is not changed, until CMD succeeds there.\n"
		"The first wins, and the others are stopped. Prints the ID of the winner, for\n"
		"`mortise apply`. Exit code 1 if none succeeds.",
	.flags = flags,
	.run = race_run,
};
