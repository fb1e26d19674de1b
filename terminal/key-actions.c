/* SPDX-License-Identifier: MIT
 *
 * key-actions.c - executes the action of each key. */
#include "chat.h"

#include "clock.h"

#include <signal.h>
#include <string.h>

/* ---- modes ------------------------------------------------------------- */

/* Typed text stays in the line when a question opens, and when it is answered. */
static bool drafts(enum mode mode)
{
	return mode == MODE_TYPE || mode == MODE_ANSWER;
}

void chat_set_mode(struct chat *c, enum mode mode)
{
	bool from = drafts(c->mode), to = drafts(mode);

	if (c->mode == mode)
		return;
	if (c->mode == MODE_ANSWER)
		answer_leave_editor(c);
	if (from && !to) {
		strbuf_reset(&c->aside);
		strbuf_add(&c->aside, c->line.text.text);
	}
	c->mode = mode;
	c->asked_at = 0;
	if (!from || !to)
		line_editor_set(&c->line, to ? c->aside.text : "");
}

bool chat_tool_ready(const struct chat *c)
{
	return c->term.plain || (c->asked_at && clock_ms() - c->asked_at >= READ_MS);
}

/* ---- entered lines ----------------------------------------------------- */

static void submit_empty(struct chat *c)
{
	if (c->queued)
		chat_command(c, "interrupt", NULL, NULL);
	else if (!connection_is_open(&c->link))
		chat_reconnect(c);
	else if (chat_in_state(c, "paused"))
		chat_command(c, "resume", NULL, NULL);
}

void chat_submit(struct chat *c, const char *text)
{
	switch (c->mode) {
	case MODE_ANSWER:
		answer_line(c, text);
		return;
	case MODE_TOOL:
		chat_answer(c, text);
		return;
	case MODE_PICK:
		chat_pick(c, text);
		return;
	case MODE_TYPE:
	case MODE_SEARCH:
		break;
	}
	if (text[strspn(text, " \t\n")] == '\0') {
		submit_empty(c);
		return;
	}
	history_add(&c->history, text);
	if (*text == '!' && text[1])
		chat_run_command(c, text + 1 + strspn(text + 1, " "));
	else if (!chat_slash(c, text + strspn(text, " \t\n")))
		chat_say(c, text);
}

static void key_actions_enter(struct chat *c)
{
	AUTO(free) char *text = NULL;

	if (c->mode == MODE_TYPE && line_editor_continues(&c->line)) {
		line_editor_insert(&c->line, "\n", 1);
		return;
	}
	text = strdup(c->line.text.text);
	if (!text)
		return;
	line_editor_set(&c->line, "");
	chat_submit(c, text);
}

/* ---- interruption ------------------------------------------------------ */

/* The agent, or a command of the user's own. */
static bool is_at_work(const struct chat *c)
{
	return c->busy || c->mode == MODE_ANSWER || c->show.action >= 0;
}

/* Exit, and stop an agent that has not become idle. */
static void key_actions_interrupt_again(struct chat *c)
{
	if ((c->busy || c->show.action >= 0) && connection_is_open(&c->link))
		chat_command(c, "stop", NULL, NULL);
	c->busy = false;
	c->quit = true;
}

static void key_actions_interrupt(struct chat *c)
{
	if (c->interrupted) {
		key_actions_interrupt_again(c);
		return;
	}
	c->interrupted = true;
	if (is_at_work(c) && connection_is_open(&c->link))
		chat_command(c, "pause", NULL, NULL);
	else
		event_view_remark(&c->show, DIM, "Press Ctrl-C again to exit.");
}

void chat_interrupt(struct chat *c)
{
	if (!drafts(c->mode) && c->mode != MODE_TOOL) {
		chat_set_mode(c, c->asks.open ? MODE_ANSWER : MODE_TYPE);
	} else if (answer_leave_editor(c)) {
		;
	} else if (c->line.text.len) {
		line_editor_set(&c->line, "");
		answer_edited(c);
	} else {
		key_actions_interrupt(c);
	}
}

static void suspend(struct chat *c)
{
	struct error err = ERROR_NONE;

	chat_erase(c);
	tty_restore(&c->term);
	raise(SIGSTOP);
	if (tty_raw(&c->term, &err))
		c->quit = true;
	chat_resize(c);
}

/* ---- history ----------------------------------------------------------- */

static void take_back_queued(struct chat *c)
{
	char *text = c->queue[--c->queued];

	chat_command(c, "withdraw", NULL, NULL);
	line_editor_set(&c->line, text);
	free(text);
}

static void up(struct chat *c)
{
	const char *text;

	if (line_editor_up(&c->line) || c->mode != MODE_TYPE)
		return;
	if (c->queued && c->line.text.len == 0) {
		take_back_queued(c);
		return;
	}
	text = history_back(&c->history, c->line.text.text);
	if (text)
		line_editor_set(&c->line, text);
}

static void down(struct chat *c)
{
	const char *text;

	if (line_editor_down(&c->line) || c->mode != MODE_TYPE)
		return;
	text = history_forward(&c->history);
	if (text)
		line_editor_set(&c->line, text);
}

static void search_on(struct chat *c, size_t before)
{
	long found = history_find(&c->history, c->search.text, before);

	if (found < 0)
		return;
	c->found = found;
	line_editor_set(&c->line, c->history.entries[found]);
}

static void begin_search(struct chat *c)
{
	chat_set_mode(c, MODE_SEARCH);
	strbuf_reset(&c->search);
	c->found = -1;
}

/* The found text becomes the input line; the key then applies to it. */
static void end_search(struct chat *c, bool keep)
{
	AUTO(free) char *text = strdup(c->line.text.text);

	chat_set_mode(c, MODE_TYPE);
	if (keep && text && c->found >= 0)
		line_editor_set(&c->line, text);
}

static bool search_key(struct chat *c, enum key key, const char *text, size_t len)
{
	if (key == KEY_TEXT) {
		strbuf_addn(&c->search, text, len);
		search_on(c, c->history.count);
	} else if (key == KEY_BACKSPACE) {
		strbuf_cut(&c->search, c->search.len ? c->search.len - 1 : 0);
		search_on(c, c->history.count);
	} else if (key == KEY_CONTROL && *text == 'r') {
		search_on(c, c->found > 0 ? (size_t)c->found : c->history.count);
	} else if (key == KEY_ESCAPE || (key == KEY_CONTROL && strchr("cg", *text))) {
		end_search(c, false);
	} else {
		end_search(c, true);
		return false;
	}
	return true;
}

/* ---- completion -------------------------------------------------------- */

static void tab(struct chat *c)
{
	AUTO(strbuf) struct strbuf list = STRBUF(64 << 10);
	AUTO(strbuf) struct strbuf names = STRBUF(0);
	AUTO(free) char *rest = NULL;

	if (c->mode != MODE_TYPE)
		return;
	if (completion_names(c, &names))
		rest = completion_among(names.text, c->line.text.text, c->line.at, &list);
	else
		rest = completion_offer(c->workspace, c->line.text.text, c->line.at,
					&list);
	if (rest && *rest)
		line_editor_insert(&c->line, rest, strlen(rest));
	else if (list.len)
		event_view_remark(&c->show, DIM, "%s", list.text);
}

/* ---- keys -------------------------------------------------------------- */

static void control_d(struct chat *c)
{
	if (c->line.text.len)
		line_editor_delete(&c->line, line_editor_right, false);
	else
		c->quit = true;
}

static void key_actions_control(struct chat *c, char letter)
{
	struct line_editor *l = &c->line;

	switch (letter) {
	case 'a':
		line_editor_home(l);
		break;
	case 'b':
		line_editor_left(l);
		break;
	case 'c':
		chat_interrupt(c);
		break;
	case 'd':
		control_d(c);
		break;
	case 'e':
		line_editor_end(l);
		break;
	case 'f':
		line_editor_right(l);
		break;
	case 'k':
		line_editor_delete(l, line_editor_end, true);
		break;
	case 'l':
		chat_erase(c);
		break; /* drawn again at once */
	case 'n':
		down(c);
		break;
	case 'p':
		up(c);
		break;
	case 'r':
		begin_search(c);
		break;
	case 't':
		line_editor_transpose(l);
		break;
	case 'u':
		line_editor_delete(l, line_editor_home, true);
		break;
	case 'w':
		line_editor_delete(l, line_editor_word_left, true);
		break;
	case 'y':
		line_editor_yank(l);
		break;
	case 'z':
		suspend(c);
		break;
	}
}

/* A key that does not only edit the line. */
static void command_key(struct chat *c, enum key key, const char *text)
{
	switch (key) {
	case KEY_ENTER:
		if (c->mode != MODE_TOOL || chat_tool_ready(c))
			key_actions_enter(c);
		break;
	case KEY_TAB:
		tab(c);
		break;
	case KEY_UP:
		up(c);
		break;
	case KEY_DOWN:
		down(c);
		break;
	case KEY_CONTROL:
		key_actions_control(c, *text);
		break;
	case KEY_ESCAPE:
		if (c->mode == MODE_TOOL && chat_tool_ready(c))
			chat_answer(c, NULL);
		else if (c->mode == MODE_PICK)
			chat_set_mode(c, MODE_TYPE);
		break;
	default:
		break;
	}
}

static void key_actions_edit(struct chat *c, enum key key, const char *text, size_t len)
{
	if (!line_editor_key(&c->line, key, text, len))
		command_key(c, key, text);
	if (c->mode == MODE_ANSWER)
		answer_edited(c);
}

void chat_on_key(void *arg, enum key key, const char *text, size_t len)
{
	struct chat *c = arg;

	if (key == KEY_FOCUS_IN || key == KEY_FOCUS_OUT) {
		c->focused = key == KEY_FOCUS_IN;
		return;
	}
	/* After anything else the next Ctrl-C is a first one. */
	if (!is_at_work(c) && !(key == KEY_CONTROL && *text == 'c'))
		c->interrupted = false;
	if (c->mode == MODE_ANSWER && answer_key(c, key, text, len))
		;
	else if (c->mode == MODE_SEARCH && search_key(c, key, text, len))
		;
	else
		key_actions_edit(c, key, text, len);
	if (key == KEY_TEXT)
		c->typed = clock_ms();
}
