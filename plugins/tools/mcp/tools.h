/* SPDX-License-Identifier: MIT
 *
 * tools.h - the tools of a server: its own, one for its resources and one for its
 * prompts. */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include "client.h"

enum { TOOLS_MAX = 500 };

enum offer_kind { OFFER_TOOL, OFFER_RESOURCES, OFFER_PROMPTS };

struct offer {
	enum offer_kind kind;
	char *name;              /* offered name: letters, digits, _ and - */
	char *real;              /* name on the server */
	char *description, *schema, *events; /* schema and events as JSON text */
	unsigned hints;          /* MT_TOOL_READ_ONLY ... */
	json_object *input, *output; /* schemas; output may be NULL */
	bool again;              /* can be repeated without harm */
	bool as_task;            /* can only be called as a task */
};

struct offers {
	struct offer *list;
	size_t count;
};

struct offer_options {
	bool resources, prompts; /* offer these, if the server has them */
	bool trust_hints;        /* trust the declared effects of its tools */
};

/** Fetch all features that the server offers. */
int tools_fetch(struct client *c, const struct offer_options *o, const struct waiter *w,
		struct offers *ret, struct error *err);
void tools_clear(struct offers *o);
const struct offer *tools_find(const struct offers *o, const char *name);

/** Convert a name to one valid for tools; `room` bytes at `ret`. */
void mcp_clean_name(const char *name, char *ret, size_t room);

#endif
