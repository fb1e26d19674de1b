/* SPDX-License-Identifier: MIT
 *
 * loop-detector.c - detects six kinds of loops in the newest events. */
#include "features/loop-detector.h"

#include "features/loop-same.h"

#include <string.h>

enum {
	LOOK_MAX = 256,      /* maximum number of events that one search passes */
	CONDENSED = 10,       /* number of condensations that are a loop if two of them
			       * are adjacent */
	CONDENSED_REPEATS = 2,
	ACTIONS_MIN = 3,      /* fewer events cannot repeat */
};

const char *loop_stuck_name(enum stuck_kind kind)
{
	static const char *const names[] = {
		[STUCK_NONE] = "",
		[STUCK_REPEAT] = "repeating_action_observation",
		[STUCK_ERRORS] = "repeating_action_error",
		[STUCK_MONOLOGUE] = "monologue",
		[STUCK_ALTERNATE] = "repeating_action_observation_pattern",
		[STUCK_CONDENSING] = "context_window_error",
		[STUCK_IDENTICAL] = "repeating_action",
	};

	return names[kind];
}

/* ---- going back through the log ---------------------------------------- */

struct walk {
	struct evlog *log;
	const struct stuck_options *o;
	int64_t at;
	unsigned looked;
};

static bool loop_detector_is_message(const struct evlog_head *head,
				     enum event_source source)
{
	return head->source == source && head->type->id == ACTION_MESSAGE;
}

/* The host adds these at a start, at a resume or for a message: they are not part of
 * the run. */
static bool is_added(const struct evlog_head *head)
{
	return head->type->id == ACTION_SYSTEM || head->type->id == ACTION_RECALL ||
	       head->type->id == OBSERVATION_RECALL ||
	       loop_detector_is_message(head, SOURCE_USER) ||
	       loop_detector_is_message(head, SOURCE_ENVIRONMENT);
}

/* The next older event that counts; -1: none within the search limit. */
static int64_t older(struct walk *w)
{
	while (w->at > w->o->start && w->looked < LOOK_MAX) {
		int64_t id = --w->at, begin = evlog_delegation_begin(w->log, id);
		const struct evlog_head *head = evlog_head(w->log, id);

		if (head->undone)
			continue;
		if (begin >= 0)
			w->at = begin + 1; /* actions of a delegate do not count for
					    * this agent */
		w->looked++;
		if (head->type->id == OBSERVATION_LOOP_DETECTION ||
		    (!w->o->headless && loop_detector_is_message(head, SOURCE_USER)))
			break;
		if (event_is_history(head) && !is_added(head))
			return id;
	}
	w->at = 0;
	return -1;
}

static struct walk walk_from_end(struct evlog *log, const struct stuck_options *o)
{
	return (struct walk){ .log = log, .o = o, .at = evlog_count(log) };
}

/* The newest actions and observations, newest first. */
struct newest {
	struct evlog *log;
	const struct stuck_options *o;
	int64_t actions[STUCK_REPEATS_MAX], observations[STUCK_REPEATS_MAX];
	size_t action_count, observation_count;
	size_t since_action; /* observations that are newer than the newest action */
};

static size_t most_repeats(const struct stuck_options *o)
{
	size_t most = o->same > o->errors ? o->same : o->errors;

	if (o->pattern > most)
		most = o->pattern;
	if (o->identical > most)
		most = o->identical;
	return most < STUCK_REPEATS_MAX ? most : STUCK_REPEATS_MAX;
}

/* An approved action is in the log twice; only the first one counts. */
static bool loop_detector_is_answer(struct evlog *log, int64_t id)
{
	const struct evlog_head *head = evlog_head(log, id);
	AUTO(event) struct event *e = NULL;

	if (!head->type->is_action || !(head->type->flags & EVENT_RUNNABLE))
		return false;
	e = evlog_event(log, id, NULL);
	return e && js_get(e->json, "confirms");
}

/* ---- waiting for what still runs ---------------------------------------- */

static bool loop_detector_is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

/* Does an action read the output of a running command or job, or wait for it? */
static bool is_wait(const struct event *action)
{
	const char *verb;

	if (action->type->id == ACTION_RUN)
		return loop_detector_is_blank(event_arg(action, "command"));
	if (action->type->id != ACTION_CALL_TOOL ||
	    strcmp(event_arg(action, "name"), "background_job") != 0)
		return false;
	verb = js_str(js_get(event_args(action), "arguments"), "do", "");
	return strcmp(verb, "read") == 0 || strcmp(verb, "wait") == 0 ||
	       strcmp(verb, "list") == 0;
}

/* Does a result say that the command or job is still running? */
static bool still_runs(const struct event *result)
{
	json_object *metadata = js_get(event_args(result), "metadata");

	if (result->type->id == OBSERVATION_TOOL)
		return js_bool(event_args(result), "running", false);
	return result->type->id == OBSERVATION_RUN &&
	       js_int(metadata, "exit_code", 0) == -1 &&
	       strncmp(event_content(result, NULL), "ERROR:", 6) != 0;
}

/* Events that count towards a loop, from the newest to the oldest. */
struct counted {
	struct walk walk;
	bool plain; /* waits, condensations and events of others count too */
	int64_t left_out[2]; /* the action of a wait, and the one that it confirms */
};

static struct counted counted_from_end(struct evlog *log, const struct stuck_options *o)
{
	return (struct counted){ .walk = walk_from_end(log, o), .left_out = { -1, -1 },
				 .plain = loop_is_plain(o) };
}

static bool is_left_out_wait(struct counted *w, int64_t id)
{
	const struct evlog_head *head = evlog_head(w->walk.log, id);
	AUTO(event) struct event *result = NULL, *action = NULL;

	if (head->type->is_action)
		return id == w->left_out[0] || id == w->left_out[1];
	if (head->cause < 0 || head->cause >= id ||
	    (head->type->id != OBSERVATION_RUN && head->type->id != OBSERVATION_TOOL))
		return false;
	result = evlog_event(w->walk.log, id, NULL);
	action = evlog_event(w->walk.log, head->cause, NULL);
	if (!result || !action || !is_wait(action) || !still_runs(result))
		return false;
	w->left_out[0] = head->cause;
	w->left_out[1] = js_int(action->json, "confirms", -1);
	return true;
}

/* Actions of users and of the host are not repetition by the agent. */
static bool is_of_others(struct evlog *log, int64_t id)
{
	const struct evlog_head *head = evlog_head(log, id);

	if (!head->type->is_action && head->cause >= 0 && head->cause < id)
		head = evlog_head(log, head->cause);
	return head->source == SOURCE_USER || head->source == SOURCE_ENVIRONMENT;
}

static bool is_condensing(const struct evlog_head *head)
{
	return head->type->id == ACTION_CONDENSATION ||
	       head->type->id == ACTION_CONDENSATION_REQUEST;
}

static int64_t older_counted(struct counted *w)
{
	int64_t id;

	while ((id = older(&w->walk)) >= 0) {
		const struct evlog_head *head = evlog_head(w->walk.log, id);

		if ((w->plain ||
		     (!is_condensing(head) && !is_of_others(w->walk.log, id) &&
		      !is_left_out_wait(w, id))) &&
		    !loop_detector_is_answer(w->walk.log, id))
			return id;
	}
	return -1;
}

static void loop_detector_collect(struct newest *n)
{
	struct counted w = counted_from_end(n->log, n->o);
	size_t most = most_repeats(n->o);
	int64_t id;

	while ((n->action_count < most || n->observation_count < most) &&
	       (id = older_counted(&w)) >= 0) {
		const struct evlog_head *head = evlog_head(n->log, id);

		if (head->type->is_action && n->action_count < most)
			n->actions[n->action_count++] = id;
		else if (!head->type->is_action && n->observation_count < most)
			n->observations[n->observation_count++] = id;
		if (n->action_count == 0)
			n->since_action = n->observation_count;
	}
}

/* ---- the six ------------------------------------------------------------ */

/* Are `count` events each equal to the event `apart` positions after it? */
static bool repeat(const struct newest *n, const int64_t *ids, size_t count, size_t apart)
{
	for (size_t i = 0; i + apart < count; i++)
		if (!loop_same_events(n->log, n->o, ids[i], ids[i + apart]))
			return false;
	return true;
}

static bool same_result(const struct newest *n)
{
	size_t count = n->o->same;

	return n->action_count >= count && n->observation_count >= count &&
	       repeat(n, n->actions, count, 1) && repeat(n, n->observations, count, 1);
}

/* OpenHands records the results of MCP servers as their JSON. */
static bool is_failed_mcp_result(const struct event *e)
{
	size_t len;
	const char *text = event_content(e, &len);
	AUTO(json) json_object *result =
		e->type->id == OBSERVATION_MCP && len && *text == '{'
			? js_parse_object(text, len, NULL)
			: NULL;

	return js_bool(result, "isError", false);
}

/* Did a call fail? The results of tools say so. */
static bool is_failure(const struct newest *n, int64_t id)
{
	const struct evlog_head *head = evlog_head(n->log, id);
	AUTO(event) struct event *e = NULL;

	if (head->type->id == OBSERVATION_ERROR)
		return true;
	if (head->type->id != OBSERVATION_TOOL && head->type->id != OBSERVATION_MCP)
		return false;
	e = evlog_event(n->log, id, NULL);
	return e && (js_bool(event_args(e), "is_error", false) ||
		     (!loop_is_plain(n->o) && is_failed_mcp_result(e)));
}

static bool all_failures(const struct newest *n, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!is_failure(n, n->observations[i]))
			return false;
	return true;
}

static bool all_of_type(const struct newest *n, size_t count, enum event_type_id id)
{
	for (size_t i = 0; i < count; i++)
		if (evlog_head(n->log, n->observations[i])->type->id != id)
			return false;
	return true;
}

static bool same_failure(const struct newest *n)
{
	size_t count = n->o->errors;

	if (n->action_count < count || n->observation_count < count ||
	    !repeat(n, n->actions, count, 1))
		return false;
	if (all_failures(n, count))
		return true;
	if (!all_of_type(n, count, OBSERVATION_RUN_IPYTHON))
		return false;
	for (size_t i = 0; i + 1 < count; i++)
		if (!loop_same_failed_cells(n->log, n->observations[i],
					    n->observations[i + 1]))
			return false;
	return true;
}

/* Calls that did not become actions because they could not be parsed. */
static bool same_complaint(const struct newest *n)
{
	size_t count = n->o->same;

	return !loop_is_plain(n->o) && n->since_action >= count &&
	       all_of_type(n, count, OBSERVATION_ERROR) &&
	       repeat(n, n->observations, count, 1);
}

static bool identical(const struct newest *n)
{
	size_t count = n->o->identical;

	return count && n->action_count >= count && repeat(n, n->actions, count, 1);
}

static bool taking_turns(const struct newest *n)
{
	size_t count = n->o->pattern;

	return n->action_count >= count && n->observation_count >= count &&
	       repeat(n, n->actions, count, 2) && repeat(n, n->observations, count, 2);
}

/* The newest messages of the agent, with no observation between them. */
static bool monologue(const struct newest *n, int64_t *ret_start)
{
	struct walk w = walk_from_end(n->log, n->o);
	int64_t first = -1, id;
	unsigned count = 0;

	while ((id = older(&w)) >= 0) {
		const struct evlog_head *head = evlog_head(n->log, id);

		if (!head->type->is_action && count > 0)
			break;
		if (!loop_detector_is_message(head, SOURCE_AGENT))
			continue;
		if (count > 0 && !loop_same_events(n->log, n->o, first, id))
			break;
		first = id;
		count++;
		if (loop_is_plain(n->o) && count == n->o->monologue)
			break;
	}
	*ret_start = first;
	return count >= n->o->monologue;
}

/* The action with which a loop began: it may have lasted longer than detection
 * requires. `apart`: the same action recurs after that many positions. */
static int64_t first_of_loop(const struct newest *n, size_t apart)
{
	struct counted w = counted_from_end(n->log, n->o);
	int64_t ring[2] = { -1, -1 }, id, start = -1;
	size_t count = 0;

	while ((id = older_counted(&w)) >= 0) {
		if (!evlog_head(n->log, id)->type->is_action)
			continue;
		if (count >= apart &&
		    !loop_same_events(n->log, n->o, ring[count % apart], id))
			break;
		ring[count++ % apart] = id;
		start = id;
	}
	return start;
}

/* The beginning as OpenHands determines it: the first event that equals the oldest
 * action that it examined, the last of `count`. */
static int64_t first_equal(const struct newest *n, size_t count)
{
	struct counted w = counted_from_end(n->log, n->o);
	int64_t id, start = n->actions[count - 1];
	AUTO(event) struct event *oldest = evlog_event(n->log, start, NULL);

	while (oldest && (id = older_counted(&w)) >= 0) {
		AUTO(event) struct event *e = NULL;

		if (evlog_head(n->log, id)->type != oldest->type)
			continue;
		e = evlog_event(n->log, id, NULL);
		if (e && loop_same_arguments(e, oldest, n->o->thought))
			start = id;
	}
	return start;
}

/* The beginning of a loop of `count` actions, which may be of several kinds. */
static int64_t loop_detector_start(const struct newest *n, size_t count, size_t apart)
{
	if (!loop_is_plain(n->o))
		return first_of_loop(n, apart);
	return first_equal(n, count < n->action_count ? count : n->action_count);
}

static bool is_condensed(const struct evlog_head *head)
{
	return head->type->id == OBSERVATION_CONDENSE ||
	       head->type->id == ACTION_CONDENSATION;
}

/* Ten condensations, and two of them with nothing in between. */
static bool condensing(const struct newest *n, int64_t *ret_start)
{
	struct walk w = walk_from_end(n->log, n->o);
	int64_t last = -1, id = older(&w);
	unsigned count = 0;
	bool adjacent = false;

	if (!loop_is_plain(n->o) && (id < 0 || !is_condensed(evlog_head(n->log, id))))
		return false;
	for (; id >= 0 && count < CONDENSED; id = older(&w)) {
		const struct evlog_head *head = evlog_head(n->log, id);

		if (head->type->id == ACTION_CONDENSATION_REQUEST)
			continue;
		if (!is_condensed(head)) {
			last = -1;
			continue;
		}
		count++;
		if (last >= 0) {
			adjacent = true;
			*ret_start = id;
		}
		last = id;
	}
	return count == CONDENSED && adjacent;
}

static struct stuck loop_detector_found(const struct newest *n, enum stuck_kind kind,
					unsigned repeats, int64_t start)
{
	return (struct stuck){ .kind = kind, .repeats = repeats, .start = start,
			       .newest = n->action_count ? n->actions[0] : -1 };
}

struct stuck loop_detect_stuck(struct evlog *log, const struct stuck_options *o)
{
	struct newest n = { .log = log, .o = o };
	int64_t start = -1;

	loop_detector_collect(&n);
	if (n.action_count + n.observation_count >= ACTIONS_MIN) {
		if (same_result(&n))
			return loop_detector_found(&n, STUCK_REPEAT, o->same,
						   loop_detector_start(&n, o->same, 1));
		if (same_failure(&n))
			return loop_detector_found(&n, STUCK_ERRORS, o->errors,
						   loop_detector_start(&n, o->same, 1));
		if (same_complaint(&n))
			return loop_detector_found(&n, STUCK_ERRORS, o->same,
						   n.observations[o->same - 1]);
		if (monologue(&n, &start))
			return loop_detector_found(&n, STUCK_MONOLOGUE, o->monologue,
						   start);
		if (taking_turns(&n))
			return loop_detector_found(&n, STUCK_ALTERNATE, o->pattern / 2,
						   loop_detector_start(&n, o->pattern,
								       2));
		if (identical(&n))
			return loop_detector_found(&n, STUCK_IDENTICAL, o->identical,
						   first_of_loop(&n, 1));
	}
	if (condensing(&n, &start))
		return loop_detector_found(&n, STUCK_CONDENSING, CONDENSED_REPEATS,
					   start);
	return (struct stuck){ .start = -1, .newest = -1 };
}
