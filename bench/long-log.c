/* SPDX-License-Identifier: MIT
 *
 * long-log.c - extends the log of a conversation: appends tasks to it, each a message of
 * the user, replies with one or two calls and their output, and an answer.
 *
 *   long-log DIRECTORY EVENTS */
#include "events/evlog.h"
#include "js.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_PER_TASK = 20, OUTPUT_BYTES = 800 };

static struct error err;
static long replies;

static void die(void)
{
	fprintf(stderr, "long-log: %s\n", err.text);
	exit(1);
}

static int64_t put(struct evlog *log, struct event *e)
{
	int64_t id;

	if (!e || evlog_append(log, e, &err) < 0)
		die();
	id = e->id;
	event_unref(e);
	return id;
}

static json_object *parse(const char *text)
{
	json_object *o = js_parse_object(text, strlen(text), &err);

	if (!o)
		die();
	return o;
}

static void put_message(struct evlog *log, enum event_source source, const char *text)
{
	char args[256];

	snprintf(args, sizeof args,
		 "{\"content\":\"%s\",\"file_urls\":null,"
		 "\"image_urls\":null,\"wait_for_response\":%s,\"security_risk\":-1}",
		 text, source == SOURCE_USER ? "false" : "true");
	put(log, event_action("message", source, parse(args), &err));
}

static void put_state(struct evlog *log, const char *state)
{
	char extras[128];

	snprintf(extras, sizeof extras, "{\"agent_state\":\"%s\",\"reason\":\"\"}",
		 state);
	put(log, event_observation("agent_state_changed", SOURCE_ENVIRONMENT, -1, "", 0,
				   parse(extras), &err));
}

/* Name the calls of a reply after it, so that ids are unique. */
static void put_reply(struct evlog *log, int calls)
{
	AUTO(strbuf) struct strbuf b = STRBUF(4096);
	AUTO(json) json_object *record = NULL;

	strbuf_addf(&b,
		    "{\"record\":\"llm_reply\",\"response_id\":\"long_%ld\","
		    "\"model\":\"long\",\"text\":\"Step %ld.\",\"calls\":[",
		    replies, replies);
	for (int i = 0; i < calls; i++)
		strbuf_addf(&b,
			    "%s{\"id\":\"long_%ld_%d\",\"name\":\"execute_bash\","
			    "\"arguments\":\"{\\\"command\\\":\\\"make check "
			    "STEP=%ld\\\"}\"}",
			    i ? "," : "", replies, i, replies);
	strbuf_addf(&b,
		    "],\"stop_reason\":\"%s\",\"usage\":{\"input\":1000,\"output\":50,"
		    "\"cost\":0.001},\"latency_ms\":7,\"before\":%lld,\"worked\":%ld.5}",
		    calls ? "tool_calls" : "stop", (long long)evlog_count(log), replies);
	record = parse(b.text);
	if (evlog_record(log, record, &err))
		die();
}

static json_object *call_meta(int call, int calls)
{
	char text[256];

	snprintf(text, sizeof text,
		 "{\"function_name\":\"execute_bash\","
		 "\"tool_call_id\":\"long_%ld_%d\",\"total_calls_in_response\":%d,"
		 "\"llm_response_id\":\"long_%ld\"}",
		 replies, call, calls, replies);
	return parse(text);
}

static void put_call(struct evlog *log, int call, int calls)
{
	char args[512], output[OUTPUT_BYTES], dispatch[64];
	struct event *e;
	int64_t id;

	snprintf(args, sizeof args,
		 "{\"command\":\"make check STEP=%ld\",\"is_input\":false,"
		 "\"thought\":\"\",\"blocking\":false,\"is_static\":false,\"cwd\":null,"
		 "\"hidden\":false,\"confirmation_state\":\"confirmed\",\"security_"
		 "risk\":0}",
		 replies);
	e = event_action("run", SOURCE_AGENT, parse(args), &err);
	if (!e || js_set(e->json, "tool_call_metadata", call_meta(call, calls)))
		die();
	id = put(log, e);
	snprintf(dispatch, sizeof dispatch, "{\"record\":\"dispatch\",\"action\":%lld}",
		 (long long)id);
	{
		AUTO(json) json_object *record = parse(dispatch);

		if (evlog_record(log, record, &err))
			die();
	}
	memset(output, 'x', sizeof output);
	for (size_t i = 40; i < sizeof output; i += 40)
		output[i] = '\n';
	e = event_observation(
		"run", SOURCE_AGENT, id, output, sizeof output,
		parse("{\"command\":\"make check\",\"metadata\":{\"exit_code\":0},"
		      "\"hidden\":false}"),
		&err);
	if (!e || js_set(e->json, "tool_call_metadata", call_meta(call, calls)))
		die();
	put(log, e);
}

static void put_task(struct evlog *log, int64_t end)
{
	char text[64];

	snprintf(text, sizeof text, "Now do what comes after step %ld.", replies);
	put_message(log, SOURCE_USER, text);
	put_state(log, "running");
	for (int n = 0; n < CALLS_PER_TASK && evlog_count(log) < end - 2; n++) {
		int calls = n % 5 == 4 ? 2 : 1;

		put_reply(log, calls);
		for (int i = 0; i < calls; i++)
			put_call(log, i, calls);
		replies++;
	}
	put_reply(log, 0);
	put_message(log, SOURCE_AGENT, "Done.");
	replies++;
	put_state(log, "finished");
}

int main(int argc, char **argv)
{
	const struct evlog_options options = { .sync = SYNC_NONE };
	long events = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	struct evlog *log;

	if (events < 1)
		return 2;
	if (evlog_open(argv[1], EVLOG_WRITE, &options, &log, NULL, &err) < 0)
		die();
	while (evlog_count(log) < events)
		put_task(log, events);
	printf("%lld\n", (long long)evlog_count(log));
	evlog_close(log);
	return 0;
}
