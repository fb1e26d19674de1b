/* SPDX-License-Identifier: MIT
 *
 * result-notes.c - prefixes and suffixes of results, in both styles. */
#include "result-notes.h"
#include "utf8.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { QUOTE_MAX = 4096 /* of a command that was not run */,
       TIME_SHOWN_MS = 1000 /* shorter times are not stated */ };

/* ---- V0: verbatim from OpenHands, but for the hint -------------------------------- */

static const char v0_hint[] =
	"To see more of its output, send an empty command; to "
	"answer it, send text with is_input true; to stop it, send C-c (or C-d, C-z) "
	"with is_input true; to give a command more time, set timeout.";

static void put_seconds(struct strbuf *b, double seconds, bool fraction)
{
	if (fraction && seconds == floor(seconds))
		strbuf_addf(b, "%.1f", seconds);
	else
		strbuf_addf(b, "%.10g", seconds);
}

static void put_ended(const struct note *n, struct run_result *ret)
{
	struct strbuf *b = &ret->suffix;

	if (n->state == NOTE_SHELL_EXITED)
		strbuf_addf(b,
			    "%s[The shell itself exited with code %d. The next command "
			    "starts a new one.]",
			    ret->content.len ? "\n" : "", ret->exit_code);
	else if (n->key)
		strbuf_addf(b,
			    "\n[The command completed with exit code %d. "
			    "CTRL+%c was sent.]",
			    ret->exit_code, toupper(n->key));
	else
		strbuf_addf(b, "\n[The command completed with exit code %d.]",
			    ret->exit_code);
}

static void put_v0(const struct note *n, struct run_result *ret)
{
	struct strbuf *b = &ret->suffix;

	if (n->state == NOTE_COMPLETED || n->state == NOTE_SHELL_EXITED) {
		put_ended(n, ret);
		return;
	}
	if (n->is_continued)
		strbuf_add(&ret->prefix,
			   "[Below is the output of the previous command.]\n");
	if (n->state == NOTE_TIMED_OUT) {
		strbuf_add(b, "\n[The command timed out after ");
		put_seconds(b, n->seconds, true);
		strbuf_add(b, " seconds.");
	} else if (n->state == NOTE_QUIET) {
		strbuf_add(b, "\n[The command has no new output after ");
		put_seconds(b, n->seconds, false);
		strbuf_add(b, " seconds.");
	} else {
		size_t len = utf8_cut(n->command, n->len, QUOTE_MAX);

		strbuf_add(b, "\n[Your command \"");
		utf8_add_clean(b, n->command, len);
		strbuf_add(b, len < n->len ? "..." : "");
		strbuf_add(b, "\" is NOT executed. The previous command is still "
			      "running -");
	}
	strbuf_addf(b, " %s]", v0_hint);
}

/* ---- brief ------------------------------------------------------------------------ */

/* 0.4 s, 12 s, 3 min 5 s. */
static void put_time(struct strbuf *b, int64_t ms)
{
	if (ms < 10000)
		strbuf_addf(b, "%.1f s", (double)ms / 1000);
	else if (ms < 60000)
		strbuf_addf(b, "%" PRId64 " s", ms / 1000);
	else
		strbuf_addf(b, "%" PRId64 " min %" PRId64 " s", ms / 60000,
			    ms / 1000 % 60);
}

static void put_clause(struct strbuf *b, const char *name, const char *value)
{
	strbuf_addf(b, "%s%s%s", b->len ? "; " : "", name, value);
}

/* Separator that puts the note on a line of its own. */
static const char *line_break(const struct run_result *ret)
{
	return ret->content.len ? "\n" : "";
}

/* [exit code 1; took 3.2 s; directory: /work], or an empty text. */
static void put_completed(const struct note *n, struct run_result *ret)
{
	AUTO(strbuf) struct strbuf b = STRBUF(16 * 1024);

	if (ret->content.len == 0)
		put_clause(&b, "no output", "");
	if (ret->exit_code || n->exit_code_always)
		strbuf_addf(&b, "%sexit code %d", b.len ? "; " : "", ret->exit_code);
	if (n->key)
		strbuf_addf(&b, "%sCTRL+%c was sent", b.len ? "; " : "", toupper(n->key));
	pipeline_put_failures(n->pipeline, n->codes, &b);
	if (n->runs_ms >= TIME_SHOWN_MS) {
		put_clause(&b, "took ", "");
		put_time(&b, n->runs_ms);
	}
	if (n->directory)
		put_clause(&b, "directory: ", n->directory);
	if (n->python)
		put_clause(&b, "Python: ", n->python);
	if (b.len)
		strbuf_addf(&ret->suffix, "%s[%s]", line_break(ret), b.text);
}

static void put_brief(const struct note *n, struct run_result *ret)
{
	static const char more[] = " An empty command waits for more output; is_input "
				   "true sends text or a key such as C-c.]";
	static const char answer[] = " Answer with is_input true, or stop it with C-c.]";
	static const char job[] =
		" An empty command waits for it; is_input true sends it "
		"text or a key such as C-c. Other commands can run "
		"meanwhile.]";
	struct strbuf *b = &ret->suffix;

	switch (n->state) {
	case NOTE_COMPLETED:
		put_completed(n, ret);
		return;
	case NOTE_SHELL_EXITED:
		put_ended(n, ret);
		return;
	case NOTE_WAITS:
		strbuf_addf(b, "%s[The program waits for terminal input, after ",
			    line_break(ret));
		put_time(b, n->runs_ms);
		strbuf_addf(b, ".%s", answer);
		return;
	case NOTE_QUIET:
		strbuf_addf(b, "%s[Still running after ", line_break(ret));
		put_time(b, n->runs_ms);
		strbuf_add(b, ", without output in the last ");
		put_time(b, (int64_t)(n->seconds * 1000));
		break;
	case NOTE_REFUSED:
		strbuf_add(&ret->prefix, "[Output of the previous command:]\n");
		strbuf_addf(b,
			    "%s[Your command was not run: the previous command is still "
			    "running after ",
			    line_break(ret));
		put_time(b, n->runs_ms);
		break;
	case NOTE_TIMED_OUT:
	case NOTE_STATES:
		strbuf_addf(b, "%s[Still running after ", line_break(ret));
		put_time(b, n->runs_ms);
		break;
	}
	if (n->job && n->was_job) {
		strbuf_addf(b, ", as job %" PRId64 ". An empty command waits on.]",
			    n->job);
		return;
	}
	if (n->job)
		strbuf_addf(b,
			    ", now as job %" PRId64
			    " in the background; its output is in %s",
			    n->job, n->job_log);
	strbuf_addf(b, ".%s", n->job ? job : more);
}

void notes_put(enum run_style style, const struct note *n, struct run_result *ret)
{
	if (style == RUN_STYLE_V0)
		put_v0(n, ret);
	else
		put_brief(n, ret);
}
