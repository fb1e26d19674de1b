/* SPDX-License-Identifier: MIT
 *
 * plugin-view.c - writes and reads the view of a work: its size, the ids of its events,
 * then the texts shown instead of events. */
#include "controller/plugins/plugin-view.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/plugins/plugin-ctx.h"

#include <string.h>

struct view_head {
	uint64_t log_size;
	uint32_t count, condense_requested;
};

/* A text, which follows, with a NUL. */
struct view_text {
	int64_t condensation;
	uint32_t place, len;
};

int plugin_view_write_texts(const struct view_item *view, size_t count,
			    struct strbuf *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct view_text head = { .condensation = view[i].condensation,
						.place = (uint32_t)i,
						.len = (uint32_t)view[i].len };

		if (!view[i].text)
			continue;
		strbuf_addn(out, (const char *)&head, sizeof head);
		strbuf_addn(out, view[i].text, view[i].len);
		strbuf_addc(out, '\0');
	}
	return out->error;
}

int plugin_view_read_texts(struct view_item *view, size_t count, struct mt_str bytes)
{
	struct view_text head;

	for (size_t at = 0; at < bytes.len; at += head.len + 1) {
		if (bytes.len - at < sizeof head)
			return MT_EINVAL;
		memcpy(&head, bytes.ptr + at, sizeof head);
		at += sizeof head;
		if (head.place >= count || bytes.len - at <= head.len)
			return MT_EINVAL;
		view[head.place].condensation = head.condensation;
		view[head.place].text = bytes.ptr + at;
		view[head.place].len = head.len;
	}
	return MT_OK;
}

int plugin_view_write(const struct mt_ctx *x, struct strbuf *out)
{
	const struct view_head head = {
		.log_size = x->c ? evlog_size(x->c->log) : 0,
		.count = (uint32_t)x->view_count,
		.condense_requested = x->condense_requested,
	};

	strbuf_addn(out, (const char *)&head, sizeof head);
	for (size_t i = 0; i < x->view_count; i++)
		strbuf_addn(out, (const char *)&x->view[i].event,
			    sizeof x->view[i].event);
	return plugin_view_write_texts(x->view, x->view_count, out);
}

int plugin_view_read(struct mt_ctx *x, struct mt_str bytes)
{
	struct view_head head;
	struct view_item *view;
	size_t at = sizeof head, ids;

	if (bytes.len < sizeof head)
		return MT_EINVAL;
	memcpy(&head, bytes.ptr, sizeof head);
	ids = head.count * sizeof view->event;
	if (bytes.len - at < ids)
		return MT_EINVAL;
	if (evlog_follow(x->c->log, head.log_size, &x->error))
		return x->error.code;
	view = calloc(head.count + 1, sizeof *view);
	if (!view)
		return out_of_memory(&x->error);
	for (size_t i = 0; i < head.count; i++, at += sizeof view->event)
		memcpy(&view[i].event, bytes.ptr + at, sizeof view->event);
	free(x->view);
	x->view = view;
	x->view_count = head.count;
	x->condense_requested = head.condense_requested != 0;
	return plugin_view_read_texts(view, head.count,
				      (struct mt_str){ bytes.ptr + at, bytes.len - at });
}
