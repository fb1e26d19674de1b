/* SPDX-License-Identifier: MIT
 *
 * runner-ahead.c - starts the runner while the first request is on its way. */
#include "conversation/runner-ahead.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/dispatch.h"
#include "controller/feature.h"

enum { TURNS_BEFORE_RUNNER = 3 }; /* turns of the loop after a request was sent */

struct runner_ahead {
	unsigned turns; /* of the loop, since a runner was needed */
};

/* Forking takes as long as connecting and sending, so it must not happen in between. */
static void on_turn(uv_prepare_t *handle)
{
	struct conversation *c = handle->data;
	struct runner_ahead *ahead = feature_state(c, &runner_ahead_feature);

	if (++ahead->turns < TURNS_BEFORE_RUNNER)
		return;
	uv_prepare_stop(handle);
	if (!c->closing)
		dispatch_start_runner(c, NULL);
}

static void request_sent(struct conversation *c)
{
	const struct runner_ahead *ahead = feature_state(c, &runner_ahead_feature);

	if (!c->link && ahead->turns == 0)
		uv_prepare_start(&c->handle, on_turn);
}

const struct feature runner_ahead_feature = {
	.name = "runner ahead",
	.state_size = sizeof(struct runner_ahead),
	.request_sent = request_sent,
};
