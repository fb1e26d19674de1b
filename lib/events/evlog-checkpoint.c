/* SPDX-License-Identifier: MIT
 *
 * evlog-checkpoint.c - speeds up opening: stores the index in events.index and a small
 * object of the controller in state.json. A file that does not match the log is
 * ignored. */
#include "events/evlog-internal.h"
#include "array.h"
#include "files.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { INDEX_MAX = 1 << 30, TAIL = 4096, STATE_MAX = 16 << 20, EVENT_LEAST = 16 };

#define INDEX_MAGIC "MTINDEX1"

struct index_header {
	char magic[8];
	uint64_t types;     /* hash of the table of event types */
	uint64_t end, tail; /* of the log; hash of the bytes before `end` */
	uint64_t count, replies, states, last_reply; /* the last one in bytes */
	uint64_t body, sum; /* bytes after the header and their hash */
};

struct index_event {
	uint64_t offset;
	uint32_t length;
	int32_t cause;
	uint8_t type, source, flags, reserved[5];
};

enum { IS_ACTION = 1, IS_HIDDEN = 2, IS_UNDONE = 4, HAS_CALL = 8, IS_DISPATCHED = 16,
       IS_MISSING = 32 };

struct index_state {
	uint64_t offset;
	uint32_t length, name; /* bytes of the plugin's name, which follows */
};

static uint64_t hash_types(void)
{
	uint64_t hash = 0;

	for (int sort = 0; sort < 2; sort++) {
		const struct event_type *type;

		for (size_t n = 0; (type = event_type_at(sort, n)); n++)
			hash = hash * 31 +
			       evlog_hash_bytes(type->name, strlen(type->name));
	}
	return hash;
}

int evlog_tail_hash(struct evlog *log, uint64_t end, uint64_t *ret)
{
	char buf[TAIL];
	size_t len = end < TAIL ? (size_t)end : TAIL;

	if (evlog_pread(log, end - len, len, buf, NULL))
		return MT_EIO;
	if (len > 0 && buf[len - 1] != '\n')
		return MT_EIO;
	*ret = evlog_hash_bytes(buf, len);
	return MT_OK;
}

/* ---- writing ------------------------------------------------------------------ */

static void checkpoint_put_event(struct strbuf *out, const struct evlog_head *h)
{
	struct index_event e = {
		.offset = h->offset,
		.length = h->length,
		.cause = h->cause,
		.type = (uint8_t)event_type_number(h->type),
		.source = h->source,
		.flags =
			(uint8_t)(h->type->is_action * IS_ACTION | h->hidden * IS_HIDDEN |
				  h->undone * IS_UNDONE | h->has_call * HAS_CALL |
				  h->dispatched * IS_DISPATCHED |
				  h->missing * IS_MISSING),
	};

	strbuf_addn(out, (const char *)&e, sizeof e);
}

static void checkpoint_put_body(struct strbuf *out, const struct log_index *x)
{
	for (size_t i = 0; i < x->count; i++)
		checkpoint_put_event(out, &x->heads[i]);
	for (size_t i = 0; i < x->reply_count; i++)
		strbuf_addn(out, (const char *)&x->replies[i], sizeof x->replies[i]);
	for (size_t i = 0; i < x->state_count; i++) {
		struct index_state s = {
			.offset = x->states[i].offset,
			.length = x->states[i].length,
			.name = (uint32_t)strlen(x->states[i].plugin),
		};

		strbuf_addn(out, (const char *)&s, sizeof s);
		strbuf_addn(out, x->states[i].plugin, s.name);
	}
	if (x->last_reply)
		strbuf_add(out, x->last_reply);
}

static int write_index(struct evlog *log, const char *path, struct error *err)
{
	AUTO(strbuf) struct strbuf out = STRBUF(INDEX_MAX);
	const struct log_index *x = &log->index;
	struct index_header h = {
		.types = hash_types(),
		.end = x->end,
		.count = x->count,
		.replies = x->reply_count,
		.states = x->state_count,
		.last_reply = x->last_reply ? strlen(x->last_reply) : 0,
	};

	memcpy(h.magic, INDEX_MAGIC, sizeof h.magic);
	if (evlog_tail_hash(log, h.end, &h.tail))
		return fail(err, MT_EIO, "%s: cannot read the log", log->dir);
	strbuf_reserve(&out, sizeof h + x->count * sizeof(struct index_event) +
				     x->reply_count * sizeof *x->replies + 4096);
	strbuf_addn(&out, (const char *)&h, sizeof h);
	checkpoint_put_body(&out, x);
	if (out.error)
		return fail(err, out.error, "%s: checkpoint is too large", log->dir);
	h.body = out.len - sizeof h;
	h.sum = evlog_hash_bytes(out.text + sizeof h, h.body);
	memcpy(out.text, &h, sizeof h);
	return file_write(path, out.text, out.len, 0600, false, err);
}

static int write_state(struct evlog *log, const char *path, struct error *err)
{
	AUTO(strbuf) struct strbuf out = STRBUF(STATE_MAX);

	strbuf_addc(&out, '{');
	js_key_int(&out, "format", LOG_FORMAT);
	js_key_int(&out, "offset", (int64_t)log->index.end);
	js_key_int(&out, "events", evlog_count(log));
	if (log->checkpoint) {
		js_key(&out, "state");
		json_write(&out, log->checkpoint, NULL);
	}
	if (strbuf_add(&out, "}\n"))
		return fail(err, out.error, "%s: checkpoint is too large", log->dir);
	return file_write(path, out.text, out.len, 0600, false, err);
}

int evlog_write_checkpoint(struct evlog *log, struct error *err)
{
	AUTO(free) char *index = path_join(log->dir, "events.index");
	AUTO(free) char *state = path_join(log->dir, "state.json");
	int status;

	log->since_checkpoint = 0;
	if (log->mode == EVLOG_READ)
		return fail(err, MT_EDENIED, "the event log is read-only");
	if (!index || !state)
		return out_of_memory(err);
	status = write_index(log, index, err);
	if (!status)
		status = write_state(log, state, err);
	return status;
}

void evlog_set_checkpoint(struct evlog *log, json_object *state)
{
	json_object_put(log->checkpoint);
	log->checkpoint = json_object_get(state);
}

json_object *evlog_checkpoint(const struct evlog *log)
{
	return log->checkpoint;
}

/* ---- reading -------------------------------------------------------------------- */

/* The unparsed rest of the file. */
struct rest {
	const char *at;
	size_t len;
};

static bool checkpoint_take(struct rest *r, void *to, size_t len)
{
	if (r->len < len)
		return false;
	memcpy(to, r->at, len);
	r->at += len;
	r->len -= len;
	return true;
}

static bool take_event(struct rest *r, struct log_index *x, uint64_t end)
{
	struct index_event e;
	const struct event_type *type;

	if (!checkpoint_take(r, &e, sizeof e))
		return false;
	type = event_type_at(e.flags & IS_ACTION, e.type);
	if (!type || e.offset > end || e.length > end - e.offset)
		return false;
	x->heads[x->count++] = (struct evlog_head){
		.type = type,
		.offset = e.offset,
		.length = e.length,
		.cause = e.cause,
		.source = e.source,
		.hidden = e.flags & IS_HIDDEN,
		.undone = e.flags & IS_UNDONE,
		.has_call = e.flags & HAS_CALL,
		.dispatched = e.flags & IS_DISPATCHED,
		.missing = e.flags & IS_MISSING,
	};
	delegation_match(x, x->count - 1);
	return true;
}

static bool checkpoint_take_state(struct rest *r, struct log_index *x, uint64_t end)
{
	struct index_state s;
	char *name;

	if (!checkpoint_take(r, &s, sizeof s) || r->len < s.name || s.offset > end ||
	    s.length > end - s.offset)
		return false;
	name = strndup(r->at, s.name);
	if (!name)
		return false;
	r->at += s.name;
	r->len -= s.name;
	x->states[x->state_count++] = (struct state_head){
		.plugin = name,
		.offset = s.offset,
		.length = s.length,
	};
	return true;
}

static bool take_replies(struct rest *r, struct log_index *x, uint64_t count,
			 uint64_t end)
{
	size_t size = 64;

	if (!checkpoint_take(r, x->replies, count * sizeof *x->replies))
		return false;
	for (size_t i = 0; i < count; i++)
		if (x->replies[i].offset > end ||
		    x->replies[i].length > end - x->replies[i].offset)
			return false;
	while (size <= count * 2)
		size *= 2;
	return index_make_table(x, count, size) == MT_OK;
}

static bool take_index(struct rest *r, const struct index_header *h, struct log_index *x)
{
	if (h->count > r->len / sizeof(struct index_event) ||
	    h->replies > r->len / sizeof *x->replies ||
	    h->states > r->len / sizeof(struct index_state) || h->last_reply > r->len)
		return false;
	if (ARRAY_GROW(x->heads, &x->room, h->count + 1, ARRAY_MAX) ||
	    ARRAY_GROW(x->replies, &x->reply_room, h->replies + 1, ARRAY_MAX) ||
	    ARRAY_GROW(x->states, NULL, h->states + 1, ARRAY_MAX))
		return false;
	for (uint64_t i = 0; i < h->count; i++)
		if (!take_event(r, x, h->end))
			return false;
	if (!take_replies(r, x, h->replies, h->end))
		return false;
	for (uint64_t i = 0; i < h->states; i++)
		if (!checkpoint_take_state(r, x, h->end))
			return false;
	if (h->last_reply)
		x->last_reply = strndup(r->at, h->last_reply);
	x->end = h->end;
	return r->len == h->last_reply && (!h->last_reply || x->last_reply);
}

static bool is_intact(const struct index_header *h, const struct rest *r)
{
	return memcmp(h->magic, INDEX_MAGIC, sizeof h->magic) == 0 && h->body == r->len &&
	       h->sum == evlog_hash_bytes(r->at, r->len);
}

static bool checkpoint_is_good(struct evlog *log, const struct index_header *h)
{
	uint64_t tail;

	return h->types == hash_types() && h->end <= log->size &&
	       evlog_tail_hash(log, h->end, &tail) == MT_OK && tail == h->tail;
}

/* A checkpoint was written when the log had `events` in `end` bytes. If the log is
 * shorter, events were removed, unless its owner has written both since the size was
 * read. */
static void compare_count(struct evlog *log, uint64_t end, int64_t events)
{
	struct stat st;

	if (end > log->size && fstat(log->fd, &st) == 0 && end > (uint64_t)st.st_size &&
	    events > log->recorded && events <= (int64_t)(end / EVENT_LEAST))
		log->recorded = events;
}

static void load_index(struct evlog *log)
{
	AUTO(free) char *path = path_join(log->dir, "events.index"), *text = NULL;
	struct index_header h;
	struct rest r;
	size_t len;

	if (!path || file_read(path, INDEX_MAX, &text, &len, NULL))
		return;
	r = (struct rest){ text, len };
	if (!checkpoint_take(&r, &h, sizeof h) || !is_intact(&h, &r))
		return;
	compare_count(log, h.end, (int64_t)h.count);
	if (checkpoint_is_good(log, &h) && take_index(&r, &h, &log->index))
		return;
	index_clear(&log->index);
}

static void checkpoint_load_state(struct evlog *log)
{
	AUTO(free) char *path = path_join(log->dir, "state.json"), *text = NULL;
	AUTO(json) json_object *json = NULL;
	size_t len;

	if (!path || file_read(path, STATE_MAX, &text, &len, NULL))
		return;
	json = js_parse_object(text, len, NULL);
	if (js_int(json, "format", 0) != LOG_FORMAT)
		return;
	if (js_int(json, "offset", INT64_MAX) > (int64_t)log->size) {
		compare_count(log, (uint64_t)js_int(json, "offset", 0),
			      js_int(json, "events", 0));
		return;
	}
	log->checkpoint = json_object_get(js_get(json, "state"));
}

void evlog_load_checkpoint(struct evlog *log)
{
	load_index(log);
	checkpoint_load_state(log);
}
