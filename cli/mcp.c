/* SPDX-License-Identifier: MIT
 *
 * mcp.c - `mortise mcp`: lists and queries the configured MCP servers. */
#include "commands.h"
#include "clock.h"
#include "columns.h"
#include "mcp.h"
#include "spool.h"
#include "controller/plugins/launch.h"
#include "controller/plugins/plugin-load.h"
#include "controller/plugins/server-access.h"
#include "files.h"
#include "tools/mcp-servers.h"
#include "utf8.h"

#include <errno.h>
#include <limits.h>
#include <mortise/tool.h>
#include <string.h>

enum { NAME_SHOWN = 128, DESCRIPTION_SHOWN = 100 }; /* columns */

struct arguments {
	struct common common;
	bool json;
};

static const struct flag flags[] = {
	FLAG('j', "json", NULL, "print JSON",
	     STORE(FLAG_TRUE, struct arguments, json)),
	{ 0 },
};

/* The response of one server. */
struct answer {
	json_object *tools;   /* NULL: it listed none */
	char why[2048];       /* the reason, if it listed none */
	bool done;
	int64_t took_ms;
};

struct query {
	const struct config *config;
	const char *workspace;
	struct catalog *catalog;
	struct runner *link;
	uv_loop_t *loop;
	struct answer *answers; /* one per instance */
	int64_t begun;
};

static size_t cli_mcp_place_of(const struct query *q, const char *instance)
{
	size_t i = 0;

	while (i < q->catalog->instance_count &&
	       strcmp(q->catalog->instances[i].name, instance) != 0)
		i++;
	return i;
}

/* ---- querying all servers concurrently ---------------------------------------- */

static void cli_mcp_on_ready(void *arg)
{
	struct query *q = arg;

	for (size_t i = 0; i < q->catalog->instance_count; i++)
		runner_list(q->link, q->catalog->instances[i].name, NULL);
}

static void set_why(struct answer *a, const char *why)
{
	snprintf(a->why, sizeof a->why, "%.*s",
		 (int)utf8_cut(why, strlen(why), sizeof a->why - 1), why);
}

static void cli_mcp_on_tools(void *arg, const char *instance, json_object *tools,
			     const char *why)
{
	AUTO(strbuf) struct strbuf reason = STRBUF(8192);
	struct query *q = arg;
	size_t at = cli_mcp_place_of(q, instance);
	bool all = true;

	if (at == q->catalog->instance_count || q->answers[at].done)
		return;
	q->answers[at].done = true;
	q->answers[at].took_ms = clock_ms() - q->begun;
	q->answers[at].tools = json_object_get(tools);
	if (!tools) {
		strbuf_add(&reason, why);
		if (runner_sandbox(q->link)->enforced)
			server_access_note(q->config, q->workspace,
					   &q->catalog->instances[at], &reason);
		set_why(&q->answers[at], reason.text);
	}
	catalog_arrived(q->catalog, instance, tools);
	for (size_t i = 0; i < q->catalog->instance_count; i++)
		all = all && q->answers[i].done;
	if (all)
		runner_close(q->link);
}

static void cli_mcp_on_closed(void *arg, const struct error *why)
{
	struct query *q = arg;

	for (size_t i = 0; i < q->catalog->instance_count; i++)
		if (!q->answers[i].done)
			set_why(&q->answers[i], why->text);
}

static const struct runner_events events = { .ready = cli_mcp_on_ready,
					     .tools = cli_mcp_on_tools,
					     .closed = cli_mcp_on_closed };

static int cli_mcp_ask_all(struct config *c, struct registry *r,
			   const struct common *common, struct query *q,
			   struct error *err)
{
	char workspace[PATH_MAX], spool[PATH_MAX];
	struct plugin_component runtime = { 0 };
	const struct catalog *catalogs[] = { q->catalog };
	struct launch l = { .loop = command_loop(err), .config = c, .runtime = &runtime,
			    .catalogs = catalogs, .catalog_count = 1, .workspace = workspace,
			    .conversation = "mcp", .spool_dir = spool, .stderr_fd = -1 };
	int status;

	if (!l.loop)
		return err->code;
	if (!realpath(common->workspace ? common->workspace : ".", workspace))
		return fail(err, MT_EIO, "cannot use the workspace: %s", strerror(errno));
	if (command_spool_open("mortise-mcp", spool, sizeof spool, err))
		return err->code;
	q->config = c;
	q->workspace = workspace;
	q->begun = clock_ms();
	status = plugin_component_load(c, r, MT_KIND_RUNTIME,
				       config_get(c, "controller", "runtime"), &runtime,
				       err);
	if (!status)
		status = launch_runner(&l, &events, q, &q->link, err);
	if (!status)
		uv_run(l.loop, UV_RUN_DEFAULT);
	plugin_component_clear(&runtime);
	command_spool_close();
	return status;
}

/* ---- output ----------------------------------------------------------------------- */

static void print_tools(json_object *tools)
{
	for (size_t i = 0; i < js_length(tools); i++) {
		json_object *o = json_object_array_get_idx(tools, i);
		const char *text = js_str(o, "description", "");
		size_t first = strcspn(text, "\n");
		AUTO(strbuf) struct strbuf line = STRBUF(1 << 20);

		columns_put(&line, js_str(o, "name", ""), strlen(js_str(o, "name", "")),
			    28, NAME_SHOWN);
		strbuf_addc(&line, ' ');
		columns_put(&line, text, first, 0, DESCRIPTION_SHOWN);
		printf("  %s\n", line.text);
	}
}

static void cli_mcp_print_json(const struct query *q)
{
	AUTO(strbuf) struct strbuf out = STRBUF(64 << 20);

	strbuf_addc(&out, '[');
	for (size_t i = 0; i < q->catalog->instance_count; i++) {
		const struct answer *a = &q->answers[i];

		strbuf_add(&out, i ? ",{" : "{");
		js_key_str(&out, "name", q->catalog->instances[i].title);
		js_key_bool(&out, "answers", a->tools != NULL);
		js_key_int(&out, "ms", a->took_ms);
		if (!a->tools)
			js_key_str(&out, "error", a->why);
		js_key(&out, "tools");
		if (a->tools)
			js_put(&out, a->tools);
		else
			strbuf_add(&out, "null");
		strbuf_addc(&out, '}');
	}
	printf("%s]\n", out.text);
}

static int mcp_tell(const struct query *q, bool json, bool tools)
{
	int code = EXIT_DONE;

	for (size_t i = 0; i < q->catalog->instance_count; i++) {
		const struct answer *a = &q->answers[i];

		if (!a->tools)
			code = EXIT_TOOL;
		if (json)
			continue;
		if (a->tools)
			printf("%-20s %zu tool%s, after %lld ms\n",
			       q->catalog->instances[i].title, js_length(a->tools),
			       js_length(a->tools) == 1 ? "" : "s",
			       (long long)a->took_ms);
		else
			printf("%-20s does not respond: %s\n",
			       q->catalog->instances[i].title,
			       *a->why ? a->why : "no reason was given");
		if (tools)
			print_tools(a->tools);
	}
	if (json)
		cli_mcp_print_json(q);
	return code;
}

static int query(struct config *c, struct registry *r, const struct common *common,
		 const char *name, bool json, struct error *err)
{
	AUTO(strbuf) struct strbuf item = STRBUF(4096);
	struct catalog catalog = { 0 };
	struct query q = { .catalog = &catalog };
	int code;

	if (mcp_server_item(name, &item) || catalog_open(c, r, item.text, &catalog, err))
		return command_report(EXIT_USAGE, err);
	if (catalog.instance_count == 0) {
		printf(json ? "[]\n" : "No MCP server is configured.\n");
		return EXIT_DONE;
	}
	q.answers = calloc(catalog.instance_count, sizeof *q.answers);
	if (!q.answers || cli_mcp_ask_all(c, r, common, &q, err))
		code = command_report(EXIT_FAILED, err);
	else
		code = mcp_tell(&q, json, name != NULL);
	for (size_t i = 0; q.answers && i < catalog.instance_count; i++)
		json_object_put(q.answers[i].tools);
	free(q.answers);
	catalog_clear(&catalog);
	return code;
}

/* ---- list: nothing is started ------------------------------------------------------ */

static int commands_mcp_list(struct config *c, struct registry *r, bool json,
			     struct error *err)
{
	struct catalog catalog = { 0 };
	AUTO(strbuf) struct strbuf out = STRBUF(16 << 20);

	if (catalog_open(c, r, MCP_TOOLSET, &catalog, err))
		return command_report(EXIT_USAGE, err);
	for (size_t i = 0; i < catalog.instance_count; i++) {
		const struct tool_instance *t = &catalog.instances[i];

		if (json) {
			strbuf_add(&out, i ? ",{" : "{");
			js_key_str(&out, "name", t->title);
			js_key_str(&out, "server", mcp_server_target(t->options));
			js_key_int(&out, "known_tools", (int64_t)js_length(t->listed));
			strbuf_addc(&out, '}');
		} else if (t->listed) {
			printf("%-20s %s (%zu tool%s)\n", t->title,
			       mcp_server_target(t->options), js_length(t->listed),
			       js_length(t->listed) == 1 ? "" : "s");
		} else {
			printf("%-20s %s (not queried yet)\n", t->title,
			       mcp_server_target(t->options));
		}
	}
	if (json)
		printf("[%s]\n", out.text);
	else if (!catalog.instance_count)
		printf("No MCP server is configured.\n");
	catalog_clear(&catalog);
	return EXIT_DONE;
}

enum mcp_subcommand { MCP_LIST, MCP_STATUS, MCP_TEST, MCP_LOGIN, MCP_LOGOUT };
static const struct subcommand subcommands[] = {
	[MCP_LIST] = { "list", 0, 0, NULL },
	[MCP_STATUS] = { "status", 0, 0, NULL },
	[MCP_TEST] = { "test", 1, 1, NULL },
	[MCP_LOGIN] = { "login", 1, 1, NULL },
	[MCP_LOGOUT] = { "logout", 1, 1, NULL },
	{ 0 },
};

static int with_config(const struct common *common, bool json, enum mcp_subcommand what,
		       const char *server)
{
	AUTO(config) struct config *c = NULL;
	AUTO(registry) struct registry *r = NULL;
	struct error err = ERROR_NONE;

	if (common_config(common, &c, &err) || registry_open(c, &r, &err))
		return command_report(EXIT_USAGE, &err);
	switch (what) {
	case MCP_LIST:
		return commands_mcp_list(c, r, json, &err);
	case MCP_LOGIN:
		return mcp_login(c, r, server, &err);
	case MCP_LOGOUT:
		return mcp_logout(c, r, server, &err);
	case MCP_STATUS:
	case MCP_TEST:
		break;
	}
	return query(c, r, common, server, json, &err);
}

static int mcp_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	int index, what;
	enum flags_status f = flags_parse(self, argc, argv, &index, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	what = command_choose(self, argc - index, argv + index);
	if (what < 0)
		return EXIT_USAGE;
	return with_config(&a.common, a.json, (enum mcp_subcommand)what,
			   argc - index > 1 ? argv[index + 1] : NULL);
}

const struct command command_mcp = {
	.name = "mcp",
	.args = "[list | status | test NAME | login NAME | logout NAME]",
	.summary = "List, test and log in to MCP servers",
	.details = "list    list configured servers; starts none\nstatus  query all "
		   "servers\ntest    query one server and list its tools\nlogin   log in "
		   "to an HTTP server with a browser and store the token\nlogout  delete "
		   "the stored token\n\nThe tool lists are cached, so that the first "
		   "request to a model can offer the\ntools. The exit code is 6 if a "
		   "server does not respond.",
	.flags = flags,
	.subcommands = subcommands,
	.run = mcp_run,
};
