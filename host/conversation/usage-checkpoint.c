/* SPDX-License-Identifier: MIT
 *
 * usage-checkpoint.c - sums up the usage of the replies in a log once: the checkpoint
 * stores the sums, so that opening reads only later replies. */
#include "conversation/usage-checkpoint.h"

#include "crc32c.h"
#include "js.h"
#include "llm/usage-json.h"

#include <string.h>

enum { VERSION_NUMBER = 1 };

int usage_sums_open(struct usage_sums *s, int64_t first)
{
	*s = (struct usage_sums){ .first = first,
				  .count = first,
				  .total = { .cost_known = true } };
	s->bill = llm_usage_totals_new();
	return s->bill ? MT_OK : MT_ENOMEM;
}

void usage_sums_close(struct usage_sums *s)
{
	s->bill = llm_usage_totals_free(s->bill);
}

/* ---- the checkpoint ---------------------------------------------------- */

static bool usage_checkpoint_fits(const struct evlog *log, json_object *o, int64_t first)
{
	int64_t count = js_int(o, "count", -1);

	return js_int(o, "first", -1) == first && count > first &&
	       count <= evlog_replies(log) &&
	       (uint64_t)js_int(o, "mark", 0) == evlog_reply_mark(log, count - 1);
}

/* Read the sums of the checkpoint. If they are invalid, all replies are read. */
static void usage_checkpoint_load(struct usage_sums *s, const struct evlog *log)
{
	json_object *kept = js_get(evlog_checkpoint(log), "replies");
	const char *text = js_str(kept, "text", "");
	size_t len = strlen(text);
	AUTO(json) json_object *o = NULL;

	if (js_int(kept, "version", 0) != VERSION_NUMBER ||
	    js_int(kept, "sum", -1) != (int64_t)crc32c_update(0, text, len))
		return;
	o = js_parse_object(text, len, NULL);
	if (!o || !usage_checkpoint_fits(log, o, s->first))
		return;
	s->count = js_int(o, "count", 0);
	s->worked = js_number(o, "worked", 0);
	s->total = llm_metrics_from_json(js_get(o, "total"));
	llm_usage_totals_join_json(s->bill, js_get(o, "models"));
}

static json_object *sums_json(const struct usage_sums *s, const struct evlog *log)
{
	json_object *o = js_new_object();

	js_set_int(o, "first", s->first);
	js_set_int(o, "count", s->count);
	js_set_int(o, "mark", (int64_t)evlog_reply_mark(log, s->count - 1));
	js_set_number(o, "worked", s->worked);
	js_set(o, "total", llm_metrics_json(&s->total));
	js_set(o, "models", llm_usage_totals_json(s->bill));
	return o;
}

static void save(const struct usage_sums *s, struct evlog *log)
{
	AUTO(json) json_object *sums = sums_json(s, log);
	AUTO(json) json_object *state = js_new_object();
	json_object *kept = js_new_object();
	const char *text = sums ? js_text(sums, NULL) : NULL;

	if (!text || js_set(state, "replies", kept) ||
	    js_set_int(kept, "version", VERSION_NUMBER) ||
	    js_set_str(kept, "text", text) ||
	    js_set_int(kept, "sum", (int64_t)crc32c_update(0, text, strlen(text))))
		return; /* the checkpoint only saves time */
	evlog_set_checkpoint(log, state);
}

/* ---- adding up --------------------------------------------------------- */

static void usage_checkpoint_add(struct usage_sums *s, struct evlog *log, int64_t n)
{
	AUTO(json) json_object *record = evlog_reply_at(log, n, NULL);
	AUTO(llm_reply)
	struct llm_reply *reply = record ? llm_reply_from_json(record, NULL) : NULL;

	if (reply) {
		llm_usage_totals_add(s->bill, reply->model, &reply->usage,
				     reply->latency_ms);
		llm_metrics_add(&s->total, &reply->usage, reply->latency_ms);
	}
	s->worked = js_number(record, "worked", s->worked);
}

void usage_sums_read(struct usage_sums *s, struct evlog *log)
{
	int64_t known;

	usage_checkpoint_load(s, log);
	known = s->count;
	for (; s->count < evlog_replies(log); s->count++)
		usage_checkpoint_add(s, log, s->count);
	if (s->count > known)
		save(s, log);
}
