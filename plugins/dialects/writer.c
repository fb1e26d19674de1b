/* SPDX-License-Identifier: MIT
 *
 * writer.c - writes the request of a dialect over HTTP. */
#include "kit.h"
#include "space.h"
#include <string.h>

void writer_put(struct writer *w, const char *bytes, size_t len)
{
	if (!w->status)
		w->status = w->host->body(w->x, bytes, len);
}

void writer_put_text(struct writer *w, const char *text, size_t len)
{
	if (!w->status)
		w->status = w->host->body_str(w->x, len ? text : "", len);
}

void writer_put_cstr(struct writer *w, const char *text)
{
	writer_put_text(w, text, strlen(text));
}

void writer_put_json(struct writer *w, json_object *value)
{
	size_t len;
	const char *text = js_text(value, &len);

	if (text)
		writer_put(w, text, len);
	else if (!w->status)
		w->status = MT_ENOMEM;
}

void writer_put_name(struct writer *w, struct mt_str name)
{
	static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				   "0123456789_-";

	PUT(w, "\"");
	for (size_t i = 0, n; i < name.len; i += n) {
		for (n = 0;
		     i + n < name.len && name.ptr[i + n] && strchr(good, name.ptr[i + n]);
		     n++)
			;
		writer_put(w, name.ptr + i, n);
		if (i + n < name.len) {
			PUT(w, "_");
			n++;
		}
	}
	if (!name.len)
		PUT(w, "unknown");
	PUT(w, "\"");
}

void writer_put_args(struct writer *w, struct mt_str args)
{
	AUTO(json) json_object *value = NULL;

	if (space_is_blank(args)) {
		PUT(w, "{}");
		return;
	}
	value = js_parse_object(args.ptr, args.len, NULL);
	if (value) {
		writer_put(w, args.ptr, args.len);
		return;
	}
	PUT(w, "{\"arguments\":");
	writer_put_text(w, args.ptr, args.len);
	PUT(w, "}");
}

void writer_put_schema(struct writer *w, struct mt_str schema)
{
	if (schema.len)
		writer_put(w, schema.ptr, schema.len);
	else
		PUT(w, "{\"type\":\"object\",\"properties\":{}}");
}

void writer_put_mime(struct writer *w, const char *mime)
{
	for (; *mime; mime++)
		if (*mime > 0x20 && *mime < 0x7f && *mime != '"' && *mime != '\\')
			writer_put(w, mime, 1);
}

void writer_put_media(struct writer *w, size_t m, size_t p)
{
	if (!w->status)
		w->status = w->host->body_media(w->x, w->r, m, p);
}

bool writer_put_media_url(struct writer *w, size_t m, size_t p, const char *mime,
			  bool data)
{
	struct mt_str url = w->host->media_url(w->r, m, p);

	if (url.len) {
		writer_put_text(w, url.ptr, url.len);
		return true;
	}
	if (!data)
		return false;
	PUT(w, "\"data:");
	writer_put_mime(w, mime);
	PUT(w, ";base64,");
	writer_put_media(w, m, p);
	PUT(w, "\"");
	return true;
}

/* ---- the parts of a message ----------------------------------------------- */

const char *writer_part(struct writer *w, size_t m, size_t p, struct mt_str *ret_text)
{
	return w->host->part(w->r, m, p, ret_text, NULL);
}

bool writer_has_text(struct writer *w, size_t m)
{
	struct mt_str text = { "", 0 };

	for (size_t p = 0; p < w->host->part_count(w->r, m); p++)
		if (!writer_part(w, m, p, &text) && !space_is_blank(text))
			return true;
	return false;
}

bool writer_has_media(struct writer *w, size_t m)
{
	struct mt_str text;

	for (size_t p = 0; p < w->host->part_count(w->r, m); p++)
		if (writer_part(w, m, p, &text))
			return true;
	return false;
}

void writer_put_joined(struct writer *w, size_t m)
{
	size_t parts = w->host->part_count(w->r, m), texts = 0;
	AUTO(strbuf) struct strbuf joined = STRBUF(SIZE_MAX);
	struct mt_str text = { "", 0 }, only = { "", 0 };

	for (size_t p = 0; p < parts; p++) {
		if (writer_part(w, m, p, &text))
			continue;
		only = text;
		texts++;
	}
	if (texts <= 1) {
		writer_put_text(w, only.ptr, only.len);
		return;
	}
	for (size_t p = 0; p < parts; p++) {
		if (writer_part(w, m, p, &text))
			continue;
		if (joined.len)
			strbuf_addc(&joined, '\n');
		strbuf_addn(&joined, text.ptr ? text.ptr : "", text.len);
	}
	if (joined.error && !w->status)
		w->status = joined.error;
	writer_put_text(w, joined.text, joined.len);
}

/* ---- parameters ------------------------------------------------------------ */

/* True if the text is a JSON number, so that it is valid in the body. */
static bool dialect_kit_is_number(const char *text, size_t len)
{
	bool digit = false;

	for (size_t i = 0; i < len; i++) {
		digit |= text[i] >= '0' && text[i] <= '9';
		if (!text[i] || !strchr("0123456789.eE+-", text[i]))
			return false;
	}
	return digit && text[0] != '.' && text[0] != '+' && text[len - 1] != '.';
}

struct mt_str writer_number(struct writer *w, const char *param, const char *option)
{
	struct mt_str value = w->host->param(w->r, param);
	const char *set = w->host->option(w->x, option);

	if (!value.len && set)
		value = (struct mt_str){ set, strlen(set) };
	if (value.len && dialect_kit_is_number(value.ptr, value.len))
		return value;
	return (struct mt_str){ "", 0 };
}

void writer_put_number(struct writer *w, const char *wire, const char *param,
		       const char *option)
{
	struct mt_str value = writer_number(w, param, option);

	if (!value.len)
		return;
	PUT(w, ",");
	writer_put_cstr(w, wire);
	PUT(w, ":");
	writer_put(w, value.ptr, value.len);
}

void writer_put_integer(struct writer *w, int64_t n)
{
	char text[24];
	int len = snprintf(text, sizeof text, "%lld", (long long)n);

	writer_put(w, text, (size_t)len);
}

int64_t writer_int(struct writer *w, const char *param, const char *option)
{
	struct mt_str value = writer_number(w, param, option);
	char text[24];
	double n;

	if (!value.len || value.len >= sizeof text)
		return -1;
	memcpy(text, value.ptr, value.len);
	text[value.len] = '\0';
	n = strtod(text, NULL);
	return n >= 0 && n < 1e15 ? (int64_t)n : -1;
}

const char *writer_word(struct writer *w, const char *param, const char *option,
			char *room, size_t size)
{
	struct mt_str value = w->host->param(w->r, param);
	const char *set = w->host->option(w->x, option);
	size_t from = value.len > 1 && value.ptr[0] == '"';

	if (!value.len)
		return set ? set : "";
	snprintf(room, size, "%.*s", (int)(value.len - 2 * from), value.ptr + from);
	return room;
}

json_object *writer_kept(struct writer *w, size_t m, const char *name)
{
	struct mt_str text = w->host->message_opaque(w->r, m);
	AUTO(json) json_object *all = NULL;

	if (!text.len)
		return NULL;
	all = js_parse_object(text.ptr, text.len, NULL);
	return json_object_get(js_get(all, name));
}

/* ---- turns ------------------------------------------------------------------ */

enum side { NOBODY, SYSTEM, USER, ASSISTANT };

static size_t leading_systems(struct writer *w)
{
	size_t count = w->host->message_count(w->r), n = 0;

	while (n < count && w->host->message_role(w->r, n) == MT_ROLE_SYSTEM)
		n++;
	return n;
}

/* A system message in the middle is sent as a user message. */
static enum side side_of(struct writer *w, size_t m, size_t systems)
{
	if (m < systems)
		return SYSTEM;
	return w->host->message_role(w->r, m) == MT_ROLE_ASSISTANT ? ASSISTANT : USER;
}

static void put_str(struct writer *w, const char *text)
{
	writer_put(w, text, strlen(text));
}

/* The separator between a message and the previous one. */
static void put_between(struct writer *w, const struct turns *t, enum side before,
			enum side now)
{
	if (before == now) {
		PUT(w, ",");
		return;
	}
	if (now == SYSTEM) {
		put_str(w, t->before_system);
		return;
	}
	if (before == SYSTEM)
		put_str(w, t->after_system);
	if (before == SYSTEM || before == NOBODY) {
		put_str(w, t->before_messages);
		if (now == ASSISTANT) {
			put_str(w, t->user_turn);
			PUT(w, ",");
		}
	} else {
		put_str(w, t->end);
		PUT(w, ",");
	}
	put_str(w, now == USER ? t->user : t->assistant);
}

static void dialect_kit_put_end(struct writer *w, const struct turns *t, enum side last)
{
	if (last == SYSTEM)
		put_str(w, t->after_system);
	if (last == SYSTEM || last == NOBODY) {
		put_str(w, t->before_messages);
		put_str(w, t->user_turn);
	} else {
		put_str(w, t->end);
	}
	if (last == ASSISTANT) {
		PUT(w, ",");
		put_str(w, t->user_turn);
	}
	PUT(w, "]");
}

/* The end of the user turn that contains message `m`. */
static size_t end_of_turn(struct writer *w, size_t m, size_t count)
{
	while (m < count && w->host->message_role(w->r, m) != MT_ROLE_ASSISTANT)
		m++;
	return m;
}

static bool is_tool(struct writer *w, size_t m)
{
	return w->host->message_role(w->r, m) == MT_ROLE_TOOL;
}

static bool tools_first(struct writer *w, size_t from, size_t to)
{
	for (size_t m = from + 1; m < to; m++)
		if (is_tool(w, m) && !is_tool(w, m - 1))
			return false;
	return true;
}

/* Write a turn whose tool results come after other items, with the results first. */
static enum side put_sorted(struct writer *w, const struct turns *t, size_t from,
			    size_t to, enum side before)
{
	for (int tool = 1; tool >= 0; tool--) {
		for (size_t m = from; m < to; m++) {
			if (is_tool(w, m) != tool)
				continue;
			put_between(w, t, before, USER);
			t->message(w, m);
			before = USER;
		}
	}
	return before;
}

void writer_put_turns(struct writer *w, const struct turns *t)
{
	size_t count = w->host->message_count(w->r), systems = leading_systems(w);
	size_t kept = w->host->messages_kept(w->x, w->r), sorted = 0;
	enum side before = kept ? side_of(w, kept - 1, systems) : NOBODY;
	bool moved = false; /* then the next request keeps nothing from here on */

	for (size_t m = kept; m < count && !w->status; m++) {
		enum side now = side_of(w, m, systems);

		if (now == USER && m >= sorted) {
			sorted = end_of_turn(w, m, count);
			if (!tools_first(w, m, sorted)) {
				before = put_sorted(w, t, m, sorted, before);
				moved = true;
				m = sorted - 1;
				continue;
			}
		}
		if (!moved)
			w->host->message_begins(w->x, w->r, m);
		put_between(w, t, before, now);
		(now == SYSTEM ? t->system : t->message)(w, m);
		before = now;
	}
	dialect_kit_put_end(w, t, before);
}

void writer_put_messages(struct writer *w, void (*put)(struct writer *w, size_t m))
{
	size_t count = w->host->message_count(w->r);

	for (size_t m = w->host->messages_kept(w->x, w->r); m < count && !w->status;
	     m++) {
		w->host->message_begins(w->x, w->r, m);
		if (m)
			PUT(w, ",");
		put(w, m);
	}
}

size_t writer_called_tools(struct writer *w, struct mt_str *names, size_t room)
{
	size_t count = w->host->message_count(w->r), found = 0;

	for (size_t m = 0; m < count; m++) {
		size_t calls = w->host->message_role(w->r, m) == MT_ROLE_ASSISTANT
				       ? w->host->call_count(w->r, m)
				       : 0;

		for (size_t c = 0; c < calls && found < room; c++) {
			struct mt_str name;
			size_t i = 0;

			w->host->call(w->r, m, c, NULL, &name, NULL);
			while (i < found && (names[i].len != name.len ||
					     memcmp(names[i].ptr, name.ptr, name.len)))
				i++;
			if (i == found)
				names[found++] = name;
		}
	}
	return found;
}

/* ---- tools ---------------------------------------------------------------------- */

const struct tool_form chat_tool_form = {
	.before = ",\"tools\":[",
	.name = "{\"type\":\"function\",\"function\":{\"name\":",
	.any_name = true,
	.description = ",\"description\":",
	.schema = ",\"parameters\":",
	.after_tool = "}}",
	.after = "]",
};

static void put_literal(struct writer *w, const char *text)
{
	writer_put(w, text, strlen(text));
}

static void dialect_kit_put_tool(struct writer *w, const struct tool_form *f, size_t t)
{
	struct mt_str name, description, schema;

	w->host->tool(w->r, t, &name, &description, &schema);
	put_literal(w, f->name);
	if (f->any_name)
		writer_put_text(w, name.ptr, name.len);
	else
		writer_put_name(w, name);
	put_literal(w, f->description);
	writer_put_text(w, description.ptr ? description.ptr : "", description.len);
	put_literal(w, f->schema);
	writer_put_schema(w, schema);
	put_literal(w, f->after_tool);
}

size_t writer_offered_tools(struct writer *w)
{
	return w->host->feature(w->x, "tools") ? w->host->tool_count(w->r) : 0;
}

void writer_put_tools(struct writer *w, const struct tool_form *f)
{
	size_t count = writer_offered_tools(w);

	if (!count)
		return;
	put_literal(w, f->before);
	for (size_t t = 0; t < count; t++) {
		if (t)
			PUT(w, ",");
		dialect_kit_put_tool(w, f, t);
	}
	put_literal(w, f->after);
}

/* ---- headers -------------------------------------------------------------------- */

int writer_put_headers(struct writer *w, int status, const char *key, const char *prefix)
{
	if (!status)
		status = w->host->header(w->x, "Content-Type", "application/json");
	return status ? status : w->host->key_header(w->x, key, prefix);
}

/* ---- counts -------------------------------------------------------------------- */

int64_t writer_number_in(const char *bytes, size_t len, const char *name)
{
	AUTO(json) json_object *answer = js_parse_object(bytes, len, NULL);
	json_object *n = js_get(answer, name);

	return json_object_is_type(n, json_type_int) ? json_object_get_int64(n) : -1;
}

int64_t writer_counted_input_tokens(const struct mt_dialect_host *host,
				    struct mt_exchange *x, const char *bytes, size_t len)
{
	(void)host, (void)x;
	return writer_number_in(bytes, len, "input_tokens");
}
