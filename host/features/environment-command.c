/* SPDX-License-Identifier: MIT
 *
 * environment-command.c - implements environment-command.h. */
#include "features/environment-command.h"

#include "controller/dispatch.h"
#include "controller/turn.h"

static struct event *make_action(const char *command, bool hidden, int64_t seconds,
				 struct error *err)
{
	json_object *args = js_new_object();
	struct event *e;

	js_set_str(args, "command", command);
	js_set_bool(args, "hidden", hidden);
	js_set_bool(args, "blocking", true);
	e = event_action("run", SOURCE_ENVIRONMENT, args, err);
	if (e && js_set_new(e->json, "timeout", json_object_new_int64(seconds))) {
		event_unref(e);
		out_of_memory(err);
		return NULL;
	}
	return e;
}

struct call *environment_command(struct conversation *c, const char *command, bool hidden,
				 int64_t seconds, struct error *err)
{
	AUTO(event) struct event *action = make_action(command, hidden, seconds, err);
	AUTO(call) struct call *call = action ? call_new(c, action) : NULL;

	if (!action)
		return NULL;
	if (!call)
		out_of_memory(err);
	else if (!call->tool)
		fail(err, call->why.code ? call->why.code : MT_ENOTFOUND, "%s",
		     call->why.text);
	return call && call->tool ? STEAL(call) : NULL;
}

int64_t environment_command_start(struct conversation *c, struct call *call,
				  struct error *err)
{
	AUTO(call) struct call *own = call;
	int64_t id;

	if (call_log(c, own, err) < 0)
		return err->code;
	id = own->id;
	turn_start(c, STEAL(own));
	dispatch_call(c);
	return id;
}
