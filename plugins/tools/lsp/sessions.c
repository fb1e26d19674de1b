/* SPDX-License-Identifier: MIT
 *
 * sessions.c - the running servers of an instance, and one call that uses them. */
#include "sessions.h"
#include "clock.h"
#include "files.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

enum {
	SPARE_MS = 1000,   /* before the host terminates the call */
	LINES_NAMED = 5,   /* lines listed where a symbol was found instead */
};

const char *lsp_short_path(const struct lsp *lsp, const char *path)
{
	size_t len = strlen(lsp->workspace);

	return strncmp(path, lsp->workspace, len) == 0 && path[len] == '/'
		       ? path + len + 1
		       : path;
}

const char *lsp_text_arg(const struct ask *a, const char *name, struct error *err)
{
	size_t len = 0;
	const char *text = a->lsp->host->arg_str(a->call, name, &len);

	if (text && memchr(text, 0, len))
		fail(err, MT_EINVAL, "`%s` contains a NUL byte.", name);
	return text && *text && strlen(text) == len ? text : NULL;
}

static struct rpc_wait lsp_sessions_wait_for(const struct ask *a, const char *option)
{
	const struct mt_tool_host *host = a->lsp->host;
	int64_t time = host->option_int(a->lsp->instance, option);
	int64_t left = host->time_left_ms(a->call);

	if (left >= 0 && left - SPARE_MS < time)
		time = left > SPARE_MS ? left - SPARE_MS : 0;
	return (struct rpc_wait){ clock_ms() + time, host->cancel_fd(a->call) };
}

void lsp_ask_begin(struct ask *a, struct lsp *lsp, struct mt_call *call)
{
	*a = (struct ask){ .lsp = lsp, .call = call, .file = TEXTFILE };
	a->wait = lsp_sessions_wait_for(a, "timeout");
}

/* ---- servers ------------------------------------------------------------- */

static void end_client(struct lsp *lsp, size_t i)
{
	client_end(lsp->clients[i]);
	lsp->clients[i] = lsp->clients[--lsp->count];
}

void sessions_end(struct lsp *lsp)
{
	while (lsp->count)
		end_client(lsp, lsp->count - 1);
}

void lsp_ask_end(struct ask *a)
{
	textfile_clear(&a->file);
	for (size_t i = a->lsp->count; i-- > 0;)
		if (a->lsp->clients[i]->broken)
			end_client(a->lsp, i);
}

static struct client *running(struct lsp *lsp, const struct server *server,
			      const char *root)
{
	for (size_t i = 0; i < lsp->count; i++) {
		struct client *c = lsp->clients[i];

		if (c->server == server && strcmp(c->root, root) == 0 && !c->broken)
			return c;
	}
	return NULL;
}

static void lsp_sessions_make_room(struct lsp *lsp)
{
	size_t oldest = 0;

	if (lsp->count < CLIENTS_MAX)
		return;
	for (size_t i = 1; i < lsp->count; i++)
		if (lsp->clients[i]->used < lsp->clients[oldest]->used)
			oldest = i;
	end_client(lsp, oldest);
}

/* Replace a server that has exited since the last call. */
static int find_client(struct ask *a, const struct server *server, const char *root,
		       struct error *err)
{
	struct lsp *lsp = a->lsp;
	struct client *c = running(lsp, server, root);
	struct rpc_wait start = lsp_sessions_wait_for(a, "start_timeout");

	if (c && client_sync(c, &a->wait, NULL) && c->broken)
		c = NULL;
	if (!c && a->is_preview)
		return fail(err, MT_EUNSUPPORTED,
			    "the language server starts after the approval");
	if (!c) {
		lsp_sessions_make_room(lsp);
		c = client_start(server, root, lsp->workspace, &start, err);
		if (!c)
			return err->code;
		lsp->clients[lsp->count++] = c;
		a->wait = lsp_sessions_wait_for(a, "timeout");
	}
	c->used = ++lsp->clock;
	a->client = c;
	return MT_OK;
}

/* ---- the file ------------------------------------------------------------- */

static char *file_arg(const struct ask *a, struct error *err)
{
	const char *path = lsp_text_arg(a, "path", err);
	AUTO(free) char *whole = path ? path_join(a->lsp->workspace, path) : NULL;
	char *real = whole ? realpath(whole, NULL) : NULL;

	if (!path)
		fail(err, MT_EINVAL, "Missing argument `path`.");
	else if (!real)
		fail(err, MT_ENOTFOUND, "%.300s: %s.", path, strerror(errno));
	else if (lsp_short_path(a->lsp, real) != real)
		return real;
	else
		fail(err, MT_EDENIED, "%.300s is outside the workspace.", path);
	free(real);
	return NULL;
}

int lsp_ask_open(struct ask *a, struct error *err)
{
	AUTO(free) char *path = file_arg(a, err);
	const struct server *server =
		path ? servers_find(&a->lsp->servers, path, err) : NULL;
	AUTO(free) char *root =
		server ? lsp_server_root(server, path, a->lsp->workspace) : NULL;
	struct error why = ERROR_NONE;

	if (!root)
		return err->code ? err->code : out_of_memory(err);
	if (textfile_read(&a->file, path, &why) || textfile_decode(&a->file, NULL, &why))
		return fail(err, why.code, "%.300s: %s", lsp_short_path(a->lsp, path),
			    why.text);
	if (find_client(a, server, root, err))
		return err->code;
	a->document = lsp_client_open(a->client, path, &a->file, &a->wait, err);
	return a->document ? MT_OK : err->code;
}

/* ---- the position ---------------------------------------------------------- */

/* Append the lines that contain the symbol, for a call that names another line. */
static void lsp_sessions_put_lines(const struct ask *a, const char *symbol,
				   struct strbuf *out)
{
	const char *line;
	size_t len, found = 0;

	for (size_t n = 0;
	     (line = lsp_text_line(a->file.text.text, a->file.text.len, n, &len)); n++)
		if (lsp_symbol_in(line, len, symbol) != SIZE_MAX && found++ < LINES_NAMED)
			strbuf_addf(out, "%s%zu", found > 1 ? ", " : "", n + 1);
	if (found > LINES_NAMED)
		strbuf_addf(out, " and %zu more", found - LINES_NAMED);
}

static int no_symbol(const struct ask *a, const char *symbol, int64_t line,
		     struct error *err)
{
	const char *path = lsp_short_path(a->lsp, a->document->path);
	AUTO(strbuf) struct strbuf lines = STRBUF(256);

	lsp_sessions_put_lines(a, symbol, &lines);
	if (!lines.len)
		return fail(err, MT_ENOTFOUND, "`%.100s` does not occur in %.200s.",
			    symbol, path);
	return fail(err, MT_ENOTFOUND,
		    "`%.100s` is not in line %lld of %.200s. Lines with it: %s.", symbol,
		    (long long)line, path, lines.text);
}

/* Find the line with the symbol, from 0, and its offset in the line. */
static const char *find_symbol(const struct ask *a, const char *symbol, int64_t wanted,
			       size_t *ret_line, size_t *ret_at)
{
	const char *line;
	size_t len;

	for (size_t n = wanted > 0 ? (size_t)wanted - 1 : 0;
	     (line = lsp_text_line(a->file.text.text, a->file.text.len, n, &len)); n++) {
		*ret_line = n;
		*ret_at = lsp_symbol_in(line, len, symbol);
		if (*ret_at != SIZE_MAX || wanted > 0)
			break;
	}
	return line && *ret_at != SIZE_MAX ? line : NULL;
}

int lsp_ask_position(const struct ask *a, struct strbuf *json, struct error *err)
{
	const char *symbol = lsp_text_arg(a, "symbol", err), *line;
	AUTO(strbuf) struct strbuf uri = STRBUF(1 << 16);
	int64_t wanted = 0;
	size_t n, at;

	if (!symbol)
		return fail(err, MT_EINVAL, "Missing argument `symbol`.");
	a->lsp->host->arg_int(a->call, "line", &wanted);
	line = find_symbol(a, symbol, wanted, &n, &at);
	if (!line)
		return no_symbol(a, symbol, wanted, err);
	lsp_uri_put(&uri, a->document->path);
	js_key(json, "textDocument");
	strbuf_addc(json, '{');
	js_key_str(json, "uri", uri.text);
	strbuf_addc(json, '}');
	strbuf_addf(json, ",\"position\":{\"line\":%zu,\"character\":%zu}", n,
		    lsp_column_of(line, at, a->client->encoding));
	return json->error;
}
