/* SPDX-License-Identifier: MIT
 *
 * rpc.h - JSON-RPC messages as MCP uses them: parsing, classifying, writing. */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include "error.h"
#include "js.h"

enum {
	RPC_METHOD_NOT_FOUND = -32601,
	RPC_INTERNAL = -32603,
	RPC_HEADER_MISMATCH = -32020,
	RPC_UNSUPPORTED_VERSION = -32022,
	RPC_BATCH_MAX = 1000,
};

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESULT, RPC_ERROR };

/** One message; everything borrowed from `doc`. */
struct rpc {
	enum rpc_kind kind;
	json_object *doc;
	json_object *id;      /* of a request or response; NULL: null */
	int64_t number;       /* the id of a response, if it is an integer; else -1 */
	const char *method;   /* of a request or notification */
	json_object *params;  /* object, or NULL */
	json_object *body;    /* result or error object; NULL: neither */
};

/** Parse a message, or a batch of them, and pass each to `on`. Invalid messages of a
 *  batch are ignored.
 *  @return MT_OK, or why the text does not contain a message. */
int rpc_read(const char *text, size_t len, void (*on)(const struct rpc *m, void *arg),
	     void *arg, struct error *err);

/* Each appends one message. Params may be NULL. */
int rpc_request(struct strbuf *b, int64_t id, const char *method, json_object *params);
int rpc_notification(struct strbuf *b, const char *method, json_object *params);
int rpc_result(struct strbuf *b, json_object *id, json_object *result);
int rpc_refusal(struct strbuf *b, json_object *id, int code, const char *text);

/** Format an error object, with its code, as a sentence. */
void rpc_error_text(json_object *error, struct error *ret);
/** True if an array of texts contains `text`; `missing` if there is no array. */
bool rpc_list_has(json_object *array, const char *text, bool missing);

#endif
