/* SPDX-License-Identifier: MIT
 *
 * run-result.c - the result of a call of the shell tool: the output since the last call,
 * the state of the shell and the notes. */
#include "run-internal.h"
#include "clock.h"
#include "files.h"
#include "keys.h"
#include "line-cut.h"
#include "output.h"
#include "prompt.h"
#include "screen.h"
#include "session.h"
#include "space.h"
#include "utf8.h"
#include <pwd.h>
#include <signal.h>
#include <string.h>

void run_result_clear(struct run_result *result)
{
	strbuf_clear(&result->content);
	strbuf_clear(&result->prefix);
	strbuf_clear(&result->suffix);
	free(result->username);
	free(result->hostname);
	free(result->directory);
	free(result->python);
}

static void find_user(struct run *r, long uid)
{
	char space[4096];
	struct passwd entry, *found = NULL;

	if (uid == r->uid && r->username)
		return;
	free(r->username);
	r->username = NULL;
	r->uid = uid;
	if (getpwuid_r((uid_t)uid, &entry, space, sizeof space, &found) == 0 && found)
		r->username = strdup(found->pw_name);
	else if (asprintf(&r->username, "%ld", uid) < 0)
		r->username = NULL;
}

static char *run_result_copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Save the shell's directory for the next shell, and report it. `key`: last control key
 * typed, or 0. */
static void run_fill(struct run *r, char key, struct run_result *ret)
{
	const struct session_status *st = session_status(r->session);

	ret->ended = true;
	ret->exit_code = st->exit_code;
	if (key == 'z' && st->exit_code == 128 + SIGINT)
		ret->exit_code = 128 + SIGTSTP; /* bash breaks its loops the same way */
	ret->pid = st->job;
	find_user(r, st->uid);
	ret->username = run_result_copy(r->username);
	ret->hostname = run_result_copy(r->hostname);
	ret->directory = run_result_copy(st->directory);
	ret->python = path_find_program(st->path, "python");
	if (!ret->python)
		ret->python = path_find_program(st->path, "python3");
	free(r->directory);
	r->directory = run_result_copy(st->directory);
}

/* ---- texts --------------------------------------------------------------- */

size_t run_blank_start(const char *text, size_t len)
{
	size_t start = 0;

	for (size_t i = 0; i < len && space_is(text[i]); i++)
		if (text[i] == '\n')
			start = i + 1;
	return start;
}

/* Convert terminal text to valid UTF-8, and adjust `gap`, an offset in it. */
static int clean_text(const struct strbuf *raw, size_t *gap, struct strbuf *clean)
{
	size_t first = *gap < raw->len ? *gap : raw->len;

	utf8_add_clean(clean, raw->text, first);
	*gap = clean->len;
	utf8_add_clean(clean, raw->text + first, raw->len - first);
	space_trim_buffer(clean);
	return raw->error ? raw->error : clean->error;
}

int run_take_content(struct run *r, bool end, const struct run_call *call, bool echo,
		     struct run_result *ret)
{
	AUTO(strbuf) struct strbuf raw = STRBUF(RUN_TEXT_MAX),
				   clean = STRBUF(RUN_TEXT_MAX * 3);
	struct screen_gap gap;

	screen_take(r->screen, end, &raw);
	gap = screen_gap(r->screen);
	if (clean_text(&raw, &gap.at, &clean))
		return MT_ENOMEM;
	const char *text = clean.text;
	size_t len = clean.len, blank = run_blank_start(text, len);

	if (echo)
		prompt_strip_echo(&text, &len, call->command, call->len);
	else
		text += blank, len -= blank;
	if (r->config.style == RUN_STYLE_V0)
		return output_cut(text, len, OUTPUT_CHARS, &ret->content, &ret->cut);
	size_t stripped = (size_t)(text - clean.text);
	const struct line_cut cut = {
		.text = text, .len = len,
		.gap = gap.at > stripped ? gap.at - stripped : 0,
		.lost_bytes = gap.lost_bytes, .lost_lines = gap.lost_lines,
		.chars_max = RUN_CHARS, .line_max = RUN_LINE_CHARS,
		.full = r->config.full_output, .arg = r->config.arg,
	};

	return line_cut(&cut, &ret->content, &ret->cut);
}

void run_say_new_shell(struct run *r, struct run_result *ret)
{
	const char *directory = session_status(r->session)->directory;

	if (!r->is_new)
		return;
	r->is_new = false;
	strbuf_addf(&ret->prefix,
		    "[This is a new shell%s%s: the previous one exited. Its "
		    "variables, functions and jobs are lost.]\n",
		    directory ? " in " : "", directory ? directory : "");
	told_is_news(&r->told.directory, directory);
}

static void run_result_put_news(struct run *r, const struct run_result *ret,
				struct note *note)
{
	const char *path =
		r->config.told_file ? r->config.told_file(r->config.arg) : NULL;

	told_load(&r->told, path, r->config.directory);
	if (told_is_news(&r->told.directory, ret->directory))
		note->directory = ret->directory;
	if (told_is_news(&r->told.python, ret->python))
		note->python = ret->python;
	if (note->directory || note->python)
		told_save(&r->told, path);
}

int run_finish(struct run *r, const struct run_call *call, bool echo, bool is_continued,
	       bool shell_died, struct run_result *ret)
{
	char key = call->is_input ? key_ctrl(call->command, call->len) : 0;
	const char *codes = session_status(r->session)->pipeline;
	struct note note = {
		.state = shell_died ? NOTE_SHELL_EXITED : NOTE_COMPLETED, .key = key,
		.runs_ms = clock_ms() - r->began, .is_continued = is_continued,
		.exit_code_always = r->config.exit_code_always, .pipeline = &r->pipeline,
		.codes = codes && !shell_died ? codes : "",
	};
	int status;

	r->busy = false;
	run_fill(r, key, ret);
	status = run_take_content(r, true, call, echo, ret);
	if (r->config.style == RUN_STYLE_BRIEF)
		run_result_put_news(r, ret, &note);
	notes_put(r->config.style, &note, ret);
	return status;
}

int run_report_unfinished(struct run *r, const struct run_call *call, bool echo,
			  struct note *note, struct run_result *ret)
{
	int status = run_take_content(r, false, call, echo, ret);

	r->busy = true;
	note->runs_ms = clock_ms() - r->began;
	r->asked = note->state == NOTE_WAITS ? clock_ms() : 0;
	ret->moved = note->job > 0;
	notes_put(r->config.style, note, ret);
	return status;
}
