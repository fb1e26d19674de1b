/* SPDX-License-Identifier: MIT
 *
 * render.c - formats events as text. */
#include "render.h"
#include "commands.h"

#include "clock.h"
#include "utf8.h"

#include <string.h>

enum { SHOWN_LINES = 12, SHOWN_LINE = 200 };

struct render {
	FILE *out;
	enum render_style style;
	bool terminal, color;
	bool streamed;       /* the reply being streamed has been shown */
	bool midline;        /* the cursor is not at the start of a line */
	bool live;           /* live output of the action was shown */
	int64_t began;         /* clock_ms */
};

/* ---- small pieces ------------------------------------------------------ */

enum paint { PLAIN, BOLD, DIM, RED, GREEN, YELLOW, CYAN };

static const char *const codes[] = { "", "\033[1m", "\033[2m", "\033[31m", "\033[32m",
				     "\033[33m", "\033[36m" };

static void paint(struct render *r, enum paint p)
{
	if (r->color)
		fputs(p == PLAIN ? "\033[0m" : codes[p], r->out);
}

/* Untrusted text without sequences that move the cursor or change colors. */
static void render_put(struct render *r, const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = text[i] == '\n' || text[i] == '\t' ? 0
						       : utf8_control(text + i, len - i);
		if (n)
			continue;
		putc(text[i], r->out);
		r->midline = text[i] != '\n';
	}
}

static void line_start(struct render *r)
{
	if (r->midline)
		putc('\n', r->out);
	r->midline = false;
}

static void render_say(struct render *r, enum paint p, const char *lead, const char *text,
		       size_t len)
{
	line_start(r);
	paint(r, p);
	fputs(lead, r->out);
	render_put(r, text, len);
	r->midline = true;
	paint(r, PLAIN);
	line_start(r);
}

static size_t render_lines_of(const char *text, size_t len)
{
	size_t n = len > 0 && text[len - 1] != '\n';

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

static void render_put_line(struct render *r, const char *text, size_t len)
{
	size_t shown = r->style == RENDER_VERBOSE ? len : utf8_cut(text, len, SHOWN_LINE);

	fputs("  ", r->out);
	render_put(r, text, shown);
	fputs(shown < len ? "…\n" : "\n", r->out);
	r->midline = false;
}

/* Show the first and the last lines of a result. */
static void render_put_block(struct render *r, enum paint p, const char *text, size_t len)
{
	size_t lines = render_lines_of(text, len), head = SHOWN_LINES / 2, n = 0;
	bool whole = r->style == RENDER_VERBOSE || lines <= SHOWN_LINES;

	line_start(r);
	paint(r, p);
	for (const char *at = text, *end = text + len; at < end; n++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t size = stop ? (size_t)(stop - at) : (size_t)(end - at);

		if (whole || n < head || n >= lines - head)
			render_put_line(r, at, size);
		else if (n == head)
			fprintf(r->out, "  … %zu more lines …\n", lines - 2 * head);
		at += size + 1;
	}
	paint(r, PLAIN);
	fflush(r->out);
}

/* ---- actions ----------------------------------------------------------- */

static void render_show_run(struct render *r, const struct event *e)
{
	const char *command = event_arg(e, "command");

	render_say(r, BOLD, js_bool(event_args(e), "is_input", false) ? "> " : "$ ",
		   command, strlen(command));
}

static void render_show_cell(struct render *r, const struct event *e)
{
	const char *code = event_arg(e, "code");

	render_say(r, BOLD, ">>> ", code, strlen(code));
}

static void show_path(struct render *r, const struct event *e)
{
	AUTO(strbuf) struct strbuf text = STRBUF(8192);
	const char *command = event_arg(e, "command");

	strbuf_addf(&text, "%s %s", *command ? command : e->type->name,
		    event_arg(e, "path"));
	render_say(r, BOLD, "* ", text.text, text.len);
}

static void render_show_call(struct render *r, const struct event *e)
{
	AUTO(strbuf) struct strbuf text = STRBUF(8192);
	size_t len;
	const char *args = js_text(js_get(event_args(e), "arguments"), &len);

	strbuf_addf(&text, "%s %.*s", event_arg(e, "name"),
		    (int)utf8_cut(args ? args : "", len, SHOWN_LINE), args ? args : "");
	render_say(r, BOLD, "* ", text.text, text.len);
}

static void render_show_message(struct render *r, const struct event *e)
{
	const char *text = event_arg(e, "content");

	if (e->source == SOURCE_USER) {
		render_say(r, CYAN, "> ", text, strlen(text));
	} else if (e->source == SOURCE_ENVIRONMENT) {
		render_put_block(r, DIM, text, strlen(text));
	} else if (!r->streamed ||
		   event_tool_meta(e)) { /* a question: only a part was streamed */
		line_start(r);
		render_put(r, text, strlen(text));
		line_start(r);
	}
	r->streamed = false;
}

static void render_show_finish(struct render *r, const struct event *e)
{
	const char *text = event_arg(e, "final_thought");

	if (!*text)
		return;
	line_start(r);
	paint(r, GREEN);
	render_put(r, text, strlen(text));
	paint(r, PLAIN);
	line_start(r);
}

static void show_think(struct render *r, const struct event *e)
{
	const char *text = event_arg(e, "thought");

	render_put_block(r, DIM, text, strlen(text));
}

static void render_show_tasks(struct render *r, const struct event *e)
{
	json_object *list = js_get(event_args(e), "task_list");
	size_t n = list ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		json_object *task = json_object_array_get_idx(list, i);
		const char *status = js_str(task, "status", ""),
			   *title = js_str(task, "title", "");

		render_say(r, DIM,
			   strcmp(status, "done") == 0          ? "  [x] "
			   : strcmp(status, "in_progress") == 0 ? "  [>] "
								: "  [ ] ",
			   title, strlen(title));
	}
}

static void show_browse(struct render *r, const struct event *e)
{
	const char *line = event_arg(e, "browser_actions");

	for (size_t n; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		render_say(r, BOLD, "* ", line, n);
	}
}

static void show_plain(struct render *r, const struct event *e)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4096);

	event_message(e, &text);
	render_say(r, DIM, "* ", text.text, text.len);
}

/* ---- observations ------------------------------------------------------ */

static void show_output(struct render *r, const struct event *e)
{
	size_t len;
	const char *text = event_content(e, &len);
	json_object *meta = js_get(event_args(e), "metadata");
	int64_t code = js_int(meta, "exit_code", -1);
	const char *suffix = js_str(meta, "suffix", "");

	if (!r->live)
		render_put_block(r, DIM, text, len);
	r->live = false;
	if (code > 0) {
		line_start(r);
		paint(r, RED);
		fprintf(r->out, "  exit code %lld\n", (long long)code);
		paint(r, PLAIN);
	} else if (code < 0 && *suffix) {
		render_put_block(r, YELLOW, suffix + strspn(suffix, "\n"),
				 strlen(suffix + strspn(suffix, "\n")));
	}
}

/* Show the output of a cell. Of its last lines only those that report failure are shown:
 * the others are for the model. */
static void show_cell_output(struct render *r, const struct event *e)
{
	static const char lead[] = "\n[Jupyter ";
	size_t len;
	const char *text = event_content(e, &len), *extra;

	while ((extra = memrchr(text, '\n', len)) &&
	       (size_t)(text + len - extra) > sizeof lead &&
	       memcmp(extra, lead, sizeof lead - 1) == 0)
		len = (size_t)(extra - text);
	if (len > sizeof lead && memcmp(text, lead + 1, sizeof lead - 2) == 0)
		len = 0;
	if (!r->live)
		render_put_block(r, DIM, text, len);
	r->live = false;
}

static void show_diff(struct render *r, const struct event *e)
{
	const char *diff = event_arg(e, "diff");

	if (!*diff) {
		size_t len;
		const char *text = event_content(e, &len);

		render_put_block(r, DIM, text, len);
		return;
	}
	while (*diff) {
		size_t n = strcspn(diff, "\n");
		enum paint p = *diff == '+' ? GREEN : *diff == '-' ? RED : DIM;

		if (strncmp(diff, "+++", 3) != 0 && strncmp(diff, "---", 3) != 0) {
			paint(r, p);
			render_put_line(r, diff, n);
			paint(r, PLAIN);
		}
		diff += n + (diff[n] == '\n');
	}
}

static void show_error(struct render *r, const struct event *e)
{
	size_t len;
	const char *text = event_content(e, &len), *last;

	if (r->live && (last = memrchr(text, '\n', len))) {
		len -= (size_t)(last + 1 -
				text); /* the preceding output was shown live */
		text = last + 1;
	}
	r->live = false;
	render_put_block(r, RED, text, len);
}

/* Show the new URL, or the error; the page itself is for the model. */
static void show_page(struct render *r, const struct event *e)
{
	const char *fault = event_arg(e, "last_browser_action_error");
	const char *url = event_arg(e, "url");

	if (*fault)
		render_put_block(r, RED, fault, strlen(fault));
	else
		render_put_block(r, DIM, url, strlen(url));
}

static void show_content(struct render *r, const struct event *e)
{
	size_t len;
	const char *text = event_content(e, &len);

	render_put_block(r, DIM, text, len);
}

/* Show only errors: the text of a file is for the model. */
static void render_show_read(struct render *r, const struct event *e)
{
	static const char error[] = "ERROR:\n";

	if (r->style >= RENDER_VERBOSE)
		show_content(r, e);
	else if (strncmp(event_content(e, NULL), error, sizeof error - 1) == 0)
		show_error(r, e);
}

static const struct {
	enum render_style from; /* shown from this style on */
	void (*show)(struct render *r, const struct event *e);
} shows[EVENT_TYPE_COUNT] = {
	[ACTION_MESSAGE] = { RENDER_NORMAL, render_show_message },
	[ACTION_FINISH] = { RENDER_QUIET, render_show_finish },
	[ACTION_RUN] = { RENDER_NORMAL, render_show_run },
	[ACTION_RUN_IPYTHON] = { RENDER_NORMAL, render_show_cell },
	[ACTION_READ] = { RENDER_NORMAL, show_path },
	[ACTION_EDIT] = { RENDER_NORMAL, show_path },
	[ACTION_WRITE] = { RENDER_NORMAL, show_path },
	[ACTION_CALL_TOOL] = { RENDER_NORMAL, render_show_call },
	[ACTION_CALL_TOOL_MCP] = { RENDER_NORMAL, render_show_call },
	[ACTION_BROWSE_INTERACTIVE] = { RENDER_NORMAL, show_browse },
	[ACTION_THINK] = { RENDER_NORMAL, show_think },
	[ACTION_TASK_TRACKING] = { RENDER_NORMAL, render_show_tasks },
	[ACTION_REJECT] = { RENDER_QUIET, show_plain },
	[ACTION_DELEGATE] = { RENDER_NORMAL, show_plain },
	[ACTION_CONDENSATION] = { RENDER_NORMAL, show_plain },
	[OBSERVATION_RUN] = { RENDER_NORMAL, show_output },
	[OBSERVATION_RUN_IPYTHON] = { RENDER_NORMAL, show_cell_output },
	[OBSERVATION_EDIT] = { RENDER_NORMAL, show_diff },
	[OBSERVATION_ERROR] = { RENDER_NORMAL, show_error },
	[OBSERVATION_USER_REJECTED] = { RENDER_NORMAL, show_error },
	[OBSERVATION_TOOL] = { RENDER_NORMAL, show_content },
	[OBSERVATION_MCP] = { RENDER_NORMAL, show_content },
	[OBSERVATION_READ] = { RENDER_NORMAL, render_show_read },
	[OBSERVATION_BROWSE] = { RENDER_NORMAL, show_page },
	[OBSERVATION_RECALL] = { RENDER_VERBOSE, show_content },
};

/* Show text before tool calls, which is not a separate event. */
static void render_show_thought(struct render *r, const struct event *e)
{
	const char *thought = event_arg(e, "thought");

	if (r->streamed || e->type->id == ACTION_THINK || !*thought ||
	    r->style == RENDER_QUIET)
		return;
	line_start(r);
	render_put(r, thought, strlen(thought));
	line_start(r);
}

static void render_on_event(void *arg, const struct event *e)
{
	struct render *r = arg;

	if (event_hidden(e) || js_get(e->json, "confirms"))
		return; /* the answer to a prompt: the action was already shown */
	if (e->is_action && e->source == SOURCE_AGENT && e->type->id != ACTION_MESSAGE) {
		render_show_thought(r, e);
		r->streamed = false;
	}
	if (shows[e->type->id].show && r->style >= shows[e->type->id].from)
		shows[e->type->id].show(r, e);
	fflush(r->out);
}

/* ---- other lines ----------------------------------------------------- */

static void render_on_delta(void *arg, bool reasoning, const char *text, size_t len)
{
	struct render *r = arg;

	if (!r->terminal || r->style == RENDER_QUIET ||
	    (reasoning && r->style != RENDER_VERBOSE))
		return;
	if (reasoning)
		paint(r, DIM);
	else
		r->streamed = true;
	render_put(r, text, len);
	paint(r, PLAIN);
	fflush(r->out);
}

static void render_on_output(void *arg, int64_t action, const char *bytes, size_t len)
{
	struct render *r = arg;

	(void)action;
	if (!r->terminal || r->style != RENDER_VERBOSE)
		return;
	r->live = true;
	paint(r, DIM);
	render_put(r, bytes, len);
	paint(r, PLAIN);
	fflush(r->out);
}

static void render_on_retry(void *arg, const struct llm_error *why, int64_t wait_ms)
{
	struct render *r = arg;
	AUTO(strbuf) struct strbuf text = STRBUF(1024);

	r->streamed = false;
	if (r->style == RENDER_QUIET)
		return;
	strbuf_addf(&text, "%s; retrying in %lld s", why->text,
		    (long long)(wait_ms + 500) / 1000);
	render_say(r, YELLOW, "! ", text.text, text.len);
	fflush(r->out);
}

static void render_on_notice(void *arg, int level, const char *text)
{
	struct render *r = arg;

	if (level <= MT_LOG_WARNING)
		render_say(r, YELLOW, "! ", text, strlen(text));
}

static void render_on_rewound(void *arg, int64_t to)
{
	struct render *r = arg;
	char text[96];

	r->streamed = false;
	if (r->style == RENDER_QUIET)
		return;
	snprintf(text, sizeof text, "[rewound to event %lld; later events are reverted]",
		 (long long)to);
	render_say(r, DIM, "", text, strlen(text));
	fflush(r->out);
}

const struct watcher render_watcher = {
	.event = render_on_event,
	.delta = render_on_delta,
	.output = render_on_output,
	.retry = render_on_retry,
	.rewound = render_on_rewound,
	.notice = render_on_notice,
};

struct render *render_new(FILE *out, enum render_style style)
{
	struct render *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->out = out;
	r->style = style;
	r->terminal = isatty(fileno(out));
	r->color = command_colors(out);
	r->began = clock_ms();
	return r;
}

struct render *render_free(struct render *r)
{
	free(r);
	return NULL;
}

static void put_bill(struct strbuf *text, const struct render_end *end)
{
	if (!end->calls)
		return;
	strbuf_addf(text, ", %lld tokens in, %lld out", (long long)end->input,
		    (long long)end->output);
	if (end->cost >= 0)
		strbuf_addf(text, ", $%.4f", end->cost);
}

/* Print one line per model, if there are several. */
static void say_models(struct render *r, const struct llm_usage_totals *bill)
{
	const struct llm_metrics *m;
	const char *name;

	if (!bill || !llm_usage_totals_at(bill, 1, &m))
		return;
	for (size_t n = 0; (name = llm_usage_totals_at(bill, n, &m)); n++) {
		AUTO(strbuf) struct strbuf text = STRBUF(4096);
		struct render_end one = { .calls = m->calls, .input = m->input,
					  .output = m->output,
					  .cost = m->cost_known ? m->cost : -1 };

		strbuf_addf(&text, "  %.200s: %lld response%s", name, (long long)m->calls,
			    m->calls == 1 ? "" : "s");
		put_bill(&text, &one);
		render_say(r, DIM, "", text.text, text.len);
	}
}

void render_end(struct render *r, const struct render_end *end)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4096);

	if (r->style == RENDER_QUIET && end->over)
		return;
	strbuf_addf(&text, "%s", end->state);
	if (*end->reason)
		strbuf_addf(&text, ": %s", end->reason);
	strbuf_addf(&text, " (%lld step%s", (long long)end->steps,
		    end->steps == 1 ? "" : "s");
	put_bill(&text, end);
	strbuf_addf(&text, ", %.1f s; conversation %s)",
		    (double)(clock_ms() - r->began) / 1e3, end->conversation);
	render_say(r, end->over ? DIM : YELLOW, "", text.text, text.len);
	say_models(r, end->bill);
	if (!end->over) {
		strbuf_reset(&text);
		strbuf_addf(&text, "Run `mortise resume %s%s%s` to continue",
			    end->conversation, end->plugin_path ? " -o " : "",
			    end->plugin_path ? end->plugin_path : "");
		render_say(r, PLAIN, "", text.text, text.len);
	}
	fflush(r->out);
}

void render_remark(struct render *r, const char *text)
{
	render_say(r, DIM, "", text, strlen(text));
	fflush(r->out);
}
