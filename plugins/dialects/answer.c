/* SPDX-License-Identifier: MIT
 *
 * answer.c - reads the response of a dialect over HTTP: a stream of events, one JSON
 * text, or an error, detected by content rather than by the request. */
#include "kit.h"
#include <string.h>
#include <strings.h>

static void answer_release(void *state)
{
	struct answer *a = state;

	if (a->rules->release)
		a->rules->release(a);
	sse_done(&a->sse);
	strbuf_clear(&a->body);
}

/* ---- errors ----------------------------------------------------------------- */

int answer_fail(struct answer *a, int kind, int64_t retry_ms, const char *text)
{
	a->failed = true;
	a->host->error(a->x, kind, retry_ms, "%.*s", ANSWER_MAX_WHY, text);
	return MT_OK;
}

int answer_over(struct answer *a)
{
	a->finished = a->over = true;
	return a->host->finished(a->x);
}

int answer_kind_of_number(int64_t status)
{
	if (status == 429)
		return MT_ERROR_RATE_LIMIT;
	if (status == 402)
		return MT_ERROR_QUOTA;
	if (status == 401 || status == 403)
		return MT_ERROR_AUTHENTICATION;
	if (status == 408)
		return MT_ERROR_TIMEOUT;
	if (status == 502 || status == 503 || status == 529)
		return MT_ERROR_OVERLOADED;
	return status >= 500 && status < 600 ? MT_ERROR_INTERNAL : MT_ERROR_NONE;
}

int answer_kind_of_name(const struct kind_name *all, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, all[i].name) == 0)
			return all[i].kind;
	return MT_ERROR_NONE;
}

/* ---- values ----------------------------------------------------------------- */

int64_t answer_count_at(json_object *usage, const char *path)
{
	json_object *v = js_path(usage, path);

	return json_object_is_type(v, json_type_int) && json_object_get_int64(v) >= 0
		       ? json_object_get_int64(v)
		       : -1;
}

int64_t answer_count_sum(int64_t first, int64_t second, int64_t third)
{
	if (first < 0 || first > INT64_MAX / 4)
		return first < 0 ? -1 : first;
	if (second > 0 && second < INT64_MAX / 4)
		first += second;
	if (third > 0 && third < INT64_MAX / 4)
		first += third;
	return first;
}

int answer_tell_text(struct answer *a, json_object *text, bool reasoning)
{
	size_t len;

	if (!json_object_is_type(text, json_type_string))
		return MT_OK;
	len = (size_t)json_object_get_string_len(text);
	return reasoning ? a->host->reasoning(a->x, json_object_get_string(text), len)
			 : a->host->text(a->x, json_object_get_string(text), len);
}

/* ---- the two forms ---------------------------------------------------------- */

static int answer_on_event(const char *name, const char *data, size_t len, void *arg)
{
	struct answer *a = arg;
	AUTO(json) json_object *event = NULL;
	struct error why = ERROR_NONE;

	if (!len || a->failed || a->over)
		return MT_OK;
	if (len == 6 && memcmp(data, "[DONE]", 6) == 0)
		return answer_over(a);
	event = js_parse_object(data, len, &why);
	if (!event)
		return answer_fail(a, MT_ERROR_MALFORMED, -1, why.text);
	return a->rules->event(a, name, event);
}

static int tell_whole(struct answer *a, json_object *answer)
{
	if (a->status >= 300)
		return a->rules->error(a, answer);
	return a->rules->whole(a, answer);
}

static int whole_answer(struct answer *a)
{
	struct error why = ERROR_NONE;
	AUTO(json) json_object *answer = js_parse(a->body.text, a->body.len, &why);
	int status = MT_OK;

	if (!answer && a->body.len &&
	    a->body.text[strspn(a->body.text, " \t\r\n")] == '<')
		return answer_fail(a,
				   a->status >= 300 ? MT_ERROR_NONE : MT_ERROR_NOT_FOUND,
				   -1,
				   "a web page was returned instead of an API response");
	if (!answer && a->status >= 300)
		return answer_fail(a, MT_ERROR_NONE, -1, a->body.text);
	if (!answer)
		return answer_fail(a, MT_ERROR_MALFORMED, -1,
				   a->body.len ? why.text : "the response is empty");
	if (!json_object_is_type(answer, json_type_array))
		return tell_whole(a, answer);
	for (size_t i = 0; i < json_object_array_length(answer) && !status && !a->failed;
	     i++)
		status = tell_whole(a, json_object_array_get_idx(answer, i));
	return status;
}

/* The form by content type; FORM_UNKNOWN if undecided. */
static enum answer_form form_of_type(const char *type)
{
	if (strncasecmp(type, "text/event-stream", 17) == 0)
		return FORM_STREAM;
	if (strncasecmp(type, "application/json", 16) == 0 ||
	    strncasecmp(type, "text/html", 9) == 0)
		return FORM_WHOLE;
	return FORM_UNKNOWN;
}

/* The form by the first byte that is not white space: a stream begins with a field name
 * or a colon. */
static enum answer_form form_of_byte(char c)
{
	return c && strchr("deir:", c) ? FORM_STREAM : FORM_WHOLE;
}

static bool is_space_or_mark(char c)
{
	return c && strchr(" \t\r\n\xef\xbb\xbf", c);
}

struct answer *answer_of(const struct answer_rules *rules,
			 const struct mt_dialect_host *host, struct mt_exchange *x,
			 int status)
{
	struct answer *a = host->state(x, rules->size);

	if (!a)
		return NULL;
	a->host = host;
	a->x = x;
	a->rules = rules;
	a->status = status;
	if (!a->open) {
		a->open = true;
		a->body = STRBUF(ANSWER_MAX_BODY);
		sse_init(&a->sse, ANSWER_MAX_EVENT, answer_on_event, a);
		host->on_end(x, answer_release);
	}
	return a;
}

int answer_feed(const struct answer_rules *rules, const struct mt_dialect_host *host,
		struct mt_exchange *x, int status, const char *type, const char *bytes,
		size_t len)
{
	struct answer *a = answer_of(rules, host, x, status);

	if (!a)
		return MT_ENOMEM;
	if (a->form == FORM_UNKNOWN)
		a->form = form_of_type(type);
	if (a->form == FORM_UNKNOWN) {
		for (; len && is_space_or_mark(*bytes); len--)
			bytes++;
		if (!len)
			return MT_OK;
		a->form = form_of_byte(*bytes);
	}
	if (a->form == FORM_STREAM)
		return sse_feed(&a->sse, bytes, len);
	return strbuf_addn(&a->body, bytes, len);
}

int answer_end(const struct answer_rules *rules, const struct mt_dialect_host *host,
	       struct mt_exchange *x, int status)
{
	struct answer *a = answer_of(rules, host, x, status);

	if (!a)
		return MT_ENOMEM;
	if (a->form == FORM_UNKNOWN && status < 300)
		return answer_fail(a, MT_ERROR_MALFORMED, -1, "the response is empty");
	if (a->form != FORM_STREAM) {
		int failed = whole_answer(a);

		if (failed || a->failed)
			return failed;
	}
	if (a->failed)
		return MT_OK;
	if (a->rules->end) {
		int failed = a->rules->end(a);

		if (failed || a->failed)
			return failed;
	}
	if (!a->finished)
		return answer_fail(a, MT_ERROR_MALFORMED, -1,
				   "the response was truncated");
	return MT_OK;
}
