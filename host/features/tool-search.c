/* SPDX-License-Identifier: MIT
 *
 * tool-search.c - offers the tools of MCP servers by name only, in the description of
 * `find_tools`, if an agent has many tools; tools that the model requests there are
 * offered from the next request on. */
#include "features/tool-search.h"

#include "controller/feature-api.h"
#include "features/context-recall.h"

#include <string.h>
#include <strings.h>

#define FINDER "find_tools"

enum { FOUND_MAX = 20, ANSWER_MAX = 256 << 10, NAMES_MAX = 24 << 10 };

/* Of a conversation. */
struct tool_search {
	json_object *requested; /* tools that the model requested, by name; or NULL */
	bool dirty;             /* the next request offers other tools */
};

static struct tool_search *tool_search_state(const struct conversation *c)
{
	return feature_state(c, &tool_search_feature);
}

static bool is_server(const struct conversation *c, const struct tool *t)
{
	return conversation_agent(c)->catalog.instances[t->instance].server;
}

/* A subagent is offered all its tools, because the event that started it lists them. */
static bool folds(const struct conversation *c)
{
	int64_t most = config_int(conversation_config(c), conversation_agent(c)->section,
				  "tool_search_threshold");

	return most > 0 && !conversation_agent(c)->above &&
	       (int64_t)conversation_agent(c)->catalog.count > most &&
	       catalog_find(&conversation_agent(c)->catalog, FINDER);
}

static bool tool_search_hides_tool(const struct conversation *c, const struct tool *t)
{
	if (strcmp(t->name, FINDER) == 0)
		return !folds(c);
	return is_server(c, t) && folds(c) &&
	       !js_get(tool_search_state(c)->requested, t->name);
}

/* "server: a, b\n" for each server that has hidden tools. */
static void tool_search_put_names(const struct conversation *c, struct strbuf *out)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0;
	     i < conversation_agent(c)->catalog.count && out->len < NAMES_MAX; i++) {
		const struct tool *t = &conversation_agent(c)->catalog.tools[i];

		if (!is_server(c, t) || !tool_search_hides_tool(c, t))
			continue;
		if (t->instance != last)
			strbuf_addf(out, "\n%s: %s",
				    conversation_agent(c)
					    ->catalog.instances[t->instance]
					    .title,
				    t->name);
		else
			strbuf_addf(out, ", %s", t->name);
		last = t->instance;
	}
	if (out->len >= NAMES_MAX)
		strbuf_add(out, "\n... and more; use `query`");
}

/* The tool that finds the others names them in its description, which has no shorter
 * form. */
static void tool_search_describe_tool(const struct conversation *c, const struct tool *t,
				      json_object *offer)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);

	if (strcmp(t->name, FINDER) != 0)
		return;
	strbuf_addf(&text, "%s Names by server:", t->description);
	tool_search_put_names(c, &text);
	if (text.error)
		js_fail(offer);
	else
		js_set_strn(js_get(offer, "function"), "description", text.text,
			    text.len);
	json_object_object_del(offer, "brief");
}

/* ---- asked for ------------------------------------------------------------ */

static bool names_it(json_object *names, const char *name)
{
	size_t n = js_length(names);

	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(names, i);

		if (json_object_is_type(one, json_type_string) &&
		    strcmp(json_object_get_string(one), name) == 0)
			return true;
	}
	return false;
}

/* Does the name or the description contain one of the words? */
static bool tool_search_fits(const struct tool *t, const char *query)
{
	for (size_t len; *query; query += len) {
		char word[64];

		query += strspn(query, " ,");
		len = strcspn(query, " ,");
		if (len == 0 || len >= sizeof word)
			continue;
		memcpy(word, query, len);
		word[len] = '\0';
		if (strcasestr(t->name, word) || strcasestr(t->description, word))
			return true;
	}
	return false;
}

/* Offer requested tools from now on. `out` (may be NULL) gets their descriptions.
 * @return how many there are, or MT_ENOMEM. */
static int tool_search_find(struct conversation *c, json_object *params,
			    struct strbuf *out)
{
	json_object *names = js_get(params, "names");
	const char *query = js_str(params, "query", "");
	int found = 0;

	for (size_t i = 0; i < conversation_agent(c)->catalog.count && found < FOUND_MAX;
	     i++) {
		const struct tool *t = &conversation_agent(c)->catalog.tools[i];

		if (!is_server(c, t) ||
		    !(names_it(names, t->name) || tool_search_fits(t, query)))
			continue;
		if (js_set_bool(tool_search_state(c)->requested, t->name, true))
			return MT_ENOMEM;
		found++;
		if (out)
			strbuf_addf(out, "<TOOL name=%s>\n%s\n%s\n</TOOL>\n", t->name,
				    t->description, t->schema);
	}
	return found;
}

static bool tool_search_answer(struct conversation *c, uint64_t call, uint64_t request,
			       const char *method, json_object *params)
{
	AUTO(strbuf) struct strbuf out = STRBUF(ANSWER_MAX);
	AUTO(json) json_object *result = js_new_object();
	int found;

	(void)call;
	if (strcmp(method, "tools/find") != 0)
		return false;
	found = tool_search_find(c, params, &out);
	if (found < 0)
		js_fail(result);
	else if (!found)
		strbuf_add(&out, "No tool matches these names or search terms.");
	else if (found == FOUND_MAX)
		strbuf_add(&out, "These are the first matches; there may be more. Use "
				 "`names`.");
	js_set_strn(result, "text", out.text, out.len);
	tool_requests_answer(c, request, result);
	tool_search_state(c)->dirty |= found > 0;
	return true;
}

/* The requests of a resumed conversation are in its log. */
static void read_requested(struct conversation *c)
{
	struct tool_search *s = tool_search_state(c);

	if (s->requested)
		return;
	s->requested = js_new_object();
	for (int64_t id = 0; id < evlog_count(conversation_log(c)); id++) {
		const struct evlog_head *head = evlog_head(conversation_log(c), id);
		AUTO(event) struct event *e = NULL;

		if (head->undone || head->type->id != ACTION_CALL_TOOL)
			continue;
		e = evlog_event(conversation_log(c), id, NULL);
		if (e && strcmp(event_arg(e, "name"), FINDER) == 0 &&
		    tool_search_find(c, js_get(event_args(e), "arguments"), NULL) > 0)
			s->dirty = true;
	}
}

static bool tool_search_offer_changed(struct conversation *c)
{
	struct tool_search *s = tool_search_state(c);
	bool dirty;

	read_requested(c);
	dirty = s->dirty;
	s->dirty = false;
	return dirty;
}

static void tool_search_release(struct conversation *c)
{
	json_object_put(tool_search_state(c)->requested);
	tool_search_state(c)->requested = NULL;
}

const struct feature tool_search_feature = {
	.name = "tool search",
	.state_size = sizeof(struct tool_search),
	.hides_tool = tool_search_hides_tool,
	.describe_tool = tool_search_describe_tool,
	.offer_changed = tool_search_offer_changed,
	.request = tool_search_answer,
	.release = tool_search_release,
};
