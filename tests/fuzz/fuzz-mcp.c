/* SPDX-License-Identifier: MIT
 *
 * fuzz-mcp.c - messages of an MCP server: read without fault whatever they are,
 * what is read can be written and read again, and names of tools become names
 * that a tool may have. The first byte chooses a state of the client. */
#include "plugins/tools/mcp/http-headers.h"
#include "plugins/tools/mcp/tools.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A transport that hears what is sent. */
static int fake_send(struct client *c, const char *text, size_t len, struct pending *p,
		     struct error *err)
{
	AUTO(json) json_object *doc = js_parse_object(text, len, NULL);

	(void)c, (void)p, (void)err;
	if (!doc || strcmp(js_str(doc, "jsonrpc", ""), "2.0") != 0 || memchr(text, '\n', len))
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
	if (m->kind == RPC_REQUEST && rpc_result(b, m->id, m->params ? m->params : m->doc))
		abort();
	if (m->kind == RPC_NOTIFICATION && rpc_notification(b, m->method, m->params))
		abort();
}

static void check_name(const char *name)
{
	char clean[65];

	clean_name(name, clean, sizeof clean);
	if (!*clean || strlen(clean) > 64 || strchr("0123456789_-", *clean) ||
	    strspn(clean, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
		    != strlen(clean))
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
	header_names_valid(tool);
	if (header_names_valid(tool))
		header_parameters(js_get(tool, "inputSchema"), tool, ignore_line, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
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
	client_deliver(c, (const char *)bytes + 1, n - 1);
	rpc_read((const char *)bytes + 1, n - 1, on_message, &b, NULL);
	doc = js_parse_object((const char *)bytes + 1, n - 1, NULL);
	check_tool(doc);
	if (p.done != (p.answer != NULL))
		abort();
	json_object_put(p.answer);
	c->pendings = NULL;
	client_free(c);
	return 0;
}
