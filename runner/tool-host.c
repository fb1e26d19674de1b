/* SPDX-License-Identifier: MIT
 *
 * tool-host.c - the table of services for tools (struct mt_tool_host): arguments,
 * result, instance. */
#include "tool-host.h"
#include "clock.h"
#include "options.h"
#include "utf8.h"
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LOG_TEXT_MAX = 1023 };

static struct mt_instance *tool_host_call_instance(struct mt_call *c)
{
	return c->instance;
}

static const char *tool_host_call_tool(struct mt_call *c)
{
	return c->tool;
}

static const char *tool_host_call_id(struct mt_call *c)
{
	return c->host_id;
}

static const char *arg_str(struct mt_call *c, const char *name, size_t *ret_len)
{
	json_object *value = js_get(c->args, name);

	if (!value || !json_object_is_type(value, json_type_string))
		return NULL;
	if (ret_len)
		*ret_len = (size_t)json_object_get_string_len(value);
	return json_object_get_string(value);
}

static int arg_int(struct mt_call *c, const char *name, int64_t *ret)
{
	json_object *value = js_get(c->args, name);

	if (!value)
		return MT_ENOTFOUND;
	if (json_object_is_type(value, json_type_int)) {
		*ret = json_object_get_int64(value);
		return MT_OK;
	}
	if (json_object_is_type(value, json_type_double)) {
		double d = json_object_get_double(value);

		if (d == floor(d) && fabs(d) < 9e15) {
			*ret = (int64_t)d;
			return MT_OK;
		}
	}
	return MT_EINVAL;
}

static int arg_number(struct mt_call *c, const char *name, double *ret)
{
	json_object *value = js_get(c->args, name);

	if (!value)
		return MT_ENOTFOUND;
	if (!json_object_is_type(value, json_type_int) &&
	    !json_object_is_type(value, json_type_double))
		return MT_EINVAL;
	*ret = json_object_get_double(value);
	return MT_OK;
}

static int arg_bool(struct mt_call *c, const char *name, int *ret)
{
	json_object *value = js_get(c->args, name);
	const char *text;

	if (!value)
		return MT_ENOTFOUND;
	if (json_object_is_type(value, json_type_boolean)) {
		*ret = json_object_get_boolean(value);
		return MT_OK;
	}
	text = json_object_is_type(value, json_type_string)
		       ? json_object_get_string(value)
		       : "";
	if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
		return MT_EINVAL;
	*ret = text[0] == 't';
	return MT_OK;
}

static const char *arg_json(struct mt_call *c, const char *name, size_t *ret_len)
{
	json_object *value = name ? js_get(c->args, name) : c->args;
	size_t len;
	const char *text = value ? js_text(value, &len) : NULL;

	if (text && ret_len)
		*ret_len = len;
	return text;
}

/* A tool may ignore the status, so the call fails when it ends. */
static int lose_part(struct mt_call *c)
{
	c->lost = true;
	return MT_ENOMEM;
}

static int reply_text(struct mt_call *c, const char *text, size_t len)
{
	size_t room = c->text.max - 1 - c->text.len;
	size_t n = len < room ? len : room;

	if (n < len || c->spool_kept)
		spool_keep(c, text, len);
	if (strbuf_addn(&c->text, text, n)) {
		c->text.error = MT_OK;
		return lose_part(c);
	}
	c->text_cut |= n < len;
	return n < len ? MT_ELIMIT : MT_OK;
}

static int tool_host_reply(struct mt_call *c, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len, status;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return lose_part(c);
	status = reply_text(c, text, (size_t)len);
	free(text);
	return status;
}

/* "type/subtype", perhaps with parameters after a semicolon. */
static bool is_media_type(const char *mime)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$&-^_.+";
	size_t type = strspn(mime, allowed), rest;

	if (type == 0 || mime[type] != '/')
		return false;
	rest = strspn(mime + type + 1, allowed);
	mime += type + 1 + rest;
	return rest > 0 && (!*mime || *mime == ';');
}

static int reply_media(struct mt_call *c, const char *mime, const void *bytes, size_t len)
{
	struct strbuf b AUTO(strbuf) = STRBUF(MEDIA_MAX + 256);
	struct frame f = { .type = FRAME_MEDIA, .id = c->id };

	if (!mime || strlen(mime) > 127 || !is_media_type(mime))
		return MT_EINVAL;
	if (len > MEDIA_MAX - c->media_len)
		return MT_ELIMIT;
	strbuf_addn(&b, mime, strlen(mime) + 1);
	strbuf_addn(&b, bytes, len);
	if (b.error)
		return lose_part(c);
	c->media_len += len;
	f.data = b.text;
	f.len = b.len;
	return worker_send(&f, 0);
}

static int tool_host_field(struct mt_call *c, const char *name, const char *json,
			   size_t len)
{
	struct error err = ERROR_NONE;
	json_object *value;

	if (!name || !*name)
		return MT_EINVAL;
	if (len > FIELDS_MAX - c->fields_len)
		return MT_ELIMIT;
	value = js_parse(json, len, &err);
	if (err.code)
		return err.code == MT_ENOMEM ? lose_part(c) : err.code;
	if (!c->fields)
		c->fields = json_object_new_object();
	if (!c->fields) {
		json_object_put(value);
		return lose_part(c);
	}
	c->fields_len += len + strlen(name);
	return js_set(c->fields, name, value) ? lose_part(c) : MT_OK;
}

static int fail_status(struct mt_call *c, int status)
{
	c->failed = status ? worker_plugin_status(status) : MT_EINVAL;
	return status;
}

static int fail_text(struct mt_call *c, int status, const char *text, size_t len)
{
	size_t most = c->error.max - 1;

	strbuf_reset(&c->error);
	strbuf_addn(&c->error, text, len > most ? utf8_cut(text, len, most) : len);
	return fail_status(c, status);
}

static int tool_host_fail_call(struct mt_call *c, int status, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0) {
		lose_part(c);
		return fail_status(c, status);
	}
	fail_text(c, status, text, (size_t)len);
	free(text);
	return status;
}

static int output(struct mt_call *c, const char *bytes, size_t len)
{
	output_stream_add(c, bytes, len);
	return MT_OK;
}

static int progress(struct mt_call *c, double done, double total, const char *message)
{
	struct frame_progress p = { done, total };
	char data[sizeof p + 512];
	size_t len = message ? strnlen(message, sizeof data - sizeof p) : 0;
	struct frame f = { .type = FRAME_PROGRESS, .id = c->id, .data = data,
			   .len = sizeof p + len };

	memcpy(data, &p, sizeof p);
	if (len)
		memcpy(data + sizeof p, message, len);
	return worker_send(&f, MSG_DONTWAIT);
}

static int tool_host_cancelled(struct mt_call *c)
{
	return atomic_load(&c->cancelled);
}

static int cancel_fd(struct mt_call *c)
{
	pthread_mutex_lock(&c->lock);
	if (c->cancel_fd < 0)
		c->cancel_fd =
			eventfd(atomic_load(&c->cancelled), EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_unlock(&c->lock);
	return c->cancel_fd;
}

static int64_t time_left_ms(struct mt_call *c)
{
	int64_t left;

	if (c->deadline < 0)
		return -1;
	left = c->deadline - clock_ms();
	return left > 0 ? left : 0;
}

static const struct mt_option *tool_host_table_of(const struct mt_instance *i,
						  const char *name)
{
	const struct mt_component *c = i->component;

	if (!c || !c->options || !MT_HAS(c->options, flags))
		return NULL;
	for (uint32_t n = 0; n < c->option_count; n++) {
		const struct mt_option *o =
			(const void *)((const char *)c->options + n * c->options->size);

		if (o->name && strcmp(o->name, name) == 0)
			return o;
	}
	return NULL;
}

static const char *tool_host_option(struct mt_instance *i, const char *name)
{
	const struct mt_option *o;

	for (size_t n = 0; n < i->spec->option_count; n++)
		if (strcmp(i->spec->options[n].key, name) == 0)
			return i->spec->options[n].value;
	o = tool_host_table_of(i, name);
	return o ? o->fallback : NULL;
}

static int64_t option_int(struct mt_instance *i, const char *name)
{
	const struct mt_option *o = tool_host_table_of(i, name);
	const char *value = tool_host_option(i, name);
	int64_t n = 0;

	if (!value)
		return 0;
	if (o && o->type == MT_OPTION_BOOL)
		return option_to_bool(value);
	if (o)
		option_to_int(o, value, &n);
	else
		n = strtoll(value, NULL, 10);
	return n;
}

static int tool_host_option_at(struct mt_instance *i, const char *prefix, size_t n,
			       const char **ret_key, const char **ret_value)
{
	for (size_t k = 0; k < i->spec->option_count; k++) {
		const struct option_value *v = &i->spec->options[k];

		if (strncmp(v->key, prefix, strlen(prefix)) != 0 || n-- > 0)
			continue;
		*ret_key = v->key;
		*ret_value = v->value;
		return MT_OK;
	}
	return MT_ENOTFOUND;
}

static const char *workspace(struct mt_instance *i)
{
	(void)i;
	return worker.spec->workspace;
}

static const char *plugin_path(struct mt_instance *i)
{
	return i->spec->plugin;
}

static void changed(struct mt_instance *i)
{
	struct frame f = { .type = FRAME_CHANGED, .status = i->number };

	atomic_store(&i->list_stale, true);
	worker_send(&f, 0);
}

static void log_text(struct mt_instance *i, int level, const char *text, size_t len)
{
	struct frame f = { .type = FRAME_LOG, .status = i->number, .data = text };

	f.len = utf8_cut(text, len, LOG_TEXT_MAX);
	f.aux = level >= MT_LOG_ERROR && level <= MT_LOG_DEBUG ? (uint64_t)level
							       : MT_LOG_INFO;
	pthread_mutex_lock(&worker.load);
	snprintf(i->last_log, sizeof i->last_log, "%.*s", (int)f.len, text);
	pthread_mutex_unlock(&worker.load);
	worker_send(&f, 0);
}

static void tool_host_log_line(struct mt_instance *i, int level, const char *fmt, ...)
{
	char text[LOG_TEXT_MAX + 1];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (len >= 0)
		log_text(i, level, text, (size_t)len);
}

const struct mt_tool_host tool_host = {
	.size = sizeof tool_host,
	.call_instance = tool_host_call_instance,
	.call_tool = tool_host_call_tool,
	.call_id = tool_host_call_id,
	.arg_str = arg_str,
	.arg_int = arg_int,
	.arg_number = arg_number,
	.arg_bool = arg_bool,
	.arg_json = arg_json,
	.reply = tool_host_reply,
	.reply_text = reply_text,
	.reply_media = reply_media,
	.field = tool_host_field,
	.fail = tool_host_fail_call,
	.fail_text = fail_text,
	.output = output,
	.progress = progress,
	.spool = spool_write,
	.spool_path = spool_path,
	.cancelled = tool_host_cancelled,
	.cancel_fd = cancel_fd,
	.time_left_ms = time_left_ms,
	.request = host_request,
	.option = tool_host_option,
	.option_int = option_int,
	.option_at = tool_host_option_at,
	.workspace = workspace,
	.private_dir = instance_private_dir,
	.conversation_dir = instance_conversation_dir,
	.user_dir = instance_user_dir,
	.plugin_path = plugin_path,
	.save = instance_save,
	.saved = instance_saved,
	.changed = changed,
	.add_tool = tool_list_add,
	.log = tool_host_log_line,
	.log_text = log_text,
	.extension = host_extension,
};
