/* SPDX-License-Identifier: MIT
 *
 * replay-compare.c - compares the result of an action with the recorded one. */
#include "features/replay-internal.h"

#include <string.h>

enum { LOOK_MAX = 1000 }; /* events between an action and its result */

static bool is_delegate(struct replay *r, int64_t action)
{
	return evlog_head(r->log, action)->type->id == ACTION_DELEGATE;
}

/* The observation of a recorded action. Old files do not number observations: there it
 * is the next event. NULL: none. */
struct event *replay_result(struct replay *r, int64_t action)
{
	if (is_delegate(r, action)) {
		int64_t end = evlog_delegation_end(r->log, action);

		return end < 0 ? NULL : evlog_event(r->log, end, NULL);
	}
	for (int64_t id = action + 1; id < evlog_count(r->log) && id <= action + LOOK_MAX;
	     id++) {
		const struct evlog_head *head = evlog_head(r->log, id);
		bool next = id == action + 1 && head->cause < 0;

		if (!head->undone && !head->type->is_action &&
		    (head->cause == action || next))
			return evlog_event(r->log, id, NULL);
	}
	return NULL;
}

static struct replay_action *replay_compare_action_of(struct replay *r, int64_t now)
{
	for (size_t i = r->next; i-- > 0;)
		if (r->actions[i].now == now)
			return &r->actions[i];
	return NULL;
}

/* Trailing blanks are ignored. */
static size_t replay_compare_text_of(const struct event *e, const char **ret)
{
	size_t len;

	*ret = event_content(e, &len);
	while (len > 0 && strchr(" \t\r\n", (*ret)[len - 1]))
		len--;
	return len;
}

static int64_t replay_compare_exit_code(const struct event *e)
{
	return js_int(js_get(event_args(e), "metadata"), "exit_code", -1);
}

/* The name of the difference; NULL: none. */
static const char *difference(const struct event *want, const struct event *got)
{
	const char *a, *b;
	size_t a_len, b_len;

	if (want->type != got->type)
		return "observation";
	if (want->type->id == OBSERVATION_RUN &&
	    replay_compare_exit_code(want) != replay_compare_exit_code(got))
		return "exit code";
	a_len = replay_compare_text_of(want, &a);
	b_len = replay_compare_text_of(got, &b);
	return a_len == b_len && memcmp(a, b, a_len) == 0 ? NULL : "output";
}

static void put_side(struct strbuf *out, const struct event *e, const char *what)
{
	if (strcmp(what, "observation") == 0)
		strbuf_addf(out, "%s: ", e->type->name);
	if (strcmp(what, "exit code") == 0)
		strbuf_addf(out, "%lld", (long long)replay_compare_exit_code(e));
	else
		strbuf_add(out, event_content(e, NULL));
}

void replay_compare(struct replay *r, const struct event *e,
		    void (*differs)(void *arg, const struct replay_difference *d),
		    void *arg)
{
	struct replay_action *a = e->is_action || e->cause < 0
					  ? NULL
					  : replay_compare_action_of(r, e->cause);
	AUTO(event) struct event *want = NULL;
	AUTO(strbuf) struct strbuf x = STRBUF(SIZE_MAX / 2), y = STRBUF(SIZE_MAX / 2);
	struct replay_difference d;

	if (!a || a->compared)
		return;
	a->compared = true;
	want = replay_result(r, a->recorded);
	if (!want) {
		r->report.unmatched++;
		return;
	}
	d = (struct replay_difference){
		.recorded = replay_original_id(r, a->recorded),
		.now = a->now,
		.type = evlog_head(r->log, a->recorded)->type->name,
		.message = a->message ? a->message : "",
		.what = difference(want, e),
	};
	if (!d.what) {
		r->report.same++;
		return;
	}
	r->report.different++;
	put_side(&x, want, d.what);
	put_side(&y, e, d.what);
	d.want = x.text ? x.text : "";
	d.got = y.text ? y.text : "";
	differs(arg, &d);
}

struct replay_report replay_report(const struct replay *r)
{
	struct replay_report report = r->report;

	report.actions = r->next;
	report.left = r->count - r->next;
	return report;
}
