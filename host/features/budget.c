/* SPDX-License-Identifier: MIT
 *
 * budget.c - budgets and their limits. */
#include "features/budget.h"

#include "js.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *option;
	bool step;             /* raised by its initial value; otherwise relative to
			        * the usage */
	const char *form;      /* format of the sentence: usage, maximum */
	int decimals, up_to;   /* minimum and maximum number of decimals to print */
} limits[LIMIT_COUNT] = {
	/* the first two forms: verbatim from OpenHands */
	[LIMIT_ITERATIONS] = { "max_iterations", true,
		"Agent reached maximum iteration. Current iteration: %s, max iteration: "
		"%s", 0, 0 },
	[LIMIT_COST] = { "max_budget", false,
		"Agent reached maximum budget for conversation."
		"Current budget: %s, max budget: %s", 2, 10 },
	[LIMIT_TOKENS] = { "max_tokens", false,
		"Agent reached maximum tokens. Current tokens: %s, max tokens: %s", 0, 0 },
	[LIMIT_TIME] = { "max_time", false,
		"Agent reached maximum time of work. Current time: %s s, max time: "
		"%s s", 0, 3 },
	[LIMIT_CALLS] = { "max_calls", false,
		"Agent reached maximum tool calls. Current calls: %s, max calls: %s", 0, 0 },
};

const char *budget_limit_option(enum limit which)
{
	return limits[which].option;
}

void budget_set_limit(struct budget *a, enum limit which, double max)
{
	a->quotas[which].max = a->quotas[which].more = max;
}

void budget_spend(struct budget *a, enum limit which, double n)
{
	if (!(n > 0))
		return;
	for (; a; a = a->parent)
		a->quotas[which].used += n;
}

/* With as many decimals as the value needs. */
static const char *amount(enum limit which, double n, char ret[32])
{
	int up_to = limits[which].up_to;
	size_t len;

	snprintf(ret, 32, "%.*f", up_to, n);
	len = strlen(ret);
	for (int more = up_to - limits[which].decimals; more > 0 && ret[len - 1] == '0';
	     more--)
		ret[--len] = '\0';
	if (ret[len - 1] == '.')
		ret[--len] = '\0';
	return ret;
}

static void say_reached(size_t i, const struct quota *m, char *text, size_t room)
{
	char used[32], max[32];

	if (room)
		snprintf(text, room, limits[i].form, amount(i, m->used, used),
			 amount(i, m->max, max));
}

bool budget_account_reached(struct budget *a, unsigned which, char *text, size_t room)
{
	for (; a; a = a->parent)
		for (size_t i = 0; i < LIMIT_COUNT; i++) {
			struct quota *m = &a->quotas[i];

			if (!(which & (1u << i)) || m->max <= 0 || m->used < m->max)
				continue;
			m->hit = true;
			say_reached(i, m, text, room);
			return true;
		}
	return false;
}

bool budget_was_hit(const struct budget *a)
{
	for (size_t i = 0; i < LIMIT_COUNT; i++)
		if (a->quotas[i].hit)
			return true;
	return false;
}

bool budget_raise(struct budget *a)
{
	bool raised = false;

	for (; a; a = a->parent)
		for (size_t i = 0; i < LIMIT_COUNT; i++) {
			struct quota *m = &a->quotas[i];

			if (!m->hit)
				continue;
			m->max = (limits[i].step ? m->max : m->used) + m->more;
			m->hit = false;
			raised = true;
		}
	return raised;
}

static void add_meter(json_object *o, const char *name, const struct quota *m)
{
	json_object *pair = js_new_list();

	js_add_new(pair, js_new_number(m->used));
	js_add_new(pair, js_new_number(m->max - m->more)); /* its increment */
	js_add_new(pair, json_object_new_boolean(m->hit));
	js_set(o, name, pair);
}

json_object *budget_json(const struct budget *a)
{
	json_object *o = js_new_object();

	for (size_t i = 0; i < LIMIT_COUNT; i++)
		add_meter(o, limits[i].option, &a->quotas[i]);
	return o;
}

static double budget_number_at(json_object *pair, size_t n)
{
	double d = json_object_get_double(json_object_array_get_idx(pair, n));

	return d > 0 && d < 1e18 ? d : 0;
}

void budget_from_json(struct budget *a, json_object *o)
{
	for (size_t i = 0; i < LIMIT_COUNT; i++) {
		struct quota *m = &a->quotas[i];
		json_object *pair = js_get(o, limits[i].option);

		if (!json_object_is_type(pair, json_type_array) ||
		    json_object_array_length(pair) != 3)
			continue;
		m->used = budget_number_at(pair, 0);
		if (m->max > 0)
			m->max += budget_number_at(pair, 1);
		m->hit = json_object_get_boolean(json_object_array_get_idx(pair, 2));
	}
}
