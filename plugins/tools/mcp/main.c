/* SPDX-License-Identifier: MIT
 *
 * main.c - the tool `mcp`: an instance represents a server and offers its tools. */
#include "elicit.h"
#include "clock.h"
#include "result.h"
#include "settings.h"
#include "tool-plugin.h"
#include <string.h>

enum { TRIES_MAX = 8 }; /* maximum automatic reconnects */

/* A call in progress. */
struct active {
	struct active *next;
	struct mt_call *call;
	struct mcp *mcp;
};

struct mcp {
	const struct mt_tool_host *host;
	struct mt_instance *instance;
	struct settings settings;
	struct client *client;
	char *token;               /* the last one used */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct offers offers;
	struct active *calls;
	bool list_cancelled, closing, keeping;
	pthread_t keeper;          /* requests a list after the delay */
	unsigned tries;
};

static void mcp_on_log(void *arg, int level, const char *text)
{
	struct mcp *m = arg;

	m->host->log(m->instance, level, "%s", text);
}

static void on_changed(void *arg)
{
	struct mcp *m = arg;

	m->host->changed(m->instance);
}

static char *own_token(struct mcp *m)
{
	const char *token = oauth_token(m->settings.client.login);

	return token ? strdup(token) : NULL;
}

/* Called by one thread at a time. */
static char *mcp_tool_authorize(void *arg, const char *challenge, struct error *err)
{
	struct mcp *m = arg;
	char *token;

	if (m->settings.by_itself)
		return challenge ? oauth_client_token(&m->settings.client, challenge, err)
				 : own_token(m);
	if (challenge && strstr(challenge, "insufficient_scope")) {
		token_store_keep_scope(&m->settings.login, challenge);
		fail(err, MT_EDENIED,
		     "the login lacks the required scope; run `mortise mcp login %s`",
		     m->settings.name);
		return NULL;
	}
	token = token_store_keep_token(&m->settings.login, challenge ? m->token : NULL,
				       err);
	if (token) {
		free(m->token);
		m->token = strdup(token);
	}
	return token;
}

/* ---- reconnecting --------------------------------------------------------- */

static void *keeper_thread(void *arg)
{
	struct mcp *m = arg;
	int64_t until = m->client->retry_at;
	struct timespec t = { .tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000 };
	bool tell;

	pthread_mutex_lock(&m->lock);
	while (!m->closing && clock_ms() < until)
		pthread_cond_timedwait(&m->wake, &m->lock, &t);
	tell = !m->closing;
	pthread_mutex_unlock(&m->lock);
	if (tell)
		m->host->changed(m->instance);
	return NULL;
}

/* Called only by the thread of the instance. */
static void join_keeper(struct mcp *m)
{
	if (m->keeping)
		pthread_join(m->keeper, NULL);
	m->keeping = false;
}

static void keep_trying(struct mcp *m)
{
	if (m->keeping || m->tries >= TRIES_MAX)
		return;
	m->tries++;
	m->keeping = pthread_create(&m->keeper, NULL, keeper_thread, m) == 0;
}

/* ---- open and close --------------------------------------------------------- */

static void mcp_close(const struct mt_tool_host *host, struct mt_instance *instance,
		      void *self)
{
	struct mcp *m = self;

	(void)host, (void)instance;
	pthread_mutex_lock(&m->lock);
	m->closing = true;
	pthread_cond_broadcast(&m->wake);
	pthread_mutex_unlock(&m->lock);
	join_keeper(m);
	client_free(m->client);
	tools_clear(&m->offers);
	settings_clear(&m->settings);
	free(m->token);
	pthread_mutex_destroy(&m->lock);
	pthread_cond_destroy(&m->wake);
	free(m);
}

/* Does not start the server: a slow server must not delay the others. */
static int mcp_open(const struct mt_tool_host *host, struct mt_instance *instance,
		    void **ret_self)
{
	struct error err = ERROR_NONE;
	struct mcp *m = calloc(1, sizeof *m);
	pthread_condattr_t monotonic;

	if (!m)
		return MT_ENOMEM;
	m->host = host;
	m->instance = instance;
	if (settings_read(host, instance, &m->settings, &err)) {
		host->log(instance, MT_LOG_ERROR, "%s", err.text);
		free(m);
		return err.code;
	}
	m->settings.config.arg = m;
	m->settings.config.log = mcp_on_log;
	m->settings.config.changed = on_changed;
	if (m->settings.login.file || m->settings.by_itself)
		m->settings.config.authorize = mcp_tool_authorize;
	m->client = client_new(&m->settings.config);
	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&m->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	*ret_self = m;
	if (m->client)
		return MT_OK;
	settings_clear(&m->settings);
	free(m);
	return MT_ENOMEM;
}

/* ---- list ----------------------------------------------------------------- */

static bool list_cancelled(void *arg)
{
	struct mcp *m = arg;
	bool cancelled;

	pthread_mutex_lock(&m->lock);
	cancelled = m->list_cancelled;
	pthread_mutex_unlock(&m->lock);
	return cancelled;
}

static int mcp_tool_add_all(const struct mt_tool_host *host, const struct offers *offers,
			    struct mt_listing *listing)
{
	int status = MT_OK;

	for (size_t i = 0; i < offers->count && status != MT_ENOMEM; i++) {
		const struct offer *f = &offers->list[i];
		const struct mt_tool tool = {
			.size = sizeof tool, .hints = f->hints, .name = f->name,
			.description = f->description, .schema = f->schema,
			.events = f->events };

		status = host->add_tool(listing, &tool);
	}
	return status == MT_ENOMEM ? status : MT_OK;
}

static int mcp_list(const struct mt_tool_host *host, struct mt_instance *instance,
		    void *self, struct mt_listing *listing)
{
	struct mcp *m = self;
	const struct waiter w = { .arg = m, .cancelled = list_cancelled };
	struct error err = ERROR_NONE;
	struct offers offers = { 0 }, old;
	int status;

	(void)instance;
	join_keeper(m);
	pthread_mutex_lock(&m->lock);
	m->list_cancelled = false;
	pthread_mutex_unlock(&m->lock);
	status = client_connect(m->client, &w, &err);
	if (!status)
		status = tools_fetch(m->client, &m->settings.offers, &w, &offers, &err);
	if (status) {
		m->host->log(m->instance, MT_LOG_WARNING, "%s", err.text);
		if (status != MT_ECANCELLED)
			keep_trying(m);
		return status;
	}
	m->tries = 0;
	status = mcp_tool_add_all(host, &offers, listing);
	pthread_mutex_lock(&m->lock);
	old = m->offers;
	m->offers = offers;
	pthread_mutex_unlock(&m->lock);
	tools_clear(&old);
	return status;
}

/* ---- call ----------------------------------------------------------------- */

static bool call_cancelled(void *arg)
{
	struct active *a = arg;

	return a->mcp->host->cancelled(a->call) != 0;
}

static void call_progress(void *arg, double done, double total, const char *message)
{
	struct active *a = arg;

	a->mcp->host->progress(a->call, done, total, message);
}

static json_object *call_elicit(void *arg, json_object *params)
{
	struct active *a = arg;

	return elicit_user(a->mcp->host, a->call, a->mcp->settings.name, params);
}

/* The arguments for the server, without those meant for the host. */
static json_object *mcp_tool_arguments_of(struct mcp *m, struct mt_call *call,
					  const struct offer *f)
{
	size_t len = 0;
	const char *text = m->host->arg_json(call, NULL, &len);
	json_object *args =
		text ? js_parse_object(text, len, NULL) : json_object_new_object();

	if (args && !js_get(js_get(f->input, "properties"), "security_risk"))
		json_object_object_del(args, "security_risk");
	return args;
}

static int mcp_say(struct mcp *m, struct mt_call *call, int status,
		   const struct error *err)
{
	return m->host->fail(call, status, "MCP server `%s`: %s", m->settings.name,
			     err->text);
}

static int mcp_ask(struct mcp *m, const struct waiter *w, const char *method,
		   json_object *params, bool again, json_object **ret, struct error *err)
{
	int status = client_connect(m->client, w, err);

	if (status)
		return status;
	status = mcp_client_request(m->client, method, params, w, ret, NULL, err);
	if (status != MT_EIO || !client_is_down(m->client))
		return status;
	if (again || client_was_forgotten(m->client)) { /* once more, with a new server */
		struct error why = ERROR_NONE;

		if (!client_connect(m->client, w, &why) &&
		    !mcp_client_request(m->client, method, params, w, ret, NULL, &why)) {
			*err = ERROR_NONE;
			return MT_OK;
		}
		return status;
	}
	return status;
}

static int mcp_tool_call(struct mcp *m, struct active *a, struct waiter *w,
			 const struct offer *f)
{
	AUTO(json) json_object *params = json_object_new_object();
	AUTO(json) json_object *result = NULL;
	struct error err = ERROR_NONE;
	json_object *args = mcp_tool_arguments_of(m, a->call, f);
	int status;

	if (f->as_task) {
		json_object_put(args);
		return m->host->fail(
			a->call, MT_EUNSUPPORTED,
			"MCP server `%s`: `%s` runs "
			"only as a task, which is not supported. Use another "
			"tool.",
			m->settings.name, f->real);
	}
	if (!args || js_set_str(params, "name", f->real) ||
	    js_set(params, "arguments", args))
		return tool_out_of_memory(m->host, a->call);
	w->input = f->input;
	status = mcp_ask(m, w, "tools/call", params,
			 f->again || m->client->era == ERA_MODERN, &result, &err);
	return status ? mcp_say(m, a->call, status, &err)
		      : result_put_tool(m->host, a->call, f, result);
}

static int list_pages(struct mcp *m, struct active *a, const struct waiter *w,
		      const char *method, const char *member,
		      void (*put)(const struct mt_tool_host *, struct mt_call *,
				  json_object *))
{
	AUTO(free) char *cursor = NULL;
	struct error err = ERROR_NONE;

	for (int page = 0; page < 20; page++) {
		AUTO(json) json_object *params = json_object_new_object();
		AUTO(json) json_object *result = NULL;
		const char *next;
		int status = cursor ? js_set_str(params, "cursor", cursor) : MT_OK;

		if (!status)
			status = mcp_ask(m, w, method, params, true, &result, &err);
		if (status)
			return mcp_say(m, a->call, status, &err);
		put(m->host, a->call, js_get(result, member));
		next = js_str(result, "nextCursor", NULL);
		if (!next || (cursor && strcmp(next, cursor) == 0))
			break;
		free(cursor);
		cursor = strdup(next);
		if (!cursor)
			return tool_out_of_memory(m->host, a->call);
	}
	return MT_OK;
}

static void put_each_resource(const struct mt_tool_host *host, struct mt_call *call,
			      json_object *list)
{
	result_put_resources(host, call, list, "uri");
}

static void put_each_template(const struct mt_tool_host *host, struct mt_call *call,
			      json_object *list)
{
	result_put_resources(host, call, list, "uriTemplate");
}

/* Servers with resources may lack templates: do not fail then. */
static int list_resources(struct mcp *m, struct active *a, const struct waiter *w)
{
	AUTO(json) json_object *params = json_object_new_object();
	AUTO(json) json_object *result = NULL;
	struct error err = ERROR_NONE;
	int status =
		list_pages(m, a, w, "resources/list", "resources", put_each_resource);

	if (!status &&
	    !mcp_ask(m, w, "resources/templates/list", params, true, &result, &err))
		put_each_template(m->host, a->call, js_get(result, "resourceTemplates"));
	return status;
}

static int call_resources(struct mcp *m, struct active *a, const struct waiter *w)
{
	const char *uri = m->host->arg_str(a->call, "uri", NULL);
	AUTO(json) json_object *params = json_object_new_object();
	AUTO(json) json_object *result = NULL;
	struct error err = ERROR_NONE;
	int status;

	if (!uri || !*uri)
		return list_resources(m, a, w);
	status = js_set_str(params, "uri", uri);
	if (!status)
		status = mcp_ask(m, w, "resources/read", params, true, &result, &err);
	return status ? mcp_say(m, a->call, status, &err)
		      : result_put_resource(m->host, a->call, result);
}

static int call_prompts(struct mcp *m, struct active *a, const struct waiter *w)
{
	const char *name = m->host->arg_str(a->call, "name", NULL);
	size_t len = 0;
	const char *text = m->host->arg_json(a->call, "arguments", &len);
	AUTO(json) json_object *params = json_object_new_object();
	AUTO(json) json_object *result = NULL;
	json_object *args = text ? js_parse_object(text, len, NULL) : NULL;
	struct error err = ERROR_NONE;
	int status;

	if (!name || !*name) {
		json_object_put(args);
		return list_pages(m, a, w, "prompts/list", "prompts", result_put_prompts);
	}
	status = text ? js_set_new(params, "arguments", args) : MT_OK;
	if (!status)
		status = js_set_str(params, "name", name);
	if (!status)
		status = mcp_ask(m, w, "prompts/get", params, true, &result, &err);
	return status ? mcp_say(m, a->call, status, &err)
		      : result_put_prompt(m->host, a->call, result);
}

/* Copy the offer, because a new list may arrive at any time. */
static bool find_offer(struct mcp *m, const char *name, struct offer *ret)
{
	const struct offer *f;

	pthread_mutex_lock(&m->lock);
	f = tools_find(&m->offers, name);
	if (f) {
		*ret = (struct offer){ .kind = f->kind, .real = strdup(f->real),
				       .input = json_object_get(f->input),
				       .output = json_object_get(f->output),
				       .again = f->again, .as_task = f->as_task };
	}
	pthread_mutex_unlock(&m->lock);
	return f && ret->real;
}

static void mcp_tool_enter(struct mcp *m, struct active *a)
{
	pthread_mutex_lock(&m->lock);
	a->next = m->calls;
	m->calls = a;
	pthread_mutex_unlock(&m->lock);
}

static void mcp_tool_leave(struct mcp *m, struct active *a)
{
	pthread_mutex_lock(&m->lock);
	for (struct active **at = &m->calls; *at; at = &(*at)->next)
		if (*at == a) {
			*at = a->next;
			break;
		}
	pthread_mutex_unlock(&m->lock);
}

static int mcp_call(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	const char *name = host->call_tool(call);
	struct mcp *m = self;
	struct active a = { .call = call, .mcp = m };
	struct waiter w = { .arg = &a, .cancelled = call_cancelled,
			    .progress = call_progress, .elicit = call_elicit };
	struct offer f = { 0 };
	int status;

	if (!find_offer(m, name, &f)) {
		free(f.real);
		return m->host->fail(call, MT_ENOTFOUND,
				     "MCP server `%s` has no tool `%s`", m->settings.name,
				     name);
	}
	mcp_tool_enter(m, &a);
	if (f.kind == OFFER_RESOURCES)
		status = call_resources(m, &a, &w);
	else if (f.kind == OFFER_PROMPTS)
		status = call_prompts(m, &a, &w);
	else
		status = mcp_tool_call(m, &a, &w, &f);
	mcp_tool_leave(m, &a);
	serve_check_changes(m->client,
			    true); /* before the result, so that it applies immediately */
	free(f.real);
	json_object_put(f.input);
	json_object_put(f.output);
	return status;
}

/* A call that has not reached mcp_call waits for the list. */
static int mcp_cancel(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	struct mcp *m = self;
	struct active *a;

	(void)host;
	pthread_mutex_lock(&m->lock);
	for (a = m->calls; a && a->call != call; a = a->next)
		;
	m->list_cancelled |= !a;
	pthread_mutex_unlock(&m->lock);
	client_wake(m->client);
	return MT_OK;
}

static const struct mt_toolset toolset = {
	.size = sizeof toolset,
	.flags = MT_TOOLSET_PARALLEL,
	.open = mcp_open,
	.list = mcp_list,
	.call = mcp_call,
	.cancel = mcp_cancel,
	.close = mcp_close,
};

MT_TOOLSET(&toolset, "mcp", .name = "mcp",
	   .summary = "Offers the tools of an MCP server, over stdio or HTTP.",
	   .options = settings_table, .option_count = SETTINGS_COUNT)
