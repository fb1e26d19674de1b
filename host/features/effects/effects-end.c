/* SPDX-License-Identifier: MIT
 *
 * effects-end.c - ends the call of a preview. */
#include "features/effects/effects-internal.h"

#include "controller/call.h"
#include "controller/dispatch.h"
#include "controller/feature-api.h"
#include "controller/observations.h"
#include "controller/turn.h"
#include "conversation/shell-directory.h"

enum { STATE_MS = 10000 };

static const uint64_t first_number = 600000000000000, last_number = 699999999999999;

const char effects_interrupted[] =
	"The command ran in a preview, which was interrupted: nothing was changed.";

void effects_fail(struct conversation *c, const char *why)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);

	strbuf_addf(&text, "The command was not executed: its preview failed: %s", why);
	effects_clear(c);
	observation_log_failure(c, turn_call(c)->action, "", text.text);
}

/* The shell keeps its directory. */
static void effects_restore_directory(struct conversation *c,
				      struct runner_result *result)
{
	AUTO(json) json_object *fields = NULL;
	json_object *metadata;

	if (!result->fields || json_object_deep_copy(result->fields, &fields, NULL))
		return;
	metadata = js_get(fields, "metadata");
	if (!metadata || js_set_str(metadata, "working_dir",
				    shell_directory_of(c) ?: conversation_workspace(c)))
		return;
	json_object_put(result->fields);
	result->fields = STEAL(fields);
}

void effects_end(struct conversation *c)
{
	struct effects *s = effects_of(c);

	if (s->shell_note)
		effects_restore_directory(c, &s->result);
	s->phase = EFFECTS_ENDS;
	dispatch_end_call(c, &s->result);
	effects_clear(c);
}

uint64_t effects_shell_number(const struct effects *s)
{
	return first_number + s->states;
}

bool effects_is_shell_number(uint64_t number)
{
	return number >= first_number && number <= last_number;
}

int effects_call_shell(struct conversation *c, const char *command,
		       enum effects_phase phase, struct error *err)
{
	struct effects *s = effects_of(c);
	const struct call *call = turn_call(c);
	AUTO(json) json_object *args = js_new_object();
	const char *text;
	size_t len;

	js_set_str(args, "command", command);
	if (js_incomplete(args) || !(text = js_text(args, &len)))
		return out_of_memory(err);
	if (dispatch_start_runner(c, err))
		return err->code;
	s->phase = phase;
	s->states++;
	return runner_call(conversation_runner(c), effects_shell_number(s),
			   call_instance(c, call), call->tool->real, text, len, STATE_MS,
			   err);
}

void effects_accept(struct conversation *c, const char *note)
{
	struct effects *s = effects_of(c);
	struct error err = ERROR_NONE;

	s->note = note;
	if (s->shell.len && !effects_call_shell(c, s->shell.text, EFFECTS_SHELL, &err))
		return;
	if (s->shell.len)
		s->shell_note = "the shell does not respond";
	effects_end(c);
}

void effects_discard(struct conversation *c, const char *why)
{
	effects_clear(c);
	observation_log_denial(c, turn_call(c)->action, why);
}
