/* SPDX-License-Identifier: MIT
 *
 * encode-request.c - converts a request with tools into an equivalent one without. */
#include "fncall/request-copy.h"
#include "space.h"
#define MORTISE_PROVISIONAL
#include <mortise/advance.h>
#include <string.h>

/* ---- several calls in one reply ------------------------------------------- */

static const char *encode_request_call_id(const struct llm_message *m)
{
	return m->call_count && m->calls[0].id ? m->calls[0].id : "";
}

/* Find the result of a call in the run of results that starts at `from`. */
static bool has_call_result(const struct llm_request *in, size_t from, const char *id)
{
	for (size_t i = from;
	     i < in->message_count && in->messages[i].role == MT_ROLE_TOOL; i++)
		if (strcmp(encode_request_call_id(&in->messages[i]), id) == 0)
			return true;
	return false;
}

/* Add the message with only its n-th call; the first one keeps the text. */
static void add_one(struct request_copy *w, const struct llm_message *m, size_t n)
{
	struct llm_message one = *m;

	one.calls = &m->calls[n];
	one.call_count = 1;
	if (n) {
		one.parts = NULL;
		one.part_count = 0;
		one.opaque = NULL;
		one.opaque_len = 0;
	}
	request_copy_add(w, &one);
}

/* Write a message with several calls and the results that follow as pairs, in the order
 * of the results. @return the number of messages read. */
static size_t split_one(struct request_copy *w, const struct llm_request *in, size_t at)
{
	const struct llm_message *m = &in->messages[at];
	size_t next = at + 1;

	for (; next < in->message_count && in->messages[next].role == MT_ROLE_TOOL;
	     next++) {
		const struct llm_message *result = &in->messages[next];

		for (size_t n = 0; n < m->call_count; n++)
			if (m->calls[n].id &&
			    strcmp(m->calls[n].id, encode_request_call_id(result)) == 0)
				add_one(w, m, n);
		request_copy_add(w, result);
	}
	return next - at;
}

int fncall_split_calls(const struct llm_request *in, bool drop, struct llm_request **ret,
		       struct error *err)
{
	struct request_copy w;

	request_copy_begin(&w, in, true);
	for (size_t i = 0; i < in->message_count && !w.status;) {
		const struct llm_message *m = &in->messages[i];

		if (m->role != MT_ROLE_ASSISTANT || m->call_count < 2) {
			request_copy_add(&w, m);
			i++;
			continue;
		}
		for (size_t n = 0; n < m->call_count && !drop; n++) {
			const char *id = m->calls[n].id ? m->calls[n].id : "";

			if (has_call_result(in, i + 1, id))
				continue;
			llm_request_free(w.out);
			return fail(err, MT_EINVAL, "the call %.60s has no result", id);
		}
		i += split_one(&w, in, i);
	}
	return request_copy_end(&w, ret, err);
}

/* ---- one message of each role --------------------------------------------- */

static void encode_request_put_text_part(struct request_copy *w, struct llm_part *place,
					 struct strbuf *text)
{
	place->mime = NULL;
	place->text = request_copy_own_text(w, text, &place->len);
}

static void put_suffix(struct strbuf *out, const struct llm_request *in)
{
	strbuf_add(out, fncall_suffix_head);
	fncall_describe_tools(in->tools, in->tool_count, out);
	strbuf_add(out, fncall_suffix_tail);
}

static void convert_system(struct request_copy *w, const struct llm_request *in,
			   const struct llm_message *m)
{
	AUTO(strbuf) struct strbuf text = STRBUF(FNCALL_MAX_TEXT);
	const struct llm_part *last = message_last_text(m);
	struct llm_part *parts = request_copy_parts(w, m, 0, 1);
	struct llm_message copy = *m;

	if (!parts)
		return;
	if (last)
		strbuf_addn(&text, last->text, last->len);
	put_suffix(&text, in);
	copy.parts = parts;
	copy.part_count += last == NULL;
	encode_request_put_text_part(w, &parts[copy.part_count - 1], &text);
	request_copy_add(w, &copy);
}

/* Describe the tools even without system text. */
static void add_system(struct request_copy *w, const struct llm_request *in)
{
	const struct llm_message none = { .role = MT_ROLE_SYSTEM };

	convert_system(w, in, &none);
}

static void convert_first_user(struct request_copy *w, const struct llm_message *m,
			       const struct strbuf *example)
{
	AUTO(strbuf) struct strbuf head = STRBUF(FNCALL_MAX_TEXT);
	AUTO(strbuf) struct strbuf tail = STRBUF(FNCALL_MAX_TEXT);
	const struct llm_part *first = message_first_text(m);
	struct llm_part *parts = request_copy_parts(w, m, first ? 0 : 1, 2);
	struct llm_message copy = *m;

	if (!parts)
		return;
	strbuf_addn(&head, example->text, example->len);
	copy.parts = parts;
	if (first) {
		strbuf_addn(&head, first->text, first->len);
		strbuf_add(&head, fncall_example_tail);
	} else {
		copy.part_count += 2;
		strbuf_add(&tail, fncall_example_tail);
		encode_request_put_text_part(w, &parts[copy.part_count - 1], &tail);
	}
	encode_request_put_text_part(w, &parts[0], &head);
	request_copy_add(w, &copy);
}

static void convert_assistant(struct request_copy *w, const struct llm_message *m,
			      struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(FNCALL_MAX_TEXT);
	const struct llm_part *last = message_last_text(m);
	struct llm_part *parts = request_copy_parts(w, m, 0, 1);
	struct llm_message copy = *m;
	const char *start;
	size_t left;

	if (!parts)
		return;
	if (last)
		strbuf_addn(&text, last->text, last->len);
	if (text.len)
		strbuf_add(&text, "\n\n");
	if (fncall_format_call(&m->calls[0], &text, err)) {
		w->status = err && err->code ? err->code : MT_EINVAL;
		return;
	}
	start = text.text;
	left = text.len;
	space_trim_start(&start, &left);
	strbuf_consume(&text, text.len - left);
	copy.parts = parts;
	copy.part_count += last == NULL;
	copy.calls = NULL;
	copy.call_count = 0;
	/* opaque data for the provider may refer to a call that is now text */
	if (m->opaque && memmem(m->opaque, m->opaque_len, encode_request_call_id(m),
				strlen(encode_request_call_id(m)))) {
		copy.opaque = NULL;
		copy.opaque_len = 0;
	}
	encode_request_put_text_part(w, &parts[copy.part_count - 1], &text);
	request_copy_add(w, &copy);
}

static void convert_result(struct request_copy *w, const struct llm_message *m)
{
	AUTO(strbuf) struct strbuf text = STRBUF(FNCALL_MAX_TEXT);
	const struct llm_part *first = message_first_text(m);
	struct llm_part *parts = request_copy_parts(w, m, first ? 0 : 1, 1);
	const char *name = m->call_count ? m->calls[0].name : NULL;
	struct llm_message copy = *m;

	if (!parts)
		return;
	strbuf_addf(&text, FNCALL_RESULT "%s]:\n", name && *name ? name : "function");
	if (first)
		strbuf_addn(&text, first->text, first->len);
	copy.role = MT_ROLE_USER;
	copy.parts = parts;
	copy.part_count += first == NULL;
	copy.calls = NULL;
	copy.call_count = 0;
	encode_request_put_text_part(w, &parts[0], &text);
	request_copy_add(w, &copy);
}

/* ---- all of them ---------------------------------------------------------- */

static bool has_role(const struct llm_request *in, int role)
{
	for (size_t i = 0; i < in->message_count; i++)
		if (in->messages[i].role == role)
			return true;
	return false;
}

static int encode_request_wrong(struct request_copy *w, struct error *err,
				const struct llm_message *m)
{
	llm_request_free(w->out);
	if (m->call_count > 1)
		return fail(err, MT_EINVAL,
			    "a message has %zu calls, but the text format supports one",
			    m->call_count);
	return fail(err, MT_EINVAL, "a message has an unknown role");
}

int fncall_encode_request(const struct llm_request *in, bool example,
			  struct llm_request **ret, struct error *err)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 16);
	bool system = in->tool_count > 0, user = example && in->tool_count > 0;
	struct error why = ERROR_NONE;
	struct request_copy w;

	if (user)
		fncall_example(in->tools, in->tool_count, &shown);
	request_copy_begin(&w, in, false);
	if (system && !has_role(in, MT_ROLE_SYSTEM))
		add_system(&w, in);
	for (size_t i = 0; i < in->message_count && !w.status; i++) {
		const struct llm_message *m = &in->messages[i];

		if (m->role < MT_ROLE_SYSTEM || m->role > MT_ROLE_TOOL ||
		    (m->role == MT_ROLE_ASSISTANT && m->call_count > 1))
			return encode_request_wrong(&w, err, m);
		if (m->role == MT_ROLE_SYSTEM && system) {
			convert_system(&w, in, m);
			system = false;
		} else if (m->role == MT_ROLE_USER && user && shown.len) {
			convert_first_user(&w, m, &shown);
			user = false;
		} else if (m->role == MT_ROLE_ASSISTANT && m->call_count) {
			convert_assistant(&w, m, &why);
		} else if (m->role == MT_ROLE_TOOL) {
			convert_result(&w, m);
		} else {
			request_copy_add(&w, m);
		}
	}
	if (w.status && why.code) {
		llm_request_free(w.out);
		return fail(err, why.code, "%s", why.text);
	}
	return request_copy_end(&w, ret, err);
}
