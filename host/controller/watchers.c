/* SPDX-License-Identifier: MIT
 *
 * watchers.c - notifies the watchers of a conversation. */
#include "controller/watchers.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "events/step-policy.h"
#include "log.h"
#include "utf8.h"

#include <string.h>

void conversation_notice(struct conversation *c, int level, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4096), shown = STRBUF(1 << 16);
	const char *masked;
	va_list ap;

	va_start(ap, fmt);
	utf8_vaddf_cut(&text, fmt, ap);
	va_end(ap);
	log_line(MT_LOG_INFO, "conversation", "%s", text.text);
	/* not in the macro: NOTIFY_WATCHERS evaluates its arguments for each watcher */
	masked = mask_text(c->mask, text.text, &shown);
	if (c->loss_reported && strstr(masked, c->reason))
		return; /* caused by a failure that the error state reports */
	NOTIFY_WATCHERS(c, notice, level, masked);
}

int conversation_watch(struct conversation *c, const struct watcher *w, void *arg)
{
	for (int i = 0; i < WATCHERS_MAX; i++)
		if (!c->watchers[i].watcher) {
			c->watchers[i] = (struct watch){ w, arg };
			return i;
		}
	return MT_ELIMIT;
}

void conversation_unwatch(struct conversation *c, int handle)
{
	if (handle >= 0 && handle < WATCHERS_MAX)
		c->watchers[handle] = (struct watch){ 0 };
}

void conversation_publish(struct conversation *c, const char *topic, const void *data)
{
	NOTIFY_WATCHERS(c, published, topic, data);
}

static void on_append(struct evlog *log, const struct event *e, void *arg)
{
	struct conversation *c = arg;

	(void)log;
	c->step_requested |= step_policy_triggers(e, c->state);
	if (config_logs_events(c->config)) {
		AUTO(strbuf) struct strbuf line = STRBUF(16 << 20);

		event_write(e, &line);
		log_line(MT_LOG_INFO, "event", "%s", line.text);
	}
	NOTIFY_WATCHERS(c, event, e);
}

int conversation_watch_log(struct conversation *c, struct error *err)
{
	return evlog_subscribe(c->log, on_append, c) < 0 ? out_of_memory(err) : MT_OK;
}
