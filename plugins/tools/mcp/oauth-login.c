/* SPDX-License-Identifier: MIT
 *
 * oauth-login.c - performs a login: registers the client, lets the user authorize it,
 * exchanges the code for a token. */
#include "base64.h"
#include "digest.h"
#include "rpc.h"
#include "oauth.h"
#include "space.h"
#include <curl/curl.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

enum { RANDOM_BYTES = 32 };

/* ---- random values ---------------------------------------------------------------- */

int oauth_put_random(struct strbuf *b, struct error *err)
{
	unsigned char bytes[RANDOM_BYTES];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return fail(err, MT_EIO, "cannot generate random bytes: %s",
			    strerror(errno));
	return base64_put_url(b, bytes, sizeof bytes) ? out_of_memory(err) : MT_OK;
}

static int put_hash(struct strbuf *b, const char *text, struct error *err)
{
	unsigned char sum[SHA256_BYTES];

	if (digest_sha256(text, strlen(text), sum))
		return fail(err, MT_EUNSUPPORTED,
			    "cannot compute SHA-256: libcrypto is not "
			    "available");
	if (base64_put_url(b, sum, sizeof sum))
		return out_of_memory(err);
	return MT_OK;
}

/* ---- scopes ----------------------------------------------------------------------- */

static void oauth_login_add_words(struct strbuf *to, const char *words)
{
	for (size_t len; *words; words += len) {
		words += strspn(words, " ");
		len = strcspn(words, " ");
		if (len && !space_lists(to->text, words, len))
			strbuf_addf(to, "%s%.*s", to->len ? " " : "", (int)len, words);
	}
}

/* Scopes of the refusal, together with the previous ones; otherwise all that are
 * supported. */
int oauth_scope(const struct oauth *o, const struct oauth_place *p, const char *challenge,
		struct strbuf *ret, struct error *err)
{
	AUTO(strbuf) struct strbuf named = STRBUF(OAUTH_URL_MAX);
	AUTO(strbuf) struct strbuf reason = STRBUF(256);
	json_object *all = js_get(p->resource, "scopes_supported");
	const char *wanted = js_str(o->login, "wanted_scope", "");
	bool more = *wanted || (oauth_challenge_param(challenge, "error", &reason) &&
				strcmp(reason.text, "insufficient_scope") == 0);

	if (more)
		oauth_login_add_words(ret, js_str(o->login, "asked_scope", ""));
	oauth_login_add_words(ret, wanted);
	if (o->scope) {
		oauth_login_add_words(ret, o->scope);
	} else if (oauth_challenge_param(challenge, "scope", &named)) {
		oauth_login_add_words(ret, named.text);
	} else if (json_object_is_type(all, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(all); i++)
			oauth_login_add_words(ret,
					      json_object_get_string(
						      json_object_array_get_idx(all, i)));
	}
	if (ret->len && rpc_list_has(js_get(p->metadata, "scopes_supported"),
				     "offline_access", false))
		oauth_login_add_words(ret, "offline_access");
	return ret->error ? out_of_memory(err) : MT_OK;
}

/* ---- the client ---------------------------------------------------------------------- */

static const char *method_for(json_object *metadata, bool secret)
{
	json_object *known = js_get(metadata, "token_endpoint_auth_methods_supported");

	if (!secret && rpc_list_has(known, "none", false))
		return "none";
	if (rpc_list_has(known, "client_secret_basic", true))
		return "client_secret_basic";
	return rpc_list_has(known, "client_secret_post", false) ? "client_secret_post"
								: "none";
}

static int registration(const struct oauth *o, const struct oauth_place *p,
			const char *scope, json_object **ret, struct error *err)
{
	const char *url = js_str(p->metadata, "registration_endpoint", "");
	AUTO(json) json_object *wish = json_object_new_object();
	const char *text;
	long code;
	int status;

	if (!*url)
		return fail(
			err, MT_EUNSUPPORTED,
			"authorization server %.200s does not register clients; get a "
			"client id from its operator and set `client_id`",
			p->issuer);
	if (!oauth_url_is_safe(o, url))
		return fail(err, MT_EDENIED,
			    "the registration endpoint is not safe: %.200s", url);
	if (js_set_str(wish, "client_name", "Mortise") ||
	    js_set_new(wish, "redirect_uris", js_texts(o->redirect_uri, NULL)) ||
	    js_set_new(wish, "grant_types",
		       js_texts("authorization_code", "refresh_token", NULL)) ||
	    js_set_new(wish, "response_types", js_texts("code", NULL)) ||
	    js_set_str(wish, "token_endpoint_auth_method",
		       method_for(p->metadata, false)) ||
	    js_set_str(wish, "application_type", "native") ||
	    (*scope && js_set_str(wish, "scope", scope)))
		return out_of_memory(err);
	text = js_text(wish, NULL);
	if (!text)
		return out_of_memory(err);
	status = oauth_fetch(o, url, "application/json", text, NULL, &code, ret, err);
	if (status || (code < 300 && js_str(*ret, "client_id", NULL)))
		return status;
	return fail(err, MT_EDENIED,
		    "the authorization server rejected the client registration: %.80s "
		    "%.200s (HTTP %ld)",
		    js_str(*ret, "error", ""), js_str(*ret, "error_description", ""),
		    code);
}

static int set_client(json_object *login, const char *id, const char *secret,
		      const char *method, struct error *err)
{
	if (js_set_str(login, "client_id", id) ||
	    (secret && js_set_str(login, "client_secret", secret)) ||
	    js_set_str(login, "auth_method", method))
		return out_of_memory(err);
	return MT_OK;
}

/* The client for this issuer: configured, registered earlier, a metadata document, or
 * newly registered. */
static int identify(const struct oauth *o, const struct oauth_place *p, const char *scope,
		    json_object *login, struct error *err)
{
	const char *old = js_str(o->login, "issuer", ""), *secret;
	AUTO(json) json_object *client = NULL;
	int status;

	if (o->client_id)
		return set_client(login, o->client_id, o->client_secret,
				  method_for(p->metadata, o->client_secret != NULL), err);
	if (strcmp(old, p->issuer) == 0 && js_str(o->login, "client_id", NULL) &&
	    strcmp(js_str(o->login, "redirect_uri", ""), o->redirect_uri) == 0)
		return set_client(login, js_str(o->login, "client_id", ""),
				  js_str(o->login, "client_secret", NULL),
				  js_str(o->login, "auth_method", "none"), err);
	if (o->client_metadata_url &&
	    js_bool(p->metadata, "client_id_metadata_document_supported", false))
		return set_client(login, o->client_metadata_url, NULL, "none", err);
	status = registration(o, p, scope, &client, err);
	if (status)
		return status;
	secret = js_str(client, "client_secret", NULL);
	return set_client(login, js_str(client, "client_id", ""), secret,
			  js_str(client, "token_endpoint_auth_method",
				 method_for(p->metadata, secret != NULL)),
			  err);
}

/* ---- the user ---------------------------------------------------------------------------- */

/* A parameter of the query of a URL; owned. NULL: missing. */
static char *query_param(const char *url, const char *name)
{
	const char *at = strchr(url, '?');
	size_t want = strlen(name);

	while (at && *at && *at != '#') {
		size_t len = strcspn(++at, "&#");

		if (len > want && memcmp(at, name, want) == 0 && at[want] == '=') {
			AUTO(free) char *raw = strndup(at + want + 1, len - want - 1);
			char *plain = raw ? curl_easy_unescape(NULL, raw, 0, NULL) : NULL;
			char *copy = plain ? strdup(plain) : NULL;

			curl_free(plain);
			return copy;
		}
		at += len;
	}
	return NULL;
}

/* Get the code, if the response belongs to our request and comes from the expected
 * issuer. */
static int oauth_login_read_answer(const struct oauth_place *p, const char *url,
				   const char *state, char **ret_code, struct error *err)
{
	AUTO(free) char *its_state = query_param(url, "state");
	AUTO(free) char *iss = query_param(url, "iss");
	AUTO(free) char *error = query_param(url, "error");
	AUTO(free) char *why = query_param(url, "error_description");
	bool promised = js_bool(p->metadata,
				"authorization_response_iss_parameter_supported", false);

	if (!its_state || strcmp(its_state, state) != 0)
		return fail(err, MT_EDENIED,
			    "the authorization response does not belong to this login");
	if ((promised && !iss) || (iss && strcmp(iss, p->issuer) != 0))
		return fail(err, MT_EDENIED,
			    "the authorization response is not from %.200s: `%.200s`",
			    p->issuer, iss ? iss : "");
	if (error)
		return fail(err, MT_EDENIED, "login denied: %.80s%s%.200s", error,
			    why ? ": " : "", why ? why : "");
	*ret_code = query_param(url, "code");
	return *ret_code
		       ? MT_OK
		       : fail(err, MT_EDENIED, "the authorization response has no code");
}

static int oauth_login_ask_user(const struct oauth *o, const struct oauth_place *p,
				json_object *login, const char *scope,
				const char *verifier, char **ret_code, struct error *err)
{
	const char *base = js_str(p->metadata, "authorization_endpoint", "");
	const char *resource = js_str(login, "resource", NULL);
	AUTO(strbuf) struct strbuf url = STRBUF(OAUTH_URL_MAX), state = STRBUF(256);
	AUTO(strbuf) struct strbuf hash = STRBUF(256);
	AUTO(free) char *answer = NULL;
	int status = oauth_put_random(&state, err);

	if (!status)
		status = put_hash(&hash, verifier, err);
	if (status)
		return status;
	strbuf_addf(&url, "%s%s", base, strchr(base, '?') ? "" : "?");
	if (oauth_form_add(&url, "response_type", "code") ||
	    oauth_form_add(&url, "client_id", js_str(login, "client_id", "")) ||
	    oauth_form_add(&url, "redirect_uri", o->redirect_uri) ||
	    oauth_form_add(&url, "state", state.text) ||
	    oauth_form_add(&url, "code_challenge", hash.text) ||
	    oauth_form_add(&url, "code_challenge_method", "S256") ||
	    (*scope && oauth_form_add(&url, "scope", scope)) ||
	    (resource && oauth_form_add(&url, "resource", resource)))
		return out_of_memory(err);
	answer = o->visit(o->arg, url.text, state.text, err);
	return answer ? oauth_login_read_answer(p, answer, state.text, ret_code, err)
		      : fail(err, MT_EDENIED, "login not completed");
}

/* ---- the whole login --------------------------------------------------------------- */

static int exchange_code(struct oauth *o, json_object *login, const char *code,
			 const char *verifier, struct error *err)
{
	AUTO(strbuf) struct strbuf form = STRBUF(OAUTH_URL_MAX);
	const char *resource = js_str(login, "resource", NULL);

	if (oauth_form_add(&form, "grant_type", "authorization_code") ||
	    oauth_form_add(&form, "code", code) ||
	    oauth_form_add(&form, "redirect_uri", o->redirect_uri) ||
	    oauth_form_add(&form, "code_verifier", verifier) ||
	    (resource && oauth_form_add(&form, "resource", resource)))
		return out_of_memory(err);
	return oauth_ask_token(o, login, &form, err);
}

static int oauth_login_run(struct oauth *o, const struct oauth_place *p,
			   const char *challenge, struct error *err)
{
	AUTO(strbuf) struct strbuf scope = STRBUF(OAUTH_URL_MAX), verifier = STRBUF(256);
	AUTO(json) json_object *login = NULL;
	AUTO(free) char *code = NULL;
	int status = oauth_scope(o, p, challenge, &scope, err);

	if (status)
		return status;
	login = oauth_login_new(o, p, scope.text);
	if (js_set_str(login, "redirect_uri", o->redirect_uri))
		return out_of_memory(err);
	status = identify(o, p, scope.text, login, err);
	if (!status)
		status = oauth_put_random(&verifier, err);
	if (!status)
		status = oauth_login_ask_user(o, p, login, scope.text, verifier.text,
					      &code, err);
	if (!status)
		status = exchange_code(o, login, code, verifier.text, err);
	if (!status) {
		json_object_put(o->login);
		o->login = STEAL(login);
	}
	return status;
}

char *oauth_login(struct oauth *o, const char *challenge, struct error *err)
{
	return oauth_obtain(o, challenge, oauth_login_run, err);
}
