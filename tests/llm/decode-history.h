/* SPDX-License-Identifier: MIT
 *
 * decode-history.h - converts a conversation in text into one with tool calls: the
 * inverse of fncall_encode_request, for round trips. */
#ifndef TESTS_LLM_DECODE_HISTORY_H
#define TESTS_LLM_DECODE_HISTORY_H

#include "fncall/request-copy.h"

#include "space.h"
#define MORTISE_PROVISIONAL
#include <mortise/advance.h>
#include <string.h>

struct history_decoder {
	struct request_copy w;
	const struct fncall_tools *tools;
	struct strbuf example;
	unsigned calls;          /* numbered so far */
	bool user_seen;
	enum fncall_fault fault;
	struct error why;
};

static void set_part(struct history_decoder *b, struct llm_part *part, const char *text,
		     size_t len)
{
	AUTO(strbuf) struct strbuf copy = STRBUF(FNCALL_MAX_TEXT);

	strbuf_addn(&copy, text, len);
	part->text = request_copy_own_text(&b->w, &copy, &part->len);
}

static void add_changed(struct history_decoder *b, const struct llm_message *m,
			struct llm_part *parts)
{
	struct llm_message copy = *m;

	copy.parts = parts;
	request_copy_add(&b->w, &copy);
}

static void decode_system(struct history_decoder *b, const struct llm_message *m)
{
	const struct llm_part *last = message_last_text(m);
	const char *head = fncall_suffix_head, *cut = NULL;
	struct llm_part *parts;

	if (last)
		cut = memmem(last->text, last->len, head, strlen(head));
	parts = cut ? request_copy_parts(&b->w, m, 0, 0) : NULL;
	if (!parts) {
		request_copy_add(&b->w, m);
		return;
	}
	set_part(b, &parts[m->part_count - 1], last->text, (size_t)(cut - last->text));
	add_changed(b, m, parts);
}

/* The first user message, without the example around it. */
static void decode_first_user(struct history_decoder *b, const struct llm_message *m)
{
	const char *tail = fncall_example_tail;
	const struct llm_part *first = message_first_text(m);
	size_t head = b->example.len, end = strlen(tail), len = first ? first->len : 0;
	struct llm_part *parts;

	if (!head || len < head + end ||
	    memcmp(first->text, b->example.text, head) != 0 ||
	    memcmp(first->text + len - end, tail, end) != 0) {
		request_copy_add(&b->w, m);
		return;
	}
	parts = request_copy_parts(&b->w, m, 0, 0);
	if (!parts)
		return;
	set_part(b, &parts[0], first->text + head, len - head - end);
	add_changed(b, m, parts);
}

/* "EXECUTION RESULT of [name]:\n" anywhere in a text of the user. */
static const char *find_result(const struct llm_part *part, const char **ret_name,
			       size_t *ret_len)
{
	const char *at =
		memmem(part->text, part->len, FNCALL_RESULT, strlen(FNCALL_RESULT));
	const char *end = part->text + part->len, *close;

	if (!at)
		return NULL;
	at += strlen(FNCALL_RESULT);
	close = memmem(at, (size_t)(end - at), "]:\n", 3);
	if (!close)
		return NULL;
	*ret_name = at;
	*ret_len = (size_t)(close - at);
	return close + 3;
}

static void decode_result(struct history_decoder *b, const struct llm_message *m,
			  const char *content, const char *name, size_t name_len)
{
	AUTO(strbuf) struct strbuf id = STRBUF(64), own = STRBUF(FNCALL_MAX_TEXT);
	const struct llm_part *first = &m->parts[0];
	size_t len = (size_t)(first->text + first->len - content), unused;
	struct llm_part *parts = request_copy_parts(&b->w, m, 0, 0);
	struct llm_call *call = request_copy_array(&b->w, 1, sizeof *call);
	struct llm_message copy = *m;

	if (!parts || !call)
		return;
	space_trim(&content, &len);
	strbuf_addf(&id, "toolu_%02u", b->calls);
	strbuf_addn(&own, name, name_len);
	call->id = request_copy_own_text(&b->w, &id, &unused);
	call->name = request_copy_own_text(&b->w, &own, &unused);
	call->args = "";
	set_part(b, &parts[0], content, len);
	copy.role = MT_ROLE_TOOL;
	copy.cache = false;
	copy.parts = parts;
	copy.calls = call;
	copy.call_count = 1;
	request_copy_add(&b->w, &copy);
}

static void decode_user(struct history_decoder *b, const struct llm_message *m)
{
	const struct llm_part *first = message_first_text(m);
	const char *name, *content = NULL;
	size_t len;

	if (!b->user_seen) {
		b->user_seen = true;
		decode_first_user(b, m);
		return;
	}
	if (first)
		content = find_result(first, &name, &len);
	if (content)
		decode_result(b, m, content, name, len);
	else
		request_copy_add(&b->w, m);
}

static void set_call(struct history_decoder *b, struct llm_call *call,
		     const struct fncall *from)
{
	AUTO(strbuf) struct strbuf id = STRBUF(64), name = STRBUF(1024);
	AUTO(strbuf) struct strbuf args = STRBUF(FNCALL_MAX_TEXT);
	size_t unused;

	strbuf_addf(&id, "toolu_%02u", ++b->calls);
	strbuf_add(&name, from->name);
	js_put(&args, from->args);
	call->id = request_copy_own_text(&b->w, &id, &unused);
	call->name = request_copy_own_text(&b->w, &name, &unused);
	call->args = request_copy_own_text(&b->w, &args, &call->args_len);
}

static bool is_faulty(struct history_decoder *b, const struct fncalls *found)
{
	for (size_t i = 0; i < found->count; i++) {
		if (found->calls[i].fault == FNCALL_OK)
			continue;
		b->fault = found->calls[i].fault;
		fail(&b->why, MT_EINVAL, "%s", found->calls[i].why);
		b->w.status = MT_EINVAL;
		return true;
	}
	return false;
}

/* A call must stand at the end of what was said. */
static bool call_before_last(const struct llm_message *m)
{
	for (size_t i = 0; i + 1 < m->part_count; i++)
		if (!m->parts[i].mime && memmem(m->parts[i].text, m->parts[i].len,
						"<function=", strlen("<function=")))
			return true;
	return false;
}

static void decode_assistant(struct history_decoder *b, const struct llm_message *m)
{
	const struct llm_part *last = message_last_text(m);
	struct fncalls found = { 0 };
	struct llm_part *parts;
	struct llm_call *calls;
	struct llm_message copy = *m;

	if (call_before_last(m)) {
		b->w.status = fail(&b->why, MT_EINVAL,
				   "a tool call is in a part that is not the last one");
		return;
	}
	if (last)
		b->w.status = fncall_parse(last->text, last->len, b->tools, &found, NULL);
	if (b->w.status)
		return;
	if (!found.count) {
		request_copy_add(&b->w, m);
		return;
	}
	parts = request_copy_parts(&b->w, m, 0, 0);
	calls = request_copy_array(&b->w, found.count, sizeof *calls);
	if (parts && calls && !is_faulty(b, &found)) {
		for (size_t i = 0; i < found.count; i++)
			set_call(b, &calls[i], &found.calls[i]);
		set_part(b, &parts[m->part_count - 1], last->text + found.text_start,
			 found.text_len);
		copy.parts = parts;
		copy.calls = calls;
		copy.call_count = found.count;
		request_copy_add(&b->w, &copy);
	}
	fncalls_clear(&found);
}

/* All messages of a conversation, with calls numbered toolu_01, toolu_02, ... A faulty
 * call is MT_EINVAL with its sentence, and *ret_fault says which. */
static int decode_history(const struct llm_request *in, const struct fncall_tools *tools,
			  const struct llm_tool *described, size_t described_count,
			  struct llm_request **ret, enum fncall_fault *ret_fault,
			  struct error *err)
{
	struct history_decoder b = { .tools = tools, .example = STRBUF(1 << 16) };

	*ret_fault = FNCALL_OK;
	fncall_example(described, described_count, &b.example);
	request_copy_begin(&b.w, in, false);
	for (size_t i = 0; i < in->message_count && !b.w.status; i++) {
		const struct llm_message *m = &in->messages[i];

		if (m->role == MT_ROLE_SYSTEM)
			decode_system(&b, m);
		else if (m->role == MT_ROLE_USER)
			decode_user(&b, m);
		else if (m->role == MT_ROLE_ASSISTANT)
			decode_assistant(&b, m);
		else
			b.w.status =
				fail(&b.why, MT_EINVAL,
				     "a message has a role that text cannot express");
	}
	strbuf_clear(&b.example);
	*ret_fault = b.fault;
	if (b.why.code) {
		llm_request_free(b.w.out);
		return fail(err, b.why.code, "%s", b.why.text);
	}
	return request_copy_end(&b.w, ret, err);
}

#endif
