/* SPDX-License-Identifier: MIT
 *
 * test-parts.c - the parts of the protocol alone: frames, lines of both ends,
 * the hello, typed functions; cut at every byte, and without memory. */
#include "base64.h"
#include "frame.h"
#include "function-schema.h"
#include "ffi-call.h"
#include "message.h"
#include "oom.h"
#include "spec.h"
#include "tap.h"
#include "runner-client/runner-protocol.h"

/* ---- frames ----------------------------------------------------------- */

static void a_frame_survives_the_line(void)
{
	char buffer[FRAME_BUFFER];
	struct frame f = { .type = FRAME_DONE, .flags = FRAME_RETIRE, .status = -3,
			   .id = 77, .aux = 1ull << 40, .data = "why", .len = 3 }, g;
	size_t len = frame_encode(&f, buffer);
	int refused = 0;

	CHECK(frame_decode(buffer, len, &g) == MT_OK);
	CHECK(g.type == f.type && g.flags == f.flags && g.status == -3 && g.id == 77 &&
	      g.aux == f.aux && g.len == 3 && memcmp(g.data, "why", 3) == 0);
	for (size_t n = 0; n < len; n++)
		refused += frame_decode(buffer, n, &g) == MT_EINVAL;
	CHECK_MSG((size_t)refused == len, "a frame cut anywhere is none");
	buffer[0] ^= 1;
	CHECK(frame_decode(buffer, len, &g) == MT_EINVAL);
}

static void pieces_are_joined(void)
{
	struct strbuf parts AUTO(strbuf) = STRBUF(16);
	struct frame a = { .flags = FRAME_MORE, .data = "one ", .len = 4 };
	struct frame b = { .data = "two", .len = 3 }, c = { .data = "alone", .len = 5 };

	CHECK(frame_join(&parts, &c) == 1 && memcmp(c.data, "alone", 5) == 0);
	CHECK(frame_join(&parts, &a) == 0);
	CHECK(frame_join(&parts, &b) == 1 && b.len == 7 &&
	      memcmp(b.data, "one two", 7) == 0);
	strbuf_reset(&parts);
	a.len = 20;
	a.data = "much more than there is room for";
	CHECK(frame_join(&parts, &a) == MT_ELIMIT);
}

static void texts_are_taken_off(void)
{
	const char *data = "a\0bc\0rest";
	size_t len = 9;

	CHECK_STR(frame_text(&data, &len), "a");
	CHECK_STR(frame_text(&data, &len), "bc");
	CHECK(len == 4 && memcmp(data, "rest", 4) == 0);
	CHECK(frame_text(&data, &len) == NULL);
}

/* ---- lines of the host, as the runner reads them ---------------------- */

static const struct {
	const char *line;
	int kind; /* 0: refused */
	const char *id;
} lines[] = {
	{ "{\"id\":1,\"method\":\"tools/call\",\"params\":{}}", MESSAGE_CALL, "1" },
	{ "{\"id\":\"x\",\"method\":\"tools/list\"}", MESSAGE_LIST, "\"x\"" },
	{ "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"q\\\"\"}}",
	  MESSAGE_CANCELLED, "\"q\\\"\"" },
	{ "{\"method\":\"notifications/input\",\"params\":{\"requestId\":3}}",
	  MESSAGE_INPUT, "3" },
	{ "{\"method\":\"notifications/ack\",\"params\":{\"requestId\":4}}", MESSAGE_ACK,
	  "4" },
	{ "{\"method\":\"notifications/window\",\"params\":{}}", MESSAGE_WINDOW, "" },
	{ "{\"id\":9,\"result\":{}}", MESSAGE_ANSWER, "9" },
	{ "{\"id\":9,\"error\":{}}", MESSAGE_ANSWER, "9" },
	{ "{\"method\":\"other\"}", MESSAGE_UNKNOWN, "" },
	{ "{\"id\":5,\"method\":\"other\"}", MESSAGE_UNKNOWN, "5" },
	{ "{\"method\":\"tools/call\",\"params\":{}}", 0, "" },
	{ "{\"id\":1.5,\"method\":\"tools/call\"}", 0, "" },
	{ "{\"id\":[1],\"method\":\"tools/call\"}", 0, "" },
	{ "{\"method\":\"notifications/ack\"}", 0, "" },
	{ "{\"id\":1}", 0, "" },
	{ "17", 0, "" },
	{ "", 0, "" },
};

static void lines_of_the_host(void)
{
	struct message m;

	for (size_t n = 0; n < ARRAY_LEN(lines); n++) {
		struct error err = ERROR_NONE;
		int status = message_read(lines[n].line, strlen(lines[n].line), &m, &err);

		CHECK_MSG(lines[n].kind ? status == MT_OK && (int)m.kind == lines[n].kind
					: status < 0 && *err.text,
			  "%s", lines[n].line);
		if (!status) {
			CHECK_STR(m.id, lines[n].id);
			message_clear(&m);
		}
	}
	for (size_t n = 0; n < ARRAY_LEN(lines); n++)
		for (size_t cut = 0; cut < strlen(lines[n].line); cut++)
			if (message_read(lines[n].line, cut, &m, NULL) == MT_OK)
				CHECK_MSG(0, "cut at %zu: %s", cut, lines[n].line);
}

/* ---- the hello from one end to the other ------------------------------ */

static void the_hello_arrives(void)
{
	static const char *const secrets[] = { "A", "B\"", NULL };
	json_object *options = json_object_new_object();
	struct runner_instance list[] = {
		{ .name = "one", .component = "part", .plugin = "/p/one.so",
		  .options = options, .secrets = secrets },
		{ .name = "two", .plugin = "/p/two.so" },
		{ .name = "three", .plugin = "/p/two.so" },
		{ .name = "four", .plugin = "/p/two.so", .alone = true },
	};
	struct runner_spec spec = { .workspace = "/w \xc3\xa9", .spool_dir = "/s",
		.conversation = "c", .instances = list, .instance_count = 4,
		.result_max = 4096, .grace_ms = 7, .group = "parent/c",
		.limits = { .memory = -1, .processes = 2, .open_files = 3, .cpu_ms = 4,
			    .wall_ms = 5, .output_max = 6, .disk_written = -1,
			    .no_cgroups = true } };
	struct strbuf b AUTO(strbuf) = STRBUF(1 << 16);
	struct error err = ERROR_NONE;
	struct message m;
	struct spec s;

	js_set_str(options, "key", "value\n");
	js_set_str(options, "arg.n", "2");
	CHECK(runner_put_hello(&b, &spec) == MT_OK && b.text[b.len - 1] == '\n');
	CHECK(message_read(b.text, b.len, &m, &err) == MT_OK && m.kind == MESSAGE_HELLO);
	CHECK(spec_read(m.params, &s, &err) == MT_OK);
	CHECK_STR(s.workspace, "/w \xc3\xa9");
	CHECK(s.limits.result_max == 4096 && s.limits.grace_ms == 7 &&
	      s.limits.spool_max == 256 << 20 && s.limits.timeout_ms == 600000);
	CHECK_STR(s.group, "parent/c");
	CHECK(s.limits.memory == -1 && s.limits.processes == 2 &&
	      s.limits.open_files == 3 && s.limits.cpu_ms == 4 && s.limits.wall_ms == 5 &&
	      s.limits.output_max == 6 && s.limits.disk_written == -1 &&
	      s.limits.cgroups == 0);
	CHECK(s.instance_count == 4 && spec_find(&s, "two") == 1 &&
	      spec_find(&s, "x") == -1);
	CHECK_STR(s.instances[0].component, "part");
	CHECK_STR(s.instances[1].component, "two");
	CHECK(s.instances[0].option_count == 2);
	CHECK_STR(s.instances[0].options[0].value, "value\n");
	CHECK(spec_granted(&s.instances[0], "B\"") &&
	      !spec_granted(&s.instances[1], "A"));
	CHECK(spec_together(&s, 1, 2) && !spec_together(&s, 0, 1));
	CHECK(spec_together(&s, 3, 3) && !spec_together(&s, 1, 3) &&
	      !spec_together(&s, 3, 2));
	spec_keep_only(&s, 1);
	CHECK_MSG(s.instances[0].option_count == 0, "options of others are wiped");
	spec_clear(&s);
	OOM_EACH(if (spec_read(m.params, &s, NULL) == MT_OK) spec_clear(&s););
	message_clear(&m);
	json_object_put(options);
}

/* ---- lines of the runner, as the host reads them ---------------------- */

static const struct {
	const char *line;
	int kind;
} answers[] = {
	{ "{\"id\":\"hello\",\"result\":{}}", RUNNER_HELLO },
	{ "{\"id\":\"hello\",\"error\":{\"code\":-6,\"message\":\"m\"}}", RUNNER_HELLO },
	{ "{\"id\":\"tools/x\",\"result\":{\"tools\":[]}}", RUNNER_TOOLS },
	{ "{\"id\":3,\"result\":{}}", RUNNER_RESULT },
	{ "{\"id\":3,\"error\":{}}", RUNNER_RESULT },
	{ "{\"id\":1,\"call\":2,\"method\":\"user/ask\",\"params\":{}}", RUNNER_ASKS },
	{ "{\"method\":\"notifications/output\",\"params\":{\"requestId\":1}}",
	  RUNNER_OUTPUT },
	{ "{\"method\":\"notifications/chunk\",\"params\":{\"requestId\":1}}",
	  RUNNER_CHUNK },
	{ "{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1}}",
	  RUNNER_PROGRESS },
	{ "{\"method\":\"notifications/tools/list_changed\",\"params\":{}}",
	  RUNNER_CHANGED },
	{ "{\"method\":\"notifications/message\"}", RUNNER_LOG },
	{ "{\"method\":\"notifications/more\"}", RUNNER_OTHER },
	{ "{\"id\":1,\"method\":\"user/ask\"}", 0 },
	{ "{\"id\":-1,\"result\":{}}", 0 },
	{ "{\"id\":1,\"result\":7}", 0 },
	{ "{\"id\":null,\"error\":{\"code\":-1,\"message\":\"m\"}}", 0 },
	{ "{\"method\":\"notifications/output\",\"params\":{\"requestId\":\"1\"}}", 0 },
	{ "{}", 0 },
	{ "null", 0 },
};

static void lines_of_the_runner(void)
{
	struct runner_line r;

	for (size_t n = 0; n < ARRAY_LEN(answers); n++) {
		struct error err = ERROR_NONE;
		int status = runner_line_read(answers[n].line, strlen(answers[n].line),
					      &r, &err);

		CHECK_MSG(answers[n].kind
				  ? status == MT_OK && (int)r.kind == answers[n].kind
				  : status < 0,
			  "%s", answers[n].line);
		if (!status)
			runner_line_clear(&r);
		for (size_t cut = 0; cut < strlen(answers[n].line); cut++)
			if (runner_line_read(answers[n].line, cut, &r, NULL) == MT_OK)
				CHECK_MSG(0, "cut at %zu: %s", cut, answers[n].line);
	}
}

/* ---- base64 ----------------------------------------------------------- */

static void base64_goes_both_ways(void)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
		      { "foob", "Zm9vYg==" }, { "\xff\xfe\xfd", "//79" } };
	static const char *const wrong[] = { "Z",      "Zg=",  "Zg",       "Z===",
					     "Zh==",   "Zm9=", "Zg==Zg==", "Zm 9v",
					     "Zm9v\n", "====", "Zm-_" };

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct strbuf b AUTO(strbuf) = STRBUF(100), c AUTO(strbuf) = STRBUF(100);

		CHECK(base64_put(&b, cases[n].bytes, strlen(cases[n].bytes)) == MT_OK);
		CHECK_STR(b.text, cases[n].text);
		CHECK(base64_read(&c, b.text, b.len) == MT_OK);
		CHECK_STR(c.text, cases[n].bytes);
	}
	for (size_t n = 0; n < ARRAY_LEN(wrong); n++) {
		struct strbuf b AUTO(strbuf) = STRBUF(100);

		CHECK_MSG(base64_read(&b, wrong[n], strlen(wrong[n])) == MT_EINVAL, "%s",
			  wrong[n]);
	}
}

/* ---- typed functions -------------------------------------------------- */

static int64_t seven(void)
{
	return 7;
}

#define ARG(type, flags, name, choices, capacity) \
	{ sizeof(struct mt_arg), type, flags, name, NULL, choices, capacity }

static void wrong_tables_are_refused(void)
{
	static const struct {
		struct mt_arg args[2];
		uint16_t count, returns;
		const char *error;
	} cases[] = {
		{ { ARG(MT_TYPE_INT32, 0, NULL, NULL, 0) },
		  1,
		  MT_TYPE_VOID,
		  "argument 1 has no name" },
		{ { ARG(MT_TYPE_VOID, 0, "a", NULL, 0) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: type 0 cannot be used for an argument" },
		{ { ARG(99, 0, "a", NULL, 0) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: type 99 cannot be used for an argument" },
		{ { ARG(MT_TYPE_INT32, 0, "a", NULL, 0),
		    ARG(MT_TYPE_INT32, 0, "a", NULL, 0) },
		  2,
		  MT_TYPE_VOID,
		  "two arguments are named `a`" },
		{ { ARG(MT_TYPE_BUFFER, 0, "a", NULL, 0) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: a buffer requires its size as the next argument" },
		{ { ARG(MT_TYPE_BUFFER, 0, "a", NULL, 0),
		    ARG(MT_TYPE_DOUBLE, 0, "b", NULL, 0) },
		  2,
		  MT_TYPE_VOID,
		  "argument `b` must be the size of the buffer before it" },
		{ { ARG(MT_TYPE_STRING, MT_ARG_OUT, "a", NULL, 1ull << 40) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: at most 16777216 bytes" },
		{ { ARG(MT_TYPE_DOUBLE, 0, "a", "X=1", 0) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: choices require an integer type" },
		{ { ARG(MT_TYPE_INT32, 0, "a", "X=1|Y", 0) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: invalid choices; use NAME=0|OTHER=1" },
		{ { ARG(MT_TYPE_UINT32, 0, "a", "X=-1", 0) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: -1 does not fit its type" },
		{ { ARG(MT_TYPE_INT32, 0x100, "a", NULL, 0) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: unknown flags 0x100; update mortise" },
		{ { ARG(MT_TYPE_INT32, MT_ARG_FIXED, "a", NULL, 1ull << 31) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: 2147483648 does not fit its type" },
		{ { ARG(MT_TYPE_STRING, MT_ARG_FIXED, "a", NULL, 0) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: only an input of type integer, bool or handle (as 0) can be fixed" },
		{ { ARG(MT_TYPE_HANDLE, MT_ARG_ENDS | MT_ARG_OUT, "a", NULL, 0) },
		  1,
		  MT_TYPE_VOID,
		  "argument `a`: only an input handle can be closed by the function" },
		{ { ARG(MT_TYPE_INT32, 0, "a", NULL, 0) },
		  1,
		  MT_TYPE_BUFFER,
		  "a function cannot return type 9" },
		{ { ARG(MT_TYPE_INT32, 0, "a", NULL, 0) },
		  200,
		  MT_TYPE_VOID,
		  "200 arguments, but at most 64 are allowed" },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct mt_function f = { sizeof f, cases[n].returns, cases[n].count,
					 cases[n].args, (void (*)(void))seven, 0, 0 };
		struct strbuf b AUTO(strbuf) = STRBUF(4096);
		struct error err = ERROR_NONE;

		CHECK(function_schema(&f, &b, &err) < 0);
		CHECK_STR(err.text, cases[n].error);
	}
}

static void a_function_is_called_and_copied(void)
{
	static const struct mt_arg args[] = { ARG(MT_TYPE_INT32, MT_ARG_OPTIONAL, "a",
						  "X=1", 0) };
	struct mt_function f = { sizeof f, MT_TYPE_INT64,         1,
				 args,     (void (*)(void))seven, 0,
				 0 };
	struct strbuf b AUTO(strbuf) = STRBUF(4096);
	struct error err = ERROR_NONE;
	struct function_copy *copy = ffi_function_copy(&f);

	CHECK(copy && function_schema(&copy->function, &b, &err) == MT_OK);
	CHECK_STR(b.text,
		  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
		  "\"enum\":[\"X\"]}},\"required\":[],\"additionalProperties\":false}");
	strbuf_reset(&b);
	CHECK(ffi_function_call(&copy->function, NULL, &b, &err) == MT_OK);
	CHECK_STR(b.text, "7");
	ffi_function_free(copy);
	OOM_EACH(ffi_function_free(ffi_function_copy(&f)));
	OOM_EACH(struct strbuf c = STRBUF(100); ffi_function_call(&f, NULL, &c, NULL);
		 strbuf_clear(&c));
}

int main(void)
{
	a_frame_survives_the_line();
	pieces_are_joined();
	texts_are_taken_off();
	lines_of_the_host();
	the_hello_arrives();
	lines_of_the_runner();
	base64_goes_both_ways();
	wrong_tables_are_refused();
	a_function_is_called_and_copied();
	return tap_done();
}
