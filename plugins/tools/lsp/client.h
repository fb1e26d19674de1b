/* SPDX-License-Identifier: MIT
 *
 * client.h - a running language server: handshake, requests, documents. */
#ifndef LSP_CLIENT_H
#define LSP_CLIENT_H

#include "documents.h"
#include "positions.h"
#include "rpc.h"
#include "servers.h"
#include "text/textfile.h"

struct client {
	const struct server *server;
	char *root;              /* the directory that it was started for */
	const char *workspace;   /* without links; borrowed */
	struct rpc rpc;
	enum encoding encoding;
	bool syncs, renames;     /* the server supports them */
	bool broken;             /* must be ended */
	int64_t last_id;
	int64_t progress;        /* operations in progress, such as indexing */
	unsigned strange;        /* messages that mean nothing */
	struct documents documents;
	uint64_t used;
};

/** Start the server and do the handshake. @return owned; NULL with the sentence */
struct client *client_start(const struct server *server, const char *root,
			    const char *workspace, const struct rpc_wait *w,
			    struct error *err);
void client_end(struct client *c);

/** Send a request with `params` (JSON) and wait for its result, owned; NULL: null. If the
 *  server is indexing when the result comes, wait and repeat it; `*ret_partly`: it still
 *  is. */
int lsp_client_request(struct client *c, const char *method, const struct strbuf *params,
		       const struct rpc_wait *w, json_object **ret, bool *ret_partly,
		       struct error *err);
/** Notify the server of the files that have changed on disk since it got them. */
int client_sync(struct client *c, const struct rpc_wait *w, struct error *err);
/** Open the file at the server, with the text `f`. @return NULL with the sentence */
struct document *lsp_client_open(struct client *c, const char *path,
				 const struct textfile *f, const struct rpc_wait *w,
				 struct error *err);
/** Report that files were written that may not be open: `changes` is a list of JSON. */
int client_files_changed(struct client *c, const struct strbuf *changes,
			 const struct rpc_wait *w, struct error *err);
/** Wait until the changed documents (of them only `one` unless NULL) have diagnostics.
 *  @return MT_ETIMEOUT: some have not */
int client_await(struct client *c, const struct document *one, const struct rpc_wait *w,
		 struct error *err);

#endif
