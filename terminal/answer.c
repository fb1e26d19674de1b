/* SPDX-License-Identifier: MIT
 *
 * answer.c - the action that waits for the user: shown, edited, approved or rejected. */
#include "chat.h"

#include "clock.h"
#include "text.h"
#include "utf8.h"
#include "visible.h"

#include <string.h>

enum { MEMBERS_MAX = 1 << 20 };

/* ---- opened and closed ------------------------------------------------- */

bool answer_is_high(const struct question *q)
{
	return strcmp(q->risk, "HIGH") == 0;
}

size_t answer_scopes(const struct question *q)
{
	bool list = json_object_is_type(q->scopes, json_type_array);
	size_t count = list && !answer_is_high(q) && !q->edited
			       ? json_object_array_length(q->scopes)
			       : 0;

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
	json_object *list = NULL, *one = NULL;

	if (js_get(waits, "scopes"))
		return json_object_get(js_get(waits, "scopes"));
	if (!*kind)
		return NULL;
	list = json_object_new_array();
	one = json_object_new_object();
	if (js_set_str(one, "text", kind) == MT_OK && js_add_new(list, one) == MT_OK)
		return list;
	json_object_put(list);
	return NULL;
}

bool answer_is_open(const struct chat *c, json_object *waits, const char *asker)
{
	const struct question *q = &c->asks;

	return q->open && strcmp(q->asker, asker) == 0 &&
	       js_int(waits, "action", -1) == q->action &&
	       strcmp(js_str(waits, "hash", ""), q->hash) == 0;
}

size_t answer_scope_rows(const struct chat *c, struct strbuf *out, size_t chosen)
{
	const struct question *q = &c->asks;
	struct block b = { .out = out, .style = &c->show.style };

	for (size_t i = 0; i < answer_scopes(q); i++) {
		size_t len;
		const char *text = scope_text(q, i, &len);
		char lead[32];

		snprintf(lead, sizeof lead, "%s%zu ", i == chosen ? ">" : " ", i + 1);
		action_block_line(&b, i == chosen ? BOLD : PLAIN, lead, text, len);
	}
	return b.rows;
}

/* Where no list can be opened, or it would be too high, the scopes come with the
 * question: none is granted that was not shown whole. */
static void list_scopes(struct chat *c)
{
	AUTO(strbuf) struct strbuf list = STRBUF(BLOCK_MAX);
	struct question *q = &c->asks;
	size_t rows = answer_scope_rows(c, &list, q->scope);

	q->listed = rows > 0 && (c->term.plain || rows + OTHER_ROWS > c->term.rows);
	if (!q->listed || c->show.out.len + list.len >= c->show.out.max)
		return;
	event_view_remark(&c->show, PLAIN, "Scopes of \"always\":");
	strbuf_addn(&c->show.out, list.text, list.len);
}

static void answer_show(struct chat *c, size_t most)
{
	struct question *q = &c->asks;
	struct question_text text = { .event = q->edited ? q->edited : q->event,
				      .asker = q->asker,
				      .risk = q->risk,
				      .reason = q->reason ? q->reason : "",
				      .preview = q->preview,
				      .edited = q->edited,
				      .most = most };
	long hidden = event_view_question(&c->show, &text, &q->rows);

	list_scopes(c);
	if (c->term.plain)
		event_view_remark(&c->show, YELLOW,
				  "Answer y (yes), n [REASON] (no)%s%s%s%.6s%s.",
				  action_editable(q->event) ? ", e COMMAND (edit)" : "",
				  answer_scopes(q) ? ", a (always)" : "",
				  *q->hash ? "; y " : "", q->hash,
				  *q->hash ? " applies only to this action" : "");
	q->hopeless = hidden == CANNOT_SHOW;
	q->hidden = hidden > 0 ? (size_t)hidden : 0;
	q->drawn = q->lone = 0;
	q->hint = NULL;
	q->tainted = c->line.text.len > 0;
}

static void answer_clear(struct question *q)
{
	json_object_put(q->event);
	json_object_put(q->edited);
	json_object_put(q->scopes);
	json_object_put(q->preview);
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
	const char *reason =
		js_str(waits, "reason", *asker ? "" : after_colon(c->reason));

	if (answer_is_open(c, waits, asker))
		return;
	answer_close(c);
	snprintf(q->asker, sizeof q->asker, "%s", asker);
	q->action = js_int(waits, "action", -1);
	snprintf(q->hash, sizeof q->hash, "%s", js_str(waits, "hash", ""));
	snprintf(q->risk, sizeof q->risk, "%s", js_str(waits, "risk", "UNKNOWN"));
	q->reason = strdup(reason);
	q->event = js_int(event, "id", -2) == q->action ? json_object_get(event) : NULL;
	q->preview = json_object_get(js_get(waits, "preview"));
	q->scopes = take_scopes(waits);
	q->scope = (size_t)js_int(waits, "scope", 0);
	q->scope = q->scope < answer_scopes(q) ? q->scope : 0;
	q->open = true;
	chat_set_mode(c, MODE_ANSWER);
	answer_show(c, QUESTION_ROWS);
	chat_notify(c, "an action is waiting for approval");
}

void answer_close(struct chat *c)
{
	if (c->asks.editing)
		line_editor_set(&c->line, "");
	answer_clear(&c->asks);
	if (c->mode == MODE_ANSWER)
		chat_set_mode(c, c->question ? MODE_TOOL : MODE_TYPE);
}

void answer_again(struct chat *c, size_t before)
{
	if (c->mode == MODE_ANSWER && c->show.out.len > before)
		answer_show(c, QUESTION_ROWS);
}

void answer_refused(struct chat *c)
{
	if (!c->asks.open || !c->asks.sent)
		return;
	c->asks.sent = false;
	c->busy = false;
	chat_set_mode(c, MODE_ANSWER);
	answer_show(c, QUESTION_ROWS);
}

/* ---- sending ---------------------------------------------------------- */

void answer_hint(struct chat *c, const char *text)
{
	c->asks.hint = text;
	c->asks.lone = 0;
	if (c->term.plain)
		event_view_remark(&c->show, YELLOW, "%s", text);
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
		answer_hint(c, "The answer is too long to send.");
	} else if (chat_command_members(c, type, members->text)) {
		q->sent = true;
		q->lone = 0;
		q->hint = NULL;
		q->editing = false;
		line_editor_set(&c->line, "");
		chat_set_mode(c, c->question ? MODE_TOOL : MODE_TYPE);
		c->busy = true; /* until its state reports the result */
		c->began = clock_ms();
	}
}

void answer_refuse(struct chat *c, const char *reason)
{
	AUTO(strbuf) struct strbuf members = STRBUF(MEMBERS_MAX);

	begin_members(&c->asks, &members);
	if (*reason)
		js_key_str(&members, "reason", reason);
	send(c, "reject", &members);
}

/* Scope < 0: allow the action once. */
void answer_allow(struct chat *c, long scope, bool project)
{
	AUTO(strbuf) struct strbuf members = STRBUF(MEMBERS_MAX);
	struct question *q = &c->asks;
	const char *member = q->edited ? action_editable(q->edited) : NULL;

	if (q->hopeless || q->hidden) {
		answer_hint(
			c,
			q->hidden
				? "The action is not fully shown; press v to view all."
				: "The action cannot be shown here, so it can only be rejected.");
		line_editor_set(&c->line, "");
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
static bool to_line(struct line_editor *l, const char *text, size_t len)
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
	line_editor_set(l, "");
	line_editor_insert(l, clean.text, clean.len);
	return l->text.len == len && memcmp(l->text.text, text, len) == 0;
}

void answer_edit(struct chat *c)
{
	struct question *q = &c->asks;
	json_object *event = q->edited ? q->edited : q->event;
	const char *member = action_editable(event);
	size_t len;
	const char *text = member ? action_text(js_get(event, "args"), member, &len) : "";

	line_editor_set(&c->line, "");
	if (!member || q->hopeless || q->hidden) {
		answer_hint(
			c,
			!member ? "This action cannot be edited."
				: "The action is not fully shown; press v to view all.");
		return;
	}
	q->hint = to_line(&c->line, text, len) ? NULL
					       : "Invisible characters were removed.";
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
	line_editor_set(&c->line, "");
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

/* Text without ambiguous characters runs as typed; other text is shown first. */
void answer_run_edited(struct chat *c, const char *text)
{
	struct question *q = &c->asks;
	json_object *changed = changed_event(q->event, text, strlen(text));
	bool plain = visible_is_plain(VISIBLE_LINES, text, strlen(text));

	if (!changed || text[strspn(text, " \t\n")] == '\0') {
		json_object_put(changed);
		answer_hint(c, "The command is empty; n refuses the action.");
		return;
	}
	json_object_put(q->edited);
	q->edited = changed;
	if (plain) {
		answer_allow(c, -1, false);
		return;
	}
	answer_leave_editor(c);
	answer_show(c, QUESTION_ROWS);
}

void answer_view(struct chat *c)
{
	line_editor_set(&c->line, "");
	answer_show(c, SIZE_MAX);
}
