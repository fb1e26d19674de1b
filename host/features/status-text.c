/* SPDX-License-Identifier: MIT
 *
 * status-text.c - describes a conversation to the user: its skills and MCP servers. */
#include "controller/feature-api.h"
#include "conversation/conversation.h"
#include "features/context-recall.h"
#include "skills/skills.h"
#include "tools/mcp-servers.h"
#include "utf8.h"

#include <string.h>

enum { SKILLS_SHOWN = 100, COLUMNS = 72 };

/* Recalls added these skills. */
static void add_recalled(json_object *names, struct event *e)
{
	json_object *list = js_get(event_args(e), "microagent_knowledge");

	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++)
		js_set_bool(names, js_str(json_object_array_get_idx(list, i), "name", ""),
			    true);
}

/* The agent requested these skills. */
static void add_invoked(json_object *names, struct event *e)
{
	if (strcmp(event_arg(e, "name"), "invoke_skill") == 0)
		js_set_bool(names, js_str(js_get(event_args(e), "arguments"), "name", ""),
			    true);
}

/* The names of skills that the agent has read; owned. */
static json_object *names_read(struct conversation *c)
{
	json_object *names = js_new_object();

	for (int64_t id = 0; id < evlog_count(conversation_log(c)); id++) {
		const struct evlog_head *head = evlog_head(conversation_log(c), id);
		bool recalled = head->type->id == OBSERVATION_RECALL;
		bool called = head->type->id == ACTION_CALL_TOOL;
		AUTO(event) struct event *e = NULL;

		if (!head->undone && (recalled || called))
			e = evlog_event(conversation_log(c), id, NULL);
		if (e && recalled)
			add_recalled(names, e);
		else if (e)
			add_invoked(names, e);
	}
	return names;
}

static void put_skill(struct skill *s, bool was_read, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);
	size_t len;

	skill_summary(s, &text);
	len = strcspn(text.text, "\r\n");
	strbuf_addf(out, "%c %s (%s)", was_read ? '*' : ' ', s->name, s->place);
	for (size_t i = 0; i < s->trigger_count && i < 4; i++)
		strbuf_addf(out, "%s%s", i ? ", " : ": ", s->triggers[i]);
	strbuf_addf(out, "%s\n", s->trigger_count > 4 ? ", ..." : "");
	if (len > COLUMNS)
		strbuf_addf(out, "    %.*s...\n",
			    (int)utf8_cut(text.text, len, COLUMNS - 3), text.text);
	else if (len)
		strbuf_addf(out, "    %.*s\n", (int)len, text.text);
}

static void tell_skills(struct conversation *c, struct strbuf *out)
{
	const struct skills *all = recall_skills(c);
	AUTO(json) json_object *names = names_read(c);
	struct skill *s;
	size_t n = 0;

	if (js_failed(names)) {
		strbuf_add(out, status_name(MT_ENOMEM));
		return;
	}
	for (; all && (s = skills_at(all, n)); n++)
		if (n < SKILLS_SHOWN)
			put_skill(s, js_get(names, s->name) != NULL, out);
	if (n > SKILLS_SHOWN)
		strbuf_addf(out, "and %zu more; `mortise skills list` lists all\n",
			    n - SKILLS_SHOWN);
	strbuf_add(out, n ? "* loaded by the agent" : "No skills.");
}

static void put_server(const struct conversation *c, size_t i, struct strbuf *out)
{
	const struct tool_instance *t = &conversation_agent(c)->catalog.instances[i];
	size_t count = 0;

	for (size_t n = 0; n < conversation_agent(c)->catalog.count; n++)
		count += conversation_agent(c)->catalog.tools[n].instance == i;
	strbuf_addf(out, "%s: ", t->title);
	if (count)
		strbuf_addf(out, "%zu tool%s%s (%s)", count, count == 1 ? "" : "s",
			    t->lists ? "" : " (cached)", mcp_server_target(t->options));
	else
		strbuf_addf(out, "tools not known yet (%s)",
			    mcp_server_target(t->options));
	if (t->said)
		strbuf_addf(out, "\n    %s", t->said);
}

static void tell_servers(struct conversation *c, struct strbuf *out)
{
	bool any = false;

	for (size_t i = 0; i < conversation_agent(c)->catalog.instance_count; i++) {
		if (!conversation_agent(c)->catalog.instances[i].server)
			continue;
		strbuf_add(out, any ? "\n" : "");
		put_server(c, i, out);
		any = true;
	}
	if (!any)
		strbuf_add(out, "No MCP servers.");
}

int conversation_tell(struct conversation *c, enum telling what, char **ret,
		      struct error *err)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);

	if (what == TELL_SKILLS)
		tell_skills(c, &out);
	else
		tell_servers(c, &out);
	*ret = strbuf_take(&out);
	return *ret ? MT_OK : out_of_memory(err);
}
