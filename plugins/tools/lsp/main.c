/* SPDX-License-Identifier: MIT
 *
 * main.c - find_definition, find_references, diagnostics and rename_symbol, using the
 * installed language servers. */
#include "clock.h"
#include "locations.h"
#include "tool-plugin.h"

#include <limits.h>
#include <string.h>

enum {
	RESULT_MAX = 1 << 20, /* bytes */
	NEWS_MS = 2000,       /* to wait for diagnostics of changed files */
	NEWS_MAX = 20,        /* errors listed in addition to a result */
};

static size_t offset_arg(const struct ask *a)
{
	int64_t n = 0;

	a->lsp->host->arg_int(a->call, "offset", &n);
	return n > 0 ? (size_t)n : 0;
}

static size_t page_size(const struct ask *a)
{
	return (size_t)a->lsp->host->option_int(a->lsp->instance, "results");
}

static void lsp_tool_put_page(size_t first, size_t shown, size_t total,
			      struct strbuf *out)
{
	if (first >= total && total)
		strbuf_addf(out, "[There are only %zu.]\n", total);
	else if (first + shown < total)
		strbuf_addf(out, "[%zu to %zu of %zu; offset %zu shows the next ones.]\n",
			    first + 1, first + shown, total, first + shown);
}

static void put_partly(bool partly, struct strbuf *out)
{
	if (partly)
		strbuf_add(out, "[The language server is still indexing: the result may "
				"be incomplete.]\n");
}

/* Append errors caused by the edits that a server received. @return their number */
static size_t lsp_tool_add_news(struct ask *a, struct client *c,
				const struct rpc_wait *soon, struct strbuf *news)
{
	size_t skip = 0, most = NEWS_MAX, total = 0;

	client_await(c, NULL, soon, NULL);
	for (size_t i = 0; i < c->documents.count; i++)
		total += lsp_diagnostics_put(a->lsp, c->documents.list[i], c->encoding,
					     true, &skip, &most, news);
	return total;
}

static void lsp_tool_put_news(struct ask *a, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf news = STRBUF(RESULT_MAX);
	struct rpc_wait soon = { clock_ms() + NEWS_MS, a->wait.cancel_fd };
	size_t total = lsp_tool_add_news(a, a->client, &soon, &news);

	if (total)
		strbuf_addf(out, "[%zu new error%s since the last call:]\n%s", total,
			    total == 1 ? "" : "s", news.text);
}

/* ---- definition and references --------------------------------------------- */

static int put_locations(struct ask *a, json_object *result, const char *noun,
			 struct strbuf *out, struct error *err)
{
	struct locations l;
	size_t first = offset_arg(a), most = page_size(a);
	int r = locations_read(result, &l, err);

	if (!r && !l.count)
		strbuf_addf(out, "The language server found no %s of `%s`.\n", noun,
			    lsp_text_arg(a, "symbol", err));
	if (!r && l.count > 1)
		strbuf_addf(out, "%zu %ss in %zu file%s:\n", l.count, noun, l.files,
			    l.files == 1 ? "" : "s");
	if (!r) {
		size_t left = l.count > first ? l.count - first : 0;

		locations_put(a->lsp, &l, a->client->encoding, first, most, out);
		lsp_tool_put_page(first, left < most ? left : most, l.count, out);
	}
	locations_clear(&l);
	return r;
}

static int lsp_tool_find(struct ask *a, const char *method, const char *context,
			 const char *noun, struct strbuf *out, struct error *err)
{
	AUTO(strbuf) struct strbuf params = STRBUF(1 << 17);
	AUTO(json) json_object *result = NULL;
	bool partly = false;
	int r = lsp_ask_open(a, err);

	strbuf_addc(&params, '{');
	if (!r)
		r = lsp_ask_position(a, &params, err);
	strbuf_addf(&params, "%s}", context);
	if (!r)
		r = lsp_client_request(a->client, method, &params, &a->wait, &result,
				       &partly, err);
	if (!r)
		r = put_locations(a, result, noun, out, err);
	if (r)
		return r;
	put_partly(partly, out);
	lsp_tool_put_news(a, out);
	return MT_OK;
}

static int run_definition(struct ask *a, struct strbuf *out, struct error *err)
{
	return lsp_tool_find(a, "textDocument/definition", "", "definition", out, err);
}

static int run_references(struct ask *a, struct strbuf *out, struct error *err)
{
	return lsp_tool_find(a, "textDocument/references",
			     ",\"context\":{\"includeDeclaration\":true}", "reference",
			     out, err);
}

/* ---- diagnostics ------------------------------------------------------------- */

static int lsp_tool_await(const struct ask *a, struct client *c,
			  const struct document *one, struct strbuf *out,
			  struct error *err)
{
	struct error why = ERROR_NONE;
	int r = client_await(c, one, &a->wait, &why);

	if (r == MT_ETIMEOUT && one && !one->published)
		return fail(err, r,
			    "The language server `%s` has not reported diagnostics for "
			    "%.200s in time.",
			    c->server->name, lsp_short_path(a->lsp, one->path));
	if (r == MT_ETIMEOUT)
		strbuf_add(out, "[The language server has not checked the last changes "
				"yet.]\n");
	else if (r)
		fail(err, r, "%s", why.text);
	return err->code;
}

static void put_total(size_t total, const struct document *one, const struct lsp *lsp,
		      const struct strbuf *list, struct strbuf *out)
{
	const char *path =
		one ? lsp_short_path(lsp, one->path) : "the files that are open";

	if (total)
		strbuf_addf(out, "%zu diagnostic%s:\n%s", total, total == 1 ? "" : "s",
			    list->text);
	else
		strbuf_addf(out, "No diagnostics for %s.\n", path);
}

static int lsp_tool_check_one(struct ask *a, struct strbuf *out, struct error *err)
{
	AUTO(strbuf) struct strbuf list = STRBUF(RESULT_MAX);
	size_t first = offset_arg(a), skip = first, page = page_size(a), most = page,
	       total;
	int r = lsp_ask_open(a, err);

	if (!r)
		r = lsp_tool_await(a, a->client, a->document, out, err);
	if (r)
		return r;
	total = lsp_diagnostics_put(a->lsp, a->document, a->client->encoding, false,
				    &skip, &most, &list);
	put_total(total, a->document, a->lsp, &list, out);
	lsp_tool_put_page(first, page - most, total, out);
	lsp_tool_put_news(a, out);
	return MT_OK;
}

/* Report the diagnostics of all files that the running servers know. */
static int lsp_tool_check_all(struct ask *a, struct strbuf *out, struct error *err)
{
	AUTO(strbuf) struct strbuf list = STRBUF(RESULT_MAX);
	size_t first = offset_arg(a), skip = first, page = page_size(a), most = page,
	       total = 0;

	if (!a->lsp->count)
		return fail(err, MT_EINVAL,
			    "No language server is running. Name a file in `path`.");
	for (size_t i = 0; i < a->lsp->count; i++) {
		struct client *c = a->lsp->clients[i];
		int r = client_sync(c, &a->wait, err);

		if (!r)
			r = lsp_tool_await(a, c, NULL, out, err);
		if (r)
			return r;
		for (size_t n = 0; n < c->documents.count; n++)
			total += lsp_diagnostics_put(a->lsp, c->documents.list[n],
						     c->encoding, false, &skip, &most,
						     &list);
	}
	put_total(total, NULL, a->lsp, &list, out);
	lsp_tool_put_page(first, page - most, total, out);
	return MT_OK;
}

static int run_diagnostics(struct ask *a, struct strbuf *out, struct error *err)
{
	return lsp_text_arg(a, "path", err) || err->code
		       ? lsp_tool_check_one(a, out, err)
		       : lsp_tool_check_all(a, out, err);
}

/* ---- after other calls --------------------------------------------------------- */

/* Open the file that a call has changed, if a server for it runs. All its errors count as
 * new. */
static void open_changed(struct ask *a)
{
	struct error none = ERROR_NONE;

	if (!lsp_text_arg(a, "path", &none) || none.code || lsp_ask_open(a, &none))
		return;
	a->document->published = true;
}

/* Report errors that the running servers find in files changed on disk. */
static int run_follow_up(struct ask *a, struct strbuf *out, struct error *err)
{
	AUTO(strbuf) struct strbuf news = STRBUF(RESULT_MAX);
	struct rpc_wait soon = { clock_ms() + NEWS_MS, a->wait.cancel_fd };
	size_t total = 0;

	(void)err;
	a->is_preview = true; /* does not start servers */
	open_changed(a);
	for (size_t i = 0; i < a->lsp->count; i++)
		if (client_sync(a->lsp->clients[i], &soon, NULL) == MT_OK)
			total += lsp_tool_add_news(a, a->lsp->clients[i], &soon, &news);
	if (total)
		strbuf_addf(out, "[%zu new error%s after this call:]\n%s", total,
			    total == 1 ? "" : "s", news.text);
	return MT_OK;
}

/* ---- rename -------------------------------------------------------------------- */

/* Request the edit from the server. `*ret_partly`: it may be incomplete. */
static int propose(struct ask *a, json_object **ret, struct edits *e, struct error *err)
{
	AUTO(strbuf) struct strbuf params = STRBUF(1 << 17);
	const char *name = lsp_text_arg(a, "new_name", err);
	bool partly = false;
	int r = name ? lsp_ask_open(a, err)
		     : fail(err, MT_EINVAL, "Missing argument `new_name`.");

	if (!r && !a->client->renames)
		r = fail(err, MT_EUNSUPPORTED,
			 "The language server `%s` does not support renaming.",
			 a->client->server->name);
	strbuf_addc(&params, '{');
	if (!r)
		r = lsp_ask_position(a, &params, err);
	js_key_str(&params, "newName", name ? name : "");
	strbuf_addc(&params, '}');
	if (!r)
		r = lsp_client_request(a->client, "textDocument/rename", &params,
				       &a->wait, ret, &partly, err);
	if (!r && partly)
		r = fail(
			err, MT_ETIMEOUT,
			"The language server is still indexing. Nothing was changed. Try "
			"again later.");
	if (!r)
		r = edits_read(*ret, a->lsp->workspace, a->client->encoding, e, err);
	if (!r && !e->changes)
		r = fail(err, MT_ENOTFOUND,
			 "The language server found nothing to rename. Nothing was "
			 "changed.");
	return r;
}

/* The server reads changed files that are not open when it gets this notification. */
static void report_files(struct ask *a, const struct edits *e)
{
	AUTO(strbuf) struct strbuf changes = STRBUF(8 << 20);

	for (size_t i = 0; i < e->count; i++) {
		AUTO(strbuf) struct strbuf uri = STRBUF(1 << 16);

		lsp_uri_put(&uri, e->files[i].path);
		strbuf_add(&changes, i ? ",{" : "{");
		js_key_str(&changes, "uri", uri.text);
		strbuf_add(&changes, ",\"type\":2}");
	}
	if (!changes.error)
		client_files_changed(a->client, &changes, &a->wait, NULL);
	client_sync(a->client, &a->wait, NULL);
}

static int rename_files(struct ask *a, bool apply, struct strbuf *out, struct error *err)
{
	AUTO(json) json_object *edit = NULL;
	struct edits e = { 0 };
	int r = propose(a, &edit, &e, err);

	if (!r && apply)
		r = edits_write(&e, err);
	if (!r) {
		strbuf_addf(out, "%s `%s` to `%s`: %zu change%s in %zu file%s:\n",
			    apply ? "Renamed" : "Would rename",
			    lsp_text_arg(a, "symbol", err),
			    lsp_text_arg(a, "new_name", err), e.changes,
			    e.changes == 1 ? "" : "s", e.count, e.count == 1 ? "" : "s");
		lsp_edits_put(a->lsp, &e, page_size(a), out);
	}
	if (!r && apply) {
		report_files(a, &e);
		lsp_tool_put_news(a, out);
	}
	edits_clear(&e);
	return r;
}

static int run_rename(struct ask *a, struct strbuf *out, struct error *err)
{
	return rename_files(a, true, out, err);
}

static int show_rename(struct ask *a, struct strbuf *out, struct error *err)
{
	return rename_files(a, false, out, err);
}

/* ---- calls ------------------------------------------------------------------------ */

static int lsp_run(struct lsp *lsp, struct mt_call *call, bool is_preview,
		   int (*run)(struct ask *a, struct strbuf *out, struct error *err))
{
	AUTO(strbuf) struct strbuf out = STRBUF(RESULT_MAX);
	struct error err = ERROR_NONE;
	struct ask a;

	lsp_ask_begin(&a, lsp, call);
	a.is_preview = is_preview;
	int r = run(&a, &out, &err);

	lsp_ask_end(&a);
	if (r)
		return lsp->host->fail(call, r, "%s", err.text);
	if (out.error == MT_ENOMEM)
		return tool_out_of_memory(lsp->host, call);
	return lsp->host->reply_text(call, out.text, out.len);
}

static int lsp_call(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	static const struct {
		const char *name;
		int (*run)(struct ask *a, struct strbuf *out, struct error *err);
	} known[] = {
		{ "find_definition", run_definition },
		{ "find_references", run_references },
		{ "diagnostics", run_diagnostics },
		{ "rename_symbol", run_rename },
		{ "check_changes", run_follow_up },
	};
	const char *name = host->call_tool(call);

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i].name, name) == 0)
			return lsp_run(self, call, false, known[i].run);
	return host->fail(call, MT_ENOTFOUND, "Unknown tool `%s`.", name);
}

static int lsp_preview(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	(void)host;
	return lsp_run(self, call, true, show_rename);
}

static void lsp_close(const struct mt_tool_host *host, struct mt_instance *instance,
		      void *self)
{
	struct lsp *lsp = self;

	(void)host, (void)instance;
	sessions_end(lsp);
	free(lsp->workspace);
	free(lsp);
}

static int lsp_open(const struct mt_tool_host *host, struct mt_instance *instance,
		    void **ret_self)
{
	struct lsp *lsp = calloc(1, sizeof *lsp);
	struct error err = ERROR_NONE;

	if (!lsp)
		return MT_ENOMEM;
	lsp->host = host;
	lsp->instance = instance;
	lsp->workspace = realpath(host->workspace(instance), NULL);
	int r = lsp->workspace ? servers_read(host, instance, &lsp->servers, &err)
			       : fail(&err, MT_ENOTFOUND, "the workspace does not exist");

	if (r) {
		host->log(instance, MT_LOG_ERROR, "%s", err.text);
		lsp_close(host, instance, lsp);
		return r;
	}
	*ret_self = lsp;
	return MT_OK;
}

/* ---- the tools -------------------------------------------------------------------- */

/* Not read-only: servers run code of the project, such as its build scripts. */
#define FINDS (MT_TOOL_IDEMPOTENT | MT_TOOL_OPEN_WORLD)

static const struct mt_param symbol_params[] = {
	MT_TEXT("path", MT_REQUIRED, "File that uses the symbol."),
	MT_TEXT("symbol", MT_REQUIRED, "Its name, as in the file."),
	MT_INTEGER("line", .help = "Line with the symbol (default: the first one).",
		   .min = 1, .max = INT_MAX),
	MT_INTEGER("offset", .help = "Results to skip.", .max = INT_MAX),
};

static const struct mt_param diagnostics_params[] = {
	MT_TEXT("path", 0, "File to check (default: those checked before)."),
	MT_INTEGER("offset", .help = "Results to skip.", .max = INT_MAX),
};

static const struct mt_param changes_params[] = {
	MT_TEXT("path", 0, "File that was changed."),
};

static const struct mt_param rename_params[] = {
	MT_TEXT("path", MT_REQUIRED, "File that uses the symbol."),
	MT_TEXT("symbol", MT_REQUIRED, "Its name, as in the file."),
	MT_INTEGER("line", .help = "Line with the symbol (default: the first one).",
		   .min = 1, .max = INT_MAX),
	MT_TEXT("new_name", MT_REQUIRED, "The new name."),
};

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = FINDS,
		.name = "find_definition",
		.description = "Find where a symbol is defined, by a language server. "
			       "Returns path:line:column and the line.",
		.brief = "Find where a symbol is defined.",
		.params = symbol_params,
		.param_count = ARRAY_LEN(symbol_params),
	},
	{
		.size = sizeof tools[0],
		.hints = FINDS,
		.name = "find_references",
		.description = "Find all uses of a symbol in the workspace, by a language "
			       "server: unlike a text search, only of this symbol.",
		.brief = "Find all uses of a symbol in the workspace.",
		.params = symbol_params,
		.param_count = ARRAY_LEN(symbol_params),
	},
	{
		.size = sizeof tools[0],
		.hints = FINDS,
		.name = "diagnostics",
		.description = "Check files with a language server: errors and warnings, "
			       "without a build. New errors are also named in the results "
			       "of edits.",
		.brief = "Errors and warnings of a language server, without a build.",
		.params = diagnostics_params,
		.param_count = ARRAY_LEN(diagnostics_params),
	},
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_DESTRUCTIVE | MT_TOOL_OPEN_WORLD,
		.name = "rename_symbol",
		.description = "Rename a symbol and all its uses, in all files or none, by "
			       "a language server. Returns the changed lines.",
		.brief = "Rename a symbol and all its uses.",
		.params = rename_params,
		.param_count = ARRAY_LEN(rename_params),
		.preview = lsp_preview,
	},
	{
		.size = sizeof tools[0],
		.hints = FINDS | MT_TOOL_FOLLOW_UP,
		.name = "check_changes",
		.brief = "Name errors that a call has caused.",
		.description = "Name the errors that the running language servers report since "
			       "the last call, in files that have changed on disk.",
		.params = changes_params,
		.param_count = ARRAY_LEN(changes_params),
	},
};

static const struct mt_toolset set = {
	.size = sizeof set,
	.tool_count = ARRAY_LEN(tools),
	.tools = tools,
	.open = lsp_open,
	.call = lsp_call,
	.close = lsp_close,
};

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "server.",
	  .flags = MT_OPTION_PREFIX,
	  .help = "Command of a language server: server.NAME = COMMAND ARGUMENT...; an "
		  "empty value disables the built-in one of this name." },
	{ .size = sizeof options[0], .type = MT_OPTION_LIST, .name = "extensions.",
	  .flags = MT_OPTION_PREFIX,
	  .help = "Extensions of the files that it serves: extensions.NAME = zig, zon." },
	{ .size = sizeof options[0], .type = MT_OPTION_LIST, .name = "roots.",
	  .flags = MT_OPTION_PREFIX,
	  .help = "Names that its root directory contains: roots.NAME = build.zig "
		  "(default: .git)." },
	{ .size = sizeof options[0], .type = MT_OPTION_DURATION, .name = "start_timeout",
	  .fallback = "60s", .min = 100, .max = 3600000,
	  .help = "Time limit for the startup of a server." },
	{ .size = sizeof options[0], .type = MT_OPTION_DURATION, .name = "timeout",
	  .fallback = "30s", .min = 100, .max = 3600000,
	  .help = "Time limit for a request to a server." },
	{ .size = sizeof options[0], .type = MT_OPTION_INT, .name = "results",
	  .fallback = "100", .min = 1, .max = 1000,
	  .help = "Maximum number of lines in a result." },
};

MT_TOOLSET(&set, "lsp", .name = "lsp",
	   .summary = "Definitions, references, diagnostics and renaming by language "
		      "servers.",
	   .options = options, .option_count = ARRAY_LEN(options))
