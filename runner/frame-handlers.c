/* SPDX-License-Identifier: MIT
 *
 * frame-handlers.c - checks frames from workers and converts them into results and
 * lines. */
#include "supervisor.h"
#include "limits/amount.h"
#include "array.h"
#include "utf8.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Bulk and log lines must not accumulate when the host reads slowly. */
static bool out_busy(const struct supervisor *s)
{
	return s->out_fd < 0 || s->out.len > OUT_HIGH_WATER;
}

static bool frame_handlers_take_text(struct supervisor *s, struct call *c,
				     const struct frame *f)
{
	size_t max = (size_t)s->spec.limits.result_max;

	if (f->len > max - c->text.len || strbuf_addn(&c->text, f->data, f->len))
		return false;
	s->held += f->len;
	return true;
}

static bool take_media(struct supervisor *s, struct call *c, const struct frame *f)
{
	const char *data = f->data, *mime;
	size_t len = f->len;
	struct medium *m;

	mime = frame_text(&data, &len);
	if (!mime || len > MEDIA_MAX - c->media_len ||
	    ARRAY_ADD(c->media, c->media_count, 256))
		return false;
	m = &c->media[c->media_count];
	*m = (struct medium){ strdup(mime), malloc(len + 1), len };
	if (!m->mime || !m->bytes) {
		free(m->mime);
		free(m->bytes);
		return false;
	}
	memcpy(m->bytes, data, len);
	c->media_count++;
	c->media_len += len;
	s->held += len;
	return true;
}

static bool take_json(struct call *c, const struct frame *f)
{
	AUTO(json) json_object *o = js_parse(f->data, f->len, NULL);
	enum json_type want = f->type == FRAME_TOOLS ? json_type_array : json_type_object;

	if (c->fields || !o || !json_object_is_type(o, want))
		return false;
	c->fields = strndup(f->data, f->len);
	return c->fields != NULL;
}

/* The text of a result or a sentence, as UTF-8. */
static char *frame_handlers_clean(const char *text, size_t len, size_t max)
{
	struct strbuf b = STRBUF(max * 3 + 1);

	utf8_add_clean(&b, text, len < max ? len : max);
	return strbuf_take(&b);
}

static bool take_done(struct supervisor *s, struct worker_proc *w, struct call *c,
		      const struct frame *f)
{
	const char *name = s->spec.instances[c->instance].name;

	if (f->status > 0 || f->status < MT_EEXIST)
		return false;
	w->retire |= (f->flags & FRAME_RETIRE) != 0;
	c->spooled = (f->flags & FRAME_SPOOLED) != 0;
	c->spool_full = (f->flags & FRAME_SPOOL_FULL) != 0;
	c->text_cut = (f->flags & FRAME_TEXT_CUT) != 0;
	c->status = f->status;
	if (f->status == MT_ECANCELLED && c->limit_text) {
		call_fail(s, c, MT_ELIMIT, "%s", c->limit_text);
		return true;
	}
	if (f->status == MT_ECANCELLED && c->timed_out) {
		call_fail(s, c, MT_ETIMEOUT,
			  "`%s` of `%s` (call %s) did not finish within %lld ms", c->tool,
			  name, c->id, (long long)c->timeout_ms);
		return true;
	}
	if (f->status && f->len)
		c->error = frame_handlers_clean(f->data, f->len, 4096);
	else if (f->status)
		c->error = strdup(f->status == MT_ECANCELLED ? "cancelled" : "failed");
	call_end(s, c);
	return true;
}

static void frame_handlers_take_output(struct supervisor *s, struct call *c,
				       const struct frame *f)
{
	c->live_dropped += f->aux;
	if (out_busy(s) || s->window < (int64_t)f->len) {
		c->live_dropped += f->len;
		return;
	}
	strbuf_addf(&s->out,
		    "{\"method\":\"notifications/output\",\"params\":"
		    "{\"requestId\":%s",
		    c->id);
	if (c->live_dropped) {
		js_key_int(&s->out, "dropped", (int64_t)c->live_dropped);
		c->live_dropped = 0;
	}
	js_key_strn(&s->out, "data", f->data, f->len);
	strbuf_add(&s->out, "}}\n");
	s->window -= (int64_t)f->len;
}

static bool frame_handlers_take_progress(struct supervisor *s, struct call *c,
					 const struct frame *f)
{
	struct frame_progress p;

	if (f->len < sizeof p)
		return false;
	memcpy(&p, f->data, sizeof p);
	if (!isfinite(p.done) || !isfinite(p.total))
		return true;
	if (out_busy(s))
		return true;
	strbuf_addf(&s->out,
		    "{\"method\":\"notifications/progress\",\"params\":"
		    "{\"progressToken\":%s,\"progress\":%.17g",
		    c->id, p.done);
	if (p.total > 0)
		strbuf_addf(&s->out, ",\"total\":%.17g", p.total);
	if (f->len > sizeof p)
		js_key_strn(&s->out, "message", f->data + sizeof p, f->len - sizeof p);
	strbuf_add(&s->out, "}}\n");
	return true;
}

static void frame_handlers_refuse(struct worker_proc *w, const struct frame *f,
				  int status, const char *text)
{
	struct frame answer = { .type = FRAME_ANSWER, .id = f->id, .aux = f->aux,
				.status = status, .data = text, .len = strlen(text) };

	worker_proc_send(w, &answer);
}

static bool frame_handlers_ask(struct supervisor *s, struct call *c, uint64_t aux,
			       const char *method, json_object *params)
{
	struct strbuf b AUTO(strbuf) = STRBUF(FRAME_WHOLE_MAX * 2);
	struct question *q = calloc(1, sizeof *q);

	strbuf_addf(&b, "{\"id\":%" PRIu64 ",\"call\":%s", s->questions_asked + 1, c->id);
	js_key_str(&b, "method", method);
	js_key(&b, "params");
	js_put(&b, params);
	strbuf_add(&b, "}\n");
	if (!q || b.error) {
		free(q);
		return false;
	}
	*q = (struct question){ s->questions, ++s->questions_asked, c->number, aux,
				NULL };
	if (s->out_fd >= 0)
		strbuf_addn(&s->out, b.text, b.len);
	q->line = strbuf_take(&b);
	s->questions = q;
	return true;
}

static unsigned questions_of(const struct supervisor *s, const struct call *c)
{
	unsigned count = 0;

	for (const struct question *q = s->questions; q; q = q->next)
		count += q->call == c->number;
	return count;
}

static bool frame_handlers_take_request(struct supervisor *s, struct worker_proc *w,
					struct call *c, const struct frame *f)
{
	const struct instance_spec *i = &s->spec.instances[c->instance];
	AUTO(json) json_object *params = NULL;
	const char *data = f->data, *method;
	size_t len = f->len;

	method = frame_text(&data, &len);
	params = method ? js_parse_object(data, len, NULL) : NULL;
	if (!params || !utf8_valid(method, strlen(method)))
		return false;
	if (c->preview) {
		frame_handlers_refuse(w, f, MT_EDENIED, "a preview cannot send requests");
		return true;
	}
	if (strcmp(method, "secret/get") == 0 &&
	    !spec_granted(i, js_str(params, "name", ""))) {
		frame_handlers_refuse(w, f, MT_EDENIED,
				      "this secret is not granted to the tool");
		return true;
	}
	if (questions_of(s, c) >= QUESTIONS_MAX)
		frame_handlers_refuse(w, f, MT_ELIMIT,
				      "the call has too many pending requests");
	else if (!frame_handlers_ask(s, c, f->aux, method, params))
		frame_handlers_refuse(w, f, MT_ENOMEM, status_name(MT_ENOMEM));
	return true;
}

static bool take_about_instance(struct supervisor *s, struct worker_proc *w,
				const struct frame *f)
{
	const struct instance_spec *i;

	if (f->status < 0 || (size_t)f->status >= s->spec.instance_count)
		return false;
	i = &s->spec.instances[f->status];
	if (!spec_together(&s->spec, w->instance, f->status))
		return false;
	if (f->type == FRAME_LOG) {
		host_log(s, f->aux >= 1 && f->aux <= 4 ? (int)f->aux : MT_LOG_INFO,
			 i->name, f->data, f->len);
	} else if (s->out_fd >= 0 &&
		   s->out.len <= 2 * OUT_HIGH_WATER) { /* short, and must not be lost */
		strbuf_add(&s->out, "{\"method\":\"notifications/tools/list_changed\","
				    "\"params\":{");
		js_key_str(&s->out, "instance", i->name);
		strbuf_add(&s->out, "}}\n");
	}
	return true;
}

bool supervisor_take_frame(struct supervisor *s, struct worker_proc *w,
			   const struct frame *f)
{
	struct call *c;
	char size[32];

	if (f->type == FRAME_LOG || f->type == FRAME_CHANGED)
		return take_about_instance(s, w, f);
	c = call_by_number(s, f->id);
	if (!c || c->worker != w->number || c->done)
		return f->type >= FRAME_TEXT && f->type <= FRAME_LIMIT; /* too late */
	switch (f->type) {
	case FRAME_TEXT:
		return frame_handlers_take_text(s, c, f);
	case FRAME_MEDIA:
		return take_media(s, c, f);
	case FRAME_FIELDS:
		return !c->listing && take_json(c, f);
	case FRAME_TOOLS:
		return c->listing && take_json(c, f);
	case FRAME_DONE:
		return take_done(s, w, c, f);
	case FRAME_OUTPUT:
		frame_handlers_take_output(s, c, f);
		return true;
	case FRAME_PROGRESS:
		return frame_handlers_take_progress(s, c, f);
	case FRAME_LIMIT:
		limit_end_call(s, c, "output",
			       "its output is larger than %s, the limit `output`",
			       amount_size(s->spec.limits.output_max, size));
		return true;
	case FRAME_REQUEST:
		return frame_handlers_take_request(s, w, c, f);
	default:
		return false;
	}
}
