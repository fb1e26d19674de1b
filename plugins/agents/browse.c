/* SPDX-License-Identifier: MIT
 *
 * browse.c - a step of an agent that uses a browser. Each request is built from
 * scratch: the goal, the actions so far, and the current page. */
#include "browse.h"
#include "js.h"
#include "utf8.h"

#include <string.h>

enum {
	DATA_MAX = 4 << 20,
	FAULTS_MAX = 5,   /* consecutive errors; after one more, the agent gives up */
	STEPS_SHOWN = 40,
	EARLIER_SHOWN = 10, /* messages before the current task */
	EARLIER_MAX = 500,  /* bytes of one of them */
};

/* Offered with all actions to an agent with vision. */
static const char take_picture[] = "\nscreenshot(marked=True)";

/* The first action of each task. */
static const struct mt_str first_look = { "noop(0)", 7 };

/* The current task, from the view. It starts with the first message after the end of the
 * previous task; later messages are added to it. */
struct task {
	struct mt_str goal;
	size_t start;     /* position after the message that set it */
	bool continued;   /* there was a task before it */
	const struct mt_event *page; /* newest result */
	const struct mt_event *done; /* the action that produced it */
	size_t faults;    /* consecutive errors up to now */
};

static bool browse_is_type(const struct mt_host *host, const struct mt_event *e,
			   const char *type)
{
	return strcmp(host->event_type(e), type) == 0;
}

static bool is_fault(const struct mt_host *host, const struct mt_event *e)
{
	struct mt_str error = host->event_field(e, "extras.error");

	return browse_is_type(host, e, "error") ||
	       (error.len == 4 && memcmp(error.ptr, "true", 4) == 0);
}

static bool is_of_user(const struct mt_host *host, const struct mt_event *e)
{
	return browse_is_type(host, e, "message") &&
	       strcmp(host->event_source(e), "user") == 0;
}

static bool is_end(const struct mt_host *host, const struct mt_event *e)
{
	return browse_is_type(host, e, "finish") && host->event_is_action(e);
}

static void look_back(const struct mt_host *host, struct mt_ctx *ctx, struct task *t)
{
	size_t n = host->view_count(ctx);
	bool over = true;

	*t = (struct task){ .goal = { "", 0 } };
	for (size_t i = 0; i < n; i++) {
		const struct mt_event *e = host->view_at(ctx, i);

		if (!e)
			continue;
		if (is_of_user(host, e)) {
			t->goal = over ? host->event_field(e, "args.content") : t->goal;
			t->continued |= over && t->start;
			t->start = over ? i + 1 : t->start;
			t->page = t->done = NULL;
			t->faults = 0;
			over = false;
		} else if (is_end(host, e)) {
			over = true;
		} else if (browse_is_type(host, e, "browse_interactive") &&
			   host->event_is_action(e)) {
			t->done = e;
		} else if (!host->event_is_action(e) &&
			   (browse_is_type(host, e, "browse") ||
			    browse_is_type(host, e, "error") ||
			    browse_is_type(host, e, "user_rejected"))) {
			t->page = e;
			t->faults = is_fault(host, e) ? t->faults + 1 : 0;
		}
	}
}

/* ---- requests ---------------------------------------------------------------------- */

/* Append the user messages and the answers at these positions. */
static void browse_put_messages(const struct mt_host *host, struct mt_ctx *ctx,
				size_t from, size_t to, size_t most, struct strbuf *out)
{
	size_t count = 0;

	for (size_t i = to; i > from; i--) {
		const struct mt_event *e = host->view_at(ctx, i - 1);

		count += is_of_user(host, e) || is_end(host, e);
		from = count > EARLIER_SHOWN ? i : from;
	}
	strbuf_addc(out, '[');
	for (size_t i = from; i < to; i++) {
		const struct mt_event *e = host->view_at(ctx, i);
		bool answer = is_end(host, e);
		struct mt_str text;

		if (!answer && !is_of_user(host, e))
			continue;
		text = host->event_field(e,
					 answer ? "args.final_thought" : "args.content");
		js_item(out);
		strbuf_addc(out, '{');
		js_key_bool(out, "answer", answer);
		js_key_strn(out, "text", text.ptr, utf8_cut(text.ptr, text.len, most));
		strbuf_addc(out, '}');
	}
	strbuf_addc(out, ']');
}

/* Append the result of the actions: the error, or the URL of the page after them. */
static void browse_put_outcome(const struct mt_host *host, struct mt_ctx *ctx, size_t at,
			       struct strbuf *out)
{
	size_t n = host->view_count(ctx);

	for (size_t i = at + 1; i < n; i++) {
		const struct mt_event *e = host->view_at(ctx, i);
		struct mt_str text;

		if (!e || host->event_is_action(e) || !browse_is_type(host, e, "browse"))
			continue;
		text = host->event_field(e, is_fault(host, e)
						    ? "extras.last_browser_action_error"
						    : "extras.url");
		js_key_strn(out, "result", text.ptr, utf8_cut(text.ptr, text.len, 200));
		return;
	}
}

static void browse_put_step(const struct mt_host *host, struct mt_ctx *ctx, size_t at,
			    struct mt_str actions, struct strbuf *out)
{
	struct mt_str thought = host->event_field(host->view_at(ctx, at), "args.thought");

	js_item(out);
	strbuf_addc(out, '{');
	js_key_strn(out, "actions", actions.ptr, actions.len);
	if (thought.len)
		js_key_strn(out, "thought", thought.ptr, thought.len);
	browse_put_outcome(host, ctx, at, out);
	strbuf_addc(out, '}');
}

/* Append the last steps: thought, actions, result. */
static void put_steps(const struct mt_host *host, struct mt_ctx *ctx,
		      const struct task *t, struct strbuf *out)
{
	size_t n = host->view_count(ctx), count = 0, skip,
	       picture = sizeof take_picture - 1;

	for (size_t i = t->start; i < n; i++)
		count +=
			browse_is_type(host, host->view_at(ctx, i), "browse_interactive");
	skip = count > STEPS_SHOWN ? count - STEPS_SHOWN : 0;
	strbuf_addc(out, '[');
	for (size_t i = t->start; i < n; i++) {
		const struct mt_event *e = host->view_at(ctx, i);
		struct mt_str actions;

		if (!e || !host->event_is_action(e) ||
		    !browse_is_type(host, e, "browse_interactive") || (skip && skip--))
			continue;
		actions = host->event_field(e, "args.browser_actions");
		if (actions.len >= picture && memcmp(actions.ptr + actions.len - picture,
						     take_picture, picture) == 0)
			actions.len -= picture;
		if (actions.len == first_look.len &&
		    memcmp(actions.ptr, first_look.ptr, actions.len) == 0)
			continue;
		browse_put_step(host, ctx, i, actions, out);
	}
	strbuf_addc(out, ']');
}

static int put_data(const struct mt_host *host, struct mt_ctx *ctx, const struct task *t,
		    struct strbuf *out)
{
	struct mt_str page = host->event_field(t->page, "content");
	size_t first = t->start ? t->start - 1 : 0;

	strbuf_addc(out, '{');
	js_key_bool(out, "continued", t->continued);
	js_key(out, "earlier");
	browse_put_messages(host, ctx, 0, first, EARLIER_MAX, out);
	js_key_strn(out, "goal", t->goal.ptr, t->goal.len);
	js_key(out, "added");
	browse_put_messages(host, ctx, t->start, host->view_count(ctx), DATA_MAX, out);
	js_key_strn(out, "page", page.ptr, page.len);
	js_key_bool(out, "failed", is_fault(host, t->page));
	js_key(out, "steps");
	put_steps(host, ctx, t, out);
	return strbuf_addc(out, '}');
}

static int browse_ask(const struct browse_way *way, const struct mt_host *host,
		      struct mt_ctx *ctx, const struct task *t)
{
	static const struct mt_str stop = { "[\")```\",\")\\n```\"]", 17 },
				   cold = { "0", 1 };
	AUTO(strbuf) struct strbuf data = STRBUF(DATA_MAX);
	struct mt_request *request = host->request(ctx);
	struct mt_str text;
	int r;

	if (!request)
		return MT_ENOMEM;
	r = put_data(host, ctx, t, &data);
	if (!r)
		r = host->prompt(ctx, way->system, (struct mt_str){ 0 }, &text);
	if (!r)
		r = host->request_message(request, MT_ROLE_SYSTEM, text);
	if (!r)
		r = host->prompt(ctx, way->step, (struct mt_str){ data.text, data.len },
				 &text);
	if (!r)
		r = host->request_message(request, MT_ROLE_USER, text);
	if (!r && way->sees)
		r = host->request_media(request, t->page);
	if (!r)
		r = host->request_set(request, "stop", stop);
	if (!r && way->sees)
		r = host->request_set(request, "temperature", cold);
	return r ? r : host->send(ctx, request);
}

/* ---- actions ----------------------------------------------------------------------- */

static int browse_act(const struct browse_way *way, const struct mt_agent_out *out,
		      struct mt_ctx *ctx, struct mt_str actions, struct mt_str thought,
		      struct mt_str message)
{
	AUTO(strbuf) struct strbuf args = STRBUF(DATA_MAX), calls = STRBUF(DATA_MAX);

	strbuf_addn(&calls, actions.ptr, actions.len);
	strbuf_add(&calls, way->sees ? take_picture : "");
	strbuf_addc(&args, '{');
	js_key_strn(&args, "browser_actions", calls.text, calls.len);
	js_key_strn(&args, "thought", thought.ptr, thought.len);
	js_key_strn(&args, "browsergym_send_msg_to_user", message.ptr, message.len);
	js_key_bool(&args, "return_axtree", way->sees);
	strbuf_addc(&args, '}');
	if (calls.error || args.error)
		return MT_ENOMEM;
	return out->action(ctx, "browse_interactive",
			   (struct mt_str){ args.text, args.len });
}

static int browse_finish(const struct mt_agent_out *out, struct mt_ctx *ctx,
			 struct mt_str message)
{
	AUTO(strbuf) struct strbuf args = STRBUF(DATA_MAX);

	strbuf_addc(&args, '{');
	js_key_strn(&args, "final_thought", message.ptr, message.len);
	js_key(&args, "outputs");
	strbuf_addc(&args, '{');
	js_key_strn(&args, "content", message.ptr, message.len);
	if (strbuf_add(&args, "}}"))
		return args.error;
	return out->action(ctx, "finish", (struct mt_str){ args.text, args.len });
}

static struct mt_str browse_str(const struct strbuf *b)
{
	return (struct mt_str){ b->text, b->len };
}

static int browse_on_reply(const struct browse_way *way, const struct mt_agent_out *out,
			   struct mt_ctx *ctx, struct mt_str text)
{
	AUTO(strbuf) struct strbuf repaired = STRBUF(0);
	struct browse_reply r;
	int status = browse_repair(text, &repaired);

	if (status)
		return status;
	status = browse_read(browse_str(&repaired), &r);
	if (!status && !r.actions.len)
		status = out->report_error(ctx,
					   (struct mt_str){ "The response contains no action.",
							    26 });
	else if (!status && r.last)
		status = browse_finish(out, ctx, browse_str(&r.message));
	else if (!status)
		status = browse_act(way, out, ctx, browse_str(&r.actions),
				    browse_str(&r.thought), browse_str(&r.message));
	browse_reply_clear(&r);
	return status;
}

/* Start with a look at the page. A message that was sent along with actions ends the task
 * after they are executed; a browser that keeps failing ends it, too. */
static int browse_begin(const struct browse_way *way, const struct mt_host *host,
			const struct mt_agent_out *out, struct mt_ctx *ctx)
{
	static const struct mt_str none = { "", 0 };
	AUTO(strbuf) struct strbuf words = STRBUF(DATA_MAX);
	struct task t;
	struct mt_str text;
	int r;

	look_back(host, ctx, &t);
	if (!t.page)
		return browse_act(way, out, ctx, first_look, none, none);
	text = t.done ? host->event_field(t.done, "args.browsergym_send_msg_to_user")
		      : none;
	if (text.len && !t.faults)
		return browse_finish(out, ctx, text);
	if (t.faults > FAULTS_MAX) {
		text = host->event_field(t.page, "extras.last_browser_action_error");
		if (!text.len)
			text = host->event_field(t.page, "content");
		strbuf_addf(&words,
			    "I gave up after %zu error%s in a row. The last one: ",
			    t.faults, t.faults == 1 ? "" : "s");
		strbuf_addn(&words, text.ptr, text.len);
		return words.error ? words.error
				   : browse_finish(out, ctx, browse_str(&words));
	}
	r = browse_ask(way, host, ctx, &t);
	return r < 0 ? r : MT_OK;
}

int browse_advance(const struct browse_way *way, const struct mt_host *host,
		   const struct mt_agent_out *out, struct mt_ctx *ctx,
		   const struct mt_in *in)
{
	switch (in->what) {
	case MT_START:
		return browse_begin(way, host, out, ctx);
	case MT_REPLIED:
		return browse_on_reply(way, out, ctx, host->reply_text(in->reply));
	}
	return MT_EUNSUPPORTED;
}
