/* SPDX-License-Identifier: MIT
 *
 * effects-run.c - the runner of a preview, and the state of its shell, which is that of
 * the conversation's. */
#include "features/effects/effects-internal.h"

#include "controller/call.h"
#include "controller/closing.h"
#include "controller/dispatch.h"
#include "controller/feature-api.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "files.h"
#include "log.h"

#include <string.h>
#include <unistd.h>

enum { STATE_MAX = 16 << 20 };

static void effects_on_output(void *arg, uint64_t call, const char *bytes, size_t len)
{
	struct conversation *c = arg;

	if (effects_of(c)->phase == EFFECTS_RUNS)
		dispatch_show_output(c, (int64_t)call, bytes, len, false);
}

/* The shell of the preview stores its state when it is closed. */
static void effects_offer_carry(struct conversation *c)
{
	AUTO(free) char *path = effects_carry(c, call_instance(c, turn_call(c)));

	if (path)
		file_write(path, "", 0, 0600, false, NULL);
}

static void effects_on_result(void *arg, const struct runner_result *result)
{
	struct conversation *c = arg;
	struct effects *s = effects_of(c);

	if (s->phase != EFFECTS_RUNS)
		return;
	if (result->limit_text)
		conversation_notice(c, MT_LOG_WARNING, "%s", result->limit_text);
	runner_result_copy(&s->result, result);
	effects_offer_carry(c);
	s->phase = EFFECTS_CLOSES;
	runner_close(s->runner);
}

/* Tools in a preview have no user and no model. */
static void effects_on_request(void *arg, uint64_t call, uint64_t request,
			       const char *method, json_object *params)
{
	struct effects *s = effects_of(arg);

	(void)call, (void)method, (void)params;
	runner_refuse(s->runner, request, MT_EUNSUPPORTED, "not available in a preview");
}

static void effects_on_closed(void *arg, const struct error *why)
{
	struct conversation *c = arg;
	struct effects *s = effects_of(c);

	(void)why;
	s->runner = NULL;
	if (s->phase == EFFECTS_CLOSES) {
		effects_judge(c);
	} else if (s->phase == EFFECTS_WAITS) {
		effects_start(c);
		step_run_ready(c);
	} else {
		effects_clear(c);
	}
	if (conversation_is_closing(c))
		conversation_close_finish(c);
}

static const struct runner_events effects_events = {
	.output = effects_on_output,
	.result = effects_on_result,
	.request = effects_on_request,
	.log = runner_write_log,
	.closed = effects_on_closed,
};

static int effects_launch(struct conversation *c, struct error *err)
{
	struct effects *s = effects_of(c);
	struct call *call = turn_call(c);
	AUTO(config) struct config *config = effects_config(c, err);
	AUTO(free) char *tools = effects_path(c, "tools");
	const struct dispatch_place place = { .config = config, .overlay = &s->overlay,
					      .state_dir = tools, .isolated = true };
	const char *args;
	size_t len;

	if (!config)
		return err->code;
	if (!tools || !(args = js_text(call->args, &len)))
		return out_of_memory(err);
	if (dispatch_open_runner(c, &place, &effects_events, c, &s->runner, err))
		return err->code;
	s->phase = EFFECTS_RUNS;
	return runner_call(s->runner, (uint64_t)call->id, call_instance(c, call),
			   call->tool->real, args, len, call->deadline_ms, err);
}

static void effects_launch_or_fail(struct conversation *c)
{
	struct error err = ERROR_NONE;

	if (!effects_launch(c, &err))
		return;
	if (effects_of(c)->runner) {
		effects_of(c)->phase = EFFECTS_IDLE;
		runner_close(effects_of(c)->runner);
	}
	effects_fail(c, err.text);
}

/* The file in which the shell of the conversation stores its state. */
static char *effects_own_carry(const struct conversation *c)
{
	AUTO(free) char *dir = dispatch_instance_dir(c, call_instance(c, turn_call(c)));

	return dir && !dir_make(dir, NULL) ? path_join(dir, "carry") : NULL;
}

static bool effects_has_state(const struct conversation *c)
{
	AUTO(free) char *path = effects_own_carry(c);

	return path && access(path, F_OK) == 0;
}

/* Let the shell of the conversation store its state. */
static int effects_request_state(struct conversation *c, struct error *err)
{
	AUTO(free) char *path = effects_own_carry(c);

	if (!path)
		return out_of_memory(err);
	if (file_write(path, "", 0, 0600, false, err))
		return err->code;
	return effects_call_shell(c, ":", EFFECTS_STATE, err);
}

void effects_start(struct conversation *c)
{
	struct error err = ERROR_NONE;

	turn_call(c)->sent_at = uv_hrtime();
	if (effects_mount(c, &err) || effects_request_state(c, &err))
		effects_fail(c, err.text);
}

/* Give the stored state to the shell of the preview, and keep it for a comparison. */
static int effects_move_state(struct conversation *c, struct error *err)
{
	AUTO(free) char *from = effects_own_carry(c);
	AUTO(free) char *to = effects_carry(c, call_instance(c, turn_call(c)));
	AUTO(free) char *kept = effects_path(c, "state"), *text = NULL;
	size_t len;

	if (!from || !to || !kept)
		return out_of_memory(err);
	if (file_read(from, STATE_MAX, &text, &len, err))
		return err->code;
	unlink(from);
	*strrchr(to, '/') = '\0';
	if (dir_make(to, err))
		return err->code;
	to[strlen(to)] = '/';
	if (file_write(to, text, len, 0600, false, err))
		return err->code;
	return file_write(kept, text, len, 0600, false, err);
}

void effects_forget_state(struct conversation *c)
{
	AUTO(free) char *path = effects_own_carry(c);

	if (path)
		unlink(path);
}

/* The shell of the conversation has stored its state. One that cannot, because a program
 * runs in it, gets no preview. */
void effects_go_on(struct conversation *c, const struct runner_result *result)
{
	struct effects *s = effects_of(c);
	struct error err = ERROR_NONE;
	bool again = !s->again && !result->status && !effects_has_state(c);
	int r = result->status;

	s->again = true;
	if (turn_call(c)->interrupted) {
		effects_forget_state(c);
		effects_discard(c, effects_interrupted);
		return;
	}
	if (r)
		fail(&err, r, "%s", result->error ? result->error : status_name(r));
	else if (again) /* the tool was loaded by the call, and has removed the file */
		r = effects_request_state(c, &err);
	else
		r = effects_move_state(c, &err);
	if (r) {
		effects_forget_state(c);
		effects_fail(c, err.text);
	} else if (!again) {
		effects_launch_or_fail(c);
	}
}
