/* SPDX-License-Identifier: MIT
 *
 * server.c - serves tools over MCP on standard input and output, or over HTTP. */
#include "internal.h"

#include "base64.h"
#include "controller/plugins/plugin-load.h"
#include "files.h"
#include "jsonl.h"
#include "signals.h"
#include "tools/calls.h"
#include "tools/option-secrets.h"

#include <config.h>
#include <errno.h>
#include <limits.h>
#include <mortise/tool.h>
#include <signal.h>
#include <string.h>

static int server_on_line(char *line, size_t len, void *arg)
{
	struct mcp_server *s = arg;
	struct error err = ERROR_NONE;
	AUTO(json) json_object *doc = len ? js_parse(line, len, &err) : NULL;

	if (len == 0 || !s->link || s->mute)
		return MT_OK;
	if (err.code)
		mcp_send_error(&s->standard, NULL, RPC_PARSE, err.text, NULL);
	else
		mcp_handle_message(s, &s->standard, doc);
	return MT_OK;
}

static void on_linger(uv_timer_t *timer)
{
	struct mcp_server *s = timer->data;

	if (s->link)
		runner_close(s->link);
}

/* Not an error at the end of standard input: the client may exit without reading the
 * responses. */
void mcp_stdout_failed(struct mcp_server *s, int error)
{
	s->mute = true;
	if (error == ETIMEDOUT)
		fprintf(stderr,
			"mortise: the client has not read standard output for %d s\n",
			STDOUT_WAIT_MS / 1000);
	else if (!s->ended)
		fprintf(stderr, "mortise: cannot write to standard output: %s\n",
			strerror(error));
	if (error == ETIMEDOUT || !s->ended)
		s->code = EXIT_FAILED;
	s->ended = true;
	if (!s->link)
		return;
	mcp_stop_input(s);
	uv_timer_start(&s->timer, on_linger, 0, 0);
}

static void mcp_server_end(struct mcp_server *s)
{
	if (s->ended)
		return;
	s->ended = true;
	mcp_stop_input(s);
	if (s->calls)
		uv_timer_start(&s->timer, on_linger, LINGER_MS, 0);
	else
		runner_close(s->link);
}

static void read_input(struct mcp_server *s)
{
	char bytes[65536];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0 && jsonl_feed(&s->lines, bytes, (size_t)n)) {
		mcp_send_error(&s->standard, NULL, RPC_INVALID,
			       "message is larger than 16 MiB", NULL);
		n = 0;
	}
	if (n <= 0)
		mcp_server_end(s);
}

static void on_input(uv_poll_t *in, int status, int what)
{
	(void)what;
	if (status)
		mcp_server_end(in->data);
	else
		read_input(in->data);
}

static void mcp_server_on_file(uv_idle_t *file)
{
	read_input(file->data);
}

/* The client does not wait for running calls. */
static void mcp_server_on_signal(uv_signal_t *handle, int number)
{
	struct mcp_server *s = handle->data;

	(void)number;
	s->ended = true;
	mcp_stop_input(s);
	if (s->link)
		runner_close(s->link);
}

static int open_input(struct mcp_server *s, const struct mcp_http_options *web,
		      struct error *err)
{
	s->standard = (struct mcp_client){ .send = mcp_send_stdout,
					   .known = &s->session,
					   .server = s };
	s->session.log_level = LOG_NOTHING;
	if (web)
		return mcp_http_open(s->loop, s, web, &s->web, err);
	s->is_file = uv_poll_init(s->loop, &s->in, STDIN_FILENO) != 0;
	if (s->is_file && lseek(STDIN_FILENO, 0, SEEK_CUR) < 0)
		return fail(err, MT_EIO, "cannot read standard input: %s",
			    strerror(errno));
	if (s->is_file)
		uv_idle_init(s->loop, &s->file);
	s->in.data = s->file.data = s;
	return MT_OK;
}

static void start_input(struct mcp_server *s)
{
	if (s->is_file)
		uv_idle_start(&s->file, mcp_server_on_file);
	else
		uv_poll_start(&s->in, UV_READABLE, on_input);
}

static int mcp_server_serve(struct launch *l, struct mcp_server *s,
			    const struct mcp_http_options *web, struct error *err)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP };
	int status = open_input(s, web, err);

	if (status)
		return status;
	uv_timer_init(s->loop, &s->timer);
	uv_timer_init(s->loop, &s->ask_timer);
	s->timer.data = s->ask_timer.data = s;
	for (size_t i = 0; i < ARRAY_LEN(s->signals); i++) {
		uv_signal_init(s->loop, &s->signals[i]);
		s->signals[i].data = s;
		if (numbers[i] != SIGHUP || !signal_is_ignored(SIGHUP))
			uv_signal_start(&s->signals[i], mcp_server_on_signal, numbers[i]);
	}
	jsonl_init(&s->lines, MCP_MESSAGE_MAX, server_on_line, s);
	status = launch_runner(l, &mcp_runner_events, s, &s->link, err);
	if (status) {
		mcp_close_handles(s);
	} else if (!s->web) {
		start_input(s);
	}
	uv_run(s->loop, UV_RUN_DEFAULT);
	jsonl_done(&s->lines);
	while (s->calls)
		mcp_call_drop(s, s->calls);
	mcp_http_free(s->web);
	json_object_put(s->session.capabilities);
	return status;
}

/* Skills are offered as prompts if the tool that loads them is offered. */
static void load_prompts(struct mcp_server *s, const struct config *c,
			 const char *workspace)
{
	struct error err = ERROR_NONE;

	if (catalog_find(s->catalog, "invoke_skill") &&
	    skills_load(c, workspace, &s->skills, &err))
		fprintf(stderr, "mortise: no prompts: %s\n", err.text);
}

/* True if one of the tools reads files. */
static bool reads_files(const struct catalog *catalog)
{
	for (size_t i = 0; i < catalog->count; i++)
		for (size_t k = 0; k < js_length(catalog->tools[i].events); k++)
			if (strcmp(js_str(json_object_array_get_idx(
						  catalog->tools[i].events, k),
					  "action", ""),
				   "read") == 0)
				return true;
	return false;
}

int mcp_serve(uv_loop_t *loop, struct config *c, struct registry *r, const char *section,
	      const char *dir, struct catalog *catalog, const struct mcp_options *o,
	      struct error *err)
{
	char workspace[PATH_MAX], spool[PATH_MAX];
	struct mcp_server s = { .catalog = catalog, .config = c,
				.workspace = workspace,
				.mask = mask_new(),
				.loop = loop };
	AUTO(strbuf) struct strbuf uri = STRBUF(4 * PATH_MAX);
	const struct catalog *catalogs[] = { catalog };
	struct plugin_component runtime = { 0 };
	struct launch l = { .loop = s.loop, .config = c, .runtime = &runtime,
			    .catalogs = catalogs, .catalog_count = 1,
			    .workspace = workspace, .conversation = "serve",
			    .spool_dir = spool, .stderr_fd = STDERR_FILENO };

	if (!s.mask)
		out_of_memory(err);
	else if (!option_secrets_hide(c, r, s.mask, err) &&
		 !realpath(dir ? dir : ".", workspace))
		fail(err, MT_EIO, "cannot use the workspace: %s", strerror(errno));
	if (err->code || dir_temporary("mortise-serve", spool, sizeof spool, err)) {
		mask_free(s.mask);
		return EXIT_FAILED;
	}
	load_prompts(&s, c, workspace);
	if (reads_files(catalog) && !mcp_resources_prefix(workspace, &uri))
		s.uri = o->uri ? o->uri : uri.text;
	if (plugin_component_load(c, r, MT_KIND_RUNTIME,
				  config_get(c, section, "runtime"), &runtime, err) ||
	    mcp_server_serve(&l, &s, o->web, err))
		s.code = err->code == MT_EINVAL ? EXIT_USAGE : EXIT_TOOL;
	plugin_component_clear(&runtime);
	skills_free(s.skills);
	mask_free(s.mask);
	dir_remove(spool, NULL);
	return s.code;
}
