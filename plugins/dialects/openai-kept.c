/* SPDX-License-Identifier: MIT
 *
 * openai-kept.c - chat completions: takes data that a provider requires back out of a
 * reply, and adds it to the next requests.
 *
 *   reasoning_content  of models that require their reasoning back as text
 *   reasoning_details  of OpenRouter, thinking_blocks of LiteLLM: lists of signed or
 *                      encrypted items; in a stream, an item arrives in pieces
 *   extra_content      of a call: Gemini's signature
 *   content            of Mistral: a list with thoughts among the texts
 *
 * Data of a specific provider is marked with its name, and not sent to others. */
#include "openai.h"
#include <string.h>

/* The lists by the name they have on the wire. */
static const char *const list_names[OPENAI_LISTS] = { "reasoning_details",
						    "thinking_blocks" };

static const char *const text_members[] = { "text", "summary", "thinking" };

/* ---- from a response --------------------------------------------------------- */

static const char *openai_kept_text_member(json_object *item)
{
	for (size_t i = 0; i < ARRAY_LEN(text_members); i++)
		if (json_object_is_type(js_get(item, text_members[i]), json_type_string))
			return text_members[i];
	return NULL;
}

static bool is_sealed(const char *type)
{
	return strstr(type, "encrypted") || strstr(type, "redacted");
}

static bool is_continuation(json_object *last, json_object *item)
{
	const char *type = js_str(last, "type", ""), *id = js_str(item, "id", "");

	return last && *type && !is_sealed(type) &&
	       strcmp(type, js_str(item, "type", "")) == 0 &&
	       js_int(last, "index", -1) == js_int(item, "index", -1) &&
	       (!*id || strcmp(id, js_str(last, "id", "")) == 0) &&
	       !*js_str(last, "signature", "");
}

static json_object *openai_kept_last_of(const struct openai_list *l)
{
	size_t n = l->items ? json_object_array_length(l->items) : 0;

	return n ? json_object_array_get_idx(l->items, n - 1) : NULL;
}

/* The text of the last item is complete. */
static int close_item(struct openai_list *l)
{
	int status = MT_OK;

	if (l->member)
		status = l->text.error ? l->text.error
				       : js_set_strn(openai_kept_last_of(l), l->member,
						     l->text.text, l->text.len);
	l->member = NULL;
	strbuf_clear(&l->text);
	return status;
}

static int openai_kept_add_piece(struct openai_list *l, json_object *last,
				 const char *member, json_object *text)
{
	if (l->member && strcmp(l->member, member) != 0 && close_item(l))
		return MT_ENOMEM;
	if (!l->member) {
		json_object *first = js_get(last, member);

		l->text = STRBUF(ANSWER_MAX_BODY);
		l->member = member;
		if (json_object_is_type(first, json_type_string))
			strbuf_addn(&l->text, json_object_get_string(first),
				    (size_t)json_object_get_string_len(first));
	}
	return strbuf_addn(&l->text, json_object_get_string(text),
			   (size_t)json_object_get_string_len(text));
}

static int openai_kept_join(struct openai_list *l, json_object *last, json_object *item)
{
	const char *member = openai_kept_text_member(item);
	int status = member ? openai_kept_add_piece(l, last, member, js_get(item, member))
			    : MT_OK;

	json_object_object_foreach(item, key, value) {
		bool empty = !value || (json_object_is_type(value, json_type_string) &&
					!json_object_get_string_len(value));

		if (!status && !empty && (!member || strcmp(key, member) != 0))
			status = js_set(last, key, json_object_get(value));
	}
	return status;
}

static int openai_kept_add_item(struct openai_list *l, json_object *item, bool piece)
{
	json_object *last = openai_kept_last_of(l);

	if (!json_object_is_type(item, json_type_object))
		return MT_OK;
	if (piece && is_continuation(last, item))
		return openai_kept_join(l, last, item);
	if (close_item(l) || (!l->items && !(l->items = json_object_new_array())))
		return MT_ENOMEM;
	if (json_object_array_length(l->items) >= CHAT_MAX_ITEMS)
		return MT_ELIMIT;
	return js_add_new(l->items, json_object_get(item));
}

/* ---- content that is a list ----------------------------------------------------- */

static int openai_kept_add_part(struct openai_kept *k, const char *type,
				json_object *more)
{
	AUTO(json) json_object *part = json_object_new_object();

	if (!k->content)
		k->content = json_object_new_array();
	if (!part || !k->content || js_set_str(part, "type", type) ||
	    (more && js_set(part, type, json_object_get(more))))
		return MT_ENOMEM;
	if (json_object_array_length(k->content) >= CHAT_MAX_ITEMS)
		return MT_ELIMIT;
	return js_add_new(k->content, STEAL(part));
}

/* The current thought is complete. */
static int close_thought(struct openai_kept *k)
{
	AUTO(json) json_object *list = NULL;
	json_object *item;
	int status;

	if (!k->thinking)
		return MT_OK;
	k->thinking = false;
	list = json_object_new_array();
	item = json_object_new_object();
	status = js_add_new(list, item);
	if (!status)
		status = k->thought.error;
	if (!status)
		status = js_set_str(item, "type", "text");
	if (!status)
		status = js_set_strn(item, "text", k->thought.len ? k->thought.text : "",
				     k->thought.len);
	strbuf_clear(&k->thought);
	return status ? status : openai_kept_add_part(k, "thinking", list);
}

static bool openai_kept_is_plain(json_object *thoughts)
{
	for (size_t i = 0; i < json_object_array_length(thoughts); i++)
		if (strcmp(js_str(json_object_array_get_idx(thoughts, i), "type", ""),
			   "text") != 0)
			return false;
	return true;
}

static int keep_thought(struct openai_kept *k, json_object *thoughts, bool piece)
{
	int status = MT_OK;

	if (!piece || !openai_kept_is_plain(thoughts)) {
		status = close_thought(k);
		return status ? status : openai_kept_add_part(k, "thinking", thoughts);
	}
	if (!k->thinking)
		k->thought = STRBUF(ANSWER_MAX_BODY);
	k->thinking = true;
	for (size_t i = 0; i < json_object_array_length(thoughts) && !status; i++)
		status = strbuf_add(&k->thought,
				    js_str(json_object_array_get_idx(thoughts, i), "text",
					   ""));
	return status;
}

/* Add a placeholder for the text, which is stored elsewhere; once. */
static int keep_place(struct openai_kept *k)
{
	int status = close_thought(k);

	for (size_t i = 0; k->content && i < json_object_array_length(k->content); i++)
		if (strcmp(js_str(json_object_array_get_idx(k->content, i), "type", ""),
			   "text") == 0)
			return status;
	return status ? status : openai_kept_add_part(k, "text", NULL);
}

static int keep_content(struct openai_kept *k, json_object *content, bool piece)
{
	size_t count = js_length(content);
	int status = MT_OK;

	if (json_object_is_type(content, json_type_string) &&
	    json_object_get_string_len(content) && (k->content || k->thinking))
		return keep_place(k);
	for (size_t i = 0; i < count && !status; i++) {
		json_object *part = json_object_array_get_idx(content, i);
		json_object *thoughts = js_get(part, "thinking");

		if (json_object_is_type(thoughts, json_type_array))
			status = keep_thought(k, thoughts, piece);
		else if (*js_str(part, "text", ""))
			status = keep_place(k);
	}
	return status;
}

static bool has_thoughts(json_object *content)
{
	for (size_t i = 0; content && i < json_object_array_length(content); i++)
		if (js_get(json_object_array_get_idx(content, i), "thinking"))
			return true;
	return false;
}

/* ---- from a complete response ----------------------------------------------------- */

int openai_keep(struct answer *a, struct openai_kept *k, json_object *message, bool piece)
{
	json_object *thought = js_get(message, "reasoning_content");
	int status = MT_OK;

	if (!json_object_is_type(thought, json_type_string))
		thought = js_get(message, "reasoning");
	if (json_object_is_type(thought, json_type_string) &&
	    a->host->feature(a->x, "send_reasoning")) {
		if (!k->text.max)
			k->text = STRBUF(ANSWER_MAX_BODY);
		status = strbuf_addn(&k->text, json_object_get_string(thought),
				     (size_t)json_object_get_string_len(thought));
	}
	if (!status)
		status = keep_content(k, js_get(message, "content"), piece);
	for (size_t n = 0; n < OPENAI_LISTS && !status; n++) {
		json_object *items = js_get(message, list_names[n]);
		size_t count = js_length(items);

		for (size_t i = 0; i < count && !status; i++)
			status = openai_kept_add_item(&k->lists[n],
						      json_object_array_get_idx(items, i),
						      piece);
	}
	return status;
}

int openai_keep_call(struct openai_kept *k, json_object *call)
{
	json_object *more = js_get(call, "extra_content");
	const char *id = js_str(call, "id", "");

	if (!json_object_is_type(more, json_type_object) || !*id)
		return MT_OK;
	if (!k->calls && !(k->calls = json_object_new_object()))
		return MT_ENOMEM;
	return js_set(k->calls, id, json_object_get(more));
}

int openai_tell_kept(struct answer *a, struct openai_kept *k)
{
	AUTO(strbuf) struct strbuf out = STRBUF(ANSWER_MAX_BODY);
	const char *from = a->host->option(a->x, "provider");

	strbuf_add(&out, "{\"" CHAT_KEPT "\":{");
	js_key_str(&out, "from", from ? from : "");
	for (size_t n = 0; n < OPENAI_LISTS; n++) {
		if (close_item(&k->lists[n]))
			return MT_ENOMEM;
		if (!k->lists[n].items)
			continue;
		js_key(&out, list_names[n]);
		js_put(&out, k->lists[n].items);
	}
	if (k->text.len)
		js_key_strn(&out, "reasoning_content", k->text.text, k->text.len);
	if (k->calls) {
		js_key(&out, "calls");
		js_put(&out, k->calls);
	}
	if (close_thought(k))
		return MT_ENOMEM;
	if (has_thoughts(k->content)) {
		js_key(&out, "content");
		js_put(&out, k->content);
	}
	strbuf_add(&out, "}}");
	if (out.error)
		return out.error;
	if (!k->text.len && !k->calls && !has_thoughts(k->content) &&
	    !k->lists[0].items && !k->lists[1].items)
		return MT_OK;
	return a->host->opaque(a->x, out.text, out.len);
}

void openai_kept_clear(struct openai_kept *k)
{
	for (size_t n = 0; n < OPENAI_LISTS; n++) {
		json_object_put(k->lists[n].items);
		strbuf_clear(&k->lists[n].text);
	}
	strbuf_clear(&k->text);
	json_object_put(k->calls);
	json_object_put(k->content);
	strbuf_clear(&k->thought);
}

/* ---- into a request ---------------------------------------------------------- */

json_object *openai_kept_of(struct writer *w, size_t m)
{
	return writer_kept(w, m, CHAT_KEPT);
}

static bool is_of_this_provider(struct writer *w, json_object *kept)
{
	const char *here = w->host->option(w->x, "provider");

	return here && strcmp(here, js_str(kept, "from", "")) == 0;
}

void openai_put_kept(struct writer *w, json_object *kept)
{
	json_object *text = js_get(kept, "reasoning_content");

	if (json_object_is_type(text, json_type_string) &&
	    w->host->feature(w->x, "send_reasoning")) {
		PUT(w, ",\"reasoning_content\":");
		writer_put_json(w, text);
	}
	for (size_t n = 0; n < OPENAI_LISTS && is_of_this_provider(w, kept); n++) {
		json_object *items = js_get(kept, list_names[n]);

		if (!json_object_is_type(items, json_type_array))
			continue;
		PUT(w, ",");
		writer_put_cstr(w, list_names[n]);
		PUT(w, ":");
		writer_put_json(w, items);
	}
}

bool openai_put_content(struct writer *w, size_t m, json_object *kept)
{
	json_object *content = js_get(kept, "content");
	size_t written = 0;
	bool text = writer_has_text(w, m);

	if (!json_object_is_type(content, json_type_array) ||
	    !is_of_this_provider(w, kept))
		return false;
	PUT(w, "[");
	for (size_t i = 0; i <= json_object_array_length(content); i++) {
		json_object *part = json_object_array_get_idx(content, i);
		bool thoughts = js_get(part, "thinking") != NULL;

		if (!thoughts && !text)
			continue;
		if (written++)
			PUT(w, ",");
		if (thoughts) {
			writer_put_json(w, part);
			continue;
		}
		text = false; /* a text without a placeholder is written at the end */
		PUT(w, "{\"type\":\"text\",\"text\":");
		writer_put_joined(w, m);
		PUT(w, "}");
	}
	PUT(w, "]");
	return true;
}

void openai_put_call_kept(struct writer *w, json_object *kept, struct mt_str id)
{
	AUTO(free) char *name = id.len ? strndup(id.ptr, id.len) : NULL;
	json_object *more = name ? js_get(js_get(kept, "calls"), name) : NULL;

	if (!json_object_is_type(more, json_type_object) || !is_of_this_provider(w, kept))
		return;
	PUT(w, ",\"extra_content\":");
	writer_put_json(w, more);
}
