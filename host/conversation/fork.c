/* SPDX-License-Identifier: MIT
 *
 * fork.c - copies the start of a log into a new conversation. */
#include "conversation/fork.h"

#include "controller/features.h"
#include "controller/plugins/plugin-http.h"
#include "conversation/meta.h"
#include "conversation/rewind.h"
#include "events/agent-state.h"
#include "conversation/waiting-messages.h"
#include "conversation/conversation.h"
#include "files.h"
#include "overlay/overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 20, BLOB_NAME = 64, BLOB_MAX = 1 << 30 };

struct fork {
	struct evlog *from;
	char *old_dir, *dir, *id;
	int64_t at;
	int fd; /* the new events.jsonl */
	bool blobs; /* the directory was created */
	struct error *err;
};

/* ---- blobs -------------------------------------------------------------- */

/* Blobs never change, so both conversations can share the file. */
static int take_blob(struct fork *f, const char *name)
{
	AUTO(strbuf) struct strbuf from = STRBUF(8192), to = STRBUF(8192);
	AUTO(free) char *bytes = NULL;
	size_t len;

	strbuf_addf(&to, "%s/blobs", f->dir);
	if (!f->blobs && (to.error || dir_make(to.text, f->err)))
		return MT_EIO;
	f->blobs = true;
	strbuf_addf(&from, "%s/blobs/%.*s", f->old_dir, BLOB_NAME, name);
	strbuf_addf(&to, "/%.*s", BLOB_NAME, name);
	if (from.error || to.error)
		return out_of_memory(f->err);
	if (link(from.text, to.text) == 0 || errno == EEXIST || errno == ENOENT)
		return MT_OK;
	if (file_read(from.text, BLOB_MAX, &bytes, &len, f->err))
		return f->err->code;
	return file_write(to.text, bytes, len, 0600, true, f->err);
}

static int take_marked(struct fork *f, const char *mark, const char *text, size_t len)
{
	const char *end = text + len;

	while ((text = memmem(text, (size_t)(end - text), mark, strlen(mark)))) {
		text += strlen(mark);
		if ((size_t)(end - text) > BLOB_NAME &&
		    (text[BLOB_NAME] == '"' || text[BLOB_NAME] == '\\') &&
		    strspn(text, "0123456789abcdef") == BLOB_NAME && take_blob(f, text))
			return f->err->code ? f->err->code : MT_EIO;
	}
	return MT_OK;
}

/* Collect every blob name in these lines: of a text or an image, and of an HTTP
 * response, which a state record names in its text (see plugin-http.c). */
static int take_blobs(struct fork *f, const char *text, size_t len)
{
	int r = take_marked(f, "blob\":\"", text, len);

	return r ? r : take_marked(f, "\\\"body\\\":\\\"", text, len);
}

/* The same for a state record that is a blob itself. Only the newest one is read
 * again. */
static int take_response_bodies(struct fork *f, struct evlog *log)
{
	size_t len;
	const char *text = evlog_state(log, PLUGIN_HTTP_RECORD, &len);

	return text ? take_marked(f, "\"body\":\"", text, len) : MT_OK;
}

/* ---- the log ------------------------------------------------------------ */

static int copy_lines(struct fork *f)
{
	const struct evlog_head *head = evlog_head(f->from, f->at);
	uint64_t end = head->offset + head->length, offset = 0;

	while (offset < end) {
		AUTO(strbuf) struct strbuf piece = STRBUF(SIZE_MAX / 2);
		uint64_t left = end - offset;
		int64_t n = evlog_read(f->from, offset, &piece,
				       left < PIECE ? (size_t)left : PIECE);

		if (n <= 0)
			return fail(f->err, MT_EIO, "cannot read %s/events.jsonl",
				    f->old_dir);
		if ((uint64_t)n > left)
			n = (int64_t)left;
		if (take_blobs(f, piece.text, (size_t)n))
			return f->err->code;
		if (file_write_all(f->fd, piece.text, (size_t)n))
			return fail(f->err, MT_EIO, "cannot write %s/events.jsonl: %s",
				    f->dir, strerror(errno));
		offset += (uint64_t)n;
	}
	return MT_OK;
}

/* The usage of the new conversation starts at zero. */
static int drop_usage(struct evlog *log, struct error *err)
{
	const char *name;
	size_t len;
	int r = MT_OK;

	for (size_t n = 0; !r && (name = features_usage_state(n)); n++) {
		AUTO(json) json_object *record = js_new_object();

		if (!evlog_state(log, name, &len))
			continue;
		if (js_set_str(record, "record", "state") ||
		    js_set_str(record, "plugin", name) || js_set_str(record, "text", ""))
			return out_of_memory(err);
		r = evlog_record(log, record, err);
	}
	return r;
}

/* Drop the rest of the plan of the last reply and the messages that waited for it, and
 * wait for the user. */
static int close_log(struct fork *f, int64_t *ret_replies)
{
	AUTO(evlog) struct evlog *log = NULL;
	AUTO(json) json_object *rewind = js_new_object();
	json_object *extras = js_new_object();
	AUTO(event) struct event *state = NULL;
	int r;

	js_set_str(rewind, "record", "rewind");
	js_set_int(rewind, "to", f->at);
	js_set_str(extras, "agent_state", state_name(STATE_AWAITING_USER_INPUT));
	js_set_str(extras, "reason", "");
	state = event_observation("agent_state_changed", SOURCE_ENVIRONMENT, -1, "", 0,
				  extras, f->err);
	if (!state)
		return f->err->code;
	r = evlog_open(f->dir, EVLOG_WRITE, NULL, &log, NULL, f->err);
	if (!r)
		r = take_response_bodies(f, log);
	if (!r)
		r = evlog_record(log, rewind, f->err);
	if (!r)
		r = evlog_append(log, state, f->err);
	if (!r)
		r = waiting_messages_drop(log, f->err);
	if (!r)
		r = drop_usage(log, f->err);
	if (!r)
		*ret_replies = evlog_replies(log);
	return r ? r : evlog_barrier(log, f->err);
}

static int conversation_fork_copy_log(struct fork *f, int64_t *ret_replies)
{
	AUTO(free) char *path = path_join(f->dir, "events.jsonl");
	int r = path ? dir_make(f->dir, f->err) : out_of_memory(f->err);

	if (r)
		return r;
	f->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return fail(f->err, MT_EIO, "cannot create %s: %s", path,
			    strerror(errno));
	r = copy_lines(f);
	auto_close(&f->fd);
	f->fd = -1;
	return r ? r : close_log(f, ret_replies);
}

/* ---- meta.json ---------------------------------------------------------- */

static int write_meta(struct fork *f, json_object *meta, const struct fork_options *o,
		      int64_t replies)
{
	AUTO(free) char *path = path_join(f->dir, "meta.json");
	json_object *from = js_new_object();
	char now[32];
	const char *text;
	size_t len;

	event_timestamp_now(now);
	if (o->child && meta_set_parent(meta, o->child)) {
		json_object_put(from);
		return out_of_memory(f->err);
	}
	if (js_set_str(from, "conversation", o->id) || js_set_int(from, "event", f->at) ||
	    js_set_int(from, "replies", replies)) {
		json_object_put(from);
		return out_of_memory(f->err);
	}
	if (!path || js_set(meta, "forked_from", from) || js_set_str(meta, "id", f->id) ||
	    js_set_str(meta, "created", now) ||
	    (o->title && js_set_str(meta, "title", o->title)))
		return out_of_memory(f->err);
	text = js_text(meta, &len);
	if (!text)
		return out_of_memory(f->err);
	return file_write(path, text, len, 0600, true, f->err);
}

int64_t fork_inherited(json_object *meta)
{
	int64_t replies = js_int(js_get(meta, "forked_from"), "replies", 0);

	return replies > 0 ? replies : 0;
}

/* ---- a fork ------------------------------------------------------------- */

static int conversation_fork_find_place(struct fork *f, const struct fork_options *o)
{
	int64_t count = evlog_count(f->from), at = o->at < 0 ? count - 1 : o->at;
	const struct evlog_head *head = evlog_head(f->from, at);

	if (!head)
		return fail(f->err, MT_EINVAL,
			    "unknown event %" PRId64 "; the conversation has %" PRId64
			    " events",
			    at, count);
	if (head->undone && o->at >= 0)
		return fail(f->err, MT_EINVAL, "event %" PRId64 " was reverted", at);
	f->at = rewind_place(f->from, at);
	return f->at >= 0 ? MT_OK : fail(f->err, MT_EINVAL, "no events are left to copy");
}

/* The blobs were synced when they were created, but their new names were not. */
static int sync_blobs(struct fork *f)
{
	AUTO(free) char *path = f->blobs ? path_join(f->dir, "blobs") : NULL;

	if (!f->blobs)
		return MT_OK;
	return path ? dir_sync(path, f->err) : out_of_memory(f->err);
}

/* and the directory, which is not synced yet */
static int make_durable(struct fork *f)
{
	const struct evlog_options o = { .sync = SYNC_BARRIER };
	AUTO(evlog) struct evlog *log = NULL;
	int r = sync_blobs(f);

	if (!r)
		r = evlog_open(f->dir, EVLOG_WRITE, &o, &log, NULL, f->err);

	if (!r)
		r = evlog_add_file(log, "meta.json", f->err);
	return r ? r : evlog_barrier(log, f->err);
}

/* The files as the original sees them now. A subagent gets the mount itself. */
static int copy_overlay(struct fork *f, const struct fork_options *o)
{
	AUTO(free) char *from = path_join(f->old_dir, "overlay");
	AUTO(free) char *to = path_join(f->dir, "overlay");

	if (!from || !to)
		return out_of_memory(f->err);
	return !o->child && !o->into && overlay_exists(from)
		       ? overlay_copy(from, to, f->err)
		       : MT_OK;
}

static int conversation_fork_it(struct fork *f, const struct config *config,
				const struct fork_options *o)
{
	AUTO(json) json_object *meta = NULL;
	int64_t replies = 0;
	int r;

	f->old_dir = conversation_dir(config, o->id, f->err);
	f->id = o->child ? strdup(o->child->id) : meta_new_id();
	f->dir = f->id ? conversation_dir(o->into ? o->into : config, f->id, f->err)
		       : NULL;
	if (!f->old_dir || !f->dir)
		return f->err->code ? f->err->code : out_of_memory(f->err);
	meta = meta_read(f->old_dir, f->err);
	if (!meta)
		return f->err->code;
	r = evlog_open(f->old_dir, EVLOG_READ, NULL, &f->from, NULL, f->err);
	if (!r)
		r = conversation_fork_find_place(f, o);
	if (r)
		return r;
	r = conversation_fork_copy_log(f, &replies);
	if (!r)
		r = write_meta(f, meta, o, replies);
	if (!r)
		r = copy_overlay(f, o);
	if (!r)
		r = make_durable(f);
	if (r)
		dir_remove(f->dir, NULL);
	return r;
}

int conversation_fork(const struct config *config, const struct fork_options *o,
		      char **ret_id, int64_t *ret_at, struct error *err)
{
	struct error why = ERROR_NONE;
	struct fork f = { .fd = -1, .err = &why };
	int r = conversation_fork_it(&f, config, o);

	evlog_close(f.from);
	free(f.old_dir);
	free(f.dir);
	if (r) {
		free(f.id);
		return fail(err, r, "%s", why.text);
	}
	*ret_id = f.id;
	*ret_at = f.at;
	return MT_OK;
}
