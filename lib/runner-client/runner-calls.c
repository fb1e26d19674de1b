/* SPDX-License-Identifier: MIT
 *
 * runner-calls.c - tracks open calls: assembles partial results and completes each
 * call exactly once. */
#include "base64.h"
#include "runner-client/runner-connection-internal.h"
#include "array.h"
#include <string.h>

struct open_call *runner_open_call_find(struct runner *l, uint64_t id)
{
	struct open_call *c = l->calls;

	while (c && c->id != id)
		c = c->next;
	return c;
}

struct open_call *runner_open_call_add(struct runner *l, uint64_t id,
				       const char *instance)
{
	struct open_call *c = calloc(1, sizeof *c);
	char *copy = strdup(instance);

	if (!c || !copy) {
		free(c);
		free(copy);
		return NULL;
	}
	*c = (struct open_call){ .next = l->calls, .id = id, .instance = copy };
	l->calls = c;
	return c;
}

static void open_call_free(struct open_call *c)
{
	for (size_t n = 0; n < c->part_count; n++)
		strbuf_clear(&c->parts[n].data);
	free(c->parts);
	free(c->instance);
	free(c);
}

static void runner_calls_take_out(struct runner *l, struct open_call *c)
{
	for (struct open_call **p = &l->calls; *p; p = &(*p)->next)
		if (*p == c) {
			*p = c->next;
			break;
		}
}

void runner_open_call_drop(struct runner *l, struct open_call *c)
{
	runner_calls_take_out(l, c);
	open_call_free(c);
}

int runner_open_call_chunk(struct runner *l, struct open_call *c, json_object *params,
			   size_t *ret_bytes)
{
	json_object *data = js_get(params, "data");
	int64_t part = js_int(params, "part", -1);
	size_t total = 0, max = RUNNER_MEDIA_MAX / 3 * 4 + 4096;

	if (!json_object_is_type(data, json_type_string) || part < 0 ||
	    part >= RUNNER_PARTS_MAX)
		return MT_EINVAL;
	if (c->part_count <= (size_t)part) {
		if (ARRAY_GROW(c->parts, NULL, (size_t)part + 1, RUNNER_PARTS_MAX))
			return MT_ENOMEM;
		while (c->part_count <= (size_t)part)
			c->parts[c->part_count++].data =
				STRBUF(max + (size_t)l->result_max * 3);
	}
	for (size_t n = 1; n < c->part_count; n++)
		total += c->parts[n].data.len;
	*ret_bytes = (size_t)json_object_get_string_len(data);
	if (part > 0 ? total + *ret_bytes > max
		     : c->parts[0].data.len + *ret_bytes > (size_t)l->result_max * 3)
		return MT_ELIMIT;
	return strbuf_addn(&c->parts[part].data, json_object_get_string(data),
			   *ret_bytes);
}

static const struct strbuf *part_of(const struct open_call *c, json_object *item)
{
	int64_t part = js_int(item, "part", -1);

	return part >= 0 && (size_t)part < c->part_count ? &c->parts[part].data : NULL;
}

/* Parts of a result that are not in the line itself. */
struct result_parts {
	struct runner_media media[RUNNER_PARTS_MAX];
	struct strbuf bytes[RUNNER_PARTS_MAX];
	size_t count;
};

static int take_medium(const struct open_call *c, json_object *item,
		       struct result_parts *g)
{
	const struct strbuf *part = part_of(c, item);
	struct strbuf *bytes = &g->bytes[g->count];

	*bytes = STRBUF(RUNNER_MEDIA_MAX + 16);
	if (part && base64_read(bytes, part->text, part->len)) {
		strbuf_clear(bytes);
		return MT_EINVAL;
	}
	g->media[g->count++] = (struct runner_media){
		.mime = js_str(item, "mimeType", "application/octet-stream"),
		.bytes = bytes->text, .len = bytes->len };
	return MT_OK;
}

static int runner_calls_take_content(const struct open_call *c, json_object *list,
				     struct runner_result *r, struct result_parts *g)
{
	size_t count = js_length(list);

	if (count > RUNNER_PARTS_MAX)
		return MT_ELIMIT;
	for (size_t n = 0; n < count; n++) {
		json_object *item = json_object_array_get_idx(list, n);
		json_object *text = js_get(item, "text");
		const struct strbuf *part = part_of(c, item);

		if (strcmp(js_str(item, "type", ""), "text") != 0) {
			int status = take_medium(c, item, g);

			if (status)
				return status;
		} else if (json_object_is_type(text, json_type_string)) {
			r->text = json_object_get_string(text);
			r->text_len = (size_t)json_object_get_string_len(text);
		} else if (part) {
			r->text = part->text;
			r->text_len = part->len;
		}
	}
	return MT_OK;
}

int runner_open_call_result(struct runner *l, struct open_call *c,
			    const struct runner_line *line)
{
	json_object *body = line->body;
	int64_t code = js_int(body, "status", MT_OK);
	struct runner_result r = { .call = c->id, .text = "", .status = line->status,
				 .error = line->error };
	struct result_parts *g = malloc(sizeof *g);
	int status = g ? MT_OK : MT_ENOMEM;

	if (g)
		g->count = 0;
	if (!status && body) {
		r.status = code <= 0 && code >= MT_EEXIST ? (int)code : MT_EIO;
		r.crashed = js_bool(body, "crashed", false);
		r.signal = (int)js_int(body, "signal", 0);
		r.error = r.status ? js_str(body, "error", "failed") : NULL;
		r.limit = js_str(js_get(body, "limit"), "name", NULL);
		r.limit_text = js_str(js_get(body, "limit"), "text", NULL);
		r.fields = js_get(body, "structuredContent");
		r.spool = js_str(body, "spool", NULL);
		r.spool_full = js_bool(body, "spoolFull", false);
		r.cut = js_bool(body, "cut", false);
		r.refused = js_str(body, "refused", NULL);
		status = runner_calls_take_content(c, js_get(body, "content"), &r, g);
		r.media = g->media;
		r.media_count = g->count;
	}
	if (!status) {
		runner_calls_take_out(l, c);
		if (l->events->result)
			l->events->result(l->arg, &r);
		open_call_free(c);
	}
	for (size_t n = 0; g && n < g->count; n++)
		strbuf_clear(&g->bytes[n]);
	free(g);
	return status;
}

static void open_call_fail(struct runner *l, struct open_call *c,
			   struct runner_result result)
{
	result.call = c->id;
	result.text = "";
	runner_calls_take_out(l, c);
	if (l->events->result)
		l->events->result(l->arg, &result);
	open_call_free(c);
}

void runner_open_calls_end_withdrawn(struct runner *l)
{
	struct open_call *c = l->calls;

	while (c) {
		if (!c->withdrawn) {
			c = c->next;
			continue;
		}
		open_call_fail(l, c, (struct runner_result){
			.status = MT_ECANCELLED,
			.error = "cancelled before the runner responded" });
		c = l->calls; /* the callback may have changed the list */
	}
}

void runner_open_calls_fail(struct runner *l, int status, bool crashed, int number,
			    const char *text)
{
	while (l->calls)
		open_call_fail(l, l->calls, (struct runner_result){
			.status = status, .crashed = crashed, .signal = number,
			.error = text });
}

int64_t runner_result_exit_code(const struct runner_result *r)
{
	int64_t code = js_int(js_get(r->fields, "metadata"), "exit_code", 0);

	return code > 0 ? code : 0;
}

bool runner_result_is_incomplete(const struct runner_result *r)
{
	return js_int(js_get(r->fields, "metadata"), "exit_code", 0) < 0;
}

bool runner_result_is_failure(const struct runner_result *r)
{
	return js_bool(r->fields, "is_error", false) ||
	       js_bool(r->fields, "error", false);
}
