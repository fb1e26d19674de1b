/* SPDX-License-Identifier: MIT
 *
 * oauth.h - obtains OAuth tokens for HTTP servers: OAuth 2.1 with PKCE, as specified by
 * MCP.
 *
 * What is kept of a login is one JSON object: server, issuer, resource,
 * token_endpoint, client_id, client_secret, auth_method, redirect_uri,
 * access_token, refresh_token, expires_at (seconds), scope, asked_scope,
 * wanted_scope (what the server asked for since). */
#ifndef MCP_OAUTH_H
#define MCP_OAUTH_H

#include "error.h"
#include "js.h"

enum {
	OAUTH_DOC_MAX = 256 << 10, /* bytes of an answer */
	OAUTH_URL_MAX = 8 << 10,
	OAUTH_EARLY_S = 30,        /* a token is renewed so long before its end */
};

struct oauth {
	const char *server;        /* its url */
	const char *ca_path;       /* or NULL */
	const char *redirect_uri;
	/* Credentials that the authorization server gave to the user; or NULL. */
	const char *client_id, *client_secret;
	const char *client_key;    /* private key (PEM text) instead of a secret; or NULL */
	const char *client_metadata_url; /* a document of the client as its id; or NULL */
	const char *scope;         /* instead of what the server asks for; or NULL */
	json_object *login;        /* as above, or NULL; owned */
	void *arg;
	/** Have the user go to `url`. The address that the browser came back to, with
	 *  `state` in it; owned. */
	char *(*visit)(void *arg, const char *url, const char *state, struct error *err);
};

/** Metadata of the authorization server, and of the resource that it protects. */
struct oauth_place {
	json_object *resource;     /* RFC 9728; NULL: the server has none */
	json_object *metadata;     /* RFC 8414 */
	const char *issuer;        /* borrowed from metadata */
};

/** Come by a token with the user's help, whatever is there already. `challenge`:
 *  the WWW-Authenticate header of the refusal, or "". @return the token, owned. */
char *oauth_login(struct oauth *o, const char *challenge, struct error *err);
/** Come by a token with what the client itself was given, its secret or its key, and
 *  no user. @return the token, owned. */
char *oauth_client_token(struct oauth *o, const char *challenge, struct error *err);
/** A new token by the refresh token of the login. MT_ENOTFOUND: there is none,
 *  or it is not taken any more. */
int oauth_renew(struct oauth *o, struct error *err);
/** The token of a login, if it lasts; borrowed. */
const char *oauth_token(json_object *login);

int oauth_login_read(const char *path, json_object **ret, struct error *err);
int oauth_login_write(const char *path, json_object *login, struct error *err);

/* ---- inside ------------------------------------------------------------------ */

/** Append a parameter of a Bearer challenge. @return false: it is not there. */
bool oauth_challenge_param(const char *challenge, const char *name, struct strbuf *ret);
int oauth_discover(const struct oauth *o, const char *challenge, struct oauth_place *ret,
		   struct error *err);
void oauth_place_clear(struct oauth_place *p);

/** GET, or POST of a body of that type; what is not JSON gives no document.
 *  `authorization` (may be NULL) is a header's value. */
int oauth_fetch(const struct oauth *o, const char *url, const char *type,
		const char *body, const char *authorization, long *ret_status,
		json_object **ret, struct error *err);
/** True if a secret may go there: https, or this machine, or a server that is
 *  itself spoken to without encryption. */
bool oauth_url_is_safe(const struct oauth *o, const char *url);
/** Scheme, host and port of an address; owned. NULL: it is none. */
char *oauth_url_origin(const char *url);
/** Path of an address without its last slash, "" for none; owned. */
char *oauth_url_path(const char *url);
/** Append `name=value`, with & before it unless the text is empty or ends in ?. */
int oauth_form_add(struct strbuf *b, const char *name, const char *value);

/** The scopes to ask for: those of the challenge, with what was had; else all. */
int oauth_scope(const struct oauth *o, const struct oauth_place *p, const char *challenge,
		struct strbuf *ret, struct error *err);
/** Append 32 random bytes in the form of base64_put_url. */
int oauth_put_random(struct strbuf *b, struct error *err);

/** A login with what all logins hold, owned; NULL: out of memory. */
json_object *oauth_login_new(const struct oauth *o, const struct oauth_place *p,
			     const char *scope);
/** Get a token for `o->login` from the authorization server. */
typedef int oauth_ask_fn(struct oauth *o, const struct oauth_place *p,
			 const char *challenge, struct error *err);
/** Find the authorization server and get a token from it. @return the token, owned. */
char *oauth_obtain(struct oauth *o, const char *challenge, oauth_ask_fn *ask,
		   struct error *err);
/** Ask the token endpoint; the answer becomes part of the login. */
int oauth_ask_token(struct oauth *o, json_object *login, struct strbuf *form,
		    struct error *err);

#endif
