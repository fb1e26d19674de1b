/* SPDX-License-Identifier: MIT
 *
 * plugin-copy.c - the child side of a plugin that runs in a forked copy.
 *
 * The plugin reads the state of the conversation as it was when the process forked.
 * Its requests to the host change only the copy, as far as the plugin can see the effect,
 * and are sent to the parent, which executes them for real. */
#include "controller/plugins/plugin-copy.h"

#include "context/request-messages.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/plugins/analyzer-out.h"
#include "controller/plugins/plugin-host.h"
#include "controller/plugins/plugin-sandbox.h"
#include "controller/plugins/plugin-view.h"
#include "files.h"
#include "log.h"
#include "signals.h"
#include "utf8.h"

#include <mortise/condenser.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <string.h>

enum {
	LOG_TEXT_MAX = 4096,
	FLUSH_BYTES = 1 << 16,
	EXIT_LOST = 125, /* the parent does not read */
};

struct plugin_copy {
	int fd;
	struct strbuf out;
	bool view_due; /* the view of this call must be requested */
	bool opened;   /* the analyzer was opened */
	void *instance;
};

/* ---- the connection ---------------------------------------------------------- */

static void plugin_copy_flush(struct plugin_copy *copy)
{
	if (copy->out.error || file_write_all(copy->fd, copy->out.text, copy->out.len))
		_exit(EXIT_LOST);
	strbuf_reset(&copy->out);
}

static int plugin_copy_tell(struct mt_ctx *x, const struct journal_entry *e)
{
	int r = journal_put(&x->copy->out, e);

	if (!r && x->copy->out.len > FLUSH_BYTES)
		plugin_copy_flush(x->copy);
	return r;
}

/* Report the request to the parent if it succeeded here. */
static int tell_done(struct mt_ctx *x, int r, const struct journal_entry *e)
{
	int told = r < 0 ? MT_OK : plugin_copy_tell(x, e);

	return told ? told : r;
}

/* Wait for an entry of this type from the parent; its texts are in `bytes`. @return its
 * size, or a status if memory runs out. */
static int64_t plugin_copy_receive(struct plugin_copy *copy, uint32_t type,
				   struct strbuf *bytes, struct journal_entry *ret)
{
	int64_t size;

	while (!(size = journal_get(bytes->text, bytes->len, ret))) {
		ssize_t n;

		if (strbuf_reserve(bytes, FLUSH_BYTES))
			return bytes->error;
		n = read(copy->fd, bytes->text + bytes->len, FLUSH_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(EXIT_LOST);
		bytes->len += (size_t)n;
	}
	if (size < 0 || ret->type != type)
		_exit(EXIT_LOST);
	return size;
}

/* Wait for the answer of the parent; its text is in `ret`. */
static int plugin_copy_ask(struct plugin_copy *copy, const struct journal_entry *question,
			   struct strbuf *ret, struct error *err)
{
	struct journal_entry e;
	int64_t size = journal_put(&copy->out, question);

	if (size)
		return fail_code(err, (int)size);
	plugin_copy_flush(copy);
	size = plugin_copy_receive(copy, JOURNAL_ANSWER, ret, &e);
	if (size < 0)
		return fail_code(err, (int)size);
	if (e.a)
		return fail(err, (int)e.a, "%s", e.text[0].ptr ? e.text[0].ptr : "");
	strbuf_cut(ret, (size_t)size - 1);
	strbuf_consume(ret, (size_t)size - 1 - e.text[0].len);
	return MT_OK;
}

/* ---- what it does not have ------------------------------------------------------ */

static int ask_blob(void *arg, const char *name, size_t max, char **ret, size_t *ret_len,
		    struct error *err)
{
	AUTO(strbuf) struct strbuf answer = STRBUF(JOURNAL_MAX);
	const struct journal_entry question = {
		.type = JOURNAL_BLOB, .a = (int64_t)max, .text = { { name, strlen(name) } } };
	int r = plugin_copy_ask(arg, &question, &answer, err);

	if (r)
		return r;
	*ret_len = answer.len;
	*ret = malloc(answer.len + 1);
	if (!*ret)
		return out_of_memory(err);
	memcpy(*ret, answer.text, answer.len);
	(*ret)[answer.len] = '\0';
	return MT_OK;
}

static char *ask_recall(const struct event *e, void *arg)
{
	struct strbuf answer = STRBUF(JOURNAL_MAX);
	const struct journal_entry question = { .type = JOURNAL_RECALL, .a = e->id };

	if (plugin_copy_ask(arg, &question, &answer, NULL)) {
		strbuf_clear(&answer);
		return NULL;
	}
	return strbuf_take(&answer);
}

_Noreturn void plugin_copy_give_up(struct mt_ctx *x)
{
	plugin_copy_tell(x, &(struct journal_entry){ .type = JOURNAL_STALE });
	plugin_copy_flush(x->copy);
	_exit(0);
}

/* Get the view of this call, if the call began after the fork. */
static void know_view(struct mt_ctx *x)
{
	const struct journal_entry question = { .type = JOURNAL_VIEW };
	struct strbuf answer = STRBUF(JOURNAL_MAX);
	struct mt_str view;

	if (!x->copy->view_due)
		return;
	x->copy->view_due = false;
	if (plugin_copy_ask(x->copy, &question, &answer, NULL))
		plugin_copy_give_up(x);
	view.len = answer.len;
	view.ptr = plugin_hold_text(x, strbuf_take(&answer));
	if (!view.ptr || plugin_view_read(x, view))
		plugin_copy_give_up(x);
}

/* Get flags for the positions of the view. `ret`: a member of the work. */
static int know_flags(struct mt_ctx *x, enum journal_type type, unsigned char **ret)
{
	const struct journal_entry question = { .type = type };
	AUTO(strbuf) struct strbuf answer = STRBUF(JOURNAL_MAX);
	int r = MT_OK;

	know_view(x);
	if (!*ret)
		r = plugin_copy_ask(x->copy, &question, &answer, &x->error);
	if (*ret || r)
		return r;
	*ret = malloc(x->view_count + 1);
	if (!*ret)
		return MT_ENOMEM;
	if (answer.len != x->view_count + 1)
		_exit(EXIT_LOST);
	memcpy(*ret, answer.text, answer.len);
	return MT_OK;
}

/* An estimate of the parent; -1: unknown. */
static int64_t know_number(struct mt_ctx *x, const struct journal_entry *question)
{
	AUTO(strbuf) struct strbuf answer = STRBUF(JOURNAL_MAX);
	int64_t number = -1;

	if (plugin_copy_ask(x->copy, question, &answer, &x->error) ||
	    answer.len != sizeof number)
		return -1;
	memcpy(&number, answer.text, sizeof number);
	return number;
}

/* ---- services of the host ------------------------------------------------------ */

#define TELL(x, kind, ...)                                                               \
	plugin_copy_tell(x, &(struct journal_entry){ .type = (kind), __VA_ARGS__ })
#define TELL_DONE(x, r, kind, ...)                                                       \
	tell_done(x, r, &(struct journal_entry){ .type = (kind), __VA_ARGS__ })

static struct mt_str plugin_copy_given(struct mt_str s)
{
	return (struct mt_str){ s.ptr ? s.ptr : "", s.len };
}

static struct mt_str plugin_copy_word(const char *s)
{
	return (struct mt_str){ s, s ? strlen(s) : 0 };
}

static void plugin_copy_log(struct mt_ctx *x, int level, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf text = STRBUF(LOG_TEXT_MAX);
	va_list ap;

	va_start(ap, fmt);
	utf8_vaddf_cut(&text, fmt, ap);
	va_end(ap);
	TELL(x, JOURNAL_LOG, .a = level, .text = { { text.text, text.len } });
	plugin_copy_flush(x->copy);
}

static void copy_log_text(struct mt_ctx *x, int level, struct mt_str text)
{
	text = plugin_copy_given(text);
	text.len = utf8_cut(text.ptr, text.len, LOG_TEXT_MAX - 1);
	TELL(x, JOURNAL_LOG, .a = level, .text = { text });
	plugin_copy_flush(x->copy);
}

static size_t copy_view_count(struct mt_ctx *x)
{
	know_view(x);
	return plugin_host()->view_count(x);
}

static const struct mt_event *copy_view_at(struct mt_ctx *x, size_t place)
{
	know_view(x);
	return plugin_host()->view_at(x, place);
}

static struct mt_request *copy_request(struct mt_ctx *x)
{
	struct mt_request *r = plugin_host()->request(x);

	return r && TELL(x, JOURNAL_REQUEST) == MT_OK ? r : NULL;
}

/* The messages are built only by the parent; nothing reads them here. */
static int copy_history(struct mt_request *r)
{
	return TELL(plugin_request_ctx(r), JOURNAL_HISTORY);
}

static int copy_request_message(struct mt_request *r, int role, struct mt_str text)
{
	if (!plugin_role_is_known(role))
		return plugin_host()->request_message(r, role, text); /* why */
	return TELL(plugin_request_ctx(r), JOURNAL_REQUEST_MESSAGE, .a = role,
		    .text = { plugin_copy_given(text) });
}

static int copy_request_tool(struct mt_request *r, const char *name)
{
	return TELL_DONE(plugin_request_ctx(r), plugin_host()->request_tool(r, name),
			 JOURNAL_TOOL, .text = { plugin_copy_word(name) });
}

static int copy_request_set(struct mt_request *r, const char *name, struct mt_str json)
{
	return TELL_DONE(plugin_request_ctx(r), plugin_host()->request_set(r, name, json),
			 JOURNAL_SET,
			 .text = { plugin_copy_word(name), plugin_copy_given(json) });
}

static int copy_define_tool(struct mt_request *r, const char *name,
			    struct mt_str description, struct mt_str schema)
{
	int status = plugin_host()->request_define_tool(r, name, description, schema);

	return TELL_DONE(plugin_request_ctx(r), status, JOURNAL_DEFINE_TOOL,
			 .text = { plugin_copy_word(name), plugin_copy_given(description),
				   plugin_copy_given(schema) });
}

static int copy_request_media(struct mt_request *r, const struct mt_event *event)
{
	return TELL(plugin_request_ctx(r), JOURNAL_MEDIA,
		    .a = plugin_host()->event_id(event));
}

static int copy_send(struct mt_ctx *x, struct mt_request *r)
{
	return TELL_DONE(x, plugin_host()->send(x, r), JOURNAL_SEND);
}

/* The parts of the request that are text, and its body, which may not be. */
static int copy_http(struct mt_ctx *x, const struct mt_http_request *request)
{
	AUTO(json) json_object *parts = js_new_object();
	struct journal_entry e = { .type = JOURNAL_HTTP };
	int r = plugin_host()->http(x, request);

	if (r < 0)
		return r;
	json_object_object_foreach(x->http, name, value) {
		if (strcmp(name, "body") != 0) {
			js_set(parts, name, json_object_get(value));
			continue;
		}
		e.text[1].ptr = json_object_get_string(value);
		e.text[1].len = (size_t)json_object_get_string_len(value);
	}
	e.text[0].ptr = js_text(parts, &e.text[0].len);
	return e.text[0].ptr ? tell_done(x, r, &e) : MT_ENOMEM;
}

static int copy_keep(struct mt_ctx *x, struct mt_str state)
{
	return TELL_DONE(x, plugin_host()->keep(x, state), JOURNAL_KEEP,
			 .text = { plugin_copy_given(state) });
}

static int copy_prompt(struct mt_ctx *x, const char *name, struct mt_str data,
		       struct mt_str *ret_text)
{
	const struct journal_entry question = {
		.type = JOURNAL_PROMPT,
		.text = { plugin_copy_word(name), plugin_copy_given(data) },
	};
	struct strbuf answer = STRBUF(JOURNAL_MAX);
	int r = plugin_ctx_converses(x)
			? plugin_copy_ask(x->copy, &question, &answer, &x->error)
			: MT_EUNSUPPORTED;

	if (r) {
		strbuf_clear(&answer);
		return r;
	}
	*ret_text = (struct mt_str){ answer.text, answer.len };
	return MT_OK; /* the text lives as long as the copy */
}

const struct mt_host *plugin_copy_host(void)
{
	static struct mt_host table;

	table = *plugin_host();
	table.log = plugin_copy_log;
	table.log_text = copy_log_text;
	table.view_count = copy_view_count;
	table.view_at = copy_view_at;
	table.request = copy_request;
	table.request_history = copy_history;
	table.request_message = copy_request_message;
	table.request_tool = copy_request_tool;
	table.request_set = copy_request_set;
	table.request_define_tool = copy_define_tool;
	table.request_media = copy_request_media;
	table.send = copy_send;
	table.http = copy_http;
	table.keep = copy_keep;
	table.prompt = copy_prompt;
	return &table;
}

/* ---- agents ---------------------------------------------------------------------- */

static int copy_call(struct mt_ctx *x, size_t n)
{
	return TELL_DONE(x, plugin_agent_out()->call(x, n), JOURNAL_CALL,
			 .a = (int64_t)n);
}

static int plugin_copy_action(struct mt_ctx *x, const char *type, struct mt_str args)
{
	return TELL_DONE(x, plugin_agent_out()->action(x, type, args), JOURNAL_ACTION,
			 .text = { plugin_copy_word(type), plugin_copy_given(args) });
}

static int copy_message(struct mt_ctx *x, struct mt_str text, int wait)
{
	return TELL_DONE(x, plugin_agent_out()->message(x, text, wait), JOURNAL_MESSAGE,
			 .a = wait, .text = { plugin_copy_given(text) });
}

static int copy_report_error(struct mt_ctx *x, struct mt_str text)
{
	return TELL_DONE(x, plugin_agent_out()->report_error(x, text), JOURNAL_REPORT,
			 .text = { plugin_copy_given(text) });
}

const struct mt_agent_out *plugin_copy_agent_out(void)
{
	static const struct mt_agent_out table = {
		.size = sizeof table,
		.call = copy_call,
		.action = plugin_copy_action,
		.message = copy_message,
		.report_error = copy_report_error,
	};

	return &table;
}

int plugin_copy_system(struct mt_ctx *x, struct mt_str text)
{
	return TELL(x, JOURNAL_SYSTEM, .text = { plugin_copy_given(text) });
}

/* ---- condensers ------------------------------------------------------------------- */

static int copy_drop(struct mt_ctx *x, size_t place, size_t count)
{
	int r = know_flags(x, JOURNAL_PINS, &x->pinned);

	return TELL_DONE(x, r ? r : plugin_condenser_out()->drop(x, place, count),
			 JOURNAL_DROP, .a = (int64_t)place, .b = (int64_t)count);
}

static int copy_mask(struct mt_ctx *x, size_t place, struct mt_str text)
{
	int r = know_flags(x, JOURNAL_PINS, &x->pinned);

	return TELL_DONE(x, r ? r : plugin_condenser_out()->mask(x, place, text),
			 JOURNAL_MASK, .a = (int64_t)place,
			 .text = { plugin_copy_given(text) });
}

static int copy_forget(struct mt_ctx *x, const size_t *places, size_t count,
		       struct mt_str summary, size_t offset)
{
	int r = know_flags(x, JOURNAL_PINS, &x->pinned);
	struct mt_str bytes = { (const char *)places, count * sizeof *places };

	if (!r)
		r = plugin_condenser_out()->forget(x, places, count, summary, offset);
	return TELL_DONE(x, r, JOURNAL_FORGET, .a = (int64_t)offset,
			 .text = { plugin_copy_given(bytes),
				   plugin_copy_given(summary) });
}

static int copy_requested(struct mt_ctx *x)
{
	know_view(x);
	return plugin_condenser_out()->requested(x);
}

static struct mt_str copy_shown(struct mt_ctx *x, size_t place)
{
	know_view(x);
	return plugin_condenser_out()->shown(x, place);
}

static int copy_may_cut(struct mt_ctx *x, size_t place)
{
	return know_flags(x, JOURNAL_CUTS, &x->cuts) == MT_OK &&
	       plugin_condenser_out()->may_cut(x, place);
}

static int copy_pinned(struct mt_ctx *x, size_t place)
{
	return know_flags(x, JOURNAL_PINS, &x->pinned) == MT_OK &&
	       plugin_condenser_out()->pinned(x, place);
}

static int64_t copy_view_tokens(struct mt_ctx *x)
{
	AUTO(strbuf) struct strbuf texts = STRBUF(JOURNAL_MAX);

	know_view(x);
	if (plugin_view_write_texts(x->view, x->view_count, &texts))
		return -1;
	return know_number(
		x, &(struct journal_entry){ .type = JOURNAL_TOKENS,
					    .text = { { texts.text, texts.len } } });
}

static int64_t copy_window_tokens(struct mt_ctx *x)
{
	return know_number(x, &(struct journal_entry){ .type = JOURNAL_WINDOW });
}

const struct mt_condenser_out *plugin_copy_condenser_out(void)
{
	static const struct mt_condenser_out table = {
		.size = sizeof table,
		.drop = copy_drop,
		.mask = copy_mask,
		.forget = copy_forget,
		.requested = copy_requested,
		.view_tokens = copy_view_tokens,
		.window_tokens = copy_window_tokens,
		.shown = copy_shown,
		.may_cut = copy_may_cut,
		.pinned = copy_pinned,
	};

	return &table;
}

/* ---- analyzers -------------------------------------------------------------------- */

static int copy_verdict(struct mt_ctx *x, int risk, int deny, struct mt_str rule,
			struct mt_str reason)
{
	int r = plugin_analyzer_out()->verdict(x, risk, deny, rule, reason);

	return TELL_DONE(x, r, JOURNAL_VERDICT, .a = risk, .b = deny,
			 .text = { plugin_copy_given(rule), plugin_copy_given(reason) });
}

static int copy_rule(struct mt_ctx *x, int risk, int deny, const char *name,
		     const char *text, const char *reason)
{
	return TELL(x, JOURNAL_RULE, .a = risk, .b = deny,
		    .text = { plugin_copy_word(name), plugin_copy_word(text),
			      plugin_copy_word(reason) });
}

int plugin_copy_open_analyzer(struct mt_ctx *x, const struct mt_analyzer *f)
{
	struct plugin_copy *copy = x->copy;
	int r = MT_OK;

	if (f->open && !copy->opened)
		r = f->open(plugin_copy_host(), plugin_copy_analyzer_out(), x,
			    &copy->instance);
	copy->opened = r == MT_OK;
	x->trial->instance = copy->instance;
	return r;
}

const struct mt_analyzer_out *plugin_copy_analyzer_out(void)
{
	static struct mt_analyzer_out table;

	table = *plugin_analyzer_out();
	table.verdict = copy_verdict;
	table.rule = copy_rule;
	return &table;
}

/* ---- the child --------------------------------------------------------------------- */

/* Close every descriptor but these two (-1: none) and the standard ones. */
static void plugin_copy_close_others(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

	if (a < 0 || b < 0)
		low = high = (unsigned)(a < 0 ? b : a);
	if (low > 3)
		close_range(3, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

/* Give the copy its own descriptors. `ret_log`: of the log; -1: none. */
static int take_descriptors(struct mt_ctx *x, int output, int *ret_log, struct error *err)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	*ret_log = -1;
	if (null < 0)
		return fail(err, MT_EIO, "cannot open /dev/null: %s", strerror(errno));
	for (int i = 0; i < 3; i++)
		if (dup2(i > 0 && output >= 0 ? output : null, i) < 0)
			return fail(err, MT_EIO, "cannot detach: %s", strerror(errno));
	__fpurge(stdout); /* discard output that the parent had not written yet */
	if (x->c && x->c->log)
		*ret_log = evlog_detach_copy(x->c->log, ask_blob, x->copy, err);
	return *ret_log < -1 ? *ret_log : MT_OK;
}

/* The copy neither writes to the log file nor notifies watchers. */
static void plugin_copy_detach(struct mt_ctx *x)
{
	log_setup(-1, MT_LOG_ERROR, "mortise");
	if (x->c)
		memset(x->c->watchers, 0, sizeof x->c->watchers);
	if (x->c && x->c->agent && x->c->agent->memory)
		request_messages_set_recall(x->c->agent->memory, ask_recall, x->copy);
}

/* Confine the process and load the plugin. @return its functions; NULL: see x->error */
static const void *plugin_copy_load(struct mt_ctx *x, const struct plugin_call *call,
				    struct plugin_copy_descriptors fds)
{
	const struct plugin_component *part = x->part;
	const void *functions;
	int log;

	plugin_copy_detach(x);
	if (take_descriptors(x, fds.output, &log, &x->error))
		return NULL;
	plugin_sandbox_limit(part->deadline_ms * (call->next ? PLUGIN_COPY_CALLS : 1));
	plugin_sandbox_enter(fds.files);
	plugin_copy_close_others(fds.parent, log);
	functions = registry_load(part->registry, part->component, &x->error);
	if (functions)
		plugin_sandbox_close();
	return functions;
}

/* Tell the parent what a function returned. */
static void plugin_copy_end(struct mt_ctx *x, int r)
{
	fflush(stdout);
	TELL(x, JOURNAL_END, .a = r, .b = x->error.code,
	     .text = { plugin_copy_word(x->error.text) });
	plugin_copy_flush(x->copy);
}

/* The next call, when the parent asks for it. */
static void run_next(struct mt_ctx *x, const struct plugin_call *call,
		     const void *functions)
{
	struct strbuf bytes = STRBUF(JOURNAL_MAX);
	struct mt_ctx next = { .c = x->c, .part = x->part, .is_agent = x->is_agent,
			       .copy = x->copy };
	struct journal_entry news;

	if (plugin_copy_receive(x->copy, JOURNAL_NEWS, &bytes, &news) < 0)
		_exit(EXIT_LOST);
	x->copy->view_due = x->c && !news.text[NEWS_VIEW].ptr;
	if (news.text[NEWS_VIEW].ptr && plugin_view_read(&next, news.text[NEWS_VIEW]))
		plugin_copy_give_up(x);
	next.replied = news.a == MT_REPLIED;
	plugin_copy_end(&next, call->next(&next, functions, &news));
	plugin_ctx_clear(&next);
	strbuf_clear(&bytes);
}

_Noreturn void plugin_copy_run(struct mt_ctx *x, const struct plugin_call *call,
			       void *arg, struct plugin_copy_descriptors fds)
{
	struct plugin_copy copy = { .fd = fds.parent, .out = STRBUF(JOURNAL_MAX) };
	const void *functions;

	setsid(); /* signals from the terminal are for the parent */
	signals_reset();
	x->error = ERROR_NONE;
	x->copy = &copy;
	functions = plugin_copy_load(x, call, fds);
	plugin_copy_end(x, functions ? call->call(x, functions, arg) : x->error.code);
	while (functions && call->next)
		run_next(x, call, functions);
	_exit(0);
}
