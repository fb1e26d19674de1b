/* SPDX-License-Identifier: MIT
 *
 * chat.h - a conversation at the terminal: shared declarations of this program. */
#ifndef TERMINAL_CHAT_H
#define TERMINAL_CHAT_H

#include "live-region.h"
#include "process.h"
#include "history.h"
#include "keys.h"
#include "line-editor.h"
#include "connection.h"
#include "question.h"
#include "event-view.h"
#include "tty.h"

enum { QUEUE_MAX = 32, ASKED_MAX = 64, COMMON_ARGS_MAX = 280, MESSAGE_MAX = 900 << 10,
       CHANGES_MAX = 16 };

enum mode {
	MODE_TYPE,   /* a message, or a command */
	MODE_ANSWER, /* approval or rejection of an action */
	MODE_TOOL,   /* the answer to a question of a tool */
	MODE_PICK,   /* a number of the list of conversations */
	MODE_SEARCH, /* in the history */
};

enum notify { NOTIFY_AUTO, NOTIFY_ALWAYS, NOTIFY_NEVER };

struct options {
	const char *args[COMMON_ARGS_MAX]; /* for `mortise run` and `resume` */
	size_t arg_count;
	const char *controller; /* for a new one; or NULL */
	const char *message; /* the first one, or NULL */
	const char *id;      /* to resume; NULL: a new conversation */
	bool attach;         /* only if it is already open */
	bool pick;           /* let the user choose */
	bool plain;
	enum notify notify;
};

struct chat;

/** A command that was sent and has no result yet. */
struct asked {
	const char *what; /* its name, static */
	char *text;       /* of a message; owned, or NULL */
};

struct chat {
	const struct options *o;
	struct tty term;
	struct live_region area;
	struct keys keys;
	struct line_editor line;
	struct history history;
	struct event_view show;
	struct connection link;
	struct process child;
	char id[CHILD_ID_MAX];
	char workspace[4096];
	enum mode mode;
	struct strbuf aside;  /* the text being typed when another mode started */
	struct strbuf search;
	long found;           /* entry of the history that the search shows; -1 */
	char state[40], reason[512];
	char *changes[CHANGES_MAX * 2]; /* flags and values that /model and others set */
	size_t change_count;
	struct question asks; /* the action that waits */
	int64_t question;     /* of a tool, that is open; 0: none */
	json_object *choices_of_question; /* or NULL */
	int64_t asked_at;     /* when it was first readable; 0: it was not drawn */
	bool busy;            /* the agent works */
	bool interrupted;     /* Ctrl-C was pressed; the next one exits */
	bool settling;        /* paused, but the running call has not ended yet */
	char *queue[QUEUE_MAX]; /* messages that the agent has not read */
	size_t queued;
	struct asked asked[ASKED_MAX]; /* by their number, round */
	int64_t sent, answered;
	char **choices; /* ids that MODE_PICK offers */
	size_t choice_count;
	int64_t began, typed; /* when the agent started; when text was typed last */
	size_t spin;          /* position of the spinner; changes with each line */
	bool focused;
	bool detached;        /* the conversation stays open after this program exits */
	bool quit;
	int code;             /* of the program */
	uint64_t written;     /* bytes to the terminal */
	bool midline;         /* plain: the last line contains a prompt */
	bool typing;          /* interactive: input is not a file or pipe */
	bool input_over;      /* plain: the input has ended */
	bool again;           /* messages that did not arrive were sent again */
	bool ended;           /* the conversation reported that its process ends */
	int64_t last_event;   /* id of the last event received */
	struct strbuf typed_lines; /* plain: an incomplete line of input */
	struct strbuf complaints;  /* an incomplete line of its standard error */
};

/* ---- chat.c: the program ------------------------------------------------- */

int chat_run(const struct options *o);

/* ---- chat-connect.c: the conversation ------------------------------------ */

/** Leave the conversation and start a new one, or resume `id`. Errors are shown.
 *  @return true: a conversation is open. */
bool chat_begin(struct chat *c, const char *id);
/** Resume the conversation in a new process, with another option from now on. `flag` and
 *  `value` are for `mortise resume`. */
bool chat_change(struct chat *c, const char *flag, const char *value);
/** Connect to the conversation again if the connection has ended, or resume it.
 *  @return true: it is open. */
bool chat_reconnect(struct chat *c);
/** The connection has ended: show the reason. */
void chat_lose(struct chat *c);
/** Leave the conversation, and discard its state. */
void chat_disconnect(struct chat *c);

/* ---- chat-input.c: input --------------------------------------------------- */

/** True if the state is known, the agent is idle or waits for the user, and every command
 *  has its result. */
bool chat_is_idle(const struct chat *c);
/** Read standard input: keys, or bytes of lines. */
void chat_read_input(struct chat *c);
/** True if a line can be taken now. Lines of a file are sent one per turn; an interactive
 *  user may type ahead. A prompt is shown before a line is read as its answer. */
bool chat_takes_lines(const struct chat *c);
void chat_take_lines(struct chat *c);
/** Exit if the input has ended, all of its lines were taken and the agent is idle. An
 *  action that waits for approval continues to wait. */
void chat_leave_at_end(struct chat *c);
/** Read the standard error of the conversation's process. */
void chat_read_complaints(struct chat *c);
/** Read and show it when the agent is idle, because it is complete then. */
void chat_take_complaints(struct chat *c);

/* ---- messages.c: commands to the conversation and lines from it ------------ */

void chat_on_line(void *arg, json_object *line);
/** Send a command without members, or with one, a text. */
bool chat_command(struct chat *c, const char *type, const char *member, const char *text);
bool chat_command_number(struct chat *c, const char *type, const char *member,
			 int64_t number);
/** Answer the open question; NULL: decline. */
void chat_answer(struct chat *c, const char *text);
/** Send a command with these members, which are JSON. */
bool chat_command_members(struct chat *c, const char *type, const char *members);
/** Send a message now; the text of files named as @path is appended. */
void chat_message(struct chat *c, const char *text);
/** Run a command of the user in the agent's shell; the agent sees it. */
void chat_run_command(struct chat *c, const char *command);
/** Request the list of skills, for chat_trigger(). */
void chat_try_trigger(struct chat *c, const char *text);
/** Send a message, or queue it while the agent works: it is delivered after the running
 *  call. */
void chat_say(struct chat *c, const char *text);
/** True if the conversation is in this state. */
bool chat_in_state(const struct chat *c, const char *state);

/* ---- key-actions.c: keys ------------------------------------------------------ */

void chat_on_key(void *arg, enum key key, const char *text, size_t len);
/** Handle Ctrl-C, as a key or as a signal. */
void chat_interrupt(struct chat *c);
void chat_set_mode(struct chat *c, enum mode mode);
/** Keys that were pressed before a tool's question could be read do not answer it. */
bool chat_tool_ready(const struct chat *c);
/** Handle an entered line. */
void chat_submit(struct chat *c, const char *text);

/* ---- answer.c: the action that waits ------------------------------------ */

/** Open the prompt for a pending action. `waits` describes it, `event` (may be NULL) is
 *  the action. If the prompt is already open, nothing changes. */
void answer_open(struct chat *c, json_object *waits, json_object *event,
		 const char *asker);
/** Close the prompt: no action is pending. Typed text is kept. */
void answer_close(struct chat *c);
bool answer_is_open(const struct chat *c, json_object *waits, const char *asker);
/** Repeat the prompt below the output of a command, if there is any. `before`: length of
 *  the pending output before the command. */
void answer_again(struct chat *c, size_t before);
/** The answer was refused, and can be repeated. */
void answer_refused(struct chat *c);
/** @return false if the key edits the line. */
bool answer_key(struct chat *c, enum key key, const char *text, size_t len);
/** Set the reason why the last input was not an answer; static. */
void answer_hint(struct chat *c, const char *text);
/** Reject the action; `reason` may be "". */
void answer_refuse(struct chat *c, const char *reason);
/** Approve the action, unchanged or edited; with `scope` >= 0 also similar actions, in
 *  this conversation or in this project. */
void answer_allow(struct chat *c, long scope, bool project);
/** Put the command into the line; run the edited command. Text with ambiguous or
 *  invisible characters is shown first. */
void answer_edit(struct chat *c);
void answer_run_edited(struct chat *c, const char *text);
/** Show all of the action. */
void answer_view(struct chat *c);
bool answer_is_high(const struct question *q);
/** Number of scopes for "always": none at risk HIGH, and none for an edited action. */
size_t answer_scopes(const struct question *q);
/** Append the rows of the scopes. @return their number. */
size_t answer_scope_rows(const struct chat *c, struct strbuf *out, size_t chosen);

/* answer-keys.c */
/** Parse "a", "a 2" or "always 2 project". @return false for other text. */
bool answer_always(const struct question *q, const char *text, size_t *ret_scope,
		   bool *ret_project);
/** Plain: handle an entered line. */
void answer_line(struct chat *c, const char *text);
/** The line was changed. */
void answer_edited(struct chat *c);
/** Leave the editor of the command. @return false if it was not open. */
bool answer_leave_editor(struct chat *c);
/** Milliseconds until the next timed event; -1: none. */
int answer_wait(const struct chat *c);
void answer_tick(struct chat *c);
/** The prompt was drawn. */
void answer_drawn(struct chat *c);
/** True if a key can answer the prompt. */
bool answer_ready(const struct chat *c);
/* answer-rows.c */
/** The rows above the line: the keys, the scopes if they are being chosen. */
void answer_rows(const struct chat *c, struct strbuf *out);
const char *answer_lead(const struct chat *c);

/* ---- live-view.c ----------------------------------------------------------- */

/** Update the terminal. */
void chat_draw(struct chat *c);
void chat_resize(struct chat *c);
/** Remove the live rows: the program exits or is suspended. */
void chat_erase(struct chat *c);
/** Notify the user that input is required. */
void chat_notify(struct chat *c, const char *what);

/* ---- slash-commands.c: commands that start with / -------------------------------- */

/** @return false if the text is not a command. */
bool chat_slash(struct chat *c, const char *text);
/** The n-th name, with its slash; NULL past the last. */
const char *slash_command_name(size_t n);
/** Handle text that starts with a / and is not a command: it is for the agent if it
 *  triggers a skill. `skills`: the list of skills. */
void chat_trigger(struct chat *c, const char *text, const char *skills);
/** Process the number chosen from the list. */
void chat_pick(struct chat *c, const char *text);
void chat_list_conversations(struct chat *c);

/* ---- file-mention.c, completion.c ---------------------------------------------- */

/** Append to `out` the text of the files that the message names as @path, each
 *  once. `on_skip` is called for files that could not be read. */
void file_mention_complete(struct strbuf *out, const char *dir, const char *text,
			   void (*on_skip)(void *arg, const char *path, const char *why),
			   void *arg);
/** Length of the message as typed, without the files that were appended. */
size_t file_mention_typed(const char *text);
/** Complete the text before the cursor. @return the text to insert (owned, may be ""),
 *  NULL if nothing matches. `ret_list`: the candidates if there are several. */
char *completion_offer(const char *dir, const char *text, size_t at,
		       struct strbuf *ret_list);
/** The same with names, one per line. If the word contains no slash, complete a name only
 *  up to its slash. */
char *completion_among(const char *names, const char *text, size_t at,
		       struct strbuf *ret_list);
/** The candidates for /model or /agent before the cursor, one per line. @return false:
 *  the line has neither. */
bool completion_names(const struct chat *c, struct strbuf *names);

#endif
