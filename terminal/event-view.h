/* SPDX-License-Identifier: MIT
 *
 * event-view.h - events and live lines as text: what is printed to the scrollback, and
 * the live part below it. Independent of the terminal. */
#ifndef TERMINAL_EVENT_VIEW_H
#define TERMINAL_EVENT_VIEW_H

#include "action.h"
#include "markdown.h"

enum { TAIL_BYTES = 8 << 10, RESULT_LINES = 12, MESSAGE_LINES = 40 };

struct event_view {
	struct style style;
	struct strbuf out; /* for the scrollback: whole lines */
	struct markdown reply;
	struct strbuf said;    /* text of the reply that was shown as it streamed */
	bool whole;            /* the reply is complete: the next piece starts another */
	bool replaying;        /* these are events of the past */
	struct markdown_cut cut; /* in the code of `said`, when the connection was lost */
	bool partial;          /* the start of the streamed reply is unknown */
	struct strbuf doing;   /* the action in progress, on one line; "" */
	int64_t action;        /* id of that action; -1 */
	struct cleaner cleaner;
	struct strbuf tail;    /* the end of the action's output */
	json_object *call;     /* the last action for a tool; owned; or NULL */
	bool unshown;          /* `call` was not shown yet; a prompt may show it */
	double cost;           /* of the conversation so far; < 0: unknown */
	int64_t input, output; /* tokens */
	char model[128];
};

void event_view_init(struct event_view *s, const struct style *style);
void event_view_done(struct event_view *s);
/** Another conversation: discard the state of the previous one. */
void event_view_reset(struct event_view *s);

void event_view_event(struct event_view *s, json_object *event);
/** Show a line with a `type`: delta, output, progress, retry, notice, reply. */
void event_view_live(struct event_view *s, json_object *line);
/** Show a message of the program. */
void event_view_remark(struct event_view *s, enum paint p, const char *format, ...)
	MT_PRINTF(3, 4);
/** The agent is idle: streams and running actions have ended. */
void event_view_rest(struct event_view *s);
/** The connection is lost. Streamed text is shown up to its last whole word; if an event
 *  of the next connection contains the text, only the rest is shown. */
void event_view_disconnect(struct event_view *s);
/** Connected again. `busy`: a reply may be streaming, whose start is unknown. */
void event_view_reconnect(struct event_view *s, bool busy);
/** An action waits for the user. */
struct question_text {
	json_object *event;  /* the action; NULL: unknown */
	const char *asker;   /* the subagent that asks, or "" */
	const char *risk, *reason;
	json_object *preview; /* from the tool; or NULL */
	bool edited;         /* the user has edited it */
	size_t most;         /* maximum number of rows to show */
};

enum { CANNOT_SHOW = -1 };

/** Append the whole action, the reason for its risk, and the prompt to `out`.
 *  `*ret_rows` is the number of rows.
 *  @return number of hidden rows; CANNOT_SHOW if the action cannot be shown. */
long event_view_question(struct event_view *s, const struct question_text *q,
			 size_t *ret_rows);
/** Show a question of a tool to the user; `choices` may be NULL. */
void event_view_ask(struct event_view *s, const char *text, size_t len,
		    json_object *choices);

#endif
