/* SPDX-License-Identifier: MIT
 *
 * log-search.c - searches events for the tool `recall`, by keywords or by number;
 * reverted events are excluded. */
#include "controller/feature-api.h"
#include "controller/turn.h"
#include "features/context-recall.h"

#include <string.h>
#include <strings.h>

enum { FOUND_MAX = 20, EXCERPT = 400, ANSWER_MAX = 48 << 10, EVENTS_AT_ONCE = 200 };

/* The parts of an event that are worth reading. */
static const char *log_search_text_of(const struct event *e, size_t *ret_len)
{
	const char *content;

	if (!e->is_action)
		return event_content(e, ret_len);
	if (e->type->id == ACTION_MESSAGE) {
		content = event_arg(e, "content");
		*ret_len = strlen(content);
		return content;
	}
	content = js_text(event_args(e), ret_len);
	return content ? content : ""; /* out of memory: the text has length 0 */
}

static void log_search_add_event(struct strbuf *out, const struct event *e,
				 const char *text, size_t len)
{
	strbuf_addf(out, "<EVENT id=%lld %s %s%s>\n", (long long)e->id,
		    event_source_name(e->source), e->type->name,
		    e->is_action ? "" : " (result)");
	strbuf_addn(out, text, len);
	strbuf_add(out, "\n</EVENT>\n");
}

static size_t log_search_whole(const char *text, size_t at, size_t len)
{
	while (at < len && ((unsigned char)text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/* Add an excerpt around the first match. @return true if found. */
static bool add_excerpt(struct strbuf *out, const struct event *e, const char *query)
{
	size_t len, from, to;
	const char *text = log_search_text_of(e, &len), *at = strcasestr(text, query);

	if (!at)
		return false;
	from = (size_t)(at - text) > EXCERPT / 2 ? (size_t)(at - text) - EXCERPT / 2 : 0;
	from = log_search_whole(text, from, len);
	to = log_search_whole(text, from + EXCERPT < len ? from + EXCERPT : len, len);
	log_search_add_event(out, e, text + from, to - from);
	return true;
}

static bool is_told(const struct evlog_head *head)
{
	return event_is_history(head) && head->type->id != ACTION_SYSTEM;
}

/* Newest first: most requests are about recent events. */
static int log_search_find(struct conversation *c, const char *query, struct strbuf *out)
{
	int found = 0;

	for (int64_t id = evlog_count(conversation_log(c)) - 1;
	     id >= 0 && found < FOUND_MAX; id--) {
		AUTO(event) struct event *e = NULL;

		if (id == turn_pending(c) ||
		    !is_told(evlog_head(conversation_log(c), id)))
			continue;
		e = evlog_event(conversation_log(c), id, NULL);
		if (e && add_excerpt(out, e, query))
			found++;
	}
	return found;
}

static void log_search_read_range(struct conversation *c, int64_t from, int64_t to,
				  struct strbuf *out)
{
	if (to < from || to - from >= EVENTS_AT_ONCE)
		to = from + EVENTS_AT_ONCE - 1;
	for (int64_t id = from; id <= to && id < evlog_count(conversation_log(c)); id++) {
		AUTO(event) struct event *e = NULL;
		const char *text;
		size_t len, room = ANSWER_MAX - out->len;

		if (!is_told(evlog_head(conversation_log(c), id)))
			continue;
		e = evlog_event(conversation_log(c), id, NULL);
		if (!e)
			continue;
		text = log_search_text_of(e, &len);
		if (len + 200 > room) {
			strbuf_addf(out,
				    "[Event %lld and later ones do not fit here. "
				    "Continue with `from` %lld, or use `query`.]\n",
				    (long long)id, (long long)id);
			return;
		}
		log_search_add_event(out, e, text, len);
	}
}

void log_search_answer(struct conversation *c, uint64_t request, json_object *params)
{
	AUTO(strbuf) struct strbuf out = STRBUF(2 * ANSWER_MAX);
	AUTO(json) json_object *answer = json_object_new_object();
	const char *query = js_str(params, "query", "");
	int64_t from = js_int(params, "from", -1);

	if (from >= 0)
		log_search_read_range(c, from, js_int(params, "to", from), &out);
	else if (*query)
		log_search_find(c, query, &out);
	else
		strbuf_add(&out, "Pass `query`, or `from` and `to`.");
	if (!out.len)
		strbuf_add(&out, "No matching events.");
	if (out.error || js_set_strn(answer, "text", out.text, out.len))
		runner_refuse(conversation_runner(c), request, MT_ENOMEM,
			      status_name(MT_ENOMEM));
	else
		tool_requests_answer(c, request, answer);
}
