/* SPDX-License-Identifier: MIT
 *
 * ollama.c - the dialect of Ollama's own /api/chat: unlike its chat completions, this API
 * can set the context size, which is small by default.
 *
 * A stream is one JSON object per line, the last one with "done". */
#define MT_PLUGIN_VERSION "0.1"
#include "jsonl.h"
#include "kit.h"
#include <string.h>
#include <strings.h>

static const char providers[] =
	"{\"ollama_chat\":{\"base_url\":\"http://127.0.0.1:11434\",\"key_env\":"
	"\"OLLAMA_API_KEY\",\"local\":true}}";

#define OLLAMA_KEPT "ollama" /* the reasoning of a reply, as a text */

enum { MAX_CALLS = 128 };

/* ---- the request -------------------------------------------------------------- */

static void put_images(struct writer *w, size_t m)
{
	struct mt_str text;
	size_t images = 0;

	for (size_t p = 0; p < w->host->part_count(w->r, m); p++) {
		if (!writer_part(w, m, p, &text))
			continue;
		if (images++)
			PUT(w, ",\"");
		else
			PUT(w, ",\"images\":[\"");
		writer_put_media(w, m, p);
		PUT(w, "\"");
	}
	if (images)
		PUT(w, "]");
}

static void ollama_put_calls(struct writer *w, size_t m)
{
	size_t count = w->host->call_count(w->r, m);

	if (!count)
		return;
	PUT(w, ",\"tool_calls\":[");
	for (size_t c = 0; c < count; c++) {
		struct mt_str name, args;

		w->host->call(w->r, m, c, NULL, &name, &args);
		if (c)
			PUT(w, ",");
		PUT(w, "{\"function\":{\"name\":");
		writer_put_text(w, name.ptr, name.len);
		PUT(w, ",\"arguments\":");
		writer_put_args(w, args);
		PUT(w, "}}");
	}
	PUT(w, "]");
}

static void ollama_put_message(struct writer *w, size_t m)
{
	static const char *const roles[] = {
		[MT_ROLE_SYSTEM] = "system",
		[MT_ROLE_USER] = "user",
		[MT_ROLE_ASSISTANT] = "assistant",
		[MT_ROLE_TOOL] = "tool",
	};
	int role = w->host->message_role(w->r, m);
	AUTO(json) json_object *thoughts = NULL;
	struct mt_str name = { "", 0 };

	PUT(w, "{\"role\":");
	writer_put_cstr(w, roles[role]);
	PUT(w, ",\"content\":");
	writer_put_joined(w, m);
	put_images(w, m);
	if (role == MT_ROLE_ASSISTANT) {
		thoughts = writer_kept(w, m, OLLAMA_KEPT);
		if (thoughts) {
			PUT(w, ",\"thinking\":");
			writer_put_json(w, thoughts);
		}
		ollama_put_calls(w, m);
	} else if (role == MT_ROLE_TOOL) {
		w->host->call(w->r, m, 0, NULL, &name, NULL);
		PUT(w, ",\"tool_name\":");
		writer_put_text(w, name.ptr, name.len);
	}
	PUT(w, "}");
}

static void ollama_put_messages(struct writer *w)
{
	PUT(w, ",\"messages\":[");
	writer_put_messages(w, ollama_put_message);
	PUT(w, "]");
}

/* Some models support effort levels, others only on and off. */
static void ollama_put_thinking(struct writer *w)
{
	char room[32];
	const char *effort =
		writer_word(w, "reasoning_effort", "reasoning_effort", room, sizeof room);

	if (!*effort)
		return;
	PUT(w, ",\"think\":");
	if (strcmp(effort, "none") == 0)
		PUT(w, "false");
	else if (strstr(w->host->option(w->x, "model"), "gpt-oss"))
		writer_put_cstr(w, effort);
	else
		PUT(w, "true");
}

static void ollama_put_params(struct writer *w)
{
	struct mt_str schema = w->host->param(w->r, "response_schema");
	struct mt_str stop = w->host->param(w->r, "stop");

	if (w->host->stream(w->r))
		PUT(w, ",\"stream\":true");
	else
		PUT(w, ",\"stream\":false");
	ollama_put_thinking(w);
	if (schema.len) {
		PUT(w, ",\"format\":");
		writer_put(w, schema.ptr, schema.len);
	}
	PUT(w, ",\"options\":{\"stop\":");
	if (stop.len)
		writer_put(w, stop.ptr, stop.len);
	else
		PUT(w, "[]");
	writer_put_number(w, "temperature", "temperature", "temperature");
	writer_put_number(w, "top_p", "top_p", "top_p");
	writer_put_number(w, "num_predict", "max_tokens", "max_output_tokens");
	writer_put_number(w, "seed", "seed", "seed");
	writer_put_number(w, "num_ctx", "num_ctx", "max_input_tokens");
	PUT(w, "}");
}

static int ollama_encode(const struct mt_dialect_host *host, struct mt_exchange *x,
			 const struct mt_request *request)
{
	struct writer w = { .host = host, .x = x, .r = request };

	w.status = writer_put_headers(&w, host->url(x, "/api/chat"), "Authorization",
				      "Bearer ");
	PUT(&w, "{\"model\":");
	writer_put_cstr(&w, host->option(x, "model"));
	ollama_put_params(&w);
	writer_put_tools(&w, &chat_tool_form);
	ollama_put_messages(&w);
	PUT(&w, "}");
	return w.status;
}

/* ---- the answer ----------------------------------------------------------------- */

struct decoder {
	struct answer a;
	struct jsonl lines;
	struct strbuf thoughts;
	size_t calls;
	bool lined;            /* `lines` is set up */
};

static struct decoder *ollama_decoder_of(struct answer *a)
{
	return (struct decoder *)a;
}

static void ollama_release(struct answer *a)
{
	struct decoder *d = ollama_decoder_of(a);

	if (!d->lined)
		return;
	jsonl_done(&d->lines);
	strbuf_clear(&d->thoughts);
}

static int ollama_tell_error(struct answer *a, json_object *answer)
{
	json_object *e = js_get(answer, "error");
	const char *text = json_object_is_type(e, json_type_string)
				   ? json_object_get_string(e)
				   : js_str(e, "message", NULL);

	if (!text)
		text = js_text(answer, NULL);
	return answer_fail(a, a->status < 300 ? MT_ERROR_INTERNAL : MT_ERROR_NONE, -1,
			   text ? text : "");
}

static int tell_calls(struct decoder *d, json_object *calls)
{
	size_t count = js_length(calls);
	int status = MT_OK;

	for (size_t i = 0; i < count && !status; i++) {
		json_object *call = json_object_array_get_idx(calls, i);
		json_object *f = js_get(call, "function"), *args = js_get(f, "arguments");
		size_t len = 0;
		const char *text = json_object_is_type(args, json_type_string)
					   ? json_object_get_string(args)
					   : js_text(args, &len);

		if (d->calls == MAX_CALLS)
			return MT_ELIMIT;
		if (!text)
			return MT_ENOMEM;
		if (json_object_is_type(args, json_type_string))
			len = (size_t)json_object_get_string_len(args);
		status =
			d->a.host->tool_call(d->a.x, d->calls++, js_str(call, "id", NULL),
					     js_str(f, "name", ""),
					     args && text ? text : "", args ? len : 0);
	}
	return status;
}

static int ollama_keep(struct decoder *d)
{
	AUTO(strbuf) struct strbuf out = STRBUF(ANSWER_MAX_BODY);

	if (!d->thoughts.len)
		return MT_OK;
	strbuf_addc(&out, '{');
	js_key_strn(&out, OLLAMA_KEPT, d->thoughts.text, d->thoughts.len);
	if (strbuf_addc(&out, '}'))
		return out.error;
	return d->a.host->opaque(d->a.x, out.text, out.len);
}

static int ollama_tell_end(struct decoder *d, json_object *answer)
{
	const char *reason = js_str(answer, "done_reason", "stop");
	struct mt_usage u = {
		.size = sizeof u,
		.input = answer_count_at(answer, "prompt_eval_count"),
		.output = answer_count_at(answer, "eval_count"),
		.cache_read = -1,
		.cache_write = -1,
		.reasoning = -1,
		.cost = -1,
	};
	int status = d->a.host->usage(d->a.x, &u);

	if (!status)
		status = ollama_keep(d);
	if (!status)
		status = d->a.host->stopped(d->a.x, strcmp(reason, "length") == 0
							    ? "length"
						    : d->calls ? "tool_calls"
							       : "stop");
	return status ? status : answer_over(&d->a);
}

static int ollama_on_answer(struct answer *a, json_object *answer)
{
	struct decoder *d = ollama_decoder_of(a);
	json_object *message = js_get(answer, "message");
	json_object *thinking = js_get(message, "thinking");
	int status = MT_OK;

	if (js_get(answer, "error"))
		return ollama_tell_error(a, answer);
	if (json_object_is_type(thinking, json_type_string))
		status = strbuf_addn(&d->thoughts, json_object_get_string(thinking),
				     (size_t)json_object_get_string_len(thinking));
	if (!status)
		status = answer_tell_text(a, thinking, true);
	if (!status)
		status = answer_tell_text(a, js_get(message, "content"), false);
	if (!status)
		status = tell_calls(d, js_get(message, "tool_calls"));
	if (status)
		return status;
	if (js_bool(answer, "done", false))
		return ollama_tell_end(d, answer);
	return message ? MT_OK
		       : answer_fail(a, MT_ERROR_MALFORMED, -1,
				     "the response has no message");
}

static int ollama_on_line(char *line, size_t len, void *arg)
{
	struct answer *a = arg;
	AUTO(json) json_object *answer = NULL;
	struct error why = ERROR_NONE;

	if (a->failed || a->over || strspn(line, " \t\r") == len)
		return MT_OK;
	answer = js_parse_object(line, len, &why);
	if (!answer)
		return answer_fail(a, MT_ERROR_MALFORMED, -1, why.text);
	return ollama_on_answer(a, answer);
}

/* Process a last line without a newline. */
static int ollama_on_end(struct answer *a)
{
	return a->form == FORM_STREAM && ollama_decoder_of(a)->lined
		       ? jsonl_feed(&ollama_decoder_of(a)->lines, "\n", 1)
		       : MT_OK;
}

static const struct answer_rules rules = {
	.size = sizeof(struct decoder),
	.whole = ollama_on_answer,
	.error = ollama_tell_error,
	.end = ollama_on_end,
	.release = ollama_release,
};

static int ollama_feed(const struct mt_dialect_host *host, struct mt_exchange *x,
		       int status, const char *type, const char *bytes, size_t len)
{
	struct answer *a = answer_of(&rules, host, x, status);
	struct decoder *d;

	if (!a)
		return MT_ENOMEM;
	d = ollama_decoder_of(a);
	if (!d->lined) {
		d->lined = true;
		d->thoughts = STRBUF(ANSWER_MAX_BODY);
		jsonl_init(&d->lines, ANSWER_MAX_EVENT, ollama_on_line, a);
	}
	if (a->form == FORM_UNKNOWN)
		a->form =
			status < 300 && strncasecmp(type, "application/json", 16) != 0 &&
					strncasecmp(type, "text/", 5) != 0
				? FORM_STREAM
				: FORM_WHOLE;
	return a->form == FORM_STREAM
		       ? jsonl_feed(&d->lines, bytes, len)
		       : answer_feed(&rules, host, x, status, type, bytes, len);
}

static int ollama_end(const struct mt_dialect_host *host, struct mt_exchange *x,
		      int status)
{
	return answer_end(&rules, host, x, status);
}

static const struct mt_dialect dialect = {
	.size = sizeof dialect,
	.providers = providers,
	.encode = ollama_encode,
	.feed = ollama_feed,
	.end = ollama_end,
};

MT_DIALECT(&dialect, "dialect-ollama", .name = "ollama",
	   .summary = "Implements Ollama's native API, with any context size.")
