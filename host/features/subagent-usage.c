/* SPDX-License-Identifier: MIT
 *
 * subagent-usage.c - the usage of subagents, read from their own logs, so that the
 * sum is correct even if processes were killed. */
#include "controller/feature-api.h"
#include "controller/conversation-parts.h"
#include "conversation/fork.h"
#include "conversation/meta.h"
#include "conversation/conversation.h"
#include "features/limits.h"
#include "features/side-usage.h"
#include "features/subagents.h"
#include "llm/models/models.h"
#include "llm/usage-json.h"
#include "log.h"

#include <string.h>

enum { BILL_DEPTH_MAX = 32 };

/* ---- the log of a child ------------------------------------------------ */

/* Without the replies that a fork inherited. */
static void add_replies(struct evlog *log, struct llm_usage_totals *b)
{
	AUTO(json) json_object *meta = meta_read(evlog_dir(log), NULL);

	for (int64_t n = meta ? fork_inherited(meta) : 0; n < evlog_replies(log); n++) {
		AUTO(json) json_object *record = evlog_reply_at(log, n, NULL);
		AUTO(llm_reply) struct llm_reply *reply =
			record ? llm_reply_from_json(record, NULL) : NULL;

		if (reply)
			llm_usage_totals_add(b, reply->model, &reply->usage,
					     reply->latency_ms);
	}
}

static void add_others(const struct evlog *log, const char *who,
		       struct llm_usage_totals *b)
{
	AUTO(json) json_object *o = side_usage_of(log, who);
	struct llm_metrics sum = llm_metrics_from_json(o);

	sum.cost_known = js_get(o, "cost") != NULL;
	if (sum.calls > 0)
		llm_usage_totals_join(b, js_str(o, "model", ""), &sum);
}

static void add_below(const struct config *c, json_object *state, unsigned depth,
		      struct llm_usage_totals *b)
{
	json_object *open = js_get(state, "open");

	llm_usage_totals_join_json(b, js_get(state, "spent"));
	for (size_t i = 0; json_object_is_type(open, json_type_array) &&
			   i < json_object_array_length(open);
	     i++)
		subagents_usage_of_log(c,
				       json_object_get_string(
					       json_object_array_get_idx(open, i)),
				       depth + 1, b, NULL);
}

int subagents_usage_of_log(const struct config *c, const char *id, unsigned depth,
			   struct llm_usage_totals *ret, struct error *err)
{
	AUTO(free) char *dir =
		id && depth < BILL_DEPTH_MAX ? conversation_dir(c, id, err) : NULL;
	AUTO(evlog) struct evlog *log = NULL;
	AUTO(json) json_object *state = NULL;
	const char *text;
	size_t len;
	int r;

	if (!dir)
		return fail(err, MT_EINVAL, "no such conversation");
	r = evlog_open(dir, EVLOG_READ, NULL, &log, NULL, err);
	if (r)
		return r;
	add_replies(log, ret);
	add_others(log, USAGE_CONDENSERS, ret);
	add_others(log, USAGE_TOOLS, ret);
	add_others(log, USAGE_JUDGE, ret);
	add_others(log, USAGE_SIDE_QUESTIONS, ret);
	text = evlog_state(log, SUBAGENTS_RECORD, &len);
	state = text ? js_parse_object(text, len, NULL) : NULL;
	if (state)
		add_below(c, state, depth, ret);
	return MT_OK;
}

/* ---- our own account --------------------------------------------------- */

static void add_background(json_object *list, const struct subagents *all)
{
	for (; all; all = all->below)
		for (size_t i = 0; all->background && i < all->count; i++)
			js_add_new(list, json_object_new_string(all->list[i].id));
}

/* Children in the background whose results have not been announced yet. */
static json_object *background(const struct conversation *c)
{
	json_object *list = js_new_list();

	add_background(list, subagents_of(c)->calls);
	add_background(list, subagents_of(c)->ended);
	return list;
}

int subagents_keep(struct conversation *c, struct error *err)
{
	AUTO(json) json_object *record = json_object_new_object();
	AUTO(json) json_object *state = json_object_new_object();

	if (!state || js_set_int(state, "begun", subagents_of(c)->started) ||
	    js_set(state, "open", json_object_get(subagents_of(c)->unsettled)) ||
	    js_set(state, "background", background(c)) ||
	    js_set(state, "spent", llm_usage_totals_json(subagents_of(c)->usage)) ||
	    js_set_str(record, "record", "state") ||
	    js_set_str(record, "plugin", SUBAGENTS_RECORD) ||
	    js_set_str(record, "text", js_text(state, NULL)))
		return out_of_memory(err);
	return evlog_record(conversation_log(c), record, err);
}

static int subagent_usage_need(struct conversation *c)
{
	if (!subagents_of(c)->usage)
		subagents_of(c)->usage = llm_usage_totals_new();
	if (!subagents_of(c)->unsettled)
		subagents_of(c)->unsettled = json_object_new_array();
	return subagents_of(c)->usage && subagents_of(c)->unsettled ? MT_OK : MT_ENOMEM;
}

int subagents_add_unsettled(struct conversation *c, const char *id, struct error *err)
{
	if (subagent_usage_need(c) ||
	    js_add(subagents_of(c)->unsettled, json_object_new_string(id)))
		return out_of_memory(err);
	subagents_of(c)->started++;
	return subagents_keep(c, err);
}

static void remove_unsettled(struct conversation *c, const char *id)
{
	size_t n = json_object_array_length(subagents_of(c)->unsettled);

	for (size_t i = 0; i < n; i++)
		if (strcmp(json_object_get_string(json_object_array_get_idx(
				   subagents_of(c)->unsettled, i)),
			   id) == 0) {
			json_object_array_del_idx(subagents_of(c)->unsettled, i, 1);
			return;
		}
}

/* The sums of one child are stored with ours. */
static void subagent_usage_take_over(struct conversation *c,
				     const struct llm_usage_totals *b)
{
	const struct llm_metrics *sum;
	const char *model;

	for (size_t n = 0; (model = llm_usage_totals_at(b, n, &sum)); n++) {
		llm_usage_totals_join(subagents_of(c)->usage, model, sum);
		if (conversation_models(c))
			llm_usage_totals_join(llm_models_usage(conversation_models(c)),
					      model, sum);
	}
}

void subagents_settle(struct conversation *c, const char *id, struct llm_metrics *ret)
{
	struct llm_usage_totals *b = llm_usage_totals_new();
	struct error err = ERROR_NONE;

	if (b &&
	    subagents_usage_of_log(conversation_config(c), id, 0, b, &err) == MT_OK) {
		*ret = *llm_usage_totals_sum(b);
		subagent_usage_take_over(c, b);
		limits_charge(c, ret);
	} else {
		log_line(MT_LOG_WARNING, "children", "the usage of %s is unknown: %s", id,
			 error_text(&err));
	}
	llm_usage_totals_free(b);
	remove_unsettled(c, id);
	if (subagents_keep(c, &err))
		conversation_notice(c, MT_LOG_WARNING,
				    "could not log the usage of %s: %s", id, err.text);
	limits_log(c);
}

/* The children of a process that was killed have ended too. */
static void settle_open(struct conversation *c)
{
	size_t n = json_object_array_length(subagents_of(c)->unsettled);

	for (size_t i = 0; i < n; i++) {
		json_object *id =
			json_object_array_get_idx(subagents_of(c)->unsettled, i);
		struct llm_usage_totals *b = llm_usage_totals_new();

		if (b && subagents_usage_of_log(conversation_config(c),
						json_object_get_string(id), 0, b,
						NULL) == MT_OK)
			subagent_usage_take_over(c, b);
		llm_usage_totals_free(b);
	}
	json_object_put(subagents_of(c)->unsettled);
	subagents_of(c)->unsettled = json_object_new_array();
	if (n)
		subagents_keep(c, NULL);
}

void subagents_restore_usage(struct conversation *c, struct llm_metrics *sum)
{
	size_t len;
	const char *text = evlog_state(conversation_log(c), SUBAGENTS_RECORD, &len);
	AUTO(json) json_object *state = text ? js_parse_object(text, len, NULL) : NULL;
	json_object *open = js_get(state, "open");

	if (!state || subagent_usage_need(c))
		return;
	subagents_of(c)->started = js_int(state, "begun", 0);
	llm_usage_totals_join_json(subagents_of(c)->usage, js_get(state, "spent"));
	if (conversation_models(c))
		llm_usage_totals_join_json(llm_models_usage(conversation_models(c)),
					   js_get(state, "spent"));
	if (json_object_is_type(open, json_type_array)) {
		json_object_put(subagents_of(c)->unsettled);
		subagents_of(c)->unsettled = json_object_get(open);
	}
	subagents_of(c)->lost = json_object_get(js_get(state, "background"));
	settle_open(c);
	llm_metrics_merge(sum, llm_usage_totals_sum(subagents_of(c)->usage));
}

void subagents_forget(struct conversation *c)
{
	struct subagents_state *s = subagents_of(c);

	s->usage = llm_usage_totals_free(s->usage);
	json_object_put(s->unsettled);
	json_object_put(s->lost);
	s->unsettled = s->lost = NULL;
}
