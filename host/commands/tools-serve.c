/* SPDX-License-Identifier: MIT
 *
 * tools-serve.c - `mortise tools serve`: the wired tools for any MCP client, by
 * translating between MCP and the runner's line; over standard input and output, or
 * HTTP (serve-http.c). */
#include "commands/serve.h"

#include "base64.h"
#include "commands/command.h"
#include "files.h"
#include "jsonl.h"
#include "tools/calls.h"

#include <config.h>
#include <errno.h>
#include <limits.h>
#include <mortise/tool.h>
#include <signal.h>
#include <string.h>

#define META "io.modelcontextprotocol/"

enum {
	ANSWER_MAX = 64 << 20,
	OUTPUT_SHOWN_MAX = 2048,
	CALLS_MAX = 256,     /* that run at the same time */
	LINGER_MS = 10000, /* for open calls, at the end of the input */
};

const char *const serve_legacy[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05",
				     NULL };

/* A call that runs. */
struct served {
	struct served *next;
	struct peer *peer;        /* who gets the result; NULL: nobody any more */
	uint64_t number;          /* of the link */
	json_object *id, *token;  /* token NULL: no progress is wanted */
	size_t written;           /* bytes of live output */
	bool cancelled, counts;   /* counts: the tool tells its progress itself */
};

struct serve {
	struct catalog *catalog;
	struct runner *link;
	uv_loop_t *loop;
	uv_poll_t in;
	uv_timer_t timer;
	uv_signal_t signals[2];
	struct jsonl lines;
	struct served *calls;
	size_t call_count;
	uint64_t numbers;
	struct peer standard;     /* standard output */
	struct web *web;          /* over HTTP; NULL: over standard input and output */
	bool greeted;             /* by a handshake: notices may be sent */
	bool ended;
	int code;
};

/* ---- what goes out ------------------------------------------------------------- */

static void send_standard(struct peer *p, struct strbuf *b, bool last, int code)
{
	(void)p, (void)last, (void)code;
	strbuf_addc(b, '\n');
	if (!b->error)
		write_all(STDOUT_FILENO, b->text, b->len);
}

static void answer(struct peer *p, struct strbuf *b)
{
	p->send(p, b, true, 0);
}

static void begin(struct strbuf *b, json_object *id, const char *member)
{
	strbuf_add(b, "{\"jsonrpc\":\"2.0\"");
	js_key(b, "id");
	js_put(b, id);
	js_key(b, member);
	strbuf_addc(b, '{');
}

void serve_refuse(struct peer *p, json_object *id, int code, const char *text,
		  const char *data)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);

	begin(&b, id, "error");
	js_key_int(&b, "code", code);
	js_key_str(&b, "message", text);
	if (data) {
		js_key(&b, "data");
		strbuf_add(&b, data);
	}
	strbuf_add(&b, "}}");
	p->send(p, &b, true, code);
}

static void put_server(struct strbuf *b)
{
	js_key(b, "serverInfo");
	strbuf_addc(b, '{');
	js_key_str(b, "name", "mortise");
	js_key_str(b, "version", PACKAGE_VERSION);
	strbuf_addc(b, '}');
}

static void put_cache(struct strbuf *b, bool modern)
{
	if (!modern)
		return;
	js_key_str(b, "resultType", "complete");
	js_key_int(b, "ttlMs", 0);
	js_key_str(b, "cacheScope", "private");
}

/* ---- the simple methods ----------------------------------------------------------- */

static void initialize(struct serve *s, struct peer *p, json_object *id,
		       json_object *params)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 16);
	const char *asked = js_str(params, "protocolVersion", ""), *version = serve_legacy[0];

	for (size_t i = 0; serve_legacy[i]; i++)
		if (strcmp(asked, serve_legacy[i]) == 0)
			version = serve_legacy[i];
	s->greeted = true;
	begin(&b, id, "result");
	js_key_str(&b, "protocolVersion", version);
	js_key(&b, "capabilities");
	strbuf_add(&b, s->web ? "{\"tools\":{}}" : "{\"tools\":{\"listChanged\":true}}");
	put_server(&b);
	strbuf_add(&b, "}}");
	answer(p, &b);
}

static void discover(struct peer *p, json_object *id)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 16);

	begin(&b, id, "result");
	js_key(&b, "supportedVersions");
	strbuf_add(&b, "[\"" SERVE_MODERN "\"");
	for (size_t i = 0; serve_legacy[i]; i++)
		strbuf_addf(&b, ",\"%s\"", serve_legacy[i]);
	strbuf_addc(&b, ']');
	js_key(&b, "capabilities");
	strbuf_add(&b, "{\"tools\":{}}");
	js_key(&b, "_meta");
	strbuf_add(&b, "{\"" META "serverInfo\":{");
	js_key_str(&b, "name", "mortise");
	js_key_str(&b, "version", PACKAGE_VERSION);
	strbuf_add(&b, "}}");
	put_cache(&b, true);
	strbuf_add(&b, "}}");
	answer(p, &b);
}

static void put_tool(struct strbuf *b, const struct tool *t)
{
	js_key_str(b, "name", t->name);
	js_key_str(b, "description", t->description);
	js_key(b, "inputSchema");
	js_put(b, t->schema_json);
	js_key(b, "annotations");
	strbuf_addc(b, '{');
	js_key_bool(b, "readOnlyHint", t->hints & MT_TOOL_READ_ONLY);
	js_key_bool(b, "destructiveHint", t->hints & MT_TOOL_DESTRUCTIVE);
	js_key_bool(b, "idempotentHint", t->hints & MT_TOOL_IDEMPOTENT);
	js_key_bool(b, "openWorldHint", t->hints & MT_TOOL_OPEN_WORLD);
	strbuf_addc(b, '}');
}

static void list(struct serve *s, struct peer *p, json_object *id, bool modern)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX);
	bool first = true;

	begin(&b, id, "result");
	js_key(&b, "tools");
	strbuf_addc(&b, '[');
	for (size_t i = 0; i < s->catalog->count; i++) {
		const struct tool *t = &s->catalog->tools[i];

		if (t->hints & MT_TOOL_CONTROL)
			continue;
		strbuf_add(&b, first ? "{" : ",{");
		put_tool(&b, t);
		strbuf_addc(&b, '}');
		first = false;
	}
	strbuf_addc(&b, ']');
	put_cache(&b, modern);
	strbuf_add(&b, "}}");
	answer(p, &b);
}

/* ---- calls --------------------------------------------------------------------- */

static struct served *served_find(struct serve *s, uint64_t number)
{
	struct served *c = s->calls;

	while (c && c->number != number)
		c = c->next;
	return c;
}

static void served_drop(struct serve *s, struct served *c)
{
	for (struct served **at = &s->calls; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	s->call_count--;
	json_object_put(c->id);
	json_object_put(c->token);
	free(c);
	if (s->ended && !s->calls)
		runner_close(s->link);
}

/* A result that says what went wrong, for the model to read. */
static void put_failure(struct peer *p, json_object *id, const char *text)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);

	begin(&b, id, "result");
	js_key(&b, "content");
	strbuf_add(&b, "[{\"type\":\"text\"");
	js_key_str(&b, "text", text);
	strbuf_add(&b, "}]");
	js_key_bool(&b, "isError", true);
	js_key_str(&b, "resultType", "complete");
	strbuf_add(&b, "}}");
	answer(p, &b);
}

json_object *serve_schema(const struct serve *s, const char *tool)
{
	const struct tool *t = catalog_find(s->catalog, tool);

	return t && !(t->hints & MT_TOOL_CONTROL) ? t->schema_json : NULL;
}

static void call(struct serve *s, struct peer *p, json_object *id, json_object *params)
{
	const char *name = js_str(params, "name", "");
	const struct tool *t = catalog_find(s->catalog, name);
	json_object *given = js_get(params, "arguments");
	AUTO(json) json_object *args = NULL;
	struct error err = ERROR_NONE;
	const char *text = given ? js_text(given, NULL) : "{}";
	struct served *c;
	size_t len;

	if (!t || (t->hints & MT_TOOL_CONTROL)) {
		catalog_unknown(s->catalog, name, text, &err);
		serve_refuse(p, id, RPC_PARAMS, err.text, NULL);
		return;
	}
	if (s->call_count >= CALLS_MAX) {
		put_failure(p, id, "too many concurrent calls");
		return;
	}
	args = call_arguments(t, text, strlen(text), &err);
	c = args ? calloc(1, sizeof *c) : NULL;
	if (!c) {
		put_failure(p, id, args ? "out of memory" : err.text);
		return;
	}
	*c = (struct served){ .next = s->calls, .peer = p, .number = ++s->numbers,
			      .id = json_object_get(id),
			      .token = json_object_get(js_path(params, "_meta.progressToken")) };
	s->calls = c;
	s->call_count++;
	text = js_text(args, &len);
	if (!text)
		out_of_memory(&err);
	if (!text || runner_call(s->link, c->number, s->catalog->instances[t->instance].name, t->real,
		      text, len, s->catalog->instances[t->instance].deadline_ms, &err)) {
		put_failure(p, id, err.text);
		served_drop(s, c);
	}
}

/* A client cancels its own calls: others number theirs alike. */
static bool is_same_client(const struct peer *a, const struct peer *b)
{
	return a == b || (a && a->session && b->session && *a->session &&
			  strcmp(a->session, b->session) == 0);
}

static void cancel(struct serve *s, const struct peer *p, json_object *params)
{
	json_object *id = js_get(params, "requestId");

	for (struct served *c = s->calls; c; c = c->next)
		if (id && js_equal(c->id, id) && is_same_client(c->peer, p)) {
			c->cancelled = true;
			runner_cancel(s->link, c->number);
		}
}

static void put_media(struct strbuf *b, const struct runner_media *m)
{
	bool image = strncmp(m->mime, "image/", 6) == 0;
	bool audio = strncmp(m->mime, "audio/", 6) == 0;

	strbuf_add(b, ",{");
	js_key_str(b, "type", image ? "image" : audio ? "audio" : "resource");
	if (!image && !audio) {
		js_key(b, "resource");
		strbuf_addc(b, '{');
		js_key_str(b, "uri", "mortise:result");
	}
	js_key_str(b, "mimeType", m->mime);
	js_key(b, image || audio ? "data" : "blob");
	strbuf_addc(b, '"');
	base64_put(b, m->bytes, m->len);
	strbuf_add(b, image || audio ? "\"}" : "\"}}");
}

/* The text, between the notes that say where a command stands if it did not just
 * succeed: it failed, it still runs, its output is whole in a file. */
static void put_noted(struct strbuf *text, const struct runner_result *r)
{
	json_object *metadata = js_get(r->fields, "metadata");
	bool noted = js_int(metadata, "exit_code", 0) != 0;

	strbuf_add(text, noted ? js_str(metadata, "prefix", "") : "");
	strbuf_addn(text, r->text, r->text_len);
	strbuf_add(text, noted ? js_str(metadata, "suffix", "") : "");
}

static void on_result(void *arg, const struct runner_result *r)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX), text = STRBUF(ANSWER_MAX);
	struct serve *s = arg;
	struct served *c = served_find(s, r->call);

	if (!c)
		return;
	if (!c->peer) {
		served_drop(s, c);
		return;
	}
	put_noted(&text, r);
	if (r->status)
		strbuf_addf(&text, "%s%s", text.len ? "\n" : "",
			    r->error ? r->error : status_name(r->status));
	begin(&b, c->id, "result");
	js_key(&b, "content");
	strbuf_add(&b, "[{\"type\":\"text\"");
	js_key_strn(&b, "text", text.text, text.len);
	strbuf_addc(&b, '}');
	for (size_t i = 0; i < r->media_count; i++)
		put_media(&b, &r->media[i]);
	strbuf_addc(&b, ']');
	js_key_bool(&b, "isError", r->status != MT_OK || result_exit_code(r));
	js_key_str(&b, "resultType", "complete");
	strbuf_add(&b, "}}");
	if (b.error)
		put_failure(c->peer, c->id, "the result is too large");
	else if (!c->cancelled) /* nobody waits for one that was cancelled */
		answer(c->peer, &b);
	served_drop(s, c);
}

static void put_progress(const struct served *c, double done, double total,
			 const char *message, size_t len)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 16);

	strbuf_add(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{");
	js_key(&b, "progressToken");
	js_put(&b, c->token);
	strbuf_addf(&b, ",\"progress\":%.17g", done);
	if (total > 0)
		strbuf_addf(&b, ",\"total\":%.17g", total);
	if (message)
		js_key_strn(&b, "message", message, len);
	strbuf_add(&b, "}}");
	c->peer->send(c->peer, &b, false, 0);
}

static void on_progress(void *arg, uint64_t number, double done, double total,
			const char *message)
{
	struct served *c = served_find(arg, number);

	if (!c || !c->token || !c->peer || c->cancelled)
		return;
	c->counts = true;
	put_progress(c, done, total, message, message ? strlen(message) : 0);
}

/* What a tool writes while it works is its progress, if it tells no other. */
static void on_output(void *arg, uint64_t number, const char *bytes, size_t len)
{
	struct served *c = served_find(arg, number);
	size_t shown = len < OUTPUT_SHOWN_MAX ? len : OUTPUT_SHOWN_MAX;

	if (!c || !c->token || !c->peer || c->cancelled || c->counts || len == 0)
		return;
	c->written += len;
	put_progress(c, (double)c->written, 0, bytes + len - shown, shown);
}

static void on_request(void *arg, uint64_t number, uint64_t request, const char *method,
		       json_object *params)
{
	static const char text[] = "no conversation is attached";
	struct serve *s = arg;

	(void)number, (void)method, (void)params;
	runner_answer(s->link, request, MT_EUNSUPPORTED, text, sizeof text - 1);
}

static void on_ready(void *arg)
{
	struct serve *s = arg;

	for (size_t i = 0; i < s->catalog->instance_count; i++)
		if (s->catalog->instances[i].dynamic)
			runner_list(s->link, s->catalog->instances[i].name, NULL);
}

static void on_tools(void *arg, const char *instance, json_object *tools)
{
	static const char line[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
	struct serve *s = arg;

	catalog_arrived(s->catalog, instance, tools);
	if (catalog_renew(s->catalog) && s->greeted && !s->web)
		write_all(STDOUT_FILENO, line, sizeof line - 1);
}

static void on_log(void *arg, int level, const char *instance, const char *text)
{
	(void)arg;
	if (level <= MT_LOG_WARNING)
		fprintf(stderr, "mortise: %s: %s\n", instance, text);
}

static void stop_input(struct serve *s)
{
	if (s->web)
		web_close(s->web);
	else
		uv_poll_stop(&s->in);
}

static void close_handles(struct serve *s)
{
	uv_handle_t *handles[] = { (uv_handle_t *)&s->timer, (uv_handle_t *)&s->signals[0],
				   (uv_handle_t *)&s->signals[1] };

	if (s->web)
		web_close(s->web);
	else if (!uv_is_closing((uv_handle_t *)&s->in))
		uv_close((uv_handle_t *)&s->in, NULL);
	for (size_t i = 0; i < ARRAY_LEN(handles); i++)
		if (!uv_is_closing(handles[i]))
			uv_close(handles[i], NULL);
}

static void on_closed(void *arg, const struct error *why)
{
	struct serve *s = arg;

	if (!s->ended) {
		fprintf(stderr, "mortise: the runner exited: %s\n", why->text);
		s->code = EXIT_TOOL;
		stop_input(s);
	}
	s->link = NULL;
	close_handles(s);
}

static const struct runner_events events = {
	.ready = on_ready, .tools = on_tools, .result = on_result, .output = on_output,
	.progress = on_progress, .request = on_request, .log = on_log, .closed = on_closed,
};

/* ---- what comes in ----------------------------------------------------------------- */

/* The protocol without a handshake names its version in each request.
 * @return false if it is none of ours, which has been said then. */
static bool check_version(struct peer *p, json_object *id, json_object *params,
			  bool *ret_modern)
{
	json_object *meta = js_get(params, "_meta");
	const char *version = js_str(meta, META "protocolVersion", NULL);
	AUTO(strbuf) struct strbuf data = STRBUF(4096);

	*ret_modern = version != NULL;
	if (!version || strcmp(version, SERVE_MODERN) == 0)
		return true;
	strbuf_add(&data, "{\"supported\":[\"" SERVE_MODERN "\"]");
	js_key_str(&data, "requested", version);
	strbuf_addc(&data, '}');
	serve_refuse(p, id, RPC_VERSION, "Unsupported protocol version", data.text);
	return false;
}

static void take_request(struct serve *s, struct peer *p, json_object *id,
			 const char *method, json_object *params)
{
	bool modern;

	if (!check_version(p, id, params, &modern))
		return;
	if (strcmp(method, "tools/call") == 0)
		call(s, p, id, params);
	else if (strcmp(method, "tools/list") == 0)
		list(s, p, id, modern);
	else if (strcmp(method, "initialize") == 0 && !(modern && s->web))
		initialize(s, p, id, params);
	else if (strcmp(method, "server/discover") == 0)
		discover(p, id);
	else if (strcmp(method, "ping") == 0 && !(modern && s->web)) {
		AUTO(strbuf) struct strbuf b = STRBUF(4096);

		begin(&b, id, "result");
		strbuf_add(&b, "}}");
		answer(p, &b);
	} else {
		serve_refuse(p, id, RPC_METHOD, "Method not found", NULL);
	}
}

void serve_message(struct serve *s, struct peer *p, json_object *doc)
{
	json_object *id = js_get(doc, "id");
	const char *method = js_str(doc, "method", NULL);

	if (!json_object_is_type(doc, json_type_object))
		serve_refuse(p, NULL, RPC_INVALID,
			     "batches are not supported; send one request per message",
			     NULL);
	else if (!s->link)
		serve_refuse(p, id, RPC_INTERNAL, "the server is shutting down", NULL);
	else if (method && id)
		take_request(s, p, id, method, js_get(doc, "params"));
	else if (method && strcmp(method, "notifications/cancelled") == 0)
		cancel(s, p, js_get(doc, "params"));
	else if (!method && !js_get(doc, "result") && !js_get(doc, "error"))
		serve_refuse(p, id, RPC_INVALID, "missing method", NULL);
}

void serve_forget(struct serve *s, struct peer *p)
{
	for (struct served *c = s->calls; c; c = c->next)
		if (c->peer == p) {
			c->peer = NULL;
			if (s->link)
				runner_cancel(s->link, c->number);
		}
}

static int on_line(char *line, size_t len, void *arg)
{
	struct serve *s = arg;
	struct error err = ERROR_NONE;
	AUTO(json) json_object *doc = len ? js_parse(line, len, &err) : NULL;

	if (len == 0 || !s->link)
		return MT_OK;
	if (err.code)
		serve_refuse(&s->standard, NULL, RPC_PARSE, err.text, NULL);
	else
		serve_message(s, &s->standard, doc);
	return MT_OK;
}

static void on_linger(uv_timer_t *timer)
{
	struct serve *s = timer->data;

	if (s->link)
		runner_close(s->link);
}

static void end(struct serve *s)
{
	if (s->ended)
		return;
	s->ended = true;
	stop_input(s);
	if (s->calls)
		uv_timer_start(&s->timer, on_linger, LINGER_MS, 0);
	else
		runner_close(s->link);
}

static void on_input(uv_poll_t *in, int status, int what)
{
	struct serve *s = in->data;
	char bytes[65536];
	ssize_t n = status ? 0 : read(STDIN_FILENO, bytes, sizeof bytes);

	(void)what;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0 && jsonl_feed(&s->lines, bytes, (size_t)n)) {
		serve_refuse(&s->standard, NULL, RPC_INVALID,
			     "message is larger than 16 MiB", NULL);
		n = 0;
	}
	if (n <= 0)
		end(s);
}

/* The client does not want to wait for what still runs. */
static void on_signal(uv_signal_t *handle, int number)
{
	struct serve *s = handle->data;

	(void)number;
	s->ended = true;
	stop_input(s);
	if (s->link)
		runner_close(s->link);
}

static int open_input(struct serve *s, const struct web_options *web, struct error *err)
{
	s->standard.send = send_standard;
	if (web)
		return web_open(s->loop, s, web, &s->web, err);
	if (uv_poll_init(s->loop, &s->in, STDIN_FILENO))
		return fail(err, MT_EIO, "standard input must be a pipe, a socket or a "
			    "terminal");
	s->in.data = s;
	return MT_OK;
}

static int serve(struct launch *l, struct serve *s, const struct web_options *web,
		 struct error *err)
{
	int status = open_input(s, web, err);

	if (status)
		return status;
	uv_timer_init(s->loop, &s->timer);
	s->timer.data = s;
	for (size_t i = 0; i < ARRAY_LEN(s->signals); i++) {
		uv_signal_init(s->loop, &s->signals[i]);
		s->signals[i].data = s;
		uv_signal_start(&s->signals[i], on_signal, i ? SIGINT : SIGTERM);
	}
	jsonl_init(&s->lines, SERVE_MESSAGE_MAX, on_line, s);
	status = launch_runner(l, &events, s, &s->link, err);
	if (status) {
		close_handles(s);
	} else if (!s->web) {
		uv_poll_start(&s->in, UV_READABLE, on_input);
	}
	uv_run(s->loop, UV_RUN_DEFAULT);
	jsonl_done(&s->lines);
	while (s->calls)
		served_drop(s, s->calls);
	web_free(s->web);
	return status;
}

int tools_serve(struct config *c, struct registry *r, const char *section,
		const char *folder, struct catalog *catalog, const struct web_options *web,
		struct error *err)
{
	char workspace[PATH_MAX], spool[PATH_MAX];
	struct serve s = { .catalog = catalog, .loop = command_loop(err) };
	const struct catalog *catalogs[] = { catalog };
	struct plugin_component runtime = { 0 };
	struct launch l = { .loop = s.loop, .config = c, .runtime = &runtime,
			    .catalogs = catalogs, .catalog_count = 1,
			    .workspace = workspace, .conversation = "serve",
			    .spool_dir = spool, .stderr_fd = STDERR_FILENO };

	if (!s.loop)
		return complain(EXIT_FAILED, err);
	if (!realpath(folder ? folder : ".", workspace)) {
		fail(err, MT_EIO, "cannot use the workspace: %s", strerror(errno));
		return complain(EXIT_FAILED, err);
	}
	if (dir_temporary("mortise-serve", spool, sizeof spool, err))
		return complain(EXIT_FAILED, err);
	if (plugin_component_load(c, r, MT_KIND_RUNTIME, config_get(c, section, "runtime"), &runtime, err)
	    || serve(&l, &s, web, err))
		s.code = complain(err->code == MT_EINVAL ? EXIT_USAGE : EXIT_TOOL, err);
	plugin_component_clear(&runtime);
	dir_remove(spool, NULL);
	return s.code;
}
