/* SPDX-License-Identifier: MIT
 *
 * request-copy.c - creates a request from another. */
#include "fncall/request-copy.h"
#include <string.h>

int request_copy_begin(struct request_copy *w, const struct llm_request *in, bool tools)
{
	*w = (struct request_copy){ .out = llm_request_new() };
	if (!w->out)
		return w->status = MT_ENOMEM;
	w->out->stream = in->stream;
	w->out->params = json_object_get(in->params);
	for (size_t i = 0; tools && i < in->tool_count && !w->status; i++)
		w->status = llm_request_tool(w->out, &in->tools[i]);
	return w->status;
}

int request_copy_end(struct request_copy *w, struct llm_request **ret, struct error *err)
{
	if (w->status) {
		llm_request_free(w->out);
		return fail_code(err, w->status);
	}
	*ret = w->out;
	return MT_OK;
}

void request_copy_add(struct request_copy *w, const struct llm_message *m)
{
	struct llm_message copy = *m;

	/* its bytes differ from those in a request with tools */
	copy.stamp = 0;
	if (!w->status)
		w->status = llm_request_add(w->out, &copy);
}

const char *request_copy_own_text(struct request_copy *w, struct strbuf *text,
				  size_t *ret_len)
{
	size_t len = text->len;
	int error = text->error;
	char *own = len || error ? strbuf_take(text) : strdup("");

	*ret_len = 0;
	if (!w->status && !own)
		w->status = error ? error : MT_ENOMEM;
	if (w->status) {
		free(own);
		return "";
	}
	w->status = llm_request_own(w->out, own);
	*ret_len = w->status ? 0 : len;
	return w->status ? "" : own;
}

void *request_copy_array(struct request_copy *w, size_t count, size_t size)
{
	void *items = w->status ? NULL : calloc(count ? count : 1, size);

	if (!w->status && !items)
		w->status = MT_ENOMEM;
	if (!items)
		return NULL;
	w->status = llm_request_own(w->out, items);
	return w->status ? NULL : items;
}

struct llm_part *request_copy_parts(struct request_copy *w, const struct llm_message *m,
				    size_t front, size_t room)
{
	struct llm_part *parts =
		request_copy_array(w, m->part_count + room, sizeof *parts);

	if (parts && m->part_count)
		memcpy(parts + front, m->parts, m->part_count * sizeof *parts);
	return parts;
}
