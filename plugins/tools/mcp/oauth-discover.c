/* SPDX-License-Identifier: MIT
 *
 * oauth-discover.c - discovers the authorization server of an MCP server. */
#include "rpc.h"
#include "oauth.h"
#include <string.h>
#include <strings.h>

/* ---- the challenge --------------------------------------------------------------- */

static bool oauth_discover_is_token(char ch)
{
	return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') ||
	       (ch >= 'A' && ch <= 'Z') || (ch && strchr("!#$%&'*+-.^_`|~", ch));
}

/* Skip a value, and append it to `ret` unless NULL. */
static const char *take_value(const char *at, struct strbuf *ret)
{
	bool quoted = *at == '"';

	for (at += quoted;
	     *at &&
	     (quoted ? *at != '"' : oauth_discover_is_token(*at) || strchr("/:=?", *at));
	     at++) {
		if (quoted && *at == '\\' && at[1])
			at++;
		if (ret)
			strbuf_addc(ret, *at);
	}
	return at + (quoted && *at);
}

bool oauth_challenge_param(const char *challenge, const char *name, struct strbuf *ret)
{
	size_t want = strlen(name);
	bool bearer = false;

	while (*challenge) {
		size_t len = 0;
		const char *after;
		bool found;

		while (oauth_discover_is_token(challenge[len]))
			len++;
		after = challenge + len + strspn(challenge + len, " \t");
		if (len == 0) {
			challenge = *challenge == '"' ? take_value(challenge, NULL)
						      : challenge + 1;
			continue;
		}
		if (*after != '=') { /* the name of a scheme */
			bearer = len == 6 && strncasecmp(challenge, "Bearer", 6) == 0;
			challenge = after;
			continue;
		}
		after += 1 + strspn(after + 1, " \t");
		found = bearer && len == want && strncasecmp(challenge, name, len) == 0;
		challenge = take_value(after, found ? ret : NULL);
		if (found)
			return !ret->error;
	}
	return false;
}

/* ---- the protected resource (RFC 9728) ------------------------------------------- */

static int fetch_ok(const struct oauth *o, const char *url, json_object **ret,
		    struct error *err)
{
	long code;
	int status = oauth_fetch(o, url, NULL, NULL, NULL, &code, ret, err);

	if (!status && (code < 200 || code > 299)) {
		json_object_put(*ret);
		*ret = NULL;
	}
	return status;
}

/* The server's URL must be within the resource that the document describes. */
static int check_resource(const struct oauth *o, json_object *doc, struct error *err)
{
	const char *resource = js_str(doc, "resource", "");
	AUTO(free) char *ours = oauth_url_origin(o->server),
			*our_path = oauth_url_path(o->server);
	AUTO(free) char *its = oauth_url_origin(resource),
			*its_path = oauth_url_path(resource);
	size_t len = its_path ? strlen(its_path) : 0;

	if (!ours || !our_path || !its || !its_path || strcmp(ours, its) != 0 ||
	    strncmp(our_path, its_path, len) != 0 ||
	    (our_path[len] != '\0' && our_path[len] != '/'))
		return fail(err, MT_EDENIED,
			    "no token was requested: the server claims to be `%.200s`",
			    resource);
	return MT_OK;
}

static int find_resource(const struct oauth *o, const char *challenge, json_object **ret,
			 struct error *err)
{
	static const char well_known[] = "/.well-known/oauth-protected-resource";
	AUTO(strbuf) struct strbuf url = STRBUF(OAUTH_URL_MAX);
	AUTO(free) char *origin = oauth_url_origin(o->server),
			*path = oauth_url_path(o->server);
	int status;

	if (!origin || !path)
		return fail(err, MT_EINVAL, "invalid server URL: %.200s", o->server);
	if (oauth_challenge_param(challenge, "resource_metadata", &url)) {
		if (!oauth_url_is_safe(o, url.text))
			return fail(err, MT_EDENIED,
				    "the server's metadata URL is not safe: %.200s",
				    url.text);
		status = fetch_ok(o, url.text, ret, err);
		if (status || *ret)
			return status ? status : check_resource(o, *ret, err);
	}
	for (int whole = *path ? 0 : 1; whole < 2; whole++) {
		strbuf_reset(&url);
		strbuf_addf(&url, "%s%s%s", origin, well_known, whole ? "" : path);
		status = fetch_ok(o, url.text, ret, err);
		if (status || *ret)
			return status ? status : check_resource(o, *ret, err);
	}
	return MT_OK;
}

/* ---- the authorization server (RFC 8414, OpenID Connect) --------------------------- */

static bool same_issuer(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);

	la -= la && a[la - 1] == '/';
	lb -= lb && b[lb - 1] == '/';
	return la == lb && memcmp(a, b, la) == 0;
}

static int find_metadata(const struct oauth *o, const char *issuer, json_object **ret,
			 struct error *err)
{
	static const char *const forms[] = { /* origin, path */
		"%s/.well-known/oauth-authorization-server%s",
		"%s/.well-known/openid-configuration%s",
		"%s%s/.well-known/openid-configuration",
	};
	AUTO(free) char *origin = oauth_url_origin(issuer),
			*path = oauth_url_path(issuer);

	if (!origin || !path || !oauth_url_is_safe(o, issuer))
		return fail(err, MT_EDENIED,
			    "the URL of the authorization server is not safe: %.200s",
			    issuer);
	for (size_t i = 0; i < (*path ? 3 : 2); i++) {
		AUTO(strbuf) struct strbuf url = STRBUF(OAUTH_URL_MAX);
		int status;

		switch (i) {
		case 0:
			strbuf_addf(&url, forms[0], origin, path);
			break;
		case 1:
			strbuf_addf(&url, forms[1], origin, path);
			break;
		default:
			strbuf_addf(&url, forms[2], origin, path);
			break;
		}
		status = fetch_ok(o, url.text, ret, err);
		if (status)
			return status;
		if (*ret)
			break;
	}
	if (*ret && !same_issuer(js_str(*ret, "issuer", ""), issuer))
		return fail(err, MT_EDENIED,
			    "no token was requested: authorization server %.200s "
			    "claims to be `%.200s`",
			    issuer, js_str(*ret, "issuer", ""));
	return MT_OK;
}

/* Servers of 2025-03-26 without metadata use fixed paths. */
static json_object *assume_metadata(const char *origin)
{
	static const char *const places[][2] = {
		{ "authorization_endpoint", "/authorize" },
		{ "token_endpoint", "/token" },
		{ "registration_endpoint", "/register" },
	};
	AUTO(json) json_object *doc = json_object_new_object();
	int status = js_set_str(doc, "issuer", origin);

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		AUTO(strbuf) struct strbuf url = STRBUF(OAUTH_URL_MAX);

		strbuf_addf(&url, "%s%s", origin, places[i][1]);
		if (!status)
			status = url.error ? url.error
					   : js_set_str(doc, places[i][0], url.text);
	}
	if (!status)
		status = js_set_new(doc, "code_challenge_methods_supported",
				    js_texts("S256", NULL));
	return status ? NULL : STEAL(doc);
}

/* A client without a user needs only the token endpoint. */
static int check_metadata(const struct oauth *o, json_object *m, struct error *err)
{
	static const char *const needed[] = { "token_endpoint",
					      "authorization_endpoint" };

	for (size_t i = 0; i < ARRAY_LEN(needed) - !o->visit; i++)
		if (!oauth_url_is_safe(o, js_str(m, needed[i], "")))
			return fail(
				err, MT_EDENIED,
				"the authorization server's %s is missing or not safe: `%.200s`",
				needed[i], js_str(m, needed[i], ""));
	if (o->visit &&
	    !rpc_list_has(js_get(m, "code_challenge_methods_supported"), "S256", false))
		return fail(err, MT_EUNSUPPORTED,
			    "the authorization server does not support PKCE with S256");
	return MT_OK;
}

int oauth_discover(const struct oauth *o, const char *challenge, struct oauth_place *ret,
		   struct error *err)
{
	AUTO(free) char *origin = oauth_url_origin(o->server);
	struct oauth_place p = { 0 };
	json_object *servers;
	const char *issuer = NULL;
	int status = find_resource(o, challenge, &p.resource, err);

	servers = js_get(p.resource, "authorization_servers");
	if (json_object_is_type(servers, json_type_array) &&
	    json_object_array_length(servers) > 0)
		issuer = json_object_get_string(json_object_array_get_idx(servers, 0));
	if (!status)
		status = find_metadata(o, issuer ? issuer : origin, &p.metadata, err);
	if (!status && !p.metadata && issuer)
		status = fail(err, MT_ENOTFOUND,
			      "authorization server %.200s has no metadata", issuer);
	if (!status && !p.metadata && *challenge) {
		p.metadata = assume_metadata(origin);
		status = p.metadata ? MT_OK : out_of_memory(err);
	}
	if (!status && !p.metadata)
		status = fail(err, MT_ENOTFOUND,
			      "the server does not name an authorization server");
	if (!status)
		status = check_metadata(o, p.metadata, err);
	if (status) {
		oauth_place_clear(&p);
		return status;
	}
	p.issuer = js_str(p.metadata, "issuer", "");
	*ret = p;
	return MT_OK;
}

void oauth_place_clear(struct oauth_place *p)
{
	json_object_put(p->resource);
	json_object_put(p->metadata);
	*p = (struct oauth_place){ 0 };
}
