/* SPDX-License-Identifier: MIT
 *
 * evlog-damage.c - damaged lines of a log: checksums, and replacements for events that
 * cannot be read. A damaged line stays in place and affects only itself. */
#include "events/evlog-internal.h"

#include "crc32c.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	SUM_DIGITS = 8,
	STARTS_MAX = 16,      /* maximum number of start positions to try */
	PIECE = 1 << 16,
	REPORT_LINES = 4000,  /* maximum bytes of a damage report */
	DAMAGES_MAX = 64,     /* maximum reported and copied; all stay in the log */
};

#define SUM_MEMBER ",\"crc\":\""
#define SUM_END "\"}"
#define SUM_LEN (sizeof SUM_MEMBER - 1 + SUM_DIGITS + sizeof SUM_END - 1)

/* ---- checksums ----------------------------------------------------------- */

int evlog_line_seal(struct strbuf *line)
{
	uint32_t sum;

	if (line->error)
		return line->error;
	strbuf_cut(line, line->len - 1); /* the closing bracket */
	sum = crc32c_update(0, line->text, line->len);
	return strbuf_addf(line, SUM_MEMBER "%0*" PRIx32 SUM_END, SUM_DIGITS, sum);
}

static bool log_damage_read_digits(const char *text, uint32_t *ret)
{
	*ret = 0;
	for (int i = 0; i < SUM_DIGITS; i++) {
		const char *digits = "0123456789abcdef";
		const char *found = text[i] ? strchr(digits, text[i]) : NULL;

		if (!found)
			return false;
		*ret = *ret << 4 | (uint32_t)(found - digits);
	}
	return true;
}

/* Parse the checksum at `text`. */
static bool read_member(const char *text, uint32_t *ret)
{
	const char *digits = text + sizeof SUM_MEMBER - 1;

	return memcmp(text, SUM_MEMBER, sizeof SUM_MEMBER - 1) == 0 &&
	       memcmp(digits + SUM_DIGITS, SUM_END, sizeof SUM_END - 1) == 0 &&
	       log_damage_read_digits(digits, ret);
}

enum line_sum evlog_line_check(const char *text, size_t len, size_t *ret_body)
{
	uint32_t sum;

	*ret_body = len;
	if (len < SUM_LEN || !read_member(text + len - SUM_LEN, &sum))
		return SUM_NONE;
	*ret_body = len - SUM_LEN;
	return crc32c_update(0, text, *ret_body) == sum ? SUM_GOOD : SUM_BAD;
}

/* Find the start of the record whose checksum is at `end`, searching from `from`. */
static bool find_start(const char *text, size_t from, size_t end, uint32_t sum,
		       size_t *work, size_t *ret)
{
	for (int tries = 0; tries < STARTS_MAX && from < end; tries++) {
		const char *next;

		if (*work < end - from)
			return false;
		*work -= end - from;
		if (crc32c_update(0, text + from, end - from) == sum) {
			*ret = from;
			return true;
		}
		next = memmem(text + from + 1, end - from - 1, "{\"", 2);
		if (!next)
			return false;
		from = (size_t)(next - text);
	}
	return false;
}

bool evlog_line_salvage(const char *text, size_t len, size_t from, size_t *work,
			size_t *ret_start, size_t *ret_end)
{
	size_t at = from;

	while (at < len) {
		const char *mark =
			memmem(text + at, len - at, SUM_MEMBER, sizeof SUM_MEMBER - 1);
		uint32_t sum;
		size_t place;

		if (!mark || (size_t)(text + len - mark) < SUM_LEN)
			return false;
		place = (size_t)(mark - text);
		at = place + 1;
		if (!read_member(mark, &sum) ||
		    !find_start(text, from, place, sum, work, ret_start))
			continue;
		*ret_end = place + SUM_LEN;
		return *ret_start > 0 || *ret_end < len;
	}
	return false;
}

/* ---- copies and reports --------------------------------------------------- */

/* Number of the line that contains a byte of the log; 0: unknown. */
static size_t line_number(struct evlog *log, uint64_t offset)
{
	AUTO(free) char *buf = malloc(PIECE);
	size_t n = 1;

	for (uint64_t at = 0; buf && at < offset;) {
		size_t want = offset - at < PIECE ? (size_t)(offset - at) : PIECE;

		if (evlog_pread(log, at, want, buf, NULL))
			return 0;
		for (size_t i = 0; i < want; i++)
			n += buf[i] == '\n';
		at += want;
	}
	return buf ? n : 0;
}

static int log_damage_copy_bytes(struct evlog *log, int out, uint64_t from, uint64_t len)
{
	AUTO(free) char *buf = malloc(PIECE);

	for (uint64_t at = 0; buf && at < len;) {
		size_t want = len - at < PIECE ? (size_t)(len - at) : PIECE;

		if (evlog_pread(log, from + at, want, buf, NULL) ||
		    file_write_all(out, buf, want))
			return MT_EIO;
		at += want;
	}
	return buf ? MT_OK : MT_ENOMEM;
}

/* @return MT_EEXIST if the piece was copied, and thus reported, before. */
static int log_damage_set_aside(struct evlog *log, const char *name, uint64_t from,
				uint64_t len)
{
	AUTO(close) int out =
		openat(log->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int r;

	if (out < 0)
		return errno == EEXIST ? MT_EEXIST : MT_EIO;
	r = log_damage_copy_bytes(log, out, from, len);
	if (r)
		unlinkat(log->dir_fd, name, 0);
	return r;
}

void evlog_tell_damage(struct evlog *log, uint64_t from, uint64_t len, const char *fault,
		       struct strbuf *report)
{
	AUTO(strbuf) struct strbuf said = STRBUF(8192);
	char name[64];
	int r = MT_EDENIED;

	if (log->damages++ >= DAMAGES_MAX)
		return;
	snprintf(name, sizeof name, "events.damaged-%" PRIu64, from);
	if (log->mode != EVLOG_READ)
		r = log_damage_set_aside(log, name, from, len);
	if (r == MT_EEXIST)
		return;
	strbuf_addf(&said, "%s/events.jsonl, line %zu: %s. ", log->dir,
		    line_number(log, from), fault);
	if (r == MT_OK)
		strbuf_addf(&said, "The line was copied to %s. ", name);
	strbuf_add(&said,
		   "The conversation continues without this record. To restore it, "
		   "stop the conversation, correct the line and delete events.index.");
	if (said.error)
		return;
	if (report && report->len < REPORT_LINES)
		strbuf_addf(report, "%s%s", report->len ? "\n" : "", said.text);
	else if (!report && log->options.damaged)
		log->options.damaged(log->options.arg, said.text);
}

int evlog_put_missing(struct strbuf *out, int64_t first, int64_t count)
{
	return count == 1 ? strbuf_addf(out, "Event %" PRId64 " is missing.", first)
			  : strbuf_addf(out,
					"Events %" PRId64 " to %" PRId64 " are missing.",
					first, first + count - 1);
}

void evlog_tell_gap(struct evlog *log, int64_t first, int64_t count, bool cut,
		    struct strbuf *report)
{
	AUTO(strbuf) struct strbuf said = STRBUF(8192);

	if (log->damages++ >= DAMAGES_MAX || report->len >= REPORT_LINES)
		return;
	if (cut && !log->size)
		strbuf_addf(&said, "%s/events.jsonl is empty. ", log->dir);
	else if (cut)
		strbuf_addf(&said, "%s/events.jsonl ends too early. ", log->dir);
	else
		strbuf_addf(&said,
			    "%s/events.jsonl, line %zu: lines before it were removed. ",
			    log->dir, line_number(log, log->index.end));
	evlog_put_missing(&said, first, count);
	strbuf_addf(&said,
		    " The conversation continues without %s. To restore %s, stop the "
		    "conversation, insert %s from a backup and delete events.index.",
		    count == 1 ? "this event" : "these events",
		    count == 1 ? "it" : "them", count == 1 ? "its line" : "their lines");
	if (!said.error)
		strbuf_addf(report, "%s%s", report->len ? "\n" : "", said.text);
}

/* ---- replacement events ---------------------------------------------------- */

/* The number of missing events from `id` on: those after the first are hidden. */
static int64_t gap_length(const struct log_index *x, int64_t id)
{
	size_t end = (size_t)id + 1;

	if (!x->heads[id].hidden)
		while (end < x->count && x->heads[end].missing && x->heads[end].hidden)
			end++;
	return (int64_t)end - id;
}

struct event *evlog_missing_event(struct evlog *log, int64_t id, struct error *err)
{
	int64_t count = gap_length(&log->index, id);
	char text[256];
	int n = count == 1
			? snprintf(
				  text, sizeof text,
				  "Event %" PRId64
				  " of this conversation is missing: its record on "
				  "disk is damaged. If you need what it said, read it again.",
				  id)
			: snprintf(
				  text, sizeof text,
				  "Events %" PRId64 " to %" PRId64
				  " of this conversation are missing: their records on disk "
				  "are damaged. If you need what they said, read it again.",
				  id, id + count - 1);
	struct event *e = event_observation("error", SOURCE_ENVIRONMENT, -1, text,
					    (size_t)n, NULL, err);

	if (e && js_set_int(e->json, "id", id)) {
		out_of_memory(err);
		return event_unref(e);
	}
	if (e)
		e->id = id;
	return e;
}

/* Match all delegations again, after the start or the end of one was lost. */
static void rematch_delegations(struct log_index *x)
{
	x->delegations = 0;
	for (size_t id = 0; id < x->count; id++)
		delegation_match(x, id);
}

void evlog_lose_event(struct evlog *log, int64_t id, const char *fault)
{
	struct evlog_head *head = &log->index.heads[id];
	const struct evlog_head was = *head;

	index_missing(&log->index, (size_t)id);
	head->offset = was.offset;
	head->dispatched = was.dispatched;
	head->undone = was.undone;
	head->owner = was.owner;
	if (was.partner >= 0 || was.in_progress)
		rematch_delegations(&log->index);
	evlog_tell_damage(log, was.offset, was.length - 1, fault, NULL);
}
