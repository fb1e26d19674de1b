/* SPDX-License-Identifier: MIT
 *
 * secret-requests.c - sends the secret of a [grant.NAME] to tools that request it and to
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

/* Find the next marker of omitted text: the marker or one of line_cut, "[N of M lines
 * omitted...]". @return false: none. */
static bool find_cut(const char *text, size_t len, size_t *ret_start, size_t *ret_end)
{
	static const char *const words[] = { " characters omitted] ", " lines omitted" };
	const char *at = memmem(text, len, OUTPUT_MARKER, strlen(OUTPUT_MARKER));
	bool found = at != NULL;

	*ret_start = found ? (size_t)(at - text) : len;
	*ret_end = found ? *ret_start + strlen(OUTPUT_MARKER) : len;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		const char *word = memmem(text, *ret_start, words[i], strlen(words[i]));
		const char *open =
			word ? memrchr(text, '[', (size_t)(word - text)) : NULL;
		const char *close =
			open ? memchr(word, ']', len - (size_t)(word - text)) : NULL;

		if (!close)
			continue;
		found = true;
		*ret_start = (size_t)(open - text) - (open > text && open[-1] == ' ');
		*ret_end = (size_t)(close + 1 - text);
		*ret_end += *ret_end < len && (close[1] == ' ' || close[1] == '\n');
	}
	return found;
}

/* A secret may have been split on either side of the omitted text. */
int secret_mask_result(const struct mask *mask, const char *text, size_t len,
		       struct strbuf *ret)
{
	bool is_rest = false;
	size_t start, end;

	for (;;) {
		bool found = find_cut(text, len, &start, &end);
		int r = is_rest ? mask_put_rest(mask, ret, text, start)
				: mask_put(mask, ret, text, start);

		if (r || !found)
			return r;
		strbuf_addn(ret, text + start, end - start);
		text += end;
		len -= end;
		is_rest = true;
	}
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
		runner_refuse(l, request, err.code, err.text);
	else
		answer_value(l, request, value);
	if (value)
		explicit_bzero(value, strlen(value));
	free(value);
	return true;
}
