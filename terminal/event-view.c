/* SPDX-License-Identifier: MIT
 *
 * event-view.c - formats events, using a table by event type. */
#include "event-view.h"

#include "utf8.h"

#include <string.h>

enum { OUT_MAX = 64 << 20, LABEL_MAX = 4 << 20, LABEL_SHOWN = 400 };

void event_view_init(struct event_view *s, const struct style *style)
{
	*s = (struct event_view){ .style = *style,
			    .out = STRBUF(OUT_MAX),
			    .said = STRBUF(OUT_MAX),
			    .doing = STRBUF(LABEL_MAX),
			    .tail = STRBUF(TAIL_BYTES * 2),
			    .action = -1 };
	markdown_init(&s->reply, &s->style);
}

static void begin_reply(struct event_view *s)
{
	strbuf_reset(&s->said);
	s->whole = false;
	s->cut = (struct markdown_cut){ 0 };
}

void event_view_reset(struct event_view *s)
{
	markdown_drop(&s->reply);
	strbuf_reset(&s->doing);
	strbuf_reset(&s->tail);
	json_object_put(s->call);
	s->call = NULL;
	s->unshown = false;
	s->action = -1;
	begin_reply(s);
	s->partial = false;
	s->cost = 0;
	s->input = s->output = 0;
	*s->model = '\0';
}

void event_view_done(struct event_view *s)
{
	event_view_reset(s);
	markdown_done(&s->reply);
	strbuf_clear(&s->out);
	strbuf_clear(&s->said);
	strbuf_clear(&s->doing);
	strbuf_clear(&s->tail);
}

void event_view_remark(struct event_view *s, enum paint p, const char *format, ...)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);
	va_list ap;

	va_start(ap, format);
	strbuf_vaddf(&text, format, ap);
	va_end(ap);
	style_words(&s->out, &s->style, p, text.text, text.len);
}

/* ---- small pieces ------------------------------------------------------ */

/* One empty line between groups. */
static void gap(struct event_view *s)
{
	if (s->out.len < 2 || s->out.text[s->out.len - 2] != '\n')
		strbuf_addc(&s->out, '\n');
}

static void result(struct event_view *s, enum paint p, const char *text, size_t len)
{
	style_result(&s->out, &s->style, p, text, len, RESULT_LINES);
}

static void end_reply(struct event_view *s)
{
	markdown_end(&s->reply, &s->out);
}

static size_t event_view_skip_blanks(const char *text, size_t len, size_t at)
{
	while (at < len && strchr(" \t\r\n", text[at]))
		at++;
	return at;
}

/* The offset in `text` of the part that was not shown yet: one text must be a prefix of
 * the other, except for white space. 0: different texts. */
static size_t shown_of(const struct strbuf *said, const char *text, size_t len)
{
	size_t at = event_view_skip_blanks(text, len, 0);
	size_t i = event_view_skip_blanks(said->text, said->len, 0);

	if (i == said->len)
		return 0;
	while (at < len && i < said->len) {
		if (text[at] != said->text[i])
			return 0;
		at = event_view_skip_blanks(text, len, at + 1);
		i = event_view_skip_blanks(said->text, said->len, i + 1);
	}
	return at;
}

/* The part of the agent's text that has not been shown. */
static void event_view_say(struct event_view *s, const char *text, size_t len)
{
	size_t at = shown_of(&s->said, text, len);

	end_reply(s);
	if (event_view_skip_blanks(text, len, at) == len)
		return;
	gap(s);
	if (at)
		markdown_continue(&s->reply, s->cut);
	markdown_feed(&s->reply, &s->out, text + at, len - at);
	end_reply(s);
}

/* ---- actions ----------------------------------------------------------- */

static void set_doing(struct event_view *s, json_object *event)
{
	strbuf_reset(&s->doing);
	action_label(&s->doing, event);
	strbuf_reset(&s->tail);
	s->cleaner = (struct cleaner){ 0 };
	s->action = js_int(event, "id", -1);
}

/* The action on a line, or on as many as a command has. */
static void action_line(struct event_view *s, json_object *event)
{
	struct block b = {
		.out = &s->out, .style = &s->style, .bar = "", .broken = "  "
	};
	AUTO(strbuf) struct strbuf label = STRBUF(LABEL_MAX);
	json_object *args = js_get(event, "args");
	size_t len;
	const char *command = action_text(args, "command", &len);

	gap(s);
	if (strcmp(js_str(event, "action", ""), "run") == 0) {
		action_block_text(&b, BOLD,
				  js_bool(args, "is_input", false) ? "> " : "$ ", false,
				  command, len);
		return;
	}
	action_label(&label, event);
	style_line(&s->out, &s->style, BOLD, "%.*s",
		   (int)utf8_cut(label.text, label.len, LABEL_SHOWN), label.text);
}

/* Show an action that no prompt has shown, before anything else. */
static void show_unshown(struct event_view *s)
{
	if (s->unshown)
		action_line(s, s->call);
	s->unshown = false;
}

/* ---- questions --------------------------------------------------------- */

/* Show why the action is risky. The reason comes from an analyzer, which may quote
 * the model. */
static void show_risk(struct block *b, const struct question_text *q)
{
	AUTO(strbuf) struct strbuf text = STRBUF(LABEL_MAX);
	bool reason = *q->reason && strcmp(q->risk, "LOW") != 0;
	bool high = strcmp(q->risk, "HIGH") == 0;

	b->bar = "";
	b->broken = "  ";
	b->words = true;
	strbuf_addf(&text, "%s Risk: %s%s%s",
		    q->edited   ? "Run this instead?"
		    : *q->asker ? "Allow this subagent action?"
				: "Allow this action?",
		    q->risk, reason ? ": " : "", reason ? q->reason : "");
	action_block_line(b, high ? RED : YELLOW, "", text.text, text.len);
}

/* The preview is invalid for an edited action. */
static size_t show_preview(struct strbuf *rows, const struct event_view *s,
			   const struct question_text *q)
{
	struct block b = { .out = rows, .style = &s->style };

	if (!json_object_is_type(q->preview, json_type_string) || q->edited)
		return 0;
	action_block_line(&b, DIM, "",
			  "Preview by the tool:", strlen("Preview by the tool:"));
	action_block_text(&b, PLAIN, "  ", false, json_object_get_string(q->preview),
			  (size_t)json_object_get_string_len(q->preview));
	return b.rows;
}

static long show_action_whole(struct event_view *s, const struct question_text *q,
			      size_t *ret_rows)
{
	AUTO(strbuf) struct strbuf rows = STRBUF(BLOCK_MAX);
	size_t hidden;

	if (!q->event)
		return CANNOT_SHOW;
	*ret_rows = action_show(&rows, &s->style, q->event);
	*ret_rows += show_preview(&rows, s, q);
	hidden = action_cut(&rows, &s->style, *ret_rows, q->most);
	*ret_rows -= hidden ? hidden - 1 : 0;
	if (rows.error || s->out.len + rows.len + 1 >= s->out.max)
		return CANNOT_SHOW;
	strbuf_addn(&s->out, rows.text, rows.len);
	return s->out.error ? CANNOT_SHOW : (long)hidden;
}

long event_view_question(struct event_view *s, const struct question_text *q,
			 size_t *ret_rows)
{
	struct block b = { .out = &s->out, .style = &s->style };
	long hidden;

	if (s->unshown && q->event == s->call)
		s->unshown = false;
	show_unshown(s);
	gap(s);
	if (*q->asker)
		style_line(&s->out, &s->style, DIM,
			   "Subagent %s requests approval:", q->asker);
	*ret_rows = 0;
	hidden = show_action_whole(s, q, ret_rows);
	if (hidden == CANNOT_SHOW)
		event_view_remark(
			s, RED,
			"The action cannot be shown here, so it can only be rejected.");
	show_risk(&b, q);
	*ret_rows += b.rows;
	return hidden;
}

void event_view_ask(struct event_view *s, const char *text, size_t len,
		    json_object *choices)
{
	struct block b = { .out = &s->out, .style = &s->style, .words = true };
	size_t n = choices ? json_object_array_length(choices) : 0;

	gap(s);
	action_block_text(&b, YELLOW, "", false, text, len);
	for (size_t i = 0; i < n; i++) {
		json_object *choice = json_object_array_get_idx(choices, i);
		char lead[32];

		snprintf(lead, sizeof lead, "%3zu  ", i + 1);
		action_block_line(&b, PLAIN, lead, json_object_get_string(choice),
				  (size_t)json_object_get_string_len(choice));
	}
	style_line(&s->out, &s->style, DIM, "Escape: decline to answer.");
}

/* Was the approved action edited first? */
static bool is_changed(struct event_view *s, json_object *event)
{
	AUTO(strbuf) struct strbuf label = STRBUF(LABEL_MAX);

	action_label(&label, event);
	return strcmp(label.text, s->doing.text) != 0;
}

static bool event_view_waits_for_user(json_object *event)
{
	return strcmp(js_str(js_get(event, "args"), "confirmation_state", ""),
		      "awaiting_confirmation") == 0;
}

static bool runs_now(json_object *event)
{
	return js_get(js_get(event, "args"), "confirmation_state") &&
	       !event_view_waits_for_user(event);
}

static void event_view_show_call(struct event_view *s, json_object *event)
{
	bool approved = js_get(event, "confirms") != NULL;
	bool changed = approved && is_changed(s, event);

	if (changed)
		s->unshown = false; /* this is the action that runs */
	show_unshown(s);
	set_doing(s, event);
	json_object_put(s->call);
	s->call = json_object_get(event);
	/* For most types it is not known yet whether a prompt will show the action. */
	s->unshown = !approved || changed;
	if (runs_now(event))
		show_unshown(s);
}

static void event_view_show_message(struct event_view *s, json_object *event,
				    json_object *args)
{
	size_t len;
	const char *text = action_text(args, "content", &len);

	if (strcmp(js_str(event, "source", ""), "user") != 0) {
		event_view_say(s, text, len);
		return;
	}
	end_reply(s);
	begin_reply(s);
	gap(s);
	style_head(&s->out, &s->style, CYAN, s->style.attributes ? "> " : "You: ", text,
		   len, MESSAGE_LINES);
}

/* The final message often repeats the text before the call. */
static void event_view_show_finish(struct event_view *s, json_object *args)
{
	size_t len, thought_len;
	const char *text = action_text(args, "final_thought", &len);
	const char *thought = action_text(args, "thought", &thought_len);

	if (s->said.len == 0)
		strbuf_addn(&s->said, thought, thought_len);
	event_view_say(s, text, len);
}

static void event_view_show_tasks(struct event_view *s, json_object *args)
{
	json_object *list = js_get(args, "task_list");
	size_t count = js_length(list);

	for (size_t i = 0; i < count; i++) {
		json_object *task = json_object_array_get_idx(list, i);
		const char *status = js_str(task, "status", "");

		style_line(&s->out, &s->style, PLAIN, "  [%s] %s",
			   strcmp(status, "done") == 0          ? "x"
			   : strcmp(status, "in_progress") == 0 ? ">"
								: " ",
			   js_str(task, "title", ""));
	}
}

static void event_view_show_thought(struct event_view *s, const char *type,
				    json_object *args)
{
	size_t len, at;
	const char *text = action_text(args, "thought", &len);

	if (strcmp(type, "think") != 0) {
		event_view_say(s, text, len);
		return;
	}
	end_reply(s);
	at = event_view_skip_blanks(text, len, shown_of(&s->said, text, len));
	gap(s);
	result(s, DIM, text + at, len - at);
}

static void show_action(struct event_view *s, json_object *event, const char *type)
{
	static const struct {
		const char *name;
		void (*show)(struct event_view *s, json_object *args);
		enum paint style; /* of the text, without `show` */
		const char *text; /* NULL: the thought is shown, nothing else */
	} types[] = {
		{ .name = "finish", .show = event_view_show_finish },
		{ .name = "task_tracking", .show = event_view_show_tasks },
		{ .name = "think" },
		{ "condensation", NULL, DIM, "The history was condensed." },
		{ "condensation_request", NULL, DIM,
		  "The history will be condensed before the next request." },
		{ "reject", NULL, YELLOW, "The agent gave up on the task." },
	};
	__auto_type row = ROW_NAMED(types, type);
	json_object *args = js_get(event, "args");

	if (strcmp(type, "message") == 0) {
		show_unshown(s);
		event_view_show_message(s, event, args);
		return;
	}
	if (strcmp(js_str(event, "source", ""), "environment") == 0)
		return;
	event_view_show_thought(s, type, args);
	if (!row)
		event_view_show_call(s, event);
	else if (row->show)
		row->show(s, args);
	else if (row->text)
		style_line(&s->out, &s->style, row->style, "%s", row->text);
}

/* ---- observations ------------------------------------------------------ */

static void show_command(struct event_view *s, json_object *event)
{
	json_object *meta = js_path(event, "extras.metadata");
	int64_t code = js_int(meta, "exit_code", -1);
	size_t len;
	const char *text = action_text(event, "content", &len);
	const char *suffix = js_str(meta, "suffix", "");

	result(s, DIM, text, len);
	if (code > 0)
		style_line(&s->out, &s->style, RED, "  exit code %lld", (long long)code);
	else if (code < 0 && *suffix)
		result(s, YELLOW, suffix, strlen(suffix));
}

/* The text of a file is for the model; an error is shown. */
static void event_view_show_read(struct event_view *s, json_object *event)
{
	static const char error[] = "ERROR:\n";
	size_t lead = sizeof error - 1, len;
	const char *text = action_text(event, "content", &len);

	if (len > lead && memcmp(text, error, lead) == 0)
		result(s, RED, text + lead, len - lead);
	else
		style_line(&s->out, &s->style, DIM, "  %zu byte%s", len,
			   len == 1 ? "" : "s");
}

static void show_edit(struct event_view *s, json_object *event)
{
	json_object *extras = js_get(event, "extras");
	size_t len, content_len;
	const char *diff = action_text(extras, "diff", &len);
	const char *content = action_text(event, "content", &content_len);

	if (len)
		style_diff(&s->out, &s->style, diff, len);
	else
		result(s, DIM, content, content_len);
}

static void show_observation(struct event_view *s, json_object *event, const char *type)
{
	static const struct {
		const char *name;
		void (*show)(struct event_view *s, json_object *event);
		enum paint style; /* of the content, without `show` */
		bool silent;
	} types[] = {
		{ .name = "null", .silent = true },
		{ .name = "agent_state_changed", .silent = true },
		{ .name = "recall", .silent = true },
		{ .name = "think", .silent = true },
		{ .name = "condense", .silent = true },
		{ .name = "success", .silent = true },
		{ .name = "task_tracking", .silent = true },
		{ .name = "run", .show = show_command },
		{ .name = "edit", .show = show_edit },
		{ .name = "read", .show = event_view_show_read },
		{ .name = "error", .style = RED },
		{ .name = "user_rejected", .style = YELLOW },
	};
	__auto_type row = ROW_NAMED(types, type);
	size_t len;
	const char *text = action_text(event, "content", &len);

	if (row && row->silent)
		return;
	show_unshown(s);
	if (js_int(event, "cause", -2) == s->action) {
		strbuf_reset(&s->doing);
		strbuf_reset(&s->tail);
		s->action = -1;
	}
	if (row && row->show)
		row->show(s, event);
	else
		result(s, row ? row->style : DIM, text, len);
}

/* ---- usage ------------------------------------------------------------- */

static void take_bill(struct event_view *s, json_object *metrics)
{
	json_object *usage = js_get(metrics, "accumulated_token_usage");

	if (!metrics)
		return;
	s->cost = js_number(metrics, "accumulated_cost", s->cost);
	s->input = js_int(usage, "prompt_tokens", s->input);
	s->output = js_int(usage, "completion_tokens", s->output);
}

static void take_usage(struct event_view *s, json_object *line)
{
	json_object *usage = js_get(line, "usage");

	end_reply(s);
	if (s->whole) /* no part of this reply was streamed */
		begin_reply(s);
	s->whole = true;
	s->partial = s->partial && s->replaying;
	snprintf(s->model, sizeof s->model, "%s", js_str(line, "model", ""));
	utf8_blank_controls(s->model, strlen(s->model));
	s->input += js_int(usage, "input", 0);
	s->output += js_int(usage, "output", 0);
	s->cost += js_number(usage, "cost", 0);
}

/* ---- lines ------------------------------------------------------------- */

/* Actions without a line of their own; their observations are shown. */
static bool is_internal(const char *action)
{
	static const char *const internal[] = { "system", "recall", "null",
						"change_agent_state" };

	for (size_t i = 0; i < ARRAY_LEN(internal); i++)
		if (strcmp(action, internal[i]) == 0)
			return true;
	return false;
}

void event_view_event(struct event_view *s, json_object *event)
{
	const char *action = js_str(event, "action", NULL);
	const char *observation = js_str(event, "observation", NULL);
	bool hidden = js_bool(js_get(event, "args"), "hidden", false) ||
		      js_bool(js_get(event, "extras"), "hidden", false);

	take_bill(s, js_get(event, "llm_metrics"));
	s->partial = s->partial && s->replaying;
	if (hidden && !event_view_waits_for_user(event))
		return;
	if (action && !is_internal(action))
		show_action(s, event, action);
	else if (observation)
		show_observation(s, event, observation);
}

static void take_delta(struct event_view *s, json_object *line)
{
	size_t len;
	const char *text = action_text(line, "text", &len);

	if (js_bool(line, "reasoning", false) || !len || s->partial)
		return;
	show_unshown(s);
	if (s->whole)
		begin_reply(s);
	if (!s->said.len)
		gap(s);
	strbuf_addn(&s->said, text, len);
	markdown_feed(&s->reply, &s->out, text, len);
}

static void event_view_take_output(struct event_view *s, json_object *line)
{
	size_t len;
	const char *text = action_text(line, "text", &len);

	if (js_int(line, "action", -1) != s->action)
		return;
	show_unshown(s);
	for (size_t i = 0, n; i < len; i += n) { /* room for all of a piece */
		n = len - i > TAIL_BYTES / 8 ? TAIL_BYTES / 8 : len - i;
		if (s->tail.len > TAIL_BYTES)
			strbuf_consume(&s->tail, s->tail.len - TAIL_BYTES / 2);
		while (((unsigned char)*s->tail.text & 0xc0) == 0x80)
			strbuf_consume(&s->tail, 1);
		text_clean_feed(&s->cleaner, &s->tail, text + i, n);
	}
}

static void event_view_take_notice(struct event_view *s, json_object *line)
{
	const char *level = js_str(line, "level", "");

	show_unshown(s);
	if (strcmp(level, "info") != 0)
		event_view_remark(s, strcmp(level, "error") == 0 ? RED : YELLOW, "%s",
				  js_str(line, "text", ""));
}

static void take_side_answer(struct event_view *s, json_object *line)
{
	const char *error = js_str(line, "error", NULL);

	show_unshown(s);
	event_view_remark(s, DIM, "btw: %s", js_str(line, "question", ""));
	event_view_remark(s, error ? RED : PLAIN, "%s",
			  error ? error : js_str(line, "text", ""));
}

static void take_retry(struct event_view *s, json_object *line)
{
	bool shown = s->said.len && s->reply.any;

	markdown_drop(&s->reply);
	begin_reply(s);
	s->partial = false;
	event_view_remark(s, YELLOW, "%s; retrying in %lld s%s",
			  js_str(line, "error", "the request failed"),
			  (long long)(js_int(line, "wait_ms", 0) + 500) / 1000,
			  shown ? "; the response restarts" : "");
}

void event_view_live(struct event_view *s, json_object *line)
{
	static const struct {
		const char *name;
		void (*take)(struct event_view *s, json_object *line);
	} types[] = {
		{ "delta", take_delta },
		{ "output", event_view_take_output },
		{ "notice", event_view_take_notice },
		{ "side_answer", take_side_answer },
		{ "retry", take_retry },
		{ "reply", take_usage },
	};
	__auto_type row = ROW_NAMED(types, js_str(line, "type", ""));

	if (row)
		row->take(s, line);
}

static void end_action(struct event_view *s)
{
	strbuf_reset(&s->doing);
	strbuf_reset(&s->tail);
	s->action = -1;
}

void event_view_rest(struct event_view *s)
{
	show_unshown(s);
	end_reply(s);
	begin_reply(s);
	s->partial = false;
	end_action(s);
}

void event_view_disconnect(struct event_view *s)
{
	size_t len = s->said.len;

	show_unshown(s);
	while (!s->whole && len && !strchr(" \t\r\n", s->said.text[len - 1]))
		len--;
	if (len < s->said.len)
		markdown_drop_word(&s->reply);
	strbuf_cut(&s->said, len);
	s->cut = markdown_cut(&s->reply);
	end_reply(s);
	end_action(s);
}

void event_view_reconnect(struct event_view *s, bool busy)
{
	if (!busy)
		s->whole = true; /* the next streamed text is another reply */
	s->partial = busy;
}
