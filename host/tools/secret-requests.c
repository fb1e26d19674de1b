/* SPDX-License-Identifier: MIT
 *
 * secret-requests.c - answers requests for the secret of a [grant.NAME] from tools to
 * which it is granted. */
#include "tools/secret-requests.h"

#include "output.h"

#include <string.h>

static void answer_value(struct runner *l, uint64_t request, const char *value)
{
	AUTO(strbuf) struct strbuf json = STRBUF(1 << 20);

	strbuf_addc(&json, '{');
	js_key_str(&json, "value", value);
	strbuf_addc(&json, '}');
	runner_answer(l, request, json.error, json.error ? "" : json.text,
		      json.error ? 0 : json.len);
	if (json.room)
		explicit_bzero(json.text, json.len);
}

int secret_mask_result(const struct mask *mask, const char *text, size_t len,
		       struct strbuf *ret)
{
	const size_t mark = strlen(OUTPUT_MARKER);
	const char *at = memmem(text, len, OUTPUT_MARKER, mark);
	size_t before = at ? (size_t)(at - text) : len;
	int r = mask_put(mask, ret, text, before);

	if (r || !at)
		return r;
	strbuf_addn(ret, at, mark);
	return mask_put_rest(mask, ret, at + mark, len - before - mark);
}

bool secret_request_answer(struct runner *l, const struct config *c, struct mask *mask,
			   uint64_t request, const char *method, json_object *params)
{
	const char *name = js_str(params, "name", "");
	struct error err = ERROR_NONE;
	char *value;

	if (strcmp(method, "secret/get") != 0)
		return false;
	value = config_grant(c, name, &err);
	if (value && mask)
		secret_hide(mask, name, value, strlen(value), &err);
	if (err.code)
		runner_answer(l, request, err.code, err.text, strlen(err.text));
	else
		answer_value(l, request, value);
	if (value)
		explicit_bzero(value, strlen(value));
	free(value);
	return true;
}
