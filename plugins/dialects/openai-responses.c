/* SPDX-License-Identifier: MIT
 *
 * openai-responses.c - encodes requests of the Responses API.
 *
 * Nothing is stored at the provider: each request contains the whole conversation, with
 * the encrypted reasoning unchanged. */
#include "openai.h"
#include "options.h"
#include <string.h>

/* ---- which API --------------------------------------------------------------- */

static bool is_own_address(const char *base)
{
	return strstr(base, ".openai.com/") || strstr(base, "//api.openai.com") ||
	       strstr(base, ".openai.azure.com") || strstr(base, ".azure.com/");
}

bool openai_uses_responses(const struct mt_dialect_host *host, struct mt_exchange *x)
{
	static const struct mt_option choice = { .size = sizeof choice,
						 .type = MT_OPTION_CHOICE,
						 .choices = "auto|chat|responses" };
	enum { API_CHAT = 1, API_RESPONSES };
	const char *set = host->option(x, "api"), *base = host->option(x, "base_url");
	int api = set ? option_choice(&choice, set) : -1;

	if (api == API_CHAT || api == API_RESPONSES)
		return api == API_RESPONSES;
	return host->feature(x, "responses") && base && is_own_address(base);
}

/* ---- items ------------------------------------------------------------------- */

static void responses_put_medium(struct writer *w, size_t m, size_t p, const char *mime)
{
	if (strcmp(mime, "application/pdf") == 0)
		PUT(w, "{\"type\":\"input_file\",\"filename\":\"document.pdf\","
		       "\"file_data\":");
	else
		PUT(w, "{\"type\":\"input_image\",\"detail\":\"auto\",\"image_url\":");
	writer_put_media_url(w, m, p, mime, true);
	PUT(w, "}");
}

/* A message or a result with images in it. */
static void responses_put_list(struct writer *w, size_t m)
{
	struct mt_str text = { "", 0 };
	size_t written = 0;

	PUT(w, "[");
	for (size_t p = 0; p < w->host->part_count(w->r, m); p++) {
		const char *mime = writer_part(w, m, p, &text);

		if (!mime && !text.len)
			continue;
		if (written++)
			PUT(w, ",");
		if (mime) {
			responses_put_medium(w, m, p, mime);
			continue;
		}
		PUT(w, "{\"type\":\"input_text\",\"text\":");
		writer_put_text(w, text.ptr, text.len);
		PUT(w, "}");
	}
	PUT(w, "]");
}

static void responses_put_content(struct writer *w, size_t m)
{
	if (writer_has_media(w, m))
		responses_put_list(w, m);
	else
		writer_put_joined(w, m);
}

static void responses_put_message(struct writer *w, size_t m, const char *role)
{
	PUT(w, "{\"role\":");
	writer_put_cstr(w, role);
	PUT(w, ",\"content\":");
	responses_put_content(w, m);
	PUT(w, "}");
}

static void responses_put_id(struct writer *w, struct mt_str id)
{
	if (id.len)
		writer_put_text(w, id.ptr, id.len);
	else
		PUT(w, "\"unknown\"");
}

static void responses_put_result(struct writer *w, size_t m)
{
	struct mt_str id = { "", 0 };

	w->host->call(w->r, m, 0, &id, NULL, NULL);
	PUT(w, "{\"type\":\"function_call_output\",\"call_id\":");
	responses_put_id(w, id);
	PUT(w, ",\"output\":");
	responses_put_content(w, m);
	PUT(w, "}");
}

/* ---- replies -------------------------------------------------------------------- */

struct said {
	struct writer *w;
	size_t m, calls, items;
	bool sent[OPENAI_MAX_CALLS]; /* by call */
	bool text_sent;
	/* reasoning that is sent only with the item after it */
	json_object *waiting[RESPONSES_MAX_ITEMS];
	size_t waiting_count;
};

static void next_item(struct said *s)
{
	if (s->items++)
		PUT(s->w, ",");
}

/* Write the pending reasoning before the item that follows it. */
static void responses_let_go(struct said *s)
{
	for (size_t i = 0; i < s->waiting_count; i++) {
		next_item(s);
		writer_put_json(s->w, s->waiting[i]);
	}
	s->waiting_count = 0;
}

static void responses_begin_message(struct said *s, const char *phase)
{
	responses_let_go(s);
	next_item(s);
	PUT(s->w, "{\"role\":\"assistant\",");
	if (*phase) {
		PUT(s->w, "\"phase\":");
		writer_put_cstr(s->w, phase);
		PUT(s->w, ",");
	}
	PUT(s->w, "\"content\":");
}

static void say_text(struct said *s, const char *phase)
{
	if (s->text_sent || !writer_has_text(s->w, s->m))
		return;
	s->text_sent = true;
	responses_begin_message(s, phase);
	writer_put_joined(s->w, s->m);
	PUT(s->w, "}");
}

static void say_call(struct said *s, size_t c)
{
	struct mt_str id, name, args;

	if (c >= OPENAI_MAX_CALLS || s->sent[c])
		return;
	s->sent[c] = true;
	responses_let_go(s);
	next_item(s);
	s->w->host->call(s->w->r, s->m, c, &id, &name, &args);
	PUT(s->w, "{\"type\":\"function_call\",\"call_id\":");
	responses_put_id(s->w, id);
	PUT(s->w, ",\"name\":");
	writer_put_name(s->w, name);
	PUT(s->w, ",\"arguments\":");
	writer_put_text(s->w, args.len ? args.ptr : "{}", args.len ? args.len : 2);
	PUT(s->w, "}");
}

static void say_call_of(struct said *s, const char *id)
{
	for (size_t c = 0; c < s->calls; c++) {
		struct mt_str own;

		s->w->host->call(s->w->r, s->m, c, &own, NULL, NULL);
		if (own.len == strlen(id) && memcmp(own.ptr, id, own.len) == 0)
			say_call(s, c);
	}
	s->waiting_count = 0; /* in case that call is not sent */
}

static void say_message(struct said *s, json_object *item)
{
	json_object *text = js_get(item, "text");
	const char *phase = js_str(item, "phase", "");

	if (!json_object_is_type(text, json_type_string)) {
		say_text(s, phase);
	} else {
		s->text_sent = true;
		responses_begin_message(s, phase);
		writer_put_json(s->w, text);
		PUT(s->w, "}");
	}
	s->waiting_count = 0;
}

static void say_kept(struct said *s, json_object *item)
{
	const char *type = js_str(item, "type", "");

	if (strcmp(type, "function_call") == 0)
		say_call_of(s, js_str(item, "call_id", ""));
	else if (strcmp(type, "message") == 0)
		say_message(s, item);
	else if (strcmp(type, "reasoning") == 0 && s->waiting_count < RESPONSES_MAX_ITEMS)
		s->waiting[s->waiting_count++] = item;
}

static void put_said(struct writer *w, size_t m)
{
	struct said s = { .w = w, .m = m, .calls = w->host->call_count(w->r, m) };
	AUTO(json) json_object *kept = writer_kept(w, m, RESPONSES_KEPT);
	size_t count = js_length(kept);

	for (size_t i = 0; i < count; i++)
		say_kept(&s, json_object_array_get_idx(kept, i));
	s.waiting_count = 0;
	say_text(&s, "");
	for (size_t c = 0; c < s.calls; c++)
		say_call(&s, c);
	if (!s.items) {
		responses_begin_message(&s, "");
		PUT(w, "\"\"}");
	}
}

/* ---- the whole ------------------------------------------------------------------ */

static void responses_put_any(struct writer *w, size_t m)
{
	int role = w->host->message_role(w->r, m);

	if (role == MT_ROLE_TOOL)
		responses_put_result(w, m);
	else if (role == MT_ROLE_ASSISTANT)
		put_said(w, m);
	else
		responses_put_message(w, m, role == MT_ROLE_SYSTEM ? "system" : "user");
}

static void put_input(struct writer *w)
{
	PUT(w, ",\"input\":[");
	writer_put_messages(w, responses_put_any);
	PUT(w, "]");
}

static const struct tool_form tool_form = {
	.before = ",\"tools\":[",
	.name = "{\"type\":\"function\",\"name\":",
	.description = ",\"description\":",
	.schema = ",\"parameters\":",
	.after_tool = ",\"strict\":false}",
	.after = "],\"tool_choice\":\"auto\"",
};

static void responses_put_params(struct writer *w)
{
	char room[32];
	const char *effort =
		writer_word(w, "reasoning_effort", "reasoning_effort", room, sizeof room);
	struct mt_str schema = w->host->param(w->r, "response_schema");

	PUT(w, ",\"store\":false");
	if (w->host->feature(w->x, "reasoning"))
		PUT(w, ",\"include\":[\"reasoning.encrypted_content\"]");
	if (*effort) {
		PUT(w, ",\"reasoning\":{\"effort\":");
		writer_put_cstr(w, effort);
		PUT(w, "}");
	}
	writer_put_number(w, "temperature", "temperature", "temperature");
	writer_put_number(w, "top_p", "top_p", "top_p");
	writer_put_number(w, "max_output_tokens", "max_tokens", "max_output_tokens");
	if (schema.len) {
		PUT(w, ",\"text\":{\"format\":{\"type\":\"json_schema\","
		       "\"name\":\"answer\",\"schema\":");
		writer_put(w, schema.ptr, schema.len);
		PUT(w, "}}");
	}
	if (w->host->stream(w->r))
		PUT(w, ",\"stream\":true");
}

void responses_put_input(struct writer *w)
{
	writer_put_tools(w, &tool_form);
	put_input(w);
}

void responses_put(struct writer *w)
{
	responses_put_params(w);
	responses_put_input(w);
}
