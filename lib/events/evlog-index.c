/* SPDX-License-Identifier: MIT
 *
 * evlog-index.c - the in-memory index of the lines of a log. */
#include "events/evlog-internal.h"

#include "array.h"

#include <string.h>

uint64_t evlog_hash_bytes(const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	uint64_t h = len, word;

	for (; len > 0; at += sizeof word) {
		size_t n = len < sizeof word ? len : sizeof word;

		word = 0;
		memcpy(&word, at, n);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
		len -= n;
	}
	return h;
}

/* Text of a slice, unescaped; NULL: out of memory. */
static char *slice_text(struct slice s)
{
	AUTO(json) json_object *value = NULL;

	if (!memchr(s.text, '\\', s.len))
		return strndup(s.text, s.len);
	value = js_parse(s.text - 1, s.len + 2, NULL); /* with its quotes */
	return value ? strdup(json_object_get_string(value)) : NULL;
}

void index_clear(struct log_index *x)
{
	for (size_t i = 0; i < x->state_count; i++) {
		free(x->states[i].plugin);
		free(x->states[i].text);
	}
	free(x->states);
	free(x->heads);
	free(x->replies);
	free(x->table);
	free(x->last_reply);
	*x = (struct log_index){ 0 };
}

/* ---- replies by id -------------------------------------------------------- */

static void table_put(struct log_index *x, size_t place)
{
	size_t slot = x->replies[place].hash & (x->table_size - 1);

	while (x->table[slot])
		slot = (slot + 1) & (x->table_size - 1);
	x->table[slot] = (uint32_t)place + 1;
}

int index_make_table(struct log_index *x, size_t count, size_t size)
{
	uint32_t *table = calloc(size, sizeof *table);

	if (!table)
		return MT_ENOMEM;
	free(x->table);
	x->table = table;
	x->table_size = size;
	x->reply_count = count;
	for (size_t i = 0; i < count; i++)
		table_put(x, i);
	return MT_OK;
}

int64_t index_reply(const struct log_index *x, const char *response_id)
{
	uint64_t hash = evlog_hash_bytes(response_id, strlen(response_id));
	int64_t found = -1;
	size_t slot;

	if (x->table_size == 0)
		return -1;
	for (slot = hash & (x->table_size - 1); x->table[slot];
	     slot = (slot + 1) & (x->table_size - 1)) {
		int64_t place = (int64_t)x->table[slot] - 1;

		if (x->replies[place].hash == hash && place > found)
			found = place; /* the newest of several with one ID */
	}
	return found;
}

/* ---- allocation ------------------------------------------------------------ */

/* Reserve space for one more event and one more reply, so that index_add cannot run out
 * of memory after the line was written. */
static int index_reserve(struct log_index *x)
{
	if (ARRAY_GROW(x->heads, &x->room, x->count + 1, ARRAY_MAX) ||
	    ARRAY_GROW(x->replies, &x->reply_room, x->reply_count + 1, ARRAY_MAX))
		return MT_ENOMEM;
	if (x->reply_count * 2 < x->table_size)
		return MT_OK;
	return index_make_table(x, x->reply_count,
				x->table_size ? x->table_size * 2 : 64);
}

/* ---- lines ------------------------------------------------------------------ */

static const struct event_type *log_index_find_type(const struct line *line)
{
	char name[64];

	if (line->type.len >= sizeof name)
		return NULL;
	memcpy(name, line->type.text, line->type.len);
	name[line->type.len] = '\0';
	return event_type_find(line->is_action, name);
}

bool index_knows(const struct line *line)
{
	return log_index_find_type(line) != NULL;
}

void index_missing(struct log_index *x, size_t id)
{
	x->heads[id] = (struct evlog_head){
		.type = event_type_find(false, "error"),
		.offset = x->end,
		.cause = -1,
		.source = SOURCE_ENVIRONMENT,
		.missing = true,
		.partner = -1,
	};
}

int index_add_missing(struct log_index *x, bool hidden)
{
	int status = index_reserve(x);

	if (status)
		return status;
	index_missing(x, x->count);
	x->heads[x->count++].hidden = hidden;
	delegation_match(x, x->count - 1);
	return MT_OK;
}

static int log_index_add_event(struct log_index *x, const struct line *line,
			       size_t length, const char **ret_fault, struct error *err)
{
	const struct event_type *type = log_index_find_type(line);

	if (line->id < 0 || (uint64_t)line->id != x->count) {
		*ret_fault = "its id is out of sequence";
		return MT_EINVAL;
	}
	if (!type)
		return fail(err, MT_EUNSUPPORTED,
			    "event %zu has type `%.*s`, which this version of mortise "
			    "does not support; update mortise",
			    x->count, (int)(line->type.len < 64 ? line->type.len : 64),
			    line->type.text);
	x->heads[x->count++] = (struct evlog_head){
		.type = type,
		.offset = x->end,
		.length = (uint32_t)length,
		.cause = line->cause > INT32_MAX ? -1 : (int32_t)line->cause,
		.source = (uint8_t)line->source,
		.hidden = line->hidden,
		.has_call = line->has_call,
	};
	delegation_match(x, x->count - 1);
	return MT_OK;
}

static int add_reply(struct log_index *x, const struct line *line, size_t length)
{
	char *id = slice_text(line->response_id);

	if (!id)
		return MT_ENOMEM;
	x->replies[x->reply_count] = (struct reply_head){
		.hash = evlog_hash_bytes(id, strlen(id)),
		.offset = x->end,
		.length = (uint32_t)length,
	};
	table_put(x, x->reply_count++);
	free(x->last_reply);
	x->last_reply = id;
	return MT_OK;
}

static int log_index_add_state(struct log_index *x, const struct line *line,
			       size_t length)
{
	AUTO(free) char *plugin = slice_text(line->plugin);
	struct state_head *state = NULL;

	if (!plugin)
		return MT_ENOMEM;
	for (size_t i = 0; i < x->state_count && !state; i++)
		if (strcmp(x->states[i].plugin, plugin) == 0)
			state = &x->states[i];
	if (!state) {
		if (ARRAY_ADD(x->states, x->state_count, ARRAY_MAX))
			return MT_ENOMEM;
		state = &x->states[x->state_count++];
		*state = (struct state_head){ .plugin = STEAL(plugin) };
	}
	free(state->text);
	state->text = NULL;
	state->offset = x->end;
	state->length = (uint32_t)length;
	return MT_OK;
}

static void rewind_to(struct log_index *x, int64_t to)
{
	for (size_t i = (size_t)(to + 1); i < x->count; i++)
		x->heads[i].undone = true;
	delegations_unmatch(x, (size_t)(to + 1));
	free(x->last_reply); /* its request is cancelled */
	x->last_reply = NULL;
}

static bool is_record(const struct line *line, const char *name)
{
	return line->type.len == strlen(name) &&
	       memcmp(line->type.text, name, line->type.len) == 0;
}

static int log_index_add_record(struct log_index *x, const struct line *line,
				size_t length)
{
	if (is_record(line, "llm_reply") && line->response_id.text)
		return add_reply(x, line, length);
	if (is_record(line, "state") && line->plugin.text)
		return log_index_add_state(x, line, length);
	if (is_record(line, "dispatch") && line->action >= 0 &&
	    (uint64_t)line->action < x->count)
		x->heads[line->action].dispatched = true;
	if (is_record(line, "rewind") && line->to < (int64_t)x->count)
		rewind_to(x, line->to);
	return MT_OK;
}

int index_add(struct log_index *x, const struct line *line, size_t length,
	      const char **ret_fault, struct error *err)
{
	int status = index_reserve(x);

	if (!status)
		status = line->kind == LINE_EVENT
				 ? log_index_add_event(x, line, length, ret_fault, err)
				 : log_index_add_record(x, line, length);
	if (status == MT_ENOMEM)
		return fail_code(err, status);
	if (status == MT_OK)
		x->end += length;
	return status;
}
