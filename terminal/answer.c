/* SPDX-License-Identifier: MIT
 *
 * answer.c - the action that waits for the user: shown, edited, allowed or not. */
#include "chat.h"

#include "clock.h"
#include "text.h"
#include "utf8.h"
#include "visible.h"

#include <string.h>
#include <strings.h>

enum { MEMBERS_MAX = 1 << 20, ROWS_MAX = 64 << 10,
       OTHER_ROWS = 8 /* of the screen, beside the scopes */ };

enum word { YES, NO, ALWAYS, EDIT, VIEW, NONE };

/* ---- opened and closed ------------------------------------------------- */

static bool is_high(const struct question *q)
{
	return strcmp(q->risk, "HIGH") == 0;
}

/* Risk HIGH is never allowed for longer, and what the user wrote has no scope. */
static size_t scope_count(const struct question *q)
{
	bool list = json_object_is_type(q->scopes, json_type_array);
	size_t count = list && !is_high(q) && !q->edited ? json_object_array_length(q->scopes) : 0;

	return count > SCOPES_MAX ? SCOPES_MAX : count;
}

static const char *scope_text(const struct question *q, size_t i, size_t *ret_len)
{
	return action_text(json_object_array_get_idx(q->scopes, i), "text", ret_len);
}

/* An older conversation names one scope, or none. */
static json_object *take_scopes(json_object *waits)
{
	const char *kind = js_str(waits, "kind", "");
	json_object *list, *one;

	if (js_get(waits, "scopes"))
		return json_object_get(js_get(waits, "scopes"));
	if (!*kind)
		return NULL;
	list = json_object_new_array();
	one = json_object_new_object();
	js_set_str(one, "text", kind);
	json_object_array_add(list, one);
	return list;
}

bool answer_is_open(const struct chat *c, json_object *waits, const char *asker)
{
	const struct question *q = &c->asks;

	return q->open && strcmp(q->asker, asker) == 0 &&
	       js_int(waits, "action", -1) == q->action &&
	       strcmp(js_str(waits, "hash", ""), q->hash) == 0;
}

/* The scopes, for the area or for the scrollback. @return their rows. */
static size_t add_scope_list(const struct chat *c, struct strbuf *out, size_t chosen)
{
	const struct question *q = &c->asks;
	struct block b = { .out = out, .style = &c->show.style };

	for (size_t i = 0; i < scope_count(q); i++) {
		size_t len;
		const char *text = scope_text(q, i, &len);
		char lead[32];

		snprintf(lead, sizeof lead, "%s%zu ", i == chosen ? ">" : " ", i + 1);
		block_line(&b, i == chosen ? BOLD : PLAIN, lead, text, len);
	}
	return b.rows;
}

/* Where no list can be opened, or it would be too high, the scopes come with the
 * question: none is granted that was not shown whole. */
static void list_scopes(struct chat *c)
{
	AUTO(strbuf) struct strbuf list = STRBUF(BLOCK_MAX);
	struct question *q = &c->asks;
	size_t rows = add_scope_list(c, &list, q->scope);

	q->listed = rows > 0 && (c->term.plain || rows + OTHER_ROWS > c->term.rows);
	if (!q->listed || c->show.out.len + list.len >= c->show.out.max)
		return;
	show_remark(&c->show, PLAIN, "What \"always\" may allow:");
	strbuf_addn(&c->show.out, list.text, list.len);
}

static void show(struct chat *c, size_t most)
{
	struct question *q = &c->asks;
	struct question_text text = { .event = q->edited ? q->edited : q->event,
				      .asker = q->asker,
				      .risk = q->risk,
				      .reason = q->reason ? q->reason : "",
				      .edited = q->edited,
				      .most = most };
	long hidden = show_question(&c->show, &text, &q->rows);

	list_scopes(c);
	q->hopeless = hidden == CANNOT_SHOW;
	q->hidden = hidden > 0 ? (size_t)hidden : 0;
	q->drawn = q->lone = 0;
	q->hint = NULL;
	q->tainted = c->line.text.len > 0;
}

static void clear(struct question *q)
{
	json_object_put(q->event);
	json_object_put(q->edited);
	json_object_put(q->scopes);
	free(q->reason);
	*q = (struct question){ 0 };
}

/* "risk HIGH: it runs what was downloaded": what follows the risk. */
static const char *after_colon(const char *reason)
{
	const char *colon = strstr(reason, ": ");

	return colon ? colon + 2 : "";
}

void answer_open(struct chat *c, json_object *waits, json_object *event,
		 const char *asker)
{
	struct question *q = &c->asks;
	const char *reason = js_str(waits, "reason", *asker ? "" : after_colon(c->reason));

	if (answer_is_open(c, waits, asker))
		return;
	answer_close(c);
	snprintf(q->asker, sizeof q->asker, "%s", asker);
	q->action = js_int(waits, "action", -1);
	snprintf(q->hash, sizeof q->hash, "%s", js_str(waits, "hash", ""));
	snprintf(q->risk, sizeof q->risk, "%s", js_str(waits, "risk", "UNKNOWN"));
	q->reason = strdup(reason);
	q->event = js_int(event, "id", -2) == q->action ? json_object_get(event) : NULL;
	q->scopes = take_scopes(waits);
	q->scope = (size_t)js_int(waits, "scope", 0);
	q->scope = q->scope < scope_count(q) ? q->scope : 0;
	q->open = true;
	chat_set_mode(c, MODE_ANSWER);
	show(c, QUESTION_ROWS);
	chat_notify(c, "an action waits for your answer");
}

void answer_close(struct chat *c)
{
	if (c->asks.editing)
		line_set(&c->line, "");
	clear(&c->asks);
	if (c->mode == MODE_ANSWER)
		chat_set_mode(c, c->question ? MODE_TOOL : MODE_TYPE);
}

void answer_refused(struct chat *c)
{
	if (!c->asks.open || !c->asks.sent)
		return;
	c->asks.sent = false;
	c->busy = false;
	chat_set_mode(c, MODE_ANSWER);
	show(c, QUESTION_ROWS);
}

/* ---- what is sent ------------------------------------------------------ */

static void hint(struct chat *c, const char *text)
{
	c->asks.hint = text;
	c->asks.lone = 0;
	if (c->term.plain)
		show_remark(&c->show, YELLOW, "%s", text);
}

static void begin_members(const struct question *q, struct strbuf *out)
{
	if (*q->asker)
		js_key_str(out, "conversation", q->asker);
	js_key_int(out, "action", q->action);
	if (*q->hash)
		js_key_str(out, "hash", q->hash);
}

static void send(struct chat *c, const char *type, const struct strbuf *members)
{
	struct question *q = &c->asks;

	if (members->error) {
		hint(c, "That is too long to be sent.");
	} else if (chat_command_members(c, type, members->text)) {
		q->sent = true;
		q->lone = 0;
		q->hint = NULL;
		q->editing = false;
		line_set(&c->line, "");
		chat_set_mode(c, c->question ? MODE_TOOL : MODE_TYPE);
		c->busy = true; /* until its state says what came of it */
		c->began = clock_ms();
	}
}

static void refuse(struct chat *c, const char *reason)
{
	AUTO(strbuf) struct strbuf members = STRBUF(MEMBERS_MAX);

	begin_members(&c->asks, &members);
	if (*reason)
		js_key_str(&members, "reason", reason);
	send(c, "reject", &members);
}

/* With scope < 0 it is allowed once. */
static void allow(struct chat *c, long scope, bool project)
{
	AUTO(strbuf) struct strbuf members = STRBUF(MEMBERS_MAX);
	struct question *q = &c->asks;
	const char *member = q->edited ? action_editable(q->edited) : NULL;

	if (q->hopeless || q->hidden) {
		hint(c, q->hidden ? "Not all of it is shown: v shows it."
				  : "It cannot be shown here, so it can only be refused.");
		line_set(&c->line, "");
		return;
	}
	begin_members(q, &members);
	if (scope >= 0) {
		js_key_bool(&members, "always", true);
		if ((size_t)scope != q->scope)
			js_key_int(&members, "scope", scope);
		if (project)
			js_key_str(&members, "keep", "project");
	}
	if (member) {
		size_t len;
		const char *text = action_text(js_get(q->edited, "args"), member, &len);

		js_key(&members, "arguments");
		strbuf_addc(&members, '{');
		js_key_strn(&members, member, text, len);
		strbuf_addc(&members, '}');
	}
	send(c, "confirm", &members);
}

/* ---- editing ----------------------------------------------------------- */

/* What the line can hold: a character that steers a terminal is left out, rather than
 * replayed as a terminal would. @return whether all of it is. */
static bool to_line(struct line *l, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(LINE_MAX_BYTES);

	for (size_t i = 0; i < len;) {
		bool valid, keep = text[i] == '\n';
		size_t n = utf8_next(text + i, len - i, &valid);

		keep |= valid && utf8_control(text + i, len - i) == 0;
		if (keep)
			strbuf_addn(&clean, text + i, n);
		else if (text[i] == '\t')
			strbuf_addc(&clean, ' ');
		i += n;
	}
	line_set(l, "");
	line_insert(l, clean.text, clean.len);
	return l->text.len == len && memcmp(l->text.text, text, len) == 0;
}

static void begin_editing(struct chat *c)
{
	struct question *q = &c->asks;
	json_object *event = q->edited ? q->edited : q->event;
	const char *member = action_editable(event);
	size_t len;
	const char *text = member ? action_text(js_get(event, "args"), member, &len) : "";

	line_set(&c->line, "");
	if (!member || q->hopeless || q->hidden) {
		hint(c, !member ? "This action cannot be edited."
				: "Not all of it is shown: v shows it.");
		return;
	}
	q->hint = to_line(&c->line, text, len)
			  ? NULL
			  : "Characters that do not show were taken out.";
	q->editing = true;
	q->tainted = false;
	q->lone = 0;
}

bool answer_leave_editor(struct chat *c)
{
	if (!c->asks.editing)
		return false;
	c->asks.editing = false;
	c->asks.hint = NULL;
	line_set(&c->line, "");
	return true;
}

/* The event with another text of the argument that can be edited. */
static json_object *changed_event(json_object *event, const char *text, size_t len)
{
	json_object *copy = NULL, *value = json_object_new_string_len(text, (int)len);

	if (!value || json_object_deep_copy(event, &copy, NULL) < 0 ||
	    json_object_object_add(js_get(copy, "args"), action_editable(event), value)) {
		json_object_put(value);
		json_object_put(copy);
		return NULL;
	}
	return copy;
}

/* Text that shows as itself runs as it stands in the line; other text is shown first. */
static void submit_edited(struct chat *c, const char *text)
{
	struct question *q = &c->asks;
	json_object *changed = changed_event(q->event, text, strlen(text));
	bool plain = visible_is_plain(VISIBLE_LINES, text, strlen(text));

	if (!changed || text[strspn(text, " \t\n")] == '\0') {
		json_object_put(changed);
		hint(c, "There is nothing left to run: n refuses it.");
		return;
	}
	json_object_put(q->edited);
	q->edited = changed;
	if (plain) {
		allow(c, -1, false);
		return;
	}
	answer_leave_editor(c);
	show(c, QUESTION_ROWS);
}

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
static bool parse_always(const struct question *q, const char *text, size_t *ret_scope,
			 bool *ret_project)
{
	size_t at = strncasecmp(text, "always", 6) == 0 ? 6 : strncasecmp(text, "a", 1) == 0;
	char *end;
	long n;

	*ret_scope = q->scope;
	*ret_project = false;
	if (at == 0)
		return false;
	at += strspn(text + at, " ");
	if (text[at] >= '1' && text[at] <= '9') {
		n = strtol(text + at, &end, 10);
		if ((size_t)n > scope_count(q))
			return false;
		*ret_scope = (size_t)n - 1;
		at = (size_t)(end - text);
		at += strspn(text + at, " ");
	}
	*ret_project = strcasecmp(text + at, "p") == 0 ||
		       strcasecmp(text + at, "project") == 0;
	return text[at] == '\0' || *ret_project;
}

static void view(struct chat *c)
{
	line_set(&c->line, "");
	show(c, SIZE_MAX);
}

static void act(struct chat *c, enum word word, size_t scope, bool project)
{
	if (word == YES)
		allow(c, -1, false);
	else if (word == NO)
		refuse(c, "");
	else if (word == EDIT)
		begin_editing(c);
	else if (word == VIEW)
		view(c);
	else if (scope_count(&c->asks) == 0)
		hint(c, is_high(&c->asks) ? "Risk HIGH: it can only be allowed once."
					  : "It can only be allowed once.");
	else
		allow(c, (long)scope, project);
}

static char *trim(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		text[--len] = '\0';
	return text + strspn(text, " \t\r\n");
}

static void submit(struct chat *c)
{
	AUTO(free) char *copy = strdup(c->line.text.text);
	struct question *q = &c->asks;
	const char *text = copy ? trim(copy) : "";
	enum word word = word_of(text);
	bool project, always;
	size_t scope;

	always = word == NONE && parse_always(q, text, &scope, &project);
	if (q->editing && copy)
		submit_edited(c, copy);
	else if (!*text)
		hint(c, "Answer with one of the keys, or type why not.");
	else if (q->tainted && (word != NONE || always))
		hint(c, "That was pasted, or typed before the question could be read: "
			"Ctrl-U clears it.");
	else if (word != NONE || always)
		act(c, always ? ALWAYS : word, always ? scope : 0, always && project);
	else
		refuse(c, strncasecmp(text, "r ", 2) == 0 ? text + 2 : text);
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
	if (word_of(trim(text)) != NONE)
		return strncmp(space + 1, q->hash, len) == 0;
	*space = ' ';
	return true;
}

static void line_edited(struct chat *c, const char *text)
{
	if (!action_editable(c->asks.event) || c->asks.hidden || c->asks.hopeless)
		begin_editing(c);
	else
		submit_edited(c, text);
}

static const char usage[] =
	"An action waits: answer y (yes), n (no), n and a reason, e and another command, "
	"a (always), a and the number of a scope.";

/* Only the very word is an answer: a message that was under way is none. */
void answer_line(struct chat *c, const char *given)
{
	AUTO(free) char *copy = strdup(given);
	char *text = copy ? trim(copy) : NULL;
	bool project = false;
	size_t scope = 0;
	enum word word;

	if (!text)
		return;
	if (!is_of_action(&c->asks, text)) {
		hint(c, "That is the answer to another action.");
		return;
	}
	word = word_of(text);
	if (word == EDIT)
		hint(c, "Write the command after it: e COMMAND");
	else if (word != NONE)
		act(c, word, 0, false);
	else if (strncmp(text, "e ", 2) == 0)
		line_edited(c, text + 2);
	else if (strncmp(text, "r ", 2) == 0 || strncmp(text, "n ", 2) == 0)
		refuse(c, text + 2);
	else if (parse_always(&c->asks, text, &scope, &project))
		act(c, ALWAYS, scope, project);
	else
		hint(c, usage);
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

/* A character: it is an answer if nothing else was typed, and nothing follows. */
static void take_text(struct chat *c, const char *text, size_t len, bool ready)
{
	struct question *q = &c->asks;
	bool first = c->line.text.len == 0, lone = first && ready && !q->editing;

	bool pasted = !first && clock_ms() - c->typed < PASTE_MS;

	answer_edited(c);
	line_insert(&c->line, text, len);
	q->tainted |= (!ready || pasted) && !q->editing;
	if (lone && (strchr("ev", *text) || (strchr("yn", *text) && !is_high(q))))
		q->lone = clock_ms();
}

static void escape(struct chat *c, bool ready)
{
	if (answer_leave_editor(c) || !ready)
		return;
	if (!is_high(&c->asks)) {
		refuse(c, "");
		return;
	}
	line_set(&c->line, "n");
	c->asks.tainted = false;
	c->asks.hint = "Risk HIGH: Enter sends the answer.";
}

/* Enter of a paste, or before the question could be read, is none. */
static void enter(struct chat *c, bool ready)
{
	if (!ready)
		return;
	if (clock_ms() - c->typed < PASTE_MS) {
		c->asks.tainted |= !c->asks.editing;
		hint(c, "Enter came together with text, as in a paste: press it again.");
		return;
	}
	submit(c);
}

/* While a scope is chosen: the next one, and for how long. */
static bool choose(struct chat *c, enum key key)
{
	struct question *q = &c->asks;
	char text[64];
	size_t scope, count = scope_count(q);
	bool project;

	if (q->editing || !count || !parse_always(q, c->line.text.text, &scope, &project))
		return false;
	if (key == KEY_UP && scope > 0)
		scope--;
	else if (key == KEY_DOWN && scope + 1 < count)
		scope++;
	else if (key == KEY_TAB)
		project = !project;
	snprintf(text, sizeof text, "a %zu%s", scope + 1, project ? " project" : "");
	line_set(&c->line, text);
	return true;
}

bool answer_key(struct chat *c, enum key key, const char *text, size_t len)
{
	bool ready = answer_ready(c);

	switch (key) {
	case KEY_TEXT:
		take_text(c, text, len, ready);
		return true;
	case KEY_PASTE:
		answer_edited(c);
		line_insert(&c->line, text, len);
		c->asks.tainted |= !c->asks.editing;
		return true;
	case KEY_ENTER:
		enter(c, ready);
		return true;
	case KEY_ESCAPE:
		escape(c, ready);
		return true;
	case KEY_UP:
	case KEY_DOWN:
	case KEY_TAB:
		return choose(c, key);
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
	act(c, word_of(c->line.text.text), 0, false);
}

/* ---- rows -------------------------------------------------------------- */

const char *answer_lead(const struct chat *c)
{
	if (c->term.plain)
		return "y/n/a/e/v: ";
	return c->asks.editing ? "edit> " : "answer> ";
}

/* The keys, as many of their words as fit. */
static void add_keys(const struct chat *c, struct strbuf *out)
{
	const struct question *q = &c->asks;
	bool always = scope_count(q) > 0, cut = q->hidden > 0;
	bool edit = action_editable(q->event) != NULL;
	const char *then = is_high(q) ? "then Enter; or type why not"
				      : "or type why not, Enter";

	if (q->editing)
		strbuf_add(out, "Enter runs it as it is here   Escape: back");
	else if (!answer_ready(c))
		strbuf_add(out, "...");
	else if (c->term.columns >= 66)
		strbuf_addf(out, "%s   n no%s%s   %s", cut ? "v view all" : "y yes",
			    always ? "   a always" : "", edit ? "   e edit" : "", then);
	else
		strbuf_addf(out, "%s n no%s%s, %s", cut ? "v view" : "y yes",
			    always ? " a always" : "", edit ? " e edit" : "",
			    is_high(q) ? "Enter" : "or why not");
}

static void add_row(struct strbuf *out, const struct style *s, enum paint p,
		    const char *text, size_t len)
{
	paint_begin(out, s, p);
	strbuf_addn(out, text, len);
	paint_end(out, s, p);
	strbuf_addc(out, '\n');
}

static void add_scopes(const struct chat *c, struct strbuf *out)
{
	const struct question *q = &c->asks;
	bool project;
	size_t scope, count = scope_count(q);

	if (q->editing || !parse_always(q, c->line.text.text, &scope, &project))
		return;
	if (!q->listed)
		add_scope_list(c, out, scope);
	if (count) {
		AUTO(strbuf) struct strbuf how = STRBUF(ROWS_MAX);
		const char *keys = "Up, Down: which   Tab: how long   Enter";

		strbuf_addf(&how, "always %zu, for this %s", scope + 1,
			    project ? "project" : "conversation");
		add_row(out, &c->show.style, BOLD, how.text, how.len);
		add_row(out, &c->show.style, DIM, keys, strlen(keys));
	}
}

/* What the screen does not show of the action. */
static void add_rest(const struct chat *c, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf text = STRBUF(ROWS_MAX);
	const struct question *q = &c->asks;

	if (q->editing || q->rows + OTHER_ROWS / 2 <= c->term.rows)
		return;
	if (q->hidden)
		strbuf_addf(&text, "%zu rows of it are hidden: v shows them", q->hidden);
	else
		strbuf_addf(&text, "%zu rows: scroll up to the first", q->rows);
	add_row(out, &c->show.style, YELLOW, text.text, text.len);
}

void answer_rows(const struct chat *c, struct strbuf *out)
{
	const struct question *q = &c->asks;
	AUTO(strbuf) struct strbuf keys = STRBUF(ROWS_MAX);

	add_rest(c, out);
	add_scopes(c, out);
	if (q->hint)
		add_row(out, &c->show.style, YELLOW, q->hint, strlen(q->hint));
	add_keys(c, &keys);
	add_row(out, &c->show.style, REVERSE, keys.text, keys.len);
}
