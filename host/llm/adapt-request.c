/* SPDX-License-Identifier: MIT
 *
 * adapt-request.c - adapts a request to what the model supports: converts tool calls to
 * text if native ones are not supported, omits unsupported parameters, and converts the
 * reply back. */
#include "llm/llm-internal.h"
#include "fncall/fncall.h"
#include "log.h"
#include <string.h>

#define CALL "<function="

static const char thought_end[] = "\n</think>";

/* ---- the request ---------------------------------------------------------- */

int llm_adapt_tools(const struct llm_exchange *x, const struct llm_request *r,
		    struct llm_tool **ret, struct error *err)
{
	struct llm_tool *tools;

	*ret = NULL;
	if (!r->tool_count ||
	    !(llm_feature(x->llm, "short_tools") || llm_is_small(x->llm) ||
	      js_bool(r->params, "short_tools", false)))
		return MT_OK;
	tools = calloc(r->tool_count, sizeof *tools);
	if (!tools)
		return out_of_memory(err);
	for (size_t i = 0; i < r->tool_count; i++) {
		tools[i] = r->tools[i];
		if (tools[i].brief && *tools[i].brief)
			tools[i].description = tools[i].brief;
	}
	*ret = tools;
	return MT_OK;
}

static bool has_calls(const struct llm_request *r)
{
	for (size_t i = 0; i < r->message_count; i++)
		if (r->messages[i].call_count)
			return true;
	return false;
}

int llm_adapt_request(struct llm_exchange *x, const struct llm_request *in,
		      struct llm_request **ret, struct error *err)
{
	AUTO(llm_request) struct llm_request *single = NULL;
	const struct llm *l = x->llm;
	int status;

	*ret = NULL;
	if (llm_feature(l, "tools") || (!in->tool_count && !has_calls(in)))
		return MT_OK;
	status = fncall_split_calls(in, true, &single, err);
	if (!status)
		status = fncall_encode_request(single, l->facts.example, ret, err);
	if (status || !in->tool_count)
		return status;
	x->tools = fncall_tools_new(in->tools, in->tool_count);
	return x->tools ? MT_OK : out_of_memory(err);
}

/* The model must stop at the end of its call. */
static int set_stop(json_object *params)
{
	AUTO(json) json_object *list = json_object_new_array_ext(1);
	json_object *word = json_object_new_string(FNCALL_STOP);

	if (!list || !word || js_add(list, word)) {
		json_object_put(word);
		return MT_ENOMEM;
	}
	return js_set(params, "stop", STEAL(list));
}

int llm_adapt_params(const struct llm_exchange *x, const struct llm_request *r,
		     json_object **ret, struct error *err)
{
	AUTO(json) json_object *sent = json_object_new_object();
	int status = sent ? MT_OK : MT_ENOMEM;

	if (r->params) {
		json_object_object_foreach(r->params, name, value) {
			if (!status && llm_supports_param(x->llm, r, name))
				status = js_set(sent, name, json_object_get(value));
		}
	}
	if (!status && x->raised_temperature)
		status = js_set_number(sent, "temperature", 1);
	if (!status && x->tools && llm_feature(x->llm, "stop"))
		status = set_stop(sent);
	if (status)
		return fail_code(err, status);
	*ret = STEAL(sent);
	return MT_OK;
}

/* ---- the reply ------------------------------------------------------------ */

/* Length of the text that can be shown: without calls, and without the start of a
 * possible call. */
static size_t words_so_far(const struct llm_exchange *x)
{
	const char *text = x->text.text + x->shown;
	size_t len = x->text.len - x->shown, n = strlen(CALL) - 1;
	const char *call = memmem(text, len, CALL, strlen(CALL));

	if (call)
		return (size_t)(call - x->text.text);
	for (n = n < len ? n : len; n; n--)
		if (memcmp(text + len - n, CALL, n) == 0)
			break;
	return x->text.len - n;
}

static void show_to(struct llm_exchange *x, size_t end)
{
	const char *text = x->text.text + x->shown;
	size_t len = end - x->shown;

	x->shown = end;
	if (len && x->events.delta && !x->ended)
		x->events.delta(x->arg, false, text, len);
}

void llm_stream_text(struct llm_exchange *x)
{
	show_to(x, words_so_far(x));
}

/* Reject unknown arguments: a tool might ignore them, because its schema does not forbid
 * them. */
static int refuse_unknown(struct llm_exchange *x, size_t n, const struct fncall *call)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1024);

	if (!call->unexpected)
		return MT_OK;
	strbuf_addf(&b, "The call was not run: %s.", call->why);
	x->calls[n].refusal = strbuf_take(&b);
	return x->calls[n].refusal ? MT_OK : MT_ENOMEM;
}

static int adopt_call(struct llm_exchange *x, size_t n, const struct fncall *call)
{
	size_t len;
	const char *args = js_text(call->args, &len);

	if (call->fault != FNCALL_OK)
		log_line(MT_LOG_INFO, "llm", "%s: malformed tool call in the reply: %s",
			 x->llm->name, call->why);
	if (!args || llm_dialect_host.tool_call((struct mt_exchange *)x, n, NULL,
						call->name, args, len))
		return MT_ENOMEM;
	return refuse_unknown(x, n, call);
}

/* Keep the text before the calls, and the other parts of the reply. */
static int keep_words(struct llm_exchange *x, const struct fncalls *found)
{
	AUTO(strbuf) struct strbuf more = STRBUF(LLM_MAX_TEXT);

	for (size_t i = 0; i < found->count; i++)
		if (found->calls[i].noise.len)
			strbuf_addf(&more, "\n\n%s", found->calls[i].noise.text);
	if (found->rest.len)
		strbuf_addf(&more, "\n\n%s", found->rest.text);
	strbuf_cut(&x->text, found->text_start + found->text_len);
	strbuf_consume(&x->text, found->text_start);
	if (found->in_thought)
		strbuf_add(&x->text, thought_end);
	strbuf_add(&x->text, more.text + (x->text.len ? 0 : strspn(more.text, "\n")));
	free(x->stop_reason);
	x->stop_reason = NULL;
	return x->text.error ? x->text.error : more.error;
}

/* Correct a reply that is not a valid call, but looks like one in another form. */
static int correct(struct llm_exchange *x, const struct fncalls *found)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);
	int status = MT_OK;

	if (!found->count)
		status = fncall_correct(x->text.text, x->text.len, x->tools, &b,
					&x->is_guess);
	else if (found->count == 1 && found->calls[0].noise.len &&
		 found->calls[0].fault == FNCALL_MISSING_PARAMETER)
		status = fncall_correct_body(&found->calls[0], x->tools, &b);
	if (status || !b.len)
		return status;
	log_line(MT_LOG_INFO, "llm", "%s: tool call in another form in the reply",
		 x->llm->name);
	x->correction = strbuf_take(&b);
	return x->correction ? MT_OK : MT_ENOMEM;
}

static int adopt_calls(struct llm_exchange *x, const struct fncalls *found)
{
	int status = MT_OK;

	for (size_t i = 0; i < found->count && !status; i++)
		status = adopt_call(x, i, &found->calls[i]);
	return status ? status : keep_words(x, found);
}

int llm_adapt_reply(struct llm_exchange *x)
{
	struct fncalls found;
	int status;

	if (!x->tools || x->call_count)
		return MT_OK;
	status = fncall_parse(x->text.text, x->text.len, x->tools, &found, NULL);
	if (status)
		return status;
	status = correct(x, &found);
	if (!status && found.count && !x->correction)
		status = adopt_calls(x, &found);
	else if (!status && found.in_thought)
		status = strbuf_add(&x->text, thought_end);
	if (!x->call_count)
		show_to(x, x->text.len);
	fncalls_clear(&found);
	return status;
}
