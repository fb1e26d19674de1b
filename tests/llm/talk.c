/* SPDX-License-Identifier: MIT
 *
 * talk.c - a conversation with a model, for tests: talk MODEL STEPS
 * SECTION.KEY=VALUE... It asks for STEPS tool calls, answers each with a result,
 * and prints what came: one line a reply, then the bill. */
#include "bench.h"
#include <inttypes.h>

static char *own(struct llm_request *q, char *text)
{
	llm_request_own(q, text);
	return text;
}

static struct llm_part *part_of(struct llm_request *q, const char *text)
{
	struct llm_part *p = calloc(1, sizeof *p);

	llm_request_own(q, p);
	p->text = own(q, strdup(text));
	p->len = strlen(text);
	return p;
}

/* The reply as a message, and a result for each of its calls. */
static void continue_dialogue(struct llm_request *q, const struct llm_reply *r, int step)
{
	struct llm_call *calls = calloc(r->call_count, sizeof *calls);
	char result[64];

	llm_request_own(q, calls);
	snprintf(result, sizeof result, "result of step %d", step);
	for (size_t i = 0; i < r->call_count; i++)
		calls[i] = (struct llm_call){ own(q, strdup(r->calls[i].id)),
					      own(q, strdup(r->calls[i].name)),
					      own(q, strdup(r->calls[i].args)),
					      r->calls[i].args_len };
	llm_request_add(q, &(struct llm_message){
			.role = MT_ROLE_ASSISTANT, .parts = part_of(q, r->text),
			.part_count = r->text_len ? 1 : 0, .calls = calls,
			.call_count = r->call_count });
	for (size_t i = 0; i < r->call_count; i++)
		llm_request_add(q, &(struct llm_message){
				.role = MT_ROLE_TOOL, .parts = part_of(q, result),
				.part_count = 1, .calls = &calls[i], .call_count = 1 });
}

static int talk(struct bench *b, int steps)
{
	AUTO(llm_request) struct llm_request *q = ask("work step by step");
	size_t retries = 0;
	struct result r = { 0 };
	int step = 0;

	llm_request_tool(q, &(struct llm_tool){ "bash", "Runs a command.",
						"{\"type\":\"object\",\"properties\":{"
						"\"command\":{\"type\":\"string\"}}}", NULL, NULL });
	q->stream = llm_feature(b->llm, "stream");
	do {
		bench_send(b, q, step, NULL, &r);
		retries += r.retries;
		if (!r.reply) {
			printf("error %d: %s\n", r.error.kind, r.error.text);
			return 1;
		}
		printf("%d: %s", step, r.reply->text);
		for (size_t i = 0; i < r.reply->call_count; i++)
			printf(" [%s %s]", r.reply->calls[i].name,
			       r.reply->calls[i].args);
		puts("");
		if (!r.reply->call_count)
			break;
		continue_dialogue(q, r.reply, step);
	} while (++step < steps);
	printf("calls %" PRId64 ", input %s, retries %s\n", llm_metrics(b->llm)->calls,
	       llm_metrics(b->llm)->input > 0 ? "counted" : "unknown",
	       retries ? "some" : "none");
	result_clear(&r);
	return 0;
}

int main(int argc, char **argv)
{
	struct bench b;
	int status;

	if (argc < 3) {
		fputs("usage: talk MODEL STEPS SECTION.KEY=VALUE...\n", stderr);
		return 2;
	}
	if (!bench_open(&b, uv_default_loop(), argv[1], (const char *const *)argv + 3)) {
		fprintf(stderr, "talk: %s\n", b.err.text);
		return 2;
	}
	status = talk(&b, (int)strtol(argv[2], NULL, 10));
	bench_close(&b);
	return status;
}
