/* SPDX-License-Identifier: MIT
 *
 * open.c - creates and opens a conversation, and frees it. */
#include "conversation/open.h"

#include "controller/agents.h"
#include "controller/features.h"
#include "controller/overlay.h"
#include "controller/plugins/model-request.h"
#include "controller/plugins/plugin-http.h"
#include "controller/runner-events.h"
#include "controller/turn.h"
#include "controller/watchers.h"
#include "conversation/agent-spec.h"
#include "conversation/meta.h"
#include "conversation/named-models.h"
#include "conversation/offered-tools.h"
#include "conversation/usage-checkpoint.h"
#include "conversation/wiring.h"
#include "files.h"
#include "log.h"
#include "tools/option-secrets.h"

#include <stdlib.h>
#include <string.h>

/* Save the sums of this process for the next one. */
static void keep_sums(struct conversation *c)
{
	struct usage_sums s;

	if (!c->models || !c->log || usage_sums_open(&s, c->inherited_replies))
		return;
	usage_sums_read(&s, c->log);
	usage_sums_close(&s);
}

static void open_release(struct conversation *c)
{
	turn_clear(c);
	request_cancel(c);
	plugin_http_release(c);
	FEATURES_TELL(release, c);
	keep_sums(c);
	wiring_close(c);
	evlog_close(c->log);
	log_set_mask(NULL);
	mask_stream_clear(&c->reply_masks[0]);
	mask_stream_clear(&c->reply_masks[1]);
	mask_stream_clear(&c->output_mask);
	mask_free(c->mask);
	registry_free(c->registry);
	config_free(c->sandbox_config);
	config_free(c->config);
	turn_plan_free(c);
	turn_free(c->turn);
	free(c->request);
	features_free(c);
	conversation_close_overlay(c);
	features_close_agent(c->agent);
	free(c->agent->state_text);
	free(c->agent);
	free(c->id);
	free(c->parent);
	free(c->group);
	free(c->dir);
	free(c->workspace);
	free(c->place);
	free(c->title);
	free(c);
}

struct conversation *conversation_allocate(uv_loop_t *loop,
					   const struct conversation_options *o)
{
	struct conversation *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->agent = calloc(1, sizeof *c->agent);
	c->mask = mask_new();
	c->turn = turn_new();
	c->request = request_new();
	if (!c->agent || !c->mask || !c->turn || !c->request || features_allocate(c)) {
		features_free(c);
		turn_free(c->turn);
		free(c->request);
		mask_free(c->mask);
		free(c->agent);
		free(c);
		return NULL;
	}
	c->loop = loop;
	c->release = open_release;
	c->runner_events = &runner_event_handlers;
	c->agent->delegation = -1;
	c->headless = o->headless;
	c->answers = o->answers;
	c->state = STATE_LOADING;
	mask_stream_init(&c->reply_masks[0], c->mask);
	mask_stream_init(&c->reply_masks[1], c->mask);
	mask_stream_init(&c->output_mask, c->mask);
	uv_prepare_init(loop, &c->handle);
	uv_unref((uv_handle_t *)&c->handle);
	c->handle.data = c;
	return c;
}

static void open_tell_damage(void *arg, const char *text)
{
	conversation_notice(arg, MT_LOG_WARNING, "%s", text);
}

/* A subagent that is resumed alone knows only its parent. */
static char *open_group(const struct conversation *c,
			const struct conversation_options *o)
{
	const char *above = o->group && *o->group ? o->group : c->parent;
	char *group = NULL;

	return asprintf(&group, "%s%s%s", above, *above ? "/" : "", c->id) < 0 ? NULL
									       : group;
}

int conversation_open(struct conversation *c, const struct conversation_options *o,
		      enum evlog_open mode, char **ret_report, struct error *err)
{
	struct evlog_options options = { .mask = c->mask,
					 .damaged = open_tell_damage,
					 .arg = c };
	int r = config_secrets(c->config, c->mask, err);

	if (!r)
		r = option_secrets_hide(c->config, c->registry, c->mask, err);
	log_set_mask(c->mask);
	options.sync = (enum evlog_sync)config_choice(c->config, "core", "sync");
	c->group = open_group(c, o);
	if (!r && !c->group)
		r = out_of_memory(err);
	if (!r)
		r = wiring_open(c, o, err);
	if (!r)
		r = features_open_agent(c, c->agent, err);
	if (!r)
		r = FEATURES_ASK(open, c, err);
	if (!r)
		r = evlog_open(c->dir, mode, &options, &c->log, ret_report, err);
	if (!r)
		r = conversation_open_overlay(c, o->overlay, err);
	if (!r)
		r = conversation_watch_log(c, err);
	return r ? r : agents_open_memory(c, err);
}

static void open_on_undone(uv_handle_t *handle)
{
	open_release(handle->data);
}

int conversation_undo(struct conversation *c, bool keep_config, int r)
{
	if (keep_config) {
		c->config = NULL;
		c->registry = NULL;
	}
	wiring_close(c);
	c->log = evlog_close(c->log);
	uv_close((uv_handle_t *)&c->handle, open_on_undone);
	return r;
}

/* Also remove its files on disk. */
static int create_failed(struct conversation *c, int r)
{
	if (c->log) {
		c->log = evlog_close(c->log);
		dir_remove(c->dir, NULL);
	} else if (c->dir) {
		rmdir(c->dir); /* if the directory is empty */
	}
	return conversation_undo(c, true, r);
}

/* The secrets are known only after the configuration is complete. */
static int hide_title(struct conversation *c, struct error *err)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 20);
	char *title = strdup(mask_text(c->mask, c->title, &shown));

	if (!title)
		return out_of_memory(err);
	free(c->title);
	c->title = title;
	return MT_OK;
}

int conversation_create(uv_loop_t *loop, struct config *config, struct registry *registry,
			const struct conversation_options *o, struct conversation **ret,
			struct error *err)
{
	struct conversation *c = conversation_allocate(loop, o);
	int r;

	if (!c)
		return out_of_memory(err);
	c->config = config;
	c->registry = registry;
	c->workspace = strdup(o->workspace);
	c->title = strdup(o->title ? o->title : "");
	c->id = o->id ? strdup(o->id) : meta_new_id();
	c->parent = strdup(o->parent ? o->parent : "");
	c->place = strdup(o->place ? o->place : "");
	c->depth = o->depth;
	if (!c->workspace || !c->title || !c->id || !c->parent || !c->place)
		return create_failed(c, out_of_memory(err));
	c->dir = conversation_dir(config, c->id, err);
	if (!c->dir)
		return create_failed(c, err->code);
	r = conversation_open(c, o, EVLOG_CREATE, NULL, err);
	if (!r)
		r = hide_title(c, err);
	if (!r)
		r = meta_write(c->dir, c->id, c->title, c->workspace,
			       agent_spec(c, o->controller), o, c->mask, err);
	if (!r)
		r = evlog_add_file(c->log, "meta.json", err);
	if (!r)
		r = offered_tools_log_system(c, err);
	if (!r)
		r = FEATURES_ASK(created, c, o, err);
	if (r)
		return create_failed(c, r);
	*ret = c;
	return MT_OK;
}
