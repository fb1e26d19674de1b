/* SPDX-License-Identifier: MIT
 *
 * mortise/harness.h - tests a tool plugin in the process of the test, without Mortise:
 * with a debugger, a sanitizer or valgrind, and with a fake clock and fake replies of a
 * model. It is not part of the ABI: a test is compiled with the harness that it includes.
 * For the other kinds: harness-advance.h and harness-dialect.h.
 *
 *   #include <mortise/harness.h>
 *
 *   int main(void)
 *   {
 *           struct mt_harness *h = mt_harness_open(mortise_plugin_v1(), "wc");
 *
 *           mt_harness_text(h, "path", "/etc/hostname");
 *           if (mt_harness_call(h, "count_words") != MT_OK)
 *                   printf("failed: %s\n", h->error);
 *           else
 *                   printf("%s\n", h->text);
 *           return mt_harness_close(h);
 *   }
 *
 * Compile the test together with the source of the plugin, or open the plugin with
 * dlopen() and call the function that dlsym() finds. Services may be called from the
 * thread of the call only. The harness does not check arguments against a schema. It ends
 * the program with a message where the test itself is wrong, or out of memory. C only. */
#ifndef MORTISE_HARNESS_H
#define MORTISE_HARNESS_H

#include <mortise/extensions.h>
#include <mortise/harness-base.h>
#include <unistd.h>

/* The source of the plugin, which may come first, can use the same names. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

struct mt_harness;
struct mt_call {
	struct mt_harness *harness;
};
struct mt_instance {
	struct mt_harness *harness;
};

/** A toolset under test. The test reads and sets the members of the first three groups. */
struct mt_harness {
	/* -- the result of the last call -- */
	char *text;          /* what it replied; "" if nothing */
	size_t text_len;
	char *error;         /* the sentence of `fail`; NULL: it did not fail */
	char *live;          /* what it gave to `output`; "" if nothing */
	char *spooled;
	size_t media_count;  /* images and other media */
	struct mt_harness_pair *fields; /* of the observation, as JSON */
	char *structured;    /* the structured result, as JSON; NULL: none */

	/* -- the fake clock -- */
	int64_t now_ms;      /* since the start of the call */
	int64_t tick_ms;     /* added each time that the tool asks `cancelled` or
	                        `time_left_ms`; 0 at first */
	int64_t deadline_ms; /* of each call; -1: none, at first */
	int64_t cancel_ms;   /* when the call is cancelled; -1: never, at first */

	/* -- the host -- */
	const char *workspace, *private_dir, *conversation_dir, *user_dir, *plugin_path;
	FILE *log;           /* NULL, at first: messages are dropped */

	/* -- the rest belongs to the harness -- */
	const struct mt_component *component;
	const struct mt_toolset *set;
	const struct mt_tool *tool; /* of the running call */
	struct mt_harness_pair *args, *options, *replies;
	struct mt_harness_pair *submitted; /* methods whose reply is not delivered yet */
	uint64_t submitted_count, waited_count;
	int previews;        /* the running call is a preview */
	struct mt_harness_pair *borrowed;
	struct mt_call call;
	struct mt_instance instance;
	void *self, *saved;
	size_t saved_len;
	int opened, pipe[2];
};

/* ---- texts ------------------------------------------------------------------------ */

/* Text that the tool borrows until its call returns. */
static inline const char *mt_harness_lend(struct mt_harness *h, char *text)
{
	struct mt_harness_pair *pair;

	mt_harness_add(&h->borrowed, "", MT_OK, "", 0);
	for (pair = h->borrowed; pair->next;)
		pair = pair->next;
	free(pair->text);
	pair->text = text;
	return text;
}

/* ---- arguments --------------------------------------------------------------------- */

/** Set an argument of the next call, as JSON text. */
static inline void mt_harness_json(struct mt_harness *h, const char *name,
				   const char *json)
{
	mt_harness_set(&h->args, name, json, strlen(json));
}

/** Set a text argument of the next call. */
static inline void mt_harness_text(struct mt_harness *h, const char *name,
				   const char *text)
{
	char *json = NULL, escape[8];
	size_t len = 0;

	mt_harness_append(&json, &len, "\"", 1);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			snprintf(escape, sizeof escape, "\\%c", c);
		else if (c < 0x20)
			snprintf(escape, sizeof escape, "\\u%04x", c);
		else
			snprintf(escape, sizeof escape, "%c", c);
		mt_harness_append(&json, &len, escape, strlen(escape));
	}
	mt_harness_append(&json, &len, "\"", 1);
	mt_harness_set(&h->args, name, json, len);
	free(json);
}

/** Set an integer argument of the next call. */
static inline void mt_harness_integer(struct mt_harness *h, const char *name,
				      int64_t value)
{
	char json[32];

	snprintf(json, sizeof json, "%lld", (long long)value);
	mt_harness_json(h, name, json);
}

/* JSON of an argument, or of its default; NULL: absent. `*is_text`: it is a default that
 * is a text, and not JSON. */
static inline const char *mt_harness_arg(struct mt_harness *h, const char *name,
					 int *is_text)
{
	struct mt_harness_pair *pair = mt_harness_find(h->args, name);

	*is_text = 0;
	if (pair)
		return strcmp(pair->text, "null") == 0 ? NULL : pair->text;
	for (uint32_t i = 0; i < h->tool->param_count; i++) {
		const struct mt_param *p = &h->tool->params[i];

		*is_text = p->type == MT_PARAM_TEXT || p->type == MT_PARAM_CHOICE;
		if (strcmp(p->name, name) == 0)
			return p->fallback;
	}
	return NULL;
}

static inline size_t mt_harness_utf8(unsigned long code, char *to)
{
	if (code < 0x80)
		return to[0] = (char)code, 1;
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | code >> 12);
	to[1] = (char)(0x80 | (code >> 6 & 0x3f));
	to[2] = (char)(0x80 | (code & 0x3f));
	return 3;
}

/* The text of a JSON string, without surrogate pairs. */
static inline char *mt_harness_unquote(const char *json, size_t *ret_len)
{
	static const char names[] = "bfnrt", values[] = "\b\f\n\r\t";
	char *text = mt_harness_copy(json, strlen(json)), *to = text;

	for (json++; *json && *json != '"'; json++) {
		const char *name;

		if (*json != '\\') {
			*to++ = *json;
			continue;
		}
		name = *++json ? strchr(names, *json) : NULL;
		if (*json == 'u' && strlen(json) >= 5) {
			char digits[5] = { json[1], json[2], json[3], json[4], 0 };

			to += mt_harness_utf8(strtoul(digits, NULL, 16), to);
			json += 4;
		} else {
			*to++ = name ? values[name - names] : *json;
		}
	}
	*to = '\0';
	*ret_len = (size_t)(to - text);
	return text;
}

static inline const char *mt_harness_arg_str(struct mt_call *call, const char *name,
					     size_t *ret_len)
{
	int is_text;
	size_t len;
	const char *json = mt_harness_arg(call->harness, name, &is_text);

	if (!json || (!is_text && *json != '"'))
		return NULL;
	if (is_text)
		len = strlen(json);
	else
		json = mt_harness_lend(call->harness, mt_harness_unquote(json, &len));
	if (ret_len)
		*ret_len = len;
	return json;
}

static inline int mt_harness_arg_number(struct mt_call *call, const char *name,
					double *ret)
{
	int is_text;
	const char *json = mt_harness_arg(call->harness, name, &is_text);
	char *end;
	double value;

	if (!json)
		return MT_ENOTFOUND;
	value = strtod(json, &end);
	if (end == json || *end)
		return MT_EINVAL;
	*ret = value;
	return MT_OK;
}

static inline int mt_harness_arg_int(struct mt_call *call, const char *name, int64_t *ret)
{
	int is_text;
	const char *json = mt_harness_arg(call->harness, name, &is_text);
	char *end;
	long long value;

	if (!json)
		return MT_ENOTFOUND;
	value = strtoll(json, &end, 10);
	if (end == json || *end)
		return MT_EINVAL;
	*ret = value;
	return MT_OK;
}

static inline int mt_harness_arg_bool(struct mt_call *call, const char *name, int *ret)
{
	int is_text;
	const char *json = mt_harness_arg(call->harness, name, &is_text);
	int yes = json && (!strcmp(json, "true") || !strcmp(json, "\"true\""));
	int no = json && (!strcmp(json, "false") || !strcmp(json, "\"false\""));

	if (!json)
		return MT_ENOTFOUND;
	if (!yes && !no)
		return MT_EINVAL;
	*ret = yes;
	return MT_OK;
}

static inline char *mt_harness_object(struct mt_harness *h)
{
	char *json = NULL;
	size_t len = 0;

	mt_harness_append(&json, &len, "{", 1);
	for (struct mt_harness_pair *pair = h->args; pair; pair = pair->next) {
		mt_harness_append(&json, &len, "\"", 1);
		mt_harness_append(&json, &len, pair->name, strlen(pair->name));
		mt_harness_append(&json, &len, "\":", 2);
		mt_harness_append(&json, &len, pair->text, strlen(pair->text));
		if (pair->next)
			mt_harness_append(&json, &len, ",", 1);
	}
	mt_harness_append(&json, &len, "}", 1);
	return json;
}

static inline const char *mt_harness_arg_json(struct mt_call *call, const char *name,
					      size_t *ret_len)
{
	struct mt_harness *h = call->harness;
	struct mt_harness_pair *pair = name ? mt_harness_find(h->args, name) : NULL;
	const char *json = pair ? pair->text : NULL;

	if (!name)
		json = mt_harness_lend(h, mt_harness_object(h));
	if (json && ret_len)
		*ret_len = strlen(json);
	return json;
}

/* ---- the call and its result ------------------------------------------------------- */

static inline struct mt_instance *mt_harness_call_instance(struct mt_call *call)
{
	return &call->harness->instance;
}

static inline const char *mt_harness_call_tool(struct mt_call *call)
{
	return call->harness->tool->name;
}

static inline const char *mt_harness_call_id(struct mt_call *call)
{
	(void)call;
	return "harness-1";
}

static inline int mt_harness_reply_text(struct mt_call *call, const char *text,
					size_t len)
{
	mt_harness_append(&call->harness->text, &call->harness->text_len, text, len);
	return MT_OK;
}

MT_PRINTF(2, 3)
static inline int mt_harness_reply(struct mt_call *call, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mt_harness_format(fmt, ap);
	va_end(ap);
	mt_harness_reply_text(call, text, strlen(text));
	free(text);
	return MT_OK;
}

static inline int mt_harness_reply_media(struct mt_call *call, const char *mime,
					 const void *bytes, size_t len)
{
	if (!mime || (!bytes && len))
		return MT_EINVAL;
	call->harness->media_count++;
	return MT_OK;
}

static inline int mt_harness_field(struct mt_call *call, const char *name,
				   const char *json, size_t len)
{
	mt_harness_set(&call->harness->fields, name, json, len);
	return MT_OK;
}

static inline int mt_harness_fail_text(struct mt_call *call, int status, const char *text,
				       size_t len)
{
	free(call->harness->error);
	call->harness->error = mt_harness_copy(text, len);
	return status;
}

MT_PRINTF(3, 4)
static inline int mt_harness_fail(struct mt_call *call, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	free(call->harness->error);
	call->harness->error = mt_harness_format(fmt, ap);
	va_end(ap);
	return status;
}

/* ---- while it runs ----------------------------------------------------------------- */

static inline int mt_harness_output(struct mt_call *call, const char *bytes, size_t len)
{
	size_t had = strlen(call->harness->live);

	mt_harness_append(&call->harness->live, &had, bytes, len);
	return MT_OK;
}

static inline int mt_harness_spool(struct mt_call *call, const char *bytes, size_t len)
{
	size_t had = strlen(call->harness->spooled);

	mt_harness_append(&call->harness->spooled, &had, bytes, len);
	return MT_OK;
}

static inline const char *mt_harness_spool_path(struct mt_call *call)
{
	(void)call;
	return "";
}

static inline int mt_harness_progress(struct mt_call *call, double done, double total,
				      const char *message)
{
	(void)call, (void)done, (void)total, (void)message;
	return MT_OK;
}

static inline int mt_harness_cancelled(struct mt_call *call)
{
	struct mt_harness *h = call->harness;

	h->now_ms += h->tick_ms;
	return h->cancel_ms >= 0 && h->now_ms >= h->cancel_ms;
}

/* Readable immediately if the call is to be cancelled: nothing else would end a poll(). */
static inline int mt_harness_cancel_fd(struct mt_call *call)
{
	struct mt_harness *h = call->harness;

	if (h->pipe[0] < 0 && pipe(h->pipe))
		mt_harness_fatal("no descriptor left", NULL);
	if (h->cancel_ms >= 0 && write(h->pipe[1], "", 1) != 1)
		mt_harness_fatal("cannot write to a pipe", NULL);
	return h->pipe[0];
}

static inline int64_t mt_harness_time_left_ms(struct mt_call *call)
{
	struct mt_harness *h = call->harness;

	h->now_ms += h->tick_ms;
	if (h->deadline_ms < 0)
		return -1;
	return h->now_ms < h->deadline_ms ? h->deadline_ms - h->now_ms : 0;
}

/** The reply to the next request of this method, an object as JSON, for example
 *  ("model/complete", MT_OK, "{\"text\": \"yes\"}"); with another status a sentence. Several
 *  are given in their order. A request without a reply fails with MT_EUNSUPPORTED. */
static inline void mt_harness_answer(struct mt_harness *h, const char *method, int status,
				     const char *result)
{
	mt_harness_add(&h->replies, method, status, result, strlen(result));
}

static inline int mt_harness_request(struct mt_call *call, const char *method,
				     struct mt_str params, struct mt_str *ret_result)
{
	static const char none[] = "the test gave no reply to this method";
	struct mt_harness *h = call->harness;
	struct mt_harness_pair *reply = mt_harness_find(h->replies, method);
	const char *text = none;
	int status = MT_EUNSUPPORTED;

	(void)params;
	if (h->previews) {
		text = "a preview cannot send requests";
		status = MT_EDENIED;
	} else if (reply) {
		status = reply->status;
		text = mt_harness_lend(h,
				       mt_harness_copy(reply->text, strlen(reply->text)));
		mt_harness_remove(&h->replies, method);
	}
	if (ret_result) {
		ret_result->ptr = text;
		ret_result->len = strlen(text);
	}
	return status;
}

/* ---- the instance ------------------------------------------------------------------ */

/** Set an option, before the first call. */
static inline void mt_harness_option(struct mt_harness *h, const char *name,
				     const char *value)
{
	mt_harness_set(&h->options, name, value, strlen(value));
}

static inline const char *mt_harness_get_option(struct mt_instance *instance,
						const char *name)
{
	return mt_harness_value(instance->harness->component, instance->harness->options,
				name);
}

static inline int64_t mt_harness_option_int(struct mt_instance *instance,
					    const char *name)
{
	return mt_harness_number(mt_harness_get_option(instance, name));
}

static inline int mt_harness_option_at(struct mt_instance *instance, const char *prefix,
				       size_t n, const char **ret_key,
				       const char **ret_value)
{
	struct mt_harness_pair *pair = instance->harness->options;

	for (; pair; pair = pair->next)
		if (strncmp(pair->name, prefix, strlen(prefix)) == 0 && n-- == 0) {
			*ret_key = pair->name;
			*ret_value = pair->text;
			return MT_OK;
		}
	return MT_ENOTFOUND;
}

#define MT_HARNESS_PATH(member_)                                                  \
	static inline const char *mt_harness_##member_(struct mt_instance *instance) \
	{                                                                         \
		const char *path = instance->harness->member_;                    \
                                                                                  \
		return path ? path : "";                                          \
	}
MT_HARNESS_PATH(workspace)
MT_HARNESS_PATH(private_dir)
MT_HARNESS_PATH(conversation_dir)
MT_HARNESS_PATH(user_dir)
MT_HARNESS_PATH(plugin_path)
#undef MT_HARNESS_PATH

static inline int mt_harness_save(struct mt_instance *instance, const void *bytes,
				  size_t len)
{
	struct mt_harness *h = instance->harness;

	if (len > MT_SAVED_MAX)
		return MT_ELIMIT;
	free(h->saved);
	h->saved = mt_harness_copy((const char *)bytes, len);
	h->saved_len = len;
	return MT_OK;
}

static inline const void *mt_harness_saved(struct mt_instance *instance, size_t *ret_len)
{
	if (ret_len)
		*ret_len = instance->harness->saved_len;
	return instance->harness->saved;
}

static inline void mt_harness_changed(struct mt_instance *instance)
{
	(void)instance;
}

/* The harness does not call `list`. */
static inline int mt_harness_add_tool(struct mt_listing *listing,
				      const struct mt_tool *tool)
{
	(void)listing, (void)tool;
	return MT_EUNSUPPORTED;
}

static inline void mt_harness_log_text(struct mt_instance *instance, int level,
				       const char *text, size_t len)
{
	if (instance->harness->log)
		fprintf(instance->harness->log, "log %d: %.*s\n", level, (int)len, text);
}

MT_PRINTF(3, 4)
static inline void mt_harness_log(struct mt_instance *instance, int level,
				  const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mt_harness_format(fmt, ap);
	va_end(ap);
	mt_harness_log_text(instance, level, text, strlen(text));
	free(text);
}

/* ---- extensions -------------------------------------------------------------------- */

static inline int mt_harness_structured(struct mt_call *call, const char *json,
					size_t len)
{
	if (len == 0 || json[0] != '{')
		return MT_EINVAL;
	free(call->harness->structured);
	call->harness->structured = mt_harness_copy(json, len);
	return MT_OK;
}

static inline int mt_harness_argument_length(struct mt_call *call, const char *name,
					     uint64_t *ret)
{
	int is_text;
	size_t len;

	if (!mt_harness_arg(call->harness, name, &is_text))
		return MT_ENOTFOUND;
	if (!mt_harness_arg_str(call, name, &len))
		return MT_EINVAL;
	*ret = len;
	return MT_OK;
}

static inline int mt_harness_argument_read(struct mt_call *call, const char *name,
					   uint64_t offset, void *buffer, size_t room,
					   size_t *ret_len)
{
	uint64_t len;
	int status = mt_harness_argument_length(call, name, &len);

	if (status)
		return status;
	len = offset < len ? len - offset : 0;
	*ret_len = len < room ? (size_t)len : room;
	if (*ret_len)
		memcpy(buffer, mt_harness_arg_str(call, name, NULL) + offset, *ret_len);
	return MT_OK;
}

/* Requests are answered when the tool waits, in the order in which it sent them. */
static inline int mt_harness_submit(struct mt_call *call, const char *method,
				    struct mt_str params, uint64_t *ret_number)
{
	struct mt_harness *h = call->harness;

	(void)params;
	if (h->submitted_count - h->waited_count >= MT_REQUESTS_MAX)
		return MT_ELIMIT;
	mt_harness_add(&h->submitted, method, MT_OK, "", 0);
	*ret_number = ++h->submitted_count;
	return MT_OK;
}

static inline int mt_harness_wait(struct mt_call *call, int64_t timeout_ms,
				  struct mt_answer_draft_1 *ret)
{
	struct mt_harness *h = call->harness;
	struct mt_answer_draft_1 answer = { 0 };
	static const struct mt_str none = MT_STR("{}");

	(void)timeout_ms;
	if (!h->submitted)
		return MT_ENOTFOUND;
	answer.number = ++h->waited_count;
	answer.status = mt_harness_request(call, h->submitted->name, none, &answer.text);
	mt_harness_remove(&h->submitted, h->submitted->name);
	*ret = answer;
	return MT_OK;
}

static inline const void *mt_harness_extension(const char *name)
{
	static const struct mt_result_draft_1 result = {
		.size = sizeof result, .structured = mt_harness_structured };
	static const struct mt_arguments_draft_1 arguments = {
		.size = sizeof arguments, .length = mt_harness_argument_length,
		.read = mt_harness_argument_read };
	static const struct mt_requests_draft_1 requests = {
		.size = sizeof requests, .submit = mt_harness_submit,
		.wait = mt_harness_wait };
	static const struct {
		const char *name;
		const void *table;
	} tables[] = {
		{ MT_RESULT_DRAFT_1, &result },
		{ MT_ARGUMENTS_DRAFT_1, &arguments },
		{ MT_REQUESTS_DRAFT_1, &requests },
	};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (strcmp(tables[i].name, name) == 0)
			return tables[i].table;
	return NULL;
}

/** The services that the plugin is given. */
static inline const struct mt_tool_host *mt_harness_host(void)
{
	static const struct mt_tool_host host = {
		.size = sizeof host,
		.call_instance = mt_harness_call_instance,
		.call_tool = mt_harness_call_tool,
		.call_id = mt_harness_call_id,
		.arg_str = mt_harness_arg_str,
		.arg_int = mt_harness_arg_int,
		.arg_number = mt_harness_arg_number,
		.arg_bool = mt_harness_arg_bool,
		.arg_json = mt_harness_arg_json,
		.reply = mt_harness_reply,
		.reply_text = mt_harness_reply_text,
		.reply_media = mt_harness_reply_media,
		.field = mt_harness_field,
		.fail = mt_harness_fail,
		.fail_text = mt_harness_fail_text,
		.output = mt_harness_output,
		.progress = mt_harness_progress,
		.spool = mt_harness_spool,
		.spool_path = mt_harness_spool_path,
		.cancelled = mt_harness_cancelled,
		.cancel_fd = mt_harness_cancel_fd,
		.time_left_ms = mt_harness_time_left_ms,
		.request = mt_harness_request,
		.option = mt_harness_get_option,
		.option_int = mt_harness_option_int,
		.option_at = mt_harness_option_at,
		.workspace = mt_harness_workspace,
		.private_dir = mt_harness_private_dir,
		.conversation_dir = mt_harness_conversation_dir,
		.user_dir = mt_harness_user_dir,
		.plugin_path = mt_harness_plugin_path,
		.save = mt_harness_save,
		.saved = mt_harness_saved,
		.changed = mt_harness_changed,
		.add_tool = mt_harness_add_tool,
		.log = mt_harness_log,
		.log_text = mt_harness_log_text,
		.extension = mt_harness_extension,
	};

	return &host;
}

/* ---- the test ---------------------------------------------------------------------- */

/** Start to test a toolset of a plugin. `name`: of the component; NULL: the first one. */
static inline struct mt_harness *mt_harness_open(const struct mt_plugin *plugin,
						 const char *name)
{
	struct mt_harness *h =
		(struct mt_harness *)mt_harness_memory(calloc(1, sizeof *h));

	h->component = mt_harness_component(plugin, MT_KIND_TOOL, name);
	h->set = (const struct mt_toolset *)h->component->functions;
	h->call.harness = h->instance.harness = h;
	h->deadline_ms = h->cancel_ms = -1;
	h->pipe[0] = h->pipe[1] = -1;
	h->text = mt_harness_copy("", 0);
	h->live = mt_harness_copy("", 0);
	h->spooled = mt_harness_copy("", 0);
	return h;
}

static inline void mt_harness_forget_result(struct mt_harness *h)
{
	free(h->error);
	free(h->structured);
	h->error = h->structured = NULL;
	h->text_len = h->media_count = 0;
	h->text[0] = h->live[0] = h->spooled[0] = '\0';
	h->now_ms = 0;
	mt_harness_remove(&h->fields, NULL);
}

static inline const struct mt_tool *mt_harness_tool(const struct mt_harness *h,
						    const char *name)
{
	for (uint32_t i = 0; i < h->set->tool_count; i++)
		if (strcmp(h->set->tools[i].name, name) == 0)
			return &h->set->tools[i];
	mt_harness_fatal("the toolset has no such tool", name);
	return NULL;
}

static inline int mt_harness_run(struct mt_harness *h,
				 int (*run)(const struct mt_tool_host *host, void *self,
					    struct mt_call *call))
{
	const struct mt_tool_host *host = mt_harness_host();
	int status = MT_OK;

	mt_harness_forget_result(h);
	if (!h->opened && h->set->open)
		status = h->set->open(host, &h->instance, &h->self);
	h->opened = status == MT_OK;
	if (!status)
		status = run(host, h->self, &h->call);
	mt_harness_remove(&h->borrowed, NULL);
	mt_harness_remove(&h->args, NULL);
	mt_harness_remove(&h->submitted, NULL);
	h->waited_count = h->submitted_count;
	return status;
}

/** Call a tool with the arguments that were set since the last call. The first call opens
 *  the instance. @return what the tool returned; the result is in the harness. */
static inline int mt_harness_call(struct mt_harness *h, const char *name)
{
	h->tool = mt_harness_tool(h, name);
	if (!h->tool->call && !h->set->call)
		mt_harness_fatal("the tool is not a function that a harness can call",
				 name);
	return mt_harness_run(h, h->tool->call ? h->tool->call : h->set->call);
}

/** The same for the preview of a call, in which requests fail with MT_EDENIED. */
static inline int mt_harness_preview(struct mt_harness *h, const char *name)
{
	int status;

	h->tool = mt_harness_tool(h, name);
	if (!MT_HAS(h->tool, preview) || !h->tool->preview)
		mt_harness_fatal("the tool has no preview", name);
	h->previews = 1;
	status = mt_harness_run(h, h->tool->preview);
	h->previews = 0;
	return status;
}

/** End the instance and the test. @return 0, so that main can return it. */
static inline int mt_harness_close(struct mt_harness *h)
{
	if (h->opened && h->set->close)
		h->set->close(mt_harness_host(), &h->instance, h->self);
	for (int i = 0; i < 2; i++)
		if (h->pipe[i] >= 0)
			close(h->pipe[i]);
	mt_harness_remove(&h->fields, NULL);
	mt_harness_remove(&h->options, NULL);
	mt_harness_remove(&h->replies, NULL);
	mt_harness_remove(&h->args, NULL);
	free(h->text);
	free(h->live);
	free(h->spooled);
	free(h->error);
	free(h->structured);
	free(h->saved);
	free(h);
	return 0;
}

#pragma GCC diagnostic pop

#endif
