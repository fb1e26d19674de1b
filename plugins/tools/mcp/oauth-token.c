/* SPDX-License-Identifier: MIT
 *
 * oauth-token.c - requests, refreshes and stores tokens. */
#include "base64.h"
#include "files.h"
#include "oauth.h"
#include <curl/curl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

enum { LOGIN_MAX = 1 << 20, LIFE_MAX_S = 10 * 365 * 86400 };

const char *oauth_token(json_object *login)
{
	const char *token = js_str(login, "access_token", NULL);
	int64_t end = js_int(login, "expires_at", 0);

	return token && (!end || time(NULL) < end - OAUTH_EARLY_S) ? token : NULL;
}

/* Authenticate the client: in the form, or as the value of a header. */
static int prove_client(json_object *login, struct strbuf *form, struct strbuf *header)
{
	const char *id = js_str(login, "client_id", ""), *method;
	const char *secret = js_str(login, "client_secret", NULL);
	char *a, *b;
	int status;

	method = secret ? js_str(login, "auth_method", "client_secret_basic") : "none";
	if (strcmp(method, "client_secret_basic") != 0) {
		status = oauth_form_add(form, "client_id", id);
		return status || strcmp(method, "none") == 0
			       ? status
			       : oauth_form_add(form, "client_secret", secret);
	}
	a = curl_easy_escape(NULL, id, 0);
	b = curl_easy_escape(NULL, secret, 0);
	AUTO(strbuf) struct strbuf pair = STRBUF(OAUTH_URL_MAX);
	status = a && b ? strbuf_addf(&pair, "%s:%s", a, b) : MT_ENOMEM;
	curl_free(a);
	curl_free(b);
	if (!status)
		status = strbuf_add(header, "Basic ");
	return status ? status : base64_put(header, pair.text, pair.len);
}

static int oauth_token_keep(json_object *login, json_object *answer, struct error *err)
{
	static const char *const texts[] = { "access_token", "refresh_token", "scope" };
	int64_t life = js_int(answer, "expires_in", 0);
	int status = MT_OK;

	for (size_t i = 0; !status && i < ARRAY_LEN(texts); i++) {
		const char *text = js_str(answer, texts[i], NULL);

		if (text && strpbrk(text, "\r\n"))
			return fail(err, MT_EINVAL,
				    "the authorization server sent an invalid %s",
				    texts[i]);
		if (text)
			status = js_set_str(login, texts[i], text);
	}
	life = life < 0 ? 0 : life > LIFE_MAX_S ? LIFE_MAX_S : life;
	if (!status)
		status = js_set_int(login, "expires_at",
				    life ? (int64_t)time(NULL) + life : 0);
	return status ? out_of_memory(err) : MT_OK;
}

int oauth_ask_token(struct oauth *o, json_object *login, struct strbuf *form,
		    struct error *err)
{
	const char *url = js_str(login, "token_endpoint", "");
	AUTO(strbuf) struct strbuf header = STRBUF(OAUTH_URL_MAX);
	AUTO(json) json_object *answer = NULL;
	const char *type;
	long code;
	int status;

	if (!oauth_url_is_safe(o, url))
		return fail(err, MT_EDENIED, "the token endpoint is not safe: %.200s",
			    url);
	if (prove_client(login, form, &header) || form->error)
		return out_of_memory(err);
	status = oauth_fetch(o, url, "application/x-www-form-urlencoded", form->text,
			     header.len ? header.text : NULL, &code, &answer, err);
	if (status)
		return status;
	type = js_str(answer, "token_type", "Bearer");
	if (code == 200 && js_str(answer, "access_token", NULL) &&
	    strcasecmp(type, "Bearer") == 0)
		return oauth_token_keep(login, answer, err);
	return fail(err, code >= 400 && code < 500 ? MT_EDENIED : MT_EIO,
		    "the authorization server denied the token: %.80s%s%.200s (HTTP %ld)",
		    js_str(answer, "error", "no reason was given"),
		    js_str(answer, "error_description", NULL) ? ": " : "",
		    js_str(answer, "error_description", ""), code);
}

int oauth_renew(struct oauth *o, struct error *err)
{
	AUTO(strbuf) struct strbuf form = STRBUF(OAUTH_URL_MAX);
	const char *refresh = js_str(o->login, "refresh_token", NULL);
	const char *resource = js_str(o->login, "resource", NULL);
	struct error why = ERROR_NONE;
	int status;

	if (!refresh)
		return fail(err, MT_ENOTFOUND, "the login has expired");
	if (oauth_form_add(&form, "grant_type", "refresh_token") ||
	    oauth_form_add(&form, "refresh_token", refresh) ||
	    (resource && oauth_form_add(&form, "resource", resource)))
		return out_of_memory(err);
	status = oauth_ask_token(o, o->login, &form, &why);
	explicit_bzero(form.text, form.len);
	return status ? fail(err, status == MT_EDENIED ? MT_ENOTFOUND : status, "%s",
			     why.text)
		      : MT_OK;
}

json_object *oauth_login_new(const struct oauth *o, const struct oauth_place *p,
			     const char *scope)
{
	const char *resource = js_str(p->resource, "resource", NULL);
	json_object *login = json_object_new_object();

	if (!js_set_str(login, "server", o->server) &&
	    !js_set_str(login, "issuer", p->issuer) &&
	    (!resource || !js_set_str(login, "resource", resource)) &&
	    !js_set_str(login, "token_endpoint",
			js_str(p->metadata, "token_endpoint", "")) &&
	    !js_set_str(login, "asked_scope", scope))
		return login;
	json_object_put(login);
	return NULL;
}

char *oauth_obtain(struct oauth *o, const char *challenge, oauth_ask_fn *ask,
		   struct error *err)
{
	struct oauth_place p = { 0 };
	struct error why = ERROR_NONE;
	char *token = NULL;
	int status = oauth_discover(o, challenge, &p, &why);

	if (!status)
		status = ask(o, &p, challenge, &why);
	if (!status)
		token = strdup(js_str(o->login, "access_token", ""));
	oauth_place_clear(&p);
	if (!token)
		fail(err, status ? status : MT_ENOMEM, "%s", error_text(&why));
	return token;
}

/* ---- the file ------------------------------------------------------------------ */

int oauth_login_read(const char *path, json_object **ret, struct error *err)
{
	AUTO(free) char *text = NULL;
	size_t len;
	int status = file_read(path, LOGIN_MAX, &text, &len, err);

	if (status)
		return status;
	if (!path_is_safe(path, err))
		return MT_EDENIED;
	*ret = js_parse_object(text, len, err);
	explicit_bzero(text, len);
	return *ret ? MT_OK : MT_EINVAL;
}

int oauth_login_write(const char *path, json_object *login, struct error *err)
{
	AUTO(free) char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;
	size_t len;
	const char *text;
	int status = MT_OK;

	if (!dir)
		return out_of_memory(err);
	if (slash) {
		*slash = '\0';
		status = dir_make(dir, err);
	}
	text = js_text(login, &len);
	if (!status && !text)
		status = out_of_memory(err);
	return status ? status : file_write(path, text, len, 0600, true, err);
}
