/* SPDX-License-Identifier: MIT
 *
 * output-stream.c - output of running calls: buffered briefly, sent when it is large
 * or old enough, dropped rather than delayed. */
#include "process-tree.h"
#include "clock.h"
#include "utf8.h"
#include "worker.h"
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* Called with c->lock held. An incomplete character is held until its rest arrives,
 * unless `all` is set. */
static void output_stream_send_live(struct mt_call *c, bool all)
{
	size_t keep = all ? 0 : utf8_tail(c->live.text, c->live.len);
	struct frame f = { .type = FRAME_OUTPUT, .id = c->id, .aux = c->live_dropped,
			   .data = c->live.text, .len = c->live.len - keep };

	c->live_waits = false;
	if (f.len == 0 && f.aux == 0)
		return;
	if (worker_send(&f, MSG_DONTWAIT) == MT_OK)
		c->live_dropped = 0;
	else
		c->live_dropped += f.len;
	c->live_sent = clock_ms();
	strbuf_consume(&c->live, f.len);
}

void output_stream_add(struct mt_call *c, const char *bytes, size_t len)
{
	pthread_mutex_lock(&c->lock);
	while (len) {
		size_t room = LIVE_PIECE - c->live.len;
		size_t n = len < room ? len : room;

		if (strbuf_addn(&c->live, bytes, n)) {
			strbuf_reset(&c->live);
			c->live_dropped += len;
			break;
		}
		bytes += n;
		len -= n;
		if (c->live.len == LIVE_PIECE || clock_ms() - c->live_sent >= LIVE_MS)
			output_stream_send_live(c, false);
	}
	if (c->live.len && !c->live_waits) {
		c->live_waits = true;
		eventfd_write(worker.wake_fd, 1);
	}
	pthread_mutex_unlock(&c->lock);
}

void output_stream_end(struct mt_call *c)
{
	pthread_mutex_lock(&c->lock);
	output_stream_send_live(c, true);
	pthread_mutex_unlock(&c->lock);
}

int output_stream_flush(void)
{
	int64_t next = -1;

	pthread_mutex_lock(&worker.lock);
	for (struct mt_call *c = worker.calls; c; c = c->all) {
		int64_t left;

		/* Its thread holds the lock: check again a little later. */
		if (pthread_mutex_trylock(&c->lock)) {
			next = next < 0 || next > LIVE_MS / 10 ? LIVE_MS / 10 : next;
			continue;
		}
		left = c->live_sent + LIVE_MS - clock_ms();
		if (c->live_waits && left <= 0)
			output_stream_send_live(c, false);
		else if (c->live_waits && (next < 0 || left < next))
			next = left;
		pthread_mutex_unlock(&c->lock);
	}
	pthread_mutex_unlock(&worker.lock);
	return (int)next;
}
