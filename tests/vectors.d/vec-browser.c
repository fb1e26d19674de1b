/* SPDX-License-Identifier: MIT
 *
 * vec-browser.c - recorded cases of the browser: calls of actions, the text of an
 * accessibility tree, replies of a browsing agent. */
#include "plugins/agents/browse.h"
#include "tests/tools/put-call.h"
#include "tests/tools/axtree.h"
#include "vec.h"

/* ---- calls --------------------------------------------------------------------- */

/* The error's type has to be the recorded one; its sentence is our own. */
static void check_error(struct vec *v, json_object *c, int status,
			const struct error *err)
{
	const char *type = js_str(js_get(c, "error"), "type", NULL);

	if (type && strcmp(type, "ParseException") == 0)
		type = "SyntaxError";
	if (!type != !status || (type && strncmp(type, err->text, strlen(type)) != 0))
		vec_fault(v, "error", type, status ? err->text : "none");
}

static bool on_parse(struct vec *v, json_object *c)
{
	const char *text = js_str(js_get(c, "in"), "text", "");
	AUTO(json) json_object *got = json_object_new_array();
	struct error err = ERROR_NONE;
	struct py_calls calls;
	int status = browser_calls_parse(text, strlen(text), true, &calls, &err);

	check_error(v, c, status, &err);
	for (size_t i = 0; i < calls.count; i++) {
		json_object *one = json_object_new_array();

		json_object_array_add(one, json_object_new_string(calls.all[i].name));
		json_object_array_add(one, json_object_get(calls.all[i].args));
		json_object_array_add(got, one);
	}
	if (!status && !js_equal(js_get(c, "output"), got))
		vec_fault(v, "calls", js_text(js_get(c, "output"), NULL),
			  js_text(got, NULL));
	browser_calls_clear(&calls);
	return true;
}

static unsigned group_of(const char *name)
{
	static const struct {
		const char *name;
		unsigned group;
	} all[] = {
		{ "bid", ACTIONS_BID }, { "nav", ACTIONS_NAV }, { "tab", ACTIONS_TAB },
		{ "chat", ACTIONS_CHAT }, { "infeas", ACTIONS_INFEASIBLE },
		{ "coord", ACTIONS_COORD },
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (strcmp(all[i].name, name) == 0)
			return all[i].group;
	return 0;
}

static bool on_set(struct vec *v, json_object *c)
{
	json_object *subsets = js_path(c, "in.subsets"), *out = js_get(c, "output");
	unsigned groups = 0;
	size_t ours = 0;

	for (size_t i = 0; i < json_object_array_length(subsets); i++)
		groups |= group_of(
			json_object_get_string(json_object_array_get_idx(subsets, i)));
	for (size_t i = 0; i < ACTION_COUNT; i++) {
		bool in = false;

		for (size_t k = 0; k < json_object_array_length(out); k++)
			in = in || strcmp(json_object_get_string(
						  json_object_array_get_idx(out, k)),
					  action_kinds[i].name) == 0;
		ours += (action_kinds[i].groups & groups) != 0;
		if (in != ((action_kinds[i].groups & groups) != 0))
			vec_fault(v, action_kinds[i].name, in ? "in" : "out",
				  in ? "out" : "in");
	}
	if (ours != json_object_array_length(out))
		vec_fault(v, "count", js_text(out, NULL), "another number");
	return true;
}

/* "strict=False multiaction=True bid,nav" */
static bool on_code(struct vec *v, json_object *c)
{
	const char *text = js_str(js_get(c, "in"), "text", "");
	const char *set = js_str(js_get(c, "in"), "set", "");
	const char *names = strrchr(set, ' ');
	AUTO(json) json_object *got = json_object_new_array();
	struct error err = ERROR_NONE;
	struct py_calls calls;
	unsigned groups = 0;
	char name[32];
	int n;

	for (const char *p = names; p && sscanf(p + 1, "%31[a-z]%n", name, &n) == 1;
	     p = p[1 + n] == ',' ? p + 1 + n : NULL)
		groups |= group_of(name);
	int status = browser_calls_parse(text, strlen(text), strstr(set, "strict=True"),
					 &calls, &err);

	if (!status)
		status = actions_bind(&calls, groups, strstr(set, "multiaction=True"),
				      &err);
	check_error(v, c, status, &err);
	for (size_t i = 0; i < calls.count; i++) {
		AUTO(strbuf) struct strbuf line = STRBUF(1 << 16);

		put_call(&line, &calls.all[i]);
		json_object_array_add(got, json_object_new_string(line.text));
	}
	if (!status && !js_equal(js_get(c, "output"), got))
		vec_fault(v, "calls", js_text(js_get(c, "output"), NULL),
			  js_text(got, NULL));
	browser_calls_clear(&calls);
	return true;
}

/* ---- trees ---------------------------------------------------------------------- */

struct known {
	json_object *all;
	struct ax_mark mark;
};

static const struct ax_mark *find(void *arg, const char *bid)
{
	struct known *k = arg;
	json_object *o = js_get(k->all, bid), *box = js_get(o, "bbox");

	if (!o)
		return NULL;
	k->mark = (struct ax_mark){ .visibility = js_number(o, "visibility", 0),
				    .has_box = box != NULL,
				    .clickable = js_bool(o, "clickable", false),
				    .som = js_bool(o, "set_of_marks", false) };
	if (box) {
		k->mark.x = json_object_get_double(json_object_array_get_idx(box, 0));
		k->mark.y = json_object_get_double(json_object_array_get_idx(box, 1));
		k->mark.width = json_object_get_double(json_object_array_get_idx(box, 2));
		k->mark.height =
			json_object_get_double(json_object_array_get_idx(box, 3));
	}
	return &k->mark;
}

static const char **words(json_object *list)
{
	size_t n = json_object_array_length(list);
	const char **all = calloc(n + 1, sizeof *all);

	for (size_t i = 0; all && i < n; i++)
		all[i] = json_object_get_string(json_object_array_get_idx(list, i));
	return all;
}

static bool on_tree(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in"), *o = js_get(in, "options");
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	struct known known = { .all = js_get(in, "extra_properties") };
	struct error err = ERROR_NONE;
	AUTO(free) const char **roles =
		js_get(o, "ignored_roles") ? words(js_get(o, "ignored_roles")) : NULL;
	AUTO(free) const char **properties =
		js_get(o, "ignored_properties") ? words(js_get(o, "ignored_properties"))
						: NULL;
	const struct ax_options options = {
		.with_visible = js_bool(o, "with_visible", false),
		.with_clickable = js_bool(o, "with_clickable", false),
		.with_som = js_bool(o, "with_som", false),
		.with_center = js_bool(o, "with_center_coords", false),
		.with_box = js_bool(o, "with_bounding_box_coords", false),
		.keep_generic = !js_bool(o, "skip_generic", true),
		.keep_redundant = !js_bool(o, "remove_redundant_static_text", true),
		.visible_only = js_bool(o, "filter_visible_only", false),
		.bid_only = js_bool(o, "filter_with_bid_only", false),
		.som_only = js_bool(o, "filter_som_only", false),
		.hide_bids = js_bool(o, "hide_all_bids", false),
		.hide_bid_if_invisible = js_bool(o, "hide_bid_if_invisible", false),
		.decimals = (int)js_int(o, "coord_decimals", 0),
		.ignored_roles = roles, .ignored_properties = properties,
	};

	if (axtree_put(&out, js_get(in, "tree"), &options, find, &known, &err))
		vec_fault(v, "status", "a text", err.text);
	if (strcmp(js_str(c, "output", ""), out.text) != 0)
		vec_fault(v, "text", js_str(c, "output", ""), out.text);
	return true;
}

/* ---- replies --------------------------------------------------------------------- */

static bool on_reply(struct vec *v, json_object *c)
{
	const char *text = js_str(js_get(c, "in"), "text", "");
	json_object *out = js_get(c, "output");
	struct browse_reply r;
	int status = browse_read((struct mt_str){ text, strlen(text) }, &r);
	const struct {
		const char *name, *text;
	} got[] = {
		{ "browser_actions", r.actions.text }, { "thought", r.thought.text },
		{ "browsergym_send_msg_to_user", r.message.text },
	};

	for (size_t i = 0; i < ARRAY_LEN(got); i++)
		if (status || strcmp(js_str(out, got[i].name, ""), got[i].text) != 0)
			vec_fault(v, got[i].name, js_str(out, got[i].name, ""),
				  got[i].text);
	browse_reply_clear(&r);
	return true;
}

static bool one(struct vec *v, json_object *c)
{
	static const struct {
		const char *fn;
		bool (*run)(struct vec *v, json_object *c);
	} functions[] = {
		{ "action_parse", on_parse }, { "action_set", on_set },
		{ "action_to_code", on_code }, { "flatten_axtree", on_tree },
		{ "browsing_parse", on_reply },
	};
	const char *fn = js_str(c, "fn", "");

	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (strcmp(functions[i].fn, fn) == 0)
			return functions[i].run(v, c);
	return vec_decide(v, c, NULL, 0);
}

int main(int argc, char **argv)
{
	struct vec v;

	if (!vec_open(&v, argc, argv))
		return 2;
	vec_each(&v, one);
	return vec_done(&v);
}
