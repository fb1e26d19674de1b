/* SPDX-License-Identifier: MIT
 *
 * test-encode-ahead.c - a request whose start was encoded before it is sent has the
 * bytes that encoding all of it at once gives. */
#include "bench.h"
#include "tap.h"

enum { TURNS = 1500, TEXT = 3000, PER_TURN = 4 };

static const struct {
	const char *model, *setting;
	bool ahead; /* its dialect reuses messages */
} cases[] = {
	{ "some-model", "llm.vision=yes", true },
	{ "openai/gpt-5", "llm.api=responses", true },
	{ "anthropic/claude-sonnet-4-5", "llm.vision=yes", true },
	{ "gemini/gemini-2.5-pro", "llm.vision=yes", true },
	{ "some-model", "llm.native_tool_calling=no", false },
};

static struct llm_part texts[2], image;
static struct llm_call calls[TURNS];
static char ids[TURNS][16];

static void add(struct llm_request *q, int role, const struct llm_part *part,
		struct llm_call *call)
{
	llm_request_add(q, &(struct llm_message){ .role = role, .parts = part,
						  .part_count = 1, .calls = call,
						  .call_count = call != NULL,
						  .stamp = llm_message_stamp() });
}

/* `unstamped`: the message that cannot be reused; -1: none. */
static struct llm_request *request(int unstamped)
{
	struct llm_request *q = llm_request_new();

	add(q, MT_ROLE_SYSTEM, &texts[0], NULL);
	for (int i = 0; i < TURNS; i++) {
		add(q, MT_ROLE_USER, i % 100 ? &texts[0] : &image, NULL);
		add(q, MT_ROLE_ASSISTANT, &texts[0], &calls[i]);
		add(q, MT_ROLE_TOOL, &texts[1], &calls[i]);
		add(q, MT_ROLE_ASSISTANT, &texts[0], NULL);
	}
	add(q, MT_ROLE_USER, &texts[0], NULL);
	llm_request_tool(q, &(struct llm_tool){ "bash", "Runs \"commands\".", "{}", NULL,
						NULL });
	if (unstamped >= 0)
		q->messages[unstamped].stamp = 0;
	return q;
}

static void encode(struct bench *b, const struct llm_request *q, struct strbuf *out)
{
	struct llm_exchange *x = NULL;

	if (llm_send(b->llm, q, 0, &bench_events, NULL, out, &x, &b->err) == MT_OK)
		llm_cancel(x);
}

static bool same(const struct strbuf *a, const struct strbuf *b)
{
	return a->len && a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

static void one(size_t n, int unstamped)
{
	const char *settings[] = { cases[n].setting, "llm.api_key_env=KEY",
				   "llm.base_url=http://127.0.0.1:1", NULL };
	AUTO(strbuf) struct strbuf whole = STRBUF(64 << 20), ahead = STRBUF(64 << 20);
	AUTO(llm_request) struct llm_request *q = request(unstamped);
	size_t limit = unstamped < 0 ? q->message_count : (size_t)unstamped, place = 0;
	int slices = 0;
	struct bench b, fresh;
	uv_loop_t loop;

	uv_loop_init(&loop);
	if (bench_open(&fresh, &loop, cases[n].model, settings))
		encode(&fresh, q, &whole);
	bench_close(&fresh);
	if (bench_open(&b, &loop, cases[n].model, settings)) {
		while (llm_encode_ahead(b.llm, q, &place, 0))
			slices++;
		encode(&b, q, &ahead);
	}
	CHECK_MSG(same(&whole, &ahead), "%s, %s: the same %zu bytes", cases[n].model,
		  cases[n].setting, whole.len);
	CHECK_MSG(cases[n].ahead ? slices > 1 : slices == 0, "in %d slices", slices);
	CHECK_MSG(place <= limit, "%zu messages ahead", place);
	bench_close(&b);
	CHECK(uv_loop_close(&loop) == 0);
}

int main(void)
{
	static char text[TEXT];

	setenv("KEY", "not-so-secret", 1);
	memset(text, 'x', sizeof text - 1);
	texts[0] = (struct llm_part){ .text = "So \"be\" it.", .len = 11 };
	texts[1] = (struct llm_part){ .text = text, .len = sizeof text - 1 };
	image = (struct llm_part){ .mime = "image/png", .text = "\x89PNG", .len = 4 };
	for (int i = 0; i < TURNS; i++) {
		snprintf(ids[i], sizeof ids[i], "call_%d", i);
		calls[i] = (struct llm_call){ .id = ids[i], .name = "bash", .args = "{}",
					      .args_len = 2 };
	}
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		one(i, -1);
	one(0, TURNS * PER_TURN - 3);
	return tap_done();
}
