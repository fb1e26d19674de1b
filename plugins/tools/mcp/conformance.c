/* SPDX-License-Identifier: MIT
 *
 * conformance.c - `mortise-mcp-conformance URL`: the client as the official conformance
 * suite of MCP drives it. It connects, lists the tools, calls each, and exits with 0 if
 * all of it succeeded.
 *
 * The suite sets the scenario in the environment: MCP_CONFORMANCE_SCENARIO,
 * MCP_CONFORMANCE_PROTOCOL_VERSION, MCP_CONFORMANCE_CONTEXT (JSON). */
#include "oauth.h"
#include "tools.h"
#include <curl/curl.h>
#include <string.h>

static void conformance_on_log(void *arg, int level, const char *text)
{
	(void)arg;
	if (level <= MT_LOG_WARNING)
		fprintf(stderr, "mortise: %s\n", text);
}

static void conformance_on_progress(void *arg, double done, double total,
				    const char *message)
{
	(void)arg, (void)done, (void)total, (void)message;
}

/* Default value of a parameter that the suite does not set. */
static json_object *made_up(json_object *property)
{
	const char *type = js_str(property, "type", "string");

	if (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0)
		return json_object_new_int(2);
	if (strcmp(type, "boolean") == 0)
		return json_object_new_boolean(true);
	if (strcmp(type, "array") == 0)
		return json_object_new_array();
	if (strcmp(type, "object") == 0)
		return json_object_new_object();
	return json_object_new_string("test");
}

/* A tool that requires a schema gets that of the first tool, as it was read. */
static json_object *arguments_for(const struct offers *all, const struct offer *f)
{
	json_object *args = json_object_new_object();
	json_object *required = js_get(f->input, "required");
	size_t n = js_length(required);

	for (size_t i = 0; i < n; i++) {
		const char *name =
			json_object_get_string(json_object_array_get_idx(required, i));

		js_set_new(args, name,
			   strcmp(name, "schema") == 0
				   ? json_object_get(all->list[0].input)
				   : made_up(js_get(js_get(f->input, "properties"),
						    name)));
	}
	return args;
}

/* An error response counts as a response: the client worked. */
static int call(struct client *c, const struct offer *f, json_object *arguments,
		struct error *err)
{
	AUTO(json) json_object *params = json_object_new_object();
	AUTO(json) json_object *result = NULL;
	AUTO(json) json_object *refusal = NULL;
	const struct waiter w = { .input = f->input,
				  .progress = conformance_on_progress };
	int status;

	if (js_set_str(params, "name", f->real) ||
	    js_set_new(params, "arguments", arguments))
		return out_of_memory(err);
	status = mcp_client_request(c, "tools/call", params, &w, &result, &refusal, err);
	if (status && !refusal)
		return status;
	printf("%s: %s\n", f->real, js_shown(refusal ? refusal : result));
	*err = ERROR_NONE;
	return MT_OK;
}

/* Make the calls that the context lists, in their order. */
static int call_named(struct client *c, const struct offers *offers, json_object *calls,
		      struct error *err)
{
	int status = MT_OK;

	for (size_t i = 0; !status && i < json_object_array_length(calls); i++) {
		json_object *one = json_object_array_get_idx(calls, i);
		json_object *args = js_get(one, "arguments");
		char name[65];
		const struct offer *f;

		mcp_clean_name(js_str(one, "name", ""), name, sizeof name);
		f = tools_find(offers, name);
		if (f)
			status = call(c, f,
				      args ? json_object_get(args)
					   : json_object_new_object(),
				      err);
	}
	return status;
}

static int call_all(struct client *c, const struct offers *offers, struct error *err)
{
	int worst = MT_OK;

	for (size_t i = 0; i < offers->count; i++) {
		struct error why = ERROR_NONE;

		if (offers->list[i].kind != OFFER_TOOL)
			continue;
		if (call(c, &offers->list[i], arguments_for(offers, &offers->list[i]),
			 &why)) {
			fprintf(stderr, "mortise: %s: %s\n", offers->list[i].real,
				why.text);
			worst = fail(err, why.code, "%s", why.text);
		}
	}
	return worst;
}

static int play(struct client *c, json_object *calls, struct error *err)
{
	const struct offer_options options = { .trust_hints = true };
	const struct waiter w = { 0 };
	struct offers offers = { 0 };
	int status = client_connect(c, &w, err);

	if (!status)
		status = tools_fetch(c, &options, &w, &offers, err);
	if (!status)
		status = json_object_is_type(calls, json_type_array)
				 ? call_named(c, &offers, calls, err)
				 : call_all(c, &offers, err);
	tools_clear(&offers);
	return status;
}

static size_t ignore(char *bytes, size_t size, size_t n, void *arg)
{
	(void)bytes, (void)arg;
	return size * n;
}

/* The suite's authorization server approves immediately. */
static char *conformance_visit(void *arg, const char *url, const char *state,
			       struct error *err)
{
	CURL *easy = curl_easy_init();
	char *answer = NULL, *copy = NULL;

	(void)arg, (void)state;
	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
	if (curl_easy_perform(easy) == CURLE_OK &&
	    curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &answer) == CURLE_OK && answer)
		copy = strdup(answer);
	else
		fail(err, MT_EIO, "the authorization server does not redirect");
	curl_easy_cleanup(easy);
	return copy;
}

static char *conformance_authorize(void *arg, const char *challenge, struct error *err)
{
	const char *scenario = getenv("MCP_CONFORMANCE_SCENARIO");

	if (!challenge)
		return NULL;
	return scenario && strstr(scenario, "client-credentials")
		       ? oauth_client_token(arg, challenge, err)
		       : oauth_login(arg, challenge, err);
}

int main(int argc, char **argv)
{
	const char *context = getenv("MCP_CONFORMANCE_CONTEXT");
	const char *version = getenv("MCP_CONFORMANCE_PROTOCOL_VERSION");
	AUTO(json) json_object *doc =
		context ? js_parse_object(context, strlen(context), NULL) : NULL;
	const char *url = argc > 1 ? argv[argc - 1] : NULL;
	struct oauth oauth = {
		.server = url, .redirect_uri = "http://localhost:3000/callback",
		.client_metadata_url = "https://conformance-test.local/client-metadata.json",
		.client_id = js_str(doc, "client_id", NULL),
		.client_secret = js_str(doc, "client_secret", NULL),
		.client_key = js_str(doc, "private_key_pem", NULL), .visit = conformance_visit };
	struct client_config config = {
		.name = "conformance", .url = url, .arg = &oauth,
		.authorize = conformance_authorize,
		.protocol = version && *version ? version : NULL, .accepts = true,
		.connect_ms = 20000, .timeout_ms = 20000, .log = conformance_on_log };
	AUTO(client) struct client *c = NULL;
	struct error err = ERROR_NONE;

	if (!config.url || *config.url == '-') {
		printf("Usage: mortise-mcp-conformance URL\n\nThe MCP client as the official "
		       "conformance suite drives it.\n");
		return config.url && strcmp(config.url, "--help") == 0 ? 0 : 2;
	}
	c = client_new(&config);
	if (!c)
		out_of_memory(&err);
	else
		play(c, js_get(doc, "toolCalls"), &err);
	if (err.code)
		fprintf(stderr, "mortise: %s\n", err.text);
	json_object_put(oauth.login);
	return err.code ? 1 : 0;
}
