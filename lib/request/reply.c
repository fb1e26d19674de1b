/* SPDX-License-Identifier: MIT
 *
 * reply.c - a model's reply and its record in the log. */
#include "request/request.h"
#include <string.h>

struct llm_reply *llm_reply_free(struct llm_reply *r)
{
	if (!r)
		return NULL;
	for (size_t i = 0; r->calls && i < r->call_count; i++) {
		free((void *)r->calls[i].id);
		free((void *)r->calls[i].name);
		free((void *)r->calls[i].args);
		if (r->refusals)
			free(r->refusals[i]);
	}
	free(r->calls);
	free(r->masked);
	free(r->refusals);
	free(r->response_id);
	free(r->model);
	free(r->text);
	free(r->reasoning);
	free(r->opaque);
	free(r->correction);
	free(r->stop_reason);
	free(r);
	return NULL;
}

static json_object *call_json(const struct llm_reply *r, size_t n)
{
	const struct llm_call *call = &r->calls[n];
	const char *refusal = r->refusals ? r->refusals[n] : NULL;
	AUTO(json) json_object *o = json_object_new_object();

	if (!o || js_set_str(o, "id", call->id) || js_set_str(o, "name", call->name) ||
	    js_set_strn(o, "arguments", call->args, call->args_len) ||
	    (refusal && js_set_str(o, "refusal", refusal)))
		return NULL;
	return STEAL(o);
}

static int reply_put_calls(json_object *o, const struct llm_reply *r)
{
	AUTO(json) json_object *calls = json_object_new_array();

	if (!calls)
		return MT_ENOMEM;
	for (size_t i = 0; i < r->call_count; i++) {
		json_object *call = call_json(r, i);

		if (!call)
			return MT_ENOMEM;
		if (js_add(calls, call)) {
			json_object_put(call);
			return MT_ENOMEM;
		}
	}
	return js_set(o, "calls", STEAL(calls));
}

static int reply_put_correction(json_object *o, const struct llm_reply *r)
{
	if (!r->correction)
		return MT_OK;
	return js_set_str(o, "correction", r->correction) ||
			       js_set_bool(o, "is_guess", r->is_guess)
		       ? MT_ENOMEM
		       : MT_OK;
}

static int set_known(json_object *o, const char *name, int64_t value)
{
	return value < 0 ? MT_OK : js_set_int(o, name, value);
}

static int reply_put_usage(json_object *o, const struct llm_usage *u)
{
	AUTO(json) json_object *usage = json_object_new_object();

	if (!usage || set_known(usage, "input", u->input) ||
	    set_known(usage, "output", u->output) ||
	    set_known(usage, "cache_read", u->cache_read) ||
	    set_known(usage, "cache_write", u->cache_write) ||
	    set_known(usage, "reasoning", u->reasoning))
		return MT_ENOMEM;
	if (u->cost >= 0 && js_set_number(usage, "cost", u->cost))
		return MT_ENOMEM;
	return js_set(o, "usage", STEAL(usage));
}

json_object *llm_reply_json(const struct llm_reply *r)
{
	AUTO(json) json_object *o = json_object_new_object();

	if (!o || js_set_str(o, "record", "llm_reply") ||
	    js_set_str(o, "response_id", r->response_id) ||
	    js_set_str(o, "model", r->model) ||
	    js_set_strn(o, "text", r->text, r->text_len) ||
	    (r->reasoning[0] && js_set_str(o, "reasoning", r->reasoning)) ||
	    reply_put_calls(o, r) || reply_put_correction(o, r) ||
	    (r->opaque && js_set_str(o, "opaque", r->opaque)) ||
	    js_set_str(o, "stop_reason", r->stop_reason) ||
	    reply_put_usage(o, &r->usage) || js_set_int(o, "latency_ms", r->latency_ms))
		return NULL;
	return STEAL(o);
}

/* Copy a member as a string, with its length; "" if it is absent. */
static char *dup_member(json_object *o, const char *name, size_t *ret_len)
{
	json_object *v = js_get(o, name);
	bool is_text = json_object_is_type(v, json_type_string);
	size_t len = is_text ? (size_t)json_object_get_string_len(v) : 0;
	char *copy = malloc(len + 1);

	if (!copy)
		return NULL;
	if (len)
		memcpy(copy, json_object_get_string(v), len);
	copy[len] = '\0';
	if (ret_len)
		*ret_len = len;
	return copy;
}

static int read_calls(json_object *record, struct llm_reply *r)
{
	json_object *calls = js_get(record, "calls");
	size_t count = js_length(calls);

	if (!count)
		return MT_OK;
	r->calls = calloc(count, sizeof *r->calls);
	r->masked = calloc(count, sizeof *r->masked);
	r->refusals = calloc(count, sizeof *r->refusals);
	if (!r->calls || !r->masked || !r->refusals)
		return MT_ENOMEM;
	r->call_count = count;
	for (size_t i = 0; i < count; i++) {
		json_object *call = json_object_array_get_idx(calls, i);
		struct llm_call *c = &r->calls[i];

		c->id = dup_member(call, "id", NULL);
		c->name = dup_member(call, "name", NULL);
		c->args = dup_member(call, "arguments", &c->args_len);
		r->masked[i] = js_bool(call, "secrets_masked", false);
		if (js_get(call, "refusal") &&
		    !(r->refusals[i] = dup_member(call, "refusal", NULL)))
			return MT_ENOMEM;
		if (!c->id || !c->name || !c->args)
			return MT_ENOMEM;
	}
	return MT_OK;
}

static void read_usage(json_object *record, struct llm_usage *u)
{
	json_object *usage = js_get(record, "usage");

	u->input = js_int(usage, "input", -1);
	u->output = js_int(usage, "output", -1);
	u->cache_read = js_int(usage, "cache_read", -1);
	u->cache_write = js_int(usage, "cache_write", -1);
	u->reasoning = js_int(usage, "reasoning", -1);
	u->cost = js_number(usage, "cost", -1);
}

struct llm_reply *llm_reply_from_json(json_object *record, struct error *err)
{
	AUTO(llm_reply) struct llm_reply *r = NULL;

	if (strcmp(js_str(record, "record", ""), "llm_reply") != 0) {
		fail(err, MT_EINVAL, "not a record of a model response");
		return NULL;
	}
	r = calloc(1, sizeof *r);
	if (!r || !(r->response_id = dup_member(record, "response_id", NULL)) ||
	    !(r->model = dup_member(record, "model", NULL)) ||
	    !(r->text = dup_member(record, "text", &r->text_len)) ||
	    !(r->reasoning = dup_member(record, "reasoning", NULL)) ||
	    !(r->stop_reason = dup_member(record, "stop_reason", NULL)) ||
	    (js_get(record, "opaque") &&
	     !(r->opaque = dup_member(record, "opaque", NULL))) ||
	    (js_get(record, "correction") &&
	     !(r->correction = dup_member(record, "correction", NULL))) ||
	    read_calls(record, r)) {
		out_of_memory(err);
		return NULL;
	}
	read_usage(record, &r->usage);
	r->is_guess = js_bool(record, "is_guess", false);
	r->latency_ms = js_int(record, "latency_ms", 0);
	return STEAL(r);
}
