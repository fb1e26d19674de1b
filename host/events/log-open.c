/* SPDX-License-Identifier: MIT
 *
 * log-open.c - what opening a log does: the lock, the format, reading the
 * lines that no checkpoint covers, repairing a torn end. */
#include "events/log-internal.h"
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

enum { READ_AT_ONCE = 1 << 20, META_MAX = 64 << 20, LEFT_TRIES = 200, LEFT_PAUSE_MS = 10 };

/* Number of the process that holds the lock of a file, for people; 0: it is not
 * told. */
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

/* A process that was killed between fork and exec of a child leaves its lock to the
 * child until that has come to its exec: the owner is gone, the lock soon is. */
static bool lock_is_left(long owner)
{
	return owner > 0 && kill((pid_t)owner, 0) != 0 && errno == ESRCH;
}

int log_lock(struct evlog *log, struct error *err)
{
	const struct timespec pause = { .tv_nsec = LEFT_PAUSE_MS * 1000000L };
	long owner = 0;

	for (int i = 0; i <= LEFT_TRIES; i++) {
		if (flock(log->fd, LOCK_EX | LOCK_NB) == 0)
			return MT_OK;
		if (errno != EWOULDBLOCK)
			return fail(err, MT_EIO, "%s/events.jsonl cannot be locked: %s",
				    log->dir, strerror(errno));
		owner = lock_owner(log->fd);
		if (!lock_is_left(owner))
			break;
		nanosleep(&pause, NULL);
	}
	if (owner <= 0)
		return fail(err, MT_EDENIED, "the conversation in %s is open elsewhere",
			    log->dir);
	return fail(err, MT_EDENIED, "the conversation in %s is open in process %ld",
		    log->dir, owner);
}

int log_check_format(struct evlog *log, struct error *err)
{
	AUTO(free) char *path = path_join(log->dir, "meta.json"), *text = NULL;
	AUTO(json) json_object *meta = NULL;
	size_t len;
	int64_t format;

	if (!path)
		return fail(err, MT_ENOMEM, "out of memory for the event log");
	if (access(path, F_OK) != 0)
		return MT_OK;
	if (file_read(path, META_MAX, &text, &len, err))
		return MT_EIO;
	meta = js_parse_object(text, len, NULL);
	format = js_int(meta, "format", LOG_FORMAT);
	if (format != LOG_FORMAT)
		return fail(err, MT_EUNSUPPORTED,
			    "%s has format %" PRId64 ", this version of mortise knows %d",
			    path, format, LOG_FORMAT);
	return MT_OK;
}

/* ---- reading lines -------------------------------------------------------------- */

struct replay {
	struct evlog *log;
	struct strbuf buf; /* bytes from `log->index.end` on */
	const char *fault; /* of the first bad line */
	bool unfinished;   /* the last line lacks its newline */
	struct error *err;
};

/* Take the whole lines of the buffer in. */
static int take_lines(struct replay *r)
{
	struct line line;
	size_t at = 0;
	int status = MT_OK;

	while (at < r->buf.len) {
		char *start = r->buf.text + at,
		     *end = memchr(start, '\n', r->buf.len - at);
		size_t len;

		if (!end)
			break;
		len = (size_t)(end - start);
		line_scan(start, len, &line);
		r->fault = line.fault;
		status = line.kind == LINE_BAD ? MT_EINVAL
					       : index_add(&r->log->index, &line, len + 1,
							   &r->fault, r->err);
		if (status)
			break;
		at += len + 1;
	}
	strbuf_consume(&r->buf, at);
	return status;
}

/* The end of the file has no newline: a record that is whole but for it
 * counts, anything else is torn. A reader leaves it out: the owner may be
 * writing it just now. */
static int take_rest(struct replay *r)
{
	struct line line;

	if (r->log->mode == EVLOG_READ)
		r->log->size = r->log->index.end;
	if (r->buf.len == 0 || r->log->mode == EVLOG_READ)
		return MT_OK;
	line_scan(r->buf.text, r->buf.len, &line);
	if (line.kind == LINE_BAD) {
		r->fault = "it is not whole";
		return MT_EINVAL;
	}
	if (write_all(r->log->fd, "\n", 1))
		return fail(r->err, MT_EIO, "%s/events.jsonl cannot be written: %s",
			    r->log->dir, strerror(errno));
	r->unfinished = true;
	r->log->size++;
	return index_add(&r->log->index, &line, r->buf.len + 1, &r->fault, r->err);
}

static int read_lines(struct replay *r)
{
	struct evlog *log = r->log;
	uint64_t at = log->index.end;
	int status = MT_OK;

	while (at < log->size && !status) {
		uint64_t left = log->size - at;
		size_t want = left < READ_AT_ONCE ? (size_t)left : READ_AT_ONCE;

		if (strbuf_reserve(&r->buf, want))
			return fail(r->err, r->buf.error,
				    "%s/events.jsonl has a line that is too long",
				    log->dir);
		status = log_pread(log, at, want, r->buf.text + r->buf.len, r->err);
		if (status)
			return status;
		r->buf.len += want;
		at += want;
		status = take_lines(r);
	}
	return status ? status : take_rest(r);
}

/* ---- repairing -------------------------------------------------------------------- */

static int copy_rest(struct evlog *log, int out, uint64_t from, struct error *err)
{
	AUTO(free) char *buf = malloc(READ_AT_ONCE);

	if (!buf)
		return fail(err, MT_ENOMEM, "out of memory for the event log");
	while (from < log->size) {
		uint64_t left = log->size - from;
		size_t want = left < READ_AT_ONCE ? (size_t)left : READ_AT_ONCE;

		if (log_pread(log, from, want, buf, err))
			return MT_EIO;
		if (write_all(out, buf, want))
			return fail(err, MT_EIO,
				    "%s: the damaged end of the log cannot be "
				    "kept: %s",
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
			return fail(err, MT_EIO, "%s/%s cannot be made: %s", log->dir,
				    name, strerror(errno));
	}
	if (copy_rest(log, out, log->index.end, err)) {
		unlinkat(log->dir_fd, name, 0);
		return MT_EIO;
	}
	if (fsync(out) != 0 || fsync(log->dir_fd) != 0 ||
	    ftruncate(log->fd, (off_t)log->index.end) != 0)
		return fail(err, MT_EIO, "%s/events.jsonl cannot be repaired: %s",
			    log->dir, strerror(errno));
	log->size = log->index.end;
	return MT_OK;
}

static int repair(struct replay *r, struct strbuf *report)
{
	struct evlog *log = r->log;
	uint64_t lost = log->size - log->index.end;
	char name[64];

	if (log->mode == EVLOG_READ) {
		log->size = log->index.end;
		return strbuf_addf(report,
				   "The last %" PRIu64 " bytes of the log are left "
				   "out: a line after event %zd cannot be used, %s.",
				   lost, (ssize_t)log->index.count - 1, r->fault);
	}
	if (cut_torn(log, name, sizeof name, r->err))
		return MT_EIO;
	return strbuf_addf(report,
			   "The log was damaged after event %zd: a line cannot be "
			   "used, %s. Its last %" PRIu64 " bytes were moved to %s/%s.",
			   (ssize_t)log->index.count - 1, r->fault, lost, log->dir, name);
}

int log_replay(struct evlog *log, struct strbuf *report, struct error *err)
{
	struct replay r = { .log = log, .buf = STRBUF(LOG_LINE_MAX), .err = err };
	int status = read_lines(&r);

	strbuf_clear(&r.buf);
	if (status == MT_EINVAL && (!err || err->code == MT_OK))
		status = repair(&r, report);
	else if (!status && r.unfinished)
		strbuf_add(report,
			   "The last line of the log lacked its end; it was whole "
			   "and is kept.");
	return status;
}
