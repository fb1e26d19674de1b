/* SPDX-License-Identifier: MIT
 *
 * moved.c - follows commands that were moved to the background. */
#include "moved.h"
#include "files.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { NOTICE_MAX = 8192 };

struct moved {
	struct run *run;
	char *files;   /* path without its suffix */
	char *notice;
	pthread_t thread;
	bool follows;  /* the thread exists */
	int wake_fd;   /* readable: the thread should exit */
	atomic_bool ended;
};

static int moved_write(const struct moved *m, const char *ending, const char *text)
{
	AUTO(free) char *path = NULL;

	if (asprintf(&path, "%s.%s", m->files, ending) < 0) {
		path = NULL;
		return MT_ENOMEM;
	}
	return file_write(path, text, strlen(text), 0600, false, NULL);
}

static void write_end(struct moved *m, bool reported, int code)
{
	AUTO(strbuf) struct strbuf notice = STRBUF(NOTICE_MAX);
	char number[16];

	snprintf(number, sizeof number, "%d", code);
	strbuf_addf(&notice, "%s%d; its output is in %s.log]\n", m->notice, code,
		    m->files);
	if (!reported && !notice.error)
		moved_write(m, "notice", notice.text);
	moved_write(m, "exit", number);
	m->ended = true;
}

static void *moved_follow(void *arg)
{
	struct moved *m = arg;
	int code;

	if (run_drain(m->run, m->wake_fd, &code))
		write_end(m, false, code);
	return NULL;
}

static void start_thread(struct moved *m)
{
	eventfd_t ignored;

	eventfd_read(m->wake_fd, &ignored);
	m->follows = pthread_create(&m->thread, NULL, moved_follow, m) == 0;
}

static void end_thread(struct moved *m)
{
	if (!m->follows)
		return;
	eventfd_write(m->wake_fd, 1);
	pthread_join(m->thread, NULL);
	m->follows = false;
}

static void moved_clear(struct moved *m)
{
	auto_close(&m->wake_fd);
	free(m->files);
	free(m->notice);
	free(m);
}

struct moved *moved_new(struct run *run, const char *files, const char *notice)
{
	struct moved *m = calloc(1, sizeof *m);
	AUTO(free) char *path = NULL;
	int log = -1;

	if (!m)
		return NULL;
	m->run = run;
	m->files = strdup(files);
	m->notice = strdup(notice);
	m->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (asprintf(&path, "%s.log", files) < 0)
		path = NULL;
	if (path && m->files && m->notice && m->wake_fd >= 0)
		log = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (log < 0) {
		moved_clear(m);
		return NULL;
	}
	run_log(run, log);
	start_thread(m);
	return m;
}

struct moved *moved_free(struct moved *m)
{
	if (!m)
		return NULL;
	end_thread(m);
	run_free(m->run);
	moved_clear(m);
	return NULL;
}

struct run *moved_take(struct moved *m)
{
	end_thread(m);
	return m->run;
}

void moved_continue(struct moved *m, bool ended, int code)
{
	if (!ended && !m->ended)
		start_thread(m);
	else if (!m->ended)
		write_end(m, true, code);
}

void moved_stop(struct moved *m)
{
	end_thread(m);
	if (!m->ended)
		write_end(m, true, run_kill(m->run));
}

bool moved_has_ended(struct moved *m)
{
	return m->ended;
}
