/* SPDX-License-Identifier: MIT
 *
 * kit.h - a link to a real runner, and functions that wait for its results. */
#ifndef TESTS_RUNNER_KIT_H
#define TESTS_RUNNER_KIT_H

#include "strbuf.h"
#include "tap.h"
#include "runner-client/runner-connection.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000, KIT_CALLS = 256 };

struct outcome {
	bool done, crashed, spool_full, cut;
	int times, status, signal;
	char *text, *error, *fields, *spool;
	size_t text_len, media_count, media_len;
	unsigned media_sum;
	char mime[64];
};

struct kit {
	uv_loop_t loop;
	uv_timer_t patience;
	struct runner *link;
	bool ready, closed, late;
	struct error why;
	struct outcome calls[KIT_CALLS];
	struct strbuf output, logs;
	int progress;
	char progress_message[64];
	char *tools;
	int tools_count;
	/* results of requests */
	char asked[128];
	uint64_t asking, askings[16]; /* the last one; all of them */
	unsigned asking_count;
	int answer_status;
	const char *answer;
};

static inline const char *builddir(void)
{
	const char *dir = getenv("top_builddir");

	return dir ? dir : ".";
}

static inline const char *plugin_path(const char *name)
{
	static char paths[16][1024];
	static unsigned next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof paths[0], "%s/tests/plugins/%s", builddir(), name);
	return path;
}

/* ---- callbacks of the link ---- */

static inline void kit_ready(void *arg)
{
	((struct kit *)arg)->ready = true;
}

static inline void kit_output(void *arg, uint64_t call, const char *bytes, size_t len)
{
	struct kit *k = arg;

	(void)call;
	if (k->output.len < 1 << 16)
		strbuf_addn(&k->output, bytes, len);
}

static inline void kit_progress(void *arg, uint64_t call, double done, double total,
				const char *message)
{
	struct kit *k = arg;

	(void)call, (void)done, (void)total;
	k->progress++;
	snprintf(k->progress_message, sizeof k->progress_message, "%s",
		 message ? message : "");
}

static inline void outcome_clear(struct outcome *o)
{
	free(o->text);
	free(o->error);
	free(o->fields);
	free(o->spool);
	*o = (struct outcome){ 0 };
}

static inline void kit_result(void *arg, const struct runner_result *r)
{
	struct kit *k = arg;
	struct outcome *o = &k->calls[r->call % KIT_CALLS];
	int times = o->times;

	outcome_clear(o);
	*o = (struct outcome){ .done = true, .times = times + 1, .crashed = r->crashed,
			       .status = r->status, .signal = r->signal,
			       .spool_full = r->spool_full, .cut = r->cut,
			       .text_len = r->text_len, .media_count = r->media_count };
	o->text = strndup(r->text, r->text_len);
	o->error = strdup(r->error ? r->error : "");
	o->fields = r->fields ? strdup(json_object_to_json_string(r->fields)) : NULL;
	o->spool = r->spool ? strdup(r->spool) : NULL;
	for (size_t n = 0; n < r->media_count; n++) {
		const unsigned char *p = r->media[n].bytes;

		o->media_len += r->media[n].len;
		snprintf(o->mime, sizeof o->mime, "%s", r->media[n].mime);
		for (size_t i = 0; i < r->media[n].len; i++)
			o->media_sum = o->media_sum * 31 + p[i];
	}
}

static inline void kit_request(void *arg, uint64_t call, uint64_t request,
			       const char *method, json_object *params)
{
	struct kit *k = arg;

	(void)call;
	snprintf(k->asked, sizeof k->asked, "%s %s", method,
		 json_object_to_json_string_ext(params, JSON_C_TO_STRING_PLAIN));
	k->asking = k->askings[k->asking_count++ % 16] = request;
	if (k->answer)
		runner_answer(k->link, request, k->answer_status, k->answer,
			      strlen(k->answer));
}

static inline void kit_tools(void *arg, const char *instance, json_object *tools,
			     const char *why)
{
	struct kit *k = arg;

	if (why)
		strbuf_addf(&k->logs, "%s: %s\n", instance, why);
	free(k->tools);
	k->tools = strdup(json_object_to_json_string_ext(tools, JSON_C_TO_STRING_PLAIN));
	k->tools_count++;
}

static inline void kit_log(void *arg, int level, const char *instance, const char *text)
{
	struct kit *k = arg;

	(void)level;
	if (k->logs.len < 1 << 16)
		strbuf_addf(&k->logs, "%s: %s\n", instance, text);
}

static inline void kit_closed(void *arg, const struct error *why)
{
	struct kit *k = arg;

	k->closed = true;
	k->why = *why;
	k->link = NULL;
}

static const struct runner_events kit_events = {
	.ready = kit_ready, .output = kit_output, .progress = kit_progress,
	.result = kit_result, .request = kit_request, .tools = kit_tools,
	.log = kit_log, .closed = kit_closed,
};

/* ---- waiting ---- */

static inline void kit_late(uv_timer_t *t)
{
	((struct kit *)t->data)->late = true;
}

/* Run the loop until the condition holds; a generous deadline ends a test that
 * would never end. */
#define KIT_UNTIL(k, condition)                                                \
	do {                                                                   \
		(k)->late = false;                                             \
		uv_timer_start(&(k)->patience, kit_late, PATIENCE_MS, 0);      \
		while (!(condition) && !(k)->late)                             \
			uv_run(&(k)->loop, UV_RUN_ONCE);                       \
		uv_timer_stop(&(k)->patience);                                 \
		if ((k)->late)                                                 \
			printf("# waited too long for %s\n", #condition);      \
	} while (0)

static inline void kit_init(struct kit *k)
{
	*k = (struct kit){ .output = STRBUF(1 << 20), .logs = STRBUF(1 << 20) };
	uv_loop_init(&k->loop);
	uv_timer_init(&k->loop, &k->patience);
	k->patience.data = k;
}

static inline void kit_done(struct kit *k)
{
	if (k->link) {
		runner_close(k->link);
		KIT_UNTIL(k, k->closed);
	}
	uv_close((uv_handle_t *)&k->patience, NULL);
	uv_run(&k->loop, UV_RUN_DEFAULT);
	uv_loop_close(&k->loop);
	for (int n = 0; n < KIT_CALLS; n++)
		outcome_clear(&k->calls[n]);
	strbuf_clear(&k->output);
	strbuf_clear(&k->logs);
	free(k->tools);
}

static inline const struct outcome *kit_start(struct kit *k, uint64_t id,
					      const char *instance, const char *tool,
					      const char *args, int64_t timeout_ms)
{
	struct error err = ERROR_NONE;

	outcome_clear(&k->calls[id]);
	if (!k->link || runner_call(k->link, id, instance, tool, args, strlen(args),
				    timeout_ms, &err))
		printf("# call %d: %s\n", (int)id, err.text);
	return &k->calls[id];
}

static inline const struct outcome *kit_call(struct kit *k, const char *instance,
					     const char *tool, const char *args)
{
	static uint64_t id;
	const struct outcome *o;

	id = (id + 1) % KIT_CALLS;
	o = kit_start(k, id, instance, tool, args, 0);
	KIT_UNTIL(k, o->done || k->closed);
	return o;
}

/* ---- a runner with the plugins of these tests ---- */

static char kit_mark[64]; /* NAME=value in the environment of all it starts */

static inline char *kit_runner(void)
{
	static char path[1024];

	snprintf(path, sizeof path, "%s/mortise-runner", builddir());
	return path;
}

static inline char *kit_dir(const char *name)
{
	static char paths[4][1024];
	static unsigned next;
	char *path = paths[next++ % 4];
	const char *home = getenv("HOME");

	snprintf(path, sizeof paths[0], "%s/%s-%d", home ? home : "/tmp", name,
		 (int)getpid());
	return path;
}

static inline char *const *kit_env(void)
{
	static char home[1100], tmp[1100], asan[512], ubsan[512];
	static char *env[8];
	char **e = env;

	if (!*kit_mark)
		snprintf(kit_mark, sizeof kit_mark, "MORTISE_TEST_MARK=%d",
			 (int)getpid());
	snprintf(home, sizeof home, "HOME=%s", getenv("HOME") ? getenv("HOME") : "/tmp");
	snprintf(tmp, sizeof tmp, "TMPDIR=%s", getenv("HOME") ? getenv("HOME") : "/tmp");
	*e++ = (char *)"PATH=/usr/bin:/bin";
	*e++ = home;
	*e++ = tmp;
	*e++ = kit_mark;
	if (getenv("ASAN_OPTIONS")) {
		/* An intended crash must look like a crash. */
		snprintf(asan, sizeof asan, "ASAN_OPTIONS=%s:handle_segv=0",
			 getenv("ASAN_OPTIONS"));
		*e++ = asan;
	}
	if (getenv("UBSAN_OPTIONS")) {
		snprintf(ubsan, sizeof ubsan, "UBSAN_OPTIONS=%s",
			 getenv("UBSAN_OPTIONS"));
		*e++ = ubsan;
	}
	*e = NULL;
	return env;
}

static inline struct runner_instance *kit_instances(size_t *ret_count)
{
	static const char *const secrets[] = { "TOKEN", NULL };
	static const char *const plain[] = { "many", "functions" };
	static const char *const refused[] = { "newer-abi", "wrong-size", "no-symbol",
					       "needs-more", "no-toolset", "open-crash" };
	static struct runner_instance list[16];
	size_t n = 0;

	list[n++] = (struct runner_instance){ .name = "bad", .component = "bad",
		.plugin = plugin_path("bad.so"), .secrets = secrets };
	for (size_t i = 0; i < 2; i++) {
		char file[64];

		snprintf(file, sizeof file, "%s.so", plain[i]);
		list[n++] = (struct runner_instance){ .name = plain[i],
						    .component = plain[i],
						    .plugin = plugin_path(file) };
	}
	for (size_t i = 0; i < 6; i++) {
		char file[64];

		snprintf(file, sizeof file, "%s.so", refused[i]);
		list[n++] = (struct runner_instance){ .name = refused[i],
			.component = "refused", .plugin = plugin_path(file) };
	}
	*ret_count = n;
	return list;
}

static inline void kit_spec(struct runner_spec *spec)
{
	static char *argv[2];

	argv[0] = kit_runner();
	*spec = (struct runner_spec){ .argv = argv, .env = kit_env(), .workspace = "/tmp",
				    .spool_dir = kit_dir("spool"), .conversation = "c1",
				    .stderr_fd = STDERR_FILENO, .grace_ms = 300 };
	spec->instances = kit_instances(&spec->instance_count);
}

static inline bool kit_open_spec(struct kit *k, const struct runner_spec *spec)
{
	struct error err = ERROR_NONE;

	signal(SIGPIPE, SIG_IGN); /* as the host does */
	kit_init(k);
	if (runner_open(&k->loop, spec, &kit_events, k, &k->link, &err)) {
		printf("# %s\n", err.text);
		return false;
	}
	return true;
}

static inline bool kit_open(struct kit *k)
{
	struct runner_spec spec;

	kit_spec(&spec);
	return kit_open_spec(k, &spec);
}

/* How many processes, but this one, have the mark in their environment. */
static inline int kit_left(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	int count = 0;

	while (proc && (d = readdir(proc))) {
		char path[300], text[8192];
		ssize_t len = -1;
		int fd;

		if (!isdigit((unsigned char)d->d_name[0]) || atol(d->d_name) == getpid())
			continue;
		snprintf(path, sizeof path, "/proc/%s/environ", d->d_name);
		fd = open(path, O_RDONLY);
		if (fd >= 0) {
			len = read(fd, text, sizeof text);
			close(fd);
		}
		if (len > 0 && memmem(text, (size_t)len, kit_mark, strlen(kit_mark) + 1))
			count++;
	}
	if (proc)
		closedir(proc);
	return count;
}

/* Wait until no process with the mark is left. */
static inline bool kit_all_gone(void)
{
	for (int n = 0; n < PATIENCE_MS / 20; n++) {
		if (kit_left() == 0)
			return true;
		usleep(20000);
	}
	return false;
}

static inline bool kit_wait_file(const char *path)
{
	for (int n = 0; n < PATIENCE_MS / 10; n++) {
		if (access(path, F_OK) == 0)
			return true;
		usleep(10000);
	}
	return false;
}

#endif
