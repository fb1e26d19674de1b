/* SPDX-License-Identifier: MIT
 *
 * summary.c - implements summary.h; V0's algorithm (spec/context 8.2), and retries with
 * shorter texts when the summary request itself does not fit. */
#include "summary.h"

#include "js.h"

enum { TRIES_MAX = 5, EVENT_CHARS_MIN = 200, STATE_MAX = 200 };

struct summary_state {
	struct condenser_util_range range;
	size_t most; /* bytes of an event */
	int tries;
};

static int summary_keep(const struct kit *k, const struct summary_state *c)
{
	AUTO(strbuf) struct strbuf b = STRBUF(STATE_MAX);

	strbuf_addf(&b, "{\"from\":%zu,\"to\":%zu,\"most\":%zu,\"tries\":%d}",
		    c->range.from, c->range.to, c->most, c->tries);
	return b.error ? b.error
		       : k->host->keep(k->ctx, (struct mt_str){ b.text, b.len });
}

static bool recall_state(const struct mt_in *in, struct summary_state *c)
{
	AUTO(json) json_object *o = js_parse_object(in->state.ptr, in->state.len, NULL);

	if (!o)
		return false;
	c->range.from = (size_t)js_int(o, "from", 0);
	c->range.to = (size_t)js_int(o, "to", 0);
	c->most = (size_t)js_int(o, "most", 0);
	c->tries = (int)js_int(o, "tries", 0);
	return c->range.from < c->range.to;
}

/* Lowers `most` to the length of the longest event, so that the next try is shorter. */
static int summary_build(const struct kit *k, struct summary_state *c, const char *prompt,
			 struct strbuf *b)
{
	size_t longest = 0;
	struct mt_str text, before = condenser_util_previous(k, c->range);
	int r = k->host->prompt(k->ctx, prompt, TEXT("{}"), &text);

	if (r)
		return r;
	strbuf_addn(b, text.ptr, text.len);
	strbuf_add(b, "\n\n");
	condenser_util_add_task(k, c->most, b, &longest);
	strbuf_add(b, "<PREVIOUS SUMMARY>\n");
	strbuf_addn(b, before.len ? before.ptr : "No events summarized",
		    before.len ? before.len : sizeof "No events summarized" - 1);
	strbuf_add(b, "\n</PREVIOUS SUMMARY>\n\n");
	r = condenser_util_add_events(k, c->range, c->most, b, &longest);
	c->most = longest < c->most ? longest : c->most;
	return r;
}

static int summary_ask(const struct kit *k, struct summary_state *c,
		       const struct summary_way *way)
{
	AUTO(strbuf) struct strbuf b = STRBUF(KIT_TEXT_MAX);
	struct mt_request *request = k->host->request(k->ctx);
	int r = request ? summary_build(k, c, way->prompt, &b) : MT_ENOMEM;

	if (!r)
		r = k->host->request_message(request, MT_ROLE_USER,
					     (struct mt_str){ b.text, b.len });
	if (!r && way->prepare)
		r = way->prepare(k, request);
	if (!r)
		r = summary_keep(k, c);
	if (!r)
		r = k->host->send(k->ctx, request);
	return r < 0 ? r : MT_OK;
}

static int summary_start(const struct kit *k, const struct summary_way *way)
{
	struct summary_state c = { .most = (size_t)k->host->option_int(k->ctx,
								"max_event_length") };

	if (!condenser_util_wanted(k))
		return MT_OK;
	c.range = condenser_util_middle(k, 1);
	return c.range.from < c.range.to ? summary_ask(k, &c, way) : MT_OK;
}

/* Without a summary, remove nothing; fail if condensation was requested. */
static int summary_give_up(const struct kit *k, const struct mt_in *in)
{
	if (!k->out->requested(k->ctx)) {
		k->host->log(k->ctx, MT_LOG_WARNING, "no summary: %.*s",
			     (int)in->body.len, in->body.ptr ? in->body.ptr : "");
		return MT_OK;
	}
	k->host->refuse(k->ctx,
			"cannot condense the history: the model did not return a "
			"summary: %.*s",
			(int)in->body.len, in->body.ptr ? in->body.ptr : "");
	return MT_EINVAL;
}

static int summary_failed(const struct kit *k, const struct mt_in *in,
			  struct summary_state *c, const struct summary_way *way)
{
	if (in->error != MT_ERROR_CONTEXT_WINDOW || ++c->tries >= TRIES_MAX ||
	    c->most <= EVENT_CHARS_MIN)
		return summary_give_up(k, in);
	c->most /= 2;
	return summary_ask(k, c, way);
}

int summary_advance(const struct kit *k, const struct mt_in *in,
		    const struct summary_way *way)
{
	AUTO(strbuf) struct strbuf b = STRBUF(KIT_TEXT_MAX);
	struct summary_state c;
	int r;

	if (in->what == MT_START)
		return summary_start(k, way);
	if (in->what == MT_CANCELLED)
		return MT_OK;
	if (!recall_state(in, &c))
		return MT_EINVAL;
	if (in->what == MT_FAILED)
		return summary_failed(k, in, &c, way);
	if (in->what != MT_REPLIED)
		return MT_EUNSUPPORTED;
	r = way->read(k, in->reply, &b);
	return r ? r
		 : condenser_util_forget(k, c.range, (struct mt_str){ b.text, b.len });
}
