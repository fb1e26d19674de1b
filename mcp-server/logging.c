/* SPDX-License-Identifier: MIT
 *
 * logging.c - sends log lines of tools to the clients that asked for them. */
#include "internal.h"

#include <mortise/tool.h>
#include <string.h>

/* By severity, as in syslog. */
static const char *const levels[] = { "emergency", "alert",  "critical", "error",
				      "warning",   "notice", "info",     "debug" };

static int level_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strcmp(levels[i], name) == 0)
			return (int)i;
	return LOG_NOTHING;
}

void mcp_logging_set(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(4096);
	int level = level_named(js_str(q->params, "level", ""));

	if (level == LOG_NOTHING) {
		mcp_refuse_params(q, "invalid log level `%.80s`",
				  js_str(q->params, "level", ""));
		return;
	}
	if (!q->peer->known) {
		mcp_send_error(q->peer, q->id, RPC_INVALID,
			       "no session; send initialize first", NULL);
		return;
	}
	q->peer->known->log_level = level;
	mcp_begin_reply(&b, q->id, "result");
	mcp_send_result(q, &b, false);
}

int mcp_logging_level(const struct mcp_request *q)
{
	json_object *meta = js_get(q->params, "_meta");

	if (q->modern)
		return level_named(js_str(meta, META "logLevel", ""));
	return q->peer->known ? q->peer->known->log_level : LOG_NOTHING;
}

static void mcp_logging_send_line(struct mcp_client *p, int level, const char *instance,
				  const char *text)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 16);

	strbuf_add(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
		       "\"params\":{");
	js_key_str(&b, "level", levels[level]);
	js_key_str(&b, "logger", instance);
	js_key_str(&b, "data", text);
	strbuf_add(&b, "}}");
	if (!b.error)
		p->send(p, &b, false, 0);
}

void mcp_logging_send(struct mcp_server *s, int level, const char *instance,
		      const char *text)
{
	static const char *const names[] = { [MT_LOG_ERROR] = "error",
					     [MT_LOG_WARNING] = "warning",
					     [MT_LOG_INFO] = "info",
					     [MT_LOG_DEBUG] = "debug" };
	int severity = level >= MT_LOG_ERROR && level <= MT_LOG_DEBUG
			       ? level_named(names[level])
			       : level_named("debug");

	if (!s->web && s->session.log_level != LOG_NOTHING) {
		if (severity <= s->session.log_level)
			mcp_logging_send_line(&s->standard, severity, instance, text);
		return;
	}
	for (struct mcp_call *c = s->calls; c; c = c->next)
		if (c->peer && severity <= c->log_level &&
		    strcmp(s->catalog->instances[c->instance].name, instance) == 0)
			mcp_logging_send_line(c->peer, severity, instance, text);
}
