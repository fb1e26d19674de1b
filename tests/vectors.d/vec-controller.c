/* SPDX-License-Identifier: MIT
 *
 * vec-controller.c - the controller against recorded cases of V0's. */
#include "vec.h"

#include "features/approval/action-hash.h"
#include "features/approval/approval-internal.h"
#include "exit-code.h"
#include "controller/features.h"
#include "controller/kit.h"
#include "controller/plugins/model-request.h"
#include "events/step-policy.h"
#include "controller/turn.h"
#include "features/limits.h"
#include "llm/llm-internal.h"

static uv_loop_t loop;
static const char *const settings[] = { "controller.analyzers=", NULL };

static void fault_int(struct vec *v, const char *what, int64_t expected, int64_t got)
{
	char a[32], b[32];

	snprintf(a, sizeof a, "%lld", (long long)expected);
	snprintf(b, sizeof b, "%lld", (long long)got);
	if (expected != got)
		vec_fault(v, what, a, b);
}

static void fault_text(struct vec *v, const char *what, const char *expected,
		       const char *got)
{
	if (strcmp(expected ? expected : "(none)", got ? got : "(none)") != 0)
		vec_fault(v, what, expected, got);
}

/* ---- which event leads to a step --------------------------------------- */

static bool case_should_step(struct vec *v, json_object *in, json_object *output)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *e = event_from_json(js_get(in, "event"), &err);
	int state = state_find(js_str(in, "state", ""));

	if (!e || state < 0)
		vec_fault(v, "the event", "an event and a state", err.text);
	else
		fault_int(v, "it steps", json_object_get_boolean(output),
			  step_policy_triggers(e, (enum agent_state)state));
	return true;
}

/* ---- states ------------------------------------------------------------ */

static void compare_events(struct vec *v, struct conversation *c, int64_t id,
			   json_object *list)
{
	size_t n = json_object_array_length(list);

	fault_int(v, "number of events", (int64_t)n, evlog_count(c->log) - id);
	for (size_t i = 0; i < n && id < evlog_count(c->log); i++, id++) {
		json_object *want = json_object_array_get_idx(list, i);
		AUTO(event) struct event *e = evlog_event(c->log, id, NULL);

		fault_text(v, "type", js_str(want, "type", NULL), e->type->name);
		json_object_object_foreach(want, key, value)
			if (strcmp(key, "type") != 0)
				fault_text(v, key, json_object_get_string(value),
					   event_arg(e, key));
	}
}

static void pending_run(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *e = NULL;
	bool done = false;
	int64_t id = kit_action(c, "run",
				"{\"command\":\"ls\",\"thought\":\"t\","
				"\"confirmation_state\":\"awaiting_confirmation\"}");

	e = evlog_event(c->log, id, &err);
	if (!e || FEATURES_TRY(&done, restore_action, c, e, &done, &err) || !done)
		abort();
}

static bool case_set_state(struct vec *v, json_object *in, json_object *output)
{
	bool headless = js_bool(in, "headless", false);
	int from = state_find(js_str(in, "from", "")),
	    to = state_find(js_str(in, "to", ""));
	struct conversation *c = kit_new(&loop, settings, headless);
	struct quota *steps = &limits_budget(c->agent)->quotas[LIMIT_ITERATIONS];
	int64_t id;

	pending_run(c);
	*steps = (struct quota){ .used = 5, .max = 5, .more = 5, .hit = true };
	c->state = (enum agent_state)from;
	id = evlog_count(c->log);
	conversation_set_state(c, (enum agent_state)to, "");
	fault_text(v, "state", js_str(output, "state", ""), state_name(c->state));
	fault_int(v, "pending", js_bool(output, "pending", false), !turn_is_idle(c));
	fault_int(v, "max_iterations", js_int(output, "max_iterations", 0),
		  (int64_t)steps->max);
	compare_events(v, c, id, js_get(output, "events"));
	kit_close(&loop, c);
	return true;
}

/* ---- confirmation ------------------------------------------------------ */

static json_object *analyzer; /* of the case: NULL, a risk, or "raises" */

static int recorded_judge(struct conversation *c, struct call *call, struct verdict *ret)
{
	*ret = (struct verdict){ .risk = RISK_UNKNOWN };
	if (!analyzer)
		return approval_ask_analyzers(c, call, ret);
	if (json_object_is_type(analyzer, json_type_string))
		return MT_FAILED;
	ret->risk = (enum risk)json_object_get_int(analyzer);
	return MT_OK;
}

static const char *not_ours(json_object *in)
{
	static const char *const unchecked[] = { "browse", "write", "call_tool_mcp" };
	bool on = js_bool(in, "confirmation_mode", false);
	json_object *a = js_get(in, "analyzer");

	for (size_t i = 0; on && i < ARRAY_LEN(unchecked); i++)
		if (strcmp(js_str(in, "action", ""), unchecked[i]) == 0)
			return "write, MCP and URL calls are analyzed and confirmed like "
			       "any other";
	if (on && a && !js_bool(in, "cli_mode", false) &&
	    (json_object_is_type(a, json_type_string) || json_object_get_int(a) < 0))
		return "an unknown risk waits, with an analyzer too";
	return NULL;
}

static struct event *recorded_action(json_object *in)
{
	static const struct {
		const char *type, *args;
	} all[] = {
		{ "run", "{\"command\":\"ls\"}" }, { "run_ipython", "{\"code\":\"1\"}" },
		{ "browse_interactive", "{\"browser_actions\":\"noop()\"}" },
		{ "browse", "{\"url\":\"http://x\"}" }, { "edit", "{\"path\":\"/a\"}" },
		{ "read", "{\"path\":\"/a\"}" },
		{ "write", "{\"path\":\"/a\",\"content\":\"\"}" },
		{ "call_tool_mcp", "{\"name\":\"x\"}" }, { "think", "{}" },
		{ "task_tracking", "{}" },
	};
	const char *type = js_str(in, "action", "");
	struct event *e = NULL;

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (strcmp(all[i].type, type) == 0)
			e = event_action(type, SOURCE_AGENT,
					 js_parse_object(all[i].args, strlen(all[i].args),
							 NULL),
					 NULL);
	if (e && event_field_find(e->type, "security_risk"))
		js_set_int(event_args(e), "security_risk", js_int(in, "llm_risk", -1));
	return e;
}

static void run_confirmation(struct vec *v, struct conversation *c, struct event *e,
			     json_object *output)
{
	AUTO(event) struct event *kept = event_ref(e);
	struct error err = ERROR_NONE;
	bool runnable = (e->type->flags & EVENT_RUNNABLE) != 0;
	struct call *call = runnable ? call_new(c, e) : NULL;
	bool waits = call && FEATURES_ASK(gate, c, call);
	json_object *risk = js_get(output, "final_risk");

	if (waits) {
		event_unref(e);
	} else {
		conversation_log_event(c, e, &err);
		call_free(call);
	}
	fault_text(v, "state", js_str(output, "state", ""), state_name(c->state));
	fault_int(v, "pending", js_bool(output, "pending", false),
		  waits ? turn_pending(c) == kept->id : runnable);
	if (waits)
		fault_text(v, "mark", js_str(output, "confirmation_state", ""),
			   event_awaits_confirmation(kept) ? "awaiting_confirmation"
							   : "");
	else
		fault_text(v, "mark", js_str(output, "confirmation_state", NULL),
			   js_str(event_args(kept), "confirmation_state", NULL));
	if (risk)
		fault_int(v, "risk", json_object_get_int(risk),
			  js_int(event_args(kept), "security_risk", -9));
}

static bool case_confirmation(struct vec *v, json_object *in, json_object *output)
{
	const char *why = not_ours(in);
	struct conversation *c;
	struct event *e;

	if (why) {
		vec_skip(v, "confirmation", why);
		return false;
	}
	e = recorded_action(in);
	if (!e) {
		vec_fault(v, "the action", js_str(in, "action", ""), NULL);
		return true;
	}
	c = kit_new(&loop, settings, false);
	analyzer = js_get(in, "analyzer");
	approval_of(c)->assess = recorded_judge;
	c->state = STATE_RUNNING;
	*approval_policy(c) =
		(struct approval_policy){ .from = RISK_HIGH, .unknown = true };
	approval_policy(c)->when = !js_bool(in, "confirmation_mode", false)
					   ? CONFIRM_NEVER
				   : js_bool(in, "cli_mode", false) ? CONFIRM_ALWAYS
								    : CONFIRM_RISKY;
	run_confirmation(v, c, e, output);
	kit_close(&loop, c);
	return true;
}

/* ---- errors of the model ----------------------------------------------- */

static int kind_of(const char *class, const char *text)
{
	static const struct {
		const char *class;
		int kind;
	} all[] = {
		{ "AuthenticationError", MT_ERROR_AUTHENTICATION },
		{ "ServiceUnavailableError", MT_ERROR_OVERLOADED },
		{ "APIConnectionError", MT_ERROR_NETWORK },
		{ "APIError", MT_ERROR_OVERLOADED },
		{ "InternalServerError", MT_ERROR_INTERNAL },
		{ "ContentPolicyViolationError", MT_ERROR_CONTENT_POLICY },
		{ "RateLimitError", MT_ERROR_RATE_LIMIT },
		{ "ContextWindowExceededError", MT_ERROR_CONTEXT_WINDOW },
		{ "Timeout", MT_ERROR_TIMEOUT },
		{ "NotFoundError", MT_ERROR_NOT_FOUND },
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (strcmp(all[i].class, class) == 0)
			return all[i].kind;
	if (strcmp(class, "BadRequestError") == 0 || strcmp(class, "OpenAIError") == 0)
		return llm_error_by_status(400, text);
	return MT_ERROR_NONE; /* no error of a model */
}

static bool case_context_window(struct vec *v, json_object *in, json_object *output)
{
	const char *class = js_str(in, "exception", ""),
		   *text = js_str(in, "message", "");
	bool may = js_bool(in, "enable_history_truncation", false);
	struct llm_error e = { .kind = kind_of(class, text) };
	bool condenses = may && llm_error_is_overflow(e.kind);

	if (strcmp(class, "APIError") == 0) {
		vec_skip(v, "context_window_error",
			 "rows of APIError mean nothing (about of the file)");
		return false;
	}
	if (strcasestr(text, "maximum context length") &&
	    !strcasestr(text, "sambanova") && e.kind == MT_ERROR_CONTEXT_WINDOW &&
	    strcmp(class, "ContextWindowExceededError") != 0) {
		vec_skip(v, "context_window_error",
			 "a maximum context length is one at every provider");
		return false;
	}
	if (json_object_is_type(output, json_type_array))
		fault_int(v, "a condensation is asked for", true, condenses);
	else
		fault_int(v, "the overflow is reported as one",
			  strstr(json_object_get_string(output), "ContextWindow") != NULL,
			  !condenses && e.kind == MT_ERROR_CONTEXT_WINDOW);
	return true;
}

static bool case_exception(struct vec *v, json_object *in, json_object *output)
{
	const char *text = js_str(in, "message", "msg");
	struct llm_error e = { .kind = kind_of(js_str(in, "exception", ""), text) };
	const char *wanted = js_str(output, "last_error", "");
	json_object *status = js_get(output, "status");
	const char *client_status = llm_error_status(e.kind);

	/* it is tried again until the attempts are used up */
	if (e.kind == MT_ERROR_RATE_LIMIT &&
	    js_int(in, "retry_attempt", 0) < js_int(in, "max_retries", 1)) {
		struct conversation *c = kit_new(&loop, settings, false);

		c->state = STATE_RUNNING;
		request_on_retry(c, &e, 1000);
		fault_text(v, "state", js_str(output, "state", ""), state_name(c->state));
		kit_close(&loop, c);
		return true;
	}
	fault_text(v, "state", js_str(output, "state", ""), state_name(STATE_ERROR));
	if (strstr(wanted, "STATUS$") || strstr(wanted, "CHAT_INTERFACE$"))
		fault_text(v, "status", wanted, client_status);
	else if (json_object_array_length(status))
		fault_text(v, "status", "STATUS$ERROR", client_status);
	return true;
}

/* ---- limits ------------------------------------------------------------ */

static void one_op(struct vec *v, struct budget *a, enum limit which, const char *op,
		   json_object *want)
{
	struct quota *m = &a->quotas[which];
	char text[256] = "";

	if (strcmp(op, "step") == 0) {
		if (!budget_account_reached(a, 1u << which, text, sizeof text) &&
		    which == LIMIT_ITERATIONS)
			budget_spend(a, which, 1);
	} else if (strcmp(op, "increase_interactive") == 0) {
		budget_raise(a);
	}
	if (m->used != js_number(want, "current", -1))
		vec_fault(v, op, js_text(js_get(want, "current"), NULL),
			  "current: another");
	if (m->max != js_number(want, "max", -1))
		vec_fault(v, op, js_text(js_get(want, "max"), NULL), "max: another");
	fault_int(v, "hit", js_bool(want, "hit_limit", false), m->hit);
	fault_text(v, "message", js_str(js_get(want, "error"), "message", ""), text);
}

static bool case_flag(struct vec *v, json_object *in, json_object *output,
		      enum limit which)
{
	json_object *ops = js_get(in, "ops");
	struct budget a = { 0 };

	a.quotas[which] = (struct quota){ .used = js_number(in, "current", 0),
					  .max = js_number(in, "max", 0),
					  .more = js_number(in, "increase", 0) };
	for (size_t i = 0; i < json_object_array_length(ops); i++)
		one_op(v, &a, which,
		       json_object_get_string(json_object_array_get_idx(ops, i)),
		       json_object_array_get_idx(output, i));
	return true;
}

static bool one_case(struct vec *v, json_object *c)
{
	const char *fn = js_str(c, "fn", "");
	json_object *in = js_get(c, "in"), *output = js_get(c, "output");

	if (strcmp(fn, "should_step") == 0)
		return case_should_step(v, in, output);
	if (strcmp(fn, "set_state") == 0)
		return case_set_state(v, in, output);
	if (strcmp(fn, "confirmation") == 0)
		return case_confirmation(v, in, output);
	if (strcmp(fn, "context_window_error") == 0)
		return case_context_window(v, in, output);
	if (strcmp(fn, "exception_status") == 0)
		return case_exception(v, in, output);
	if (strcmp(fn, "iteration_flag") == 0)
		return case_flag(v, in, output, LIMIT_ITERATIONS);
	if (strcmp(fn, "budget_flag") == 0)
		return case_flag(v, in, output, LIMIT_COST);
	return vec_decide(v, c, NULL, 0);
}

int main(int argc, char **argv)
{
	struct vec v;
	int code;

	if (!vec_open(&v, argc, argv) || !kit_begin())
		return 2;
	kit_script("[turn]\n[call finish]\nmessage = done\n");
	uv_loop_init(&loop);
	vec_each(&v, one_case);
	code = vec_done(&v);
	uv_loop_close(&loop);
	kit_end();
	return code;
}
