/* SPDX-License-Identifier: MIT
 *
 * parallel-calls.c - runs read-only calls of one reply in parallel: while one is
 * pending, the calls after it are sent too. Events stay as they are without it, in the
 * order of the reply: a result that came early is kept until it is its turn. */
#include "controller/parallel-calls.h"

#include "controller/core.h"
#include "controller/dispatch.h"
#include "controller/feature.h"
#include "controller/turn.h"
#include "tools/calls.h"

#include <mortise/tool.h>

#include <string.h>

enum { AHEAD_MAX = 16, AHEAD_HINTS = MT_TOOL_READ_ONLY | MT_TOOL_PARALLEL };

static const uint64_t first_number = 1000000000000; /* actions have smaller ones */

/* A call that has left. */
struct early_call {
	uint64_t number;         /* of the link; 0: this place is free */
	char *what;              /* instance, tool and arguments */
	int64_t action;          /* whose call it is; -1: its turn has not come */
	bool over;               /* `result` is there */
	struct runner_result result;
};

struct parallel_calls {
	uint64_t made;
	struct early_call list[AHEAD_MAX];
};

/* ---- results that wait ---------------------------------------------------- */

static void clear_result(struct runner_result *r)
{
	free((void *)(uintptr_t)r->text);
	free((void *)(uintptr_t)r->error);
	free((void *)(uintptr_t)r->spool);
	json_object_put(r->fields);
	for (size_t i = 0; i < r->media_count; i++) {
		free((void *)(uintptr_t)r->media[i].mime);
		free((void *)(uintptr_t)r->media[i].bytes);
	}
	free((void *)(uintptr_t)r->media);
	*r = (struct runner_result){ 0 };
}

static bool copy(const char **to, const char *from, size_t len)
{
	char *made = from ? malloc(len + 1) : NULL;

	if (made) {
		memcpy(made, from, len);
		made[len] = '\0';
	}
	*to = made;
	return made || !from;
}

static bool copy_media(const struct runner_result *from, struct runner_result *to)
{
	struct runner_media *all = calloc(from->media_count + 1, sizeof *all);

	to->media = all;
	for (size_t i = 0; all && i < from->media_count; i++) {
		const struct runner_media *m = &from->media[i];
		const char *bytes;

		if (!copy(&all[i].mime, m->mime, strlen(m->mime)) ||
		    !copy(&bytes, m->bytes, m->len))
			return false;
		all[i].bytes = bytes;
		all[i].len = m->len;
		to->media_count++;
	}
	return all;
}

static void keep(struct early_call *e, const struct runner_result *result)
{
	static const char sorry[] = "out of memory";
	struct runner_result *r = &e->result;

	*r = *result;
	r->text = r->error = r->spool = NULL;
	r->media = NULL;
	r->media_count = 0;
	r->fields = result->fields ? json_object_get(result->fields) : NULL;
	e->over = true;
	if (copy(&r->text, result->text, result->text_len) &&
	    copy(&r->error, result->error, result->error ? strlen(result->error) : 0) &&
	    copy(&r->spool, result->spool, result->spool ? strlen(result->spool) : 0) &&
	    copy_media(result, r))
		return;
	clear_result(r);
	r->status = MT_ENOMEM;
	copy(&r->text, "", 0);
	copy(&r->error, sorry, sizeof sorry - 1);
}

/* ---- calls in progress --------------------------------------------------------- */

static struct early_call *find(const struct conversation *c, uint64_t number)
{
	for (size_t i = 0; c->parallel && i < AHEAD_MAX; i++)
		if (c->parallel->list[i].number == number && number)
			return &c->parallel->list[i];
	return NULL;
}

static void forget(struct early_call *e)
{
	free(e->what);
	clear_result(&e->result);
	*e = (struct early_call){ 0 };
}

uint64_t parallel_call_of(const struct conversation *c, int64_t action)
{
	for (size_t i = 0; c->parallel && i < AHEAD_MAX; i++)
		if (c->parallel->list[i].number && c->parallel->list[i].action == action)
			return c->parallel->list[i].number;
	return (uint64_t)action;
}

int64_t parallel_action_of(const struct conversation *c, uint64_t number)
{
	const struct early_call *e = find(c, number);

	return e ? e->action : number < first_number ? (int64_t)number : -1;
}

bool parallel_buffer_result(struct conversation *c, const struct runner_result *result)
{
	struct early_call *e = find(c, result->call);

	if (!e || e->action >= 0)
		return false;
	keep(e, result);
	return true;
}

void parallel_finish(struct conversation *c, uint64_t number)
{
	struct early_call *e = find(c, number);

	if (e)
		forget(e);
}

void parallel_cancel(struct conversation *c)
{
	for (size_t i = 0; c->parallel && i < AHEAD_MAX; i++) {
		struct early_call *e = &c->parallel->list[i];

		if (!e->number || e->action >= 0)
			continue;
		if (!e->over && c->link)
			runner_cancel(c->link, e->number);
		forget(e);
	}
}

void parallel_free(struct conversation *c)
{
	for (size_t i = 0; c->parallel && i < AHEAD_MAX; i++)
		forget(&c->parallel->list[i]);
	free(c->parallel);
	c->parallel = NULL;
}

/* ---- leaving ------------------------------------------------------------------ */

static int name(const struct conversation *c, const struct tool *tool, const char *args,
		struct strbuf *out)
{
	return strbuf_addf(out, "%s\n%s\n%s",
			   c->agent->catalog.instances[tool->instance].name, tool->real,
			   args);
}

bool parallel_claim(struct conversation *c, const struct tool *tool, const char *args,
		    int64_t action, const struct runner_result **ret_result)
{
	AUTO(strbuf) struct strbuf what = STRBUF(64 << 20);

	*ret_result = NULL;
	if (!c->parallel || name(c, tool, args, &what))
		return false;
	for (size_t i = 0; i < AHEAD_MAX; i++) {
		struct early_call *e = &c->parallel->list[i];

		if (!e->number || e->action >= 0 || strcmp(e->what, what.text) != 0)
			continue;
		e->action = action;
		*ret_result = e->over ? &e->result : NULL;
		return true;
	}
	return false;
}

/* How many may be sent in addition to the pending one. */
static size_t room(const struct conversation *c)
{
	int64_t most = config_int(c->config, c->agent->section, "parallel_calls") - 1;
	int64_t left = features_calls_left(c);
	size_t under_way = 0;

	for (size_t i = 0; c->parallel && i < AHEAD_MAX; i++)
		under_way +=
			c->parallel->list[i].number && c->parallel->list[i].action < 0;
	if (most > left)
		most = left;
	if (most > AHEAD_MAX)
		most = AHEAD_MAX;
	return most > (int64_t)under_way ? (size_t)most - under_way : 0;
}

/* May it run in parallel with others? */
static bool is_beside(const struct conversation *c, const struct tool *tool)
{
	return tool && tool->trusted && (tool->hints & AHEAD_HINTS) == AHEAD_HINTS &&
	       !features_need_order(c);
}

static int leave(struct conversation *c, const struct tool *tool, const char *args,
		 size_t len, int64_t timeout)
{
	AUTO(strbuf) struct strbuf what = STRBUF(64 << 20);
	struct early_call *e = NULL;

	if (!c->parallel)
		c->parallel = calloc(1, sizeof *c->parallel);
	for (size_t i = 0; c->parallel && i < AHEAD_MAX && !e; i++)
		if (!c->parallel->list[i].number)
			e = &c->parallel->list[i];
	if (!e || name(c, tool, args, &what))
		return MT_ENOMEM;
	*e = (struct early_call){ .number = first_number + ++c->parallel->made,
			     .what = strbuf_take(&what), .action = -1 };
	if (e->what && !runner_call(c->link, e->number,
				    c->agent->catalog.instances[tool->instance].name,
				    tool->real, args, len, timeout, NULL))
		return MT_OK;
	forget(e);
	return MT_EIO;
}

/* No approval or hook is needed first. */
static bool is_harmless(struct conversation *c, struct event *action)
{
	struct verdict v = { .risk = RISK_LOW };

	if ((analyzers_wired(c) || c->agent->confirm.when != CONFIRM_NEVER) &&
	    c->assess(c, action, &v))
		return false;
	return !v.deny && v.risk == RISK_LOW &&
	       !confirm_needed(&c->agent->confirm, v.risk);
}

/* A call that is still to come, as it will be sent. @return false: it must wait. */
static bool send_early(struct conversation *c, const struct llm_call *call)
{
	const struct tool *tool = NULL;
	AUTO(event) struct event *action =
		call_event(&c->agent->catalog, call->name, call->args, call->args_len, "",
			   &tool, NULL);
	AUTO(json) json_object *args = NULL;
	const char *text;
	size_t len;

	if (!action || !is_beside(c, tool) || !is_harmless(c, action) ||
	    action_to_call(&c->agent->catalog, action, tool->name, &tool, &args, NULL))
		return false;
	text = js_text(args, &len);
	return text && !leave(c, tool, text, len, dispatch_deadline(c, tool, action));
}

void parallel_start(struct conversation *c, const struct tool *pending)
{
	size_t most = is_beside(c, pending) ? room(c) : 0, skip = 0, index;
	const struct llm_call *call;

	for (size_t i = 0; c->parallel && i < AHEAD_MAX; i++)
		skip += c->parallel->list[i].number && c->parallel->list[i].action < 0;
	for (; most-- > 0 && (call = turn_planned_call(c, skip, &index)); skip++)
		if (turn_call_is_masked(turn_reply(c), index) || !send_early(c, call))
			break;
}
