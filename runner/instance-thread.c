/* SPDX-License-Identifier: MIT
 *
 * instance-thread.c - the thread of an instance: load, open, list, call, close. */
#include "ffi-call.h"
#include "function-schema.h"
#include "params.h"
#include "process-tree.h"
#include "utf8.h"
#include "tool-host.h"
#include "worker.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void instance_call_free(struct mt_call *c)
{
	free(c->tool);
	free(c->spool_name);
	free(c->host_id);
	json_object_put(c->args);
	json_object_put(c->fields);
	strbuf_clear(&c->text);
	strbuf_clear(&c->error);
	strbuf_clear(&c->live);
	if (c->cancel_fd >= 0)
		close(c->cancel_fd);
	if (c->spool_fd >= 0)
		close(c->spool_fd);
	host_requests_free(c);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->wake);
	free(c);
}

struct mt_call *instance_call_new(struct mt_instance *instance, const struct frame *f)
{
	struct mt_call *c = calloc(1, sizeof *c);
	const char *data = f->data, *tool = "", *spool = "", *id = "";
	size_t len = f->len;
	struct frame_call head = { .deadline = -1 };

	if (!c)
		return NULL;
	if (f->type == FRAME_CALL && len >= sizeof head) {
		memcpy(&head, data, sizeof head);
		data += sizeof head;
		len -= sizeof head;
		tool = frame_text(&data, &len);
		spool = tool ? frame_text(&data, &len) : NULL;
		id = spool ? frame_text(&data, &len) : NULL;
	}
	c->instance = instance;
	c->id = f->id;
	c->listing = f->type == FRAME_LIST;
	c->preview = f->type == FRAME_CALL && f->aux == FRAME_PREVIEW;
	c->deadline = head.deadline;
	c->cancel_fd = c->spool_fd = -1;
	c->text = STRBUF((size_t)worker.spec->limits.result_max + 1);
	c->error = STRBUF(4096);
	c->live = STRBUF(LIVE_PIECE + 1);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->wake, NULL);
	c->tool = tool ? strdup(tool) : NULL;
	c->spool_name = spool ? strdup(spool) : NULL;
	c->host_id = id ? strdup(id) : NULL;
	if (!c->listing)
		c->args = js_parse_object(data, len, NULL);
	if (!c->tool || !c->spool_name || !c->host_id || (!c->listing && !c->args)) {
		instance_call_free(c);
		return NULL;
	}
	return c;
}

/* A child that a plugin forked has returned from its function: only the process itself
 * may continue. */
static void instance_thread_end_child(const struct mt_instance *i)
{
	if (getpid() == worker.pid)
		return;
	dprintf(STDERR_FILENO,
		"%s: a child process returned from a function of the plugin; end it "
		"with _exit\n",
		i->spec->name);
	_exit(1);
}

static int instance_thread_load(struct mt_instance *i, struct error *err)
{
	int status = MT_OK;

	pthread_mutex_lock(&worker.load);
	if (!worker.plugin) {
		status = loader_open(i->spec->plugin, &worker.plugin, err);
		/* The next call must load the file again: it may be repaired by then. */
		worker.retire |= status != MT_OK;
	}
	if (!status && !i->set)
		status = loader_toolset(worker.plugin, i->spec->plugin,
					i->spec->component, &i->component, &i->set, err);
	if (status)
		i->set = NULL;
	pthread_mutex_unlock(&worker.load);
	return status;
}

static int instance_thread_ready(struct mt_instance *i, struct error *err)
{
	int status = i->set ? MT_OK : instance_thread_load(i, err);

	if (status || i->open)
		return status;
	i->last_log[0] = '\0';
	if (i->set->open)
		status = i->set->open(&tool_host, i, &i->self);
	instance_thread_end_child(i);
	if (status != worker_plugin_status(status))
		return fail(err, MT_EINVAL,
			    "`open` of `%s` returned the invalid status %d",
			    i->spec->name, status);
	if (status)
		return fail(err, status, "cannot open `%s`: %s", i->spec->name,
			    *i->last_log ? i->last_log : status_name(status));
	i->open = true;
	atomic_store(&i->list_stale, true);
	return MT_OK;
}

/* The target of a call: `call` or `function` of the tool, or the `call` of its
 * toolset. */
struct target {
	tool_function *call, *preview;
	const struct mt_function *function;
	int64_t result_max;
	json_object *defaults;       /* of its parameters; owned */
	bool control;
};

/* @return MT_OK, MT_ENOTFOUND or MT_ENOMEM. */
static int find_static(const struct mt_toolset *set, const char *name, struct target *ret)
{
	for (uint32_t n = 0; n < set->tool_count; n++) {
		const struct mt_tool *t = loader_toolset_tool(set, n);

		if (!t->name || strcmp(t->name, name) != 0)
			continue;
		*ret = (struct target){ .defaults = json_object_new_object(),
			.call = t->call,
			.preview = loader_tool_preview(t),
			.function = t->function,
			.result_max = t->result_max,
			.control = (t->hints & MT_TOOL_CONTROL) != 0 };
		return ret->defaults && !params_add_defaults(t, ret->defaults)
			       ? MT_OK
			       : MT_ENOMEM;
	}
	return MT_ENOTFOUND;
}

static int find_listed(const struct mt_instance *i, const char *name, struct target *ret)
{
	for (size_t n = 0; n < i->listed_count; n++) {
		const struct listed *t = &i->listed[n];

		if (strcmp(t->name, name) != 0)
			continue;
		*ret = (struct target){ .defaults = json_object_get(t->defaults),
			.call = t->call,
			.preview = t->preview,
			.function = t->function ? &t->function->function : NULL,
			.result_max = t->result_max,
			.control = (t->hints & MT_TOOL_CONTROL) != 0 };
		return MT_OK;
	}
	return MT_ENOTFOUND;
}

static int instance_thread_find(struct mt_instance *i, const char *name,
				struct target *ret, struct error *err)
{
	struct strbuf json AUTO(strbuf) = STRBUF(1);
	struct error why = ERROR_NONE;
	int status = find_static(i->set, name, ret);

	if (status == MT_ENOMEM) {
		json_object_put(STEAL(ret->defaults));
		return out_of_memory(err);
	}
	if (!status || !find_listed(i, name, ret))
		return MT_OK;
	if (atomic_load(&i->list_stale) && i->set->list) {
		status = tool_list_make(i, &json, &why);
		if (status)
			return fail(err, status, "cannot list the tools of `%s`: %s",
				    i->spec->name, why.text);
		if (!find_listed(i, name, ret))
			return MT_OK;
	}
	return fail(err, MT_ENOTFOUND, "`%s` has no tool `%s`", i->spec->name, name);
}

static int run_function(struct mt_call *c, const struct mt_function *f, struct error *err)
{
	int status = function_check(f, err);

	if (!status)
		status = ffi_function_call(f, c->args, &c->text, err);
	if (status == MT_ELIMIT && c->text.error) {
		c->text.error = MT_OK;
		c->text_cut = true;
	}
	return status;
}

/* The schemas of the tool's parameters and results. */
static int instance_thread_prepare(struct mt_call *c, struct target *t, struct error *err)
{
	int64_t most = worker.spec->limits.result_max;

	json_object_object_foreach(t->defaults, name, value)
		if (!js_get(c->args, name))
			js_set(c->args, name, json_object_get(value));
	json_object_put(STEAL(t->defaults));
	if (t->result_max > 0 && t->result_max < most)
		c->text.max = (size_t)t->result_max + 1;
	if (c->preview && c->text.max > PREVIEW_MAX)
		c->text.max = PREVIEW_MAX + 1;
	return js_failed(c->args) ? out_of_memory(err) : MT_OK;
}

static int instance_thread_run(struct mt_call *c, const struct target *t,
			       struct error *err)
{
	tool_function *own = c->preview ? t->preview : t->call;
	int status;

	if (!own && c->preview)
		return fail(err, MT_EUNSUPPORTED, "`%s` has no preview", c->tool);
	if (t->function && !own)
		return run_function(c, t->function, err);
	if (!own)
		own = c->instance->set->call;
	if (!own)
		return fail(err, MT_EINVAL, "`%s` has no function%s", c->tool,
			    t->control ? "; it is handled by the controller" : "");
	status = own(&tool_host, c->instance->self, c);
	if (c->failed)
		return c->failed;
	if (status == MT_ELIMIT && c->text_cut)
		return MT_OK; /* that of `reply`: the result says that it was cut */
	if (status != worker_plugin_status(status))
		return fail(err, MT_EINVAL, "`%s` returned the invalid status %d",
			    c->tool, status);
	if (status && !atomic_load(&c->cancelled))
		fail(err, status, "`%s` failed: %s", c->tool, status_name(status));
	return status;
}

static void instance_thread_send_parts(struct mt_call *c)
{
	struct frame f = { .id = c->id };

	if (c->text.len) {
		f.type = FRAME_TEXT;
		for (size_t at = 0; at < c->text.len; at += f.len) {
			f.data = c->text.text + at;
			f.len = c->text.len - at;
			f.len = f.len < FRAME_PIECE ? f.len : FRAME_PIECE;
			worker_send(&f, 0);
		}
	}
	if (c->fields) {
		f.type = FRAME_FIELDS;
		f.data = js_text(c->fields, &f.len);
		c->lost |= !f.data;
		if (f.data)
			worker_send(&f, 0);
	}
}

/* Store the final status and sentence of the call in `f`; `own` holds a sentence. */
static void instance_thread_put_outcome(struct mt_call *c, int status,
					const struct error *err, struct error *own,
					struct frame *f)
{
	f->status = status;
	if (status == MT_OK && atomic_load(&c->cancelled) && !c->listing)
		f->status = MT_ECANCELLED;
	f->data = c->failed && c->error.len ? c->error.text : err->text;
	if (f->status == MT_OK && c->lost) {
		f->status = fail(own, MT_ENOMEM,
				 "out of memory: a part of the answer of `%s` is lost",
				 c->tool);
		f->data = own->text;
	}
	f->len = f->status ? strlen(f->data) : 0;
}

/* True if the lowest free descriptor has a high number, which indicates a leak. */
static bool descriptors_leak(void)
{
	int fd = fcntl(worker.fd, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd < 0 || fd > worker.spec->limits.files_max / 2;
}

static void instance_thread_finish(struct mt_call *c, int status, const struct error *err)
{
	struct frame f = { .type = FRAME_DONE, .id = c->id };
	struct error own = ERROR_NONE;

	instance_thread_end_child(c->instance);
	pthread_mutex_lock(&c->lock);
	c->running = false;
	while (c->users)
		pthread_cond_wait(&c->wake, &c->lock);
	pthread_mutex_unlock(&c->lock);
	output_stream_end(c);
	spool_set_name(c);
	instance_thread_send_parts(c);
	f.flags = (worker.retire || descriptors_leak() ? FRAME_RETIRE : 0) |
		  (c->spool_fd >= 0 ? FRAME_SPOOLED : 0) |
		  (c->spool_full ? FRAME_SPOOL_FULL : 0) |
		  (c->text_cut ? FRAME_TEXT_CUT : 0);
	instance_thread_put_outcome(c, status, err, &own, &f);
	worker_send(&f, 0);
}

static void instance_thread_forget(struct mt_call *c)
{
	pthread_mutex_lock(&worker.lock);
	for (struct mt_call **p = &worker.calls; *p; p = &(*p)->all)
		if (*p == c) {
			*p = c->all;
			break;
		}
	pthread_mutex_unlock(&worker.lock);
	/* The call can no longer be found; wait for threads that found it before. */
	pthread_mutex_lock(&c->lock);
	while (c->users)
		pthread_cond_wait(&c->wake, &c->lock);
	pthread_mutex_unlock(&c->lock);
	instance_call_free(c);
}

static void instance_thread_list_tools(struct mt_call *c)
{
	struct strbuf json AUTO(strbuf) = STRBUF(1);
	struct error err = ERROR_NONE;
	int status = instance_thread_ready(c->instance, &err);

	if (!status)
		status = tool_list_make(c->instance, &json, &err);
	if (!status) {
		struct frame f = { .type = FRAME_TOOLS, .id = c->id,
				   .data = json.text, .len = json.len };

		worker_send(&f, 0);
	}
	instance_thread_finish(c, status, &err);
	instance_thread_forget(c);
}

/* The plugin ended the thread of this call. What the thread held is lost: the worker must
 * be replaced. */
static void instance_thread_fail_ended(struct mt_call *c)
{
	struct error err = ERROR_NONE;
	int status = fail(&err, MT_EINVAL,
			  "`%s` ended the thread of its call (pthread_exit); return from "
			  "the function instead",
			  c->listing ? c->instance->spec->name : c->tool);

	worker.retire = true;
	c->failed = MT_OK;
	instance_thread_finish(c, status, &err);
	instance_thread_forget(c);
}

struct own_thread {
	struct mt_call *call;
	struct target target;
	struct function_copy *function; /* the list that contains it may be replaced */
};

static void own_thread_free(struct own_thread *o)
{
	ffi_function_free(o->function);
	free(o);
}

static struct own_thread *own_thread_new(struct mt_call *c, const struct target *t)
{
	struct own_thread *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	o->call = c;
	o->target = *t;
	if (t->function && !(o->function = ffi_function_copy(t->function))) {
		free(o);
		return NULL;
	}
	if (o->function)
		o->target.function = &o->function->function;
	return o;
}

static void leave_beside(struct mt_instance *i, struct own_thread *o)
{
	own_thread_free(o);
	pthread_mutex_lock(&worker.lock);
	i->busy--;
	pthread_cond_broadcast(&i->wake);
	pthread_mutex_unlock(&worker.lock);
}

static void ended_beside(void *arg)
{
	struct own_thread *o = arg;
	struct mt_instance *i = o->call->instance;

	instance_thread_fail_ended(o->call);
	leave_beside(i, o);
}

static void *run_beside(void *arg)
{
	struct own_thread *o = arg;
	struct mt_instance *i = o->call->instance;
	struct error err = ERROR_NONE;
	int status;

	pthread_cleanup_push(ended_beside, o);
	status = instance_thread_run(o->call, &o->target, &err);
	pthread_cleanup_pop(0);
	instance_thread_finish(o->call, status, &err);
	instance_thread_forget(o->call);
	leave_beside(i, o);
	return NULL;
}

/* Start the call on its own thread. @return false if that fails. */
static bool start_beside(struct mt_call *c, const struct target *t)
{
	struct own_thread *o = own_thread_new(c, t);
	pthread_attr_t attributes;
	pthread_t thread;
	bool started;

	if (!o)
		return false;
	pthread_mutex_lock(&worker.lock);
	c->instance->busy++;
	pthread_mutex_unlock(&worker.lock);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	started = pthread_create(&thread, &attributes, run_beside, o) == 0;
	pthread_attr_destroy(&attributes);
	if (!started) {
		pthread_mutex_lock(&worker.lock);
		c->instance->busy--;
		pthread_mutex_unlock(&worker.lock);
		own_thread_free(o);
	}
	return started;
}

static void instance_thread_run_call(struct mt_call *c)
{
	struct error err = ERROR_NONE;
	struct target target = { 0 };
	int status = MT_OK;

	if (atomic_load(&c->cancelled))
		status = fail(&err, MT_ECANCELLED, "cancelled before it started");
	if (!status)
		status = instance_thread_ready(c->instance, &err);
	if (!status) {
		/* Creating the list may take a while, so `cancel` must be possible. */
		pthread_mutex_lock(&c->lock);
		c->running = true;
		pthread_mutex_unlock(&c->lock);
		status = instance_thread_find(c->instance, c->tool, &target, &err);
	}
	if (!status)
		status = instance_thread_prepare(c, &target, &err);
	if (!status && c->instance->set->flags & MT_TOOLSET_PARALLEL &&
	    start_beside(c, &target))
		return;
	if (!status)
		status = instance_thread_run(c, &target, &err);
	instance_thread_finish(c, status, &err);
	instance_thread_forget(c);
}

static struct mt_call *next_call(struct mt_instance *i)
{
	struct mt_call *c;

	pthread_mutex_lock(&worker.lock);
	while (!i->queue && !i->closing)
		pthread_cond_wait(&i->wake, &worker.lock);
	c = i->queue;
	if (c) {
		i->queue = c->next;
		if (!i->queue)
			i->queue_end = &i->queue;
		c->next = NULL;
	}
	while (!c && i->busy)
		pthread_cond_wait(&i->wake, &worker.lock);
	pthread_mutex_unlock(&worker.lock);
	return c;
}

/* Another thread takes the calls that wait. */
static void instance_thread_ended(void *arg)
{
	struct mt_call *c = arg;
	struct mt_instance *i = c->instance;

	instance_thread_fail_ended(c);
	pthread_detach(pthread_self());
	pthread_mutex_lock(&worker.lock);
	i->running = pthread_create(&i->thread, NULL, instance_thread, i) == 0;
	pthread_mutex_unlock(&worker.lock);
}

void *instance_thread(void *arg)
{
	struct mt_instance *i = arg;
	struct mt_call *c;

	while ((c = next_call(i))) {
		pthread_cleanup_push(instance_thread_ended, c);
		if (c->listing)
			instance_thread_list_tools(c);
		else
			instance_thread_run_call(c);
		pthread_cleanup_pop(0);
	}
	if (i->open && i->set->close)
		i->set->close(&tool_host, i, i->self);
	return NULL;
}
