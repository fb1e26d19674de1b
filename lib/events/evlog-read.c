/* SPDX-License-Identifier: MIT
 *
 * evlog-read.c - reads events and records from the log, recent ones from memory. */
#include "events/evlog-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

int64_t evlog_count(const struct evlog *log)
{
	return (int64_t)log->index.count;
}

int64_t evlog_opened(const struct evlog *log)
{
	return log->opened;
}

const struct evlog_head *evlog_head(const struct evlog *log, int64_t id)
{
	return id >= 0 && id < evlog_count(log) ? &log->index.heads[id] : NULL;
}

bool event_is_history(const struct evlog_head *head)
{
	if (head->hidden || head->undone)
		return false;
	switch (head->type->id) {
	case ACTION_NULL:
	case ACTION_CHANGE_AGENT_STATE:
	case OBSERVATION_NULL:
	case OBSERVATION_AGENT_STATE_CHANGED:
		return false;
	default:
		return true;
	}
}

uint64_t evlog_size(const struct evlog *log)
{
	return log->index.end;
}

/* ---- the cache ------------------------------------------------------------ */

static void log_read_drop(struct evlog *log, size_t slot)
{
	log->cache_bytes -= log->cache[slot].bytes;
	log->cache[slot].event = event_unref(log->cache[slot].event);
	log->cache[slot].bytes = 0;
}

void evlog_cache(struct evlog *log, struct event *e, size_t bytes)
{
	size_t slot = (size_t)e->id % LOG_CACHE_SLOTS;

	bytes = bytes * 2 + 2048; /* estimated size of json-c objects */
	log_read_drop(log, slot);
	if (bytes > LOG_CACHE_BYTES / 2)
		return;
	while (log->cache_bytes + bytes > LOG_CACHE_BYTES) {
		log_read_drop(log, log->cache_hand);
		log->cache_hand = (log->cache_hand + 1) % LOG_CACHE_SLOTS;
	}
	log->cache[slot] = (struct cached){ event_ref(e), bytes };
	log->cache_bytes += bytes;
}

/* ---- the file --------------------------------------------------------------- */

int evlog_pread(struct evlog *log, uint64_t offset, size_t len, char *buf,
		struct error *err)
{
	for (size_t have = 0; have < len;) {
		ssize_t n =
			pread(log->fd, buf + have, len - have, (off_t)(offset + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(err, MT_EIO, "cannot read %s/events.jsonl: %s",
				    log->dir,
				    n < 0 ? strerror(errno) : "file was truncated");
		have += (size_t)n;
	}
	return MT_OK;
}

/* Parse a line of `len` bytes in `text`. MT_EINVAL: the line is damaged. */
static json_object *log_read_parse(struct evlog *log, char *text, size_t len,
				   struct error *err)
{
	AUTO(json) json_object *json = NULL;
	size_t body;
	enum line_sum sum;

	while (len && (text[len - 1] == '\n'))
		len--;
	sum = evlog_line_check(text, len, &body);
	if (sum == SUM_NONE && len && text[len - 1] != '}')
		sum = evlog_line_check(text, --len, &body); /* the newline is damaged */
	if (sum == SUM_BAD) {
		fail(err, MT_EINVAL, "its checksum does not match");
		return NULL;
	}
	json = js_parse_object(text, len, err);
	if (json && memmem(text, len, "\"$blob\"", 7) && blob_resolve(log, &json, err))
		return NULL;
	if (json && sum == SUM_GOOD)
		json_object_object_del(json, "crc");
	return STEAL(json);
}

json_object *evlog_parse_line(struct evlog *log, uint64_t offset, size_t len,
			      struct error *err)
{
	AUTO(free) char *text = malloc(len + 1);

	log->blob_bytes = 0;
	if (!text) {
		out_of_memory(err);
		return NULL;
	}
	return evlog_pread(log, offset, len, text, err)
		       ? NULL
		       : log_read_parse(log, text, len, err);
}

/* Read an event from its line; MT_EINVAL: the line is damaged. */
static struct event *log_read_event(struct evlog *log, int64_t id, struct error *err)
{
	const struct evlog_head *head = evlog_head(log, id);
	json_object *json = evlog_parse_line(log, head->offset, head->length, err);
	struct event *e = json ? event_adopt(json, err) : NULL;

	if (e && e->id != id) {
		fail(err, MT_EINVAL, "it does not contain event %" PRId64, id);
		return event_unref(e);
	}
	return e;
}

struct event *evlog_event(struct evlog *log, int64_t id, struct error *err)
{
	const struct evlog_head *head = evlog_head(log, id);
	struct error why = ERROR_NONE;
	struct event *e;

	if (!head) {
		fail(err, MT_ENOTFOUND, "no event %" PRId64, id);
		return NULL;
	}
	e = log->cache[(size_t)id % LOG_CACHE_SLOTS].event;
	if (e && e->id == id)
		return event_ref(e);
	e = head->missing ? NULL : log_read_event(log, id, &why);
	if (!e && !head->missing && (why.code == MT_ENOMEM || why.code == MT_EIO)) {
		fail(err, why.code, "%s", why.text);
		return NULL;
	}
	if (!e && !head->missing)
		evlog_lose_event(log, id, why.text);
	if (!e)
		return evlog_missing_event(log, id, err);
	/* Reading an old log needs each event once: caching them would slow the allocator
	 * and evict the newest. */
	if (id + LOG_CACHE_SLOTS >= evlog_count(log))
		evlog_cache(log, e, head->length + log->blob_bytes);
	return e;
}

int evlog_line(struct evlog *log, int64_t id, struct strbuf *out, struct error *err)
{
	const struct evlog_head *head = evlog_head(log, id);
	size_t start = out->len, len = head->length ? head->length - 1 : 0, body = len;
	struct line line;
	AUTO(event) struct event *e = NULL;

	if (!head->missing && strbuf_reserve(out, len))
		return fail_code(err, out->error);
	if (!head->missing &&
	    evlog_pread(log, head->offset, len, out->text + start, err) == 0) {
		line_scan(out->text + start, len, &line);
		evlog_line_check(out->text + start, len, &body);
		if (line.id == id && !memmem(out->text + start, body, "\"$blob\"", 7)) {
			out->len += body;
			return strbuf_add(out, body < len ? "}\n" : "\n");
		}
	}
	if (!head->missing)
		out->text[start] = '\0';
	e = evlog_event(log, id, err);
	if (!e)
		return err->code;
	return event_write(e, out) || strbuf_addc(out, '\n') ? out_of_memory(err) : MT_OK;
}

int64_t evlog_read(struct evlog *log, uint64_t offset, struct strbuf *out, size_t max)
{
	uint64_t left = offset < log->index.end ? log->index.end - offset : 0;
	size_t want = left < max ? (size_t)left : max, start = out->len;
	char *last;

	while (want > 0) {
		if (strbuf_reserve(out, want))
			return out->error;
		if (evlog_pread(log, offset, want, out->text + start, NULL)) {
			out->text[start] = '\0';
			return MT_EIO;
		}
		last = memrchr(out->text + start, '\n', want);
		if (last) {
			out->len = (size_t)(last - out->text) + 1;
			out->text[out->len] = '\0';
			return (int64_t)(out->len - start);
		}
		/* a line longer than the limit is returned alone */
		want = want * 2 < left ? want * 2 : want < left ? (size_t)left : 0;
	}
	out->text[start] = '\0';
	return 0;
}

/* ---- records ------------------------------------------------------------------ */

bool evlog_has_reply(const struct evlog *log, const char *response_id)
{
	return index_reply(&log->index, response_id) >= 0;
}

/* A damaged reply counts as missing. */
static json_object *read_reply(struct evlog *log, const struct reply_head *head,
			       struct error *err)
{
	struct error why = ERROR_NONE;
	json_object *record = evlog_parse_line(log, head->offset, head->length, &why);

	if (record)
		return record;
	if (why.code == MT_EINVAL)
		evlog_tell_damage(log, head->offset, head->length - 1, why.text, NULL);
	fail(err, why.code == MT_EINVAL ? MT_ENOTFOUND : why.code, "%s", why.text);
	return NULL;
}

json_object *evlog_reply(struct evlog *log, const char *response_id, struct error *err)
{
	int64_t place = index_reply(&log->index, response_id);
	AUTO(json) json_object *record = NULL;

	if (place < 0) {
		fail(err, MT_ENOTFOUND, "no response `%.64s` in the log", response_id);
		return NULL;
	}
	record = read_reply(log, &log->index.replies[place], err);
	if (record && strcmp(js_str(record, "response_id", ""), response_id) != 0) {
		fail(err, MT_ENOTFOUND, "no response `%.64s` in the log", response_id);
		return NULL;
	}
	return STEAL(record);
}

json_object *evlog_reply_at(struct evlog *log, int64_t n, struct error *err)
{
	if (n < 0 || (size_t)n >= log->index.reply_count) {
		fail(err, MT_ENOTFOUND, "no response %" PRId64 " in the log", n);
		return NULL;
	}
	return read_reply(log, &log->index.replies[n], err);
}

uint64_t evlog_reply_mark(const struct evlog *log, int64_t n)
{
	const struct reply_head *head =
		n >= 0 && n < evlog_replies(log) ? &log->index.replies[n] : NULL;

	/* 53 bits: exact in any JSON implementation */
	return head ? (head->hash * 31 + head->offset) >> 11 : 0;
}

int64_t evlog_replies(const struct evlog *log)
{
	return (int64_t)log->index.reply_count;
}

const char *evlog_last_reply(const struct evlog *log)
{
	return log->index.last_reply ? log->index.last_reply : "";
}

bool evlog_dispatched(const struct evlog *log, int64_t action)
{
	const struct evlog_head *head = evlog_head(log, action);

	return head && head->dispatched;
}

static int log_read_load_state(struct evlog *log, struct state_head *state)
{
	AUTO(json)
	json_object *record = evlog_parse_line(log, state->offset, state->length, NULL);
	json_object *text = js_get(record, "text");
	size_t len;

	if (!json_object_is_type(text, json_type_string))
		return MT_EIO;
	len = (size_t)json_object_get_string_len(text);
	state->text = malloc(len + 1);
	if (!state->text)
		return MT_ENOMEM;
	memcpy(state->text, json_object_get_string(text), len + 1);
	state->len = len;
	return MT_OK;
}

const char *evlog_state(const struct evlog *log, const char *plugin, size_t *ret_len)
{
	for (size_t i = 0; i < log->index.state_count; i++) {
		struct state_head *state = &log->index.states[i];

		if (strcmp(state->plugin, plugin) != 0)
			continue;
		if (!state->text && log_read_load_state((struct evlog *)log, state))
			break;
		if (ret_len)
			*ret_len = state->len;
		return state->text;
	}
	if (ret_len)
		*ret_len = 0;
	return NULL;
}
