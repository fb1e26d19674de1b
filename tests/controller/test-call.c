/* SPDX-License-Identifier: MIT
 *
 * test-call.c - the call of an action: its tool and arguments, their form in the log and
 * in a later process, and the turn that owns it. */
#include "controller/kit.h"

#include "controller/turn.h"
#include "tap.h"

static const char secret[] = "swordfish-4711";
static uv_loop_t loop;

static struct event *action(const char *type, const char *args)
{
	return event_action(type, SOURCE_AGENT, js_parse_object(args, strlen(args), NULL),
			    NULL);
}

static struct call *call_of(struct conversation *c, const char *type, const char *args)
{
	AUTO(event) struct event *e = action(type, args);

	return e ? call_new(c, e) : NULL;
}

static void test_tools(struct conversation *c)
{
	static const struct {
		const char *type, *args, *tool, *want; /* tool NULL: none runs it */
	} cases[] = {
		{ "run", "{\"command\":\"ls\"}", "execute_bash",
		  "{\"command\":\"ls\",\"is_input\":false}" },
		{ "call_tool", "{\"name\":\"execute_bash\",\"arguments\":{\"a\":1}}",
		  "execute_bash", "{\"a\":1}" },
		{ "call_tool", "{\"name\":\"nothing\"}", NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(call) struct call *call = call_of(c, cases[i].type, cases[i].args);

		CHECK(call && call->id == -1 && !call->number && !call->early);
		CHECK_STR(call->tool ? call->tool->name : "none",
			  cases[i].tool ? cases[i].tool : "none");
		CHECK((call->why.code != 0) == !cases[i].tool);
		if (call->tool)
			CHECK_STR(js_text(call->args, NULL), cases[i].want);
		CHECK(!call->tool || call->deadline_ms > 0);
	}
}

/* The tool gets a secret, the log and hooks do not, and a later process cannot run it. */
static void test_secret(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(call) struct call *call =
		call_of(c, "run", "{\"command\":\"echo swordfish-4711\"}");
	AUTO(event) struct event *logged = NULL;
	AUTO(call) struct call *later = NULL;
	int64_t id = call_log(c, call, &err);

	CHECK(id >= 0 && call->id == id);
	CHECK(strstr(js_text(call->args, NULL), secret) != NULL);
	CHECK(!strstr(js_text(call->logged_args, NULL), secret));
	CHECK(!strstr(event_arg(call->action, "command"), secret));
	logged = evlog_event(c->log, id, &err);
	later = call_new(c, logged);
	CHECK(later && later->tool && !later->args);
	CHECK(later->why.code == MT_EDENIED);
	CHECK_STR(later->why.text, call_is_masked);
}

static void test_turn(struct conversation *c)
{
	struct error err = ERROR_NONE;
	struct call *call = call_of(c, "run", "{\"command\":\"ls\"}");
	AUTO(event) struct event *answer = action("run", "{\"command\":\"ls\"}");
	int64_t id = call_log(c, call, &err);

	CHECK(turn_is_idle(c) && turn_pending(c) == -1);
	turn_start(c, call);
	turn_await_approval(c);
	CHECK(turn_call(c) == call && turn_pending(c) == id);
	CHECK(turn_awaits_approval(c) && !turn_is_running(c));
	conversation_log_event(c, event_ref(answer), &err);
	turn_repeat(c, answer);
	CHECK(turn_call(c) == call && turn_pending(c) == answer->id);
	CHECK(turn_is_running(c));
	CHECK(!turn_finish(c, id));
	CHECK(call_free(turn_finish(c, answer->id)) == NULL);
	CHECK(turn_is_idle(c));
}

int main(void)
{
	static const char *const settings[] = { "controller.tools=bash",
						"controller.analyzers=", NULL };
	struct conversation *c;

	if (!kit_begin())
		return 1;
	uv_loop_init(&loop);
	kit_script("[turn]\n[call finish]\nmessage = done\n");
	c = kit_new(&loop, settings, true);
	mask_add(c->mask, secret, sizeof secret - 1);
	test_tools(c);
	test_secret(c);
	test_turn(c);
	kit_close(&loop, c);
	uv_loop_close(&loop);
	kit_end();
	return tap_done();
}
