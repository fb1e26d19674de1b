/* SPDX-License-Identifier: MIT
 *
 * sandbox-verify.c - `mortise sandbox verify`: tries to break out of the sandbox. */
#include "sandbox.h"
#include "commands.h"

#include "files.h"
#include "sandbox/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct verify {
	const struct escape_targets *targets;
	int output;
};

/* Limits do not apply here, and a namespace of processes is not part of this sandbox. */
static bool is_made(size_t i)
{
	return escape_kind(i) == 0;
}

static void attempt_all(void *arg)
{
	const struct verify *v = arg;

	for (size_t i = 0; i < escape_count(); i++)
		if (is_made(i))
			escape_attempt(i, v->targets, v->output);
	_exit(0);
}

static void print_attempt(size_t i, const struct escape_result *r, bool json)
{
	const char *reason = escape_reason(r);

	if (json) {
		AUTO(strbuf) struct strbuf out = STRBUF(1024);

		strbuf_addc(&out, '{');
		js_key_str(&out, "attempt", escape_name(i));
		js_key_str(&out, "result", escape_outcome_text(r));
		js_key_str(&out, "error", reason);
		printf("%s}\n", out.text);
		return;
	}
	printf("%-9s  %s%s%s%s\n", escape_outcome_text(r), escape_name(i),
	       *reason ? " (" : "", reason, *reason ? ")" : "");
}

static int verify_open(struct escape_targets *t, struct error *err)
{
	AUTO(free) char *base = NULL;
	AUTO(free) char *dir = NULL;
	int status = paths_xdg_dir("STATE", true, &base, err);
	char name[64];

	if (status)
		return status;
	snprintf(name, sizeof name, "verify-%d", (int)getpid());
	dir = path_join(base, name);
	return dir ? escape_open(t, dir, err) : out_of_memory(err);
}

/* Makes the attempts in the sandbox. The results fit into a pipe. */
static int verify_run(struct cli_sandbox *s, const struct escape_targets *t,
		      struct escape_result *results, struct error *err)
{
	char line[ESCAPE_LINE];
	int ends[2], status;
	FILE *in;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(err, MT_EIO, "cannot create a pipe: %s", strerror(errno));
	status = cli_sandbox_fork(s, attempt_all, &(struct verify){ t, ends[1] }, err);
	close(ends[1]);
	in = fdopen(ends[0], "r");
	if (!in) {
		close(ends[0]);
		return status < 0 ? err->code : out_of_memory(err);
	}
	while (fgets(line, sizeof line, in))
		escape_read(line, results);
	fclose(in);
	if (status < 0)
		return err->code;
	escape_check(t, results);
	return MT_OK;
}

int sandbox_verify(struct cli_sandbox *s, bool json)
{
	struct escape_targets targets = { .victim = -1 };
	struct escape_result results[ESCAPE_MAX] = { 0 };
	struct error err = ERROR_NONE;
	unsigned made = 0, failed = 0;
	int status = verify_open(&targets, &err);

	if (!status)
		status = verify_run(s, &targets, results, &err);
	escape_close(&targets);
	if (status)
		return command_report(EXIT_FAILED, &err);
	for (size_t i = 0; i < escape_count(); i++) {
		if (!is_made(i))
			continue;
		print_attempt(i, &results[i], json);
		made++;
		failed += results[i].outcome == ESCAPE_SUCCEEDED ||
			  results[i].outcome == ESCAPE_NOT_TRIED;
	}
	if (!failed)
		return EXIT_DONE;
	fail(&err, MT_EDENIED, "%u of %u attempts succeeded or were not made%s%s", failed,
	     made, *s->sandbox.state.reason ? ": " : "", s->sandbox.state.reason);
	return command_report(EXIT_FAILED, &err);
}
