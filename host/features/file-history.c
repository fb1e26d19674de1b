/* SPDX-License-Identifier: MIT
 *
 * file-history.c - records which files the agent has seen other than with the editor,
 * and which of its calls was running when a file was last changed. Answers the
 * request "file/history" of tools. Tells the agent which of the files that it has
 * read or written were changed by someone else. A change counts as the agent's if the
 * time of the file lies within a call of a tool that may write. */
#include "features/file-history.h"
#include "controller/call.h"
#include "controller/feature-api.h"
#include "controller/overlay.h"
#include "controller/turn.h"
#include "features/context-recall.h"
#include "features/observation-note.h"
#include "features/replay-internal.h"
#include "files.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
	CALLS_MAX = 64,        /* the newest calls */
	EVENTS_MAX = 2000,     /* the newest events, which are searched */
	COMMAND_SHOWN = 80,    /* bytes */
	FILES_MAX = 64,        /* the files read most recently */
	NAMES_SHOWN = 5,       /* of changed files */
};

struct span {
	int64_t action;
	int64_t from_ms, to_ms; /* wall clock; to_ms 0: it has no result yet */
	char text[160];
};

/* A file as the agent knows it. */
struct known_file {
	char *path;            /* NULL: none */
	bool changed;          /* changed by someone else before a call; not reported
			        * yet */
	struct timespec written;
	off_t size;
};

struct file_history {
	struct span calls[CALLS_MAX]; /* a ring */
	size_t next;
	struct known_file files[FILES_MAX]; /* also a ring */
	size_t next_file;
};

static int64_t ms_of(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A file that is written from now on cannot get an earlier time: the kernel uses the
 * time of the last tick. */
static int64_t begin_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME_COARSE, &t);
	return ms_of(t);
}

/* A file that was written before now cannot have a later time. It may have the exact
 * time, since Linux 6.13. */
static int64_t end_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return ms_of(t);
}

/* ---- calls -------------------------------------------------------------- */

static void file_history_describe(struct span *s, const struct event *action,
				  const struct tool *tool)
{
	const char *command = event_arg(action, "command");
	size_t len = strcspn(command, "\r\n");

	if (action->type->id == ACTION_RUN && *command)
		snprintf(s->text, sizeof s->text, "`%.*s`",
			 (int)utf8_cut(command, len, COMMAND_SHOWN), command);
	else
		snprintf(s->text, sizeof s->text, "%s", tool->name);
}

static void file_history_note_end(struct conversation *c, struct event *action,
				  const struct call *call, struct event *observation)
{
	struct file_history *h = feature_state(c, &file_history_feature);

	(void)call, (void)observation;
	for (size_t i = 0; action && i < CALLS_MAX; i++)
		if (h->calls[i].from_ms && h->calls[i].action == action->id)
			h->calls[i].to_ms = end_ms();
}

/* The call during which a file got this time; NULL: none of the recorded calls.
 * `asks`: skip the pending call, because it is the one that asks. */
static const struct span *call_at(const struct conversation *c, int64_t ms, bool asks)
{
	const struct file_history *h = feature_state(c, &file_history_feature);
	int64_t pending = turn_pending(c);

	for (size_t i = 0; i < CALLS_MAX; i++) {
		const struct span *s = &h->calls[i];

		if (s->from_ms && ms >= s->from_ms &&
		    (s->action == pending ? !asks : ms <= s->to_ms))
			return s;
	}
	return NULL;
}

/* ---- what was shown ------------------------------------------------------- */

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' ||
	       (unsigned char)c >= 0x80;
}

/* Does a line number follow the file name: `a.c:12: x`, `"a.c", line 12`, or on the
 * next line? */
static bool line_follows(const char *p, const char *end)
{
	if (p == end)
		return false;
	if (*p == '\n')
		return p + 1 < end && (p[1] == ' ' || isdigit((unsigned char)p[1]));
	return strchr(":\",)", *p) != NULL;
}

/* Does the text contain the name, and not as part of a longer name? */
static bool file_history_has_name(const char *text, size_t len, const char *name,
				  bool with_line)
{
	size_t n = strlen(name);

	for (const char *p = text; (p = memmem(p, (size_t)(text + len - p), name, n));
	     p += n) {
		char before = p == text ? ' ' : p[-1];
		char after = p + n == text + len ? ' ' : p[n];

		if (!is_of_name(before) && !is_of_name(after) &&
		    (!with_line || line_follows(p + n, text + len)))
			return true;
	}
	return false;
}

/* A user message, or an action other than an edit, that names the file shows or
 * creates it; so does a result that contains its lines. Other messages only list names. */
static bool file_history_shows(const struct event *e, const char *name)
{
	size_t len = 0;
	const char *text;

	switch (e->type->id) {
	case ACTION_MESSAGE:
		text = event_arg(e, "content");
		return e->source == SOURCE_USER &&
		       file_history_has_name(text, strlen(text), name, false);
	case ACTION_RUN:
	case ACTION_RUN_IPYTHON:
	case ACTION_READ:
	case ACTION_WRITE:
	case ACTION_CALL_TOOL:
		text = js_text(event_args(e), &len);
		return text && file_history_has_name(text, len, name, false);
	case OBSERVATION_READ:
	case OBSERVATION_EDIT:
	case OBSERVATION_WRITE:
		if (js_bool(event_args(e), "is_error", false))
			return false;
		text = event_arg(e, "path");
		return file_history_has_name(text, strlen(text), name, false);
	case OBSERVATION_RUN:
	case OBSERVATION_RUN_IPYTHON:
	case OBSERVATION_TOOL:
		text = event_content(e, &len);
		return file_history_has_name(text, len, name, true);
	default:
		return false;
	}
}

static bool was_shown(struct conversation *c, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int64_t count = evlog_count(conversation_log(c)), end = turn_pending(c);

	if (end < 0)
		end = count;
	for (int64_t id = end - 1; *name && id >= 0 && count - id < EVENTS_MAX; id--) {
		AUTO(event) struct event *e = NULL;

		if (evlog_head(conversation_log(c), id)->undone)
			continue;
		e = evlog_event(conversation_log(c), id, NULL);
		if (e && file_history_shows(e, name))
			return true;
	}
	return false;
}

/* ---- changed by others ------------------------------------------------------ */

/* The path of the file that a result concerns; "": none. */
static const char *file_history_path_of(const struct event *action,
					const struct event *result)
{
	const char *path = event_arg(result, "path");

	return *path ? path : js_str(js_get(event_args(action), "arguments"), "path", "");
}

static bool read_file_state(const struct conversation *c, const char *path,
			    struct known_file *ret, int64_t *ret_changed_ms)
{
	AUTO(free) char *whole = conversation_file(c, path);
	struct stat st;

	if (!whole || stat(whole, &st) || !S_ISREG(st.st_mode))
		return false;
	ret->written = st.st_mtim;
	ret->size = st.st_size;
	*ret_changed_ms = ms_of(st.st_ctim);
	return true;
}

static struct known_file *find_file(struct file_history *h, const char *path)
{
	for (size_t i = 0; i < FILES_MAX; i++)
		if (h->files[i].path && strcmp(h->files[i].path, path) == 0)
			return &h->files[i];
	return NULL;
}

/* The agent has read or written this file: record it. */
static void note_file(struct conversation *c, struct file_history *h, const char *path)
{
	struct known_file *f = find_file(h, path), now = { 0 };
	int64_t changed;

	if (!*path || !read_file_state(c, path, &now, &changed))
		return;
	if (!f) {
		f = &h->files[h->next_file++ % FILES_MAX];
		free(f->path);
		f->path = strdup(path);
	}
	f->written = now.written;
	f->size = now.size;
}

static bool named_later(struct known_file *f)
{
	bool changed = f->changed;

	f->changed = false;
	return changed;
}

/* Did someone else change the file? Each change counts once; a deleted file is
 * forgotten. */
static bool was_changed(const struct conversation *c, struct known_file *f)
{
	struct known_file now = *f;
	int64_t changed;

	if (!read_file_state(c, f->path, &now, &changed)) {
		free(f->path);
		f->path = NULL;
		return false;
	}
	if (now.size == f->size && ms_of(now.written) == ms_of(f->written))
		return named_later(f);
	*f = now;
	f->changed = false;
	return now.changed || !call_at(c, changed, false);
}

/* What differs before a call was not changed by the call, even if the times are equal. */
static void note_changes_before(struct conversation *c)
{
	struct file_history *h = feature_state(c, &file_history_feature);

	for (size_t i = 0; i < FILES_MAX; i++)
		if (h->files[i].path)
			h->files[i].changed = was_changed(c, &h->files[i]);
}

/* One line that names the files; empty: none was changed. */
static void file_history_put_changed(struct conversation *c, struct strbuf *out)
{
	struct file_history *h = feature_state(c, &file_history_feature);
	size_t n = 0;

	for (size_t i = 0; i < FILES_MAX; i++) {
		struct known_file *f = &h->files[i];

		if (!f->path || !was_changed(c, f) || n++ >= NAMES_SHOWN)
			continue;
		strbuf_addf(out, "%s%s",
			    out->len ? ", " : "[Changed on disk outside of your calls: ",
			    f->path);
	}
	if (n > NAMES_SHOWN)
		strbuf_addf(out, ", and %zu more", n - NAMES_SHOWN);
	if (n)
		strbuf_add(out, ". View again what you rely on.]");
}

static bool note_start(struct conversation *c, struct call *call)
{
	struct file_history *h = feature_state(c, &file_history_feature);
	struct span *s = &h->calls[h->next % CALLS_MAX];

	if (!call->tool || tool_only_reads(call->tool) ||
	    call->action->type->id == ACTION_READ)
		return false;
	note_changes_before(c);
	h->next++;
	*s = (struct span){ .action = call->id, .from_ms = begin_ms() };
	file_history_describe(s, call->action, call->tool);
	return false;
}

static void mention_changed(struct conversation *c, const struct event *action,
			    const struct runner_result *result, struct event *e)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);

	(void)result;
	note_file(c, feature_state(c, &file_history_feature),
		  file_history_path_of(action, e));
	if (!replay_is_active(c))
		file_history_put_changed(c, &text);
	if (text.len)
		observation_note_add(e, text.text);
}

/* The user may have edited files. */
static void mention_changed_files(struct conversation *c, bool first)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	struct error err = ERROR_NONE;
	json_object *args;

	if (first || replay_is_active(c))
		return;
	file_history_put_changed(c, &text);
	if (!text.len)
		return;
	args = js_new_object();
	js_set_str(args, "content", text.text);
	conversation_log_event(c, event_action("message", SOURCE_ENVIRONMENT, args, &err),
			       &err);
}

static void forget_files(struct conversation *c)
{
	struct file_history *h = feature_state(c, &file_history_feature);

	for (size_t i = 0; h && i < FILES_MAX; i++)
		free(h->files[i].path);
}

/* ---- the request ---------------------------------------------------------- */

static bool answer_history(struct conversation *c, uint64_t call, uint64_t request,
			   const char *method, json_object *params)
{
	AUTO(json) json_object *result = NULL;
	const struct span *s;

	(void)call;
	if (strcmp(method, "file/history") != 0)
		return false;
	result = js_new_object();
	s = call_at(c, js_int(params, "changed_ms", 0), true);
	js_set_bool(result, "shown", was_shown(c, js_str(params, "path", "")));
	js_set_str(result, "changed_by", s ? s->text : "");
	tool_requests_answer(c, request, result);
	return true;
}

const struct feature file_history_feature = {
	.name = "file history",
	.state_size = sizeof(struct file_history),
	.before_send = note_start,
	.before_observation = file_history_note_end,
	.after_result = mention_changed,
	.after_message = mention_changed_files,
	.release = forget_files,
	.request = answer_history,
};
