/* SPDX-License-Identifier: MIT
 *
 * fuzz-protocol.c - mortise-runner/1, both ends' readers.
 *
 * The first byte chooses: a line to the runner, lines to the host, a call
 * written by the host and read by the runner, a frame of a worker. */
#include "../../runner/frame.h"
#include "../../runner/message.h"
#include "../../runner/spec.h"
#include "runner-client/runner-connection-internal.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)                    \
	do {                          \
		if (!(cond))          \
			__builtin_trap(); \
	} while (0)

static void to_runner(const char *text, size_t len)
{
	struct message m;
	struct error err = ERROR_NONE;

	if (message_read(text, len, &m, &err)) {
		MUST(err.code && *err.text && !m.doc);
		return;
	}
	MUST(m.kind >= MESSAGE_HELLO && m.kind <= MESSAGE_UNKNOWN);
	if (*m.id) {
		json_object *id = js_parse(m.id, strlen(m.id), NULL);

		MUST(id);
		json_object_put(id);
	}
	if (m.kind == MESSAGE_HELLO) {
		struct spec s;

		if (spec_read(m.params, &s, &err) == MT_OK) {
			for (size_t n = 0; n < s.instance_count; n++)
				MUST(spec_find(&s, s.instances[n].name) == (int)n);
			if (s.instance_count > 0)
				spec_keep_only(&s, 0);
		}
		spec_clear(&s);
	}
	message_clear(&m);
}

/* ---- a link without a runner ---- */

static int results[4];

static void on_result(void *arg, const struct runner_result *r)
{
	(void)arg;
	MUST(r->call < 4);
	MUST(r->text && (r->status == MT_OK) == (r->error == NULL));
	for (size_t n = 0; n < r->media_count; n++)
		MUST(r->media[n].mime && r->media[n].bytes);
	results[r->call]++;
}

static void on_output(void *arg, uint64_t call, const char *bytes, size_t len)
{
	(void)arg;
	MUST(call < 4 && bytes && memchr(bytes, '\0', len + 1));
}

static void to_host(const char *text, size_t len)
{
	static const struct runner_events events = { .result = on_result,
						   .output = on_output };
	static uv_loop_t loop;
	struct runner *l = calloc(1, sizeof *l);

	if (!l)
		return;
	if (!loop.data)
		MUST(uv_loop_init(&loop) == 0);
	loop.data = &loop;
	l->loop = &loop;
	l->events = &events;
	l->in_closed = true;
	l->result_max = 4096;
	l->waiting = STRBUF(1 << 16);
	uv_timer_init(&loop, &l->timer);
	uv_timer_init(&loop, &l->later);
	jsonl_init(&l->lines, RUNNER_LINE_MAX, runner_line, l);
	memset(results, 0, sizeof results);
	for (uint64_t id = 0; id < 4; id++)
		MUST(runner_open_call_add(l, id, "bad"));
	for (size_t at = 0; at < len; at += 7) /* in pieces */
		jsonl_feed(&l->lines, text + at, len - at < 7 ? len - at : 7);
	runner_open_calls_fail(l, MT_EIO, true, 0, "the end");
	for (int id = 0; id < 4; id++)
		MUST(results[id] == 1);
	jsonl_done(&l->lines);
	strbuf_clear(&l->waiting);
	uv_close((uv_handle_t *)&l->timer, NULL);
	uv_close((uv_handle_t *)&l->later, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	free(l);
}

static void across(const char *text, size_t len)
{
	struct strbuf b AUTO(strbuf) = STRBUF(1 << 20);
	AUTO(json) json_object *args = js_parse_object(text, len, NULL);
	struct message m;

	if (!args || memchr(text, '\n', len))
		return;
	MUST(runner_put_call(&b, "tools/call", 7, "name", "tool", text, len, 5) == MT_OK);
	/* One level deeper than alone, so it may be too deep now. */
	if (message_read(b.text, b.len, &m, NULL))
		return;
	MUST(m.kind == MESSAGE_CALL && strcmp(m.id, "7") == 0);
	MUST(js_equal(js_get(m.params, "arguments"), args));
	message_clear(&m);
}

static void frames(const char *text, size_t len)
{
	struct strbuf parts AUTO(strbuf) = STRBUF(1 << 16);
	struct frame f;
	char again[FRAME_BUFFER];

	if (len > FRAME_BUFFER || frame_decode(text, len, &f))
		return;
	MUST(f.len <= len && frame_encode(&f, again) == len);
	if (frame_join(&parts, &f) == 1) {
		const char *data = f.data, *first = frame_text(&data, &f.len);

		MUST(!first || strlen(first) + 1 == (size_t)(data - first));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size == 0)
		return 0;
	text = malloc(size); /* of exact size, for ASan */
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	if (data[0] % 4 == 0)
		to_runner(text, size - 1);
	else if (data[0] % 4 == 1)
		to_host(text, size - 1);
	else if (data[0] % 4 == 2)
		across(text, size - 1);
	else
		frames(text, size - 1);
	free(text);
	return 0;
}
