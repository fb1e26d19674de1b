/* SPDX-License-Identifier: MIT
 *
 * closing.c - closes a conversation once nothing holds it open. */
#include "controller/closing.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/transitions.h"

static void on_released(uv_handle_t *handle)
{
	struct conversation *c = handle->data;
	void (*closed)(void *arg) = c->closed;
	void *arg = c->closed_arg;

	c->release(c);
	if (closed)
		closed(arg);
}

void conversation_close_finish(struct conversation *c)
{
	if (c->link || FEATURES_ASK(keeps_open, c))
		return; /* called again when the last of these has closed */
	uv_close((uv_handle_t *)&c->handle, on_released);
}

void conversation_close(struct conversation *c, void (*done)(void *arg), void *arg)
{
	c->closing = true;
	c->closed = done;
	c->closed_arg = arg;
	conversation_cancel_work(c);
	if (!FEATURES_ASK(before_close, c))
		conversation_close_begin(c);
}

void conversation_close_begin(struct conversation *c)
{
	if (c->link)
		runner_close(c->link);
	else
		conversation_close_finish(c);
}
