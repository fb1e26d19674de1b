/* SPDX-License-Identifier: MIT
 *
 * spool.c - the file that stores the whole output of a call, up to a limit. */
#include "files.h"
#include "tool-host.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

static int runner_spool_create(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Called with c->lock held. */
static bool open_spool(struct mt_call *c)
{
	if (c->spool_fd >= 0)
		return true;
	if (!*c->spool_name)
		return false;
	c->spool_fd = runner_spool_create(c->spool_name);
	if (c->spool_fd < 0 && errno == ENOENT &&
	    dir_make(worker.spec->spool_dir, NULL) == MT_OK)
		c->spool_fd = runner_spool_create(c->spool_name);
	return c->spool_fd >= 0;
}

enum {
	SHOWN_MAX = 30000,      /* bytes of a result that is shown in full */
	KEPT_MAX = 16 << 20,    /* bytes of a text that the tool does not spool itself */
	NOTE_MAX = 4352,
	CANCEL_SECONDS = 2,
};

static int runner_spool_put(struct mt_call *c, const char *bytes, size_t len,
			    int64_t most)
{
	int64_t left;
	int status = MT_EIO;
	size_t n;

	pthread_mutex_lock(&c->lock);
	left = most > c->spool_len ? most - c->spool_len : 0;
	n = (uint64_t)left < len ? (size_t)left : len;
	if (open_spool(c) && (n == 0 || file_write_all(c->spool_fd, bytes, n) == MT_OK)) {
		c->spool_len += (int64_t)n;
		c->spool_full |= n < len;
		status = n < len ? MT_ELIMIT : MT_OK;
	}
	pthread_mutex_unlock(&c->lock);
	return status;
}

static int64_t most_kept(void)
{
	int64_t most = worker.spec->limits.spool_max;

	return most < KEPT_MAX ? most : KEPT_MAX;
}

void spool_keep(struct mt_call *c, const char *more, size_t len)
{
	if (c->spool_own || !*c->spool_name)
		return;
	if (!c->spool_kept)
		runner_spool_put(c, c->text.text, c->text.len, most_kept());
	c->spool_kept = true;
	runner_spool_put(c, more, len, most_kept());
}

void spool_set_name(struct mt_call *c)
{
	char note[NOTE_MAX];
	int len;

	if (c->listing || (c->text.len <= SHOWN_MAX && !c->spool_kept))
		return;
	if (!c->spool_kept)
		spool_keep(c, "", 0);
	if (!c->spool_kept || c->spool_fd < 0)
		return;
	len = snprintf(note, sizeof note, "\n[The output is long; %s is in %s]",
		       c->spool_full ? "its beginning" : "all of it", c->spool_name);
	if (len < 0 || (size_t)len >= sizeof note || (size_t)len >= c->text.max)
		return;
	if (c->text.len + (size_t)len >= c->text.max)
		strbuf_cut(&c->text, utf8_cut(c->text.text, c->text.len,
					      c->text.max - 1 - (size_t)len));
	strbuf_addn(&c->text, note, (size_t)len);
}

/* Waits, for a while, until the supervisor has cancelled the call: a tool that does not
 * read cannot be flooded. */
static void await_cancel(struct mt_call *c)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += CANCEL_SECONDS;
	pthread_mutex_lock(&c->lock);
	while (!atomic_load(&c->cancelled) &&
	       pthread_cond_clockwait(&c->wake, &c->lock, CLOCK_MONOTONIC, &end) == 0)
		;
	pthread_mutex_unlock(&c->lock);
}

/* Counts output, and reports once that it is more than it may be. */
static void count_output(struct mt_call *c, size_t len)
{
	const struct frame f = { .type = FRAME_LIMIT, .id = c->id };
	int64_t most = worker.spec->limits.output_max;
	bool over;

	pthread_mutex_lock(&c->lock);
	over = most && c->output_len <= most && c->output_len + (int64_t)len > most;
	c->output_len += (int64_t)len;
	pthread_mutex_unlock(&c->lock);
	if (over && worker_send(&f, 0) == MT_OK)
		await_cancel(c);
}

int spool_write(struct mt_call *c, const char *bytes, size_t len)
{
	pthread_mutex_lock(&c->lock);
	c->spool_own = true;
	pthread_mutex_unlock(&c->lock);
	count_output(c, len);
	return runner_spool_put(c, bytes, len, worker.spec->limits.spool_max);
}

const char *spool_path(struct mt_call *c)
{
	bool there;

	pthread_mutex_lock(&c->lock);
	c->spool_own = true;
	there = open_spool(c);
	pthread_mutex_unlock(&c->lock);
	return there ? c->spool_name : "";
}
