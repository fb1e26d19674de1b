/* SPDX-License-Identifier: MIT
 *
 * settings.c - the options of an instance. */
#include "settings.h"
#include "array.h"
#include "files.h"
#include "tool-plugin.h"
#include <string.h>

enum { WORDS_MAX = 512, KEY_MAX = 64 << 10 };

/* Options of type choice, in the order of their choices below. */
enum { TRANSPORT_AUTO, TRANSPORT_HTTP, TRANSPORT_SSE };
enum { GRANT_LOGIN, GRANT_CLIENT };
enum { PROTOCOL_AUTO };

extern char **environ;

#define OPTION(type_, name_, fallback_, help_, ...)                            \
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_##type_,         \
	  .name = (name_), .fallback = (fallback_), .help = (help_), __VA_ARGS__ }

const struct mt_option settings_table[SETTINGS_COUNT] = {
	OPTION(TEXT, "command", NULL, "Program to run as the server."),
	OPTION(LIST, "args", NULL, "Arguments of the program."),
	OPTION(TEXT, "arg.", NULL, "Additional arguments, which may contain commas: arg.1 = x.",
	       .flags = MT_OPTION_PREFIX),
	OPTION(PATH, "directory", NULL,
	"Working directory of the server (default: the workspace)."),
	OPTION(LIST, "env", NULL,
	       "Names of environment variables to pass, in addition to the standard "
	       "ones.",
	       .flags = MT_OPTION_SECRET),
	OPTION(TEXT, "env.", NULL, "Environment variable to set: env.NAME = value.",
	       .flags = MT_OPTION_PREFIX | MT_OPTION_SECRET),
	OPTION(TEXT, "url", NULL, "URL of an HTTP server."),
	OPTION(CHOICE, "transport", "auto",
	       "Transport for a server with a url: streamable HTTP, the older SSE, or "
	       "`auto` to detect it.", .choices = "auto|http|sse"),
	OPTION(TEXT, "bearer_env", NULL,
	       "Environment variable that contains a token for the Authorization header.",
	       .flags = MT_OPTION_SECRET),
	OPTION(LIST, "headers", NULL,
	       "HTTP headers; each value is read from the named environment variable: "
	       "X-Api-Key: VARIABLE.", .flags = MT_OPTION_SECRET),
	OPTION(TEXT, "header.", NULL, "HTTP header to send: header.NAME = value.",
	       .flags = MT_OPTION_PREFIX | MT_OPTION_SECRET),
	OPTION(TEXT, "client_id", NULL,
	       "OAuth client ID (default: register a client with the authorization "
	       "server)."),
	OPTION(TEXT, "client_secret_env", NULL,
	       "Environment variable that contains the client secret for `client_id`.",
	       .flags = MT_OPTION_SECRET),
	OPTION(TEXT, "client_secret", NULL, "Client secret for `client_id`.",
	.flags = MT_OPTION_SECRET),
	OPTION(PATH, "client_key", NULL,
	       "File with the private key for `client_id` (PEM: P-256, RSA or "
	       "Ed25519), instead of a secret."),
	OPTION(CHOICE, "grant", "login",
	       "How to obtain a token: by a login of the user, or with the client's "
	       "own secret or key.", .choices = "login|client_credentials"),
	OPTION(TEXT, "client_metadata_url", NULL,
	       "URL of a client metadata document, used as the OAuth client ID."),
	OPTION(TEXT, "scope", NULL, "OAuth scope to request (default: set by the server)."),
	OPTION(INT, "login_port", "0",
	       "Local port for the redirect of the browser after a login; 0 for any.",
	       .max = 65535),
	OPTION(PATH, "login_file", NULL,
	"File that stores the login (default: in the state directory)."),
	OPTION(PATH, "ca_path", NULL,
	       "Directory of trusted CA certificates (default: the system's)."),
	OPTION(CHOICE, "protocol", "auto", "Protocol version to use.",
	       .choices = "auto|2026-07-28|2025-11-25|2025-06-18|2025-03-26|2024-11-05"),
	OPTION(DURATION, "timeout", "300s",
	       "Time limit for a call without a response or a progress notification.",
	       .min = 100, .max = 86400000),
	OPTION(DURATION, "connect_timeout", "30s",
	       "Time limit for startup, handshake and listing of tools.",
	       .min = 100, .max = 600000),
	OPTION(BOOL, "resources", "yes",
	"Offer a tool that lists and reads the server's resources."),
	OPTION(BOOL, "prompts", "yes", "Offer a tool that lists and fetches the server's prompts."),
	OPTION(BOOL, "trust_hints", "no",
	       "Trust the server's declaration of which tools are read-only or "
	       "destructive."),
	OPTION(PATH, "mcp_json", NULL,
	       "MCP configuration file of another program that defines the server."),
	OPTION(TEXT, "server", NULL,
	       "Name of the server in `mcp_json` (default: the name of the section)."),
};

/* ---- lists of texts ---------------------------------------------------------- */

static int mcp_settings_add_word(char ***list, size_t *count, char *word,
				 struct error *err)
{
	if (*count >= WORDS_MAX || !word) {
		free(word);
		return word ? fail(err, MT_ELIMIT, "too many arguments or variables")
			    : out_of_memory(err);
	}
	if (ARRAY_GROW(*list, NULL, *count + 2, WORDS_MAX + 1)) {
		free(word);
		return out_of_memory(err);
	}
	(*list)[(*count)++] = word;
	(*list)[*count] = NULL;
	return MT_OK;
}

static void free_words(char **list)
{
	for (char **word = list; word && *word; word++) {
		explicit_bzero(*word, strlen(*word));
		free(*word);
	}
	free(list);
}

static int read_argv(const struct mt_tool_host *host, struct mt_instance *instance,
		     const char *command, struct settings *s, struct error *err)
{
	const char *list = host->option(instance, "args"), *item, *key, *value;
	size_t count = 0, len;
	int status = mcp_settings_add_word(&s->argv, &count, strdup(command), err);

	while (!status && list && option_list_next(&list, &item, &len))
		status = mcp_settings_add_word(&s->argv, &count, strndup(item, len), err);
	for (size_t n = 0; !status && !host->option_at(instance, "arg.", n, &key, &value);
	     n++)
		status = mcp_settings_add_word(&s->argv, &count, strdup(value), err);
	return status;
}

/* The pair NAME=value or "Name: value". */
static char *pair(const char *name, const char *between, const char *value)
{
	char *text;

	return asprintf(&text, "%s%s%s", name, between, value) < 0 ? NULL : text;
}

static bool mcp_settings_is_set(const struct mt_tool_host *host,
				struct mt_instance *instance, const char *entry)
{
	const char *key, *value;

	for (size_t n = 0; !host->option_at(instance, "env.", n, &key, &value); n++) {
		size_t len = strlen(key + 4);

		if (strncmp(entry, key + 4, len) == 0 && entry[len] == '=')
			return true;
	}
	return false;
}

static int read_env(const struct mt_tool_host *host, struct mt_instance *instance,
		    struct settings *s, struct error *err)
{
	const char *key, *value;
	size_t count = 0;
	int status = MT_OK;

	for (char **e = environ; !status && e && *e; e++)
		if (!mcp_settings_is_set(host, instance, *e))
			status = mcp_settings_add_word(&s->env, &count, strdup(*e), err);
	for (size_t n = 0; !status && !host->option_at(instance, "env.", n, &key, &value);
	     n++)
		status = mcp_settings_add_word(&s->env, &count, pair(key + 4, "=", value),
					       err);
	return status;
}

static int mcp_settings_read_headers(const struct mt_tool_host *host,
				     struct mt_instance *instance, struct settings *s,
				     struct error *err)
{
	const char *key, *value;
	size_t count = 0;
	int status = MT_OK;

	for (size_t n = 0;
	     !status && !host->option_at(instance, "header.", n, &key, &value); n++) {
		if (strpbrk(value, "\r\n"))
			return fail(err, MT_EINVAL,
				    "`%.80s`: a header must be a single line", key);
		status = mcp_settings_add_word(&s->headers, &count,
					       pair(key + 7, ": ", value), err);
	}
	return status;
}

/* Read the client credentials that replace a user login. */
static int read_client(const struct mt_tool_host *host, struct mt_instance *instance,
		       struct settings *s, struct error *err)
{
	const char *key = host->option(instance, "client_key");
	size_t len;

	s->login = (struct keep){ 0 };
	s->by_itself = true;
	s->client = (struct oauth){
		.server = s->config.url, .ca_path = s->config.ca_path,
		.client_id = host->option(instance, "client_id"),
		.client_secret = host->option(instance, "client_secret"),
		.scope = host->option(instance, "scope") };
	if (!key)
		return MT_OK;
	if (file_read(key, KEY_MAX, &s->key, &len, err))
		return err->code;
	if (!path_is_safe(key, err))
		return MT_EDENIED;
	s->client.client_key = s->key;
	return MT_OK;
}

/* Index of an option's value among its choices. */
static int mcp_settings_choice_of(const struct mt_tool_host *host,
				  struct mt_instance *instance, const char *key)
{
	return tool_choice(host, instance, settings_table, SETTINGS_COUNT, key);
}

int settings_read(const struct mt_tool_host *host, struct mt_instance *instance,
		  struct settings *ret, struct error *err)
{
	const char *command = host->option(instance, "command");
	const char *url = host->option(instance, "url");
	const char *name = host->option(instance, "server");
	int transport = mcp_settings_choice_of(host, instance, "transport");
	struct settings s = { 0 };
	int status = MT_OK;

	if (!command == !url)
		return fail(err, MT_EINVAL,
			    "an MCP server requires either `command` or `url`");
	if (url && strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return fail(err, MT_EINVAL,
			    "`url` of an MCP server must start with http:// or https://");
	s.name = strdup(name ? name : "mcp");
	if (!s.name)
		status = out_of_memory(err);
	if (!status && command)
		status = read_argv(host, instance, command, &s, err);
	if (!status && command)
		status = read_env(host, instance, &s, err);
	if (!status && url)
		status = mcp_settings_read_headers(host, instance, &s, err);
	if (status) {
		settings_clear(&s);
		return status;
	}
	s.offers = (struct offer_options){
		.resources = host->option_int(instance, "resources") != 0,
		.prompts = host->option_int(instance, "prompts") != 0,
		.trust_hints = host->option_int(instance, "trust_hints") != 0 };
	s.config = (struct client_config){
		.name = s.name, .argv = s.argv, .env = s.env, .url = url,
		.headers = s.headers, .ca_path = host->option(instance, "ca_path"),
		.directory = host->option(instance, "directory"),
		.old_sse = transport == TRANSPORT_SSE,
		.new_http = transport == TRANSPORT_HTTP,
		.protocol = mcp_settings_choice_of(host, instance, "protocol") > PROTOCOL_AUTO
				    ? host->option(instance, "protocol")
				    : NULL,
		.connect_ms = host->option_int(instance, "connect_timeout"),
		.timeout_ms = host->option_int(instance, "timeout") };
	if (url && host->option(instance, "login_file"))
		s.login = (struct keep){ .name = s.name, .server = url,
					 .file = host->option(instance, "login_file"),
					 .ca_path = s.config.ca_path };
	if (url && mcp_settings_choice_of(host, instance, "grant") == GRANT_CLIENT)
		status = read_client(host, instance, &s, err);
	if (status) {
		settings_clear(&s);
		return status;
	}
	if (!s.config.directory)
		s.config.directory = host->workspace(instance);
	*ret = s;
	return MT_OK;
}

void settings_clear(struct settings *s)
{
	free_words(s->argv);
	free_words(s->env);
	free_words(s->headers);
	free(s->name);
	if (s->key)
		explicit_bzero(s->key, strlen(s->key));
	free(s->key);
	json_object_put(s->client.login);
	*s = (struct settings){ 0 };
}
