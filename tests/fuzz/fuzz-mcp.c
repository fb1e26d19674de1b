/* SPDX-License-Identifier: MIT
 *
 * fuzz-mcp.c - messages of an MCP server: read without fault whatever they are,
 * what is read can be written and read again, names of tools become names that a
 * tool may have, forms are filled in or declined, and what a refusal says of a login
 * is read. The first byte chooses a state of the client. */
#include "plugins/tools/mcp/elicit.h"
#include "plugins/tools/mcp/http-headers.h"
#include "plugins/tools/mcp/oauth.h"
#include "plugins/tools/mcp/tools.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A transport that hears what is sent. */
static int fake_send(struct client *c, const char *text, size_t len, struct pending *p,
		     struct error *err)
{
	AUTO(json) json_object *doc = js_parse_object(text, len, NULL);

	(void)c, (void)p, (void)err;
	if (!doc || strcmp(js_str(doc, "jsonrpc", ""), "2.0") != 0 ||
	    memchr(text, '\n', len))
		abort();
	return MT_OK;
}

static void fake_stop(struct client *c)
{
	(void)c;
}

static const struct transport fake = { .send = fake_send, .stop = fake_stop };

static void on_message(const struct rpc *m, void *arg)
{
	struct strbuf *b = arg;

	strbuf_reset(b);
	if (m->kind == RPC_REQUEST &&
	    rpc_result(b, m->id, m->params ? m->params : m->doc))
		abort();
	if (m->kind == RPC_NOTIFICATION && rpc_notification(b, m->method, m->params))
		abort();
}

static void check_name(const char *name)
{
	char clean[65];

	mcp_clean_name(name, clean, sizeof clean);
	if (!*clean || strlen(clean) > 64 || strchr("0123456789_-", *clean) ||
	    strspn(clean,
		   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
		    strlen(clean))
		abort();
}

static int ignore_line(void *arg, const char *line)
{
	(void)arg;
	if (strpbrk(line, "\r\n"))
		abort();
	return MT_OK;
}

static void check_tool(json_object *doc)
{
	json_object *tool = js_get(doc, "params");

	check_name(js_str(doc, "method", ""));
	header_tool_is_valid(tool);
	if (header_tool_is_valid(tool))
		header_parameters(js_get(tool, "inputSchema"), tool, ignore_line, NULL);
}

/* ---- forms: the user says what stands in the message --------------------- */

static const char *says;

static int fake_request(struct mt_call *call, const char *method, struct mt_str params,
			struct mt_str *ret)
{
	static struct strbuf answer = STRBUF(1 << 20);
	AUTO(json) json_object *doc = js_parse_object(params.ptr, params.len, NULL);

	(void)call;
	if (strcmp(method, "client/ask") == 0) /* no client shows forms */
		return MT_EUNSUPPORTED;
	if (strcmp(method, "user/ask") != 0 || !js_str(doc, "question", NULL))
		abort();
	strbuf_reset(&answer);
	strbuf_addc(&answer, '{');
	js_key_str(&answer, "answer", says);
	strbuf_addc(&answer, '}');
	*ret = (struct mt_str){ answer.text, answer.len };
	return MT_OK;
}

static int fake_reply(struct mt_call *call, const char *fmt, ...)
{
	(void)call, (void)fmt;
	return MT_OK;
}

static void check_form(json_object *doc)
{
	static const struct mt_tool_host host = { .request = fake_request,
						  .reply = fake_reply };
	AUTO(json) json_object *result = NULL;
	const char *action;

	says = js_str(doc, "method", "yes");
	result = elicit_user(&host, NULL, "x", js_get(doc, "params"));
	action = js_str(result, "action", "");
	if (strcmp(action, "accept") != 0 && strcmp(action, "decline") != 0)
		abort();
}

/* ---- logins ---------------------------------------------------------------- */

static void check_challenge(const char *text)
{
	static const char *const names[] = { "resource_metadata", "scope", "error" };
	const struct oauth o = { .server = "https://example.org/mcp" };

	for (size_t i = 0; i < 3; i++) {
		AUTO(strbuf) struct strbuf value = STRBUF(4096);

		if (oauth_challenge_param(text, names[i], &value)) {
			AUTO(free) char *origin = oauth_url_origin(value.text);
			AUTO(free) char *path = oauth_url_path(value.text);

			if (oauth_url_is_safe(&o, value.text) && !origin)
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(free) char *text = n ? strndup((const char *)bytes + 1, n - 1) : NULL;
	const struct client_config config = { .name = "x", .directory = "/w",
					      .connect_ms = 1000, .timeout_ms = 1000,
					      .accepts = n && (bytes[0] & 1) };
	struct client *c = client_new(&config);
	struct waiter w = { 0 };
	struct pending p = { .id = 1, .method = "tools/call",
			     .waiter = n && (bytes[0] & 2) ? &w : NULL };
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);
	AUTO(json) json_object *doc = NULL;

	if (!c || n == 0)
		return client_free(c), 0;
	c->transport = &fake;
	c->pendings = &p;
	mcp_client_deliver(c, (const char *)bytes + 1, n - 1);
	rpc_read((const char *)bytes + 1, n - 1, on_message, &b, NULL);
	doc = js_parse_object((const char *)bytes + 1, n - 1, NULL);
	check_tool(doc);
	check_form(doc);
	check_challenge(text);
	if (p.done != (p.answer != NULL))
		abort();
	json_object_put(p.answer);
	c->pendings = NULL;
	client_free(c);
	return 0;
}
