/* SPDX-License-Identifier: MIT
 *
 * condense.c - builds the view of a step and runs the condensers on it. */
#include "features/condense.h"

#include "array.h"
#include "context/history.h"
#include "context/request-messages.h"
#include "controller/actions.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/plugins/model-request.h"
#include "controller/plugins/plugin-host.h"
#include "controller/plugins/plugin-http.h"
#include "conversation/offered-tools.h"
#include "controller/step.h"
#include "conversation/conversation.h"
#include "features/side-usage.h"
#include "log.h"

#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>

#include <string.h>

enum { CONDENSE_ROUNDS_MAX = 8, GAPS_MAX = 8 };

/* Of an agent. */
struct condensing_state {
	bool requested;    /* a condensation was requested and has not been done */
	char refused[512]; /* why the model needs it; "": it was requested */
};

static struct condensing_state *state_of(const struct conversation *c)
{
	return feature_agent_state(conversation_agent(c), &condense_feature);
}

/* The state in a conversation. */
static const struct condense_client **client_of(const struct conversation *c)
{
	return feature_state(c, &condense_feature);
}

void condense_set_client(struct conversation *c, const struct condense_client *client)
{
	*client_of(c) = client;
}

static void forget_request(struct conversation *c)
{
	state_of(c)->requested = false;
	state_of(c)->refused[0] = '\0';
}

/* ---- the pipeline ------------------------------------------------------ */

/* Discard data that is indexed by position. */
static void forget_places(struct mt_ctx *x)
{
	x->prepared = 0;
	free(x->cuts);
	free(x->pinned);
	free(x->shown);
	x->cuts = x->pinned = x->shown = NULL;
}

/* Remove dropped events, except those without which the rest cannot be sent. */
static int take_out_dropped(struct mt_ctx *x)
{
	size_t kept = 0;

	if (history_complete(conversation_agent(x->c)->history, x->view, x->view_count,
			     x->shown, &x->error))
		return x->error.code;
	for (size_t i = 0; i < x->view_count; i++)
		if (x->shown[i])
			x->view[kept++] = x->view[i];
	x->view_count = kept;
	forget_places(x);
	return MT_OK;
}

/* If a condensation is required, a later condenser may still help. */
static bool is_passed_over(struct mt_ctx *x)
{
	if (!state_of(x->c)->requested ||
	    x->stage >= conversation_agent(x->c)->part_count || x->condensed)
		return false;
	conversation_notice(x->c, MT_LOG_WARNING, "%s", x->error.text);
	x->error = ERROR_NONE;
	x->sent = false;
	json_object_put(x->http);
	x->http = NULL;
	return true;
}

static void explain_failure(struct mt_ctx *x, int r)
{
	const struct error why = x->error;

	x->error = ERROR_NONE;
	fail(&x->error, r, "condenser %s: %s", x->part->component->name,
	     why.code ? why.text : status_name(r));
}

static int advance_once(struct mt_ctx *x, struct mt_in *in)
{
	const struct mt_condenser *f = x->part->functions;
	struct guard_call outer;
	int r;

	x->sent = false;
	x->condense_requested = state_of(x->c)->requested;
	in->state = (struct mt_str){ x->kept, x->kept ? strlen(x->kept) : 0 };
	log_context(x->part->component->plugin, x->part->component->name, NULL);
	outer = plugin_component_enter(x->part, "advance");
	r = f->advance(plugin_host(), plugin_condenser_out(), x, in);
	r = plugin_component_leave(x->part, "advance", outer, r, &x->error);
	log_context(NULL, NULL, NULL);
	if (x->condensed)
		forget_request(x->c);
	if (r)
		explain_failure(x, r);
	if (r && is_passed_over(x))
		r = MT_OK;
	x->plugin_failed = r && in->what != MT_FAILED;
	if (!r && x->shown)
		r = take_out_dropped(x);
	return r;
}

static int check_rounds(struct mt_ctx *x)
{
	if (++x->rounds <= CONDENSE_ROUNDS_MAX)
		return MT_OK;
	return fail(&x->error, MT_ELIMIT, "condenser %s sent more than %d requests",
		    x->part->component->name, CONDENSE_ROUNDS_MAX);
}

static void condense_on_http(struct conversation *c, json_object *result);

/* Call the condenser, and call it again with the result of each HTTP request that is
 * in the log. *ret_waits: it sent another request. */
static int condense_advance(struct mt_ctx *x, struct mt_in *in, bool *ret_waits)
{
	json_object *result = NULL;
	struct plugin_http_input input;
	struct conversation *c = x->c;
	int r = advance_once(x, in);

	*ret_waits = false;
	while (!r && x->http && !x->condensed) {
		struct error err = ERROR_NONE;

		r = check_rounds(x);
		if (!r && plugin_http_perform(c, x, condense_on_http, &result, &err)) {
			x->error = err;
			r = err.code;
		}
		*ret_waits = !r && !result;
		if (r || !result)
			return r;
		plugin_http_input(&input, result);
		r = advance_once(x, &input.in);
		json_object_put(result);
	}
	return r;
}

/* Run the condensers from this stage on, until one has to wait. */
static int condense_resume(struct mt_ctx *x, enum condensing *ret)
{
	struct mt_in in = { .size = sizeof in, .what = MT_START };
	bool waits = false;
	int r = MT_OK;

	while (!r && !waits && !x->condensed && !x->sent &&
	       x->stage < conversation_agent(x->c)->part_count) {
		x->part = &conversation_agent(x->c)->parts[x->stage++];
		x->rounds = 0;
		free(x->kept);
		x->kept = NULL;
		r = condense_advance(x, &in, &waits);
	}
	*ret = waits          ? CONDENSE_WAITS
	       : x->condensed ? CONDENSE_AGAIN
	       : x->sent      ? CONDENSE_ASKS
			      : CONDENSE_DONE;
	return r;
}

/* ---- forgotten events ------------------------------------------------------ */

/** The events between two events of the view that are not in the view. */
struct gap {
	int64_t first, last;
	size_t place; /* index of the event after the gap */
};

struct gaps {
	struct gap list[GAPS_MAX];
	size_t count;
	bool more; /* than fit */
};

static void condense_add_missing(struct gaps *all, int64_t id, size_t place)
{
	struct gap *last = all->count ? &all->list[all->count - 1] : NULL;

	if (last && last->place == place)
		last->last = id;
	else if (all->count == GAPS_MAX)
		all->more = true;
	else
		all->list[all->count++] = (struct gap){ id, id, place };
}

static void find_gaps(const struct mt_ctx *x, struct gaps *ret)
{
	size_t count, place = 0;
	const int32_t *ids = history_events(conversation_agent(x->c)->history, &count);

	for (size_t i = 0; i < count; i++) {
		while (place < x->view_count && x->view[place].event < ids[i])
			place++;
		if (place == x->view_count || x->view[place].event != ids[i])
			condense_add_missing(ret, ids[i], place);
	}
}

static bool is_summary(const struct mt_ctx *x, size_t place)
{
	return place < x->view_count && x->view[place].event < 0;
}

static bool is_summarized(const struct mt_ctx *x, const struct gap *gap)
{
	return gap->place > 0 && is_summary(x, gap->place - 1);
}

static void put_gap(struct strbuf *b, const struct gap *gap)
{
	strbuf_addf(b, "%lld", (long long)gap->first);
	if (gap->last > gap->first)
		strbuf_addf(b, "-%lld", (long long)gap->last);
}

static bool names_recall(const char *list)
{
	const char *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len))
		if (len == 6 && memcmp(item, "recall", 6) == 0)
			return true;
	return false;
}

static bool offers_recall(const struct conversation *c)
{
	const struct catalog *all = &conversation_agent(c)->catalog;

	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->tools[i].name, "recall") == 0)
			return true;
	return false;
}

/* Keep a text for as long as the view. NULL: out of memory. */
static const char *condense_keep_text(struct mt_ctx *x, struct strbuf *text)
{
	char *copy;

	if (text->error || ARRAY_GROW(x->texts, NULL, x->text_count + 1, ARRAY_MAX))
		return NULL;
	copy = strbuf_take(text);
	if (copy)
		x->texts[x->text_count++] = copy;
	return copy;
}

/* Show this text, which is kept, in the place of the item. */
static int condense_show_text(struct mt_ctx *x, struct view_item *item,
			      struct strbuf *text)
{
	size_t len = text->len;
	const char *kept = condense_keep_text(x, text);

	if (!kept)
		return MT_ENOMEM;
	item->text = kept;
	item->len = len;
	return MT_OK;
}

/* Tell the model that the text is a summary, and of which events. */
static int mark_summary(struct mt_ctx *x, const struct gap *gap)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4 << 20);
	struct view_item *item = &x->view[gap->place - 1];

	strbuf_add(&text, "[Summary of events ");
	put_gap(&text, gap);
	strbuf_addf(&text,
		    ", which were removed from the context. A model wrote it, so details "
		    "may be missing%s.]\n\n",
		    offers_recall(x->c) ? "; `recall` returns the events" : "");
	strbuf_addn(&text, item->text, item->len);
	return condense_show_text(x, item, &text);
}

/* Insert the marker of the gaps without a summary at the first of them. */
static int insert_marker(struct mt_ctx *x, struct strbuf *ranges, size_t place)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	struct view_item item = { .event = -1, .condensation = -1 };

	strbuf_addf(&text,
		    "[Events %s were removed from the context to make room. "
		    "Changes that they made to files and processes remain: check the "
		    "current state, for example with `git diff`, before you repeat "
		    "work.%s]",
		    ranges->text,
		    offers_recall(x->c) ? " `recall` returns the events." : "");
	item.len = text.len;
	item.text = ranges->error ? NULL : condense_keep_text(x, &text);
	if (!item.text || ARRAY_GROW(x->view, NULL, x->view_count + 1, ARRAY_MAX))
		return MT_ENOMEM;
	memmove(x->view + place + 1, x->view + place,
		(x->view_count++ - place) * sizeof *x->view);
	x->view[place] = item;
	forget_places(x);
	return MT_OK;
}

/* Tell the model how to read the observations that a condenser has masked. */
static int mark_masked(struct mt_ctx *x)
{
	int status = MT_OK;

	for (size_t i = 0; i < x->view_count && !status; i++) {
		AUTO(strbuf) struct strbuf text = STRBUF(4 << 20);
		struct view_item *item = &x->view[i];

		if (item->event < 0 || !item->text)
			continue;
		strbuf_addn(&text, item->text, item->len);
		strbuf_addf(&text, " [event %lld; `recall` returns it]",
			    (long long)item->event);
		status = condense_show_text(x, item, &text);
	}
	return status;
}

/* Tell the model which events it no longer sees. */
static int mark_forgotten(struct mt_ctx *x)
{
	AUTO(strbuf) struct strbuf ranges = STRBUF(4096);
	struct gaps all = { .count = 0 };
	size_t place = 0;
	int r = offers_recall(x->c) ? mark_masked(x) : MT_OK;

	find_gaps(x, &all);
	for (size_t i = 0; !r && i < all.count; i++) {
		const struct gap *gap = &all.list[i];

		if (is_summarized(x, gap)) {
			r = mark_summary(x, gap);
			continue;
		}
		if (!ranges.len)
			place = gap->place;
		strbuf_add(&ranges, ranges.len ? ", " : "");
		put_gap(&ranges, gap);
	}
	if (all.more)
		strbuf_add(&ranges, " and some later ones");
	if (!r && ranges.len)
		r = insert_marker(x, &ranges, place);
	return r ? out_of_memory(&x->error) : MT_OK;
}

/* ---- asking a model ---------------------------------------------------- */

static int wait_for_model(struct mt_ctx *x, struct error *err);

/* Events that arrived while a condenser waited also belong to the view. */
static int add_news(struct mt_ctx *x, struct error *err)
{
	AUTO(free) struct view_item *now = NULL;
	size_t count = 0, first;

	if (evlog_count(conversation_log(x->c)) == request_event_count(x->c))
		return MT_OK;
	if (history_view(conversation_agent(x->c)->history, &now, &count, err))
		return err->code;
	for (first = count;
	     first > 0 && now[first - 1].event >= request_event_count(x->c); first--)
		;
	if (ARRAY_GROW(x->view, NULL, x->view_count + count - first + 1, ARRAY_MAX))
		return out_of_memory(err);
	memcpy(x->view + x->view_count, now + first, (count - first) * sizeof *now);
	x->view_count += count - first;
	forget_places(x);
	return MT_OK;
}

static int advance_marked(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	int r = mark_forgotten(x);

	return r ? r : step_advance_prepared(c, x, err);
}

/* After an answer, call the same condenser, then those after it, then the agent. */
static void condense_answered(struct conversation *c, const struct mt_in *news)
{
	const struct condense_client *client = *client_of(c);
	struct mt_ctx x = request_finish(c);
	struct mt_in in = *news;
	enum condensing what = CONDENSE_ASKS;
	struct error err = ERROR_NONE;
	bool waits;
	int r;

	in.size = sizeof in;
	in.effect = 1;
	r = condense_advance(&x, &in, &waits);
	if (waits)
		what = CONDENSE_WAITS;
	if (!r && !waits && !x.sent && !x.condensed)
		r = add_news(&x, &err);
	if (!r && !waits && !x.sent)
		r = condense_resume(&x, &what);
	if (!r && what == CONDENSE_ASKS)
		r = wait_for_model(&x, &err);
	else if (!r && what == CONDENSE_DONE && !client)
		r = advance_marked(c, &x, &err);
	if (r && !err.code)
		err = x.error;
	if (client && (r || what == CONDENSE_DONE))
		client->finish(c, &x, &err);
	else if (r)
		step_fail(c, r, step_exit_code(&x, EXIT_MODEL), err.text);
	plugin_ctx_clear(&x);
	if (client && !r && what == CONDENSE_AGAIN)
		client->restart(c);
	step_run_ready(c);
}

static void condense_on_http(struct conversation *c, json_object *result)
{
	struct plugin_http_input input;

	plugin_http_input(&input, result);
	condense_answered(c, &input.in);
}

static void condense_on_done(void *arg, struct llm_reply *reply)
{
	struct conversation *c = arg;
	struct error err = ERROR_NONE;
	const struct mt_in in = { .what = MT_REPLIED,
				  .reply = (const struct mt_reply *)reply };

	if (side_usage_log(c, USAGE_CONDENSERS, reply, &err)) {
		request_clear(c);
		conversation_set_error(c, EXIT_FAILED, "%s", err.text);
	} else {
		condense_answered(c, &in);
	}
	llm_reply_free(reply);
}

static void condense_on_failed(void *arg, const struct llm_error *error)
{
	const struct mt_in in = { .what = MT_FAILED, .error = (uint32_t)error->kind,
				  .body = { error->text, strlen(error->text) } };

	condense_answered(arg, &in);
}

static void condense_on_retry(void *arg, const struct llm_error *why, int64_t wait_ms)
{
	request_on_retry(arg, why, wait_ms);
}

static void condense_on_again(void *arg)
{
	request_on_resume(arg);
}

static void condense_on_switched(void *arg, const struct llm_error *why,
				 const struct llm *next)
{
	request_on_fallback(arg, why, next);
}

static int wait_for_model(struct mt_ctx *x, struct error *err)
{
	static const struct llm_events events = {
		.retry = condense_on_retry, .again = condense_on_again,
		.switched = condense_on_switched,
		.done = condense_on_done, .failed = condense_on_failed,
	};
	struct conversation *c = x->c;

	if (check_rounds(x)) {
		*err = x->error;
		return err->code;
	}
	conversation_notice(c, MT_LOG_INFO, "condensing the history");
	return request_send(c, x, side_usage_calls(c, USAGE_CONDENSERS), &events, err);
}

int condense_view(struct mt_ctx *x, enum condensing *ret, struct error *err)
{
	int r;

	x->stage = 0;
	r = condense_resume(x, ret);
	if (!r && *ret == CONDENSE_ASKS)
		r = wait_for_model(x, err);
	return r;
}

/* ---- the request to condense ------------------------------------------- */

void condense_request(struct conversation *c)
{
	state_of(c)->requested = true;
}

static void condense_on_request(struct conversation *c, struct event *action)
{
	(void)action;
	condense_request(c);
}

/* What the log has of the agent: a request, and nothing that was done since. */
static void restore_request(struct conversation *c)
{
	const struct agent_frame *agent = conversation_agent(c);
	struct evlog *log = conversation_log(c);

	forget_request(c);
	for (int64_t id = evlog_count(log); id-- > agent->start;) {
		const struct evlog_head *head = evlog_head(log, id);

		if (head->undone || evlog_delegation_owner(log, id) != agent->delegation)
			continue;
		if (head->type->id == ACTION_CONDENSATION_REQUEST) {
			condense_request(c);
			return;
		}
		if (head->type->is_action && head->source == SOURCE_AGENT)
			return;
	}
}

int conversation_condense(struct conversation *c, struct error *err)
{
	struct event *e;

	if (conversation_is_closing(c))
		return fail(err, MT_EDENIED, "the conversation is being closed");
	e = event_action("condensation_request", SOURCE_USER, NULL, err);
	if (!e || conversation_log_event(c, e, err) < 0)
		return err->code;
	condense_request(c);
	return MT_OK;
}

/* ---- in a step ----------------------------------------------------------- */

static int after_view(struct mt_ctx *x, bool *ret_held, struct error *err)
{
	enum condensing what = CONDENSE_DONE;
	int r = condense_view(x, &what, err);

	*ret_held = what != CONDENSE_DONE;
	return r || *ret_held ? r : mark_forgotten(x);
}

/* The requested condensation did not shorten the view. If the model's context had
 * overflowed, this ends the step; otherwise the step continues. */
static bool before_request(struct conversation *c)
{
	static const char why[] = "no configured condenser can shorten the history: add "
				  "one to `condensers` of the controller";
	struct condensing_state *s = state_of(c);
	bool too_long = s->refused[0] != '\0';

	if (!s->requested)
		return false;
	if (too_long)
		conversation_set_error(c, EXIT_MODEL, "%s; %s", s->refused, why);
	else
		conversation_notice(c, MT_LOG_WARNING, "%s", why);
	forget_request(c);
	return too_long;
}

static bool request_failed(struct conversation *c, const struct llm_error *error)
{
	struct condensing_state *s = state_of(c);
	struct error err = ERROR_NONE;

	if (s->requested || !llm_error_is_overflow(error->kind))
		return false;
	snprintf(s->refused, sizeof s->refused, "%s", error->text);
	action_log(c, event_action("condensation_request", SOURCE_AGENT, NULL, &err));
	return true;
}

static void condense_restore_usage(struct conversation *c, struct llm_metrics *sum)
{
	side_usage_restore(c, USAGE_CONDENSERS, sum);
}

static int check_condenser(struct conversation *c, struct plugin_component *p,
			   struct error *err)
{
	const struct mt_condenser *f = p->functions;
	struct mt_ctx x = { .c = c, .part = p };
	struct guard_call outer = plugin_component_enter(p, "check");
	int r = MT_HAS(f, check) && f->check ? f->check(plugin_host(), &x) : MT_OK;

	r = plugin_component_leave(p, "check", outer, r, &x.error);
	if (r)
		fail(err, r, "[condenser.%s]: %s", p->name,
		     x.error.code ? x.error.text : status_name(r));
	plugin_ctx_clear(&x);
	return r;
}

/* Forgotten and masked events can be read again. */
static const char *tool_for_reading(const struct conversation *c, const char *section,
				    const char *list)
{
	const struct agent_frame *agent = conversation_agent(c);
	bool forgets = false;

	(void)section;
	for (size_t i = 0; i < agent->part_count; i++)
		forgets |= strcmp(agent->parts[i].component->name, "noop") != 0;
	return forgets && list && *list && !names_recall(list) ? "recall" : NULL;
}

static const struct agent_parts condensers = {
	.key = "condensers",
	.kind = MT_KIND_CONDENSER,
	.check = check_condenser,
};

static const struct action_handler actions[] = {
	{ ACTION_CONDENSATION_REQUEST, .handle = condense_on_request },
	{ 0 },
};

static const char *const usage_states[] = { USAGE_CONDENSERS, NULL };

const struct feature condense_feature = {
	.name = "condensing",
	.usage_states = usage_states,
	.state_size = sizeof(const struct condense_client *),
	.agent_state_size = sizeof(struct condensing_state),
	.actions = actions,
	.agent_parts = &condensers,
	.extra_tool = tool_for_reading,
	.restore_agent = restore_request,
	.rewound = restore_request,
	.after_view = after_view,
	.before_request = before_request,
	.request_failed = request_failed,
	.restore_usage = condense_restore_usage,
};
