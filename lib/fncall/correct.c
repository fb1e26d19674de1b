/* SPDX-License-Identifier: MIT
 *
 * correct.c - answers a call in another format with the same call in the required format.
 * The call is not run, because its meaning is a guess. */
#include "fncall/meant-call.h"
#include "utf8.h"
#include <string.h>

enum {
	READ_MAX = 256 << 10, /* maximum bytes of a text to search */
	VALUE_MAX = 600,    /* maximum bytes of a value to repeat */
	VALUE_SHOWN = 200,
	ANSWER_MAX = 64 << 10,
};

/* A long value is not repeated: the model has written it just before. */
static json_object *correct_shortened(json_object *value)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 16);
	size_t len = json_object_is_type(value, json_type_string)
			     ? (size_t)json_object_get_string_len(value)
			     : 0;
	const char *text = len ? json_object_get_string(value) : "";

	if (len <= VALUE_MAX)
		return json_object_get(value);
	strbuf_addn(&b, text, utf8_cut(text, len, VALUE_SHOWN));
	strbuf_addf(&b, "\n[and so on: the value that you wrote, %zu bytes]", len);
	return json_object_new_string_len(b.text, (int)b.len);
}

static int correct_put_call(const struct meant *m, struct strbuf *out)
{
	AUTO(json) json_object *args = js_new_object();
	struct llm_call call = { .id = "", .name = m->call.name };

	json_object_object_foreach(m->call.args, name, value) {
		if (value)
			js_set_new(args, name, correct_shortened(value));
		else
			js_set(args, name, NULL);
	}
	call.args = js_incomplete(args) ? NULL : js_text(args, &call.args_len);
	if (!call.args)
		return MT_ENOMEM;
	return fncall_format_call(&call, out, NULL);
}

/* Errors of the call other than its format. */
static int put_faults(const struct meant *m, const char *text, size_t len,
		      struct strbuf *out)
{
	struct fncalls again;
	int status = fncall_parse(text, len, m->tools, &again, NULL);

	if (status)
		return status;
	if (again.count && again.calls[0].fault != FNCALL_OK)
		strbuf_addf(out, "\n\nCorrect this too: %s.", again.calls[0].why);
	fncalls_clear(&again);
	return out->error;
}

/* Does another call follow? A guess does not count. */
static bool another_follows(const struct meant *m, struct span text)
{
	struct meant next = { .tools = m->tools };
	bool found = m->end && !m->guess &&
		     other_forms_find(&next, (struct span){ m->end, text.end }) &&
		     !next.guess;

	json_object_put(next.call.args);
	return found;
}

static int correct_put_answer(const struct meant *m, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf form = STRBUF(ANSWER_MAX);
	int status = correct_put_call(m, &form);

	if (status)
		return status;
	strbuf_addf(out,
		    "Nothing was run, because the reply contains %s. To make this call, "
		    "end your reply with it in the required form:\n\n%s",
		    m->form, form.text);
	if (put_faults(m, form.text, form.len, out))
		return out->error ? out->error : MT_ENOMEM;
	return m->guess ? strbuf_add(out, "\n\nIf you meant no call, answer without a "
					  "code block at the end and without naming a "
					  "function.")
			: out->error;
}

/* Thoughts are not calls. */
static struct span without_thoughts(const char *text, size_t len)
{
	static const char end[] = "</think>";
	struct span s = { text, text + len };

	for (const char *p; (p = span_find(s, end));)
		s.at = p + strlen(end);
	return s;
}

int fncall_correct(const char *text, size_t len, const struct fncall_tools *tools,
		   struct strbuf *out, bool *ret_guess)
{
	struct meant m = { .tools = tools };
	struct span s = without_thoughts(text, len);
	int status = MT_OK;

	*ret_guess = false;
	if (span_len(s) <= READ_MAX && other_forms_find(&m, s)) {
		*ret_guess = m.guess;
		status = js_incomplete(m.call.args) ? MT_ENOMEM
						    : correct_put_answer(&m, out);
		if (!status && another_follows(&m, s))
			status = strbuf_add(out,
					    "\n\nThis is the first of the calls in your "
					    "reply: write the others in this form too.");
	}
	json_object_put(m.call.args);
	return status;
}

int fncall_correct_body(const struct fncall *call, const struct fncall_tools *tools,
			struct strbuf *out)
{
	struct meant m = { .tools = tools, .form = "parameters in another form" };
	struct span name = { call->name, call->name + strlen(call->name) };
	struct span body = { call->noise.text, call->noise.text + call->noise.len };
	int status = MT_OK;

	meant_reset(&m);
	if (span_len(body) <= READ_MAX && meant_choose_tool(&m, name) &&
	    meant_set_body(&m, body))
		status = js_incomplete(m.call.args) ? MT_ENOMEM
						    : correct_put_answer(&m, out);
	json_object_put(m.call.args);
	return status;
}
