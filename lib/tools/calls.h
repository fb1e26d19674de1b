/* SPDX-License-Identifier: MIT
 *
 * calls.h - converts tool calls of a model to actions and back.
 *
 * The mapping is data of the tool (mt_tool.events). The arguments are repaired if they
 * contain common mistakes of models, checked against the schema, and copied to the fields
 * of the action. */
#ifndef LIB_TOOLS_CALLS_H
#define LIB_TOOLS_CALLS_H

#include "events/event.h"
#include "tools/catalog.h"

struct evlog;
struct mask;
struct runner_result;

/** Create the action of one call of a reply, with the name and arguments as the model
 *  wrote them. `thought` is the text of the reply, for its first call only ("" if none).
 *  `ret_tool` (may be NULL): the tool, or NULL if the name is unknown. @return NULL with
 *  a sentence for the model. */
struct event *call_event(const struct catalog *catalog, const char *name,
			 const char *text, size_t len, const char *thought,
			 const struct tool **ret_tool, struct error *err);
/** Create the action of a reply without a call. */
struct event *call_message_event(const char *text, size_t len, bool wait,
				 struct error *err);

/** Parse, repair and check arguments as the model wrote them.
 *  @return the object, owned, or NULL with a sentence for the model. */
json_object *call_arguments(const struct tool *tool, const char *text, size_t len,
			    struct error *err);
/** Create the action of a call. `args` as call_arguments returned them (borrowed). */
struct event *call_to_action(const struct tool *tool, json_object *args,
			     const char *thought, struct error *err);
/** Find the tool that runs an action and its arguments (`ret_args` owned): the tool
 *  `preferred` if it is not NULL, otherwise the first of the catalog whose mapping
 *  produces this action. @return MT_OK, or a status with a sentence (MT_ENOTFOUND: no
 *  tool runs it); then the outputs are unchanged. */
int action_to_call(const struct catalog *catalog, const struct event *action,
		   const char *preferred, const struct tool **ret_tool,
		   json_object **ret_args, struct error *err);
/** Type of the observation for this action ("run", "edit", "tool"). */
const char *call_observation(const struct tool *tool, const struct event *action);
/** Delete a structured result that does not match the output schema of the tool from the
 *  fields of a result (NULL: there are none), with a warning in the log. */
void result_check_structured(const struct tool *tool, json_object *fields);
/** Convert the result of a call to an observation and mask its secrets. Its media are
 *  stored in `log`, as blobs. */
struct event *result_to_observation(const struct tool *tool, const struct event *action,
				    const struct runner_result *result,
				    const struct mask *mask, struct evlog *log,
				    struct error *err);
/** Timeout of an action, in ms; 0: none. */
int64_t action_timeout_ms(const struct event *action);
/** Time limit after which a tool call is killed, in ms; `asked_ms`: the call's own
 *  timeout. */
int64_t call_deadline_ms(const struct tool_instance *t, const struct tool *tool,
			 int64_t asked_ms);

#endif
