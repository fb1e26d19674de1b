/* SPDX-License-Identifier: MIT
 *
 * protocol-version.c - negotiates the protocol version with a server.
 *
 * The first request is `server/discover`, from the protocol without a handshake. A
 * result, or an error defined by that protocol, means that era. Anything else, including
 * silence and exit, means `initialize`. The result is remembered. */
#include "client.h"
#include <config.h>
#include <string.h>

enum { PROBE_MS = 3000 };

static const char *const legacy_versions[] = { MCP_LEGACY, "2025-06-18", "2025-03-26",
					       "2024-11-05" };

#define META "io.modelcontextprotocol/"

static json_object *version_capabilities(struct client *c)
{
	json_object *all = json_object_new_object(),
		    *elicitation = json_object_new_object();
	bool lists_roots = c->config.directory && !c->config.url;

	if (c->era == ERA_MODERN)
		js_set_new(elicitation, "form", json_object_new_object());
	js_set_new(all, "elicitation", elicitation);
	if (lists_roots)
		js_set_new(all, "roots", json_object_new_object());
	return all;
}

static json_object *client_info(void)
{
	json_object *info = json_object_new_object();

	js_set_str(info, "name", "mortise");
	js_set_str(info, "version", PACKAGE_VERSION);
	return info;
}

int version_meta(struct client *c, json_object *params, int64_t token)
{
	json_object *meta = js_get(params, "_meta");

	if (!params)
		return MT_ENOMEM;
	if (!meta) {
		meta = json_object_new_object();
		if (js_set_new(params, "_meta", meta))
			return MT_ENOMEM;
	}
	if (js_set_int(meta, "progressToken", token))
		return MT_ENOMEM;
	if (c->era != ERA_MODERN)
		return MT_OK;
	if (js_set_str(meta, META "protocolVersion", c->protocol) ||
	    js_set_new(meta, META "clientInfo", client_info()))
		return MT_ENOMEM;
	return js_set_new(meta, META "clientCapabilities", version_capabilities(c));
}

static void take_server(struct client *c, json_object *result, const char *info)
{
	pthread_mutex_lock(&c->lock);
	json_object_put(c->capabilities);
	json_object_put(c->info);
	c->capabilities = json_object_get(js_get(result, "capabilities"));
	c->info = json_object_get(js_path(result, info));
	pthread_mutex_unlock(&c->lock);
}

/* ---- until 2025-11-25 -------------------------------------------------- */

static int protocol_version_check(struct client *c, json_object *result,
				  struct error *err)
{
	const char *version = js_str(result, "protocolVersion", "");

	for (size_t i = 0; i < ARRAY_LEN(legacy_versions); i++)
		if (strcmp(version, legacy_versions[i]) == 0) {
			snprintf(c->protocol, sizeof c->protocol, "%s", version);
			return MT_OK;
		}
	return fail(err, MT_EUNSUPPORTED,
		    "the server uses protocol version `%.40s`, which is not supported",
		    version);
}

static int protocol_version_initialize(struct client *c, const struct waiter *w,
				       struct error *err)
{
	AUTO(json) json_object *params = json_object_new_object();
	AUTO(json) json_object *answer = NULL;
	const char *version = c->config.protocol ? c->config.protocol : MCP_LEGACY;
	int status;

	c->era = ERA_LEGACY;
	if (js_set_str(params, "protocolVersion", version) ||
	    js_set_new(params, "capabilities", version_capabilities(c)) ||
	    js_set_new(params, "clientInfo", client_info()))
		return out_of_memory(err);
	status = client_exchange(c, "initialize", params, w, 0, &answer, err);
	if (status)
		return status;
	if (js_get(answer, "error")) {
		rpc_error_text(js_get(answer, "error"), err);
		return MT_EIO;
	}
	status = protocol_version_check(c, js_get(answer, "result"), err);
	if (status)
		return status;
	take_server(c, js_get(answer, "result"), "serverInfo");
	return mcp_client_notify(c, "notifications/initialized", NULL, err);
}

/* ---- since 2026-07-28 -------------------------------------------------- */

static bool lists_legacy(json_object *versions)
{
	for (size_t i = 0; i < ARRAY_LEN(legacy_versions); i++)
		if (rpc_list_has(versions, legacy_versions[i], false))
			return true;
	return false;
}

/* Determine the era from the response to `server/discover`. */
static enum client_era protocol_version_judge(json_object *answer, struct error *err)
{
	json_object *error = js_get(answer, "error"), *result = js_get(answer, "result");
	json_object *versions = js_get(result, "supportedVersions");
	int64_t code = js_int(error, "code", 0);

	if (result && json_object_is_type(versions, json_type_array)) {
		if (rpc_list_has(versions, MCP_MODERN, false))
			return ERA_MODERN;
		if (lists_legacy(versions))
			return ERA_LEGACY;
	} else if (code <= RPC_HEADER_MISMATCH && code >= RPC_UNSUPPORTED_VERSION) {
		versions = js_path(error, "data.supported");
		if (code != RPC_UNSUPPORTED_VERSION ||
		    rpc_list_has(versions, MCP_MODERN, false))
			return ERA_MODERN;
		if (lists_legacy(versions))
			return ERA_LEGACY;
	} else {
		return ERA_LEGACY;
	}
	fail(err, MT_EUNSUPPORTED,
	     "the server does not support any protocol version of this client");
	return ERA_UNKNOWN;
}

static int protocol_version_discover(struct client *c, const struct waiter *w,
				     struct error *err)
{
	AUTO(json) json_object *params = json_object_new_object();
	AUTO(json) json_object *answer = NULL;
	struct error why = ERROR_NONE;
	int64_t patience =
		c->config.connect_ms < PROBE_MS ? c->config.connect_ms : PROBE_MS;
	int status;

	c->era = ERA_MODERN;
	snprintf(c->protocol, sizeof c->protocol, "%s", MCP_MODERN);
	status = client_exchange(c, "server/discover", params, w,
				 c->config.url || c->config.protocol ? 0 : patience,
				 &answer, &why);
	if (status && (c->config.protocol || status == MT_ECANCELLED ||
		       status == MT_ENOMEM || status == MT_EDENIED))
		return fail(err, status, "%s", why.text);
	c->era = status ? ERA_LEGACY : protocol_version_judge(answer, err);
	if (c->era == ERA_MODERN && js_get(answer, "error")) {
		/* An error of that era: retry, now that the server's versions are
		 * known. */
		json_object_put(STEAL(answer));
		status =
			client_exchange(c, "server/discover", params, w, 0, &answer, err);
		if (status)
			return status;
	}
	if (c->era == ERA_MODERN)
		take_server(c, js_get(answer, "result"), "_meta." META "serverInfo");
	return c->era == ERA_UNKNOWN ? MT_EUNSUPPORTED : MT_OK;
}

bool version_subscribes(struct client *c)
{
	return c->era == ERA_MODERN &&
	       js_bool(js_get(c->capabilities, "tools"), "listChanged", false);
}

int version_subscription(struct client *c, struct strbuf *b)
{
	AUTO(json) json_object *params = json_object_new_object();
	json_object *kinds = json_object_new_object();
	int64_t id;

	pthread_mutex_lock(&c->lock);
	id = ++c->ids;
	pthread_mutex_unlock(&c->lock);
	if (js_set_bool(kinds, "toolsListChanged", true) ||
	    js_set(params, "notifications", kinds) || version_meta(c, params, id))
		return MT_ENOMEM;
	json_object_object_del(js_get(params, "_meta"), "progressToken");
	return rpc_request(b, id, "subscriptions/listen", params);
}

/* ---- both -------------------------------------------------------------- */

static int protocol_version_start(struct client *c, const struct waiter *w,
				  struct error *err)
{
	pthread_mutex_lock(&c->lock);
	c->down = c->session_over = false;
	pthread_mutex_unlock(&c->lock);
	return c->transport->start(c, w, err);
}

int version_open(struct client *c, const struct waiter *w, struct error *err)
{
	bool modern = c->config.protocol && strcmp(c->config.protocol, MCP_MODERN) == 0;
	bool legacy = (c->config.protocol && !modern) || c->transport == &sse_transport ||
		      c->era == ERA_LEGACY;
	struct error why = ERROR_NONE;
	int status = protocol_version_start(c, w, err);

	if (!status && !legacy) {
		status = protocol_version_discover(c, w, err);
		if (!status && c->era == ERA_MODERN)
			return MT_OK;
		if (!status && modern)
			return fail(
				err, MT_EUNSUPPORTED,
				"the server does not support protocol version " MCP_MODERN);
		/* Some servers exit if the first message is not `initialize`. */
		if (!status && client_is_down(c)) {
			c->transport->stop(c);
			status = protocol_version_start(c, w, err);
		}
	}
	c->protocol[0] = '\0';
	if (status)
		return status;
	status = protocol_version_initialize(c, w, &why);
	if (status == MT_EIO && c->transport == &http_transport && !c->config.new_http &&
	    (c->http_status == 400 || c->http_status == 404 || c->http_status == 405)) {
		c->transport->stop(c);
		c->transport = &sse_transport;
		status = protocol_version_start(c, w, err);
		return status ? status : protocol_version_initialize(c, w, err);
	}
	return status ? fail(err, status, "%s", why.text) : MT_OK;
}
