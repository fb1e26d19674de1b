/* SPDX-License-Identifier: MIT
 *
 * plugin-host.c - the services of the host for agents, condensers and runtimes: the
 * table struct mt_host, and the output tables of each kind. */
#include "controller/plugins/plugin-host.h"

#include "context/images.h"
#include "context/request-messages.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/agents.h"
#include "controller/plugins/plugin-http.h"
#include "controller/plugins/model-request.h"
#include "controller/plugins/plugin-prompt.h"
#include "controller/turn.h"
#include "log.h"
#include "utf8.h"

#define MORTISE_PROVISIONAL
#include <mortise/agent.h>

#include <errno.h>
#include <string.h>

enum { LOG_TEXT_MAX = 4096, BLOB_MAX = 16 << 20 };

/* ---- options and logging ---------------------------------------------- */

static const char *host_option(struct mt_ctx *x, const char *name)
{
	return component_option(x->part->component, x->part->options, name);
}

static int64_t host_option_int(struct mt_ctx *x, const char *name)
{
	return component_option_int(x->part->component, x->part->options, name);
}

static const char *host_option_at(struct mt_ctx *x, size_t n, const char **ret_value)
{
	if (!x->part->options)
		return NULL;
	json_object_object_foreach(x->part->options, name, value) {
		if (n-- == 0) {
			*ret_value = json_object_get_string(value);
			return name;
		}
	}
	return NULL;
}

static void host_log_text(struct mt_ctx *x, int level, struct mt_str line)
{
	AUTO(strbuf) struct strbuf text = STRBUF(LOG_TEXT_MAX);

	utf8_add_cut(&text, line.ptr, line.len);
	log_line(level, x->part->component->name, "%s", text.text);
}

static void plugin_host_log(struct mt_ctx *x, int level, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf text = STRBUF(LOG_TEXT_MAX);
	va_list ap;

	va_start(ap, fmt);
	utf8_vaddf_cut(&text, fmt, ap);
	va_end(ap);
	log_line(level, x->part->component->name, "%s", text.text);
}

/* ---- the view ---------------------------------------------------------- */

static struct request_messages *messages_of(const struct mt_ctx *x)
{
	return x->c ? x->c->agent->memory : NULL;
}

static size_t host_view_count(struct mt_ctx *x)
{
	return x->view_count;
}

static const struct mt_event *host_view_at(struct mt_ctx *x, size_t place)
{
	if (place >= x->view_count || x->view[place].event < 0)
		return NULL;
	return plugin_hold_event(x, x->view[place].event);
}

/* The event itself, read on first use; NULL: it cannot be read. */
static const struct event *real(const struct mt_event *e)
{
	struct mt_event *own = (struct mt_event *)e;

	if (own && !own->event)
		own->event = evlog_event(own->log, own->id, NULL);
	return own ? own->event : NULL;
}

/* Its index entry; NULL: it is not in a log. */
static const struct evlog_head *head_of(const struct mt_event *e)
{
	return e && !e->event ? evlog_head(e->log, e->id) : NULL;
}

static const struct event_type *plugin_host_type_of(const struct mt_event *e)
{
	const struct evlog_head *head = head_of(e);

	return head ? head->type : e->event->type;
}

static int64_t host_event_id(const struct mt_event *e)
{
	return !e ? -1 : e->event ? e->event->id : e->id;
}

static int host_event_is_action(const struct mt_event *e)
{
	return e && plugin_host_type_of(e)->is_action;
}

static const char *host_event_type(const struct mt_event *e)
{
	return e ? plugin_host_type_of(e)->name : "";
}

static const char *host_event_source(const struct mt_event *e)
{
	const struct evlog_head *head = head_of(e);

	if (!e)
		return "";
	return event_source_name(head ? (enum event_source)head->source
				      : e->event->source);
}

static int64_t host_event_cause(const struct mt_event *e)
{
	const struct evlog_head *head = head_of(e);

	return !e ? -1 : head ? head->cause : e->event->cause;
}

static struct mt_str host_event_field(const struct mt_event *e, const char *path)
{
	const struct event *event = real(e);
	json_object *o = event ? js_path(event->json, path) : NULL;
	struct mt_str s = { "", 0 };

	if (o && json_object_is_type(o, json_type_string)) {
		s.ptr = json_object_get_string(o);
		s.len = (size_t)json_object_get_string_len(o);
	} else if (o) {
		s.ptr = js_text(o, &s.len);
	}
	return s.ptr ? s : (struct mt_str){ "", 0 };
}

static struct mt_str host_event_text(struct mt_ctx *x, const struct mt_event *e)
{
	return e && messages_of(x)
		       ? request_messages_text(messages_of(x), host_event_id(e))
		       : (struct mt_str){ "", 0 };
}

static const char *host_event_reply(const struct mt_event *e)
{
	const struct event *event = real(e);

	return event ? js_str(event_tool_meta(event), "llm_response_id", "") : "";
}

/* ---- requests and replies ---------------------------------------------- */

static struct mt_request *plugin_host_request(struct mt_ctx *x)
{
	if (!plugin_ctx_converses(x))
		return NULL;
	llm_request_free(x->request);
	x->request = llm_request_new();
	if (x->request && x->c->agent->llm)
		x->request->stream = llm_feature(x->c->agent->llm, "stream");
	return x->request ? plugin_ctx_request(x) : NULL;
}

static int host_request_history(struct mt_request *r)
{
	struct mt_ctx *x = plugin_request_ctx(r);

	return request_messages_build(x->c->agent->memory, x->view, x->view_count,
				      x->request, &x->error);
}

static int host_request_message(struct mt_request *r, int role, struct mt_str text)
{
	struct mt_ctx *x = plugin_request_ctx(r);
	struct llm_part *part = NULL;
	struct llm_message m = { .role = role, .part_count = 1 };
	char *copy;

	if (!plugin_role_is_known(role))
		return fail(&x->error, MT_EINVAL, "%d is not the role of a message",
			    role);
	m.parts = part = malloc(sizeof *part + text.len + 1);
	if (!part)
		return MT_ENOMEM;
	copy = (char *)(part + 1);
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	*part = (struct llm_part){ .text = copy, .len = text.len };
	if (llm_request_own(x->request, part))
		return MT_ENOMEM;
	return llm_request_add(x->request, &m);
}

/* The parts of the last message, and the images after them. */
static int plugin_host_add_images(struct llm_request *r, struct images *images)
{
	struct llm_message *m = &r->messages[r->message_count - 1];
	struct llm_part *parts = calloc(m->part_count + images->count, sizeof *parts);
	int status;

	if (!parts)
		return MT_ENOMEM;
	memcpy(parts, m->parts, m->part_count * sizeof *parts);
	memcpy(parts + m->part_count, images->parts, images->count * sizeof *parts);
	status = llm_request_own(r, parts);
	while (!status && images->owned_count)
		status = llm_request_own(r, images->owned[--images->owned_count]);
	if (status)
		return status;
	m->parts = parts;
	m->part_count += images->count;
	return MT_OK;
}

static int host_request_media(struct mt_request *r, const struct mt_event *e)
{
	struct mt_ctx *x = plugin_request_ctx(r);
	struct images images = { 0 };
	const struct event *event = real(e);
	int status = event ? images_of(event, x->c->log, &images) : MT_OK;

	if (!status && images.count && x->request->message_count)
		status = plugin_host_add_images(x->request, &images);
	images_clear(&images);
	return status;
}

static int host_request_tool(struct mt_request *r, const char *name)
{
	struct mt_ctx *x = plugin_request_ctx(r);

	return request_messages_add_tool(x->c->agent->memory, name, x->request,
					 &x->error);
}

static int host_request_set(struct mt_request *r, const char *name, struct mt_str json)
{
	struct mt_ctx *x = plugin_request_ctx(r);
	json_object *value = js_parse(json.ptr, json.len, &x->error);

	if (!value && x->error.code)
		return x->error.code;
	if (!x->request->params)
		x->request->params = json_object_new_object();
	return js_set(x->request->params, name, value);
}

static char *copy_str(struct llm_request *r, struct mt_str s)
{
	char *copy = strndup(s.ptr ? s.ptr : "", s.len);

	return copy && llm_request_own(r, copy) == MT_OK ? copy : NULL;
}

static int host_request_define_tool(struct mt_request *r, const char *name,
				    struct mt_str description, struct mt_str schema)
{
	struct mt_ctx *x = plugin_request_ctx(r);
	AUTO(json) json_object *o = js_parse_object(schema.ptr, schema.len, &x->error);
	struct llm_tool t = { 0 };

	if (!o)
		return x->error.code;
	t.name = copy_str(x->request, (struct mt_str){ name, strlen(name) });
	t.description = copy_str(x->request, description);
	t.schema = copy_str(x->request, schema);
	if (!t.name || !t.description || !t.schema)
		return MT_ENOMEM;
	return llm_request_tool(x->request, &t);
}

static const struct llm_reply *real_reply(const struct mt_reply *reply)
{
	return (const struct llm_reply *)reply;
}

static struct mt_str host_reply_text(const struct mt_reply *reply)
{
	return (struct mt_str){ real_reply(reply)->text, real_reply(reply)->text_len };
}

static size_t host_reply_calls(const struct mt_reply *reply)
{
	return real_reply(reply)->call_count;
}

static struct mt_str host_reply_call_name(const struct mt_reply *reply, size_t n)
{
	const struct llm_reply *r = real_reply(reply);

	return n < r->call_count
		       ? (struct mt_str){ r->calls[n].name, strlen(r->calls[n].name) }
		       : (struct mt_str){ "", 0 };
}

static struct mt_str host_reply_call_args(const struct mt_reply *reply, size_t n)
{
	const struct llm_reply *r = real_reply(reply);

	return n < r->call_count
		       ? (struct mt_str){ r->calls[n].args, r->calls[n].args_len }
		       : (struct mt_str){ "", 0 };
}

/* ---- effects ----------------------------------------------------------- */

static int host_send(struct mt_ctx *x, struct mt_request *r)
{
	if (plugin_request_ctx(r) != x || !x->request)
		return MT_EUNSUPPORTED;
	if (!request_llm_for(x->c, x->part, x->request))
		return fail(&x->error, MT_EUNSUPPORTED, "the conversation has no model");
	x->sent = true;
	json_object_put(x->http);
	x->http = NULL;
	return 1;
}

static int host_http(struct mt_ctx *x, const struct mt_http_request *request)
{
	int r = plugin_ctx_converses(x) ? plugin_http_request(x, request)
					: MT_EUNSUPPORTED;

	return r ? r : 1;
}

static int host_blob(struct mt_ctx *x, const char *name, struct mt_str *ret)
{
	char *bytes = NULL;
	size_t len = 0;
	int r = plugin_ctx_converses(x) ? evlog_blob_read(x->c->log, name, BLOB_MAX,
							  &bytes, &len, NULL, &x->error)
					: MT_EUNSUPPORTED;

	if (r)
		return r;
	ret->ptr = plugin_hold_text(x, bytes);
	ret->len = len;
	return ret->ptr ? MT_OK : out_of_memory(&x->error);
}

static int host_keep(struct mt_ctx *x, struct mt_str state)
{
	AUTO(json) json_object *record = json_object_new_object();
	char *copy, name[256];

	if (!plugin_ctx_converses(x))
		return MT_EUNSUPPORTED;
	if (state.len > MT_STATE_MAX)
		return fail(&x->error, MT_ELIMIT, "the state is larger than %u bytes",
			    MT_STATE_MAX);
	copy = strndup(state.ptr ? state.ptr : "", state.len);
	if (!copy)
		return MT_ENOMEM;
	free(x->is_agent ? x->c->agent->state_text : x->kept);
	*(x->is_agent ? &x->c->agent->state_text : &x->kept) = copy;
	if (!x->is_agent || x->copy)
		return MT_OK; /* it ends with the work, which is not resumed from a log */
	agents_state_key(x->c, name);
	if (js_set_str(record, "record", "state") || js_set_str(record, "plugin", name) ||
	    js_set_strn(record, "text", state.ptr, state.len))
		return MT_ENOMEM;
	return evlog_record(x->c->log, record, &x->error);
}

static void host_refuse(struct mt_ctx *x, const char *fmt, ...)
{
	va_list ap;

	x->error = ERROR_NONE;
	va_start(ap, fmt);
	fail_va(&x->error, MT_EINVAL, fmt, ap);
	va_end(ap);
}

static void host_refuse_text(struct mt_ctx *x, struct mt_str text)
{
	x->error = ERROR_NONE;
	fail(&x->error, MT_EINVAL, "%.*s",
	     (int)utf8_cut(text.ptr, text.len, sizeof x->error.text),
	     text.ptr ? text.ptr : "");
}

const struct mt_host *plugin_host(void)
{
	static const struct mt_host table = {
		.size = sizeof table,
		.option = host_option,
		.option_int = host_option_int,
		.log = plugin_host_log,
		.view_count = host_view_count,
		.view_at = host_view_at,
		.event_id = host_event_id,
		.event_is_action = host_event_is_action,
		.event_type = host_event_type,
		.event_source = host_event_source,
		.event_cause = host_event_cause,
		.event_field = host_event_field,
		.event_text = host_event_text,
		.event_reply = host_event_reply,
		.request = plugin_host_request,
		.request_history = host_request_history,
		.request_message = host_request_message,
		.request_tool = host_request_tool,
		.request_set = host_request_set,
		.reply_text = host_reply_text,
		.reply_calls = host_reply_calls,
		.reply_call_name = host_reply_call_name,
		.reply_call_args = host_reply_call_args,
		.send = host_send,
		.keep = host_keep,
		.prompt = plugin_prompt,
		.option_at = host_option_at,
		.request_define_tool = host_request_define_tool,
		.refuse = host_refuse,
		.request_media = host_request_media,
		.http = host_http,
		.blob = host_blob,
		.log_text = host_log_text,
		.refuse_text = host_refuse_text,
	};

	return &table;
}

/* ---- what agents put out ----------------------------------------------- */

static int out_call(struct mt_ctx *x, size_t n)
{
	return x->is_agent ? turn_plan_call(x->c, n, &x->error) : MT_EUNSUPPORTED;
}

static int plan(struct mt_ctx *x, enum plan_type type, size_t argument, const char *event,
		struct mt_str text)
{
	return x->is_agent ? turn_plan(x->c, type, argument, event, text, &x->error)
			   : MT_EUNSUPPORTED;
}

static int plugin_host_out_action(struct mt_ctx *x, const char *type, struct mt_str args)
{
	return plan(x, PLAN_ACTION, 0, type, args);
}

static int out_message(struct mt_ctx *x, struct mt_str text, int wait)
{
	return plan(x, PLAN_MESSAGE, wait != 0, NULL, text);
}

static int out_report_error(struct mt_ctx *x, struct mt_str text)
{
	return plan(x, PLAN_ERROR, 0, NULL, text);
}

const struct mt_agent_out *plugin_agent_out(void)
{
	static const struct mt_agent_out table = {
		.size = sizeof table,
		.call = out_call,
		.action = plugin_host_out_action,
		.message = out_message,
		.report_error = out_report_error,
	};

	return &table;
}
