/* SPDX-License-Identifier: MIT
 *
 * dialect-host.c - the functions that a dialect may call: access to the request, the sent
 * data and the received data. */
#include "llm/llm-internal.h"
#include "log.h"
#include "utf8.h"
#include <string.h>
#include <strings.h>

static struct llm_exchange *exchange_of(struct mt_exchange *x)
{
	return (struct llm_exchange *)x;
}

static const struct llm_request *request_of(const struct mt_request *r)
{
	return (const struct llm_request *)r;
}

static const struct llm_message *message_at(const struct mt_request *r, size_t m)
{
	static const struct llm_message none = { .role = MT_ROLE_USER };
	const struct llm_request *q = request_of(r);

	return m < q->message_count ? &q->messages[m] : &none;
}

static struct mt_str mt_str_of(const char *text)
{
	return (struct mt_str){ text, text ? strlen(text) : 0 };
}

/* ---- configuration ------------------------------------------------------ */

static const char *input_estimate(struct llm_exchange *x)
{
	if (!x->request)
		return NULL;
	snprintf(x->estimate, sizeof x->estimate, "%lld",
		 (long long)llm_estimate_tokens(x->llm, x->request));
	return x->estimate;
}

static const char *context_window(struct llm_exchange *x)
{
	if (x->llm->window <= 0)
		return NULL;
	snprintf(x->window, sizeof x->window, "%lld", (long long)x->llm->window);
	return x->window;
}

static const char *svc_option(struct mt_exchange *mx, const char *name)
{
	const struct llm *l = exchange_of(mx)->llm;
	const struct component *c = l->component;
	const struct {
		const char *name, *text;
	} own[] = {
		{ "model", l->model },
		{ "provider", l->provider },
		{ "section", l->section },
		{ "base_url", l->base_url },
	};
	const char *text;

	if (c && component_find_option(c, name))
		return component_option(c, l->own, name);
	if (llm_option(l, name, &text))
		return text;
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (strcmp(name, own[i].name) == 0)
			return own[i].text;
	if (strcmp(name, "input_estimate") == 0)
		return input_estimate(exchange_of(mx));
	if (strcmp(name, "context_window") == 0)
		return context_window(exchange_of(mx));
	if (strncmp(name, "api_key", 7) == 0 || strcmp(name, "extra_headers") == 0)
		return NULL;
	return config_get(l->config, l->section, name);
}

static int svc_feature(struct mt_exchange *mx, const char *name)
{
	const struct llm_exchange *x = exchange_of(mx);

	if (x->no_cache && strcmp(name, "cache") == 0)
		return false;
	return llm_feature(x->llm, name);
}

static void svc_log(struct mt_exchange *mx, int level, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf line = STRBUF(4096);
	va_list ap;

	va_start(ap, fmt);
	utf8_vaddf_cut(&line, fmt, ap);
	va_end(ap);
	log_line(level, "llm", "%s: %s", exchange_of(mx)->llm->name, line.text);
}

static void svc_log_text(struct mt_exchange *mx, int level, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf line = STRBUF(4096);

	utf8_add_cut(&line, text, len);
	log_line(level, "llm", "%s: %s", exchange_of(mx)->llm->name, line.text);
}

static int64_t svc_reply_index(struct mt_exchange *mx)
{
	return exchange_of(mx)->reply_index;
}

static int svc_attempt(struct mt_exchange *mx)
{
	return exchange_of(mx)->attempt;
}

/* ---- the request -------------------------------------------------------- */

static size_t svc_message_count(const struct mt_request *r)
{
	return request_of(r)->message_count;
}

static int svc_message_role(const struct mt_request *r, size_t m)
{
	return message_at(r, m)->role;
}

static size_t svc_part_count(const struct mt_request *r, size_t m)
{
	return message_at(r, m)->part_count;
}

static const char *svc_part(const struct mt_request *r, size_t m, size_t p,
			    struct mt_str *ret_text, uint64_t *ret_bytes)
{
	const struct llm_message *msg = message_at(r, m);
	static const struct llm_part none = { .text = "" };
	const struct llm_part *part = p < msg->part_count ? &msg->parts[p] : &none;
	const char *instead =
		part->mime ? llm_media_placeholder(request_of(r), m, p) : NULL;
	bool alone = part->alone && llm_media_placeholder(request_of(r), m, p + 1);
	size_t len = alone ? part->alone : part->len;

	if (ret_text && instead)
		*ret_text = mt_str_of(instead);
	else if (ret_text)
		*ret_text = part->mime ? (struct mt_str){ "", 0 }
				       : (struct mt_str){ part->text, len };
	if (ret_bytes)
		*ret_bytes = instead ? strlen(instead) : len;
	return instead ? NULL : part->mime;
}

static int64_t svc_media_read(const struct mt_request *r, size_t m, size_t p,
			      uint64_t offset, void *buffer, size_t len)
{
	const struct llm_message *msg = message_at(r, m);

	if (p >= msg->part_count)
		return MT_ENOTFOUND;
	return llm_read_medium(&msg->parts[p], offset, buffer, len);
}

static struct mt_str svc_media_url(const struct mt_request *r, size_t m, size_t p)
{
	const struct llm_message *msg = message_at(r, m);

	return mt_str_of(p < msg->part_count ? msg->parts[p].url : NULL);
}

static int svc_message_cache(const struct mt_request *r, size_t m)
{
	return llm_request_cache(request_of(r), m);
}

static int svc_message_failed(const struct mt_request *r, size_t m)
{
	return message_at(r, m)->failed;
}

static size_t svc_call_count(const struct mt_request *r, size_t m)
{
	return message_at(r, m)->call_count;
}

static void svc_call(const struct mt_request *r, size_t m, size_t c,
		     struct mt_str *ret_id, struct mt_str *ret_name,
		     struct mt_str *ret_args)
{
	const struct llm_message *msg = message_at(r, m);
	static const struct llm_call none = { .id = "", .name = "", .args = "" };
	const struct llm_call *call = c < msg->call_count ? &msg->calls[c] : &none;

	if (ret_id)
		*ret_id = mt_str_of(call->id);
	if (ret_name)
		*ret_name = mt_str_of(call->name);
	if (ret_args)
		*ret_args = (struct mt_str){ call->args, call->args_len };
}

static struct mt_str svc_message_opaque(const struct mt_request *r, size_t m)
{
	const struct llm_message *msg = message_at(r, m);

	return (struct mt_str){ msg->opaque ? msg->opaque : "", msg->opaque_len };
}

static size_t svc_tool_count(const struct mt_request *r)
{
	return request_of(r)->tool_count;
}

static void svc_tool(const struct mt_request *r, size_t t, struct mt_str *ret_name,
		     struct mt_str *ret_description, struct mt_str *ret_schema)
{
	const struct llm_request *q = request_of(r);
	static const struct llm_tool none;
	const struct llm_tool *tool = t < q->tool_count ? &q->tools[t] : &none;

	if (ret_name)
		*ret_name = mt_str_of(tool->name);
	if (ret_description)
		*ret_description = mt_str_of(tool->description);
	if (ret_schema)
		*ret_schema = mt_str_of(tool->sent ? tool->sent : tool->schema);
}

static struct mt_str svc_param(const struct mt_request *r, const char *name)
{
	json_object *params = request_of(r)->params, *value = js_get(params, name);
	struct mt_str text = { "", 0 };

	if (value)
		text.ptr = js_text(value, &text.len);
	return text.ptr ? text : (struct mt_str){ "", 0 };
}

static int svc_stream(const struct mt_request *r)
{
	return request_of(r)->stream;
}

/* ---- encode ------------------------------------------------------------- */

static int svc_url(struct mt_exchange *mx, const char *url)
{
	struct llm_exchange *x = exchange_of(mx);
	const char *base = x->llm->base_url;
	size_t len = strlen(base);

	strbuf_reset(&x->url);
	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
		while (len && base[len - 1] == '/')
			len--;
		strbuf_addn(&x->url, base, len);
		if (*url != '/')
			strbuf_addc(&x->url, '/');
	}
	return strbuf_add(&x->url, url);
}

static int response_add_header(struct llm_exchange *x, const char *name,
			       const char *prefix, const char *value)
{
	AUTO(strbuf) struct strbuf line = STRBUF(16384);

	if (x->header_count >= LLM_MAX_HEADERS || strpbrk(name, ":\r\n") ||
	    strpbrk(value, "\r\n") || strpbrk(prefix, "\r\n"))
		return MT_EINVAL;
	strbuf_add(&line, name);
	strbuf_add(&line, ": ");
	strbuf_add(&line, prefix);
	if (strbuf_add(&line, value))
		return line.error;
	x->headers[x->header_count++] = strbuf_take(&line);
	return MT_OK;
}

static int svc_header(struct mt_exchange *mx, const char *name, const char *value)
{
	return response_add_header(exchange_of(mx), name, "", value);
}

static int svc_key_header(struct mt_exchange *mx, const char *name, const char *prefix)
{
	struct llm_exchange *x = exchange_of(mx);

	return x->llm->key ? response_add_header(x, name, prefix, x->llm->key) : MT_OK;
}

static int svc_body(struct mt_exchange *mx, const char *bytes, size_t len)
{
	return body_add(&exchange_of(mx)->body, bytes, len);
}

static int svc_body_str(struct mt_exchange *mx, const char *text, size_t len)
{
	struct llm_body *b = &exchange_of(mx)->body;

	js_put_str(&b->bytes, text, len);
	return body_settle(b);
}

static int svc_body_media(struct mt_exchange *mx, const struct mt_request *r, size_t m,
			  size_t p)
{
	const struct llm_message *msg = message_at(r, m);

	if (p >= msg->part_count)
		return MT_ENOTFOUND;
	return llm_put_medium(&exchange_of(mx)->body, &msg->parts[p]);
}

static size_t svc_messages_kept(struct mt_exchange *mx, const struct mt_request *r)
{
	return body_reuse(&exchange_of(mx)->body, request_of(r));
}

static void svc_message_begins(struct mt_exchange *mx, const struct mt_request *r,
			       size_t m)
{
	body_mark(&exchange_of(mx)->body, request_of(r), m);
}

static int svc_local(struct mt_exchange *mx, int64_t delay_ms)
{
	struct llm_exchange *x = exchange_of(mx);

	x->local = true;
	x->delay_ms = delay_ms > 0 ? delay_ms : 0;
	return MT_OK;
}

/* ---- decode ------------------------------------------------------------- */

static int append_text(struct llm_exchange *x, bool reasoning, const char *text,
		       size_t len)
{
	struct strbuf *b = reasoning ? &x->reasoning : &x->text;

	if (!len)
		return MT_OK;
	x->answered = true;
	if (strbuf_addn(b, text, len))
		return b->error;
	if (x->tools && !reasoning)
		llm_stream_text(x);
	else if (x->events.delta && !x->ended)
		x->events.delta(x->arg, reasoning, text, len);
	return MT_OK;
}

static int svc_text(struct mt_exchange *mx, const char *text, size_t len)
{
	return append_text(exchange_of(mx), false, text, len);
}

static int svc_reasoning(struct mt_exchange *mx, const char *text, size_t len)
{
	return append_text(exchange_of(mx), true, text, len);
}

/* Store the first text that is not empty. */
static int set_once(char **place, const char *text)
{
	if (*place || !text || !*text)
		return MT_OK;
	*place = strdup(text);
	return *place ? MT_OK : MT_ENOMEM;
}

static int svc_tool_call(struct mt_exchange *mx, size_t index, const char *id,
			 const char *name, const char *args, size_t len)
{
	struct llm_exchange *x = exchange_of(mx);
	struct llm_piece *piece;

	if (index >= LLM_MAX_CALLS) {
		llm_dialect_host.error(mx, MT_ERROR_MALFORMED, -1,
				       "more than %d tool calls in the response",
				       LLM_MAX_CALLS);
		return MT_ELIMIT;
	}
	x->answered = true;
	for (; x->call_count <= index; x->call_count++)
		x->calls[x->call_count] =
			(struct llm_piece){ .args = STRBUF(LLM_MAX_TEXT) };
	piece = &x->calls[index];
	if (set_once(&piece->id, id) || set_once(&piece->name, name))
		return MT_ENOMEM;
	return len ? strbuf_addn(&piece->args, args, len) : MT_OK;
}

static int svc_opaque(struct mt_exchange *mx, const char *json, size_t len)
{
	struct llm_exchange *x = exchange_of(mx);

	strbuf_reset(&x->opaque);
	return strbuf_addn(&x->opaque, json, len);
}

static int svc_usage(struct mt_exchange *mx, const struct mt_usage *u)
{
	exchange_of(mx)->usage = (struct llm_usage){
		.input = u->input, .output = u->output, .cache_read = u->cache_read,
		.cache_write = u->cache_write, .reasoning = u->reasoning, .cost = u->cost,
	};
	return MT_OK;
}

static int svc_response_id(struct mt_exchange *mx, const char *id)
{
	return set_once(&exchange_of(mx)->response_id, id);
}

static int svc_stopped(struct mt_exchange *mx, const char *reason)
{
	exchange_of(mx)->answered = true;
	return set_once(&exchange_of(mx)->stop_reason, reason);
}

/* False: the attempt has failed before, and that error counts. */
static bool begin_error(struct llm_exchange *x, int kind, int64_t retry_ms)
{
	if (x->error_kind != LLM_NO_ERROR)
		return false;
	x->error_kind = kind;
	if (retry_ms >= 0)
		x->hint.wait_ms = retry_ms;
	return true;
}

static int svc_error_text(struct mt_exchange *mx, int kind, int64_t retry_ms,
			  const char *text, size_t len)
{
	struct llm_exchange *x = exchange_of(mx);

	if (begin_error(x, kind, retry_ms))
		utf8_add_cut(&x->error_text, text, len);
	return MT_OK;
}

static int svc_error(struct mt_exchange *mx, int kind, int64_t retry_ms, const char *fmt,
		     ...)
{
	struct llm_exchange *x = exchange_of(mx);
	va_list ap;

	if (!begin_error(x, kind, retry_ms))
		return MT_OK;
	va_start(ap, fmt);
	utf8_vaddf_cut(&x->error_text, fmt, ap);
	va_end(ap);
	return MT_OK;
}

static int svc_finished(struct mt_exchange *mx)
{
	exchange_of(mx)->finished = true;
	return MT_OK;
}

static void reset_response(struct llm_exchange *x)
{
	for (size_t i = 0; i < x->call_count; i++) {
		free(x->calls[i].id);
		free(x->calls[i].name);
		strbuf_clear(&x->calls[i].args);
		free(x->calls[i].refusal);
	}
	x->call_count = 0;
	free(x->correction);
	x->correction = NULL;
	x->is_guess = false;
	strbuf_clear(&x->text);
	x->shown = 0;
	strbuf_clear(&x->reasoning);
	strbuf_clear(&x->opaque);
	free(x->response_id);
	free(x->stop_reason);
	x->response_id = x->stop_reason = NULL;
	x->answered = false;
}

/* Report that the streamed text is void, as before a new attempt. */
static int svc_restarted(struct mt_exchange *mx)
{
	struct llm_exchange *x = exchange_of(mx);
	struct llm_error e = { .kind = MT_ERROR_MALFORMED, .status = x->status,
			       .attempts = x->attempt };

	if (!x->answered)
		return MT_OK;
	reset_response(x);
	llm_error_describe(x->llm, &e, "the provider restarted its response");
	if (x->events.retry && !x->ended)
		x->events.retry(x->arg, &e, 0);
	return MT_OK;
}

static const char *svc_answer_header(struct mt_exchange *mx, const char *name)
{
	const struct strbuf *all = &exchange_of(mx)->answer_headers;

	for (const char *p = all->text; p < all->text + all->len;) {
		const char *value = p + strlen(p) + 1;

		if (strcasecmp(p, name) == 0)
			return value;
		p = value + strlen(value) + 1;
	}
	return NULL;
}

static const char *svc_env(struct mt_exchange *mx, const char *name)
{
	(void)mx;
	return secret_env(name);
}

static int svc_secret(struct mt_exchange *mx, const char *name, const char *value,
		      size_t len)
{
	struct mask *mask = exchange_of(mx)->llm->mask;

	return mask ? secret_hide(mask, name, value, len, NULL) : MT_EUNSUPPORTED;
}

static void *svc_state(struct mt_exchange *mx, size_t bytes)
{
	struct llm_exchange *x = exchange_of(mx);

	if (!x->state && bytes <= LLM_MAX_STATE) {
		x->state = calloc(1, bytes);
		x->state_size = bytes;
	}
	return bytes <= x->state_size ? x->state : NULL;
}

static void svc_on_end(struct mt_exchange *mx, void (*release)(void *state))
{
	exchange_of(mx)->release = release;
}

void exchange_reset_attempt(struct llm_exchange *x)
{
	if (x->state && x->release)
		x->release(x->state);
	free(x->state);
	x->state = NULL;
	x->state_size = 0;
	x->release = NULL;
	reset_response(x);
	strbuf_clear(&x->error_text);
	strbuf_clear(&x->answer_headers);
	x->usage = (struct llm_usage){ -1, -1, -1, -1, -1, -1 };
	x->error_kind = LLM_NO_ERROR;
	x->finished = false;
	x->status = 0;
	x->type[0] = '\0';
	x->hint = (struct backoff_hint)BACKOFF_NO_HINT;
	x->header_cost = -1;
	x->received = 0;
}

const struct mt_dialect_host llm_dialect_host = {
	.size = sizeof llm_dialect_host,
	.option = svc_option,
	.feature = svc_feature,
	.log = svc_log,
	.reply_index = svc_reply_index,
	.message_count = svc_message_count,
	.message_role = svc_message_role,
	.part_count = svc_part_count,
	.part = svc_part,
	.media_read = svc_media_read,
	.message_cache = svc_message_cache,
	.call_count = svc_call_count,
	.call = svc_call,
	.message_opaque = svc_message_opaque,
	.tool_count = svc_tool_count,
	.tool = svc_tool,
	.param = svc_param,
	.stream = svc_stream,
	.url = svc_url,
	.header = svc_header,
	.key_header = svc_key_header,
	.body = svc_body,
	.body_str = svc_body_str,
	.body_media = svc_body_media,
	.local = svc_local,
	.messages_kept = svc_messages_kept,
	.message_begins = svc_message_begins,
	.text = svc_text,
	.reasoning = svc_reasoning,
	.tool_call = svc_tool_call,
	.opaque = svc_opaque,
	.usage = svc_usage,
	.response_id = svc_response_id,
	.stopped = svc_stopped,
	.error = svc_error,
	.state = svc_state,
	.on_end = svc_on_end,
	.attempt = svc_attempt,
	.finished = svc_finished,
	.restarted = svc_restarted,
	.answer_header = svc_answer_header,
	.message_failed = svc_message_failed,
	.media_url = svc_media_url,
	.env = svc_env,
	.secret = svc_secret,
	.log_text = svc_log_text,
	.error_text = svc_error_text,
};
