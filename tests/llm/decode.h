/* SPDX-License-Identifier: MIT
 *
 * decode.h - a dialect without a host: a response decoded to text.
 *
 * Pieces of text and arguments are joined, so that the same answer gives the
 * same text however it was cut. */
#ifndef TESTS_LLM_DECODE_H
#define TESTS_LLM_DECODE_H

#define MORTISE_PROVISIONAL
#include "js.h"
#include <mortise/dialect.h>
#include <string.h>

enum { DECODE_CALLS = 256 };

struct decode {
	struct strbuf text, reasoning, error, calls[DECODE_CALLS];
	struct strbuf trace;         /* received parts in order, pieces joined */
	int last;                    /* the part received last */
	char *ids[DECODE_CALLS], *names[DECODE_CALLS];
	size_t call_count;
	char id[64], stop[32];
	struct mt_usage usage;
	int kind;                    /* -1: no error */
	bool finished;               /* the host feeds no more */
	int64_t retry_ms;
	struct strbuf opaque;
	const char *errortype;       /* header of the answer, or NULL */
	void *state;
	void (*release)(void *state);
};

static struct decode *decode_of(struct mt_exchange *x)
{
	return (struct decode *)x;
}

/* `what`: 't', 'r', or the place of a call. */
static void decode_trace(struct decode *d, int what, const char *bytes, size_t len)
{
	if (!len && what == d->last)
		return;
	if (what != d->last && what < DECODE_CALLS)
		strbuf_addf(&d->trace, "\n[%d]", what);
	else if (what != d->last)
		strbuf_addf(&d->trace, "\n[%c]", what - DECODE_CALLS);
	d->last = what;
	strbuf_addn(&d->trace, bytes, len);
}

static int decode_text(struct mt_exchange *x, const char *text, size_t len)
{
	if (len)
		decode_trace(decode_of(x), DECODE_CALLS + 't', text, len);
	return strbuf_addn(&decode_of(x)->text, text, len);
}

static int decode_reasoning(struct mt_exchange *x, const char *text, size_t len)
{
	if (len)
		decode_trace(decode_of(x), DECODE_CALLS + 'r', text, len);
	return strbuf_addn(&decode_of(x)->reasoning, text, len);
}

static int decode_call(struct mt_exchange *x, size_t index, const char *id,
		       const char *name, const char *args, size_t len)
{
	struct decode *d = decode_of(x);

	if (index >= DECODE_CALLS)
		return MT_ELIMIT;
	for (; d->call_count <= index; d->call_count++)
		d->calls[d->call_count] = STRBUF(64 << 20);
	if (id && !d->ids[index])
		d->ids[index] = strdup(id);
	if (name && !d->names[index])
		d->names[index] = strdup(name);
	decode_trace(d, (int)index, args, len);
	return strbuf_addn(&d->calls[index], args, len);
}

static int decode_usage(struct mt_exchange *x, const struct mt_usage *usage)
{
	decode_of(x)->usage = *usage;
	return MT_OK;
}

static int decode_id(struct mt_exchange *x, const char *id)
{
	struct decode *d = decode_of(x);

	if (!d->id[0])
		snprintf(d->id, sizeof d->id, "%s", id);
	return MT_OK;
}

static int decode_stopped(struct mt_exchange *x, const char *reason)
{
	struct decode *d = decode_of(x);

	if (!d->stop[0])
		snprintf(d->stop, sizeof d->stop, "%s", reason);
	return MT_OK;
}

static int decode_error(struct mt_exchange *x, int kind, int64_t retry_ms,
			const char *fmt, ...)
{
	struct decode *d = decode_of(x);
	va_list ap;

	if (d->kind >= 0)
		return MT_OK;
	d->retry_ms = retry_ms;
	d->kind = kind;
	va_start(ap, fmt);
	strbuf_vaddf(&d->error, fmt, ap);
	va_end(ap);
	return MT_OK;
}

static void *decode_state(struct mt_exchange *x, size_t bytes)
{
	struct decode *d = decode_of(x);

	if (!d->state)
		d->state = calloc(1, bytes);
	return d->state;
}

static void decode_on_end(struct mt_exchange *x, void (*release)(void *state))
{
	decode_of(x)->release = release;
}

static int decode_opaque(struct mt_exchange *x, const char *json, size_t len)
{
	struct decode *d = decode_of(x);

	strbuf_reset(&d->opaque);
	return strbuf_addn(&d->opaque, json, len);
}

static int decode_finished(struct mt_exchange *x)
{
	decode_of(x)->finished = true;
	return MT_OK;
}

static int decode_restarted(struct mt_exchange *x)
{
	struct decode *d = decode_of(x);

	for (size_t i = 0; i < d->call_count; i++) {
		strbuf_clear(&d->calls[i]);
		free(d->ids[i]);
		free(d->names[i]);
		d->ids[i] = d->names[i] = NULL;
	}
	d->call_count = 0;
	strbuf_reset(&d->text);
	strbuf_reset(&d->reasoning);
	strbuf_reset(&d->opaque);
	d->id[0] = d->stop[0] = '\0';
	return MT_OK;
}

static const char *decode_header(struct mt_exchange *x, const char *name)
{
	return strcmp(name, "x-amzn-errortype") == 0 ? decode_of(x)->errortype : NULL;
}

static int decode_feature(struct mt_exchange *x, const char *name)
{
	(void)x;
	return strcmp(name, "send_reasoning") == 0;
}

static const char *decode_option(struct mt_exchange *x, const char *name)
{
	(void)x;
	return strcmp(name, "provider") == 0 ? "someone" : NULL;
}

static const struct mt_dialect_host decode_host = {
	.size = sizeof decode_host,
	.text = decode_text,
	.reasoning = decode_reasoning,
	.tool_call = decode_call,
	.usage = decode_usage,
	.response_id = decode_id,
	.stopped = decode_stopped,
	.error = decode_error,
	.state = decode_state,
	.on_end = decode_on_end,
	.feature = decode_feature,
	.option = decode_option,
	.opaque = decode_opaque,
	.finished = decode_finished,
	.restarted = decode_restarted,
	.answer_header = decode_header,
};

static void decode_begin(struct decode *d)
{
	*d = (struct decode){ .text = STRBUF(64 << 20),
			      .reasoning = STRBUF(64 << 20),
			      .error = STRBUF(4096),
			      .opaque = STRBUF(64 << 20),
			      .trace = STRBUF(64 << 20),
			      .last = -1,
			      .kind = -1,
			      .retry_ms = -1,
			      .usage = { .input = -1,
					 .output = -1,
					 .cache_read = -1,
					 .cache_write = -1,
					 .reasoning = -1,
					 .cost = -1 } };
}

static int decode_feed(struct decode *d, const struct mt_dialect *dialect, int status,
		       const char *type, const char *bytes, size_t len)
{
	if (d->kind >= 0 || d->finished)
		return MT_OK; /* the host feeds no more */
	return dialect->feed(&decode_host, (struct mt_exchange *)d, status, type, bytes,
			     len);
}

static inline void put_known(struct strbuf *out, const char *name, int64_t n)
{
	if (n >= 0)
		strbuf_addf(out, " %s=%lld", name, (long long)n);
}

static void decode_finish(struct decode *d, const struct mt_dialect *dialect, int status)
{
	if (d->kind < 0 &&
	    dialect->end(&decode_host, (struct mt_exchange *)d, status) != MT_OK) {
		d->kind = 0;
		strbuf_add(&d->error, "failed");
	}
}

static void decode_clear(struct decode *d)
{
	if (d->release)
		d->release(d->state);
	free(d->state);
	for (size_t i = 0; i < d->call_count; i++) {
		strbuf_clear(&d->calls[i]);
		free(d->ids[i]);
		free(d->names[i]);
	}
	strbuf_clear(&d->text);
	strbuf_clear(&d->reasoning);
	strbuf_clear(&d->error);
	strbuf_clear(&d->opaque);
	strbuf_clear(&d->trace);
}

/* End it and append the result. */
static inline void decode_end(struct decode *d, const struct mt_dialect *dialect,
			      int status, struct strbuf *out)
{
	decode_finish(d, dialect, status);
	if (d->kind >= 0)
		strbuf_addf(out, "[error %d %s]", d->kind, d->error.text);
	if (d->reasoning.len)
		strbuf_addf(out, "(%s)", d->reasoning.text);
	strbuf_addn(out, d->text.text, d->text.len);
	for (size_t i = 0; i < d->call_count; i++)
		strbuf_addf(out, "|%s %s %s", d->ids[i] ? d->ids[i] : "-",
			    d->names[i] ? d->names[i] : "-", d->calls[i].text);
	strbuf_addf(out, "|%s", d->stop);
	put_known(out, "in", d->usage.input);
	put_known(out, "out", d->usage.output);
	put_known(out, "read", d->usage.cache_read);
	put_known(out, "write", d->usage.cache_write);
	put_known(out, "think", d->usage.reasoning);
	if (d->usage.cost >= 0)
		strbuf_addf(out, " $%g", d->usage.cost);
	if (d->opaque.len)
		strbuf_addf(out, " <%s>", d->opaque.text);
	decode_clear(d);
}

/* The whole, in pieces of `piece` bytes; the first is of `first` bytes. */
static inline void decode_in_pieces(const struct mt_dialect *dialect, int status,
				    const char *type, const char *bytes, size_t len,
				    size_t first, size_t piece, struct strbuf *out)
{
	struct decode d;
	int failed = 0;

	decode_begin(&d);
	for (size_t at = 0, n; at < len && !failed; at += n) {
		n = at ? piece : first ? first : piece;
		if (n > len - at)
			n = len - at;
		failed = decode_feed(&d, dialect, status, type, bytes + at, n);
	}
	if (failed)
		strbuf_add(out, "[failed]");
	decode_end(&d, dialect, status, out);
}

#endif
