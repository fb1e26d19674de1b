/* SPDX-License-Identifier: MIT
 *
 * aws.c - the keys of an AWS account, and requests signed with them. */
#include "llm/aws.h"
#include "files.h"
#include "ini.h"
#include "llm/sigv4.h"
#include <string.h>
#include <strings.h>

struct keys {
	char *id, *secret, *token; /* token: NULL unless they are temporary */
};

struct aws {
	const struct config *config;
	const char *section;
	struct mask *mask;
	char *region;
	struct keys keys;
};

static void clear_keys(struct keys *k)
{
	char *all[] = { k->id, k->secret, k->token };

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (all[i])
			explicit_bzero(all[i], strlen(all[i]));
		free(all[i]);
	}
	*k = (struct keys){ NULL, NULL, NULL };
}

static const char *env(const char *name)
{
	const char *value = secret_env(name);

	return value && *value ? value : NULL;
}

/* ---- the two files ---------------------------------------------------------- */

/* ~/.aws/credentials has [NAME], ~/.aws/config has [profile NAME] or [default]. */
static bool is_profile(const char *section, const char *profile)
{
	if (strncmp(section, "profile ", 8) == 0)
		section += 8 + strspn(section + 8, " ");
	return strcmp(section, profile) == 0;
}

static const char *of_profile(const struct ini *ini, const char *profile, const char *key)
{
	const char *value = NULL;

	for (size_t i = 0; i < ini->count; i++)
		if (is_profile(ini->entries[i].section, profile)
		    && strcmp(ini->entries[i].key, key) == 0)
			value = ini->entries[i].value;
	return value && *value ? value : NULL;
}

/* A file that is not there is an empty one. */
static int read_file(const char *variable, const char *usual, struct ini *ret,
		     struct error *err)
{
	AUTO(free) char *path = path_expand(env(variable) ? env(variable) : usual);
	struct error why = ERROR_NONE;

	*ret = (struct ini){ 0 };
	if (!path)
		return out_of_memory(err);
	if (ini_read(path, ret, &why) == MT_OK || why.code == MT_ENOTFOUND)
		return MT_OK;
	return fail(err, why.code, "%s", why.text);
}

static int read_files(struct ini *credentials, struct ini *config, struct error *err)
{
	int status = read_file("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials",
			       credentials, err);

	*config = (struct ini){ 0 };
	return status ? status : read_file("AWS_CONFIG_FILE", "~/.aws/config", config, err);
}

static const char *profile_of(const struct aws *a)
{
	const char *set = config_get(a->config, a->section, "aws_profile");

	if (set && *set)
		return set;
	return env("AWS_PROFILE") ? env("AWS_PROFILE") : "default";
}

/* ---- keys ------------------------------------------------------------------- */

static int copy_keys(struct keys *k, const char *id, const char *secret,
		     const char *token, struct error *err)
{
	k->id = strdup(id);
	k->secret = strdup(secret);
	k->token = token ? strdup(token) : NULL;
	if (!k->id || !k->secret || (token && !k->token))
		return out_of_memory(err);
	if (strpbrk(id, "\r\n \t/,") || (token && strpbrk(token, "\r\n")))
		return fail(err, MT_EINVAL, "the AWS keys have a character that no key has");
	return MT_OK;
}

static int no_keys(const struct aws *a, const struct ini *config, struct error *err)
{
	const char *profile = profile_of(a);

	if (of_profile(config, profile, "sso_session")
	    || of_profile(config, profile, "sso_start_url")
	    || of_profile(config, profile, "role_arn")
	    || of_profile(config, profile, "credential_process"))
		return fail(err, MT_EDENIED,
			    "the AWS profile `%s` gets its keys from elsewhere: run "
			    "`aws configure export-credentials --format env` and set "
			    "what it prints", profile);
	return fail(err, MT_EDENIED,
		    "no AWS keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
		    "AWS_BEARER_TOKEN_BEDROCK, or aws_profile in [%s] (the profile `%s` "
		    "has none)", a->section, profile);
}

static int keys_of_profile(const struct aws *a, struct keys *k, struct error *err)
{
	struct ini files[2] = { 0 };
	const char *profile = profile_of(a);
	int status = read_files(&files[0], &files[1], err);
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(files) && !status && !found; i++) {
		const char *id = of_profile(&files[i], profile, "aws_access_key_id");
		const char *secret =
			of_profile(&files[i], profile, "aws_secret_access_key");

		found = id && secret;
		if (found)
			status = copy_keys(k, id, secret,
					   of_profile(&files[i], profile,
						      "aws_session_token"), err);
	}
	if (!status && !found)
		status = no_keys(a, &files[1], err);
	ini_clear(&files[0]);
	ini_clear(&files[1]);
	return status;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Hide what is new. */
static int hide_keys(const struct aws *a, const struct keys *k, struct error *err)
{
	if (!same(a->keys.secret, k->secret)
	    && secret_hide(a->mask, "the AWS secret key", k->secret, strlen(k->secret), err))
		return err->code;
	if (k->token && !same(a->keys.token, k->token)
	    && secret_hide(a->mask, "the AWS session token", k->token, strlen(k->token), err))
		return err->code;
	return MT_OK;
}

static int read_keys(struct aws *a, struct error *err)
{
	const char *set = config_get(a->config, a->section, "aws_profile");
	const char *id = env("AWS_ACCESS_KEY_ID"), *secret = env("AWS_SECRET_ACCESS_KEY");
	struct keys k = { NULL, NULL, NULL };
	int status;

	if (id && secret && (!set || !*set))
		status = copy_keys(&k, id, secret, env("AWS_SESSION_TOKEN"), err);
	else
		status = keys_of_profile(a, &k, err);
	if (!status)
		status = hide_keys(a, &k, err);
	if (status) {
		clear_keys(&k);
		return status;
	}
	clear_keys(&a->keys);
	a->keys = k;
	return MT_OK;
}

/* ---- region ----------------------------------------------------------------- */

static bool is_region(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	size_t len = strlen(text);

	return len > 0 && len < 64 && strspn(text, letters) == len;
}

static int read_region(struct aws *a, struct error *err)
{
	const char *region = config_get(a->config, a->section, "aws_region");
	struct ini files[2] = { 0 };
	int status = MT_OK;

	if (!region || !*region)
		region = env("AWS_REGION");
	if (!region)
		region = env("AWS_DEFAULT_REGION");
	if (!region) {
		status = read_files(&files[0], &files[1], err);
		region = of_profile(&files[1], profile_of(a), "region");
	}
	if (!status && !region)
		status = fail(err, MT_EINVAL,
			      "no AWS region: set aws_region in [%s], or AWS_REGION",
			      a->section);
	if (!status && !is_region(region))
		status = fail(err, MT_EINVAL, "`%s` is no AWS region", region);
	if (!status && !(a->region = strdup(region)))
		status = out_of_memory(err);
	ini_clear(&files[0]);
	ini_clear(&files[1]);
	return status;
}

int aws_open(const struct config *c, const char *section, struct mask *mask,
	     struct aws **ret, struct error *err)
{
	struct aws *a = calloc(1, sizeof *a);
	int status;

	if (!a)
		return out_of_memory(err);
	*a = (struct aws){ .config = c, .section = section, .mask = mask };
	status = read_keys(a, err);
	if (!status)
		status = read_region(a, err);
	if (status)
		a = aws_free(a);
	*ret = a;
	return status;
}

struct aws *aws_free(struct aws *a)
{
	if (!a)
		return NULL;
	clear_keys(&a->keys);
	free(a->region);
	free(a);
	return NULL;
}

const char *aws_region(const struct aws *a)
{
	return a->region;
}

/* ---- signing ---------------------------------------------------------------- */

/* Host as libcurl sends it, and path with query. */
static int split_url(const char *url, char *host, size_t room, const char **ret_target)
{
	const char *from = strstr(url, "://"), *end, *at;
	bool tls = strncmp(url, "https", 5) == 0;
	const char *usual = tls ? ":443" : ":80";
	size_t len;

	if (!from)
		return MT_EINVAL;
	from += 3;
	end = from + strcspn(from, "/?#");
	at = memchr(from, '@', (size_t)(end - from));
	if (at)
		from = at + 1;
	len = (size_t)(end - from);
	if (len > strlen(usual) && memcmp(end - strlen(usual), usual, strlen(usual)) == 0)
		len -= strlen(usual);
	if (len == 0 || len >= room)
		return MT_EINVAL;
	memcpy(host, from, len);
	host[len] = '\0';
	*ret_target = *end == '/' ? end : "/";
	return MT_OK;
}

static const char *content_type(const struct aws_request *r)
{
	for (size_t i = 0; i < r->header_count; i++)
		if (strncasecmp(r->headers[i], "content-type:", 13) == 0)
			return r->headers[i] + 13 + strspn(r->headers[i] + 13, " ");
	return "application/json";
}

static char *header(const char *name, const char *value)
{
	char *line = NULL;

	return asprintf(&line, "%s: %s", name, value) < 0 ? NULL : line;
}

static int put_lines(char **ret, const struct aws *a, const struct sigv4_result *s,
		     const struct sigv4_header *signed_ones, size_t count,
		     const char *service)
{
	AUTO(strbuf) struct strbuf b = STRBUF(8192);
	const char *time = signed_ones[0].value;
	size_t n = 0;

	strbuf_addf(&b, "AWS4-HMAC-SHA256 Credential=%s/%.8s/%s/%s/aws4_request, ",
		    a->keys.id, time, a->region, service);
	strbuf_addf(&b, "SignedHeaders=%s, Signature=%s", s->signed_headers, s->signature);
	if (b.error || !(ret[n++] = header("Authorization", b.text)))
		return MT_ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!(ret[n++] = header(signed_ones[i].name, signed_ones[i].value)))
			return MT_ENOMEM;
	return MT_OK;
}

int aws_sign(struct aws *a, const struct aws_request *r, int64_t now,
	     char *ret_headers[AWS_HEADERS], struct error *err)
{
	char host[512], time[SIGV4_TIME], hash[SIGV4_HEX];
	/* first those that are added to the request */
	struct sigv4_header headers[] = {
		{ "X-Amz-Date", time }, { "X-Amz-Content-Sha256", hash },
		{ "X-Amz-Security-Token", NULL }, { "Host", host },
		{ "Content-Type", content_type(r) },
	};
	struct sigv4_request q = { .method = r->method, .body = r->body,
				   .body_len = r->body_len };
	struct sigv4_result s;
	size_t added = 2;
	int status = read_keys(a, err);

	if (status)
		return status;
	if (split_url(r->url, host, sizeof host, &q.target)
	    || sigv4_hash(r->body, r->body_len, hash))
		return fail(err, MT_EINVAL, "a request to %s cannot be signed", r->url);
	sigv4_time(now, time);
	if (a->keys.token)
		headers[added++].value = a->keys.token;
	else
		memmove(&headers[2], &headers[3], 2 * sizeof *headers);
	q.headers = headers;
	q.header_count = added + 2;
	status = sigv4_sign(&(struct sigv4_scope){
			.key_id = a->keys.id, .secret = a->keys.secret,
			.region = a->region, .service = r->service, .time = now }, &q, &s,
			    err);
	memset(ret_headers, 0, AWS_HEADERS * sizeof *ret_headers);
	if (!status)
		status = put_lines(ret_headers, a, &s, headers, added, r->service);
	sigv4_clear(&s);
	for (size_t i = 0; status && i < AWS_HEADERS; i++)
		free(ret_headers[i]);
	return status ? fail_code(err, status) : MT_OK;
}
