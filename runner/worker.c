/* SPDX-License-Identifier: MIT
 *
 * worker.c - the first thread of a worker: reads frames, passes calls to the threads of
 * their instances, and delivers cancels, input and answers. */
#include "worker.h"
#include "process-tree.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct worker worker = {
	.out = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.load = PTHREAD_MUTEX_INITIALIZER,
};

int worker_send(const struct frame *f, int flags)
{
	int status;

	/* A sender that must not block does not wait for other senders either. */
	if (flags & MSG_DONTWAIT) {
		if (pthread_mutex_trylock(&worker.out))
			return MT_ELIMIT;
	} else {
		pthread_mutex_lock(&worker.out);
	}
	status = frame_send(worker.fd, f, flags);
	pthread_mutex_unlock(&worker.out);
	/* The plugin closed it, or the supervisor died: there is no receiver. */
	if (status == MT_EIO)
		_exit(WORKER_LOST);
	return status;
}

int worker_plugin_status(int status)
{
	return status <= MT_OK && status >= MT_EEXIST ? status : MT_EINVAL;
}

static void give(struct mt_instance *i, struct mt_call *c)
{
	pthread_mutex_lock(&worker.lock);
	c->all = worker.calls;
	worker.calls = c;
	*i->queue_end = c;
	i->queue_end = &c->next;
	if (!i->running)
		i->running = pthread_create(&i->thread, NULL, instance_thread, i) == 0;
	pthread_cond_broadcast(&i->wake);
	pthread_mutex_unlock(&worker.lock);
}

static void take_call(const struct frame *f)
{
	const char *why = status_name(MT_ENOMEM);
	struct frame done = { .type = FRAME_DONE, .id = f->id, .status = MT_ENOMEM,
			      .data = why, .len = strlen(why) };
	struct mt_instance *i;
	struct mt_call *c;

	if (f->status < 0 || (size_t)f->status >= worker.spec->instance_count)
		return;
	i = &worker.instances[f->status];
	c = instance_call_new(i, f);
	if (c)
		give(i, c);
	else
		worker_send(&done, 0);
}

/* Find a call and prevent it from ending until call_leave. */
static struct mt_call *call_enter(uint64_t id)
{
	struct mt_call *c;

	pthread_mutex_lock(&worker.lock);
	for (c = worker.calls; c && c->id != id; c = c->all)
		;
	if (c) {
		pthread_mutex_lock(&c->lock);
		c->users++;
		pthread_mutex_unlock(&c->lock);
	}
	pthread_mutex_unlock(&worker.lock);
	return c;
}

static void call_leave(struct mt_call *c)
{
	pthread_mutex_lock(&c->lock);
	c->users--;
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
}

static void take_cancel(struct mt_call *c)
{
	const struct mt_toolset *set;
	bool running;

	pthread_mutex_lock(&c->lock);
	running = c->running;
	atomic_store(&c->cancelled, true);
	if (c->cancel_fd >= 0)
		eventfd_write(c->cancel_fd, 1);
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
	set = c->instance->set;
	if (running && !c->listing && set->cancel)
		set->cancel(&tool_host, c->instance->self, c);
}

static void worker_take_input(struct mt_call *c, const struct frame *f)
{
	const struct mt_toolset *set = c->instance->set;
	const struct mt_input input = { .size = sizeof input, .kind = MT_INPUT_BYTES,
					.bytes = { f->data, f->len } };
	bool running;

	pthread_mutex_lock(&c->lock);
	running = c->running;
	pthread_mutex_unlock(&c->lock);
	if (running && !c->listing && f->len && set->input)
		set->input(&tool_host, c->instance->self, c, &input);
}

static _Noreturn void take_close(void)
{
	for (size_t n = 0; n < worker.spec->instance_count; n++) {
		struct mt_instance *i = &worker.instances[n];

		pthread_mutex_lock(&worker.lock);
		i->closing = true;
		pthread_cond_broadcast(&i->wake);
		pthread_mutex_unlock(&worker.lock);
		if (i->running)
			pthread_join(i->thread, NULL);
	}
	_exit(0);
}

static void worker_take(const struct frame *f)
{
	struct mt_call *c;

	if (f->type == FRAME_CALL || f->type == FRAME_LIST) {
		take_call(f);
		return;
	}
	if (f->type == FRAME_CLOSE)
		take_close();
	c = call_enter(f->id);
	if (!c)
		return;
	if (f->type == FRAME_CANCEL)
		take_cancel(c);
	else if (f->type == FRAME_INPUT)
		worker_take_input(c, f);
	else if (f->type == FRAME_ANSWER)
		host_request_answer(c, f);
	call_leave(c);
}

static _Noreturn void worker_loop(void)
{
	static char buffer[FRAME_BUFFER];
	struct strbuf parts = STRBUF(FRAME_WHOLE_MAX);

	for (;;) {
		struct pollfd p[2] = { { .fd = worker.fd, .events = POLLIN },
				       { .fd = worker.wake_fd, .events = POLLIN } };
		eventfd_t ignored;
		struct frame f;
		ssize_t len;

		if (poll(p, 2, output_stream_flush()) < 0)
			continue;
		if (p[1].revents)
			eventfd_read(worker.wake_fd, &ignored);
		if (!p[0].revents)
			continue;
		len = recv(worker.fd, buffer, sizeof buffer, 0);
		if (len < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (len <= 0 || frame_decode(buffer, (size_t)len, &f))
			_exit(WORKER_LOST);
		if (frame_join(&parts, &f) == 1) {
			worker_take(&f);
			explicit_bzero(buffer, (size_t)len);
			if (parts.len)
				strbuf_clear(&parts);
		}
	}
}

_Noreturn void worker_run(const struct spec *spec, const char *plugin, int fd)
{
	pthread_condattr_t monotonic;

	/* Two arenas are enough: calls rarely run concurrently, and the memory of an
	 * arena is never returned. */
	mallopt(M_ARENA_MAX, 2);
	setvbuf(stdout, NULL, _IOLBF, 0);
	worker.pid = getpid();
	worker.fd = fd;
	worker.spec = spec;
	worker.plugin_path = plugin;
	worker.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (size_t n = 0; n < spec->environment_count; n++)
		if (setenv(spec->environment[n].key, spec->environment[n].value, 1))
			_exit(1);
	worker.instances = calloc(spec->instance_count + 1, sizeof *worker.instances);
	if (!worker.instances || worker.wake_fd < 0)
		_exit(1);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	for (size_t n = 0; n < spec->instance_count; n++) {
		struct mt_instance *i = &worker.instances[n];

		i->spec = &spec->instances[n];
		i->number = (int)n;
		i->queue_end = &i->queue;
		pthread_cond_init(&i->wake, &monotonic);
	}
	worker_loop();
}
