/* SPDX-License-Identifier: MIT
 *
 * fetch.c - an agent, an agent with a model and a condenser for tests, which send the HTTP
 * requests of their option `requests` one after the other and keep their results.
 * Never installed. */
#define MORTISE_PROVISIONAL
#include <mortise/agent.h>
#include <mortise/analyzer.h>
#include <mortise/condenser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct mt_permission permissions[] = {
	MT_PERMISSION(MT_PERMIT_HOST, "127.0.0.1", "the server of the test"),
};

enum { RESULTS_MAX = 8192 };

/* The state: number of requests so far, and their results. */
struct results {
	size_t count;
	char text[RESULTS_MAX];
};

static void read_state(const struct mt_in *in, struct results *ret)
{
	*ret = (struct results){ 0 };
	if (in->what == MT_START || !in->state.len)
		return;
	ret->count = strtoul(in->state.ptr, NULL, 10);
	snprintf(ret->text, sizeof ret->text, "%s", strchr(in->state.ptr, ' ') + 1);
}

static int write_state(const struct mt_host *host, struct mt_ctx *ctx,
		       const struct results *r)
{
	char text[RESULTS_MAX + 32];
	int len = snprintf(text, sizeof text, "%zu %s", r->count, r->text);

	return host->keep(ctx, (struct mt_str){ text, (size_t)len });
}

/* What JSON and the log can show. */
static void add(struct results *r, const char *text, size_t len)
{
	size_t at = strlen(r->text);

	for (; len-- > 0 && at + 1 < sizeof r->text && at < 4000; text++)
		r->text[at++] =
			*text < ' ' || *text > '~' || strchr("\"\\", *text) ? '.' : *text;
	r->text[at] = '\0';
}

static void add_result(const struct mt_host *host, struct mt_ctx *ctx,
		       const struct mt_http_result *result, struct results *r)
{
	struct mt_str body = { "", 0 };
	char text[128];
	int len = snprintf(text, sizeof text, "<%u, error %d, %u bytes> ", result->status,
			   result->error, (unsigned)result->body_len);

	add(r, text, (size_t)len);
	add(r, result->reason.ptr, result->reason.len);
	if (*result->body && host->blob(ctx, result->body, &body))
		body = (struct mt_str)MT_STR("(no blob)");
	add(r, body.ptr, body.len < 300 ? body.len : 300);
	add(r, " ", 1);
	if (host->option(ctx, "headers"))
		add(r, result->headers.ptr, result->headers.len);
}

/* "METHOD URL [BODY]": the n-th of those that `;` separates. @return as host->http; 0: no
 * more */
static int request(const struct mt_host *host, struct mt_ctx *ctx, size_t n,
		   const char *blob)
{
	const char *list = host->option(ctx, "requests"), *header;
	char method[16], url[512], body[256] = "";
	struct mt_http_request r = { .size = sizeof r, .method = method, .url = url };

	for (; list && n > 0; n--) {
		list = strchr(list, ';');
		list += list != NULL;
	}
	if (!list || sscanf(list, " %15s %511[^ ;] %255[^;]", method, url, body) < 2)
		return 0;
	if (*body && strcmp(body, "last") == 0)
		r.body_blob = blob;
	else if (*body)
		r.body = (struct mt_str){ body, strlen(body) };
	header = host->option(ctx, "header");
	if (header)
		r.headers = (struct mt_str){ header, strlen(header) };
	r.timeout_ms = host->option_int(ctx, "timeout");
	r.max_bytes = (uint64_t)host->option_int(ctx, "max");
	r.flags = host->option_int(ctx, "repeatable") ? MT_HTTP_REPEATABLE : 0;
	return host->http(ctx, &r);
}

/* Take a result and send the next request. @return 1: it was sent; 0: there is none; else a
 * status after `refuse` */
static int fetch(const struct mt_host *host, struct mt_ctx *ctx, const struct mt_in *in,
		 struct results *r)
{
	int status;

	read_state(in, r);
	if (in->what == MT_HTTP_DONE)
		add_result(host, ctx, in->http, r);
	status = request(host, ctx, r->count,
			 in->what == MT_HTTP_DONE ? in->http->body : NULL);
	if (status > 0)
		r->count++;
	if (status >= 0 && write_state(host, ctx, r))
		return MT_EINVAL;
	return status;
}

/* ---- agents ------------------------------------------------------------------- */

static int fetch_system(const struct mt_host *host, struct mt_ctx *ctx,
			struct mt_str *ret_text)
{
	(void)host, (void)ctx;
	*ret_text = (struct mt_str)MT_STR("Fetch.");
	return MT_OK;
}

static int fetch_advance(const struct mt_host *host, const struct mt_agent_out *out,
			 struct mt_ctx *ctx, const struct mt_in *in)
{
	char text[RESULTS_MAX + 64];
	struct results r;
	int status = fetch(host, ctx, in, &r);

	if (status)
		return status < 0 ? status : MT_OK;
	snprintf(text, sizeof text,
		 "{\"final_thought\":\"%zu places: %s\",\"outputs\":{}}",
		 host->view_count(ctx), r.text);
	return out->action(ctx, "finish", (struct mt_str){ text, strlen(text) });
}

static const struct mt_agent fetcher = { .size = sizeof fetcher,
					 .flags = MT_AGENT_NO_MODEL,
					 .system = fetch_system,
					 .advance = fetch_advance };

/* Tells the results to its model. */
static int teller_advance(const struct mt_host *host, const struct mt_agent_out *out,
			  struct mt_ctx *ctx, const struct mt_in *in)
{
	struct mt_http_request late = { .size = sizeof late, .url = "http://127.0.0.1/" };
	struct mt_request *request;
	struct results r;
	int status = in->what == MT_REPLIED ? 0 : fetch(host, ctx, in, &r);

	if (status)
		return status < 0 ? status : MT_OK;
	if (in->what == MT_REPLIED) {
		host->log(ctx, MT_LOG_INFO, "after the reply: %d",
			  host->http(ctx, &late));
		for (size_t i = 0; i < host->reply_calls(in->reply); i++)
			out->call(ctx, i);
		return MT_OK;
	}
	request = host->request(ctx);
	if (!request || host->request_history(request) ||
	    host->request_message(request, MT_ROLE_USER,
				  (struct mt_str){ r.text, strlen(r.text) }) ||
	    host->request_tool(request, NULL))
		return MT_EINVAL;
	return host->send(ctx, request) > 0 ? MT_OK : MT_EUNSUPPORTED;
}

static const struct mt_agent teller = { .size = sizeof teller,
					.system = fetch_system,
					.advance = teller_advance };

/* ---- condenser ------------------------------------------------------------------ */

static int fetch_condense(const struct mt_host *host, const struct mt_condenser_out *out,
			  struct mt_ctx *ctx, const struct mt_in *in)
{
	struct results r;
	int status = fetch(host, ctx, in, &r);

	(void)out;
	if (!status)
		host->log(ctx, MT_LOG_INFO, "%zu places: %s", host->view_count(ctx),
			  r.text);
	return status < 0 ? status : MT_OK;
}

static const struct mt_condenser condenser = { .size = sizeof condenser,
					       .advance = fetch_condense };

/* ---- analyzer: it has no effects --------------------------------------------------- */

static int fetch_analyze(const struct mt_host *host, const struct mt_analyzer_out *out,
			 struct mt_ctx *ctx, const struct mt_in *in)
{
	struct mt_http_request r = { .size = sizeof r, .url = "http://127.0.0.1/" };
	struct mt_str none = MT_STR("fetch");

	(void)in;
	if (host->http(ctx, &r) != MT_EUNSUPPORTED ||
	    host->blob(ctx, "0", &none) != MT_EUNSUPPORTED)
		return MT_EINVAL;
	return out->verdict(ctx, MT_RISK_LOW, 0, none, none);
}

static const struct mt_analyzer analyzer = { .size = sizeof analyzer,
					     .advance = fetch_analyze };

/* ---- the plugin ------------------------------------------------------------------ */

#define OPTION(type_, name_)                                                             \
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_##type_, .name = name_,    \
	  .max = 1 << 30, .help = "What to send." }

static const struct mt_option options[] = {
	OPTION(TEXT, "requests"), OPTION(TEXT, "header"), OPTION(TEXT, "headers"),
	OPTION(INT, "timeout"), OPTION(INT, "max"), OPTION(BOOL, "repeatable"),
};

#define COMPONENT(kind_, name_, functions_)                                              \
	{ .size = sizeof(struct mt_component), .kind = MT_KIND_##kind_,                  \
	  .version_major = MT_##kind_##_MAJOR, .version_minor = MT_##kind_##_MINOR,      \
	  .name = name_, .summary = "Fetches.", .functions = functions_,                 \
	  .options = options, .option_count = sizeof options / sizeof *options }

static const struct mt_component components[] = {
	COMPONENT(AGENT, "fetch", &fetcher),
	COMPONENT(AGENT, "teller", &teller),
	COMPONENT(CONDENSER, "fetch", &condenser),
	COMPONENT(ANALYZER, "fetch", &analyzer),
};

MT_PLUGIN(.name = "fetch", .version = "1.0", .license = "MIT", .components = components,
	  .component_count = sizeof components / sizeof *components,
	  .permissions = permissions,
	  .permission_count = sizeof permissions / sizeof *permissions)
