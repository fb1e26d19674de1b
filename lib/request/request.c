/* SPDX-License-Identifier: MIT
 *
 * request.c - builds a request to a model. */
#include "request/request.h"

#include "array.h"
#include <string.h>
#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

enum { ITEMS_MAX = 1 << 20 };

uint64_t llm_message_stamp(void)
{
	static uint64_t last;

	return ++last;
}

struct llm_request *llm_request_new(void)
{
	return calloc(1, sizeof(struct llm_request));
}

struct llm_request *llm_request_free(struct llm_request *r)
{
	if (!r)
		return NULL;
	for (size_t i = 0; i < r->owned_count; i++)
		free(r->owned[i]);
	free(r->owned);
	free(r->messages);
	free(r->tools);
	json_object_put(r->params);
	free(r);
	return NULL;
}

int llm_request_reserve(struct llm_request *r, size_t n)
{
	if (n > ITEMS_MAX)
		return MT_ELIMIT;
	return ARRAY_GROW(r->messages, &r->message_room, r->message_count + n, ITEMS_MAX);
}

int llm_request_add(struct llm_request *r, const struct llm_message *m)
{
	int status = llm_request_reserve(r, 1);

	if (status)
		return status;
	r->messages[r->message_count++] = *m;
	return MT_OK;
}

int llm_request_add_all(struct llm_request *r, const struct llm_message *m, size_t n)
{
	int status = llm_request_reserve(r, n);

	if (status || n == 0)
		return status;
	memcpy(r->messages + r->message_count, m, n * sizeof *m);
	r->message_count += n;
	return MT_OK;
}

int llm_request_tool(struct llm_request *r, const struct llm_tool *t)
{
	int status = ARRAY_GROW(r->tools, &r->tool_room, r->tool_count + 1, ITEMS_MAX);

	if (status)
		return status;
	r->tools[r->tool_count++] = *t;
	return MT_OK;
}

int llm_request_own(struct llm_request *r, void *p)
{
	int status = ARRAY_GROW(r->owned, &r->owned_room, r->owned_count + 1, ITEMS_MAX);

	if (status) {
		free(p);
		return status;
	}
	r->owned[r->owned_count++] = p;
	return MT_OK;
}

static bool is_turn(const struct llm_request *r, size_t m)
{
	return r->messages[m].role == MT_ROLE_USER || r->messages[m].role == MT_ROLE_TOOL;
}

static bool ends_turn(const struct llm_request *r, size_t m)
{
	return is_turn(r, m) && (m + 1 == r->message_count || !is_turn(r, m + 1));
}

size_t llm_request_last_turns(const struct llm_request *r)
{
	size_t m = r->message_count;

	for (size_t turns = 0; m > 0 && turns < 2;)
		turns += ends_turn(r, --m);
	return m;
}

bool llm_request_cache(const struct llm_request *r, size_t m)
{
	size_t systems = 0;

	if (m >= r->message_count || r->messages[m].cache)
		return m < r->message_count;
	while (systems < r->message_count && r->messages[systems].role == MT_ROLE_SYSTEM)
		systems++;
	if (m < systems)
		return m + 1 == systems;
	return ends_turn(r, m) && m >= llm_request_last_turns(r);
}

/* A PDF file is estimated as one image per fixed number of bytes. */
static size_t images_of_part(const struct llm_part *part)
{
	enum { PDF_BYTES = 20000 };

	if (!part->mime)
		return 0;
	return strcmp(part->mime, MEDIA_PDF) == 0 ? part->len / PDF_BYTES + 1 : 1;
}

size_t llm_request_bytes(const struct llm_request *r, size_t *ret_images)
{
	size_t bytes = 0, images = 0;

	for (size_t i = 0; i < r->message_count; i++) {
		const struct llm_message *m = &r->messages[i];

		for (size_t p = 0; p < m->part_count; p++) {
			images += images_of_part(&m->parts[p]);
			bytes += m->parts[p].mime ? 0 : m->parts[p].len;
		}
		for (size_t c = 0; m->role == MT_ROLE_ASSISTANT && c < m->call_count; c++)
			bytes += m->calls[c].args_len;
	}
	for (size_t i = 0; i < r->tool_count; i++)
		bytes += strlen(r->tools[i].description) + strlen(r->tools[i].schema);
	*ret_images = images;
	return bytes;
}
