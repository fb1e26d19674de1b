/* SPDX-License-Identifier: MIT
 *
 * answer-keys.c - the keys and lines that answer a waiting action. */
#include "chat.h"

#include "clock.h"

#include <string.h>
#include <strings.h>

enum word { YES, NO, ALWAYS, EDIT, VIEW, NONE };

/* ---- words ------------------------------------------------------------- */

static enum word word_of(const char *text)
{
	static const struct {
		const char *text;
		enum word word;
	} words[] = {
		{ "y", YES },  { "yes", YES },   { "n", NO },   { "no", NO },
		{ "e", EDIT }, { "edit", EDIT }, { "v", VIEW }, { "view", VIEW },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasecmp(words[i].text, text) == 0)
			return words[i].word;
	return NONE;
}

/* "a", "a 2", "always 2 project": which scope, for how long. */
bool answer_always(const struct question *q, const char *text, size_t *ret_scope,
		   bool *ret_project)
{
	size_t at =
		strncasecmp(text, "always", 6) == 0 ? 6 : strncasecmp(text, "a", 1) == 0;
	char *end;
	long n;

	*ret_scope = q->scope;
	*ret_project = false;
	if (at == 0)
		return false;
	at += strspn(text + at, " ");
	if (text[at] >= '1' && text[at] <= '9') {
		n = strtol(text + at, &end, 10);
		if ((size_t)n > answer_scopes(q))
			return false;
		*ret_scope = (size_t)n - 1;
		at = (size_t)(end - text);
		at += strspn(text + at, " ");
	}
	*ret_project =
		strcasecmp(text + at, "p") == 0 || strcasecmp(text + at, "project") == 0;
	return text[at] == '\0' || *ret_project;
}

static void answer_keys_act(struct chat *c, enum word word, size_t scope, bool project)
{
	if (word == YES)
		answer_allow(c, -1, false);
	else if (word == NO)
		answer_refuse(c, "");
	else if (word == EDIT)
		answer_edit(c);
	else if (word == VIEW)
		answer_view(c);
	else if (answer_scopes(&c->asks) == 0)
		answer_hint(c, answer_is_high(&c->asks)
				       ? "High risk: can be allowed only once."
				       : "This action can be allowed only once.");
	else
		answer_allow(c, (long)scope, project);
}

static char *answer_keys_trim(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		text[--len] = '\0';
	return text + strspn(text, " \t\r\n");
}

static bool is_slash(const char *text)
{
	size_t len = strcspn(text, " \t\n");
	const char *name;

	for (size_t i = 0; (name = slash_command_name(i)); i++)
		if (strlen(name) == len && strncmp(name, text, len) == 0)
			return true;
	return false;
}

/* A slash command is not a reason. */
static void run_slash(struct chat *c, const char *text)
{
	size_t before = c->show.out.len;

	line_editor_set(&c->line, "");
	chat_slash(c, text);
	answer_again(c, before);
}

static void answer_keys_submit(struct chat *c)
{
	AUTO(free) char *copy = strdup(c->line.text.text);
	struct question *q = &c->asks;
	const char *text = copy ? answer_keys_trim(copy) : "";
	enum word word = word_of(text);
	bool project, always;
	size_t scope;

	always = word == NONE && answer_always(q, text, &scope, &project);
	if (q->editing && copy)
		answer_run_edited(c, copy);
	else if (!*text)
		answer_hint(c, "Press one of the keys, or type a reason to refuse.");
	else if (is_slash(text))
		run_slash(c, text);
	else if (q->tainted && (word != NONE || always))
		answer_hint(c,
			    "Pasted text, or text typed before the question appeared, is "
			    "not an answer; Ctrl-U clears it.");
	else if (word != NONE || always)
		answer_keys_act(c, always ? ALWAYS : word, always ? scope : 0,
				always && project);
	else
		answer_refuse(c, strncasecmp(text, "r ", 2) == 0 ? text + 2 : text);
}

/* ---- lines (plain) ----------------------------------------------------- */

/* "y 4f2a91" answers only the action whose hash begins so. */
static bool is_of_action(const struct question *q, char *text)
{
	enum { HASH_SHOWN = 6 };
	char *space = strrchr(text, ' ');
	size_t len = space ? strlen(space + 1) : 0;

	if (len < HASH_SHOWN || strspn(space + 1, "0123456789abcdef") != len)
		return true;
	*space = '\0';
	if (word_of(answer_keys_trim(text)) != NONE)
		return strncmp(space + 1, q->hash, len) == 0;
	*space = ' ';
	return true;
}

static void line_edited(struct chat *c, const char *text)
{
	if (!action_editable(c->asks.event) || c->asks.hidden || c->asks.hopeless)
		answer_edit(c);
	else
		answer_run_edited(c, text);
}

static const char usage[] =
	"An action is waiting for approval: answer y (yes), n [REASON] (no), e COMMAND "
	"(edit), a [SCOPE] (always).";

/* Only the exact word is an answer; a message already typed is not. */
void answer_line(struct chat *c, const char *given)
{
	AUTO(free) char *copy = strdup(given);
	char *text = copy ? answer_keys_trim(copy) : NULL;
	bool project = false;
	size_t scope = 0;
	enum word word;

	if (!text)
		return;
	if (!is_of_action(&c->asks, text)) {
		answer_hint(c, "The answer is for another action.");
		return;
	}
	word = word_of(text);
	if (word == EDIT)
		answer_hint(c, "Usage: e COMMAND");
	else if (word != NONE)
		answer_keys_act(c, word, 0, false);
	else if (is_slash(text))
		chat_slash(c, text);
	else if (strncmp(text, "e ", 2) == 0)
		line_edited(c, text + 2);
	else if (strncmp(text, "r ", 2) == 0 || strncmp(text, "n ", 2) == 0)
		answer_refuse(c, text + 2);
	else if (answer_always(&c->asks, text, &scope, &project))
		answer_keys_act(c, ALWAYS, scope, project);
	else
		answer_hint(c, usage);
}

/* ---- keys -------------------------------------------------------------- */

bool answer_ready(const struct chat *c)
{
	return c->asks.drawn && clock_ms() - c->asks.drawn >= READ_MS;
}

void answer_drawn(struct chat *c)
{
	if (c->asks.open && !c->asks.drawn)
		c->asks.drawn = clock_ms();
}

void answer_edited(struct chat *c)
{
	struct question *q = &c->asks;

	q->lone = 0;
	q->hint = NULL;
	if (c->line.text.len == 0)
		q->tainted = false;
}

/* Handle a character: it is an answer if nothing else was typed and nothing follows. */
static void answer_keys_take_text(struct chat *c, const char *text, size_t len,
				  bool ready)
{
	struct question *q = &c->asks;
	bool first = c->line.text.len == 0, lone = first && ready && !q->editing;

	bool pasted = !first && clock_ms() - c->typed < PASTE_MS;

	answer_edited(c);
	line_editor_insert(&c->line, text, len);
	q->tainted |= (!ready || pasted) && !q->editing;
	if (lone && (strchr("ev", *text) || (strchr("yn", *text) && !answer_is_high(q))))
		q->lone = clock_ms();
}

static void answer_keys_escape(struct chat *c, bool ready)
{
	if (answer_leave_editor(c) || !ready)
		return;
	if (!answer_is_high(&c->asks)) {
		answer_refuse(c, "");
		return;
	}
	line_editor_set(&c->line, "n");
	c->asks.tainted = false;
	c->asks.hint = "High risk: press Enter to send the answer.";
}

/* Enter is ignored if it is part of a paste or comes before the question could be
 * read. */
static void answer_keys_enter(struct chat *c, bool ready)
{
	if (!ready)
		return;
	if (clock_ms() - c->typed < PASTE_MS) {
		c->asks.tainted |= !c->asks.editing;
		answer_hint(c, "Enter was part of a paste; press it again.");
		return;
	}
	answer_keys_submit(c);
}

/* While a scope is being chosen: selects the next scope or duration. */
static bool answer_keys_choose(struct chat *c, enum key key)
{
	struct question *q = &c->asks;
	char text[64];
	size_t scope, count = answer_scopes(q);
	bool project;

	if (q->editing || !count ||
	    !answer_always(q, c->line.text.text, &scope, &project))
		return false;
	if (key == KEY_UP && scope > 0)
		scope--;
	else if (key == KEY_DOWN && scope + 1 < count)
		scope++;
	else if (key == KEY_TAB)
		project = !project;
	snprintf(text, sizeof text, "a %zu%s", scope + 1, project ? " project" : "");
	line_editor_set(&c->line, text);
	return true;
}

bool answer_key(struct chat *c, enum key key, const char *text, size_t len)
{
	bool ready = answer_ready(c);

	switch (key) {
	case KEY_TEXT:
		answer_keys_take_text(c, text, len, ready);
		return true;
	case KEY_PASTE:
		answer_edited(c);
		line_editor_insert(&c->line, text, len);
		c->asks.tainted |= !c->asks.editing;
		return true;
	case KEY_ENTER:
		answer_keys_enter(c, ready);
		return true;
	case KEY_ESCAPE:
		answer_keys_escape(c, ready);
		return true;
	case KEY_UP:
	case KEY_DOWN:
	case KEY_TAB:
		return answer_keys_choose(c, key);
	default:
		return false;
	}
}

int answer_wait(const struct chat *c)
{
	const struct question *q = &c->asks;
	int64_t now = clock_ms(), left = -1;

	if (!q->open || q->sent || c->term.plain)
		return -1;
	if (q->lone)
		left = q->lone + LONE_MS - now;
	else if (q->drawn && now - q->drawn < READ_MS)
		left = q->drawn + READ_MS - now;
	else
		return -1;
	return left > 0 ? (int)left : 0;
}

void answer_tick(struct chat *c)
{
	struct question *q = &c->asks;

	if (!q->open || !q->lone || clock_ms() - q->lone < LONE_MS)
		return;
	q->lone = 0;
	answer_keys_act(c, word_of(c->line.text.text), 0, false);
}
