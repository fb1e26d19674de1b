/* SPDX-License-Identifier: MIT
 *
 * slices.c - reads a long history before a step, one slice at a time: the loop runs
 * between slices, so that signals and clients are handled. */
#include "features/slices.h"

#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/plugins/plugin-ctx.h"
#include "controller/step.h"

/* A step that waits for the rest of its history. */
struct slices {
	uv_idle_t idle; /* active while `waits` */
	bool waits;
	struct mt_ctx x; /* of the step; without a view the step starts again */
	int64_t seen;    /* number of events in the log when the view was built */
};

/* Its state in a conversation; NULL: no step has waited yet. */
static struct slices **slices_of(const struct conversation *c)
{
	return feature_state(c, &slices_feature);
}

static struct mt_ctx slices_take(struct slices *s)
{
	struct mt_ctx x = s->x;

	s->x = (struct mt_ctx){ 0 };
	s->waits = false;
	uv_idle_stop(&s->idle);
	return x;
}

static void on_idle(uv_idle_t *handle)
{
	struct conversation *c = handle->data;
	struct slices *s = *slices_of(c);
	bool same = s->x.view && evlog_count(conversation_log(c)) == s->seen;
	struct mt_ctx x = slices_take(s);
	struct error err = ERROR_NONE;
	int r;

	if (x.sent) {
		if (step_send(c, &x, &err))
			conversation_set_error(c, EXIT_MODEL, "%s", err.text);
	} else if (!same) {
		plugin_ctx_clear(&x);
		step_prepared(c);
	} else {
		r = step_advance_prepared(c, &x, &err);
		if (r)
			step_fail(c, r,
				  step_exit_code(&x, x.sent ? EXIT_MODEL : EXIT_FAILED),
				  err.code ? err.text : x.error.text);
	}
	plugin_ctx_clear(&x);
	step_run_ready(c);
}

static struct slices *slices_need(struct conversation *c)
{
	struct slices **s = slices_of(c);

	if (*s)
		return *s;
	*s = calloc(1, sizeof **s);
	if (!*s)
		return NULL;
	uv_idle_init(conversation_loop(c), &(*s)->idle);
	(*s)->idle.data = c;
	return *s;
}

static int suspend_step(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	struct slices *s = slices_need(c);

	if (!s)
		return out_of_memory(err);
	s->x = *x;
	s->seen = evlog_count(conversation_log(c));
	s->waits = true;
	*x = (struct mt_ctx){ .c = c, .part = s->x.part };
	uv_idle_start(&s->idle, on_idle);
	return MT_OK;
}

static bool slices_is_busy(const struct conversation *c)
{
	const struct slices *s = *slices_of(c);

	return s && s->waits;
}

static const char *slices_block_step(struct conversation *c)
{
	return slices_is_busy(c) ? "reading the history" : NULL;
}

/* The waiting step is dropped. */
static void slices_cancel(struct conversation *c)
{
	struct mt_ctx x;

	if (!slices_is_busy(c))
		return;
	x = slices_take(*slices_of(c));
	plugin_ctx_clear(&x);
}

static void slices_on_closed(uv_handle_t *handle)
{
	free(handle); /* the first member of its slices */
}

static void slices_release(struct conversation *c)
{
	struct slices **s = slices_of(c);

	slices_cancel(c);
	if (*s)
		uv_close((uv_handle_t *)&(*s)->idle, slices_on_closed);
	*s = NULL;
}

const struct feature slices_feature = {
	.name = "slices",
	.state_size = sizeof(struct slices *),
	.suspend_step = suspend_step,
	.blocks_step = slices_block_step,
	.is_busy = slices_is_busy,
	.cancel = slices_cancel,
	.release = slices_release,
};
