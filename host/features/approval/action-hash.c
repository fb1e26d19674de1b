/* SPDX-License-Identifier: MIT
 *
 * action-hash.c - computes the canonical form of an action and its hash. */
#include "features/approval/action-hash.h"
#include <stdlib.h>
#include <string.h>

enum { FORM_MAX = 256 << 20 };

/* Arguments that describe the action without affecting it. */
static const char *const about[] = { "thought", "security_risk", "confirmation_state",
				     NULL };
/* Arguments that change only how long and where to wait for a call. */
static const char *const waiting[] = { "blocking", "keep_prompt", "hidden", NULL };

static bool action_hash_one_of(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

static int action_hash_by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int action_hash_put_value(struct strbuf *out, json_object *value);

/* Members in the order of their names. */
static int action_hash_put_object(struct strbuf *out, json_object *o,
				  const char *const *skip, const char *const *skip_too)
{
	size_t count = 0, room = (size_t)json_object_object_length(o);
	AUTO(free) const char **names = calloc(room + 1, sizeof *names);

	if (!names)
		return MT_ENOMEM;
	json_object_object_foreach(o, name, value) {
		(void)value;
		if (!(skip && action_hash_one_of(skip, name)) &&
		    !(skip_too && action_hash_one_of(skip_too, name)))
			names[count++] = name;
	}
	qsort(names, count, sizeof *names, action_hash_by_name);
	strbuf_addc(out, '{');
	for (size_t i = 0; i < count; i++) {
		js_key(out, names[i]);
		if (action_hash_put_value(out, js_get(o, names[i])))
			return MT_ENOMEM;
	}
	return strbuf_addc(out, '}');
}

static int action_hash_put_value(struct strbuf *out, json_object *value)
{
	if (json_object_is_type(value, json_type_object))
		return action_hash_put_object(out, value, NULL, NULL);
	if (!json_object_is_type(value, json_type_array))
		return js_put(out, value);
	strbuf_addc(out, '[');
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		if (i)
			strbuf_addc(out, ',');
		if (action_hash_put_value(out, json_object_array_get_idx(value, i)))
			return MT_ENOMEM;
	}
	return strbuf_addc(out, ']');
}

static int action_hash_put_canonical(const struct event *action, bool whole,
				     struct strbuf *out)
{
	const char *tool = js_str(event_tool_meta(action), "function_name", "");
	json_object *timeout = js_get(action->json, "timeout");
	int r;

	strbuf_addc(out, '{');
	js_key_str(out, "action", action->type->name);
	js_key(out, "args");
	r = action_hash_put_object(out, event_args(action), about,
				   whole ? NULL : waiting);
	if (r)
		return r;
	if (whole && timeout) {
		js_key(out, "timeout");
		js_put(out, timeout);
	}
	js_key_str(out, "tool", tool);
	return strbuf_addc(out, '}');
}

int action_hash(const struct event *action, bool whole, char ret[SHA256_HEX],
		struct error *err)
{
	AUTO(strbuf) struct strbuf form = STRBUF(FORM_MAX);
	int r = action_hash_put_canonical(action, whole, &form);

	ret[0] = '\0';
	if (r)
		return fail(err, r, "cannot hash the action: %s", status_name(r));
	if (digest_sha256_hex(form.text, form.len, ret))
		return fail(err, MT_EUNSUPPORTED,
			    "cannot compute SHA-256: libcrypto is not "
			    "available");
	return MT_OK;
}
