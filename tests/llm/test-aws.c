/* SPDX-License-Identifier: MIT
 *
 * test-aws.c - credentials and region of an AWS account, from the environment and
 * from profiles, and the errors without them. */
#include "aws.h"
#include "files.h"
#include "mask.h"
#include "tap.h"
#include <string.h>
#include <unistd.h>

static const char credentials[] = "[default]\n"
				  "aws_access_key_id = AKIDEFAULT\n"
				  "aws_secret_access_key = default-secret\n"
				  "\n"
				  "[work]\n"
				  "aws_access_key_id=AKIDWORK\n"
				  "aws_secret_access_key=work-secret\n"
				  "aws_session_token=work-token\n"
				  "[half]\n"
				  "aws_access_key_id = AKIDHALF\n";
static const char profiles[] = "[default]\n"
			       "region = eu-central-1\n"
			       "[profile work]\n"
			       "region = us-west-2\n"
			       "[profile other]\n"
			       "region = us-east-1\n"
			       "aws_access_key_id = AKIDOTHER\n"
			       "aws_secret_access_key = other-secret\n"
			       "[profile role]\n"
			       "role_arn = arn:aws:iam::1:role/x\n"
			       "source_profile = work\n"
			       "[profile single]\n"
			       "sso_session = corp\n"
			       "[profile bad]\n"
			       "region = not a region\n"
			       "aws_access_key_id = AKIDBAD\n"
			       "aws_secret_access_key = bad-secret\n";

static const struct {
	const char *name, *profile;   /* of the configuration */
	const char *env[6];           /* NAME, value */
	const char *id, *token;       /* what signs; NULL: it fails */
	const char *region, *says;
} cases[] = {
	{ "the default profile", NULL, { 0 }, "AKIDEFAULT", NULL, "eu-central-1", NULL },
	{ "a profile of the configuration", "work", { 0 }, "AKIDWORK", "work-token",
	  "us-west-2", NULL },
	{ "a profile of the environment", NULL, { "AWS_PROFILE", "work" }, "AKIDWORK",
	  "work-token", "us-west-2", NULL },
	{ "keys in the file of settings", "other", { 0 }, "AKIDOTHER", NULL, "us-east-1",
	  NULL },
	{ "the environment before the default", NULL,
	  { "AWS_ACCESS_KEY_ID", "AKIDENV", "AWS_SECRET_ACCESS_KEY", "env-secret" },
	  "AKIDENV", NULL, "eu-central-1", NULL },
	{ "a profile that is named before the environment", "work",
	  { "AWS_ACCESS_KEY_ID", "AKIDENV", "AWS_SECRET_ACCESS_KEY", "env-secret" },
	  "AKIDWORK", "work-token", "us-west-2", NULL },
	{ "a region of the environment", "work", { "AWS_REGION", "ap-south-1" }, "AKIDWORK",
	  "work-token", "ap-south-1", NULL },
	{ "its other name", "work", { "AWS_DEFAULT_REGION", "ap-south-2" }, "AKIDWORK",
	  "work-token", "ap-south-2", NULL },
	{ "a role", "role", { 0 }, NULL, NULL, NULL, "does not contain keys" },
	{ "single sign-on", "single", { 0 }, NULL, NULL, NULL, "export-credentials" },
	{ "half a key", "half", { 0 }, NULL, NULL, NULL, "`half` has no keys" },
	{ "no such profile", "missing", { 0 }, NULL, NULL, NULL, "`missing` has no keys" },
	{ "a region that is none", "bad", { 0 }, NULL, NULL, NULL, "invalid AWS region" },
	{ "files that are not there", NULL,
	  { "AWS_SHARED_CREDENTIALS_FILE", "/proc/self/none", "AWS_CONFIG_FILE",
	    "/proc/self/none" }, NULL, NULL, NULL, "AWS_ACCESS_KEY_ID" },
};

/* The host of a dialect, as far as credentials need it. */
struct mt_exchange {
	const char *profile;
	struct mask *mask;
	char headers[4096];
};

static const char *host_option(struct mt_exchange *x, const char *name)
{
	if (strcmp(name, "section") == 0)
		return "llm";
	return strcmp(name, "aws_profile") == 0 ? x->profile : NULL;
}

static int host_header(struct mt_exchange *x, const char *name, const char *value)
{
	size_t len = strlen(x->headers);

	snprintf(x->headers + len, sizeof x->headers - len, "%s: %s\n", name, value);
	return MT_OK;
}

static const char *host_env(struct mt_exchange *x, const char *name)
{
	(void)x;
	return getenv(name);
}

static int host_secret(struct mt_exchange *x, const char *name, const char *value,
		       size_t len)
{
	(void)name;
	return mask_add(x->mask, value, len);
}

static const struct mt_dialect_host host = {
	.size = sizeof host, .option = host_option, .header = host_header,
	.env = host_env, .secret = host_secret,
};

static void check_signature(struct mt_exchange *x, size_t i)
{
	const struct mt_http_post post = {
		.size = sizeof post, .url = "https://x.amazonaws.com/model/m/converse",
		.body = "{}", .body_len = 2, .time = 1700000000,
	};
	struct error err = ERROR_NONE;
	char want[64];

	CHECK(aws_sign(&host, x, "bedrock", &post, &err) == MT_OK);
	snprintf(want, sizeof want, "Credential=%s/20231114/%s/bedrock/", cases[i].id,
		 cases[i].region);
	CHECK_MSG(strstr(x->headers, want), "%s: %s", cases[i].name, want);
	CHECK_MSG(!cases[i].token == !strstr(x->headers, "X-Amz-Security-Token: "),
		  "%s: a token", cases[i].name);
	CHECK(!strstr(x->headers, "-secret"));
}

static void one(size_t i)
{
	AUTO(mask) struct mask *mask = mask_new();
	AUTO(strbuf) struct strbuf hidden = STRBUF(256);
	struct mt_exchange x = { .profile = cases[i].profile, .mask = mask };
	struct error err = ERROR_NONE;
	char region[AWS_REGION_MAX];

	for (size_t n = 0; n < 6 && cases[i].env[n]; n += 2)
		setenv(cases[i].env[n], cases[i].env[n + 1], 1);
	if (aws_check(&host, &x, &err) != MT_OK) {
		CHECK_MSG(!cases[i].id && strstr(err.text, cases[i].says), "%s: %s",
			  cases[i].name, err.text);
		return;
	}
	CHECK_MSG(cases[i].id, "%s", cases[i].name);
	CHECK(aws_region(&host, &x, region, &err) == MT_OK);
	CHECK_STR(region, cases[i].region);
	check_signature(&x, i);
	mask_put(mask, &hidden, "work-secret work-token", 22);
	CHECK(!cases[i].token || !strstr(hidden.text, "work-"));
}

int main(void)
{
	static const char *const variables[] = {
		"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID",
		"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
	};
	char dir[] = "/tmp/mortise-aws-XXXXXX", keys[64], settings[64];

	if (!mkdtemp(dir))
		return 1;
	snprintf(keys, sizeof keys, "%s/credentials", dir);
	snprintf(settings, sizeof settings, "%s/config", dir);
	CHECK(file_write(keys, credentials, strlen(credentials), 0600, false, NULL) == 0);
	CHECK(file_write(settings, profiles, strlen(profiles), 0600, false, NULL) == 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (size_t n = 0; n < sizeof variables / sizeof *variables; n++)
			unsetenv(variables[n]);
		setenv("AWS_SHARED_CREDENTIALS_FILE", keys, 1);
		setenv("AWS_CONFIG_FILE", settings, 1);
		one(i);
	}
	dir_remove(dir, NULL);
	return tap_done();
}
