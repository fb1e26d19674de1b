/* SPDX-License-Identifier: MIT
 *
 * test-memory.c - views of all kinds of one history: the messages of a memory do
 * not depend on earlier views, and a stamp names one content forever. */
#include "context/request-messages.h"
#include "events/logs.h"
#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

enum { TURNS = 30, VIEWS = 1000, EVENTS_MOST = 200, STAMPS_MOST = 20000 };

static unsigned seed = 4711;
static char *contents[STAMPS_MOST]; /* by stamp */

static unsigned dice(unsigned sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % sides;
}

/* An action and perhaps its observation, for a call of a reply. */
static void call(struct evlog *log, const char *response, int turn, int n, int total)
{
	char id[32];
	AUTO(event) struct event *a =
		event_action("run", SOURCE_AGENT, json("{\"command\":\"ls\"}"), NULL);
	struct event *o;

	snprintf(id, sizeof id, "call_%d_%d", turn, n);
	event_set_tool_meta(a, "bash", id, response, total);
	evlog_append(log, a, NULL);
	if (dice(6) == 0)
		return;
	o = event_observation("run", SOURCE_AGENT, a->id, id, strlen(id),
			      json("{\"command\":\"ls\"}"), NULL);
	event_set_tool_meta(o, "bash", id, response, total);
	evlog_append(log, o, NULL);
	event_unref(o);
}

/* A second answer to a call of the turn before, or the first one, late. */
static void answer_late(struct evlog *log, int turn)
{
	char response[32], id[32];
	AUTO(event) struct event *o =
		event_observation("run", SOURCE_AGENT, 0, "late", 4,
				  json("{\"command\":\"ls\"}"), NULL);

	snprintf(response, sizeof response, "reply_%d", turn);
	snprintf(id, sizeof id, "call_%d_0", turn);
	event_set_tool_meta(o, "bash", id, response, 1);
	evlog_append(log, o, NULL);
}

static void turn(struct evlog *log, int t)
{
	AUTO(strbuf) struct strbuf reply = STRBUF(4096);
	int calls = 1 + (int)dice(3);
	char id[32];

	snprintf(id, sizeof id, "reply_%d", t);
	strbuf_addf(&reply,
		    "{\"record\":\"llm_reply\",\"response_id\":\"%s\",\"text\":\"%s\","
		    "\"calls\":[",
		    id, dice(2) ? "I look" : "");
	for (int n = 0; n < calls; n++)
		strbuf_addf(&reply,
			    "%s{\"id\":\"call_%d_%d\",\"name\":\"bash\","
			    "\"arguments\":\"{}\"}",
			    n ? "," : "", t, n);
	strbuf_add(&reply, "]}");
	record(log, reply.text, NULL);
	for (int n = 0; n < calls; n++)
		call(log, id, t, n, calls);
	if (t && dice(3) == 0)
		answer_late(log, t - 1);
	if (dice(3) == 0)
		say(log, SOURCE_USER, "and now");
	if (dice(3) == 0)
		say(log, SOURCE_USER, "again");
}

/* The previous view with more events, as while nothing is condensed. */
static size_t grow(struct evlog *log, struct view_item *items, size_t n)
{
	int64_t id = n ? items[n - 1].event : -1;

	for (unsigned more = dice(5); more-- && ++id < evlog_count(log);)
		items[n++] = (struct view_item){ .event = id };
	return n;
}

/* A view as condensers make them. */
static size_t view(struct evlog *log, struct view_item *items)
{
	size_t most = 1 + dice((unsigned)evlog_count(log)), n = 0;
	unsigned gone = dice(3), masked = dice(3);

	for (size_t id = 0; id < most; id++) {
		if (gone && dice(10) < gone)
			continue;
		items[n] = (struct view_item){ .event = (int64_t)id };
		if (masked && dice(10) < masked) {
			items[n].text = dice(2) ? "masked" : "hidden";
			items[n].len = 6;
		}
		n++;
	}
	if (dice(3) == 0) {
		items[n].event = -1;
		items[n].text = dice(2) ? "so far, so good" : "so far";
		items[n].len = strlen(items[n].text);
		n++;
	}
	return n;
}

static void write_message(const struct llm_message *m, struct strbuf *out)
{
	strbuf_addf(out, "[%d ", m->role);
	for (size_t i = 0; i < m->part_count; i++)
		strbuf_addn(out, m->parts[i].text, m->parts[i].len);
	for (size_t i = 0; i < m->call_count; i++)
		strbuf_addf(out, " %s", m->calls[i].id);
	strbuf_add(out, "]");
}

/* The messages as text; false if a stamp had another content before. */
static bool lay_out(struct request_messages *m, const struct view_item *items, size_t n,
		    struct strbuf *out)
{
	AUTO(llm_request) struct llm_request *q = llm_request_new();
	struct error err = ERROR_NONE;

	if (request_messages_build(m, items, n, q, &err))
		return false;
	for (size_t i = 0; i < q->message_count; i++) {
		AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
		uint64_t stamp = q->messages[i].stamp;

		write_message(&q->messages[i], &text);
		strbuf_add(out, text.text);
		if (!stamp || stamp >= STAMPS_MOST)
			continue;
		if (!contents[stamp])
			contents[stamp] = strdup(text.text);
		if (strcmp(contents[stamp], text.text) != 0) {
			printf("# %s\n# was: %s\n", text.text, contents[stamp]);
			return false;
		}
	}
	return true;
}

/* The first user message is reverted, and an event precedes it:
 * a command of the user's own. */
static void first_message_undone(void)
{
	const struct request_messages_options options = { 0 };
	const struct view_item before[] = { { .event = 0 }, { .event = 1 }, { .event = 2 },
					    { .event = 3 } };
	const struct view_item after[] = { { .event = 0 },
					   { .event = 1 },
					   { .event = 4 } };
	struct evlog *log = open_log(test_path("undone"), EVLOG_CREATE, NULL);
	struct request_messages *memory = request_messages_new(log, &options);
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	AUTO(event) struct event *run =
		event_action("run", SOURCE_USER, json("{\"command\":\"ls\"}"), NULL);
	struct event *seen;

	evlog_append(log, run, NULL);
	seen = event_observation("run", SOURCE_AGENT, run->id, "a b", 3,
				 json("{\"command\":\"ls\"}"), NULL);
	evlog_append(log, seen, NULL);
	event_unref(seen);
	say(log, SOURCE_USER, "what was taken back");
	say(log, SOURCE_AGENT, "an answer to it");
	CHECK(lay_out(memory, before, 4, &text));
	record(log, "{\"record\":\"rewind\",\"to\":1}", NULL);
	say(log, SOURCE_USER, "what is there");
	strbuf_reset(&text);
	CHECK(lay_out(memory, after, 3, &text));
	CHECK(strstr(text.text, "what is there"));
	CHECK_MSG(!strstr(text.text, "taken back"), "what was taken back is not sent");
	request_messages_free(memory);
	evlog_close(log);
}

/* One call of a batch, and its result if `answer` says so. */
static void one_of_batch(struct evlog *log, const char *id, const char *answer)
{
	AUTO(event)
	struct event *a =
		event_action("run", SOURCE_AGENT, json("{\"command\":\"ls\"}"), NULL);
	AUTO(event) struct event *o = NULL;

	event_set_tool_meta(a, "bash", id, "batch", 3);
	evlog_append(log, a, NULL);
	if (!answer)
		return;
	o = event_observation("run", SOURCE_AGENT, a->id, answer, strlen(answer),
			      json("{\"command\":\"ls\"}"), NULL);
	event_set_tool_meta(o, "bash", id, "batch", 3);
	evlog_append(log, o, NULL);
}

/* A reply with three calls of which some have no result: those are left out, and the
 * reply with them if none has one. `messages`: what the request holds. */
static void check_batch(const char *const answers[3], const char *messages)
{
	static const char *const ids[] = { "c1", "c2", "c3" };
	static int number;
	const struct request_messages_options options = { 0 };
	struct view_item items[16];
	char name[32];
	size_t n = 0;
	struct evlog *log;
	struct request_messages *memory;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);

	snprintf(name, sizeof name, "batch%d", number++);
	log = open_log(test_path(name), EVLOG_CREATE, NULL);
	memory = request_messages_new(log, &options);
	say(log, SOURCE_USER, "do it");
	record(log,
	       "{\"record\":\"llm_reply\",\"response_id\":\"batch\",\"text\":\"I look\","
	       "\"calls\":[{\"id\":\"c1\",\"name\":\"bash\",\"arguments\":\"{}\"},"
	       "{\"id\":\"c2\",\"name\":\"bash\",\"arguments\":\"{}\"},"
	       "{\"id\":\"c3\",\"name\":\"bash\",\"arguments\":\"{}\"}]}",
	       NULL);
	for (size_t i = 0; i < 3; i++)
		one_of_batch(log, ids[i], answers[i]);
	say(log, SOURCE_USER, "again");
	for (; n < (size_t)evlog_count(log); n++)
		items[n] = (struct view_item){ .event = (int64_t)n };
	CHECK(lay_out(memory, items, n, &text));
	CHECK_STR(text.text, messages);
	request_messages_free(memory);
	evlog_close(log);
}

static void calls_without_answer(void)
{
	/* roles: user 2, assistant 3, tool 4 */
	check_batch((const char *const[]){ "r1", "r2", "r3" },
		    "[2 do it][3 I look c1 c2 c3][4 r1 c1][4 r2 c2][4 r3 c3][2 again]");
	check_batch((const char *const[]){ "r1", NULL, "r3" },
		    "[2 do it][3 I look c1 c3][4 r1 c1][4 r3 c3][2 again]");
	check_batch((const char *const[]){ NULL, NULL, "r3" },
		    "[2 do it][3 I look c3][4 r3 c3][2 again]");
	check_batch((const char *const[]){ NULL, NULL, NULL }, "[2 do it][2 \n\nagain]");
}

/* Lay out the start of a view, a few items in each slice, and stop anywhere. */
static void start_view(struct request_messages *memory, const struct view_item *items,
		       size_t n)
{
	bool more = true;

	for (unsigned slices = dice(EVENTS_MOST); more && slices > 0; slices--)
		if (request_messages_lay_out(memory, items, n, 0, &more, NULL))
			break;
}

int main(void)
{
	const struct request_messages_options options = { .items_at_once = 3 };
	struct view_item items[EVENTS_MOST * 4];
	int good = 0, same = 0;
	size_t n = 0;
	struct request_messages *memory;
	struct evlog *log;

	if (!mkdtemp(top))
		return 1;
	first_message_undone();
	calls_without_answer();
	log = open_log(test_path("log"), EVLOG_CREATE, NULL);
	memory = request_messages_new(log, &options);
	say(log, SOURCE_USER, "do it");
	for (int t = 0; t < TURNS && evlog_count(log) < EVENTS_MOST; t++)
		turn(log, t);
	for (int i = 0; i < VIEWS; i++) {
		AUTO(strbuf) struct strbuf text = STRBUF(1 << 20),
					   fresh = STRBUF(1 << 20);
		struct request_messages *other = request_messages_new(log, &options);

		n = dice(4) && n && items[n - 1].event >= 0 ? grow(log, items, n)
							    : view(log, items);
		if (dice(2))
			start_view(memory, items, n);
		good += lay_out(memory, items, n, &text) &&
			lay_out(other, items, n, &fresh);
		same += strcmp(text.text, fresh.text) == 0;
		request_messages_free(other);
	}
	CHECK_MSG(good == VIEWS, "a stamp names one content");
	CHECK_MSG(same == VIEWS, "what is laid out does not depend on views before");
	request_messages_free(memory);
	evlog_close(log);
	dir_remove(top, NULL);
	for (size_t i = 0; i < STAMPS_MOST; i++)
		free(contents[i]);
	return tap_done();
}
