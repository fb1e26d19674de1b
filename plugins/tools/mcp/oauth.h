/* SPDX-License-Identifier: MIT
 *
 * oauth.h - obtains OAuth tokens for HTTP servers: OAuth 2.1 with PKCE, as specified by
 * MCP.
 *
 * A login is stored as one JSON object: server, issuer, resource, token_endpoint,
 * client_id, client_secret, auth_method, redirect_uri, access_token, refresh_token,
 * expires_at (seconds), scope, asked_scope, wanted_scope (scopes requested by the server
 * since). */
#ifndef MCP_OAUTH_H
#define MCP_OAUTH_H

#include "error.h"
#include "js.h"

enum {
	OAUTH_DOC_MAX = 256 << 10, /* bytes of a response */
	OAUTH_URL_MAX = 8 << 10,
	OAUTH_EARLY_S = 30,        /* a token is refreshed this long before it expires */
};

struct oauth {
	const char *server;        /* its URL */
	const char *ca_path;       /* or NULL */
	const char *redirect_uri;
	/* Credentials that the authorization server gave to the user; or NULL. */
	const char *client_id, *client_secret;
	const char *client_key;    /* private key (PEM text) instead of a secret; or NULL */
	const char *client_metadata_url; /* URL of client metadata, used as id; or NULL */
	const char *scope;         /* overrides the server's scopes; or NULL */
	json_object *login;        /* as above, or NULL; owned */
	void *arg;
	/** Direct the user to `url`. @return the redirect URL, with `state` in it;
	 *  owned. */
	char *(*visit)(void *arg, const char *url, const char *state, struct error *err);
};

/** Metadata of the authorization server, and of the resource that it protects. */
struct oauth_place {
	json_object *resource;     /* RFC 9728; NULL: the server has none */
	json_object *metadata;     /* RFC 8414 */
	const char *issuer;        /* borrowed from metadata */
};

/** Obtain a token with the user's help, even if there is one. `challenge`: the
 *  WWW-Authenticate header of the refusal, or "". @return the token, owned. */
char *oauth_login(struct oauth *o, const char *challenge, struct error *err);
/** Obtain a token with the client's own credentials (secret or key), without a user.
 *  @return the token, owned. */
char *oauth_client_token(struct oauth *o, const char *challenge, struct error *err);
/** Obtain a new token with the refresh token of the login. MT_ENOTFOUND: there is none,
 *  or it is no longer accepted. */
int oauth_renew(struct oauth *o, struct error *err);
/** The token of a login, unless it expires soon; borrowed. */
const char *oauth_token(json_object *login);

int oauth_login_read(const char *path, json_object **ret, struct error *err);
int oauth_login_write(const char *path, json_object *login, struct error *err);

/* ---- internal ---------------------------------------------------------------- */

/** Append a parameter of a Bearer challenge. @return false: missing. */
bool oauth_challenge_param(const char *challenge, const char *name, struct strbuf *ret);
int oauth_discover(const struct oauth *o, const char *challenge, struct oauth_place *ret,
		   struct error *err);
void oauth_place_clear(struct oauth_place *p);

/** GET, or POST of a body of that type; a body that is not JSON gives no document.
 *  `authorization` (may be NULL) is a header's value. */
int oauth_fetch(const struct oauth *o, const char *url, const char *type,
		const char *body, const char *authorization, long *ret_status,
		json_object **ret, struct error *err);
/** True if a secret may be sent there: https, or localhost, or a server that is itself
 *  contacted without encryption. */
bool oauth_url_is_safe(const struct oauth *o, const char *url);
/** Scheme, host and port of a URL; owned. NULL: invalid. */
char *oauth_url_origin(const char *url);
/** Path of a URL without its trailing slash, "" for none; owned. */
char *oauth_url_path(const char *url);
/** Append `name=value`, with & before it unless the text is empty or ends in ?. */
int oauth_form_add(struct strbuf *b, const char *name, const char *value);

/** The scopes to request: those of the challenge, together with the previous ones;
 *  otherwise all that are supported. */
int oauth_scope(const struct oauth *o, const struct oauth_place *p, const char *challenge,
		struct strbuf *ret, struct error *err);
/** Append 32 random bytes in the encoding of base64_put_url. */
int oauth_put_random(struct strbuf *b, struct error *err);

/** A login with the members common to all logins, owned; NULL: out of memory. */
json_object *oauth_login_new(const struct oauth *o, const struct oauth_place *p,
			     const char *scope);
/** Get a token for `o->login` from the authorization server. */
typedef int oauth_ask_fn(struct oauth *o, const struct oauth_place *p,
			 const char *challenge, struct error *err);
/** Find the authorization server and get a token from it. @return the token, owned. */
char *oauth_obtain(struct oauth *o, const char *challenge, oauth_ask_fn *ask,
		   struct error *err);
/** Send a request to the token endpoint; the response is merged into the login. */
int oauth_ask_token(struct oauth *o, json_object *login, struct strbuf *form,
		    struct error *err);

#endif
