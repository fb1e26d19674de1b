/* SPDX-License-Identifier: MIT
 *
 * evlog.c - appends to the log of a conversation and notifies watchers. */
#include "events/evlog-internal.h"
#include "array.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <string.h>
#include <sys/stat.h>

/* ---- opening and closing --------------------------------------------------- */

static int event_log_open_dir(struct evlog *log, struct error *err)
{
	if (log->mode == EVLOG_CREATE && dir_make(log->dir, err))
		return err ? err->code : MT_EIO;
	log->dir_fd = open(log->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (log->dir_fd < 0)
		return fail(err, errno == ENOENT ? MT_ENOTFOUND : MT_EIO,
			    "cannot open %s: %s", log->dir, strerror(errno));
	return MT_OK;
}

static int open_file(struct evlog *log, struct error *err)
{
	static const int flags[] = {
		[EVLOG_CREATE] = O_RDWR | O_APPEND | O_CREAT | O_EXCL,
		[EVLOG_WRITE] = O_RDWR | O_APPEND,
		[EVLOG_READ] = O_RDONLY,
	};
	struct stat st;

	log->fd = openat(log->dir_fd, "events.jsonl", flags[log->mode] | O_CLOEXEC, 0600);
	if (log->fd < 0)
		return fail(err,
			    errno == EEXIST   ? MT_EEXIST
			    : errno == ENOENT ? MT_ENOTFOUND
					      : MT_EIO,
			    "cannot open %s/events.jsonl: %s", log->dir, strerror(errno));
	if (fstat(log->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return fail(err, MT_EIO, "%s/events.jsonl is not a regular file",
			    log->dir);
	if (log->mode != EVLOG_READ && evlog_lock(log, err))
		return err ? err->code : MT_EDENIED;
	if (fstat(log->fd, &st) != 0)
		return fail(err, MT_EIO, "cannot read %s/events.jsonl", log->dir);
	log->size = (uint64_t)st.st_size;
	log->fresh = log->mode == EVLOG_CREATE && log->options.sync != SYNC_NONE;
	return MT_OK;
}

static struct evlog *event_log_make(const char *dir, enum evlog_open mode,
				    const struct evlog_options *o)
{
	struct evlog *log = calloc(1, sizeof *log);

	if (!log)
		return NULL;
	log->dir_fd = log->fd = log->side_fd = -1;
	log->mode = mode;
	if (o)
		log->options = *o;
	log->line = STRBUF(LOG_LINE_MAX);
	log->dir = strdup(dir);
	if (!log->dir) {
		free(log);
		return NULL;
	}
	return log;
}

static int open_all(struct evlog *log, struct strbuf *report, struct error *err)
{
	int status = event_log_open_dir(log, err);

	if (!status && log->mode != EVLOG_CREATE)
		status = evlog_check_format(log, err);
	if (!status)
		status = open_file(log, err);
	if (!status && log->mode != EVLOG_CREATE)
		evlog_load_checkpoint(log);
	if (!status)
		status = evlog_replay(log, report, err);
	if (status == MT_ENOMEM)
		fail_code(err, status);
	log->opened = log->told = evlog_count(log);
	return status;
}

static void log_release(struct evlog *log)
{
	for (size_t i = 0; i < LOG_CACHE_SLOTS; i++)
		event_unref(log->cache[i].event);
	index_clear(&log->index);
	json_object_put(log->checkpoint);
	free(log->subscriptions);
	strbuf_clear(&log->line);
	auto_close(&log->fd);
	auto_close(&log->dir_fd);
	auto_close(&log->side_fd);
	free(log->dir);
	free(log->lost_path);
	free(log);
}

int evlog_open(const char *dir, enum evlog_open mode, const struct evlog_options *o,
	       struct evlog **ret, char **ret_report, struct error *err)
{
	AUTO(strbuf) struct strbuf report = STRBUF(16384);
	struct evlog *log = event_log_make(dir, mode, o);
	int status;

	if (!log)
		return out_of_memory(err);
	status = open_all(log, &report, err);
	if (status) {
		log_release(log);
		return status;
	}
	if (ret_report)
		*ret_report = report.len ? strbuf_take(&report) : NULL;
	*ret = log;
	return MT_OK;
}

struct evlog *evlog_close(struct evlog *log)
{
	if (!log)
		return NULL;
	if (log->mode != EVLOG_READ) {
		if (evlog_barrier(log, NULL) == MT_OK)
			evlog_write_checkpoint(log, NULL);
	}
	log_release(log);
	return NULL;
}

/* ---- the disk ----------------------------------------------------------------- */

/* After a failed sync the contents of the disk are unknown, and the next sync may
 * succeed: nothing more is appended to such a log. */
static int fail_lost(const struct evlog *log, struct error *err)
{
	return fail(err, MT_EIO,
		    "cannot sync %s to disk: %s; the conversation was stopped (check the "
		    "disk, then resume it)",
		    log->lost_path ? log->lost_path : log->dir, strerror(log->lost));
}

int evlog_lose(struct evlog *log, const char *name, int number, struct error *err)
{
	if (!log->lost) {
		log->lost = number ? number : EIO;
		log->lost_path = *name ? path_join(log->dir, name) : strdup(log->dir);
	}
	return fail_lost(log, err);
}

/* Sync the directory of the log and its parent. */
static int sync_directories(struct evlog *log)
{
	AUTO(close) int above =
		openat(log->dir_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fsync(log->dir_fd) != 0 || above < 0 || fsync(above) != 0 ? MT_EIO : MT_OK;
}

/* Sync the log first: on most file systems its journal commit includes the rest. */
static int sync_all(struct evlog *log, struct error *err)
{
	if (log->lost)
		return fail_lost(log, err);
	if (fdatasync(log->fd) != 0)
		return evlog_lose(log, "events.jsonl", errno, err);
	if ((log->side_fd >= 0 && fdatasync(log->side_fd) != 0) ||
	    (log->fresh && sync_directories(log)))
		return evlog_lose(log, "", errno, err);
	auto_close(&log->side_fd);
	log->side_fd = -1;
	log->dirty = log->fresh = false;
	return MT_OK;
}

int evlog_add_file(struct evlog *log, const char *name, struct error *err)
{
	if (log->options.sync == SYNC_NONE)
		return MT_OK;
	auto_close(&log->side_fd);
	log->side_fd = openat(log->dir_fd, name, O_RDONLY | O_CLOEXEC);
	if (log->side_fd < 0)
		return fail(err, MT_EIO, "cannot open %s/%s: %s", log->dir, name,
			    strerror(errno));
	log->fresh = log->dirty = true;
	return log->options.sync == SYNC_EVENT ? sync_all(log, err) : MT_OK;
}

int evlog_sync_file(struct evlog *log, const char *below, const char *name,
		    struct error *err)
{
	AUTO(close) int dir = -1;
	AUTO(close) int file = -1;

	if (log->lost)
		return fail_lost(log, err);
	if (log->options.sync == SYNC_NONE)
		return MT_OK;
	dir = openat(log->dir_fd, below, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0)
		file = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return errno == ENOENT ? MT_OK
				       : fail(err, MT_EIO, "cannot open %s/%s/%s: %s",
					      log->dir, below, name, strerror(errno));
	if (fdatasync(file) == 0 && fsync(dir) == 0 && fsync(log->dir_fd) == 0)
		return MT_OK;
	return evlog_lose(log, below, errno, err);
}

/* Only for a new log, which has much to write: otherwise the call costs more than it
 * saves. */
void evlog_barrier_begin(struct evlog *log)
{
	if (!log->fresh)
		return;
	sync_file_range(log->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	if (log->side_fd >= 0)
		sync_file_range(log->side_fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int evlog_barrier(struct evlog *log, struct error *err)
{
	return log->dirty || log->lost ? sync_all(log, err) : MT_OK;
}

bool evlog_is_lost(const struct evlog *log)
{
	return log->lost != 0;
}

/* ---- writing ----------------------------------------------------------------- */

/* Truncate the rest of a failed write, now or before the next write. */
static int cut_back(struct evlog *log)
{
	log->torn = ftruncate(log->fd, (off_t)log->size) != 0;
	return log->torn ? MT_EIO : MT_OK;
}

int evlog_detach_copy(struct evlog *log, evlog_blobs_fn *blobs, void *arg,
		      struct error *err)
{
	int fd = openat(log->dir_fd, "events.jsonl", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(err, MT_EIO, "cannot open %s/events.jsonl: %s", log->dir,
			    strerror(errno));
	auto_close(
		&log->fd); /* the lock remains: the descriptor of the parent holds it */
	auto_close(&log->dir_fd);
	log->fd = fd;
	log->dir_fd = -1;
	log->mode = EVLOG_READ;
	log->options.damaged = NULL;
	log->blobs = blobs;
	log->blobs_arg = arg;
	return fd;
}

/* Write the line in log->line and index it. */
static int event_log_put_line(struct evlog *log, struct error *err)
{
	const char *fault = "cannot read it back";
	struct line line;
	int status;

	evlog_line_seal(&log->line);
	strbuf_addc(&log->line, '\n');
	if (log->line.error)
		return fail(err, log->line.error, "the event is too large for the log");
	line_scan(log->line.text, log->line.len - 1, &line);
	if (line.kind == LINE_BAD)
		return fail(err, MT_EINVAL, "cannot log the event: %s", line.fault);
	if (log->torn && cut_back(log))
		return fail(err, MT_EIO, "cannot write %s/events.jsonl: %s", log->dir,
			    strerror(errno));
	status = MT_OK;
	if (file_write_all(log->fd, log->line.text, log->line.len))
		status = fail(err, MT_EIO, "cannot write %s/events.jsonl: %s", log->dir,
			      strerror(errno));
	else if (log->options.sync == SYNC_EVENT)
		status = sync_all(log, err);
	if (status) {
		cut_back(log);
		return status;
	}
	status = index_add(&log->index, &line, log->line.len, &fault, err);
	if (status) {
		cut_back(log);
		return fail(err, status, "cannot log the event: %s", fault);
	}
	log->size += log->line.len;
	log->dirty |= log->options.sync == SYNC_BARRIER;
	if (++log->since_checkpoint >= LOG_CHECKPOINT_EVERY) {
		/* a checkpoint only saves time, and must not contain more than the
		 * disk */
		if (evlog_barrier(log, NULL) == MT_OK)
			evlog_write_checkpoint(log, NULL);
		malloc_trim(0); /* frees the buffer of the checkpoint */
	}
	return MT_OK;
}

static int check_writable(const struct evlog *log, struct error *err)
{
	if (log->mode == EVLOG_READ)
		return fail(err, MT_EDENIED, "the event log is read-only");
	return log->lost ? fail_lost(log, err) : MT_OK;
}

static void start_line(struct evlog *log)
{
	if (log->line.room > LOG_CACHE_BYTES)
		strbuf_clear(&log->line);
	strbuf_reset(&log->line);
	log->line.max = LOG_LINE_MAX;
}

/* Mask secrets in an event, except in the system text, tool definitions, and names that
 * are used as keys. */
static int mask_event(const struct mask *mask, struct event *e)
{
	static const char *const open_members[] = {
		"id", "timestamp", "source", "cause", "action", "observation", "args",
		"extras", "tool_call_metadata", "llm_metrics", NULL,
	};
	static const char *const names[] = { "name", "agent_class", NULL };
	bool changed = false;
	int status = MT_OK;

	if (e->type->id != ACTION_SYSTEM)
		status = mask_json(mask, event_args(e), names, &changed);
	if (!status)
		status = mask_json(mask, e->json, open_members, NULL);
	if (!status && changed && (e->type->flags & EVENT_RUNNABLE) && e->is_action)
		status = js_set_bool(e->json, EVENT_MASKED, true);
	return status;
}

/* Set the ID, time, and message of the event, and mask its secrets. */
static int event_log_prepare(struct evlog *log, struct event *e)
{
	char now[32];

	event_timestamp_now(now);
	json_object_object_del(e->json, "crc"); /* the name is reserved */
	if (js_set_int(e->json, "id", evlog_count(log)) || event_derive(e) ||
	    (!js_get(e->json, "timestamp") && js_set_str(e->json, "timestamp", now)))
		return MT_ENOMEM;
	return mask_is_empty(log->options.mask) ? MT_OK
						: mask_event(log->options.mask, e);
}

static int log_append(struct evlog *log, struct event *e, struct error *err)
{
	struct write_hook hook = blob_hook(log);
	int status = event_log_prepare(log, e);

	if (status)
		return fail_code(err, status);
	start_line(log);
	log->blob_bytes = 0;
	status = event_write_hooked(e, &log->line, &hook);
	if (status && log->lost)
		return fail_lost(log, err);
	if (status == MT_ENOMEM)
		return fail_code(err, status);
	if (status)
		return fail(err, status,
			    status == MT_ELIMIT
				    ? "the event is too large for the log"
				    : "%s: cannot store the long strings of an event",
			    log->dir);
	return event_log_put_line(log, err);
}

/* Notify the subscribers of each new event. Events that they append meanwhile are
 * delivered afterwards, by the outermost call. */
static void log_tell(struct evlog *log, struct event *newest)
{
	if (log->telling)
		return;
	log->telling = true;
	while (log->told < evlog_count(log)) {
		AUTO(event)
		struct event *e = log->told == newest->id
					  ? event_ref(newest)
					  : evlog_event(log, log->told, NULL);

		log->told++;

		for (size_t i = 0; e && i < log->subscription_count; i++)
			if (log->subscriptions[i].fn)
				log->subscriptions[i].fn(log, e,
							 log->subscriptions[i].arg);
	}
	log->telling = false;
}

int evlog_append(struct evlog *log, struct event *e, struct error *err)
{
	int status = check_writable(log, err);

	if (status)
		return status;
	if (e->id >= 0)
		return fail(err, MT_EINVAL, "event %" PRId64 " is already in a log",
			    e->id);
	status = log_append(log, e, err);
	if (status) {
		json_object_object_del(e->json, "id");
		return status;
	}
	e->id = evlog_count(log) - 1;
	evlog_cache(log, e, log->line.len + log->blob_bytes);
	log_tell(log, e);
	return MT_OK;
}

/* `record` is the first member: it identifies the type of the line. */
static int event_log_write_record(struct strbuf *out, json_object *record,
				  const struct write_hook *hook)
{
	if (js_failed(record) && !out->error)
		out->error = MT_ENOMEM;
	strbuf_addc(out, '{');
	js_key_str(out, "record", js_str(record, "record", ""));
	json_object_object_foreach(record, name, value) {
		if (strcmp(name, "record") == 0 || strcmp(name, "crc") == 0)
			continue;
		js_key(out, name);
		json_write(out, value, hook);
	}
	return strbuf_addc(out, '}');
}

static int check_record(const struct evlog *log, json_object *record, struct error *err)
{
	const char *name = js_str(record, "record", "");
	int64_t count = evlog_count(log), action = js_int(record, "action", -1);
	int64_t to = js_int(record, "to", count);

	if (js_failed(record))
		return out_of_memory(err);
	if (!*name)
		return fail(err, MT_EINVAL, "a record requires the member `record`");
	if (strcmp(name, "llm_reply") == 0 && !js_str(record, "response_id", NULL))
		return fail(err, MT_EINVAL, "a response record requires `response_id`");
	if (strcmp(name, "state") == 0 && !js_str(record, "plugin", NULL))
		return fail(err, MT_EINVAL, "a state record requires `plugin`");
	if (strcmp(name, "dispatch") == 0 && (action < 0 || action >= count))
		return fail(err, MT_EINVAL,
			    "a dispatch record does not refer to an "
			    "event of the log");
	if (strcmp(name, "rewind") == 0 && (to < -1 || to >= count))
		return fail(err, MT_EINVAL,
			    "a rewind record does not refer to an event "
			    "of the log");
	return MT_OK;
}

/* Mark a call whose arguments were masked, like an event. */
static int mask_calls(const struct mask *mask, json_object *calls)
{
	static const char *const names[] = { "id", "name", NULL };
	size_t n = js_length(calls);
	int status = MT_OK;

	for (size_t i = 0; i < n && !status; i++) {
		json_object *call = json_object_array_get_idx(calls, i);
		bool changed = false;

		status = mask_json(mask, call, names, &changed);
		if (!status && changed)
			status = js_set_bool(call, EVENT_MASKED, true);
	}
	return status;
}

static int mask_record(const struct mask *mask, json_object *record)
{
	static const char *const open_members[] = {
		"record", "response_id", "plugin", "action", "to", "model", "calls", NULL,
	};
	int status = mask_json(mask, record, open_members, NULL);

	return status ? status : mask_calls(mask, js_get(record, "calls"));
}

int evlog_record(struct evlog *log, json_object *record, struct error *err)
{
	AUTO(json) json_object *copy = NULL;
	struct write_hook hook = blob_hook(log);
	int status = check_writable(log, err);

	if (!status)
		status = check_record(log, record, err);
	if (status)
		return status;
	if (!mask_is_empty(log->options.mask)) {
		if (json_object_deep_copy(record, &copy, NULL) != 0 ||
		    mask_record(log->options.mask, copy))
			return out_of_memory(err);
		record = copy;
	}
	start_line(log);
	status = event_log_write_record(&log->line, record, &hook);
	if (status && log->lost)
		return fail_lost(log, err);
	if (status)
		return fail(err, status, "%s: cannot write a record", log->dir);
	return event_log_put_line(log, err);
}

/* ---- subscribers --------------------------------------------------------------- */

int evlog_subscribe(struct evlog *log, evlog_subscriber *fn, void *arg)
{
	int status = ARRAY_ADD(log->subscriptions, log->subscription_count, ARRAY_MAX);

	if (status)
		return status;
	log->subscriptions[log->subscription_count++] =
		(struct subscription){ fn, arg, ++log->last_handle };
	return log->last_handle;
}

const char *evlog_dir(const struct evlog *log)
{
	return log->dir;
}
