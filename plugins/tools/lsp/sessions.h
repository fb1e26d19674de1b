/* SPDX-License-Identifier: MIT
 *
 * sessions.h - the running servers of an instance, and one call that uses them. */
#ifndef LSP_SESSIONS_H
#define LSP_SESSIONS_H

#include "client.h"

enum { CLIENTS_MAX = 4 };

struct lsp {
	const struct mt_tool_host *host;
	struct mt_instance *instance;
	char *workspace; /* symbolic links resolved */
	struct servers servers;
	struct client *clients[CLIENTS_MAX];
	size_t count;
	uint64_t clock;
};

/* A call: a file, its server, and the remaining time. */
struct ask {
	struct lsp *lsp;
	struct mt_call *call;
	struct rpc_wait wait;
	bool is_preview;         /* not approved yet: starts no servers */
	struct client *client;   /* NULL until lsp_ask_open */
	struct document *document;
	struct textfile file;    /* the text that the server has */
};

void lsp_ask_begin(struct ask *a, struct lsp *lsp, struct mt_call *call);
/** Open the file of the argument `path`, on its server, which is started if necessary,
 *  except for a preview. Running servers are notified of changed files. */
int lsp_ask_open(struct ask *a, struct error *err);
/** Find `symbol` of the arguments, in `line` if that is given, and append the position as
 *  JSON members: "textDocument":{...},"position":{...}. */
int lsp_ask_position(const struct ask *a, struct strbuf *json, struct error *err);
/** Free what the call holds, and terminate unusable servers. */
void lsp_ask_end(struct ask *a);

/** The path relative to the workspace if it is in it. Borrowed. */
const char *lsp_short_path(const struct lsp *lsp, const char *path);
/** Text of an argument without NUL; NULL: absent, or `err` is filled. */
const char *lsp_text_arg(const struct ask *a, const char *name, struct error *err);

void sessions_end(struct lsp *lsp);

#endif
