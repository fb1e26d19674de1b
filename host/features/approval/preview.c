/* SPDX-License-Identifier: MIT
 *
 * preview.c - requests a preview of a call from its tool, to show it when asking for
 * approval. */
#include "features/approval/approval-internal.h"

#include "controller/dispatch.h"
#include "controller/transitions.h"
#include "controller/turn.h"
#include "utf8.h"

#include <mortise/tool.h>

#include <string.h>

enum { PREVIEW_MS = 5000, PREVIEW_MAX = 32 << 10 };

static const uint64_t first_number = 1000000000000000; /* calls have smaller numbers */

void approval_preview_drop(struct conversation *c)
{
	struct approval_state *s = approval_of(c);
	uint64_t number = s->preview_call;

	free(s->preview);
	s->preview = NULL;
	s->preview_call = 0;
	if (number && conversation_runner(c))
		runner_cancel(conversation_runner(c), number);
}

/* Mask the secrets of a preview, and limit its length. */
static void preview_keep(struct conversation *c, const char *text, size_t len, bool cut)
{
	AUTO(strbuf) struct strbuf masked = STRBUF(64 << 20), shown = STRBUF(1 << 20);

	if (mask_put(conversation_secrets(c), &masked, text, len))
		return;
	len = utf8_cut(masked.text, masked.len, PREVIEW_MAX);
	strbuf_addn(&shown, masked.text, len);
	if (cut || len < masked.len)
		strbuf_add(&shown, "\n(the preview is longer than this)");
	if (shown.len && !shown.error)
		approval_of(c)->preview = strbuf_take(&shown);
}

static void keep_failure(struct conversation *c, const char *why)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);

	strbuf_addf(&text, "(no preview: %s)", why);
	preview_keep(c, text.text, text.len, false);
}

bool approval_preview_start(struct conversation *c, const struct call *call)
{
	struct approval_state *s = approval_of(c);
	uint64_t number = first_number + ++s->previews;
	struct error err = ERROR_NONE;
	const char *args;
	size_t len;

	approval_preview_drop(c);
	if (!call->tool || !call->tool->previews || call->why.code ||
	    (call->tool->hints & MT_TOOL_CONTROL) || !(args = js_text(call->args, &len)))
		return false;
	if (dispatch_start_runner(c, &err) ||
	    runner_preview(conversation_runner(c), number, call_instance(c, call),
			   call->tool->real, args, len, PREVIEW_MS, &err)) {
		keep_failure(c, err.text);
		return false;
	}
	s->preview_call = number;
	return true;
}

bool approval_preview_take(struct conversation *c, const struct runner_result *result)
{
	struct approval_state *s = approval_of(c);

	if (result->call < first_number)
		return false;
	if (result->call != s->preview_call)
		return true; /* the preview is no longer needed */
	s->preview_call = 0;
	if (result->status)
		keep_failure(c,
			     result->error ? result->error : status_name(result->status));
	else
		preview_keep(c, result->text, result->text_len, result->cut);
	if (turn_awaits_approval(c) && !conversation_is_closing(c))
		conversation_notify_state(c);
	return true;
}
