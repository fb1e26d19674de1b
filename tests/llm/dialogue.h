/* SPDX-License-Identifier: MIT
 *
 * dialogue.h - conversations that a dialect has to put into a request, and the
 * request as it would be sent. */
#ifndef TESTS_LLM_DIALOGUE_H
#define TESTS_LLM_DIALOGUE_H

#include "bench.h"

/* A message while it is made; its texts are constants. */
struct line {
	int role;
	const char *text;        /* NULL: none */
	const char *mime;        /* of an image after the text; NULL: none */
	const char *url;         /* of an image after that; NULL: none */
	struct llm_call calls[3];
	size_t call_count;
	const char *opaque;
	bool failed;
};

#define CALL(id_, name_, args_) \
	{ .id = (id_), .name = (name_), .args = (args_), .args_len = sizeof(args_) - 1 }

static inline void dialogue_add(struct llm_request *q, const struct line *l)
{
	struct llm_part *parts = calloc(3, sizeof *parts);
	struct llm_call *calls = calloc(3, sizeof *calls);
	struct llm_message m = { .role = l->role, .parts = parts, .calls = calls,
				 .call_count = l->call_count, .opaque = l->opaque,
				 .failed = l->failed,
				 .opaque_len = l->opaque ? strlen(l->opaque) : 0 };

	llm_request_own(q, parts);
	llm_request_own(q, calls);
	if (l->text)
		parts[m.part_count++] =
			(struct llm_part){ .text = l->text, .len = strlen(l->text) };
	if (l->mime)
		parts[m.part_count++] =
			(struct llm_part){ .mime = l->mime, .text = "\x89PNG", .len = 4 };
	if (l->url)
		parts[m.part_count++] =
			(struct llm_part){ .mime = "image/link", .url = l->url };
	for (size_t i = 0; i < l->call_count; i++)
		calls[i] = l->calls[i];
	llm_request_add(q, &m);
}

static inline struct llm_request *dialogue(const struct line *lines, size_t count,
					   bool tools, bool stream)
{
	struct llm_request *q = llm_request_new();

	for (size_t i = 0; i < count; i++)
		dialogue_add(q, &lines[i]);
	if (tools) {
		llm_request_tool(q, &(struct llm_tool){
			.name = "bash", .description = "Runs a command.",
			.schema = "{\"type\":\"object\",\"properties\":{\"command\":{"
				  "\"type\":\"string\"}},\"required\":[\"command\"]}" });
		llm_request_tool(q, &(struct llm_tool){ .name = "look",
							.description = "",
							.schema = "" });
	}
	q->stream = stream;
	return q;
}

/* The request that would be sent: no server listens, and nothing is awaited. */
static inline char *dialogue_body(struct bench *b, const struct llm_request *q)
{
	struct strbuf record = STRBUF(1 << 26);
	struct error err = ERROR_NONE;
	struct llm_exchange *x = NULL;
	struct result r = { .text = STRBUF(16) };

	if (llm_send(b->llm, q, 0, &bench_events, &r, &record, &x, &err)) {
		strbuf_clear(&record);
		strbuf_addf(&record, "%s", err.text);
		return strbuf_take(&record);
	}
	llm_cancel(x);
	return strbuf_take(&record);
}

#endif
