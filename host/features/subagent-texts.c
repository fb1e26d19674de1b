/* SPDX-License-Identifier: MIT
 *
 * subagent-texts.c - the results of subagents, for the model and for clients. */
#include "features/subagents.h"

#include "utf8.h"

#include <inttypes.h>
#include <string.h>

enum { TITLE_BYTES = 60 };

void subagent_put_title(struct strbuf *b, const char *task)
{
	size_t len = strcspn(task, "\r\n");

	strbuf_addn(b, task, utf8_cut(task, len, TITLE_BYTES));
	if (task[len] || len > TITLE_BYTES)
		strbuf_add(b, " ...");
}

static void subagent_text_put_one(struct strbuf *b, const struct subagent *ch, size_t n)
{
	strbuf_addf(b, "\n\n## %zu. %s: ", n, subagent_end_name(ch->end));
	subagent_put_title(b, ch->task);
	strbuf_addf(b, "\nconversation %s", ch->id);
	if (*ch->agent)
		strbuf_addf(b, ", agent %s", ch->agent);
	if (ch->place != PLACE_SHARED)
		strbuf_addf(b, ", files in %s", ch->workspace);
	strbuf_addf(b, ", %" PRId64 " step%s", ch->sum.calls,
		    ch->sum.calls == 1 ? "" : "s");
	if (ch->sum.cost_known)
		strbuf_addf(b, ", $%.4f", ch->sum.cost);
	if (ch->end != CHILD_FINISHED && *ch->reason)
		strbuf_addf(b, "\n%s", ch->reason);
	if (ch->message)
		strbuf_addf(b, "\n%s%s",
			    ch->end == CHILD_FINISHED ? "" : "Its last message: ",
			    ch->message);
}

static json_object *subagent_json(const struct subagent *ch)
{
	json_object *o = js_new_object();

	js_set_str(o, "conversation", ch->id);
	js_set_str(o, "task", ch->task);
	js_set_str(o, "agent", ch->agent);
	js_set_str(o, "workspace", subagent_place_name(ch));
	js_set_str(o, "path", ch->workspace);
	js_set_str(o, "state", subagent_end_name(ch->end));
	js_set_str(o, "reason", ch->reason);
	if (ch->message)
		js_set_str(o, "message", ch->message);
	js_set_int(o, "calls", ch->sum.calls);
	js_set_int(o, "input", ch->sum.input);
	js_set_int(o, "output", ch->sum.output);
	js_set_number(o, "cost", ch->sum.cost);
	return o;
}

static json_object *subagents_json(const struct subagents *all)
{
	json_object *list = js_new_list();

	for (size_t i = 0; i < all->count; i++)
		js_add_new(list, subagent_json(&all->list[i]));
	return list;
}

json_object *subagents_result_extras(const struct subagents *all)
{
	json_object *extras = js_new_object();

	js_set_str(extras, "name", "delegate_tasks");
	js_set(extras, "arguments",
	       json_object_get(js_get(event_args(all->call), "arguments")));
	js_set(extras, "children", subagents_json(all));
	return extras;
}

void subagents_put_results(struct strbuf *b, const struct subagents *all)
{
	for (size_t i = 0; i < all->count; i++)
		subagent_text_put_one(b, &all->list[i], i + 1);
}
