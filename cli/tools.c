/* SPDX-License-Identifier: MIT
 *
 * tools.c - `mortise tools`: lists tools, calls one, or serves them over MCP. */
#include "commands.h"
#include "list-tools.h"
#include "unknown-tool.h"
#include "columns.h"
#include "controller/plugins/launch.h"
#include "controller/plugins/plugin-load.h"
#include "files.h"
#include "log.h"
#include "mcp-server.h"
#include "signals.h"
#include "tools/calls.h"
#include "llm/transport/http-requests.h"
#include "tools/mcp-servers.h"
#include "tools/option-secrets.h"
#include "tools/secret-requests.h"

#include <errno.h>
#include <limits.h>
#include <mortise/tool.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
	DESCRIPTION_SHOWN = 100,  /* columns */
	ARGUMENTS_MAX = 64 << 20, /* bytes; of a call at most RUNNER_ARGS_MAX are sent */
};

struct arguments {
	struct common common;
	bool json, all;
	struct mcp_http_options web;
	const char *token_env, *uri;
	const char *controller;
	char section[128];
};

static const struct flag flags[] = {
	FLAG('j', "json", NULL, "print JSON",
	     STORE(FLAG_TRUE, struct arguments, json)),
	FLAG(0, "controller", "NAME", "use the [controller.NAME] configuration",
	     STORE(FLAG_TEXT, struct arguments, controller)),
	FLAG(0, "all", NULL, "use every installed toolset, not only the enabled ones",
	     STORE(FLAG_TRUE, struct arguments, all)),
	FLAG(0, "http", "[HOST:]PORT",
	     "serve: listen for HTTP (default host: localhost)",
	     STORE(FLAG_TEXT, struct arguments, web.address)),
	FLAG(0, "token-env", "NAME",
	     "serve: environment variable with the HTTP token (default: "
	     "MORTISE_SERVE_TOKEN)",
	     STORE(FLAG_TEXT, struct arguments, token_env)),
	FLAG(0, "no-token", NULL, "serve: allow every local program without a token",
	     STORE(FLAG_TRUE, struct arguments, web.open)),
	FLAG(0, "uri", "PREFIX",
	     "serve: URI prefix of files (default: file:// and the workspace)",
	     STORE(FLAG_TEXT, struct arguments, uri)),
	{ 0 },
};

/* ---- list -------------------------------------------------------------- */

static void print_tool(const struct catalog *catalog, const struct tool *t)
{
	size_t first = strcspn(t->description, "\n");
	const char *stop = strstr(t->description, ". ");
	AUTO(strbuf) struct strbuf line = STRBUF(64 << 10);

	if (stop && (size_t)(stop - t->description) + 1 < first)
		first = (size_t)(stop - t->description) + 1;
	columns_put(&line, t->description, first, 0, DESCRIPTION_SHOWN);
	printf("%-20s %-10s %s\n", t->name, catalog->instances[t->instance].name,
	       line.text);
}

static int tools_list(const struct catalog *catalog, bool json)
{
	AUTO(strbuf) struct strbuf out = STRBUF(16 << 20);

	strbuf_addc(&out, '[');
	for (size_t i = 0; i < catalog->count; i++) {
		const struct tool *t = &catalog->tools[i];

		if (!json) {
			print_tool(catalog, t);
			continue;
		}
		strbuf_add(&out, i ? ",{" : "{");
		js_key_str(&out, "name", t->name);
		js_key_str(&out, "instance", catalog->instances[t->instance].name);
		if (*t->title)
			js_key_str(&out, "title", t->title);
		js_key_str(&out, "description", t->description);
		js_key_int(&out, "hints", t->hints);
		js_key(&out, "schema");
		js_put(&out, t->schema_json);
		strbuf_addc(&out, '}');
	}
	if (json)
		printf("%s]\n", out.text);
	return EXIT_DONE;
}

/* ---- call -------------------------------------------------------------- */

enum { CALL = 1 }; /* id of the call */

struct call {
	struct runner *link;
	const struct config *config;
	const char *spool;
	struct mask *mask; /* of secrets that tools received */
	const struct tool *tool;
	const struct tool_instance *instance;
	struct http_requests http;
	uv_loop_t *loop;
	uv_signal_t signals[3];
	bool json, kept; /* kept: the result names a file of the spool */
	int interrupted; /* number of the last signal; 0: none */
	int code;
};

/* The first signal cancels the call, the second one ends the runner. */
static void cli_tools_on_signal(uv_signal_t *handle, int number)
{
	struct call *call = handle->data;

	if (call->interrupted)
		runner_close(call->link);
	else
		runner_cancel(call->link, CALL);
	call->interrupted = number;
}

static void cli_tools_watch_signals(struct call *call)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		uv_signal_init(call->loop, &call->signals[i]);
		call->signals[i].data = call;
		if (numbers[i] != SIGHUP || !signal_is_ignored(SIGHUP))
			uv_signal_start(&call->signals[i], cli_tools_on_signal,
					numbers[i]);
	}
}

static void cli_tools_end_call(struct call *call)
{
	for (size_t i = 0; i < ARRAY_LEN(call->signals); i++)
		uv_close((uv_handle_t *)&call->signals[i], NULL);
	http_requests_clear(&call->http);
	runner_close(call->link);
}

/* Keep the file with a long result if the text or the note after a command names it, and
 * print that note. */
static void keep_file(struct call *call, const struct runner_result *result)
{
	const char *suffix = js_str(js_get(result->fields, "metadata"), "suffix", "");
	bool named = strstr(suffix, call->spool);

	if (named && !call->json) {
		suffix += strspn(suffix, "\n");
		command_write(stdout, suffix, strlen(suffix));
		putchar('\n');
	}
	call->kept = named || memmem(result->text, result->text_len, call->spool,
				     strlen(call->spool));
}

/* Print the fields, if requested, and the text. */
static int print_result(struct call *call, const struct runner_result *result)
{
	AUTO(strbuf) struct strbuf text = STRBUF(SIZE_MAX / 2);
	const char *fields = "";

	if (secret_mask_result(call->mask, result->text, result->text_len, &text) ||
	    mask_json(call->mask, result->fields, NULL, NULL))
		return MT_ENOMEM;
	if (call->json && result->fields)
		fields = js_text(result->fields, NULL);
	if (!fields)
		return MT_ENOMEM;
	if (*fields) {
		command_write(stdout, fields, strlen(fields));
		putchar('\n');
	}
	command_write(stdout, text.text, text.len);
	if (text.len && text.text[text.len - 1] != '\n')
		putchar('\n');
	keep_file(call, result);
	return MT_OK;
}

static void print_error(const struct call *call, const char *error)
{
	AUTO(strbuf) struct strbuf text = STRBUF(SIZE_MAX / 2);

	const char *shown = mask_put(call->mask, &text, error, strlen(error))
				    ? status_name(MT_ENOMEM)
				    : text.text;

	fputs("mortise: ", stderr);
	command_write(stderr, shown, strlen(shown));
	putc('\n', stderr);
}

static void tools_on_result(void *arg, const struct runner_result *result)
{
	struct call *call = arg;
	long long code = runner_result_exit_code(result);

	result_check_structured(call->tool, result->fields);
	if (print_result(call, result)) {
		fputs("mortise: out of memory\n", stderr);
		call->code = EXIT_FAILED;
		cli_tools_end_call(call);
		return;
	}
	fflush(stdout);
	if (result->limit_text && !result->status)
		print_error(call, result->limit_text);
	if (result->status) {
		print_error(call,
			    result->error ? result->error : status_name(result->status));
		call->code = call->interrupted ? exit_code_of_signal(call->interrupted)
			     : result->crashed ? EXIT_TOOL
					       : EXIT_FAILED;
	} else if (code) {
		fprintf(stderr, "mortise: the command completed with exit code %lld\n",
			code);
		call->code = EXIT_FAILED;
	} else if (runner_result_is_incomplete(result)) {
		fputs("mortise: the command did not complete\n", stderr);
		call->code = EXIT_FAILED;
	} else if (runner_result_is_failure(result)) {
		fputs("mortise: the tool reported an error\n", stderr);
		call->code = EXIT_FAILED;
	}
	cli_tools_end_call(call);
}

static void cli_tools_on_request(void *arg, uint64_t id, uint64_t request,
				 const char *method, json_object *params)
{
	static const char text[] = "no conversation is attached";
	struct call *call = arg;
	const struct http_caller caller = { .loop = call->loop, .config = call->config,
					    .instance = call->instance,
					    .runner = call->link };

	(void)id;
	if (strcmp(method, HTTP_REQUESTS_METHOD) == 0)
		http_requests_send(&call->http, &caller, request, params);
	else if (!secret_request_answer(call->link, call->config, call->mask, request,
					method, params))
		runner_answer(call->link, request, MT_EUNSUPPORTED, text,
			      sizeof text - 1);
}

static const struct runner_events events = { .result = tools_on_result,
					     .request = cli_tools_on_request,
					     .log = runner_write_log };

static int cli_tools_perform(struct launch *l, const struct tool *t, json_object *args,
			     struct call *call, struct error *err)
{
	const struct tool_instance *instance = &l->catalogs[0]->instances[t->instance];
	double seconds = js_number(args, "timeout", 0); /* an argument of some tools */
	int64_t asked = seconds > 0 && seconds < 1e9 ? (int64_t)(seconds * 1000) : 0;
	size_t len;
	const char *text = js_text(args, &len);
	int r = text ? launch_runner(l, &events, call, &call->link, err)
		     : out_of_memory(err);

	if (r)
		return r;
	call->loop = l->loop;
	call->tool = t;
	call->instance = instance;
	cli_tools_watch_signals(call);
	r = runner_call(call->link, CALL, instance->name, t->real, text, len,
			call_deadline_ms(instance, t, asked), err);
	if (r)
		cli_tools_end_call(call);
	uv_run(l->loop, UV_RUN_DEFAULT);
	return r;
}

/* The arguments: JSON, `@FILE`, or `-` for standard input. */
static int cli_tools_read_arguments(const char *given, struct strbuf *ret,
				    struct error *err)
{
	AUTO(free) char *file = NULL;
	size_t len = strlen(given);
	int r;

	if (strcmp(given, "-") == 0) {
		r = file_read_fd(STDIN_FILENO, "standard input", ARGUMENTS_MAX, ret, err);
		if (!r && strspn(ret->text, " \t\r\n") == ret->len)
			r = fail(err, MT_EINVAL,
				 "standard input is empty; it must contain the arguments "
				 "as a JSON object");
		return r;
	}
	r = *given == '@' ? file_read(given + 1, ARGUMENTS_MAX, &file, &len, err) : MT_OK;
	if (!r && strbuf_addn(ret, file ? file : given, len))
		r = out_of_memory(err);
	return r;
}

static int cli_tools_call_tool(struct config *c, struct registry *r,
			       const struct arguments *a, const struct catalog *catalog,
			       const char *name, const char *json, struct error *err)
{
	const struct tool *t = catalog_find(catalog, name);
	AUTO(strbuf) struct strbuf text = STRBUF(ARGUMENTS_MAX + 1);
	AUTO(json) json_object *args = NULL;
	char workspace[PATH_MAX], spool[PATH_MAX];
	AUTO(mask) struct mask *mask = mask_new();
	struct call call = { .json = a->json, .spool = spool, .config = c, .mask = mask };
	struct plugin_component runtime = { 0 };
	struct launch l = { .loop = command_loop(err), .config = c, .runtime = &runtime,
			    .catalogs = &catalog, .catalog_count = 1, .workspace = workspace,
			    .conversation = "call", .spool_dir = spool, .mask = mask,
			    .stderr_fd = STDERR_FILENO };

	if (!mask)
		return command_report(EXIT_FAILED, (out_of_memory(err), err));
	if (!l.loop)
		return command_report(EXIT_FAILED, err);
	if (option_secrets_hide(c, r, mask, err))
		return command_report(EXIT_FAILED, err);
	if (!t)
		return command_report(EXIT_USAGE,
				      (unknown_tool(r, catalog, name, err), err));
	if (!cli_tools_read_arguments(json, &text, err)) {
		args = call_arguments(t, text.text, text.len, err);
		if (!args && text.text[strspn(text.text, " \t\r\n")] != '{') {
			*err = ERROR_NONE; /* quotes the text, without a reason */
			fail(err, MT_EINVAL,
			     "the arguments must be a JSON object, @FILE, "
			     "or - for standard input");
		}
	}
	if (!args)
		return command_report(EXIT_USAGE, err);
	if (t->hints & MT_TOOL_CONTROL) {
		fail(err, MT_EUNSUPPORTED,
		     "tool %s is handled by the controller and can be called only in a "
		     "conversation",
		     name);
		return command_report(EXIT_USAGE, err);
	}
	if (!realpath(a->common.workspace ? a->common.workspace : ".", workspace)) {
		fail(err, MT_EIO, "cannot use the workspace: %s", strerror(errno));
		return command_report(EXIT_FAILED, err);
	}
	if (dir_temporary("mortise-call", spool, sizeof spool, err))
		return command_report(EXIT_FAILED, err);
	log_set_mask(mask);
	if (plugin_component_load(c, r, MT_KIND_RUNTIME,
				  config_get(c, a->section, "runtime"), &runtime, err) ||
	    cli_tools_perform(&l, t, args, &call, err))
		call.code = command_report(EXIT_TOOL, err);
	log_set_mask(NULL);
	plugin_component_clear(&runtime);
	if (!call.kept)
		dir_remove(spool, NULL);
	return call.code;
}

/* ---- common code ------------------------------------------------------- */

/* Every toolset that works without configuration, with all of its tools. */
static int installed_list(const struct registry *r, struct strbuf *ret)
{
	const struct component *component;

	for (size_t i = 0; (component = registry_at(r, i)); i++) {
		json_object *tools = js_get(component_data(component), "tools");

		if (component->kind != MT_KIND_TOOL || !tools ||
		    json_object_array_length(tools) == 0)
			continue;
		strbuf_addf(ret, "%s%s", ret->len ? ", " : "", component->name);
		for (size_t k = 0; k < json_object_array_length(tools); k++) {
			json_object *tool = json_object_array_get_idx(tools, k);
			const char *name = js_str(tool, "name", "");

			if (js_int(tool, "hints", 0) &
				    (MT_TOOL_ON_REQUEST | MT_TOOL_FOLLOW_UP) &&
			    strcmp(name, component->name) != 0)
				strbuf_addf(ret, ", %s", name);
		}
	}
	return ret->error;
}

/* The toolsets to serve, without MCP servers: one of them may be this program. */
static int served_list(const char *list, struct strbuf *ret)
{
	const char *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len))
		if (len != strlen(MCP_TOOLSET) || memcmp(item, MCP_TOOLSET, len) != 0)
			strbuf_addf(ret, "%s%.*s", ret->len ? ", " : "", (int)len, item);
	return ret->error;
}

static int cli_tools_serve(struct config *c, struct registry *r,
			   const struct arguments *a, struct catalog *catalog,
			   struct error *err)
{
	const struct mcp_options o = { a->web.address ? &a->web : NULL, a->uri };
	uv_loop_t *loop = command_loop(err);
	int code;

	if (!loop)
		return command_report(EXIT_FAILED, err);
	code = mcp_serve(loop, c, r, a->section, a->common.workspace, catalog, &o, err);
	return err->code ? command_report(code, err) : code;
}

/* Get the lists of toolsets that list their tools at run time. If one fails, the others
 * are served. */
static void fetch_lists(struct config *c, struct registry *r, const struct arguments *a,
			struct catalog *catalog)
{
	const struct list_tools o = { .config = c, .registry = r, .section = a->section,
				      .workspace = a->common.workspace,
				      .catalog = catalog };
	struct error err = ERROR_NONE;

	if (list_tools(&o, &err))
		fprintf(stderr, "mortise: cannot list the tools of every toolset: %s\n",
			err.text);
}

enum tools_subcommand { TOOLS_LIST, TOOLS_CALL, TOOLS_SERVE };
static const struct subcommand subcommands[] = {
	[TOOLS_LIST] = { "list", 0, 0, NULL },
	[TOOLS_CALL] = { "call", 1, 2, NULL },
	[TOOLS_SERVE] = { "serve", 0, 0, NULL },
	{ 0 },
};

/* `tool` and `call_args`: the call to make, or NULL. */
static int with_catalog(const struct arguments *a, int what, const char *tool,
			const char *call_args)
{
	AUTO(config) struct config *c = NULL;
	AUTO(registry) struct registry *r = NULL;
	AUTO(strbuf) struct strbuf served = STRBUF(1 << 16), installed = STRBUF(1 << 16);
	bool serves = what == TOOLS_SERVE;
	struct catalog catalog = { 0 };
	struct error err = ERROR_NONE;
	const char *names;
	int code;

	if (common_config(&a->common, &c, &err) || registry_open(c, &r, &err))
		return command_report(EXIT_USAGE, &err);
	names = a->all && !installed_list(r, &installed)
			? installed.text
			: config_get(c, a->section, "tools");
	if (serves && served_list(names, &served))
		fail(&err, MT_ELIMIT, "`tools` of [%s] is too long", a->section);
	else
		catalog_open(c, r, serves ? served.text : names, &catalog, &err);
	if (err.code)
		return command_report(EXIT_USAGE, &err);
	if (!serves && !(tool && catalog_find(&catalog, tool)))
		fetch_lists(c, r, a, &catalog);
	if (what == TOOLS_LIST)
		code = tools_list(&catalog, a->json);
	else if (serves)
		code = cli_tools_serve(c, r, a, &catalog, &err);
	else
		code = cli_tools_call_tool(c, r, a, &catalog, tool,
					   call_args ? call_args : "{}", &err);
	catalog_clear(&catalog);
	return code;
}

static int tools_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	enum flags_status f;
	int index, count, what;

	f = flags_parse(self, argc, argv, &index, &a.common);
	if (f != FLAG_END)
		return flags_exit_code(f);
	count = argc - index;
	a.web.token_env = a.token_env ? a.token_env : "MORTISE_SERVE_TOKEN";
	a.web.token = secret_env(a.web.token_env);
	snprintf(a.section, sizeof a.section, "controller%s%s", a.controller ? "." : "",
		 a.controller ? a.controller : "");
	what = command_choose(self, count, argv + index);
	if (what < 0)
		return EXIT_USAGE;
	return with_catalog(&a, what, count > 1 ? argv[index + 1] : NULL,
			    count > 2 ? argv[index + 2] : NULL);
}

const struct command command_tools = {
	.name = "tools",
	.args = "[list | call NAME [JSON | @FILE | -] | serve]",
	.summary = "List tools, call one, or serve them over MCP",
	.details = "list   list the enabled tools (default)\ncall   run a tool and print its "
		   "result. Its arguments are a JSON object, on\n       the command line, "
		   "in FILE, or on standard input (-). --json prints the\n       fields of "
		   "the observation first\nserve  serve the tools over MCP on standard "
		   "input and output, or over\n       streamable HTTP with --http (at "
		   "http://HOST:PORT/mcp)\n\n`call` runs the tool in the controller's "
		   "runtime. Its exit code is 1 if the\ntool, or the command that it "
		   "ran, failed. Ctrl-C cancels the call.",
	.flags = flags,
	.subcommands = subcommands,
	.run = tools_run,
};
