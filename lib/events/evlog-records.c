/* SPDX-License-Identifier: MIT
 *
 * evlog-records.c - reads the records that follow an event and belong to it. */
#include "events/evlog-internal.h"

#include <string.h>

/* The range between the end of an event's line and the start of the next event. */
static void gap_after(const struct evlog *log, int64_t id, uint64_t *ret_from,
		      uint64_t *ret_to)
{
	const struct evlog_head *head = evlog_head(log, id);
	const struct evlog_head *next = evlog_head(log, id + 1);

	*ret_from = head ? head->offset + head->length : 0;
	*ret_to = next ? next->offset : log->index.end;
}

static bool names_record(const char *text, size_t len, const char *name)
{
	struct line line;

	line_scan(text, len, &line);
	return line.kind == LINE_RECORD && line.type.len == strlen(name) &&
	       memcmp(line.type.text, name, line.type.len) == 0;
}

json_object *evlog_record_after(struct evlog *log, int64_t id, const char *name,
				struct error *err)
{
	AUTO(strbuf) struct strbuf gap = STRBUF(LOG_LINE_MAX);
	uint64_t from, to;
	size_t at = 0;

	gap_after(log, id, &from, &to);
	if (from >= to)
		return NULL;
	if (evlog_read(log, from, &gap, (size_t)(to - from)) < 0) {
		fail(err, MT_EIO, "cannot read %s/events.jsonl", log->dir);
		return NULL;
	}
	while (at < gap.len) {
		const char *end = memchr(gap.text + at, '\n', gap.len - at);
		size_t len = end ? (size_t)(end - gap.text) - at : gap.len - at;

		if (names_record(gap.text + at, len, name))
			return evlog_parse_line(log, from + at, len, err);
		at += len + 1;
	}
	return NULL;
}
