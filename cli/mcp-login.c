/* SPDX-License-Identifier: MIT
 *
 * mcp-login.c - `mortise mcp login NAME` and `logout NAME`; the helper
 * mortise-mcp-login performs the login. */
#include "mcp.h"

#include "commands.h"
#include "files.h"
#include "tools/catalog.h"
#include "tools/mcp-servers.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int mcp_server_item(const char *name, struct strbuf *ret)
{
	return name ? strbuf_addf(ret, MCP_SERVER_PREFIX "%s", name)
		    : strbuf_add(ret, MCP_TOOLSET);
}

/* The options of an HTTP server, in the form for the runner; owned. */
static int mcp_login_find(const struct config *c, const struct registry *r,
			  const char *name, json_object **ret, struct error *err)
{
	AUTO(strbuf) struct strbuf item = STRBUF(4096);
	struct catalog catalog = { 0 };
	int status = mcp_server_item(name, &item)
			     ? out_of_memory(err)
			     : catalog_open(c, r, item.text, &catalog, err);

	if (!status)
		status = mcp_server_options(name, catalog.instances[0].options, ret, err);
	if (!status && !js_str(*ret, "url", NULL))
		status = fail(err, MT_EINVAL,
			      "server `%.80s` is a local command; "
			      "`login` applies only to servers with a "
			      "`url`",
			      name);
	else if (!status && !js_str(*ret, "login_file", NULL))
		status = fail(err, MT_EINVAL,
			      "server `%.80s` already gets its token "
			      "from `bearer_env` or `headers`",
			      name);
	catalog_clear(&catalog);
	return status;
}

/* ---- login --------------------------------------------------------------------- */

static json_object *header_lines(json_object *options)
{
	json_object *lines = json_object_new_array();

	json_object_object_foreach(options, key, value) {
		AUTO(strbuf) struct strbuf line = STRBUF(64 << 10);

		if (strncmp(key, "header.", 7) == 0 &&
		    !strbuf_addf(&line, "%s: %s", key + 7, json_object_get_string(value)))
			js_add_new(lines, json_object_new_string(line.text));
	}
	return lines;
}

static json_object *make_spec(const char *name, json_object *options, struct error *err)
{
	static const char *const texts[] = { "url", "ca_path", "login_file", "client_id",
					     "client_metadata_url", "scope", "protocol",
					     "transport" };
	const char *variable = js_str(options, "client_secret_env", NULL);
	const char *secret = variable ? secret_env(variable) : NULL;
	json_object *spec = json_object_new_object();
	int status = js_set_str(spec, "name", name);

	if (variable && !secret)
		fail(err, MT_ENOTFOUND,
		     "environment variable %.80s, which contains the "
		     "client secret, is not set",
		     variable);
	for (size_t i = 0; !status && i < ARRAY_LEN(texts); i++)
		if (js_str(options, texts[i], NULL))
			status =
				js_set_str(spec, texts[i], js_str(options, texts[i], ""));
	if (!status && secret)
		status = js_set_str(spec, "client_secret", secret);
	if (!status)
		status = js_set(spec, "headers", header_lines(options));
	if (!status)
		status = js_set_int(spec, "port",
				    strtol(js_str(options, "login_port", "0"), NULL, 10));
	if (status)
		out_of_memory(err);
	if (!err->code)
		return spec;
	json_object_put(spec);
	return NULL;
}

/* A descriptor from which the helper reads the specification: other users can see command
 * lines. */
static int cli_mcp_login_hand_over(json_object *spec, struct error *err)
{
	int fd = memfd_create("login", 0);
	size_t len;
	const char *text = js_text(spec, &len);

	if (fd < 0 || !text || file_write_all(fd, text, len) ||
	    lseek(fd, 0, SEEK_SET) != 0) {
		fail(err, MT_EIO, "cannot prepare the login: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

int mcp_login(const struct config *c, const struct registry *r, const char *name,
	      struct error *err)
{
	AUTO(json) json_object *options = NULL;
	AUTO(json) json_object *spec = NULL;
	char number[16], word[] = "mcp-login";
	char *argv[] = { word, number, NULL };
	int fd;

	if (mcp_login_find(c, r, name, &options, err))
		return command_report(EXIT_USAGE, err);
	spec = make_spec(name, options, err);
	fd = spec ? cli_mcp_login_hand_over(spec, err) : -1;
	if (fd < 0)
		return command_report(EXIT_FAILED, err);
	snprintf(number, sizeof number, "%d", fd);
	helper_run("mcp-login", argv);
	fail(err, MT_ENOTFOUND, "cannot log in: mortise-mcp-login is not installed");
	return command_report(EXIT_FAILED, err);
}

/* ---- logout -------------------------------------------------------------------- */

int mcp_logout(const struct config *c, const struct registry *r, const char *name,
	       struct error *err)
{
	AUTO(json) json_object *options = NULL;
	const char *file;

	if (mcp_login_find(c, r, name, &options, err))
		return command_report(EXIT_USAGE, err);
	file = js_str(options, "login_file", "");
	if (unlink(file) == 0) {
		printf("Logged out of %s.\n", name);
		return EXIT_DONE;
	}
	if (errno == ENOENT) {
		printf("Not logged in to %s.\n", name);
		return EXIT_DONE;
	}
	fail(err, MT_EIO, "cannot remove %s: %s", file, strerror(errno));
	return command_report(EXIT_FAILED, err);
}
