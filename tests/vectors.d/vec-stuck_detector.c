/* SPDX-License-Identifier: MIT
 *
 * vec-stuck_detector.c - recorded histories in which an agent goes in a loop,
 * or does not. */
#include "features/loop-detector.h"
#include "vec.h"

static char top[] = "/tmp/mortise-stuck-XXXXXX";

static struct evlog *new_log(void)
{
	static unsigned number;
	const struct evlog_options o = { .sync = SYNC_NONE };
	struct evlog *log = NULL;
	struct error err = ERROR_NONE;
	char dir[128];

	snprintf(dir, sizeof dir, "%s/%u", top, number++);
	if (evlog_open(dir, EVLOG_CREATE, &o, &log, NULL, &err))
		fprintf(stderr, "%s\n", err.text);
	return log;
}

static bool append(struct vec *v, struct evlog *log, json_object *given)
{
	struct error err = ERROR_NONE;
	AUTO(json) json_object *json = NULL;
	AUTO(event) struct event *e = NULL;

	json_object_deep_copy(given, &json, NULL);
	json_object_object_del(json, "id");
	json_object_object_del(json, "cause");
	e = event_from_json(json, &err);
	if (!e || evlog_append(log, e, &err)) {
		vec_fault(v, "an event of the history", "taken", err.text);
		return false;
	}
	return true;
}

/* ---- V0 ------------------------------------------------------------------ */

/* The place that the original gives an event: among those after the user's last
 * message (if that is where it looks) but for user messages and nulls. */
static int64_t place_of(json_object *history, bool headless, int64_t id)
{
	int64_t from = 0, place = 0;

	for (int64_t i = 0; i < (int64_t)json_object_array_length(history); i++) {
		json_object *e = json_object_array_get_idx(history, (size_t)i);
		const char *type = js_str(e, "action", js_str(e, "observation", ""));
		bool user = strcmp(type, "message") == 0 &&
			    strcmp(js_str(e, "source", ""), "user") == 0;

		if (user && !headless) {
			from = i + 1;
			place = 0;
		}
		if (i == id)
			break;
		place += !user && strcmp(type, "null") != 0;
	}
	return from + place;
}

static void want_number(struct vec *v, const char *what, int64_t want, int64_t got)
{
	char a[32], b[32];

	snprintf(a, sizeof a, "%lld", (long long)want);
	snprintf(b, sizeof b, "%lld", (long long)got);
	if (want != got)
		vec_fault(v, what, a, b);
}

static void one_v0(struct vec *v, json_object *c, struct evlog *log)
{
	struct stuck_options o = { .headless = js_bool(c, "headless", true),
				   .exit_code = true, .thought = true,
				   .same = 4, .errors = 3, .monologue = 3, .pattern = 6 };
	json_object *history = js_get(c, "history"), *want = js_get(c, "analysis");
	bool stuck = js_bool(c, "stuck", false);
	struct stuck got;

	for (size_t i = 0; i < json_object_array_length(history); i++)
		if (!append(v, log, json_object_array_get_idx(history, i)))
			return;
	got = loop_detect_stuck(log, &o);
	if (stuck != (got.kind != STUCK_NONE)) {
		vec_fault(v, "stuck", stuck ? "yes" : "no", loop_stuck_name(got.kind));
		return;
	}
	if (!stuck || !want)
		return;
	if (strcmp(loop_stuck_name(got.kind), js_str(want, "loop_type", "")) != 0)
		vec_fault(v, "type", js_str(want, "loop_type", ""),
			  loop_stuck_name(got.kind));
	want_number(v, "repeats", js_int(want, "loop_repeat_times", -1), got.repeats);
	want_number(v, "start", js_int(want, "loop_start_idx", -1),
		    place_of(history, o.headless, got.start));
}

/* ---- V1: the nudge -------------------------------------------------------- */

static json_object *new_event(const char *source, const char *sort, const char *type)
{
	json_object *e = json_object_new_object();

	js_set_str(e, "source", source);
	js_set_str(e, sort, type);
	js_set(e, *sort == 'a' ? "args" : "extras", json_object_new_object());
	if (*sort == 'o')
		js_set_str(e, "content", "");
	return e;
}

/* An event of V1 as it stands in a log of ours. NULL: it leaves nothing there. */
static json_object *translate(json_object *from)
{
	const char *kind = js_str(from, "kind", ""), *source = js_str(from, "source", "");
	json_object *e = NULL, *args;

	if (strcmp(kind, "MessageEvent") == 0) {
		e = new_event(source, "action", "message");
		js_set_str(js_get(e, "args"), "content",
			   json_object_to_json_string(js_get(from, "llm_message")));
	} else if (strcmp(kind, "ActionEvent") == 0) {
		e = new_event(source, "action", "call_tool");
		args = js_get(e, "args");
		js_set_str(args, "name", js_str(from, "tool_name", ""));
		js_set(args, "arguments", json_object_get(js_get(from, "action")));
		js_set_str(args, "thought",
			   json_object_to_json_string(js_get(from, "thought")));
	} else if (strcmp(kind, "ObservationEvent") == 0) {
		e = new_event(source, "observation", "tool");
		js_set_str(e, "content",
			   json_object_to_json_string(js_get(from, "observation")));
		js_set_str(js_get(e, "extras"), "name", js_str(from, "tool_name", ""));
	} else if (strcmp(kind, "AgentErrorEvent") == 0) {
		e = new_event(source, "observation", "error");
		js_set_str(e, "content", js_str(from, "error", ""));
	}
	return e;
}

/* A nudge is due when a loop of errors is seen for the first time. */
static bool nudge_due(struct evlog *log, const struct stuck_options *o)
{
	struct stuck_options longer = *o;

	longer.errors++;
	return loop_detect_stuck(log, o).kind == STUCK_ERRORS &&
	       loop_detect_stuck(log, &longer).kind != STUCK_ERRORS;
}

static void one_v1(struct vec *v, json_object *c, struct evlog *log)
{
	json_object *t = js_get(c, "thresholds"), *events = js_get(c, "events");
	const struct stuck_options o = {
		.thought = true,
		.same = (unsigned)js_int(t, "action_observation", 4),
		.errors = (unsigned)js_int(t, "action_error", 3),
		.monologue = (unsigned)js_int(t, "monologue", 3),
		.pattern = (unsigned)js_int(t, "alternating_pattern", 6),
	};
	bool want = js_get(c, "fn") ? js_get(c, "result") != NULL
				    : js_bool(c, "nudge", false);
	bool got;

	for (size_t i = 0; i < json_object_array_length(events); i++) {
		AUTO(json)
		json_object *e = translate(json_object_array_get_idx(events, i));

		if (e && !append(v, log, e))
			return;
	}
	got = nudge_due(log, &o);
	if (want != got)
		vec_fault(v, "nudge", want ? "yes" : "no", got ? "yes" : "no");
}

static bool one(struct vec *v, json_object *c)
{
	static const struct vec_decision decided[] = {
		{ "v1", "is_stuck", "the scenarios are those of V0" },
	};
	const char *fn = js_str(c, "fn", ""), *version = js_str(c, "version", "");
	bool v0 = strcmp(version, "v0") == 0 && !*fn;
	bool nudge = strcmp(version, "v1") == 0 &&
		     (!*fn || strcmp(fn, "get_action_error_nudge") == 0);
	struct evlog *log;

	if (!v0 && !nudge)
		return vec_decide(v, c, decided, ARRAY_LEN(decided));
	log = new_log();
	if (!log)
		vec_fault(v, "a log", "opened", "not opened");
	else if (v0)
		one_v0(v, c, log);
	else
		one_v1(v, c, log);
	evlog_close(log);
	return true;
}

int main(int argc, char **argv)
{
	struct vec v;

	if (!vec_open(&v, argc, argv) || !mkdtemp(top))
		return 2;
	vec_each(&v, one);
	dir_remove(top, NULL);
	return vec_done(&v);
}
