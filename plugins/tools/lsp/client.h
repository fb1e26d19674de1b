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
	char *root;              /* the directory that it was started in */
	const char *workspace;   /* symbolic links resolved; borrowed */
	struct rpc rpc;
	enum encoding encoding;
	bool syncs, renames;     /* the server supports them */
	bool broken;             /* must be terminated */
	int64_t last_id;
	int64_t progress;        /* operations in progress, such as indexing */
	unsigned strange;        /* number of unknown messages */
	struct documents documents;
	uint64_t used;
};

/** Start the server and do the handshake. @return owned; NULL with the error */
struct client *client_start(const struct server *server, const char *root,
			    const char *workspace, const struct rpc_wait *w,
			    struct error *err);
void client_end(struct client *c);

/** Send a request with `params` (JSON) and wait for its result, owned; NULL: null. If the
 *  server is indexing when the result arrives, wait and repeat the request;
 *  `*ret_partly`: it is still indexing. */
int lsp_client_request(struct client *c, const char *method, const struct strbuf *params,
		       const struct rpc_wait *w, json_object **ret, bool *ret_partly,
		       struct error *err);
/** Notify the server of the files that have changed on disk since it received them. */
int client_sync(struct client *c, const struct rpc_wait *w, struct error *err);
/** Open the file at the server, with the text `f`. @return NULL with the error */
struct document *lsp_client_open(struct client *c, const char *path,
				 const struct textfile *f, const struct rpc_wait *w,
				 struct error *err);
/** Report that files were written, which may not be open: `changes` is a list of JSON
 *  objects. */
int client_files_changed(struct client *c, const struct strbuf *changes,
			 const struct rpc_wait *w, struct error *err);
/** Wait until the changed documents (of them only `one` unless NULL) have diagnostics.
 *  @return MT_ETIMEOUT: some have none */
int client_await(struct client *c, const struct document *one, const struct rpc_wait *w,
		 struct error *err);

#endif
