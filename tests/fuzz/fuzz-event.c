/* SPDX-License-Identifier: MIT
 *
 * fuzz-event.c - events out of any bytes, and lines of a log.
 *
 * Properties: an event that was read, written and read again is the same; the
 * scanner of log lines takes what the JSON parser takes, and finds the same
 * members. */
#include "events/event.h"
#include "events/evlog-internal.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool cond)
{
	if (!cond)
		__builtin_trap();
}

static struct event *again(const struct event *e)
{
	AUTO(strbuf) struct strbuf out = STRBUF(SIZE_MAX / 2);
	AUTO(json) json_object *json = NULL;

	check(event_write(e, &out) == MT_OK);
	json = js_parse_object(out.text, out.len, NULL);
	return json ? event_from_json(json, NULL) : NULL;
}

static size_t size_of_content(const struct event *e)
{
	size_t len;

	event_content(e, &len);
	return len;
}

static void test_event(json_object *json)
{
	AUTO(event) struct event *e = event_from_json(json, NULL);
	AUTO(event) struct event *lenient = event_import(json, NULL);
	AUTO(strbuf) struct strbuf out = STRBUF(SIZE_MAX / 2);

	if (!e)
		return;
	check(lenient != NULL);
	event_command_text(e, &out);
	event_edit_text(e, 2, true, &out);

	AUTO(event) struct event *back = again(e);

	/* content that is cut is cut again: its length grows by the marker */
	if (back && size_of_content(e) <= EVENT_OUTPUT_MAX)
		check(js_equal(e->json, back->json));
}

static void test_line(const char *text, size_t size, json_object *json)
{
	struct line line;

	if (memchr(text, '\n', size) || memchr(text, '\r', size))
		return;
	line_scan(text, size, &line);
	if (line.kind == LINE_BAD)
		return;
	check(json != NULL || size > 1000);
	if (!json || line.kind != LINE_EVENT)
		return;
	check(line.type.text >= text && line.type.text + line.type.len <= text + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	AUTO(json) json_object *json = js_parse_object(text, size, NULL);

	json_object_put(python_literal(text, size));
	test_line(text, size, json);
	if (json)
		test_event(json);
	return 0;
}
