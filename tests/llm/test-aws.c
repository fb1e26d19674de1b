/* SPDX-License-Identifier: MIT
 *
 * test-aws.c - keys and region of an AWS account: of the environment, of the files
 * of profiles, and what is said where they are not. */
#include "files.h"
#include "llm/aws.h"
#include "tap.h"
#include <string.h>
#include <unistd.h>

static const char credentials[] =
	"[default]\n"
	"aws_access_key_id = AKIDEFAULT\n"
	"aws_secret_access_key = default-secret\n"
	"\n"
	"[work]\n"
	"aws_access_key_id=AKIDWORK\n"
	"aws_secret_access_key=work-secret\n"
	"aws_session_token=work-token\n"
	"[half]\n"
	"aws_access_key_id = AKIDHALF\n";
static const char profiles[] =
	"[default]\n"
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
	{ "a role", "role", { 0 }, NULL, NULL, NULL, "gets its keys from elsewhere" },
	{ "single sign-on", "single", { 0 }, NULL, NULL, NULL, "export-credentials" },
	{ "half a key", "half", { 0 }, NULL, NULL, NULL, "`half` has none" },
	{ "no such profile", "nobody", { 0 }, NULL, NULL, NULL, "`nobody` has none" },
	{ "a region that is none", "bad", { 0 }, NULL, NULL, NULL, "is no AWS region" },
	{ "files that are not there", NULL,
	  { "AWS_SHARED_CREDENTIALS_FILE", "/nonexistent", "AWS_CONFIG_FILE",
	    "/nonexistent" }, NULL, NULL, NULL, "AWS_ACCESS_KEY_ID" },
};

static void check_signature(struct aws *a, size_t i)
{
	const struct aws_request r = { .method = "POST", .service = "bedrock",
				       .url = "https://x.amazonaws.com/model/m/converse",
				       .body = "{}", .body_len = 2 };
	char *headers[AWS_HEADERS] = { NULL }, all[4096] = "", want[64];
	struct error err = ERROR_NONE;

	CHECK(aws_sign(a, &r, 1700000000, headers, &err) == MT_OK);
	for (size_t h = 0; h < AWS_HEADERS; h++) {
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s\n",
			 headers[h] ? headers[h] : "");
		free(headers[h]);
	}
	snprintf(want, sizeof want, "Credential=%s/20231114/%s/bedrock/", cases[i].id,
		 cases[i].region);
	CHECK_MSG(strstr(all, want), "%s: %s", cases[i].name, want);
	CHECK_MSG(!cases[i].token == !strstr(all, "X-Amz-Security-Token: "), "%s: a token",
		  cases[i].name);
	CHECK(!strstr(all, "-secret"));
}

static void one(size_t i)
{
	char set[128];
	const char *overrides[] = { set };
	const struct config_input in = { .overrides = overrides,
					 .override_count = cases[i].profile ? 1 : 0 };
	AUTO(config) struct config *c = NULL;
	AUTO(mask) struct mask *mask = mask_new();
	AUTO(strbuf) struct strbuf hidden = STRBUF(256);
	struct error err = ERROR_NONE;
	struct aws *a = NULL;

	snprintf(set, sizeof set, "llm.aws_profile=%s",
		 cases[i].profile ? cases[i].profile : "");
	for (size_t n = 0; n < 6 && cases[i].env[n]; n += 2)
		setenv(cases[i].env[n], cases[i].env[n + 1], 1);
	CHECK(config_load(&in, &c, &err) == MT_OK);
	if (aws_open(c, "llm", mask, &a, &err) != MT_OK) {
		CHECK_MSG(!cases[i].id && strstr(err.text, cases[i].says), "%s: %s",
			  cases[i].name, err.text);
		return;
	}
	CHECK_MSG(cases[i].id, "%s", cases[i].name);
	CHECK_STR(aws_region(a), cases[i].region);
	check_signature(a, i);
	mask_put(mask, &hidden, "work-secret work-token", 22);
	CHECK(!cases[i].token || !strstr(hidden.text, "work-"));
	aws_free(a);
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
