/* SPDX-License-Identifier: MIT
 *
 * environment.c - selects the environment variables that are passed to tools. */
#include "config/environment.h"

#include "auto.h"
#include "options.h"

#include <string.h>
#include <unistd.h>

extern char **environ;

/* Minimum length of a user name in a URL that counts as a token; excludes `git`. */
enum { TOKEN_MIN = 8 };

/* A name that ends in * matches all names with that prefix. doc/configuration.md has the
 * list. */
static const char *const passed[] = {
	/* the user and the system */
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TERM", "TMPDIR", "TZ",
	/* proxies */
	"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
	"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
	/* certificates */
	"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
	"GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS",
	/* tool chains */
	"VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PIP_*", "JAVA_HOME",
	"CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOROOT",
};

/* Variables that commands often need but that give access to something. */
static const char *const often_needed[] = {
	"SSH_AUTH_SOCK", "GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "NPM_TOKEN",
	"HF_TOKEN", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "GOOGLE_APPLICATION_CREDENTIALS",
	"KUBECONFIG", "DOCKER_HOST", "DATABASE_URL",
};

static const char agent_socket[] = "SSH_AUTH_SOCK";

/* Patterns do not cover names that suggest a secret: list such names in full. */
static bool environment_covers(const char *pattern, size_t pattern_len, const char *name,
			       size_t len)
{
	if (pattern_len && pattern[pattern_len - 1] == '*')
		return len >= pattern_len - 1 &&
		       memcmp(pattern, name, pattern_len - 1) == 0 &&
		       !secret_named(name, len);
	return len == pattern_len && memcmp(pattern, name, len) == 0;
}

static bool environment_is_listed(const char *list, const char *name, size_t len)
{
	const char *item;
	size_t item_len;

	while (list && option_list_next(&list, &item, &item_len))
		if (environment_covers(item, item_len, name, len))
			return true;
	return false;
}

static bool is_granted(const struct config *c, const char *name, size_t len)
{
	const char *grant;

	for (size_t i = 0; (grant = config_named(c, "grant", i)); i++) {
		AUTO(strbuf) struct strbuf section = STRBUF(256);
		const char *env;

		if (strbuf_addf(&section, "grant.%s", grant))
			continue;
		env = config_get(c, section.text, "env");
		if (env && strlen(env) == len && memcmp(env, name, len) == 0)
			return true;
	}
	return false;
}

/* Does a grant that is on list the variable? */
static bool is_opened(const struct config *c, const char *name, size_t len)
{
	const char *list = config_get(c, "sandbox", "grants"), *item;
	size_t item_len;

	while (list && option_list_next(&list, &item, &item_len)) {
		AUTO(strbuf) struct strbuf section = STRBUF(256);

		if (!strbuf_addf(&section, "grant.%.*s", (int)item_len, item) &&
		    environment_is_listed(config_get(c, section.text, "variables"), name,
					  len))
			return true;
	}
	return false;
}

static bool is_always_passed(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(passed); i++)
		if (environment_covers(passed[i], strlen(passed[i]), name, len))
			return true;
	return false;
}

static bool environment_is_named(const struct config *c, const char *name, size_t len)
{
	return environment_is_listed(config_get(c, "core", "pass_env"), name, len) ||
	       is_opened(c, name, len);
}

static bool is_passed(const struct config *c, const char *name, size_t len)
{
	return is_always_passed(name, len) || environment_is_named(c, name, len) ||
	       (len == sizeof agent_socket - 1 && memcmp(name, agent_socket, len) == 0 &&
		is_granted(c, name, len));
}

/* The socket of an agent is of no use elsewhere. */
static bool is_passed_elsewhere(const struct config *c, const char *name, size_t len)
{
	return environment_is_named(c, name, len) && !is_always_passed(name, len) &&
	       !(len == sizeof agent_socket - 1 && memcmp(name, agent_socket, len) == 0);
}

static int environment_each_of(const struct config *c,
			       bool (*is)(const struct config *, const char *, size_t),
			       environment_each_fn *each, void *arg)
{
	for (char **e = environ; e && *e; e++) {
		const char *value = strchr(*e, '=');
		AUTO(free) char *name = NULL;
		int r;

		if (!value || !is(c, *e, (size_t)(value - *e)))
			continue;
		name = strndup(*e, (size_t)(value - *e));
		r = name ? each(arg, name, value + 1) : MT_ENOMEM;
		if (r)
			return r;
	}
	return MT_OK;
}

int environment_each(const struct config *c, environment_each_fn *each, void *arg)
{
	return environment_each_of(c, is_passed, each, arg);
}

int environment_each_elsewhere(const struct config *c, environment_each_fn *each,
			       void *arg)
{
	return environment_each_of(c, is_passed_elsewhere, each, arg);
}

int environment_withheld(const struct config *c, struct strbuf *out)
{
	size_t before = out->len;

	for (size_t i = 0; i < ARRAY_LEN(often_needed); i++) {
		const char *name = often_needed[i];

		if (secret_env(name) && !is_passed(c, name, strlen(name)))
			strbuf_addf(out, "%s%s", out->len > before ? ", " : "", name);
	}
	return out->error;
}

struct hide {
	struct mask *mask;
	struct error *err;
};

/* [http://]user:PASSWORD@host, or http://TOKEN@host */
static int hide_credentials(const struct hide *h, const char *name, const char *url,
			    size_t len)
{
	const char *scheme = memmem(url, len, "://", 3);
	const char *user = scheme ? scheme + 3 : url, *end, *colon;
	size_t host = strcspn(user, "/?#"), rest = len - (size_t)(user - url);

	end = memrchr(user, '@', host < rest ? host : rest);
	if (!end)
		return MT_OK;
	colon = memchr(user, ':', (size_t)(end - user));
	if (colon && colon + 1 < end)
		return secret_hide(h->mask, name, colon + 1, (size_t)(end - colon - 1),
				   h->err);
	if (colon)
		end = colon;
	return scheme && end - user >= TOKEN_MIN
		       ? secret_hide(h->mask, name, user, (size_t)(end - user), h->err)
		       : MT_OK;
}

/* A value may list several URLs. */
static int hide_urls(const struct hide *h, const char *name, const char *value)
{
	size_t len;

	for (; *value; value += len) {
		value += strspn(value, " \t\r\n");
		len = strcspn(value, " \t\r\n");
		if (hide_credentials(h, name, value, len))
			return h->err->code;
	}
	return MT_OK;
}

static int hide_value(void *arg, const char *name, const char *value)
{
	const struct hide *h = arg;

	/* The path of a file, such as SSH_AUTH_SOCK or XAUTHORITY, is not a secret. */
	if (*value && secret_named(name, strlen(name)) &&
	    !(*value == '/' && access(value, F_OK) == 0))
		return secret_hide(h->mask, name, value, strlen(value), h->err);
	return hide_urls(h, name, value);
}

int environment_hide_urls(struct mask *m, const char *name, const char *urls,
			  struct error *err)
{
	const struct hide h = { m, err };

	return hide_urls(&h, name, urls) ? out_of_memory(err) : MT_OK;
}

int environment_hide(const struct config *c, struct mask *m, struct error *err)
{
	struct hide h = { m, err };
	int r = environment_each(c, hide_value, &h);

	return r == MT_ENOMEM ? out_of_memory(err) : r;
}
