/* SPDX-License-Identifier: MIT
 *
 * settings.h - the options of an instance as the configuration of a client. */
#ifndef MCP_SETTINGS_H
#define MCP_SETTINGS_H

#include "token-store.h"
#include "tools.h"
#include <mortise/tool.h>

struct settings {
	struct client_config config;
	struct offer_options offers;
	char **argv, **env, **headers;
	char *name;
	struct keep login;        /* file NULL: no login */
	bool by_itself;           /* obtain tokens by `client`, without a user */
	struct oauth client;
	char *key;                /* its private key; or NULL */
};

int settings_read(const struct mt_tool_host *host, struct mt_instance *instance,
		  struct settings *ret, struct error *err);
void settings_clear(struct settings *s);

enum { SETTINGS_COUNT = 29 };
extern const struct mt_option settings_table[SETTINGS_COUNT];

#endif
