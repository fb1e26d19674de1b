/* SPDX-License-Identifier: MIT
 *
 * token-store.c - reads tokens from a login file, and refreshes them under a lock,
 * because most authorization servers accept a refresh token only once. */
#include "token-store.h"
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

enum { LOCK_TRIES = 300, LOCK_WAIT_MS = 100 };

/* @return -1: another process held it for too long, or there is no directory. */
static int token_store_lock(const struct keep *k)
{
	AUTO(strbuf) struct strbuf path = STRBUF(4096);
	const struct timespec wait = { .tv_nsec = LOCK_WAIT_MS * 1000000L };
	int fd = strbuf_addf(&path, "%s.lock", k->file)
			 ? -1
			 : open(path.text, O_CREAT | O_RDWR | O_CLOEXEC, 0600);

	for (int i = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
		if (i == LOCK_TRIES) {
			close(fd);
			return -1;
		}
		nanosleep(&wait, NULL);
	}
	return fd;
}

/* A login for another URL is invalid. */
static json_object *token_store_read_file(const struct keep *k, struct error *err)
{
	struct error why = ERROR_NONE;
	json_object *login = NULL;
	int status = oauth_login_read(k->file, &login, &why);

	if (status && status != MT_ENOTFOUND) {
		fail(err, status, "%s", why.text);
		return NULL;
	}
	if (!login || strcmp(js_str(login, "server", ""), k->server) != 0) {
		json_object_put(login);
		fail(err, MT_ENOTFOUND,
		     "the server requires a login; run `mortise mcp login %s`", k->name);
		return NULL;
	}
	return login;
}

static bool token_store_is_good(json_object *login, const char *refused)
{
	const char *token = oauth_token(login);

	return token && !(refused && strcmp(token, refused) == 0);
}

static char *token_store_renew(const struct keep *k, const char *refused,
			       struct error *err)
{
	AUTO(close) int fd = token_store_lock(k);
	struct oauth o = { .server = k->server, .ca_path = k->ca_path,
			   .login = token_store_read_file(k, err) };
	struct error why = ERROR_NONE;
	char *token = NULL;
	int status = o.login ? MT_OK : MT_ENOTFOUND;

	(void)fd; /* held until return */
	/* Another process may have refreshed it meanwhile. */
	if (!status && !token_store_is_good(o.login, refused)) {
		status = oauth_renew(&o, &why);
		if (!status)
			status = oauth_login_write(k->file, o.login, &why);
		if (status == MT_ENOTFOUND)
			fail(err, MT_EDENIED,
			     "the login has expired (%s); run `mortise mcp login %s`",
			     why.text, k->name);
		else if (status)
			fail(err, status, "%s", why.text);
	}
	if (!status)
		token = strdup(js_str(o.login, "access_token", ""));
	json_object_put(o.login);
	return token;
}

char *token_store_keep_token(const struct keep *k, const char *refused, struct error *err)
{
	AUTO(json) json_object *login = token_store_read_file(k, err);

	if (!login)
		return NULL;
	if (token_store_is_good(login, refused))
		return strdup(oauth_token(login));
	return token_store_renew(k, refused, err);
}

void token_store_keep_scope(const struct keep *k, const char *challenge)
{
	AUTO(strbuf) struct strbuf scope = STRBUF(OAUTH_URL_MAX);
	AUTO(close) int fd = token_store_lock(k);
	AUTO(json) json_object *login = token_store_read_file(k, NULL);

	(void)fd; /* held until return */
	if (login && oauth_challenge_param(challenge, "scope", &scope) &&
	    !js_set_str(login, "wanted_scope", scope.text))
		oauth_login_write(k->file, login, NULL);
}
