/* SPDX-License-Identifier: MIT
 *
 * doctor-setup.c - checks of `mortise doctor`: configuration, model, plugins, programs
 * that tools need, and the state directory. */
#include "doctor.h"
#include "files.h"
#include "limits/amount.h"
#include "llm/llm.h"
#include "js.h"
#include "options.h"
#include "tools/mcp-servers.h"
#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <uv.h>

enum { LITTLE_SPACE = 1 << 30, NO_SPACE = 100 << 20 };

void doctor_configuration(struct doctor *d)
{
	AUTO(strbuf) struct strbuf faults = STRBUF(1);
	struct error err = ERROR_NONE;

	if (config_list_faults(d->common, &faults, &err)) {
		d->no_memory = true;
		return;
	}
	for (char *line = faults.text, *end; *line; line = end + 1) {
		end = strchrnul(line, '\n');
		doctor_add(d, DOCTOR_PROBLEM, "configuration", "%.*s", (int)(end - line),
			   line);
		if (!*end)
			break;
	}
	if (faults.len)
		return;
	if (config_untrusted(d->config))
		doctor_add(d, DOCTOR_WARNING, "configuration", CONFIG_UNTRUSTED,
			   config_untrusted(d->config));
	else
		doctor_add(d, DOCTOR_OK, "configuration", "valid");
}

/* Opening a model reads its key, and sends nothing. */
void doctor_model(struct doctor *d)
{
	struct error err = ERROR_NONE;
	uv_loop_t *loop;
	struct llm_pool *pool = NULL;
	struct llm *llm = NULL;
	const char *model;

	if (!d->registry)
		return;
	model = config_get(d->config, "llm", "model");
	if (!model || !*model) {
		doctor_add(d, DOCTOR_PROBLEM, "model", "none is set; set [llm] model");
		return;
	}
	loop = command_loop(&err);
	if (!loop || !(pool = llm_pool_new(loop, &err)) ||
	    llm_open(pool, d->config, d->registry, "llm", NULL, NULL, &llm, &err))
		doctor_add(d, DOCTOR_PROBLEM, "model", "%s: %s", model, error_text(&err));
	else
		doctor_add(d, DOCTOR_OK, "model",
			   "%s, with its key; `mortise models test` sends a request",
			   llm_name(llm));
	llm_free(llm);
	llm_pool_free(pool);
	if (loop)
		uv_run(loop, UV_RUN_DEFAULT);
}

void doctor_plugins(struct doctor *d)
{
	size_t count = 0, refused = 0;

	if (!d->registry)
		return;
	while (registry_at(d->registry, count))
		count++;
	while (registry_refusal(d->registry, refused))
		refused++;
	if (refused)
		doctor_add(
			d, DOCTOR_WARNING, "plugins",
			"%zu components, %zu files rejected; `mortise plugins --refused` "
			"lists the reasons",
			count, refused);
	else
		doctor_add(d, DOCTOR_OK, "plugins", "%zu components", count);
}

/* True if the agent has the tool. */
static bool agent_has_tool(const struct doctor *d, const char *name)
{
	const char *list =
		d->config ? config_get(d->config, "controller", "tools") : NULL;
	const char *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len))
		if (len == strlen(name) && memcmp(item, name, len) == 0)
			return true;
	return false;
}

static char *find_program(const char *name)
{
	const char *path = getenv("PATH");

	return *name == '/' ? (path_is_program(name) ? strdup(name) : NULL)
			    : path_find_program(path ? path : "", name);
}

/* The names are tried in order. */
static void check_program(struct doctor *d, const char *const names[],
			  enum doctor_level missing, const char *without)
{
	for (size_t i = 0; names[i]; i++) {
		AUTO(free) char *path = find_program(names[i]);

		if (path) {
			doctor_add(d, DOCTOR_OK, names[0], "%s", path);
			return;
		}
	}
	doctor_add(d, missing, names[0], "not installed: %s", without);
}

void doctor_programs(struct doctor *d)
{
	static const char *const git[] = { "git", NULL }, *const rg[] = { "rg", NULL };
	static const char *const chromium[] = { "chromium", "chromium-browser",
						"google-chrome", "google-chrome-stable",
						NULL };

	check_program(d, git, DOCTOR_WARNING,
		      "the state of repositories is not shown; install git");
	check_program(d, rg, DOCTOR_OK,
		      "grep and glob search without it, more slowly (package ripgrep)");
	if (agent_has_tool(d, "browser"))
		check_program(d, chromium, DOCTOR_WARNING,
			      "the browser tool cannot start; install chromium");
}

static void check_server_program(struct doctor *d, const char *name, const char *command)
{
	AUTO(free) char *path = find_program(command);
	char title[48];

	snprintf(title, sizeof title, "mcp %.40s", name);
	if (path)
		doctor_add(d, DOCTOR_OK, title, "%s", path);
	else
		doctor_add(d, DOCTOR_WARNING, title,
			   "`%s` is not installed; install %s, or disable the server",
			   command, strcmp(command, "npx") == 0 ? "Node.js" : "it");
}

/* Local MCP servers need their programs, such as npx of Node.js. Errors of their
 * configuration are lines of its check. */
void doctor_servers(struct doctor *d)
{
	struct mcp_servers servers = { 0 };

	if (!d->config || mcp_servers_read(d->config, &servers, NULL))
		return;
	for (size_t n = 0; n < servers.count; n++) {
		AUTO(json) json_object *all = NULL;
		const char *command = NULL;
		char section[128];

		snprintf(section, sizeof section, "mcp.%.80s", servers.names[n]);
		if (!servers.options[n])
			command = config_get(d->config, section, "command");
		else if (!mcp_server_options(servers.names[n], servers.options[n], &all,
					     NULL))
			command = js_str(all, "command", NULL);
		if (command && *command)
			check_server_program(d, servers.names[n], command);
	}
	mcp_servers_clear(&servers);
}

/* The directory is created on demand: the nearest one that exists counts. */
static char *existing_directory(const char *path)
{
	char *copy = strdup(path), *end;

	while (copy && access(copy, F_OK) < 0 && errno == ENOENT &&
	       (end = strrchr(copy, '/')) && end != copy)
		*end = '\0';
	return copy;
}

void doctor_state(struct doctor *d)
{
	const char *set = d->config ? config_get(d->config, "core", "state_dir") : NULL;
	AUTO(free) char *path = set && *set ? path_expand(set) : NULL, *dir = NULL;
	char size[AMOUNT_TEXT];
	struct statvfs fs;
	int64_t space;

	if (!path)
		paths_xdg_dir("STATE", false, &path, NULL);
	dir = path ? existing_directory(path) : NULL;
	if (!dir || access(dir, W_OK | X_OK) < 0 || statvfs(dir, &fs) < 0) {
		doctor_add(d, DOCTOR_PROBLEM, "state",
			   "cannot write to %s: %s; set [core] state_dir",
			   path ? path : "the state directory", strerror(errno));
		return;
	}
	space = (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
	if (space < LITTLE_SPACE)
		doctor_add(d, space < NO_SPACE ? DOCTOR_PROBLEM : DOCTOR_WARNING, "state",
			   "%s has only %s free; remove conversations with `mortise "
			   "conversations delete`",
			   path, amount_size(space, size));
	else
		doctor_add(d, DOCTOR_OK, "state", "%s, %s free", path,
			   amount_size(space, size));
}
