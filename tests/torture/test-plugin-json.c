/* SPDX-License-Identifier: MIT
 *
 * test-plugin-json.c - the requests and answers of the plugins `mcp` and `browser` with
 * each allocation failing once: they are built completely, or not sent. */
#include "calls.h"
#include "plugins/tools/browser/browser-internal.h"
#include "plugins/tools/mcp/client.h"
#include "tap.h"

#include <string.h>

typedef json_object *builder(void);

/* The `_meta` of a request with its client info and capabilities. */
static json_object *build_meta(void)
{
	struct client c = { .era = ERA_MODERN, .protocol = MCP_MODERN,
			    .config = { .directory = "/a/directory" } };
	json_object *params = json_object_new_object();

	if (version_meta(&c, params, 7)) {
		json_object_put(params);
		return NULL;
	}
	return params;
}

static json_object *serve(const char *method)
{
	static const char text[] =
		"{\"requestedSchema\":{\"properties\":{\"name\":{\"type\":\"string\","
		"\"default\":\"a default that is longer than a small string of json-c\"},"
		"\"count\":{\"type\":\"integer\",\"default\":3}}}}";
	static json_object *params;
	struct client c = { .config = { .directory = "/a/directory", .accepts = true } };
	json_object *result;
	const char *why;
	int code;

	if (!params) {
		params = js_parse_object(text, strlen(text), NULL);
		return NULL;
	}
	result = mcp_client_serve(&c, NULL, method, params, &code, &why);
	if (!result && code != RPC_INTERNAL)
		CHECK_MSG(0, "%s: refused with %d, %s", method, code, why);
	return result;
}

static json_object *build_defaults(void)
{
	return serve("elicitation/create");
}

static json_object *build_roots(void)
{
	return serve("roots/list");
}

static json_object *build_command(void)
{
	return browser_json("text", 's',
			    "a text that is longer than a small string of json-c", "x",
			    'd', 0.5, "inner", 'o',
			    browser_json("list", 'o', json_object_new_array(), "yes", 'b',
					 1, NULL),
			    "id", 'i', (int64_t)7, NULL);
}

static void check(const char *name, builder *build)
{
	AUTO(json) json_object *first = build();
	AUTO(free) char *whole = first ? strdup(js_text(first, NULL)) : NULL;
	bool hit = true;
	long n, parts = 0;

	CHECK_MSG(whole, "%s: %s", name, whole ? whole : "nothing");
	for (n = 1; whole && hit; n++) {
		json_object *o;
		const char *got;

		torture_begin("memory", n);
		o = build();
		hit = torture_end();
		got = o ? js_text(o, NULL) : NULL;
		parts += got ? strcmp(got, whole) != 0 : !hit;
		json_object_put(o);
	}
	CHECK_MSG(n > 4 && !parts, "%s: %ld allocations, it is whole or is not sent",
		  name, n - 2);
}

int main(void)
{
	serve("");
	check("a request of MCP", build_meta);
	check("defaults for an MCP server", build_defaults);
	check("roots for an MCP server", build_roots);
	check("a command of the browser", build_command);
	return tap_done();
}
