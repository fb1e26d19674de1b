/* SPDX-License-Identifier: MIT
 *
 * approval-scope.c - what an approval of an action allows. */
#include "controller/approval-scope.h"

#include "controller/action-hash.h"
#include "utf8.h"

#include <string.h>

static int no_memory(struct error *err)
{
	return fail(err, MT_ENOMEM, "out of memory");
}

enum { TEXT_SHOWN = 400, TEXT_MAX = 4096 };

/* What tells this action apart, for a person; a long one by its beginning and hash. */
static void put_exact(const struct event *action, const char *hash, struct strbuf *out)
{
	static const char *const names[] = { "command", "code", "url", "browser_actions",
					     "path", "name" };
	const char *what = "";
	bool run = strcmp(action->type->name, "run") == 0;
	size_t len;

	for (size_t i = 0; i < ARRAY_LEN(names) && !*what; i++)
		what = event_arg(action, run ? "command" : names[i]);
	len = strlen(what);
	strbuf_add(out, run && !js_bool(event_args(action), "is_input", false)
				? "exactly `" : "exactly this ");
	if (!run || js_bool(event_args(action), "is_input", false))
		strbuf_addf(out, "%s `", run ? "input" : action->type->name);
	strbuf_addn(out, what, utf8_cut(what, len, TEXT_SHOWN));
	strbuf_add(out, len > TEXT_SHOWN ? " ...`" : "`");
	if (len > TEXT_SHOWN)
		strbuf_addf(out, " (%zu bytes, SHA-256 %.16s)", len, hash);
}

/* This very action. */
static int add_exact(const struct event *action, json_object *list, struct error *err)
{
	AUTO(json) json_object *scope = json_object_new_object();
	json_object *items = json_object_new_array(), *item = json_object_new_object();
	AUTO(strbuf) struct strbuf text = STRBUF(TEXT_MAX);
	char hash[SHA256_HEX];

	if (js_set(scope, "items", items) || json_object_array_add(items, item))
		return no_memory(err);
	if (action_hash(action, false, hash, err))
		return err->code;
	put_exact(action, hash, &text);
	if (js_set_str(item, "action", hash) || js_set_str(scope, "text", text.text))
		return no_memory(err);
	return json_object_array_add(list, STEAL(scope)) ? no_memory(err) : MT_OK;
}

int scopes_offer(const struct event *action, const struct scope_place *place,
		 json_object **ret, size_t *ret_default, struct error *err)
{
	AUTO(json) json_object *list = json_object_new_array();

	(void)place;
	if (!list || add_exact(action, list, err))
		return list ? err->code : no_memory(err);
	*ret_default = 0;
	*ret = STEAL(list);
	return MT_OK;
}

bool scopes_cover(json_object *scopes, const struct event *action,
		  const struct scope_place *place)
{
	size_t count = scopes ? json_object_array_length(scopes) : 0;
	char hash[SHA256_HEX];

	(void)place;
	if (count == 0 || action_hash(action, false, hash, NULL))
		return false;
	for (size_t i = 0; i < count; i++) {
		json_object *items = js_get(json_object_array_get_idx(scopes, i), "items");

		for (size_t n = 0; items && n < json_object_array_length(items); n++)
			if (strcmp(js_str(json_object_array_get_idx(items, n), "action", ""),
				   hash) == 0)
				return true;
	}
	return false;
}
