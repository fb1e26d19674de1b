/* SPDX-License-Identifier: MIT
 *
 * sandbox-grants.c - `mortise sandbox grants`: what the grants open, and which are on. */
#include "sandbox.h"
#include "commands.h"

#include "sandbox/grants.h"

#include <stdio.h>

static const char *const opens[] = { "read", "write", "sockets", "variables",
				     "hosts", "ports" };

static void print_grant(const struct config *c, const char *name, const char *section)
{
	const char *description = config_get(c, section, "description");

	printf("%-12s %-3s  %s\n", name, grant_is_on(c, name) ? "on" : "off",
	       description ? description : "");
	for (size_t i = 0; i < ARRAY_LEN(opens); i++)
		if (config_get(c, section, opens[i]))
			printf("%-12s      %-9s  %s\n", "", opens[i],
			       config_get(c, section, opens[i]));
	if (config_get(c, section, "tools"))
		printf("%-12s      %-9s  for %s\n", "", "secret",
		       config_get(c, section, "tools"));
}

static void print_grant_json(const struct config *c, const char *name,
			     const char *section)
{
	AUTO(json) json_object *o = js_new_object();
	const char *description = config_get(c, section, "description");

	js_set_str(o, "name", name);
	js_set_bool(o, "on", grant_is_on(c, name));
	js_set_str(o, "description", description ? description : "");
	for (size_t i = 0; i < ARRAY_LEN(opens); i++)
		if (config_get(c, section, opens[i]))
			js_set_str(o, opens[i], config_get(c, section, opens[i]));
	printf("%s\n", js_shown(o));
}

void sandbox_grants(const struct config *c, bool json)
{
	const char *name;

	for (size_t i = 0; (name = config_named(c, "grant", i)); i++) {
		char section[GRANT_NAME_MAX + 8];

		snprintf(section, sizeof section, "grant.%s", name);
		if (json)
			print_grant_json(c, name, section);
		else
			print_grant(c, name, section);
	}
}
