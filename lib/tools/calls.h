/* SPDX-License-Identifier: MIT
 *
 * calls.h - converts tool calls of a model to actions and back.
 * How the two correspond is data of the tool (mt_tool.events). The arguments are
 * repaired where models are known to make mistakes, checked against the schema and
 * copied to the fields of the action. */
#ifndef LIB_TOOLS_CALLS_H
#define LIB_TOOLS_CALLS_H

#include "events/event.h"
#include "tools/catalog.h"

struct evlog;
struct mask;
struct runner_result;

/** The action of one call of a reply, whose name and arguments are as the model
 *  wrote them. `thought` is text that came with the reply, for its first call
 *  only ("" if none). `ret_tool` (may be NULL): the tool that is meant, NULL if
 *  none is. @return NULL with a sentence for the model. */
struct event *call_event(const struct catalog *catalog, const char *name,
			 const char *text, size_t len, const char *thought,
			 const struct tool **ret_tool, struct error *err);
/** The action of a reply without a call. */
struct event *call_message_event(const char *text, size_t len, bool wait,
				 struct error *err);

/** Parses, repairs and checks arguments as the model wrote them.
 *  @return the object, owned, or NULL with a sentence for the model. */
json_object *call_arguments(const struct tool *tool, const char *text, size_t len,
			    struct error *err);
/** The action of a call. `args` as call_arguments gave them (borrowed). */
struct event *call_to_action(const struct tool *tool, json_object *args,
			     const char *thought, struct error *err);
/** The tool that runs an action and the arguments for it (`ret_args` owned):
 *  the action's own tool when `preferred` is not NULL, else the first of the
 *  catalog whose mapping gives this action. MT_ENOTFOUND with a sentence; the
 *  outputs are not touched on failure. */
int action_to_call(const struct catalog *catalog, const struct event *action,
		   const char *preferred, const struct tool **ret_tool,
		   json_object **ret_args, struct error *err);
/** Type of the observation that answers this action ("run", "edit", "tool"). */
const char *call_observation(const struct tool *tool, const struct event *action);
/** The observation that the result of a call becomes, with secrets masked. Its media are
 *  stored in `log`, as blobs. */
struct event *result_to_observation(const struct tool *tool, const struct event *action,
				    const struct runner_result *result,
				    const struct mask *mask, struct evlog *log,
				    struct error *err);
/** Timeout of an action, in ms; 0: none. */
int64_t action_timeout_ms(const struct event *action);
/** Time limit after which a call of a tool is killed, in ms; `asked_ms`: the timeout of
 *  the call. */
int64_t call_deadline_ms(const struct tool_instance *t, const struct tool *tool,
			 int64_t asked_ms);

#endif
