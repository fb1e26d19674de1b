/* SPDX-License-Identifier: MIT
 *
 * test-body.c - bytes that a model was sent before are used again: whatever
 * happens to the history, a request is what encoding all of it gives. */
#include "bench.h"
#include "server.h"
#include "tap.h"

enum { MOST = 40, ROUNDS = 400 };

#define ANSWER(status, body)                                                             \
	"HTTP/1.1 " status "\r\nContent-Type: application/json\r\nConnection: close\r\n" \
	"\r\n" body

#define GOOD                                                                            \
	{ ANSWER("200 OK", "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\","       \
			   "\"message\":{\"role\":\"assistant\",\"content\":\"Hello\"}}]}"), \
	  0, CLOSE }

static const struct answer good = GOOD;
static const struct answer again[] = {
	{ ANSWER("503 Service Unavailable", "{}"), 0, CLOSE },
	GOOD,
};
static const struct answer never = { ANSWER("400 Bad Request", "{}"), 0, CLOSE };

/* The parts of a message of the history. */
struct item {
	struct llm_message message;
	struct llm_part part;
	struct llm_call call;
	char text[64], id[16];
};

static uv_loop_t loop;
static struct server server;
static struct bench b;
static struct result result;
static struct item items[MOST];
static size_t count;
static unsigned seed = 12345;

static unsigned dice(unsigned sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % sides;
}

static void make(struct item *i)
{
	static const int roles[] = { MT_ROLE_USER, MT_ROLE_ASSISTANT, MT_ROLE_TOOL,
				     MT_ROLE_TOOL };
	static const char *const texts[] = { "plain", "say \"hi\"\n", "\xc3\xa9\t\x01",
					     "" };

	*i = (struct item){ .message = { .role = roles[dice(4)], .part_count = 1 } };
	i->message.stamp = llm_message_stamp();
	snprintf(i->text, sizeof i->text, "%s %u", texts[dice(4)], dice(1000));
	snprintf(i->id, sizeof i->id, "call_%u", dice(1000));
	i->part.mime = dice(3) ? "image/png" : NULL;
	i->call = (struct llm_call){ .name = "bash", .args = "{}", .args_len = 2 };
	i->message.call_count = i->message.role == MT_ROLE_USER ? 0 : 1;
}

static void drop(size_t at, size_t n)
{
	memmove(&items[at], &items[at + n], (count - at - n) * sizeof *items);
	count -= n;
}

/* Changes of a history: it grows, is condensed, masked, repaired. */
static void change(void)
{
	size_t at = count ? dice((unsigned)count) : 0;

	switch (dice(12)) {
	case 0:
		if (count)
			drop(at, 1 + dice((unsigned)(count - at)));
		break;
	case 1:
		if (count) {
			snprintf(items[at].text, sizeof items[at].text, "masked");
			items[at].message.stamp = 0;
		}
		break;
	case 2:
		if (count)
			make(&items[at]);
		break;
	case 3:
		if (count)
			items[at].message.cache = !items[at].message.cache;
		break;
	case 4:
		break;
	default:
		for (unsigned n = 1 + dice(3); n-- && count < MOST;)
			make(&items[count++]);
	}
	if (count == MOST)
		drop(1, MOST / 2);
}

static struct llm_request *request(void)
{
	struct llm_request *q = llm_request_new();
	static const struct llm_tool tool = { "bash", "Runs \"commands\".", "{}", NULL,
					      NULL };

	q->stream = dice(10) == 0;
	if (dice(10))
		llm_request_tool(q, &tool);
	for (size_t i = 0; i < count; i++) {
		items[i].part.text = items[i].text;
		items[i].part.len = strlen(items[i].text);
		items[i].call.id = items[i].id;
		items[i].message.parts = &items[i].part;
		items[i].message.calls = &items[i].call;
		llm_request_add(q, &items[i].message);
	}
	return q;
}

/* The bytes by a model that never sent anything. */
static void encode(const struct llm_request *q, struct strbuf *out)
{
	struct llm_exchange *x = NULL;
	struct llm *fresh = NULL;

	if (!llm_open(b.pool, b.config, b.registry, "llm", "some-model", NULL, &fresh,
		      &b.err) &&
	    !llm_send(fresh, q, 0, &bench_events, &result, out, &x, &b.err))
		llm_cancel(x);
	llm_free(fresh);
}

static void send_kept(const struct llm_request *q, struct strbuf *out)
{
	struct llm_exchange *x = NULL;

	switch (dice(8)) {
	case 0:
		server_say(&server, again, 2);
		break;
	case 1:
		server_say(&server, &never, 1);
		break;
	case 2: /* interrupted before it was answered */
		if (!llm_send(b.llm, q, 0, &bench_events, &result, out, &x, &b.err))
			llm_cancel(x);
		return;
	default:
		server_say(&server, &good, 1);
	}
	bench_send(&b, q, 0, out, &result);
}

int main(void)
{
	static char base[64];
	const char *settings[] = { base, "llm.vision=yes", "llm.retry_min_wait=1ms",
				   "llm.retry_max_wait=2ms", NULL };
	size_t same = 0;

	uv_loop_init(&loop);
	server_start(&server, &loop);
	snprintf(base, sizeof base, "llm.base_url=http://127.0.0.1:%d/v1", server.port);
	CHECK_MSG(bench_open(&b, &loop, "some-model", settings), "opened: %s",
		  b.err.text);
	for (int i = 0; i < ROUNDS && b.llm; i++) {
		AUTO(strbuf) struct strbuf whole = STRBUF(1 << 20),
					   sent = STRBUF(1 << 20);
		AUTO(llm_request) struct llm_request *q = NULL;

		change();
		q = request();
		encode(q, &whole);
		send_kept(q, &sent);
		if (!whole.len || strcmp(whole.text, sent.text) != 0) {
			printf("# round %d: %s\n# not:     %s\n", i, sent.text,
			       whole.text);
			break;
		}
		same++;
	}
	CHECK_MSG(same == ROUNDS, "%d requests are what encoding all of each gives",
		  ROUNDS);
	bench_close(&b);
	server_stop(&server);
	result_clear(&result);
	CHECK_MSG(uv_loop_close(&loop) == 0, "no handle is left");
	return tap_done();
}
