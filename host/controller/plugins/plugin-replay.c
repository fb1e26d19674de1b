/* SPDX-License-Identifier: MIT
 *
 * plugin-replay.c - executes the requests of a plugin in a forked copy: calls the
 * functions of the host as the plugin called those of its copy. */
#include "controller/plugins/plugin-replay.h"

#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/plugins/analyzer-out.h"
#include "controller/plugins/plugin-host.h"
#include "controller/plugins/plugin-http.h"

#include <mortise/condenser.h>

#include <string.h>

typedef int replay_fn(struct mt_ctx *x, const struct journal_entry *e, void *arg);

static int replay_request(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)e, (void)arg;
	return plugin_host()->request(x) ? MT_OK : out_of_memory(&x->error);
}

static int replay_history(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)e, (void)arg;
	return plugin_host()->request_history(plugin_ctx_request(x));
}

static int replay_request_message(struct mt_ctx *x, const struct journal_entry *e,
				  void *arg)
{
	(void)arg;
	if (!plugin_role_is_known(e->a))
		return fail(&x->error, MT_EINVAL, "unknown message role");
	return plugin_host()->request_message(plugin_ctx_request(x), (int)e->a,
					      e->text[0]);
}

static int replay_tool(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_host()->request_tool(plugin_ctx_request(x), e->text[0].ptr);
}

static int replay_set(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_host()->request_set(plugin_ctx_request(x), e->text[0].ptr,
					  e->text[1]);
}

static int replay_define_tool(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_host()->request_define_tool(plugin_ctx_request(x), e->text[0].ptr,
						  e->text[1], e->text[2]);
}

static int replay_media(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	struct mt_event event = { .log = x->c->log, .id = e->a };
	int r;

	(void)arg;
	if (!evlog_head(x->c->log, e->a))
		return MT_OK; /* an event that cannot be read has no images either */
	r = plugin_host()->request_media(plugin_ctx_request(x), &event);
	event_unref(event.event);
	return r;
}

static int replay_send(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)e, (void)arg;
	return plugin_host()->send(x, plugin_ctx_request(x));
}

static int replay_http(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	json_object *params = js_parse_object(e->text[0].ptr, e->text[0].len, &x->error);

	(void)arg;
	if (!params)
		return x->error.code;
	if (e->text[1].ptr)
		js_set_bytes(params, "body", e->text[1].ptr, e->text[1].len);
	return plugin_http_set(x, params);
}

static int replay_keep(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_host()->keep(x, e->text[0]);
}

/* `arg` gets the text, borrowed until the work ends. */
static int replay_system(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	struct mt_str *ret = arg;
	const char *text = plugin_hold_text(x, strndup(e->text[0].ptr, e->text[0].len));

	if (!text)
		return out_of_memory(&x->error);
	*ret = (struct mt_str){ text, e->text[0].len };
	return MT_OK;
}

static int replay_call(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return e->a < 0 ? MT_EINVAL : plugin_agent_out()->call(x, (size_t)e->a);
}

static int replay_action(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_agent_out()->action(x, e->text[0].ptr, e->text[1]);
}

static int replay_message(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_agent_out()->message(x, e->text[0], e->a != 0);
}

static int plugin_replay_report(struct mt_ctx *x, const struct journal_entry *e,
				void *arg)
{
	(void)arg;
	return plugin_agent_out()->report_error(x, e->text[0]);
}

static int replay_drop(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_condenser_out()->drop(x, (size_t)e->a, (size_t)e->b);
}

static int replay_mask(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_condenser_out()->mask(x, (size_t)e->a, e->text[0]);
}

static int replay_forget(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	size_t count = e->text[0].len / sizeof(size_t);
	AUTO(free) size_t *places = malloc(e->text[0].len + 1);

	(void)arg;
	if (!places)
		return out_of_memory(&x->error);
	memcpy(places, e->text[0].ptr, count * sizeof *places);
	return plugin_condenser_out()->forget(x, places, count, e->text[1], (size_t)e->a);
}

static int replay_verdict(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_analyzer_out()->verdict(x, (int)e->a, e->b != 0, e->text[0],
					      e->text[1]);
}

static int replay_rule(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_analyzer_out()->rule(x, (int)e->a, e->b != 0, e->text[0].ptr,
					   e->text[1].ptr, e->text[2].ptr);
}

/* For each type: its function, the required number of texts, and whether it needs a
 * request. */
static const struct {
	replay_fn *replay;
	unsigned texts;
	bool request;
} replays[JOURNAL_TYPES] = {
	[JOURNAL_LOG] = { NULL, 1, false },
	[JOURNAL_PROMPT] = { NULL, 2, false },
	[JOURNAL_BLOB] = { NULL, 1, false },
	[JOURNAL_TOKENS] = { NULL, 1, false },
	[JOURNAL_END] = { NULL, 1, false },
	[JOURNAL_REQUEST] = { replay_request, 0, false },
	[JOURNAL_HISTORY] = { replay_history, 0, true },
	[JOURNAL_REQUEST_MESSAGE] = { replay_request_message, 1, true },
	[JOURNAL_TOOL] = { replay_tool, 0, true },
	[JOURNAL_SET] = { replay_set, 2, true },
	[JOURNAL_DEFINE_TOOL] = { replay_define_tool, 3, true },
	[JOURNAL_MEDIA] = { replay_media, 0, true },
	[JOURNAL_SEND] = { replay_send, 0, true },
	[JOURNAL_HTTP] = { replay_http, 1, false },
	[JOURNAL_KEEP] = { replay_keep, 1, false },
	[JOURNAL_SYSTEM] = { replay_system, 1, false },
	[JOURNAL_CALL] = { replay_call, 0, false },
	[JOURNAL_ACTION] = { replay_action, 2, false },
	[JOURNAL_MESSAGE] = { replay_message, 1, false },
	[JOURNAL_REPORT] = { plugin_replay_report, 1, false },
	[JOURNAL_DROP] = { replay_drop, 0, false },
	[JOURNAL_MASK] = { replay_mask, 1, false },
	[JOURNAL_FORGET] = { replay_forget, 2, false },
	[JOURNAL_VERDICT] = { replay_verdict, 2, false },
	[JOURNAL_RULE] = { replay_rule, 3, false },
};

bool plugin_replay_is_complete(const struct journal_entry *e)
{
	for (unsigned i = 0; i < replays[e->type].texts; i++)
		if (!e->text[i].ptr)
			return false;
	return true;
}

int plugin_replay(struct mt_ctx *x, const char *function, const struct strbuf *journal,
		  void *arg)
{
	struct journal_entry e;
	int r = MT_OK;

	for (size_t at = 0; r >= 0 && at < journal->len;) {
		at += (size_t)journal_get(journal->text + at, journal->len - at, &e);
		if (replays[e.type].request && !x->request)
			r = fail(&x->error, MT_EINVAL,
				 "%s has no request to modify in %s",
				 x->part->component->path, function);
		else
			r = replays[e.type].replay(x, &e, arg);
	}
	return r < 0 ? r : MT_OK;
}
