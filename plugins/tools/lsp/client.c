/* SPDX-License-Identifier: MIT
 *
 * client.c - a running language server. */
#include "client.h"
#include "clock.h"
#include "files.h"
#include "utf8.h"

#include <string.h>

enum {
	STRANGE_MAX = 1000,      /* unknown messages until the server is given up */
	DRAIN_MAX = 10000,       /* messages processed before a request */
	INDEX_MS = 15000,        /* longest wait for indexing */
	REPEATS_MAX = 20,        /* of one request */
	MODIFIED = -32801,       /* errors after which a request can be repeated */
	CANCELLED_BY_SERVER = -32802,
	METHOD_NOT_FOUND = -32601,
	TEXT_MAX = 8 * TEXTFILE_MAX,
	RETRY_MS = 100,
};

/* ---- sending ------------------------------------------------------------- */

/* Note the errors after which a server is unusable. */
static int lsp_client_broken(struct client *c, int status)
{
	c->broken |= status == MT_EIO || status == MT_EINVAL || status == MT_ELIMIT;
	return status;
}

static int client_send(struct client *c, struct strbuf *json, const struct rpc_wait *w,
		       struct error *err)
{
	if (json->error)
		return json->error == MT_ELIMIT
			       ? fail(err, MT_ELIMIT, "The message is too large.")
			       : out_of_memory(err);
	int status = rpc_write(&c->rpc, json->text, json->len, w, err);

	/* The message may have been sent in part: only a new server is usable. */
	c->broken |= status != MT_OK;
	return status;
}

/* Start a message; `id` negative: a notification. */
static void lsp_client_begin(struct strbuf *json, int64_t id, const char *method)
{
	strbuf_add(json, "{\"jsonrpc\":\"2.0\"");
	if (id >= 0)
		js_key_int(json, "id", id);
	js_key_str(json, "method", method);
	js_key(json, "params");
}

static int notify(struct client *c, const char *method, const struct strbuf *params,
		  const struct rpc_wait *w, struct error *err)
{
	AUTO(strbuf) struct strbuf json = STRBUF(TEXT_MAX);

	lsp_client_begin(&json, -1, method);
	strbuf_addn(&json, params->text, params->len);
	strbuf_addc(&json, '}');
	json.error = json.error ? json.error : params->error;
	return client_send(c, &json, w, err);
}

/* ---- requests and notifications of the server ------------------------------ */

/* Settings are not provided: null for each. */
static void lsp_client_put_settings(json_object *params, struct strbuf *json)
{
	size_t n = js_length(js_get(params, "items"));

	js_key(json, "result");
	strbuf_addc(json, '[');
	for (size_t i = 0; i < n && i < 1000; i++)
		strbuf_add(json, i ? ",null" : "null");
	strbuf_addc(json, ']');
}

static void lsp_client_put_result(const char *method, json_object *params,
				  struct strbuf *json)
{
	static const char *const accepted[] = {
		"client/registerCapability", "client/unregisterCapability",
		"window/workDoneProgress/create", "window/showMessageRequest",
		"workspace/diagnostic/refresh", "workspace/semanticTokens/refresh",
		"workspace/inlayHint/refresh", "workspace/codeLens/refresh",
	};

	if (strcmp(method, "workspace/configuration") == 0) {
		lsp_client_put_settings(params, json);
		return;
	}
	if (strcmp(method, "workspace/applyEdit") == 0) {
		strbuf_add(json, ",\"result\":{\"applied\":false}");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(accepted); i++)
		if (strcmp(method, accepted[i]) == 0) {
			strbuf_add(json, ",\"result\":null");
			return;
		}
	strbuf_addf(json, ",\"error\":{\"code\":%d,\"message\":\"not supported\"}",
		    METHOD_NOT_FOUND);
}

static int lsp_client_take_request(struct client *c, json_object *message,
				   const char *method, const struct rpc_wait *w,
				   struct error *err)
{
	AUTO(strbuf) struct strbuf json = STRBUF(1 << 16);

	strbuf_add(&json, "{\"jsonrpc\":\"2.0\"");
	js_key(&json, "id");
	js_put(&json, js_get(message, "id"));
	lsp_client_put_result(method, js_get(message, "params"), &json);
	strbuf_addc(&json, '}');
	return client_send(c, &json, w, err);
}

static void take_diagnostics(struct client *c, json_object *params)
{
	AUTO(free) char *path = lsp_uri_path(js_str(params, "uri", ""));
	json_object *list = js_get(params, "diagnostics");
	struct document *d;

	if (!path || !path_is_in(path, c->workspace))
		return;
	d = documents_get(&c->documents, path, js_length(list) > 0);
	if (d && (!d->open || js_int(params, "version", d->version) >= d->version))
		document_publish(d, list);
}

static void take_notification(struct client *c, const char *method, json_object *params)
{
	const char *kind = js_str(js_get(params, "value"), "kind", "");

	if (strcmp(method, "textDocument/publishDiagnostics") == 0)
		take_diagnostics(c, params);
	else if (strcmp(method, "$/progress") == 0 && strcmp(kind, "begin") == 0)
		c->progress++;
	else if (strcmp(method, "$/progress") == 0 && strcmp(kind, "end") == 0)
		c->progress -= c->progress > 0;
}

/* Handle any message other than the awaited response. */
static int take_other(struct client *c, json_object *message, const struct rpc_wait *w,
		      struct error *err)
{
	const char *method = js_str(message, "method", NULL);

	if (method && js_get(message, "id"))
		return lsp_client_take_request(c, message, method, w, err);
	if (method)
		take_notification(c, method, js_get(message, "params"));
	else if (++c->strange > STRANGE_MAX)
		return fail(err, MT_EINVAL,
			    "The language server sends responses to requests that were "
			    "not made.");
	return MT_OK;
}

/* Read and process one message. `id`: of the awaited response, which is stored in `*ret`;
 * negative: none. */
static int lsp_client_step(struct client *c, int64_t id, const struct rpc_wait *w,
			   json_object **ret, struct error *err)
{
	AUTO(json) json_object *message = NULL;
	int status = lsp_rpc_read(&c->rpc, w, &message, err);

	if (status)
		return lsp_client_broken(c, status);
	if (id >= 0 && !js_get(message, "method") && js_int(message, "id", -1) == id)
		*ret = STEAL(message);
	else
		status = take_other(c, message, w, err);
	/* A flood of messages must not hide the timeout. */
	if (!status && (id < 0 || !*ret) && w->until_ms && clock_ms() >= w->until_ms)
		status = fail(err, MT_ETIMEOUT, "The language server does not respond.");
	return lsp_client_broken(c, status);
}

/* Process the received messages, without waiting. */
static int client_drain(struct client *c, struct error *err)
{
	const struct rpc_wait now = { .until_ms = 0, .cancel_fd = -1 };
	struct error why = ERROR_NONE;
	int status = MT_OK;

	for (int i = 0; !status && i < DRAIN_MAX; i++)
		status = lsp_client_step(c, -1, &now, NULL, &why);
	return !status || status == MT_ETIMEOUT ? MT_OK
						: fail(err, status, "%s", why.text);
}

/* ---- requests -------------------------------------------------------------- */

static void client_cancel(struct client *c, int64_t id)
{
	const struct rpc_wait soon = { .until_ms = clock_ms() + RETRY_MS,
				       .cancel_fd = -1 };
	AUTO(strbuf) struct strbuf params = STRBUF(64);

	strbuf_addf(&params, "{\"id\":%lld}", (long long)id);
	notify(c, "$/cancelRequest", &params, &soon, NULL);
}

static int lsp_client_exchange(struct client *c, const char *method,
			       const struct strbuf *params, const struct rpc_wait *w,
			       json_object **ret, struct error *err)
{
	AUTO(strbuf) struct strbuf json = STRBUF(TEXT_MAX);
	int64_t id = ++c->last_id;

	lsp_client_begin(&json, id, method);
	strbuf_addn(&json, params->text, params->len);
	strbuf_addc(&json, '}');
	int status = client_send(c, &json, w, err);

	*ret = NULL;
	while (!status && !*ret) {
		struct error why = ERROR_NONE;

		status = lsp_client_step(c, id, w, ret, &why);
		if (status == MT_ETIMEOUT)
			fail(err, status,
			     "The language server `%s` did not answer %s in time.",
			     c->server->name, method);
		else if (status)
			fail(err, status, "%s", why.text);
	}
	if ((status == MT_ETIMEOUT || status == MT_ECANCELLED) && !c->broken)
		client_cancel(c, id);
	return status;
}

/* Wait until the server is not indexing. @return MT_ETIMEOUT: it is still indexing */
static int await_progress(struct client *c, const struct rpc_wait *w, struct error *err)
{
	struct rpc_wait index = { clock_ms() + INDEX_MS, w->cancel_fd };
	int status = MT_OK;

	if (index.until_ms > w->until_ms)
		index.until_ms = w->until_ms;
	while (!status && c->progress > 0)
		status = lsp_client_step(c, -1, &index, NULL, err);
	return status;
}

static bool can_repeat(json_object *response)
{
	int64_t code = js_int(js_get(response, "error"), "code", 0);

	return code == MODIFIED || code == CANCELLED_BY_SERVER;
}

static int response_result(const struct client *c, json_object *response,
			   json_object **ret, struct error *err)
{
	json_object *error = js_get(response, "error");

	if (error)
		return fail(err, MT_EUNSUPPORTED,
			    "The language server `%s` answered: %.300s", c->server->name,
			    js_str(error, "message", "(no message)"));
	*ret = json_object_get(js_get(response, "result"));
	return MT_OK;
}

int lsp_client_request(struct client *c, const char *method, const struct strbuf *params,
		       const struct rpc_wait *w, json_object **ret, bool *ret_partly,
		       struct error *err)
{
	AUTO(json) json_object *response = NULL;
	struct error why = ERROR_NONE;
	bool indexed = false;

	*ret = NULL;
	*ret_partly = false;
	for (int i = 0; i < REPEATS_MAX; i++) {
		int status;

		json_object_put(response);
		status = lsp_client_exchange(c, method, params, w, &response, err);
		if (status)
			return status;
		indexed |= c->progress > 0;
		if (!indexed && !can_repeat(response))
			break;
		status = await_progress(c, w, &why);
		if (status && status != MT_ETIMEOUT)
			return fail(err, status, "%s", why.text);
		*ret_partly = status == MT_ETIMEOUT;
		if (*ret_partly)
			break;
		indexed = false;
	}
	return response_result(c, response, ret, err);
}

/* ---- documents ------------------------------------------------------------- */

static void put_document(struct strbuf *json, const struct document *d, bool version)
{
	AUTO(strbuf) struct strbuf uri = STRBUF(1 << 16);

	lsp_uri_put(&uri, d->path);
	js_key(json, "textDocument");
	strbuf_addc(json, '{');
	js_key_str(json, "uri", uri.text);
	if (version)
		js_key_int(json, "version", d->version);
}

static void lsp_client_put_text(struct strbuf *json, const struct textfile *f)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(4 * TEXTFILE_MAX + 64);

	utf8_add_clean(&clean, f->text.text, f->text.len);
	js_key_strn(json, "text", clean.text, clean.len);
}

static int send_open(struct client *c, struct document *d, const struct textfile *f,
		     const struct rpc_wait *w, struct error *err)
{
	AUTO(strbuf) struct strbuf params = STRBUF(TEXT_MAX);

	strbuf_addc(&params, '{');
	put_document(&params, d, true);
	js_key_str(&params, "languageId", lsp_language_of(d->path));
	lsp_client_put_text(&params, f);
	strbuf_add(&params, "}}");
	return notify(c, "textDocument/didOpen", &params, w, err);
}

static int send_change(struct client *c, struct document *d, const struct textfile *f,
		       const struct rpc_wait *w, struct error *err)
{
	AUTO(strbuf) struct strbuf params = STRBUF(TEXT_MAX);

	strbuf_addc(&params, '{');
	put_document(&params, d, true);
	strbuf_add(&params, "},\"contentChanges\":[{");
	lsp_client_put_text(&params, f);
	strbuf_add(&params, "}]}");
	return notify(c, "textDocument/didChange", &params, w, err);
}

static int send_plain(struct client *c, const char *method, const struct document *d,
		      const struct rpc_wait *w, struct error *err)
{
	AUTO(strbuf) struct strbuf params = STRBUF(1 << 16);

	strbuf_addc(&params, '{');
	put_document(&params, d, false);
	strbuf_add(&params, "}}");
	return notify(c, method, &params, w, err);
}

static int close_document(struct client *c, struct document *d, const struct rpc_wait *w,
			  struct error *err)
{
	d->open = d->awaited = false;
	return c->syncs ? send_plain(c, "textDocument/didClose", d, w, err) : MT_OK;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Send the text of a file that has changed; a file that cannot be read is closed. */
static int refresh(struct client *c, struct document *d, const struct rpc_wait *w,
		   struct error *err)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	struct stat st;
	int status;

	if (stat(d->path, &st) == 0 && is_same(&st, &d->st))
		return MT_OK;
	if (textfile_read(&f, d->path, NULL) || textfile_decode(&f, NULL, NULL))
		return close_document(c, d, w, err);
	d->st = f.st;
	d->version++;
	d->awaited = true;
	status = c->syncs ? send_change(c, d, &f, w, err) : MT_OK;
	if (!status && c->syncs)
		status = send_plain(c, "textDocument/didSave", d, w, err);
	return status;
}

int client_sync(struct client *c, const struct rpc_wait *w, struct error *err)
{
	int status = client_drain(c, err);

	for (size_t i = 0; !status && i < c->documents.count; i++)
		if (c->documents.list[i]->open)
			status = refresh(c, c->documents.list[i], w, err);
	return status;
}

struct document *lsp_client_open(struct client *c, const char *path,
				 const struct textfile *f, const struct rpc_wait *w,
				 struct error *err)
{
	struct document *d = documents_get(&c->documents, path, true), *surplus;
	int status = MT_OK;

	if (!d) {
		fail(err, MT_ELIMIT, "The language server knows more than %d files.",
		     DOCUMENTS_MAX);
		return NULL;
	}
	if (d->open)
		return d;
	surplus = documents_surplus(&c->documents);
	if (surplus)
		status = close_document(c, surplus, w, err);
	d->open = d->awaited = true;
	d->version++;
	d->st = f->st;
	if (!status && c->syncs)
		status = send_open(c, d, f, w, err);
	return status ? NULL : d;
}

int client_files_changed(struct client *c, const struct strbuf *changes,
			 const struct rpc_wait *w, struct error *err)
{
	AUTO(strbuf) struct strbuf params = STRBUF(16 << 20);

	strbuf_add(&params, "{\"changes\":[");
	strbuf_addn(&params, changes->text, changes->len);
	strbuf_add(&params, "]}");
	return notify(c, "workspace/didChangeWatchedFiles", &params, w, err);
}

static bool awaits(const struct client *c, const struct document *one)
{
	if (one)
		return one->awaited;
	for (size_t i = 0; i < c->documents.count; i++)
		if (c->documents.list[i]->open && c->documents.list[i]->awaited)
			return true;
	return false;
}

int client_await(struct client *c, const struct document *one, const struct rpc_wait *w,
		 struct error *err)
{
	int status = MT_OK;

	while (!status && awaits(c, one))
		status = lsp_client_step(c, -1, w, NULL, err);
	return status;
}

/* ---- start and end ----------------------------------------------------------- */

static void put_root(const struct client *c, struct strbuf *json)
{
	AUTO(strbuf) struct strbuf uri = STRBUF(1 << 16);

	lsp_uri_put(&uri, c->root);
	js_key_str(json, "rootUri", uri.text);
	js_key_str(json, "rootPath", c->root);
	strbuf_add(json, ",\"workspaceFolders\":[{");
	js_key_str(json, "uri", uri.text);
	js_key_str(json, "name", "workspace");
	strbuf_add(json, "}]");
}

static const char capabilities[] =
	",\"capabilities\":{"
	"\"general\":{\"positionEncodings\":[\"utf-8\",\"utf-32\",\"utf-16\"]},"
	"\"offsetEncoding\":[\"utf-8\",\"utf-16\"],"
	"\"workspace\":{\"workspaceFolders\":true,\"configuration\":true,"
	"\"didChangeWatchedFiles\":{\"dynamicRegistration\":true},"
	"\"workspaceEdit\":{\"documentChanges\":true}},"
	"\"window\":{\"workDoneProgress\":true},"
	"\"textDocument\":{\"synchronization\":{\"didSave\":true},"
	"\"definition\":{\"linkSupport\":true},\"references\":{},"
	"\"rename\":{\"prepareSupport\":false},"
	"\"publishDiagnostics\":{\"versionSupport\":true}}}}";

/* `offsetEncoding` is the older name of clangd. */
static void take_capabilities(struct client *c, json_object *result)
{
	json_object *has = js_get(result, "capabilities");
	json_object *sync = js_get(has, "textDocumentSync"),
		    *rename = js_get(has, "renameProvider");

	c->encoding = lsp_encoding_of(js_str(has, "positionEncoding",
					     js_str(result, "offsetEncoding", "utf-16")));
	c->syncs = json_object_is_type(sync, json_type_object)
			   ? js_bool(sync, "openClose", true)
			   : json_object_get_int(sync) > 0;
	c->renames = json_object_is_type(rename, json_type_object) ||
		     json_object_get_boolean(rename);
}

static int handshake(struct client *c, const struct rpc_wait *w, struct error *err)
{
	AUTO(strbuf) struct strbuf params = STRBUF(1 << 16), none = STRBUF(8);
	AUTO(json) json_object *result = NULL, *response = NULL;

	strbuf_addc(&params, '{');
	js_key_int(&params, "processId", getpid());
	put_root(c, &params);
	strbuf_add(&params, capabilities);
	strbuf_add(&none, "{}");
	int status = lsp_client_exchange(c, "initialize", &params, w, &response, err);

	if (!status)
		status = response_result(c, response, &result, err);
	if (status)
		return status;
	take_capabilities(c, result);
	return notify(c, "initialized", &none, w, err);
}

struct client *client_start(const struct server *server, const char *root,
			    const char *workspace, const struct rpc_wait *w,
			    struct error *err)
{
	struct client *c = calloc(1, sizeof *c);
	char **argv = server_argv(server);
	int status = c && argv ? MT_OK : out_of_memory(err);

	if (!status) {
		c->server = server;
		c->workspace = workspace;
		c->root = strdup(root);
		status = c->root ? rpc_start(&c->rpc, argv, root, err)
				 : out_of_memory(err);
	}
	if (argv)
		free(argv[0]);
	free(argv);
	if (!status) {
		status = handshake(c, w, err);
		if (!status)
			return c;
		rpc_end(&c->rpc);
	}
	if (c)
		free(c->root);
	free(c);
	return NULL;
}

void client_end(struct client *c)
{
	const struct rpc_wait soon = { .until_ms = clock_ms() + RETRY_MS,
				       .cancel_fd = -1 };
	AUTO(strbuf) struct strbuf none = STRBUF(8);

	strbuf_add(&none, "null");
	if (!c->broken)
		notify(c, "exit", &none, &soon, NULL);
	rpc_end(&c->rpc);
	documents_clear(&c->documents);
	free(c->root);
	free(c);
}
