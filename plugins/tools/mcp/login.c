/* SPDX-License-Identifier: MIT
 *
 * login.c - the program behind `mortise mcp login NAME`: logs the user in to an HTTP
 * server, stores the login, and tests it.
 *
 * Its argument is a descriptor, from which it reads one JSON object: name, url, headers
 * (lines), ca_path, login_file, client_id, client_secret, client_metadata_url, scope,
 * port, protocol, transport. */
#include "harden.h"
#include "browse.h"
#include "files.h"
#include "oauth.h"
#include "tools.h"
#include <curl/curl.h>
#include <string.h>

enum { SPEC_MAX = 1 << 20, HEADERS_MAX = 64, PATIENCE_MS = 300000 };

struct login {
	struct oauth oauth;
	struct browse browse;
	bool asked;               /* the server required a login */
};

static char *mcp_login_visit(void *arg, const char *url, const char *state,
			     struct error *err)
{
	struct login *l = arg;

	return browse_visit(&l->browse, url, state, PATIENCE_MS, err);
}

static char *mcp_login_authorize(void *arg, const char *challenge, struct error *err)
{
	struct login *l = arg;

	if (!challenge)
		return NULL;
	l->asked = true;
	return oauth_login(&l->oauth, challenge, err);
}

static void login_on_log(void *arg, int level, const char *text)
{
	(void)arg;
	if (level <= MT_LOG_WARNING)
		fprintf(stderr, "mortise: %s\n", text);
}

static json_object *mcp_login_read_spec(int fd, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(SPEC_MAX);
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof bytes)) > 0 &&
	       !strbuf_addn(&text, bytes, (size_t)n))
		;
	close(fd);
	return n == 0 ? js_parse_object(text.text, text.len, err) : NULL;
}

/* Connect and list the tools; log in if the server requires or supports it. */
static int mcp_login_perform(struct login *l, const struct client_config *config,
			     size_t *ret_tools, struct error *err)
{
	AUTO(client) struct client *c = client_new(config);
	const struct offer_options options = { .trust_hints = true };
	const struct waiter w = { 0 };
	struct offers offers = { 0 };
	int status = c ? client_connect(c, &w, err) : out_of_memory(err);

	if (!status)
		status = tools_fetch(c, &options, &w, &offers, err);
	*ret_tools = offers.count;
	tools_clear(&offers);
	if (!status && !l->asked) {
		struct error why = ERROR_NONE;
		char *token = oauth_login(&l->oauth, "", &why);

		if (!token && why.code != MT_ENOTFOUND)
			status = fail(err, why.code, "%s", why.text);
		free(token);
	}
	return status;
}

static int login_run(json_object *spec, struct error *err)
{
	const char *file = js_str(spec, "login_file", ""),
		   *name = js_str(spec, "name", "");
	const char *protocol = js_str(spec, "protocol", "auto");
	json_object *lines = js_get(spec, "headers"), *old = NULL;
	char *headers[HEADERS_MAX + 1] = { NULL };
	struct login l = { .oauth = {
		.server = js_str(spec, "url", ""), .ca_path = js_str(spec, "ca_path", NULL),
		.client_id = js_str(spec, "client_id", NULL),
		.client_secret = js_str(spec, "client_secret", NULL),
		.client_metadata_url = js_str(spec, "client_metadata_url", NULL),
		.scope = js_str(spec, "scope", NULL), .visit = mcp_login_visit, .arg = &l } };
	struct client_config config = {
		.name = name, .url = l.oauth.server, .ca_path = l.oauth.ca_path,
		.headers = headers, .arg = &l, .authorize = mcp_login_authorize,
		.log = login_on_log,
		.old_sse = strcmp(js_str(spec, "transport", ""), "sse") == 0,
		.new_http = strcmp(js_str(spec, "transport", ""), "http") == 0,
		.protocol = strcmp(protocol, "auto") != 0 ? protocol : NULL,
		.connect_ms = PATIENCE_MS, .timeout_ms = PATIENCE_MS };
	size_t tools = 0, n = lines ? json_object_array_length(lines) : 0;
	int status;

	for (size_t i = 0; i < n && i < HEADERS_MAX; i++)
		headers[i] = (char *)(uintptr_t)json_object_get_string(
			json_object_array_get_idx(lines, i));
	if (!oauth_login_read(file, &old, NULL) &&
	    strcmp(js_str(old, "server", ""), l.oauth.server) == 0)
		l.oauth.login = json_object_get(old);
	status = browse_open(&l.browse, (int)js_int(spec, "port", 0),
			     js_str(l.oauth.login, "redirect_uri", ""), err);
	l.oauth.redirect_uri = l.browse.redirect_uri;
	if (!status)
		status = mcp_login_perform(&l, &config, &tools, err);
	if (!status && l.oauth.login == old)
		printf("%s does not require a login; it has %zu tool%s.\n", name, tools,
		       tools == 1 ? "" : "s");
	else if (l.oauth.login != old && !oauth_login_write(file, l.oauth.login, err) &&
		 !status)
		printf("Logged in to %s, which has %zu tool%s.\n", name, tools,
		       tools == 1 ? "" : "s");
	browse_close(&l.browse);
	json_object_put(l.oauth.login);
	json_object_put(old);
	return status ? status : err->code;
}

int main(int argc, char **argv)
{
	AUTO(json) json_object *spec = NULL;
	struct error err = ERROR_NONE;
	char *end = NULL;
	long fd = argc == 2 ? strtol(argv[1], &end, 10) : -1;

	if (fd < 3 || fd > 1024 || *end) {
		printf("Usage: mortise mcp login NAME\n"
		       "Log in to an MCP server. This program is run by `mortise mcp "
		       "login`.\n");
		return 2;
	}
	harden_process();
	harden_environment();
	curl_global_init(CURL_GLOBAL_DEFAULT);
	spec = mcp_login_read_spec((int)fd, &err);
	if (!spec)
		fail(&err, MT_EINVAL, "no server to log in to");
	else
		login_run(spec, &err);
	if (err.code)
		fprintf(stderr, "mortise: %s\n", err.text);
	return err.code ? 1 : 0;
}
