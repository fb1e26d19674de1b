/* SPDX-License-Identifier: MIT
 *
 * evlog-open.c - opens a log: takes the lock, checks the format, reads the lines that no
 * checkpoint covers, repairs a torn end. */
#include "events/evlog-internal.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

enum {
	READ_AT_ONCE = 1 << 20,
	META_MAX = 64 << 20,
	LEFT_TRIES = 200,
	LEFT_PAUSE_MS = 10,
	GAP_MAX = 1 << 20, /* maximum number of missing events in one place */
	EVENT_LEAST = 16,  /* minimum bytes of a damaged piece that counts as a record */
};

/* PID of the process that holds the lock of a file, for messages; 0: unknown. */
static long lock_owner(int fd)
{
	FILE *locks = fopen("/proc/locks", "re");
	unsigned major_part, minor_part;
	unsigned long long inode;
	char line[256];
	long pid, owner = 0;
	struct stat st;

	if (!locks)
		return 0;
	while (!owner && fstat(fd, &st) == 0 && fgets(line, sizeof line, locks))
		if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%llu", &pid, &major_part,
			   &minor_part, &inode) == 4 &&
		    inode == st.st_ino && makedev(major_part, minor_part) == st.st_dev)
			owner = pid;
	fclose(locks);
	return owner;
}

/* If a process is killed between fork and exec of a child, the child holds the lock until
 * its exec: the lock will soon be released. */
static bool lock_is_left(long owner)
{
	return owner > 0 && kill((pid_t)owner, 0) != 0 && errno == ESRCH;
}

int evlog_lock(struct evlog *log, struct error *err)
{
	const struct timespec pause = { .tv_nsec = LEFT_PAUSE_MS * 1000000L };
	long owner = 0;

	for (int i = 0; i <= LEFT_TRIES; i++) {
		if (flock(log->fd, LOCK_EX | LOCK_NB) == 0)
			return MT_OK;
		if (errno != EWOULDBLOCK)
			return fail(err, MT_EIO, "cannot lock %s/events.jsonl: %s",
				    log->dir, strerror(errno));
		owner = lock_owner(log->fd);
		if (!lock_is_left(owner))
			break;
		nanosleep(&pause, NULL);
	}
	if (owner <= 0)
		return fail(err, MT_EDENIED,
			    "the conversation in %s is open in another "
			    "process",
			    log->dir);
	return fail(err, MT_EDENIED, "the conversation in %s is open in process %ld",
		    log->dir, owner);
}

int evlog_check_format(struct evlog *log, struct error *err)
{
	AUTO(free) char *path = path_join(log->dir, "meta.json"), *text = NULL;
	AUTO(json) json_object *meta = NULL;
	size_t len;
	int64_t format;

	if (!path)
		return out_of_memory(err);
	if (access(path, F_OK) != 0)
		return MT_OK;
	if (file_read(path, META_MAX, &text, &len, err))
		return MT_EIO;
	meta = js_parse_object(text, len, NULL);
	format = js_int(meta, "format", LOG_FORMAT);
	if (format != LOG_FORMAT)
		return fail(err, MT_EUNSUPPORTED,
			    "%s: format %" PRId64
			    ", but this mortise reads format %d; update mortise",
			    path, format, LOG_FORMAT);
	return MT_OK;
}

/* ---- reading lines -------------------------------------------------------------- */

struct replay {
	struct evlog *log;
	struct strbuf buf;     /* bytes from `log->index.end` on */
	size_t bad, bad_events; /* damaged pieces since the last event that may be a
				   record; those that look like an event */
	bool damaged;          /* a line since the last event is damaged */
	uint64_t damage, damage_len; /* bytes not reported yet, and the reason */
	const char *fault;
	bool unfinished;       /* the last line lacks its newline */
	struct strbuf *report;
	struct error *err;
};

static int log_open_take(struct replay *r, const char *text, size_t len, size_t whole,
			 bool piece);

/* The ID of the next event after a position if it is nearby; otherwise -1. */
static int64_t next_id(struct evlog *log, uint64_t at)
{
	uint64_t left = log->size > at ? log->size - at : 0;
	size_t len = left < READ_AT_ONCE ? (size_t)left : READ_AT_ONCE;
	AUTO(free) char *buf = malloc(len + 1);
	char *line = buf, *end;

	if (!buf || evlog_pread(log, at, len, buf, NULL))
		return -1;
	for (; (end = memchr(line, '\n', len - (size_t)(line - buf))); line = end + 1) {
		struct line seen;

		line_scan(line, (size_t)(end - line), &seen);
		if (seen.kind == LINE_EVENT)
			return seen.id;
	}
	return -1;
}

/* True if an ID is the next one, or if it is too high because events before it are
 * missing. False: the ID is wrong. */
static bool is_after_gap(struct replay *r, const struct line *line, size_t whole)
{
	int64_t gap = line->id - evlog_count(r->log);

	if (gap <= 0 || gap > GAP_MAX)
		return gap == 0;
	return line->sealed || (size_t)gap <= r->bad ||
	       next_id(r->log, r->log->index.end + whole) == line->id + 1;
}

static void log_open_tell_damage(struct replay *r)
{
	if (r->damage_len > 0)
		evlog_tell_damage(r->log, r->damage, r->damage_len, r->fault, r->report);
	r->damage_len = 0;
}

/* Record that the next events are missing. `cut`: no event follows. */
static int leave_gap(struct replay *r, int64_t count, bool cut)
{
	int64_t first = evlog_count(r->log);

	if (count > 0 && !r->damaged) {
		evlog_tell_gap(r->log, first, count, cut, r->report);
	} else if (count > 0 && r->report->len) {
		strbuf_addf(r->report, "\n%s/events.jsonl: ", r->log->dir);
		evlog_put_missing(r->report, first, count);
	}
	for (int64_t i = 0; i < count; i++)
		if (index_add_missing(&r->log->index, i > 0))
			return out_of_memory(r->err);
	r->bad = r->bad_events = 0;
	r->damaged = false;
	return MT_OK;
}

static bool log_open_begins(const char *text, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* Skip unusable bytes; `whole` includes their newline. */
static void pass_bad(struct replay *r, const char *text, size_t len, size_t whole,
		     const char *fault)
{
	struct log_index *x = &r->log->index;

	if (r->damage_len > 0 && r->damage + r->damage_len + 1 < x->end)
		log_open_tell_damage(r);
	if (r->damage_len == 0) {
		r->damage = x->end;
		r->fault = fault;
	}
	if (len > 0) {
		r->damage_len = x->end + len - r->damage;
		r->damaged = true;
	}
	x->end += whole;
	if (len < EVENT_LEAST)
		return;
	r->bad++;
	r->bad_events += !log_open_begins(text, len, "{\"record\":");
	/* it may have been the dispatch record of a call */
	if (!log_open_begins(text, len, "{\"id\":") && x->count &&
	    x->heads[x->count - 1].type->is_action)
		x->heads[x->count - 1].dispatched = true;
}

/* Use the complete records inside a damaged line. */
static int take_damaged(struct replay *r, const char *text, size_t len, size_t whole,
			const char *fault, bool piece)
{
	size_t at = 0, start, end, work = len * 8 + READ_AT_ONCE;

	while (!piece && evlog_line_salvage(text, len, at, &work, &start, &end)) {
		int status;

		if (start > at)
			pass_bad(r, text + at, start - at, start - at, fault);
		status = log_open_take(r, text + start, end - start, end - start, true);
		if (status)
			return status;
		at = end;
	}
	pass_bad(r, text + at, len - at, whole - at, fault);
	return MT_OK;
}

/* Index a line of `len` bytes, `whole` with its newline. `piece`: part of a damaged
 * line. */
static int log_open_take(struct replay *r, const char *text, size_t len, size_t whole,
			 bool piece)
{
	const char *fault = "it is not valid";
	struct line line;
	int status;

	line_scan(text, len, &line);
	if (line.kind == LINE_BAD)
		return take_damaged(r, text, len, whole, line.fault, piece);
	if (line.kind == LINE_EVENT && !is_after_gap(r, &line, whole))
		return take_damaged(r, text, len, whole, "its id is out of sequence",
				    piece);
	if (line.kind == LINE_EVENT && !line.sealed && !index_knows(&line))
		return take_damaged(r, text, len, whole, "its type is unknown", piece);
	log_open_tell_damage(r);
	if (line.kind == LINE_EVENT && leave_gap(r, line.id - evlog_count(r->log), false))
		return MT_ENOMEM;
	status = index_add(&r->log->index, &line, whole, &fault, r->err);
	return status == MT_EINVAL ? take_damaged(r, text, len, whole, fault, piece)
				   : status;
}

/* Index the complete lines of the buffer. */
static int take_lines(struct replay *r)
{
	size_t at = 0;
	int status = MT_OK;

	while (at < r->buf.len && !status) {
		char *start = r->buf.text + at,
		     *end = memchr(start, '\n', r->buf.len - at);
		size_t len;

		if (!end)
			break;
		len = (size_t)(end - start);
		status = log_open_take(r, start, len, len + 1, false);
		at += len + 1;
	}
	strbuf_consume(&r->buf, at);
	return status;
}

/* Terminate the last line of the file. */
static int end_file(struct replay *r)
{
	if (file_write_all(r->log->fd, "\n", 1))
		return fail(r->err, MT_EIO, "cannot write %s/events.jsonl: %s",
			    r->log->dir, strerror(errno));
	r->log->size++;
	return MT_OK;
}

/* The last line has no newline. It counts if the record is otherwise complete and is torn
 * if not. A reader skips a torn line, since the owner may still be writing it. */
static int take_rest(struct replay *r)
{
	size_t start, end, len = r->buf.len, work = len * 8 + READ_AT_ONCE;
	struct line line;

	if (r->log->mode == EVLOG_READ)
		r->log->size = r->log->index.end;
	if (len == 0 || r->log->mode == EVLOG_READ)
		return MT_OK;
	line_scan(r->buf.text, len, &line);
	if (line.kind == LINE_BAD &&
	    !evlog_line_salvage(r->buf.text, len, 0, &work, &start, &end))
		return MT_EINVAL;
	r->unfinished = line.kind != LINE_BAD;
	if (end_file(r))
		return MT_EIO;
	return log_open_take(r, r->buf.text, len, len + 1, false);
}

static int log_open_read_lines(struct replay *r)
{
	struct evlog *log = r->log;
	uint64_t at = log->index.end;
	int status = MT_OK;

	while (at < log->size && !status) {
		uint64_t left = log->size - at;
		size_t want = left < READ_AT_ONCE ? (size_t)left : READ_AT_ONCE;

		if (strbuf_reserve(&r->buf, want))
			return fail(r->err, r->buf.error,
				    "%s/events.jsonl contains a line that is too long",
				    log->dir);
		status = evlog_pread(log, at, want, r->buf.text + r->buf.len, r->err);
		if (status)
			return status;
		r->buf.len += want;
		at += want;
		status = take_lines(r);
	}
	if (!status)
		status = take_rest(r);
	log_open_tell_damage(r);
	if ((!status || status == MT_EINVAL) && r->bad_events > 0 &&
	    leave_gap(r, (int64_t)r->bad_events, true))
		return MT_ENOMEM;
	return status;
}

/* ---- repairing -------------------------------------------------------------------- */

static int copy_rest(struct evlog *log, int out, uint64_t from, struct error *err)
{
	AUTO(free) char *buf = malloc(READ_AT_ONCE);

	if (!buf)
		return out_of_memory(err);
	while (from < log->size) {
		uint64_t left = log->size - from;
		size_t want = left < READ_AT_ONCE ? (size_t)left : READ_AT_ONCE;

		if (evlog_pread(log, from, want, buf, err))
			return MT_EIO;
		if (file_write_all(out, buf, want))
			return fail(err, MT_EIO,
				    "%s: cannot save the damaged end of the log: %s",
				    log->dir, strerror(errno));
		from += want;
	}
	return MT_OK;
}

/* Move everything from index.end on to events.torn-N. */
static int cut_torn(struct evlog *log, char *name, size_t room, struct error *err)
{
	AUTO(close) int out = -1;

	for (int n = 1; out < 0; n++) {
		snprintf(name, room, "events.torn-%d", n);
		out = openat(log->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			     0600);
		if (out < 0 && errno != EEXIST)
			return fail(err, MT_EIO, "cannot create %s/%s: %s", log->dir,
				    name, strerror(errno));
	}
	if (copy_rest(log, out, log->index.end, err)) {
		unlinkat(log->dir_fd, name, 0);
		return MT_EIO;
	}
	if (fsync(out) != 0 || fsync(log->dir_fd) != 0 ||
	    ftruncate(log->fd, (off_t)log->index.end) != 0)
		return fail(err, MT_EIO, "cannot repair %s/events.jsonl: %s", log->dir,
			    strerror(errno));
	log->size = log->index.end;
	return MT_OK;
}

/* Move the incomplete last line to another file. */
static int repair(struct replay *r)
{
	struct evlog *log = r->log;
	uint64_t lost = log->size - log->index.end;
	char name[64];

	if (cut_torn(log, name, sizeof name, r->err))
		return MT_EIO;
	return strbuf_addf(r->report,
			   "%sThe last line of the log was incomplete. Its %" PRIu64
			   " bytes, after event %zd, were moved to %s/%s.",
			   r->report->len ? "\n" : "", lost,
			   (ssize_t)log->index.count - 1, log->dir, name);
}

/* A checkpoint counts more events than the log has: their IDs are not reused. */
static int restore_count(struct replay *r)
{
	int64_t gap = r->log->recorded - evlog_count(r->log);

	return gap > 0 && gap <= GAP_MAX ? leave_gap(r, gap, true) : MT_OK;
}

int evlog_replay(struct evlog *log, struct strbuf *report, struct error *err)
{
	struct error ignored = ERROR_NONE;
	struct replay r = { .log = log, .buf = STRBUF(LOG_LINE_MAX), .report = report,
			    .err = err ? err : &ignored };
	int status = log_open_read_lines(&r);

	strbuf_clear(&r.buf);
	if (status == MT_EINVAL && r.err->code == MT_OK)
		status = repair(&r);
	else if (!status && r.unfinished)
		strbuf_add(report,
			   "The last line of the log lacked its newline. The line was "
			   "complete and is kept.");
	return status ? status : restore_count(&r);
}

int evlog_follow(struct evlog *log, uint64_t size, struct error *err)
{
	AUTO(strbuf) struct strbuf report = STRBUF(16384);

	if (size <= log->index.end)
		return MT_OK;
	log->size = size;
	return evlog_replay(log, &report, err);
}
