/* SPDX-License-Identifier: MIT
 *
 * test-event.c - events: created, read in old formats, written, queried. */
#include "events/event.h"
#include "events/event-internal.h"
#include "literal.h"
#include "tap.h"

static json_object *json(const char *text)
{
	return js_parse(text, strlen(text), NULL);
}

/* The event as it is written. */
static const char *written(const struct event *e)
{
	static struct strbuf out = STRBUF(1 << 24);

	strbuf_reset(&out);
	event_write(e, &out);
	return out.text;
}

/* Each type is at the index of its id, and its number maps back to it. */
static void test_types(void)
{
	size_t count = 0;

	for (int is_action = 0; is_action < 2; is_action++) {
		const struct event_type *type;

		for (size_t n = 0; (type = event_type_at(is_action, n)); n++, count++) {
			CHECK(type->name && type->is_action == is_action);
			CHECK(event_type_number(type) == n);
			CHECK(event_type_find(is_action, type->name) == type);
		}
	}
	CHECK(count == EVENT_TYPE_COUNT);
	CHECK(event_type_find(true, "run")->id == ACTION_RUN);
	CHECK(event_type_find(false, "run")->id == OBSERVATION_RUN);
}

static void test_read(void)
{
	static const struct {
		const char *in, *out; /* out NULL: refused */
		int code;
	} cases[] = {
		{ "{\"action\":\"null\"}",
		  "{\"message\":\"No action\",\"action\":\"null\",\"args\":{}}", 0 },
		{ "{\"action\":\"think\",\"args\":{\"thought\":\"a\"},\"timeout\":null,"
		  "\"strange\":[1]}",
		  "{\"message\":\"I am thinking...: a\",\"action\":\"think\","
		  "\"args\":{\"thought\":\"a\"},\"strange\":[1]}",
		  0 },
		{ "{\"action\":\"message\",\"args\":{\"content\":\"x\",\"images_urls\":["
		  "\"a\"],"
		  "\"keep_prompt\":true}}",
		  "{\"message\":\"x\",\"action\":\"message\",\"args\":{\"content\":\"x\","
		  "\"file_urls\":null,\"image_urls\":[\"a\"],\"wait_for_response\":false,"
		  "\"security_risk\":-1}}",
		  0 },
		{ "{\"action\":\"read\",\"args\":{\"path\":\"/"
		  "a\",\"translated_ipython_code\":"
		  "\"print(file_editor(**{'command': 'view', 'path': '/b', "
		  "'view_range': [1, 2]}))\"}}",
		  "{\"message\":\"Reading file: /b\",\"action\":\"read\",\"args\":{"
		  "\"path\":\"/b\",\"start\":0,\"end\":-1,\"thought\":\"\","
		  "\"security_risk\":-1,\"impl_source\":\"default\","
		  "\"view_range\":[1,2]}}",
		  0 },
		{ "{\"action\":\"finish\",\"args\":{\"task_completed\":true,\"thought\":"
		  "\"\"}}",
		  "{\"message\":\"All done! What's next on the agenda?\",\"action\":\"finish\","
		  "\"args\":{\"final_thought\":\"\",\"outputs\":{},\"thought\":\"\"}}",
		  0 },
		{ "{\"observation\":\"run\",\"content\":\"o\",\"extras\":{\"command\":"
		  "\"ls\","
		  "\"exit_code\":2,\"command_id\":7,\"formatted_output_and_error\":\"\"}"
		  "}",
		  "{\"message\":\"Command `ls` executed with exit code 2.\","
		  "\"observation\":\"run\",\"content\":\"o\",\"extras\":{\"command\":"
		  "\"ls\","
		  "\"metadata\":{\"exit_code\":2,\"pid\":7,\"username\":null,"
		  "\"hostname\":null,\"working_dir\":null,\"py_interpreter_path\":null,"
		  "\"prefix\":\"\",\"suffix\":\"\"},\"hidden\":false},\"success\":false}",
		  0 },
		{ "{\"observation\":\"success\",\"content\":\"y\",\"extras\":{\"more\":1}"
		  "}",
		  "{\"message\":\"y\",\"observation\":\"success\",\"content\":\"y\","
		  "\"extras\":{\"more\":1}}",
		  0 },
		{ "{\"action\":\"condensation\",\"args\":{\"forgotten_events_start_id\":"
		  "2,"
		  "\"forgotten_events_end_id\":4}}",
		  "{\"message\":\"Condenser is dropping the events: [2, 3, 4].\","
		  "\"action\":\"condensation\",\"args\":{\"forgotten_event_ids\":null,"
		  "\"forgotten_events_start_id\":2,\"forgotten_events_end_id\":4,"
		  "\"summary\":null,\"summary_offset\":null}}",
		  0 },
		{ "{\"action\":\"call_tool\",\"args\":{\"name\":\"zip\",\"arguments\":{"
		  "\"a\":1}}}",
		  "{\"message\":\"Calling tool zip: "
		  "{\\\"a\\\":1}\",\"action\":\"call_tool\","
		  "\"args\":{\"name\":\"zip\",\"arguments\":{\"a\":1},\"thought\":\"\","
		  "\"security_risk\":-1}}",
		  0 },
		{ "{\"action\":\"run\",\"args\":{}}", NULL, MT_EINVAL },
		{ "{\"action\":\"run\",\"args\":{\"command\":\"a\",\"x\":1}}", NULL,
		  MT_EINVAL },
		{ "{\"action\":\"run\",\"args\":[]}", NULL, MT_EINVAL },
		{ "{\"action\":\"nope\"}", NULL, MT_EINVAL },
		{ "{\"action\":5}", NULL, MT_EINVAL },
		{ "{\"observation\":\"nope\"}", NULL, MT_ENOTFOUND },
		{ "{\"observation\":\"recall\",\"extras\":{\"recall_type\":\"x\"}}", NULL,
		  MT_EINVAL },
		{ "{\"args\":{}}", NULL, MT_EINVAL },
		{ "[]", NULL, MT_EINVAL },
		{ "{\"action\":\"null\",\"source\":\"dog\"}", NULL, MT_EINVAL },
		{ "{\"action\":\"null\",\"id\":\"x\"}", NULL, MT_EINVAL },
		{ "{\"action\":\"condensation\",\"args\":{}}", NULL, MT_EINVAL },
		{ "{\"action\":\"condensation\",\"args\":{\"forgotten_event_ids\":[1],"
		  "\"summary\":\"s\"}}",
		  NULL, MT_EINVAL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error err = ERROR_NONE;
		AUTO(json) json_object *in = json(cases[i].in);
		AUTO(event) struct event *e = event_from_json(in, &err);

		if (!cases[i].out) {
			CHECK_MSG(!e && err.code == cases[i].code, "refused: %s (%s)",
				  cases[i].in, err.text);
			continue;
		}
		CHECK_MSG(e, "read: %s %s", cases[i].in, err.text);
		if (e)
			CHECK_STR(written(e), cases[i].out);
	}
}

static void test_make(void)
{
	struct error err = ERROR_NONE;
	AUTO(event)
	struct event *e =
		event_action("run", SOURCE_AGENT, json("{\"command\":\"ls\"}"), &err);

	CHECK(e && e->id == -1 && e->cause == -1 && e->source == SOURCE_AGENT);
	CHECK_STR(event_arg(e, "command"), "ls");
	CHECK_STR(event_arg(e, "cwd"), "");
	CHECK(!event_hidden(e) && !event_tool_meta(e));
	CHECK(event_set_tool_meta(e, "execute_bash", "call_1", "r1", 2) == MT_OK);
	CHECK_STR(written(e),
		  "{\"source\":\"agent\",\"message\":\"Running command: ls\","
		  "\"action\":\"run\",\"tool_call_metadata\":{\"function_name\":"
		  "\"execute_bash\",\"tool_call_id\":\"call_1\","
		  "\"total_calls_in_response\":2,\"llm_response_id\":\"r1\"},\"args\":{"
		  "\"command\":\"ls\",\"is_input\":false,\"thought\":\"\","
		  "\"blocking\":false,\"is_static\":false,\"cwd\":null,\"hidden\":false,"
		  "\"confirmation_state\":\"confirmed\",\"security_risk\":-1}}");
	CHECK(!event_action("run", SOURCE_AGENT, json("{\"command\":1}"), &err) &&
	      err.code == MT_EINVAL);
	err = ERROR_NONE;
	CHECK(!event_action("run", SOURCE_AGENT, NULL, &err) && err.code == MT_EINVAL);
	err = ERROR_NONE;
	CHECK(!event_action("dance", SOURCE_AGENT, NULL, &err) && err.code == MT_EINVAL);

	err = ERROR_NONE;
	AUTO(event)
	struct event *o = event_observation("error", SOURCE_ENVIRONMENT, 4, "bad\0luck",
					    8, NULL, &err);
	size_t len;

	CHECK(o && o->cause == 4 && memcmp(event_content(o, &len), "bad\0luck", 8) == 0 &&
	      len == 8);
	CHECK(!event_observation("dance", SOURCE_AGENT, 1, "", 0, NULL, &err) &&
	      err.code == MT_ENOTFOUND);
}

static void test_cut(void)
{
	static const struct {
		const char *in;
		size_t max;
		const char *out;
	} cases[] = {
		{ "abcde", 5, "abcde" },
		{ "abcde", 3, "a\n[... Observation truncated due to length ...]\ne" },
		{ "äöüß", 4, "äöüß" },
		{ "äöüß", 2, "ä\n[... Observation truncated due to length ...]\nß" },
		{ "abc", 1, "\n[... Observation truncated due to length ...]\nabc" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(4096);

		event_truncate_content(cases[i].in, strlen(cases[i].in), cases[i].max,
				       &out);
		CHECK_STR(out.text, cases[i].out);
	}

	AUTO(free) char *many = malloc(40000);

	memset(many, 'x', 40000);
	for (int hidden = 0; hidden < 2; hidden++) {
		AUTO(event)
		struct event *e = event_observation(
			"run", SOURCE_AGENT, 0, many, 40000,
			json(hidden ? "{\"command\":\"c\",\"hidden\":true}"
				    : "{\"command\":\"c\"}"),
			NULL);
		size_t len = 0;

		event_content(e, &len);
		CHECK(len == (hidden ? 40000u : 30047u));
	}
}

static void test_command_text(void)
{
	AUTO(event)
	struct event *e =
		event_observation("run", SOURCE_AGENT, 0, "out", 3,
				  json("{\"command\":\"c\",\"metadata\":{\"exit_code\":0,"
				       "\"working_dir\":\"/w\","
				       "\"prefix\":\"[P]\\n\",\"suffix\":\"[S]\"}}"),
				  NULL);
	AUTO(strbuf) struct strbuf out = STRBUF(4096);

	CHECK(e && event_command_text(e, &out) == MT_OK);
	CHECK_STR(out.text, "[P]\nout[S]\n[Current working directory: /w]\n"
			    "[Command finished with exit code 0]");
}

static void test_python(void)
{
	static const struct {
		const char *in, *out; /* JSON; NULL: refused */
	} cases[] = {
		{ "{'a': 'b\\n', \"c\": [1, -2.5, (3,)], 'd': None, 'e': True, }",
		  "{\"a\":\"b\\n\",\"c\":[1,-2.5,[3]],\"d\":null,\"e\":true}" },
		{ "'a' \"b\" r'\\n'", "\"ab\\\\n\"" },
		{ "'\\x41\\u00e4\\U0001f600\\101\\q'", "\"Aä😀A\\\\q\"" },
		{ "{}", "{}" },
		{ "()", "[]" },
		{ "'it''s'", "\"its\"" },
		{ "{'a'}", NULL },
		{ "{1: 2}", NULL },
		{ "'a", NULL },
		{ "[1", NULL },
		{ "exit()", NULL },
		{ "'\\ud800'", NULL },
		{ "[1,,2]", NULL },
		{ "", NULL },
		{ "1 2", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json)
		json_object *v = python_literal(cases[i].in, strlen(cases[i].in));

		if (cases[i].out)
			CHECK_STR(v ? js_text(v, NULL) : "", cases[i].out);
		else
			CHECK_MSG(!v, "refused: %s", cases[i].in);
		for (size_t n = 0; n < strlen(cases[i].in); n++)
			json_object_put(python_literal(cases[i].in, n));
	}

	AUTO(json)
	json_object *v =
		json("{\"a\":[1,null,true,2.5,1e20],\"b\":\"it's\","
		     "\"c\":\"\\n'\\\"\\u0001\","
		     "\"d\":\"\\u00ad\\u200b\\ue000\\ud83d\\ude00\\udb80\\udc00\"}");
	AUTO(strbuf) struct strbuf out = STRBUF(4096);

	literal_put(&out, v);
	CHECK_STR(out.text, "{'a': [1, None, True, 2.5, 1e+20], 'b': \"it's\", "
			    "'c': '\\n\\'\"\\x01', "
			    "'d': '\\xad\\u200b\\ue000\xf0\x9f\x98\x80\\U000f0000'}");
}

static void test_trajectory(void)
{
	AUTO(event)
	struct event *e = event_observation("browse", SOURCE_AGENT, 1, "c", 1,
					    json("{\"url\":\"u\",\"trigger_by_action\":"
						 "\"browse\",\"screenshot\":\"s\"}"),
					    NULL);
	AUTO(json) json_object *lean = event_trajectory(e, false);
	AUTO(json) json_object *full = event_trajectory(e, true);

	CHECK(!js_get(js_get(lean, "extras"), "screenshot"));
	CHECK(!js_get(js_get(lean, "extras"), "dom_object"));
	CHECK_STR(js_str(js_get(full, "extras"), "screenshot", ""), "s");
	CHECK(!js_get(js_get(full, "extras"), "axtree_object"));
	CHECK(js_get(event_args(e), "dom_object") != NULL);
}

int main(void)
{
	test_types();
	test_read();
	test_make();
	test_cut();
	test_command_text();
	test_python();
	test_trajectory();
	return tap_done();
}
