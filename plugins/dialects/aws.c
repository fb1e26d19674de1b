/* SPDX-License-Identifier: MIT
 *
 * aws.c - credentials and region of an AWS account, and signed requests. */
#include "auto.h"
#include "aws.h"
#include "files.h"
#include "ini.h"
#include "sigv4.h"
#include <string.h>
#include <strings.h>

struct keys {
	char *id, *secret, *token; /* token: NULL unless they are temporary */
};

/* The model of an exchange, whose credentials are used. */
struct account {
	const struct mt_dialect_host *host;
	struct mt_exchange *x;
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

static const char *nonempty(const char *value)
{
	return value && *value ? value : NULL;
}

static const char *env(const struct account *a, const char *name)
{
	return nonempty(a->host->env(a->x, name));
}

static const char *aws_option(const struct account *a, const char *name)
{
	return nonempty(a->host->option(a->x, name));
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
		if (is_profile(ini->entries[i].section, profile) &&
		    strcmp(ini->entries[i].key, key) == 0)
			value = ini->entries[i].value;
	return value && *value ? value : NULL;
}

/* A missing file is an empty one. */
static int aws_read_file(const struct account *a, const char *variable,
			 const char *default_path, struct ini *ret, struct error *err)
{
	const char *set = env(a, variable);
	AUTO(free) char *path = path_expand(set ? set : default_path);
	struct error why = ERROR_NONE;

	*ret = (struct ini){ 0 };
	if (!path)
		return out_of_memory(err);
	if (ini_read(path, ret, &why) == MT_OK || why.code == MT_ENOTFOUND)
		return MT_OK;
	return fail(err, why.code, "%s", why.text);
}

static int aws_read_files(const struct account *a, struct ini *credentials,
			  struct ini *config, struct error *err)
{
	int status = aws_read_file(a, "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials",
				   credentials, err);

	*config = (struct ini){ 0 };
	return status ? status
		      : aws_read_file(a, "AWS_CONFIG_FILE", "~/.aws/config", config, err);
}

static const char *profile_of(const struct account *a)
{
	const char *profile = aws_option(a, "aws_profile");

	if (!profile)
		profile = env(a, "AWS_PROFILE");
	return profile ? profile : "default";
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
		return fail(err, MT_EINVAL, "the AWS keys contain an invalid character");
	return MT_OK;
}

static int no_keys(const struct account *a, const struct ini *config, struct error *err)
{
	const char *profile = profile_of(a);

	if (of_profile(config, profile, "sso_session") ||
	    of_profile(config, profile, "sso_start_url") ||
	    of_profile(config, profile, "role_arn") ||
	    of_profile(config, profile, "credential_process"))
		return fail(err, MT_EDENIED,
			    "the AWS profile `%s` does not contain keys; run `aws "
			    "configure export-credentials --format env` and set the "
			    "variables that it prints",
			    profile);
	return fail(err, MT_EDENIED,
		    "no AWS keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
		    "AWS_BEARER_TOKEN_BEDROCK, or aws_profile in [%s] (profile `%s` "
		    "has no keys)",
		    a->host->option(a->x, "section"), profile);
}

static int keys_of_profile(const struct account *a, struct keys *k, struct error *err)
{
	struct ini files[2] = { 0 };
	const char *profile = profile_of(a);
	int status = aws_read_files(a, &files[0], &files[1], err);
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(files) && !status && !found; i++) {
		const char *id = of_profile(&files[i], profile, "aws_access_key_id");
		const char *secret =
			of_profile(&files[i], profile, "aws_secret_access_key");

		found = id && secret;
		if (found)
			status = copy_keys(k, id, secret,
					   of_profile(&files[i], profile,
						      "aws_session_token"),
					   err);
	}
	if (!status && !found)
		status = no_keys(a, &files[1], err);
	ini_clear(&files[0]);
	ini_clear(&files[1]);
	return status;
}

static int mask_keys(const struct account *a, const struct keys *k, struct error *err)
{
	int status =
		a->host->secret(a->x, "the AWS secret key", k->secret, strlen(k->secret));

	if (!status && k->token)
		status = a->host->secret(a->x, "the AWS session token", k->token,
					 strlen(k->token));
	return status ? out_of_memory(err) : MT_OK;
}

/* Clear the keys even after a failure. */
static int aws_read_keys(const struct account *a, struct keys *ret, struct error *err)
{
	const char *id = env(a, "AWS_ACCESS_KEY_ID");
	const char *secret = env(a, "AWS_SECRET_ACCESS_KEY");
	int status;

	*ret = (struct keys){ NULL, NULL, NULL };
	if (id && secret && !aws_option(a, "aws_profile"))
		status = copy_keys(ret, id, secret, env(a, "AWS_SESSION_TOKEN"), err);
	else
		status = keys_of_profile(a, ret, err);
	return status ? status : mask_keys(a, ret, err);
}

/* ---- region ----------------------------------------------------------------- */

static bool is_region(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	size_t len = strlen(text);

	return len > 0 && len < AWS_REGION_MAX && strspn(text, letters) == len;
}

static int read_region(const struct account *a, char ret[AWS_REGION_MAX],
		       struct error *err)
{
	const char *region = aws_option(a, "aws_region");
	struct ini files[2] = { 0 };
	int status = MT_OK;

	if (!region)
		region = env(a, "AWS_REGION");
	if (!region)
		region = env(a, "AWS_DEFAULT_REGION");
	if (!region) {
		status = aws_read_files(a, &files[0], &files[1], err);
		region = of_profile(&files[1], profile_of(a), "region");
	}
	if (!status && !region)
		status = fail(err, MT_EINVAL,
			      "no AWS region: set aws_region in [%s], or AWS_REGION",
			      a->host->option(a->x, "section"));
	if (!status && !is_region(region))
		status = fail(err, MT_EINVAL, "invalid AWS region `%s`", region);
	if (!status)
		snprintf(ret, AWS_REGION_MAX, "%s", region);
	ini_clear(&files[0]);
	ini_clear(&files[1]);
	return status;
}

int aws_region(const struct mt_dialect_host *host, struct mt_exchange *x,
	       char ret[AWS_REGION_MAX], struct error *err)
{
	return read_region(&(struct account){ host, x }, ret, err);
}

int aws_check(const struct mt_dialect_host *host, struct mt_exchange *x,
	      struct error *err)
{
	const struct account a = { host, x };
	char region[AWS_REGION_MAX];
	struct keys k;
	int status = aws_read_keys(&a, &k, err);

	clear_keys(&k);
	return status ? status : read_region(&a, region, err);
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

static const char *content_type(const struct mt_http_post *post)
{
	for (size_t i = 0; i < post->header_count; i++)
		if (strncasecmp(post->headers[i], "content-type:", 13) == 0)
			return post->headers[i] + 13 + strspn(post->headers[i] + 13, " ");
	return "application/json";
}

static int aws_add_signature(const struct account *a, const struct sigv4_scope *scope,
			     const struct sigv4_result *s,
			     const struct sigv4_header *added, size_t count)
{
	AUTO(strbuf) struct strbuf b = STRBUF(8192);
	int status;

	strbuf_addf(&b, "AWS4-HMAC-SHA256 Credential=%s/%.8s/%s/%s/aws4_request, ",
		    scope->key_id, added[0].value, scope->region, scope->service);
	strbuf_addf(&b, "SignedHeaders=%s, Signature=%s", s->signed_headers,
		    s->signature);
	status = b.error ? b.error : a->host->header(a->x, "Authorization", b.text);
	for (size_t i = 0; i < count && !status; i++)
		status = a->host->header(a->x, added[i].name, added[i].value);
	return status;
}

static int sign_with(const struct account *a, const struct keys *k,
		     const struct sigv4_scope *scope, const struct mt_http_post *post,
		     struct error *err)
{
	char host[512], time[SIGV4_TIME], hash[SIGV4_HEX];
	/* first the headers that are added to the request */
	struct sigv4_header headers[] = {
		{ "X-Amz-Date", time }, { "X-Amz-Content-Sha256", hash },
		{ "X-Amz-Security-Token", k->token }, { "Host", host },
		{ "Content-Type", content_type(post) },
	};
	struct sigv4_request q = { .method = "POST", .body = post->body,
				   .body_len = post->body_len, .headers = headers };
	struct sigv4_result s;
	size_t added = k->token ? 3 : 2;
	int status;

	if (split_url(post->url, host, sizeof host, &q.target) ||
	    sigv4_hash(post->body, post->body_len, hash))
		return fail(err, MT_EINVAL, "cannot sign a request to %s", post->url);
	sigv4_time(post->time, time);
	if (!k->token)
		memmove(&headers[2], &headers[3], 2 * sizeof *headers);
	q.header_count = added + 2;
	status = sigv4_sign(scope, &q, &s, err);
	if (!status && (status = aws_add_signature(a, scope, &s, headers, added)))
		fail_code(err, status);
	sigv4_clear(&s);
	return status;
}

int aws_sign(const struct mt_dialect_host *host, struct mt_exchange *x,
	     const char *service, const struct mt_http_post *post, struct error *err)
{
	const struct account a = { host, x };
	char region[AWS_REGION_MAX];
	struct keys k;
	int status = aws_read_keys(&a, &k, err);

	if (!status)
		status = read_region(&a, region, err);
	if (!status)
		status = sign_with(&a, &k,
				   &(struct sigv4_scope){ .key_id = k.id,
							  .secret = k.secret,
							  .region = region,
							  .service = service,
							  .time = post->time },
				   post, err);
	clear_keys(&k);
	return status;
}
