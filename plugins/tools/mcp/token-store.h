/* SPDX-License-Identifier: MIT
 *
 * token-store.h - the token of a server whose login is stored in a file that other
 * processes also use and refresh. */
#ifndef MCP_TOKEN_STORE_H
#define MCP_TOKEN_STORE_H

#include "oauth.h"

/** The server of a stored login. Texts are borrowed. */
struct keep {
	const char *name, *server, *file, *ca_path;
};

/** A token, owned. `refused` (may be NULL): a token that the server no longer accepts.
 *  NULL: no token; `err` contains the remedy. */
char *token_store_keep_token(const struct keep *k, const char *refused,
			     struct error *err);
/** Record that the token's scopes did not suffice, so that the next login requests
 *  more. */
void token_store_keep_scope(const struct keep *k, const char *challenge);

#endif
