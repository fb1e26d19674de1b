/* SPDX-License-Identifier: MIT
 *
 * call-table.c - the table of open calls: start, cancel, deadline, end. */
#include "supervisor.h"
#include "limits/amount.h"
#include "clock.h"
#include "utf8.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct call *call_by_number(struct supervisor *s, uint64_t number)
{
	struct call *c = s->calls;

	while (c && c->number != number)
		c = c->next;
	return c;
}

struct call *call_by_id(struct supervisor *s, const char *id)
{
	struct call *c = s->calls;

	while (c && strcmp(c->id, id) != 0)
		c = c->next;
	return c;
}

static struct call *call_table_call_new(struct supervisor *s, const struct message *m,
					int instance)
{
	struct call *c = calloc(1, sizeof *c);
	const char *name = s->spec.instances[instance].name;
	char spool[4096] = "";
	int len = 0;

	if (!c)
		return NULL;
	c->number = ++s->calls_made;
	memcpy(c->id, m->id, sizeof c->id);
	c->instance = instance;
	c->listing = m->kind == MESSAGE_LIST;
	c->preview = m->kind == MESSAGE_PREVIEW;
	c->deadline = c->kill_at = -1;
	c->text = STRBUF((size_t)s->spec.limits.result_max * 3 + 1);
	c->tool = strdup(c->listing ? "tools/list" : js_str(m->params, "name", ""));
	if (*s->spec.spool_dir && !c->preview)
		len = snprintf(spool, sizeof spool, "%s/%s-%" PRIx64 "-%" PRIu64 ".out",
			       s->spec.spool_dir, name, (uint64_t)s->started, c->number);
	c->spool = strdup(len > 0 && (size_t)len < sizeof spool ? spool : "");
	if (!c->tool || !c->spool) {
		free(c->tool);
		free(c->spool);
		free(c);
		return NULL;
	}
	c->next = s->calls;
	s->calls = c;
	s->call_count++;
	return c;
}

static int call_table_send_call(struct call *c, struct worker_proc *w,
				json_object *arguments)
{
	struct strbuf b AUTO(strbuf) = STRBUF(FRAME_WHOLE_MAX);
	struct frame_call head = { .deadline = c->deadline };
	struct frame f = { .type = c->listing ? FRAME_LIST : FRAME_CALL,
			   .status = c->instance, .id = c->number,
			   .aux = c->preview ? FRAME_PREVIEW : FRAME_RESULT };

	if (!c->listing) {
		strbuf_addn(&b, (const char *)&head, sizeof head);
		strbuf_addn(&b, c->tool, strlen(c->tool) + 1);
		strbuf_addn(&b, c->spool, strlen(c->spool) + 1);
		strbuf_addn(&b, c->id, strlen(c->id) + 1);
		if (arguments)
			js_put(&b, arguments);
		else
			strbuf_add(&b, "{}");
	}
	if (b.error)
		return b.error;
	f.data = b.text;
	f.len = b.len;
	return worker_proc_send(w, &f);
}

/* Answer a call that cannot be started. */
static void call_table_refuse(struct supervisor *s, const struct message *m, int status,
			      const char *fmt, const char *what)
{
	char text[512];

	snprintf(text, sizeof text, fmt, what);
	host_error(s, m->id, status, text);
}

void call_start(struct supervisor *s, struct message *m)
{
	const char *name = js_str(m->params, "instance", "");
	json_object *arguments = js_get(m->params, "arguments");
	int instance = spec_find(&s->spec, name), status;
	struct worker_proc *w;
	struct call *c;

	if (instance < 0) {
		call_table_refuse(s, m, MT_ENOTFOUND, "unknown toolset `%.100s`", name);
		return;
	}
	if (call_by_id(s, m->id)) {
		call_table_refuse(s, m, MT_EEXIST, "call %s is already open", m->id);
		return;
	}
	if (arguments && !json_object_is_type(arguments, json_type_object)) {
		call_table_refuse(s, m, MT_EINVAL, "%s must be an object", "`arguments`");
		return;
	}
	if (s->call_count >= CALLS_MAX) {
		call_table_refuse(s, m, MT_ELIMIT, "%s", "too many concurrent calls");
		return;
	}
	c = call_table_call_new(s, m, instance);
	if (!c) {
		call_table_refuse(s, m, MT_ENOMEM, "%s", status_name(MT_ENOMEM));
		return;
	}
	c->timeout_ms = js_int(m->params, "timeout_ms", 0);
	if (c->timeout_ms == 0)
		c->timeout_ms = s->spec.limits.timeout_ms;
	if (s->spec.limits.wall_ms &&
	    (c->timeout_ms <= 0 || c->timeout_ms > s->spec.limits.wall_ms)) {
		c->timeout_ms = s->spec.limits.wall_ms;
		c->wall = true;
	}
	if (c->timeout_ms > 0 && c->timeout_ms < INT64_C(1) << 40)
		c->deadline = clock_ms() + c->timeout_ms;
	w = worker_proc_for(s, instance);
	if (!w) {
		call_fail(s, c, MT_EIO, "cannot start a worker for `%s`", name);
		return;
	}
	c->worker = w->number;
	status = call_table_send_call(c, w, arguments);
	if (status)
		call_fail(s, c, status, "cannot send the call to its worker: %s",
			  status_name(status));
}

void call_cancel(struct supervisor *s, struct call *c)
{
	struct frame f = { .type = FRAME_CANCEL, .id = c->number };
	struct worker_proc *w = worker_proc_by_number(s, c->worker);

	if (c->done || c->cancelled)
		return;
	c->cancelled = true;
	c->deadline = -1;
	c->kill_at = clock_ms() + s->spec.limits.grace_ms;
	if (w)
		worker_proc_send(w, &f);
}

static void drop_questions(struct supervisor *s, uint64_t call)
{
	struct question **p = &s->questions;

	while (*p) {
		struct question *q = *p;

		if (q->call != call) {
			p = &q->next;
			continue;
		}
		*p = q->next;
		free(q->line);
		free(q);
	}
}

void call_end(struct supervisor *s, struct call *c)
{
	size_t before = c->text.len;

	supervisor_read_reports(s);
	supervisor_check_files(s);
	limit_report(s, c);
	c->done = true;
	c->deadline = c->kill_at = -1;
	drop_questions(s, c->number);
	if (!utf8_valid(c->text.text, c->text.len)) {
		struct strbuf b = STRBUF(c->text.max);

		utf8_add_clean(&b, c->text.text, c->text.len);
		strbuf_clear(&c->text);
		c->text = b;
		c->text.error = MT_OK;
	}
	s->held = s->held - before + c->text.len;
}

void call_fail(struct supervisor *s, struct call *c, int status, const char *fmt, ...)
{
	struct strbuf b = STRBUF(4096);
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	free(c->error);
	c->error = strbuf_take(&b);
	c->status = status;
	/* A killed worker could not report whether it had opened the instance. */
	c->spooled |= c->crashed && *c->spool && access(c->spool, F_OK) == 0;
	call_end(s, c);
}

void call_drop(struct supervisor *s, struct call *c)
{
	for (struct call **p = &s->calls; *p; p = &(*p)->next)
		if (*p == c) {
			*p = c->next;
			break;
		}
	s->call_count--;
	s->held -= c->text.len + c->media_len;
	drop_questions(s, c->number);
	for (size_t n = 0; n < c->media_count; n++) {
		free(c->media[n].mime);
		free(c->media[n].bytes);
	}
	free(c->media);
	free(c->tool);
	free(c->spool);
	free(c->fields);
	free(c->error);
	free(c->limit_text);
	strbuf_clear(&c->text);
	if (c->refused.max)
		strbuf_clear(&c->refused);
	free(c);
}

static void kill_for(struct supervisor *s, struct call *c)
{
	struct worker_proc *w = worker_proc_by_number(s, c->worker);

	c->kill_at = -1;
	if (!w)
		return;
	if (!w->killed_for)
		w->killed_for = c->number;
	worker_proc_kill(w);
}

int64_t calls_check(struct supervisor *s)
{
	int64_t now = clock_ms(), next = -1;
	char time[32];

	for (struct call *c = s->calls; c; c = c->next) {
		int64_t at;

		if (c->deadline >= 0 && c->deadline <= now) {
			c->timed_out = true;
			if (c->wall)
				limit_end_call(s, c, "wall_time",
					       "it did not finish within %s, the limit "
					       "`wall_time`",
					       amount_time(c->timeout_ms, time));
			call_cancel(s, c);
		}
		if (c->kill_at >= 0 && c->kill_at <= now)
			kill_for(s, c);
		at = c->deadline >= 0 ? c->deadline : c->kill_at;
		if (at >= 0 && (next < 0 || at - now < next))
			next = at - now;
	}
	return next;
}
