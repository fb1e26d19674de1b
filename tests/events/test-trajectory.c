/* SPDX-License-Identifier: MIT
 *
 * test-trajectory.c - import and export of OpenHands files. */
#include "events/trajectory.h"
#include "logs.h"

#include <dirent.h>

static int collect(const char *text, size_t len, void *arg)
{
	return strbuf_addn(arg, text, len);
}

static json_object *exported(struct evlog *log, struct strbuf *out)
{
	strbuf_reset(out);
	if (trajectory_export(log, true, collect, out, NULL))
		return NULL;
	return js_parse(out->text, out->len, NULL);
}

/* A file with `text`, loaded. */
static int load(const char *text, struct trajectories *t, struct error *err)
{
	file_write(test_path("in"), text, strlen(text), 0600, false, NULL);
	return trajectory_load(test_path("in"), t, err);
}

static void test_shapes(void)
{
	static const struct {
		const char *text;
		int count; /* of conversations; below 0: the status */
		const char *title;
	} cases[] = {
		{ "[{\"action\":\"null\"}]", 1, "" },
		{ "{\"action\":\"null\"}\n{\"observation\":\"null\"}\n\n", 1, "" },
		{ "{\"instance_id\":\"a\",\"history\":[{\"action\":\"null\"}]}", 1, "a" },
		{ "{\"instance_id\":\"a\",\"history\":[{\"action\":\"null\"}]}\n"
		  "{\"instance_id\":\"b\",\"history\":[]}\n"
		  "{\"issue\":{\"title\":\"c\"},\"history\":[{\"action\":\"null\"}]}\n",
		  2, "a" },
		{ "[{\"issue\":{\"title\":\"c\"},\"history\":[{\"action\":\"null\"}]}]",
		  1, "c" },
		{ "[{\"instance_id\":\"a\",\"model_patch\":\"\"}]", MT_EINVAL, NULL },
		{ "[]", MT_EINVAL, NULL },
		{ "{}", MT_EINVAL, NULL },
		{ "7", MT_EINVAL, NULL },
		{ "null", MT_EINVAL, NULL },
		{ "", MT_EINVAL, NULL },
		{ "{\"action\":\"null\"}\n{\"observation\":", MT_EINVAL, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct trajectories t = { 0 };
		struct error err = ERROR_NONE;
		int status = load(cases[i].text, &t, &err);

		CHECK_MSG(status == (cases[i].count < 0 ? cases[i].count : MT_OK),
			  "shape %zu: %s", i, err.text);
		CHECK((int)t.count == (cases[i].count < 0 ? 0 : cases[i].count));
		if (t.count)
			CHECK_STR(t.items[0].title, cases[i].title);
		trajectory_clear(&t);
	}
}

#define RESPONSE                                                                         \
	"{\"id\":\"r1\",\"model\":\"m\",\"choices\":[{\"finish_reason\":\"tool_calls\"," \
	"\"message\":{\"content\":\"look\",\"tool_calls\":[{\"id\":\"c1\",\"function\":" \
	"{"                                                                              \
	"\"name\":\"execute_bash\",\"arguments\":\"{\\\"command\\\": "                   \
	"\\\"ls\\\"}\"}}]}}],"                                                           \
	"\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":3,"                       \
	"\"cache_read_input_tokens\":4}}"
#define META                                                                             \
	"\"tool_call_metadata\":{\"function_name\":\"execute_bash\",\"tool_call_id\":"   \
	"\"c1\","                                                                        \
	"\"total_calls_in_response\":1,\"model_response\":" RESPONSE "}"

static const char sample[] =
	"[{\"id\":0,\"timestamp\":\"2025-01-01T00:00:00.000001\",\"source\":\"user\","
	"\"action\":\"message\",\"args\":{\"content\":\"go\"}},"
	"{\"id\":4,\"source\":\"agent\",\"action\":\"run\",\"args\":{\"command\":\"ls\"}"
	"," META "},"
	"{\"id\":7,\"source\":\"agent\",\"cause\":4,\"observation\":\"run\",\"content\":"
	"\"a\","
	"\"extras\":{\"command\":\"ls\",\"exit_code\":0}," META "},"
	"{\"id\":9,\"source\":\"agent\",\"action\":\"condensation\",\"args\":{"
	"\"forgotten_event_ids\":[4,5,7]}},"
	"{\"id\":11,\"source\":\"agent\",\"action\":\"condensation\",\"args\":{"
	"\"forgotten_events_start_id\":1,\"forgotten_events_end_id\":8}},"
	"{\"id\":12,\"source\":\"environment\",\"observation\":\"agent_state_changed\","
	"\"content\":\"\",\"extras\":{\"agent_state\":\"running\"}},"
	"{\"action\":\"run\",\"command\":\"touch "
	"x\",\"thought\":\"t\",\"keep_prompt\":true,"
	"\"is_confirmed\":\"confirmed\",\"action_risk\":null},"
	"{\"content\":\"\",\"command_id\":-1,\"command\":\"touch x\",\"exit_code\":0,"
	"\"observation\":\"run\"}]";

static void test_import(void)
{
	struct evlog *log = open_log(test_path("import"), EVLOG_CREATE, NULL);
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	struct trajectories t = { 0 };
	struct error err = ERROR_NONE;
	size_t count = 0;

	CHECK(load(sample, &t, &err) == MT_OK);
	CHECK_MSG(trajectory_import(log, t.items[0].events, &count, &err) == MT_OK, "%s",
		  err.text);
	CHECK(count == 8 && evlog_count(log) == 8 && evlog_replies(log) == 1);
	CHECK(evlog_head(log, 2)->cause == 1 && evlog_head(log, 0)->cause == -1);

	AUTO(json) json_object *given = json_object_get(t.items[0].events);

	trajectory_clear(&t);

	AUTO(json) json_object *reply = evlog_reply(log, "r1", NULL);

	CHECK_STR(js_text(reply, NULL),
		  "{\"record\":\"llm_reply\",\"response_id\":\"r1\",\"model\":\"m\","
		  "\"text\":\"look\",\"calls\":[{\"id\":\"c1\",\"name\":\"execute_bash\","
		  "\"arguments\":\"{\\\"command\\\": \\\"ls\\\"}\"}],"
		  "\"stop_reason\":\"tool_calls\",\"usage\":{\"input\":10,\"output\":3,"
		  "\"cache_read\":4}}");

	AUTO(event) struct event *run = evlog_event(log, 1, NULL);
	AUTO(event) struct event *ids = evlog_event(log, 3, NULL);
	AUTO(event) struct event *range = evlog_event(log, 4, NULL);
	AUTO(event) struct event *flat = evlog_event(log, 6, NULL);

	CHECK_STR(js_text(event_tool_meta(run), NULL),
		  "{\"function_name\":\"execute_bash\",\"tool_call_id\":\"c1\","
		  "\"total_calls_in_response\":1,\"llm_response_id\":\"r1\"}");
	CHECK_STR(js_text(js_get(event_args(ids), "forgotten_event_ids"), NULL), "[1,2]");
	CHECK(js_int(event_args(range), "forgotten_events_start_id", -1) == 1);
	CHECK(js_int(event_args(range), "forgotten_events_end_id", -1) == 2);
	CHECK_STR(event_arg(flat, "command"), "touch x");
	CHECK_STR(event_arg(flat, "confirmation_state"), "confirmed");

	AUTO(json) json_object *as_it_came = exported(log, &out);

	CHECK_MSG(js_equal(as_it_came, given), "it goes out as it came");
	CHECK(say(log, SOURCE_USER, "more") == MT_OK);

	AUTO(json) json_object *list = exported(log, &out);

	CHECK(list && json_object_array_length(list) == 8); /* no state change */
	CHECK(strncmp(out.text, "[\n    {\n        \"id\": 0,\n", 25) == 0);
	for (size_t i = 1; i <= 2; i++) {
		json_object *response = js_path(json_object_array_get_idx(list, i),
						"tool_call_metadata.model_response");
		json_object *choice =
			json_object_array_get_idx(js_get(response, "choices"), 0);

		CHECK_STR(js_str(response, "id", ""), "r1");
		CHECK_STR(js_str(js_get(choice, "message"), "content", ""), "look");
		CHECK(js_int(js_get(response, "usage"), "total_tokens", 0) == 13);
	}
	evlog_close(log);
}

static void test_refused(void)
{
	static const char *const bad[] = {
		"[{\"action\":\"null\"},{\"action\":\"dance\"}]",
		"[{\"action\":\"null\"},5]",
		"[{\"action\":\"null\"},{\"action\":\"run\",\"args\":{}}]",
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char name[32];
		struct error err = ERROR_NONE;
		AUTO(json) json_object *events = json(bad[i]);
		size_t count = 9;
		struct evlog *log;

		snprintf(name, sizeof name, "refused-%zu", i);
		log = open_log(test_path(name), EVLOG_CREATE, NULL);
		CHECK(trajectory_import(log, events, &count, &err) == MT_EINVAL);
		CHECK_MSG(count == 1 && strstr(err.text, "event 2 of the file"), "%s",
			  err.text);
		evlog_close(log);
	}
}

/* Exported events can be imported: Mortise's own types as well. */
static void test_round(void)
{
	struct evlog *log = open_log(test_path("round-1"), EVLOG_CREATE, NULL);
	struct evlog *again = open_log(test_path("round-2"), EVLOG_CREATE, NULL);
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	struct error err = ERROR_NONE;
	size_t count = 0;

	record(log,
	       "{\"record\":\"llm_reply\",\"response_id\":\"x\",\"model\":\"m\","
	       "\"text\":\"hi\",\"reasoning\":\"because\",\"calls\":[{\"id\":\"c\","
	       "\"name\":\"zip\",\"arguments\":\"{}\"}],\"stop_reason\":\"tool_calls\","
	       "\"usage\":{\"input\":1,\"output\":2}}",
	       NULL);

	AUTO(event)
	struct event *call =
		event_action("call_tool", SOURCE_AGENT, json("{\"name\":\"zip\"}"), NULL);
	AUTO(event)
	struct event *result =
		event_observation("tool", SOURCE_ENVIRONMENT, 0, "done", 4,
				  json("{\"name\":\"zip\",\"is_error\":true,\"media\":[{"
				       "\"mime\":\"image/png\","
				       "\"blob\":\"00\"}],\"more\":1}"),
				  NULL);

	event_set_tool_meta(call, "zip", "c", "x", 1);
	event_set_tool_meta(result, "zip", "c", "x", 1);
	CHECK(evlog_append(log, call, NULL) == MT_OK &&
	      evlog_append(log, result, NULL) == MT_OK);

	AUTO(json) json_object *first = exported(log, &out);
	json_object *event = json_object_array_get_idx(first, 0);

	CHECK_STR(js_str(event, "action", ""), "call_tool_mcp");
	CHECK(!js_path(json_object_array_get_idx(first, 1), "extras.is_error"));
	CHECK_MSG(trajectory_import(again, first, &count, &err) == MT_OK, "%s", err.text);

	AUTO(json) json_object *second = exported(again, &out);
	AUTO(event) struct event *back = evlog_event(again, 1, NULL);

	CHECK(js_equal(first, second));
	CHECK_STR(back->type->name, "tool");
	CHECK(js_equal(event_args(back), event_args(result)));
	evlog_close(log);
	evlog_close(again);
}

/* Real files, where they lie next to the sources. */
static void test_real(void)
{
	const char *srcdir = getenv("top_srcdir");
	char dir[512], path[1024], name[64];
	struct dirent *entry;
	int n = 0;
	DIR *d;

	snprintf(dir, sizeof dir, "%s/../shared/vectors/trajectories/v0",
		 srcdir ? srcdir : ".");
	d = opendir(dir);
	if (!d) {
		SKIP("no recorded trajectories next to the sources");
		return;
	}
	while ((entry = readdir(d))) {
		struct trajectories t = { 0 };
		struct error err = ERROR_NONE;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
		if (trajectory_load(path, &t, &err))
			CHECK_MSG(strstr(err.text, "contains no events"), "%s", err.text);
		for (size_t i = 0; i < t.count; i++) {
			AUTO(strbuf) struct strbuf out = STRBUF(1 << 28);
			AUTO(json) json_object *first = NULL, *second = NULL;
			struct evlog *log, *again;
			size_t count = 0;

			snprintf(name, sizeof name, "real-%d", n++);
			log = open_log(test_path(name), EVLOG_CREATE, NULL);
			CHECK_MSG(trajectory_import(log, t.items[i].events, &count,
						    &err) == MT_OK,
				  "%s: %zu events %s", entry->d_name, count, err.text);
			first = exported(log, &out);
			CHECK_MSG(js_equal(first, t.items[i].events), "%s: as it came",
				  entry->d_name);
			snprintf(name, sizeof name, "real-%d", n++);
			again = open_log(test_path(name), EVLOG_CREATE, NULL);
			CHECK(trajectory_import(again, first, &count, &err) == MT_OK);
			second = exported(again, &out);
			CHECK(js_equal(first, second));
			evlog_close(log);
			evlog_close(again);
		}
		trajectory_clear(&t);
	}
	closedir(d);
}

int main(void)
{
	if (!mkdtemp(top))
		return 1;
	test_shapes();
	test_import();
	test_refused();
	test_round();
	test_real();
	dir_remove(top, NULL);
	return tap_done();
}
