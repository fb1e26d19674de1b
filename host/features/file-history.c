/* SPDX-License-Identifier: MIT
 *
 * file-history.c - what other than the editor has shown a file to the agent, and which of
 * its calls was running when the file was last changed. Answers the request
 * "file/history" of tools.
 *
 * A change counts as one of the agent if the time of the file lies within a call of a
 * tool that may write. */
#include "features/file-history.h"
#include "controller/call.h"
#include "controller/feature-api.h"
#include "controller/turn.h"
#include "features/context-recall.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

enum {
	CALLS_MAX = 64,        /* the newest calls */
	EVENTS_MAX = 2000,     /* the newest events that are searched */
	COMMAND_SHOWN = 80,    /* bytes */
	CLOCK_MS = 20,         /* a file may have the time of the last tick */
};

struct span {
	int64_t action;
	int64_t from_ms, to_ms; /* wall clock; to_ms 0: it is running */
	char text[160];
};

struct file_history {
	struct span calls[CALLS_MAX]; /* a ring */
	size_t next;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- calls -------------------------------------------------------------- */

static void describe(struct span *s, const struct event *action, const struct tool *tool)
{
	const char *command = event_arg(action, "command");
	size_t len = strcspn(command, "\r\n");

	if (action->type->id == ACTION_RUN && *command)
		snprintf(s->text, sizeof s->text, "`%.*s`",
			 (int)utf8_cut(command, len, COMMAND_SHOWN), command);
	else
		snprintf(s->text, sizeof s->text, "%s", tool->name);
}

static bool note_start(struct conversation *c, struct call *call)
{
	struct file_history *h = feature_state(c, &file_history_feature);
	struct span *s = &h->calls[h->next % CALLS_MAX];

	if (!call->tool || tool_only_reads(call->tool))
		return false;
	h->next++;
	*s = (struct span){ .action = call->id, .from_ms = now_ms() };
	describe(s, call->action, call->tool);
	return false;
}

static void note_end(struct conversation *c, struct event *action,
		     const struct call *call, struct event *observation)
{
	struct file_history *h = feature_state(c, &file_history_feature);

	(void)call, (void)observation;
	for (size_t i = 0; action && i < CALLS_MAX; i++)
		if (h->calls[i].from_ms && h->calls[i].action == action->id)
			h->calls[i].to_ms = now_ms();
}

/* The call during which a file got this time; NULL: none of the known ones. The pending
 * call is skipped, because it is the one that asks. */
static const struct span *call_at(const struct conversation *c, int64_t ms)
{
	const struct file_history *h = feature_state(c, &file_history_feature);
	int64_t asks = turn_pending(c);

	for (size_t i = 0; i < CALLS_MAX; i++) {
		const struct span *s = &h->calls[i];

		if (s->from_ms && s->action != asks && ms >= s->from_ms - CLOCK_MS &&
		    (!s->to_ms || ms <= s->to_ms))
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

/* Does a line of the file follow its name: `a.c:12: x`, `"a.c", line 12`, or in the next
 * line? */
static bool line_follows(const char *p, const char *end)
{
	if (p == end)
		return false;
	if (*p == '\n')
		return p + 1 < end && (p[1] == ' ' || isdigit((unsigned char)p[1]));
	return strchr(":\",)", *p) != NULL;
}

/* Is the name in the text, not as a part of a longer one? */
static bool has_name(const char *text, size_t len, const char *name, bool with_line)
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

/* An action that names the file, other than an edit, shows or makes it; so does a
 * result with its lines. */
static bool shows(const struct event *e, const char *name)
{
	size_t len = 0;
	const char *text;

	switch (e->type->id) {
	case ACTION_MESSAGE:
		text = event_arg(e, "content");
		return has_name(text, strlen(text), name, false);
	case ACTION_RUN:
	case ACTION_RUN_IPYTHON:
	case ACTION_READ:
	case ACTION_WRITE:
	case ACTION_CALL_TOOL:
		text = js_text(event_args(e), &len);
		return text && has_name(text, len, name, false);
	case OBSERVATION_READ:
	case OBSERVATION_EDIT:
	case OBSERVATION_WRITE:
		text = event_arg(e, "path");
		return has_name(text, strlen(text), name, false);
	case OBSERVATION_RUN:
	case OBSERVATION_RUN_IPYTHON:
	case OBSERVATION_TOOL:
		text = event_content(e, &len);
		return has_name(text, len, name, true);
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
		if (e && shows(e, name))
			return true;
	}
	return false;
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
	s = call_at(c, js_int(params, "changed_ms", 0));
	js_set_bool(result, "shown", was_shown(c, js_str(params, "path", "")));
	js_set_str(result, "changed_by", s ? s->text : "");
	recall_answer(c, request, result);
	return true;
}

const struct feature file_history_feature = {
	.name = "file history",
	.state_size = sizeof(struct file_history),
	.before_send = note_start,
	.before_observation = note_end,
	.request = answer_history,
};
