/* SPDX-License-Identifier: MIT
 *
 * bisect.c - `mortise bisect`: finds the step after which a command fails, by restoring
 * the states between the steps. No model is queried. */
#include "workspace.h"

#include "array.h"
#include "events/evlog.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct arguments {
	struct common common;
	const char *id, *test;
	bool json;
};

static const struct flag flags[] = {
	FLAG('t', "test", "CMD", "test command for /bin/sh; exit code 0: good",
	     STORE(FLAG_TEXT, struct arguments, test)),
	FLAG('j', "json", NULL, "print a JSON object",
	     STORE(FLAG_TRUE, struct arguments, json)),
	{ 0 },
};

/* A state of the workspace, and the call that was made in it. */
struct state {
	int64_t action;        /* -1: none, the last state */
	unsigned char root[SHA256_BYTES];
};

struct bisection {
	struct workspace *w;
	const struct arguments *a;
	struct state *states;
	size_t count, room, runs;
};

/* ---- the states ------------------------------------------------------------------ */

static int bisect_add(struct bisection *b, int64_t action, const unsigned char *root,
		      struct error *err)
{
	if (ARRAY_GROW(b->states, &b->room, b->count + 1, ARRAY_MAX))
		return out_of_memory(err);
	b->states[b->count].action = action;
	memcpy(b->states[b->count++].root, root, SHA256_BYTES);
	return MT_OK;
}

/* The states before the calls that are not reverted, and the present one. */
static int bisect_collect(struct bisection *b, const unsigned char *now,
			  struct error *err)
{
	const struct snapshot_entry *e;
	int r = MT_OK;

	for (size_t i = 0; !r && (e = snapshot_at(b->w->store, i)); i++) {
		const struct evlog_head *head = evlog_head(b->w->log, e->event);

		if (e->kind == SNAPSHOT_STEP && head && !head->undone)
			r = bisect_add(b, e->event, e->root, err);
	}
	if (!r && !b->count)
		r = fail(err, MT_ENOTFOUND, "the conversation has no step to test");
	return r ? r : bisect_add(b, -1, now, err);
}

/* ---- one test ---------------------------------------------------------------------- */

/* Interrupting the command ends the search. */
static int bisect_command(const struct bisection *b, bool *ret_good, struct error *err)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		if ((!b->w->overlay_dir ||
		     overlay_enter(&b->w->overlay, NULL) == MT_OK) &&
		    chdir(b->w->path) == 0)
			execl("/bin/sh", "sh", "-c", b->a->test, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		return fail(err, MT_EIO, "cannot run the test: %s", strerror(errno));
	if (WIFSIGNALED(status))
		return fail(err, MT_ECANCELLED, "the test was ended by signal %d (%s)",
			    WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) == 127)
		return fail(err, MT_EINVAL, "cannot run the test: exit code 127");
	*ret_good = WEXITSTATUS(status) == 0;
	return MT_OK;
}

static int bisect_restore(const struct bisection *b, const unsigned char *root,
			  struct error *err)
{
	struct snapshot_state now = { 0 };
	struct snapshot_report report = { 0 };
	int r = snapshot_make(b->w->store, &now, err);

	if (!r)
		r = snapshot_restore(b->w->store, now.root, root, &report, err);
	if (!r && report.problems.count)
		r = fail(err, MT_EIO, "cannot restore %s", report.problems.list[0]);
	snapshot_names_clear(&report.problems);
	snapshot_state_clear(&now);
	return r;
}

static int bisect_try(struct bisection *b, size_t n, bool *ret_good, struct error *err)
{
	int64_t action = b->states[n].action;
	int r = bisect_restore(b, b->states[n].root, err);

	if (!r)
		r = bisect_command(b, ret_good, err);
	b->runs++;
	if (r)
		return r;
	if (action < 0)
		fprintf(stderr, "mortise: present state: %s\n",
			*ret_good ? "good" : "bad");
	else
		fprintf(stderr, "mortise: before event %" PRId64 ": %s\n", action,
			*ret_good ? "good" : "bad");
	return MT_OK;
}

/* ---- the search ---------------------------------------------------------------------- */

/* @param ret_step the last state that is good */
static int bisect_search(struct bisection *b, size_t *ret_step, struct error *err)
{
	size_t good = 0, bad = b->count - 1;
	bool is_good = false;

	if (bisect_try(b, bad, &is_good, err))
		return err->code;
	if (is_good)
		return fail(err, MT_EINVAL, "the test succeeds in the present state");
	if (bisect_try(b, good, &is_good, err))
		return err->code;
	if (!is_good)
		return fail(err, MT_EINVAL, "the test fails before the first step");
	while (bad - good > 1) {
		size_t middle = good + (bad - good) / 2;

		if (bisect_try(b, middle, &is_good, err))
			return err->code;
		*(is_good ? &good : &bad) = middle;
	}
	*ret_step = good;
	return MT_OK;
}

static int bisect_print(const struct bisection *b, size_t step, struct error *err)
{
	int64_t id = b->states[step].action;
	AUTO(event) struct event *e = evlog_event(b->w->log, id, err);
	AUTO(json) json_object *o = js_new_object();
	const char *text;
	size_t len;

	if (!e)
		return err->code;
	text = js_str(e->json, "message", "");
	if (!b->a->json) {
		printf("The test fails after event %" PRId64 ": ", id);
		command_write(stdout, text, strlen(text));
		printf("\nTo see its changes: mortise apply %s --step %" PRId64
		       " && mortise diff %s --step %" PRId64 "\n",
		       b->w->id, id, b->w->id, id - 1);
		return MT_OK;
	}
	js_set_int(o, "event", id);
	js_set_str(o, "message", text);
	js_set_int(o, "runs", (int64_t)b->runs);
	text = js_text(o, &len);
	puts(text ? text : "{}");
	return MT_OK;
}

/* The present state is in the index while others are restored, and is restored at the
 * end. */
static int bisect_now(struct bisection *b, struct error *err)
{
	struct snapshot_state now = { 0 };
	struct error why = ERROR_NONE;
	size_t step = 0;
	int64_t kept;
	int r = b->w->store
			? snapshot_make(b->w->store, &now, err)
			: fail(err, MT_ENOTFOUND, "the conversation has no snapshots");

	if (!r)
		r = bisect_collect(b, now.root, err);
	if (r) {
		snapshot_state_clear(&now);
		return r;
	}
	kept = snapshot_keep(b->w->store, SNAPSHOT_UNDO, evlog_count(b->w->log), now.root,
			     err);
	r = kept < 0 ? (int)kept : bisect_search(b, &step, err);
	if (kept >= 0 && bisect_restore(b, now.root, &why))
		fprintf(stderr, "mortise: the present state was not restored: %s\n",
			why.text);
	snapshot_state_clear(&now);
	return r          ? r
	       : why.code ? fail(err, why.code, "%s", why.text)
			  : bisect_print(b, step, err);
}

static int bisect_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { .id = "last" };
	AUTO(workspace) struct workspace w = { .overlay = OVERLAY_NONE };
	struct bisection b = { .w = &w, .a = &a };
	struct error err = ERROR_NONE;
	int code;
	enum flags_status f = flags_parse_id(self, argc, argv, &a.id, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	if (!a.test)
		return command_misused(self, "--test is missing");
	code = workspace_open(&a.common, a.id, true, &w);
	if (code)
		return code;
	signal(SIGINT, SIG_IGN);
	if (bisect_now(&b, &err))
		code = command_report(EXIT_FAILED, &err);
	free(b.states);
	return code;
}

const struct command command_bisect = {
	.name = "bisect",
	.args = "[ID] --test CMD",
	.summary = "Find the step after which a command fails",
	.details = "Restores states between the steps of the conversation (default: the most "
		   "recent)\nby binary search, and runs CMD in the workspace. It must succeed "
		   "before the\nfirst step and fail now. Then the present state is restored. "
		   "No model is\nqueried. The conversation must not be open.",
	.flags = flags,
	.run = bisect_run,
};
