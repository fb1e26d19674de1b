/* SPDX-License-Identifier: MIT
 *
 * browse.h - opens a URL in the user's browser and waits for its redirect to a local
 * port, or for the user to paste the final URL. */
#ifndef MCP_BROWSE_H
#define MCP_BROWSE_H

#include "error.h"
#include <stdint.h>

struct browse {
	int listener;
	char redirect_uri[64];
};

/** Listen on `port`; 0: that of the URL `before`, if it is free, or any free port. */
int browse_open(struct browse *b, int port, const char *before, struct error *err);
/** Show the URL, open a browser if there is one, and wait for the redirect with `state`.
 *  @return its whole URL, owned. */
char *browse_visit(struct browse *b, const char *url, const char *state,
		   int64_t patience_ms, struct error *err);
void browse_close(struct browse *b);

#endif
