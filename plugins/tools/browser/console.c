/* SPDX-License-Identifier: MIT
 *
 * console.c - messages that pages write to the console, and their errors. */
#include "browser-internal.h"
#include "utf8.h"
#include <string.h>

enum { LINE_MAX_BYTES = 1000, TOLD_LINES = 10, TOLD_BYTES = 300 };

static void console_put_value(struct strbuf *out, json_object *value)
{
	json_object *plain = js_get(value, "value");
	const char *text = json_object_is_type(plain, json_type_string)
				   ? json_object_get_string(plain)
			   : plain ? js_text(plain, NULL)
				   : js_str(value, "description",
					    js_str(value, "unserializableValue",
						   js_str(value, "type", "")));

	strbuf_add(out, out->len ? " " : "");
	strbuf_add(out, text ? text : "");
}

/* Store a line; drop the oldest ones if necessary. */
static void console_keep(struct browser *b, const char *kind, const struct strbuf *text)
{
	size_t n = utf8_cut(text->text, text->len, LINE_MAX_BYTES);

	while (b->console.len > CONSOLE_MAX - LINE_MAX_BYTES - 64) {
		const char *end = memchr(b->console.text, '\n', b->console.len);
		size_t line = end ? (size_t)(end - b->console.text) + 1 : b->console.len;

		strbuf_consume(&b->console, line);
		b->console_told -= b->console_told < line ? b->console_told : line;
	}
	strbuf_addf(&b->console, "%s: ", kind);
	for (size_t i = 0; i < n; i++)
		strbuf_addc(&b->console, text->text[i] == '\n' ? ' ' : text->text[i]);
	strbuf_add(&b->console, n < text->len ? "...\n" : "\n");
}

static void console_on_message(struct browser *b, json_object *p)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	json_object *args = js_get(p, "args");

	for (size_t i = 0; i < js_length(args); i++)
		console_put_value(&text, json_object_array_get_idx(args, i));
	console_keep(b, js_str(p, "type", "log"), &text);
}

static void on_exception(struct browser *b, json_object *p)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	json_object *details = js_get(p, "exceptionDetails");
	const char *said = js_str(js_get(details, "exception"), "description", NULL);

	strbuf_addf(&text, "%s (line %lld of %.200s)",
		    said ? said : js_str(details, "text", "exception"),
		    (long long)js_int(details, "lineNumber", 0) + 1,
		    js_str(details, "url", "the page"));
	console_keep(b, "uncaught", &text);
}

/* Handle messages of the browser itself; ignore failures to load a page's icon. */
static void console_on_entry(struct browser *b, json_object *entry)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	const char *url = js_str(entry, "url", "");

	if (strcmp(js_str(entry, "level", ""), "error") != 0 ||
	    strstr(url, "/favicon.ico"))
		return;
	strbuf_addf(&text, "%s %.300s", js_str(entry, "text", ""), url);
	console_keep(b, "error", &text);
}

void console_on_event(struct browser *b, struct tab *t, const char *method,
		      json_object *p)
{
	json_object *entry = js_get(p, "entry");
	double when = js_number(entry ? entry : p, "timestamp", 0);

	if (strcmp(method, "Runtime.consoleAPICalled") != 0 &&
	    strcmp(method, "Runtime.exceptionThrown") != 0 &&
	    strcmp(method, "Log.entryAdded") != 0)
		return;
	if (when <= t->console_time)
		return; /* stored before; enabling the events repeats it */
	t->console_now = when > t->console_now ? when : t->console_now;
	if (entry)
		console_on_entry(b, entry);
	else if (strcmp(method, "Runtime.exceptionThrown") == 0)
		on_exception(b, p);
	else
		console_on_message(b, p);
}

void console_tell(struct browser *b)
{
	const char *at = b->console.text + b->console_told,
		   *end = b->console.text + b->console.len;
	size_t lines = 0, skip;

	for (size_t i = 0; i < b->tab_count; i++)
		b->tabs[i].console_time = b->tabs[i].console_now;
	for (const char *p = at; p < end; p++)
		lines += *p == '\n';
	skip = lines > TOLD_LINES ? lines - TOLD_LINES : 0;
	if (skip)
		page_note(b, "[Console: %zu more lines; console() shows them]", skip);
	while (at < end) {
		size_t len = strcspn(at, "\n");

		if (skip)
			skip--;
		else
			page_note(b, "[Console %.*s]", (int)utf8_cut(at, len, TOLD_BYTES),
				  at);
		at += len + 1;
	}
	b->console_told = b->console.len;
}

void console_tell_all(struct browser *b)
{
	const char *text = b->console.text;
	size_t room = NOTES_MAX / 2, from = 0;

	if (b->console.len > room)
		from = b->console.len - room +
		       strcspn(text + b->console.len - room, "\n");
	b->console_told = b->console.len;
	page_note(b, b->console.len ? "[Console, %zu bytes:]" : "[The console is empty.]",
		  b->console.len - from);
	strbuf_addn(&b->notes, text + from, b->console.len - from);
}
