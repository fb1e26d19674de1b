/* SPDX-License-Identifier: MIT
 *
 * show.c - a table of the events, and how each is shown. */
#include "show.h"

#include "utf8.h"

#include <string.h>

enum { OUT_MAX = 64 << 20, LABEL_MAX = 4 << 20 };

void show_init(struct show *s, const struct style *style)
{
	*s = (struct show){ .style = *style,
			    .out = STRBUF(OUT_MAX),
			    .doing = STRBUF(LABEL_MAX),
			    .tail = STRBUF(TAIL_BYTES * 2),
			    .action = -1 };
	markdown_init(&s->reply, &s->style);
}

void show_reset(struct show *s)
{
	markdown_drop(&s->reply);
	strbuf_reset(&s->doing);
	strbuf_reset(&s->tail);
	json_object_put(s->call);
	s->call = NULL;
	s->asked = false;
	s->action = -1;
	s->streamed = false;
	s->cost = 0;
	s->input = s->output = 0;
	*s->model = '\0';
}

void show_done(struct show *s)
{
	show_reset(s);
	markdown_done(&s->reply);
	strbuf_clear(&s->out);
	strbuf_clear(&s->doing);
	strbuf_clear(&s->tail);
}

void show_remark(struct show *s, enum paint p, const char *format, ...)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);
	va_list ap;

	va_start(ap, format);
	strbuf_vaddf(&text, format, ap);
	va_end(ap);
	paint_words(&s->out, &s->style, p, text.text, text.len);
}

/* ---- small pieces ------------------------------------------------------ */

static const char *text_of(json_object *o, const char *name, size_t *ret_len)
{
	json_object *value = js_get(o, name);
	bool is_text = json_object_is_type(value, json_type_string);

	*ret_len = is_text ? (size_t)json_object_get_string_len(value) : 0;
	return is_text ? json_object_get_string(value) : "";
}

/* One empty line between what belongs together. */
static void gap(struct show *s)
{
	if (s->out.len < 2 || s->out.text[s->out.len - 2] != '\n')
		strbuf_addc(&s->out, '\n');
}

static void result(struct show *s, enum paint p, const char *text, size_t len)
{
	paint_result(&s->out, &s->style, p, text, len, RESULT_LINES);
}

static void end_reply(struct show *s)
{
	markdown_end(&s->reply, &s->out);
}

/* A text of the agent, unless it streamed. */
static void say(struct show *s, const char *text, size_t len)
{
	if (!s->streamed && len) {
		gap(s);
		markdown_feed(&s->reply, &s->out, text, len);
	}
	end_reply(s);
	s->streamed = false;
}

/* ---- actions ----------------------------------------------------------- */

/* The action on one line. */
static void label(struct strbuf *out, const char *type, json_object *args)
{
	const char *command = js_str(args, "command", ""), *path = js_str(args, "path", "");
	const char *name = js_str(args, "name", "");
	size_t len;

	if (strcmp(type, "run") == 0)
		strbuf_addf(out, "%s %s", js_bool(args, "is_input", false) ? ">" : "$",
			    command);
	else if (strcmp(type, "run_ipython") == 0)
		strbuf_addf(out, "python: %s", js_str(args, "code", ""));
	else if (*path)
		strbuf_addf(out, "%s %s", *command ? command : type, path);
	else if (*name)
		strbuf_addf(out, "%s %s", name, js_text(js_get(args, "arguments"), &len));
	else if (*js_str(args, "url", ""))
		strbuf_addf(out, "%s %s", type, js_str(args, "url", ""));
	else if (*js_str(args, "browser_actions", ""))
		strbuf_addf(out, "browser: %s", js_str(args, "browser_actions", ""));
	else if (*js_str(args, "agent", ""))
		strbuf_addf(out, "%s %s", type, js_str(args, "agent", ""));
	else
		strbuf_add(out, type);
}

static void set_doing(struct show *s, json_object *event, const char *type,
		      json_object *args)
{
	AUTO(strbuf) struct strbuf text = STRBUF(LABEL_MAX);

	label(&text, type, args);
	strbuf_reset(&s->doing);
	text_clean_line(&s->doing, text.text, text.len);
	strbuf_reset(&s->tail);
	s->cleaner = (struct cleaner){ 0 };
	s->action = js_int(event, "id", -1);
}

/* Each argument whole. */
static void all_arguments(struct show *s, json_object *args)
{
	static const char *const passed[] = { "thought", "security_risk",
					      "confirmation_state" };

	json_object_object_foreach(args, name, value)
	{
		bool skip = !value || json_object_is_type(value, json_type_boolean);
		size_t len;
		const char *text = json_object_is_type(value, json_type_string)
					   ? text_of(args, name, &len)
					   : js_text(value, &len);

		for (size_t i = 0; i < ARRAY_LEN(passed); i++)
			skip |= strcmp(name, passed[i]) == 0;
		if (skip || len == 0)
			continue;
		paint_line(&s->out, &s->style, PLAIN, "  %s:", name);
		paint_lines(&s->out, &s->style, PLAIN, "    ", text, len);
	}
}

/* What an edit is about to change. */
static void change(struct show *s, json_object *args)
{
	const char *text = js_str(args, "file_text", js_str(args, "content", ""));

	paint_change(&s->out, &s->style, js_str(args, "old_str", ""),
		     js_str(args, "new_str", text));
}

/* What the line does not say. */
static void call_details(struct show *s, const char *type, json_object *args)
{
	if (strcmp(type, "run") == 0)
		return;
	if (*js_str(args, "path", ""))
		change(s, args);
	else
		all_arguments(s, args);
}

/* The action on a line, or on as many as a command has. */
static void action_line(struct show *s, const char *type, json_object *args,
			const char *doing)
{
	size_t len;
	const char *command = text_of(args, "command", &len);

	if (strcmp(type, "run") == 0)
		paint_lines(&s->out, &s->style, BOLD,
			    js_bool(args, "is_input", false) ? "> " : "$ ", command, len);
	else
		paint_line(&s->out, &s->style, BOLD, "%.400s", doing);
}

static const char *risk_of(json_object *args, json_object *waits)
{
	static const char *const names[] = { "LOW", "MEDIUM", "HIGH" };
	int64_t risk = js_int(args, "security_risk", -1);

	return js_str(waits, "risk", risk >= 0 && risk < 3 ? names[risk] : "UNKNOWN");
}

/* "risk HIGH: it runs what was downloaded": what follows the risk. */
static const char *why_risky(const char *reason, const char *risk)
{
	const char *colon = strstr(reason, ": ");

	return colon && strcmp(risk, "LOW") != 0 ? colon : "";
}

void show_question(struct show *s, json_object *waits, const char *reason)
{
	json_object *args = js_get(s->call, "args");
	const char *risk = risk_of(args, waits);

	if (!s->call || s->asked)
		return;
	s->asked = true;
	call_details(s, js_str(s->call, "action", ""), args);
	show_remark(s, strcmp(risk, "HIGH") == 0 ? RED : YELLOW,
		    "May the agent do this? Risk: %s%s", risk, why_risky(reason, risk));
}

void show_ask(struct show *s, const char *text, json_object *choices)
{
	size_t n = choices ? json_object_array_length(choices) : 0;

	gap(s);
	paint_lines(&s->out, &s->style, YELLOW, "", text, strlen(text));
	for (size_t i = 0; i < n; i++)
		paint_line(&s->out, &s->style, PLAIN, "%3zu  %s", i + 1,
			   json_object_get_string(json_object_array_get_idx(choices, i)));
	paint_line(&s->out, &s->style, DIM, "Escape: no answer.");
}

void show_foreign(struct show *s, json_object *ask)
{
	AUTO(strbuf) struct strbuf text = STRBUF(LABEL_MAX);
	json_object *event = js_get(ask, "event"), *args = js_get(event, "args");
	const char *type = js_str(event, "action", ""), *risk = risk_of(args, ask);

	label(&text, type, args);
	gap(s);
	paint_line(&s->out, &s->style, DIM, "The delegate %s asks:",
		   js_str(ask, "conversation", ""));
	action_line(s, type, args, text.text);
	call_details(s, type, args);
	paint_line(&s->out, &s->style, strcmp(risk, "HIGH") == 0 ? RED : YELLOW,
		   "May it do this? Risk: %s", risk);
}

static void show_call(struct show *s, json_object *event, const char *type,
		      json_object *args)
{
	set_doing(s, event, type, args);
	json_object_put(s->call);
	s->call = json_object_get(event);
	s->asked = false;
	if (js_get(event, "confirms"))
		return; /* the answer to a question: it was shown */
	gap(s);
	action_line(s, type, args, s->doing.text);
}

static void show_message(struct show *s, json_object *event, json_object *args)
{
	size_t len;
	const char *text = text_of(args, "content", &len);

	if (strcmp(js_str(event, "source", ""), "user") != 0) {
		if (js_get(event, "tool_call_metadata")) /* a question: only a part streamed */
			s->streamed = false;
		say(s, text, len);
		return;
	}
	end_reply(s);
	gap(s);
	paint_head(&s->out, &s->style, CYAN, s->style.attributes ? "> " : "You: ", text, len,
		   MESSAGE_LINES);
}

static void show_finish(struct show *s, json_object *args)
{
	size_t len;
	const char *text = text_of(args, "final_thought", &len);

	s->streamed = false;
	say(s, text, len);
}

static void show_tasks(struct show *s, json_object *args)
{
	json_object *list = js_get(args, "task_list");
	size_t count = json_object_is_type(list, json_type_array)
			       ? json_object_array_length(list)
			       : 0;

	for (size_t i = 0; i < count; i++) {
		json_object *task = json_object_array_get_idx(list, i);
		const char *status = js_str(task, "status", "");

		paint_line(&s->out, &s->style, PLAIN, "  [%s] %s",
			   strcmp(status, "done") == 0          ? "x"
			   : strcmp(status, "in_progress") == 0 ? ">"
								: " ",
			   js_str(task, "title", ""));
	}
}

static void show_thought(struct show *s, const char *type, json_object *args)
{
	size_t len;
	const char *text = text_of(args, "thought", &len);

	if (strcmp(type, "think") == 0) {
		end_reply(s);
		s->streamed = false;
		gap(s);
		result(s, DIM, text, len);
	} else {
		say(s, text, len);
	}
}

static void show_action(struct show *s, json_object *event, const char *type)
{
	json_object *args = js_get(event, "args");

	if (strcmp(type, "message") == 0) {
		show_message(s, event, args);
		return;
	}
	if (strcmp(js_str(event, "source", ""), "environment") == 0)
		return;
	show_thought(s, type, args);
	if (strcmp(type, "finish") == 0)
		show_finish(s, args);
	else if (strcmp(type, "task_tracking") == 0)
		show_tasks(s, args);
	else if (strcmp(type, "condensation") == 0)
		paint_line(&s->out, &s->style, DIM, "The history was condensed.");
	else if (strcmp(type, "condensation_request") == 0)
		paint_line(&s->out, &s->style, DIM,
			   "The history is condensed before the next request.");
	else if (strcmp(type, "reject") == 0)
		paint_line(&s->out, &s->style, YELLOW, "The agent gives the task up.");
	else if (strcmp(type, "think") != 0)
		show_call(s, event, type, args);
}

/* ---- observations ------------------------------------------------------ */

static void show_command(struct show *s, json_object *event)
{
	json_object *meta = js_path(event, "extras.metadata");
	int64_t code = js_int(meta, "exit_code", -1);
	size_t len;
	const char *text = text_of(event, "content", &len);
	const char *suffix = js_str(meta, "suffix", "");

	result(s, DIM, text, len);
	if (code > 0)
		paint_line(&s->out, &s->style, RED, "  exit code %lld", (long long)code);
	else if (code < 0 && *suffix)
		result(s, YELLOW, suffix, strlen(suffix));
}

static void show_edit(struct show *s, json_object *event)
{
	json_object *extras = js_get(event, "extras");
	size_t len, content_len;
	const char *diff = text_of(extras, "diff", &len);
	const char *content = text_of(event, "content", &content_len);

	if (len)
		paint_diff(&s->out, &s->style, diff, len);
	else
		result(s, DIM, content, content_len);
}

static void show_observation(struct show *s, json_object *event, const char *type)
{
	static const char *const silent[] = { "null", "agent_state_changed", "recall",
					      "think", "condense", "success",
					      "task_tracking" };
	size_t len;
	const char *text = text_of(event, "content", &len);

	for (size_t i = 0; i < ARRAY_LEN(silent); i++)
		if (strcmp(type, silent[i]) == 0)
			return;
	if (js_int(event, "cause", -2) == s->action) {
		strbuf_reset(&s->doing);
		strbuf_reset(&s->tail);
		s->action = -1;
	}
	if (strcmp(type, "run") == 0)
		show_command(s, event);
	else if (strcmp(type, "edit") == 0)
		show_edit(s, event);
	else if (strcmp(type, "read") == 0)
		paint_line(&s->out, &s->style, DIM, "  %zu bytes", len);
	else if (strcmp(type, "error") == 0)
		result(s, RED, text, len);
	else if (strcmp(type, "user_rejected") == 0)
		result(s, YELLOW, text, len);
	else
		result(s, DIM, text, len);
}

/* ---- the bill ---------------------------------------------------------- */

static void take_bill(struct show *s, json_object *metrics)
{
	json_object *usage = js_get(metrics, "accumulated_token_usage");

	if (!metrics)
		return;
	s->cost = js_number(metrics, "accumulated_cost", s->cost);
	s->input = js_int(usage, "prompt_tokens", s->input);
	s->output = js_int(usage, "completion_tokens", s->output);
}

static void take_usage(struct show *s, json_object *line)
{
	json_object *usage = js_get(line, "usage");

	snprintf(s->model, sizeof s->model, "%s", js_str(line, "model", ""));
	utf8_blank_controls(s->model, strlen(s->model));
	s->input += js_int(usage, "input", 0);
	s->output += js_int(usage, "output", 0);
	s->cost += js_number(usage, "cost", 0);
}

/* ---- lines ------------------------------------------------------------- */

void show_event(struct show *s, json_object *event)
{
	const char *action = js_str(event, "action", NULL);
	const char *observation = js_str(event, "observation", NULL);
	bool hidden = js_bool(js_get(event, "args"), "hidden", false) ||
		      js_bool(js_get(event, "extras"), "hidden", false);

	take_bill(s, js_get(event, "llm_metrics"));
	if (hidden)
		return;
	if (action && strcmp(action, "system") != 0 && strcmp(action, "recall") != 0 &&
	    strcmp(action, "null") != 0 && strcmp(action, "change_agent_state") != 0)
		show_action(s, event, action);
	else if (observation)
		show_observation(s, event, observation);
}

static void take_delta(struct show *s, json_object *line)
{
	size_t len;
	const char *text = text_of(line, "text", &len);

	if (js_bool(line, "reasoning", false) || !len)
		return;
	if (!s->streamed)
		gap(s);
	s->streamed = true;
	markdown_feed(&s->reply, &s->out, text, len);
}

static void take_output(struct show *s, json_object *line)
{
	size_t len;
	const char *text = text_of(line, "text", &len);

	if (js_int(line, "action", -1) != s->action)
		return;
	for (size_t i = 0, n; i < len; i += n) { /* room for all of a piece */
		n = len - i > TAIL_BYTES / 8 ? TAIL_BYTES / 8 : len - i;
		if (s->tail.len > TAIL_BYTES)
			strbuf_consume(&s->tail, s->tail.len - TAIL_BYTES / 2);
		while (((unsigned char)*s->tail.text & 0xc0) == 0x80)
			strbuf_consume(&s->tail, 1);
		clean_feed(&s->cleaner, &s->tail, text + i, n);
	}
}

static void take_notice(struct show *s, json_object *line)
{
	const char *level = js_str(line, "level", "");

	if (strcmp(level, "info") != 0)
		paint_line(&s->out, &s->style,
			   strcmp(level, "error") == 0 ? RED : YELLOW, "%s",
			   js_str(line, "text", ""));
}

static void take_retry(struct show *s, json_object *line)
{
	bool shown = s->streamed && s->reply.any;

	markdown_drop(&s->reply);
	s->streamed = false;
	paint_line(&s->out, &s->style, YELLOW, "%s; next try in %lld s%s",
		   js_str(line, "error", "the request failed"),
		   (long long)(js_int(line, "wait_ms", 0) + 500) / 1000,
		   shown ? "; the answer begins anew" : "");
}

void show_live(struct show *s, json_object *line)
{
	const char *type = js_str(line, "type", "");

	if (strcmp(type, "delta") == 0)
		take_delta(s, line);
	else if (strcmp(type, "output") == 0)
		take_output(s, line);
	else if (strcmp(type, "notice") == 0)
		take_notice(s, line);
	else if (strcmp(type, "retry") == 0)
		take_retry(s, line);
	else if (strcmp(type, "reply") == 0)
		take_usage(s, line);
}

void show_rest(struct show *s)
{
	end_reply(s);
	s->streamed = false;
	strbuf_reset(&s->doing);
	strbuf_reset(&s->tail);
	s->action = -1;
}
