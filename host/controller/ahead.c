/* SPDX-License-Identifier: MIT
 *
 * ahead.c - calls of one reply that only read run beside each other: while one is
 * pending, those behind it have left too. Events stay as they are without it, in
 * the order of the reply: a result that came early is kept until it is its turn. */
#include "controller/internal.h"

#include <string.h>

enum { AHEAD_MAX = 16, AHEAD_HINTS = MT_TOOL_READ_ONLY | MT_TOOL_PARALLEL };

static const uint64_t first_number = 1000000000000; /* actions have smaller ones */

/* A call that has left. */
struct early {
	uint64_t number;         /* of the link; 0: this place is free */
	char *what;              /* instance, tool and arguments */
	int64_t action;          /* whose call it is; -1: its turn has not come */
	bool over;               /* `result` is there */
	struct runner_result result;
};

struct ahead {
	uint64_t made;
	struct early list[AHEAD_MAX];
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

		if (!copy(&all[i].mime, m->mime, strlen(m->mime))
		    || !copy(&bytes, m->bytes, m->len))
			return false;
		all[i].bytes = bytes;
		all[i].len = m->len;
		to->media_count++;
	}
	return all;
}

static void keep(struct early *e, const struct runner_result *result)
{
	static const char sorry[] = "out of memory";
	struct runner_result *r = &e->result;

	*r = *result;
	r->text = r->error = r->spool = NULL;
	r->media = NULL;
	r->media_count = 0;
	r->fields = result->fields ? json_object_get(result->fields) : NULL;
	e->over = true;
	if (copy(&r->text, result->text, result->text_len)
	    && copy(&r->error, result->error, result->error ? strlen(result->error) : 0)
	    && copy(&r->spool, result->spool, result->spool ? strlen(result->spool) : 0)
	    && copy_media(result, r))
		return;
	clear_result(r);
	r->status = MT_ENOMEM;
	copy(&r->text, "", 0);
	copy(&r->error, sorry, sizeof sorry - 1);
}

/* ---- those that are under way ------------------------------------------------ */

static struct early *find(const struct conversation *c, uint64_t number)
{
	for (size_t i = 0; c->ahead && i < AHEAD_MAX; i++)
		if (c->ahead->list[i].number == number && number)
			return &c->ahead->list[i];
	return NULL;
}

static void forget(struct early *e)
{
	free(e->what);
	clear_result(&e->result);
	*e = (struct early){ 0 };
}

uint64_t ahead_number(const struct conversation *c, int64_t action)
{
	for (size_t i = 0; c->ahead && i < AHEAD_MAX; i++)
		if (c->ahead->list[i].number && c->ahead->list[i].action == action)
			return c->ahead->list[i].number;
	return (uint64_t)action;
}

int64_t ahead_action(const struct conversation *c, uint64_t number)
{
	const struct early *e = find(c, number);

	return e ? e->action : number < first_number ? (int64_t)number : -1;
}

bool ahead_takes(struct conversation *c, const struct runner_result *result)
{
	struct early *e = find(c, result->call);

	if (!e || e->action >= 0)
		return false;
	keep(e, result);
	return true;
}

void ahead_over(struct conversation *c, uint64_t number)
{
	struct early *e = find(c, number);

	if (e)
		forget(e);
}

void ahead_drop(struct conversation *c)
{
	for (size_t i = 0; c->ahead && i < AHEAD_MAX; i++) {
		struct early *e = &c->ahead->list[i];

		if (!e->number || e->action >= 0)
			continue;
		if (!e->over && c->link)
			runner_cancel(c->link, e->number);
		forget(e);
	}
}

void ahead_free(struct conversation *c)
{
	for (size_t i = 0; c->ahead && i < AHEAD_MAX; i++)
		forget(&c->ahead->list[i]);
	free(c->ahead);
	c->ahead = NULL;
}

/* ---- leaving ------------------------------------------------------------------ */

static int name(const struct conversation *c, const struct tool *tool, const char *args,
		struct strbuf *out)
{
	return strbuf_addf(out, "%s\n%s\n%s", c->catalog.instances[tool->instance].name,
			   tool->real, args);
}

bool ahead_sent(struct conversation *c, const struct tool *tool, const char *args,
		int64_t action, const struct runner_result **ret_result)
{
	AUTO(strbuf) struct strbuf what = STRBUF(64 << 20);

	*ret_result = NULL;
	if (!c->ahead || name(c, tool, args, &what))
		return false;
	for (size_t i = 0; i < AHEAD_MAX; i++) {
		struct early *e = &c->ahead->list[i];

		if (!e->number || e->action >= 0 || strcmp(e->what, what.text) != 0)
			continue;
		e->action = action;
		*ret_result = e->over ? &e->result : NULL;
		return true;
	}
	return false;
}

/* How many may leave beside the pending one. */
static size_t room(const struct conversation *c)
{
	int64_t most = config_int(c->config, c->section, "parallel_calls") - 1;
	size_t under_way = 0;

	for (size_t i = 0; c->ahead && i < AHEAD_MAX; i++)
		under_way += c->ahead->list[i].number && c->ahead->list[i].action < 0;
	for (const struct account *a = c->purse; a; a = a->parent) {
		const struct meter *m = &a->meters[LIMIT_CALLS];

		if (m->max > 0 && (double)most > m->max - m->used)
			most = (int64_t)(m->max - m->used);
	}
	if (most > AHEAD_MAX)
		most = AHEAD_MAX;
	return most > (int64_t)under_way ? (size_t)most - under_way : 0;
}

/* May it run beside others? A hook may be a program that knows only one order. */
static bool is_beside(const struct conversation *c, const struct tool *tool)
{
	return tool && tool->trusted && (tool->hints & AHEAD_HINTS) == AHEAD_HINTS
	       && !c->hooking;
}

static int leave(struct conversation *c, const struct tool *tool, const char *args,
		 size_t len, int64_t timeout)
{
	AUTO(strbuf) struct strbuf what = STRBUF(64 << 20);
	struct early *e = NULL;

	if (!c->ahead)
		c->ahead = calloc(1, sizeof *c->ahead);
	for (size_t i = 0; c->ahead && i < AHEAD_MAX && !e; i++)
		if (!c->ahead->list[i].number)
			e = &c->ahead->list[i];
	if (!e || name(c, tool, args, &what))
		return MT_ENOMEM;
	*e = (struct early){ .number = first_number + ++c->ahead->made,
			     .what = strbuf_take(&what), .action = -1 };
	if (e->what
	    && !runner_call(c->link, e->number, c->catalog.instances[tool->instance].name,
			  tool->real, args, len, timeout, NULL))
		return MT_OK;
	forget(e);
	return MT_EIO;
}

/* Nobody has to look at it, or hear of it, first. */
static bool is_harmless(struct conversation *c, struct event *action)
{
	struct verdict v = { .risk = RISK_LOW };

	if ((analyzers_wired(c) || c->confirm.when != CONFIRM_NEVER)
	    && c->judge(c, action, &v))
		return false;
	return !v.deny && v.risk == RISK_LOW && !confirm_needed(&c->confirm, v.risk);
}

/* A call that is still to come, as it will be sent. @return false: it must wait. */
static bool send_early(struct conversation *c, size_t n)
{
	const struct llm_call *call = &c->reply->calls[n];
	const struct tool *tool = NULL;
	AUTO(event) struct event *action =
		call_event(&c->catalog, call->name, call->args, call->args_len, "", &tool, NULL);
	AUTO(json) json_object *args = NULL;
	const char *text;
	size_t len;

	if (call_masked(c->reply, n) || !action || !is_beside(c, tool) || !is_harmless(c, action)
	    || action_to_call(&c->catalog, action, tool->name, &tool, &args, NULL))
		return false;
	text = js_text(args, &len);
	return text && !leave(c, tool, text, len, call_deadline(c, tool, action));
}

void ahead_look(struct conversation *c, const struct tool *pending)
{
	size_t most = is_beside(c, pending) && c->reply ? room(c) : 0, skip = 0;

	for (size_t i = 0; c->ahead && i < AHEAD_MAX; i++)
		skip += c->ahead->list[i].number && c->ahead->list[i].action < 0;
	for (size_t i = c->next + skip; i < c->queued && most-- > 0; i++)
		if (c->queue[i].kind != PLAN_CALL || c->queue[i].call >= c->reply->call_count
		    || !send_early(c, c->queue[i].call))
			break;
}
