/* SPDX-License-Identifier: MIT
 *
 * test-mcp-oauth.c - refused logins, addresses, and those to which secrets may be
 * sent. */
#include "../../plugins/tools/mcp/rpc.h"
#include "../../plugins/tools/mcp/oauth.h"
#include "tap.h"

#include <string.h>
#include <time.h>

static void test_challenge(void)
{
	static const struct {
		const char *text, *name, *want; /* want NULL: it is not there */
	} cases[] = {
		{ "Bearer scope=\"a b\"", "scope", "a b" },
		{ "bearer realm=\"x\", scope=a", "scope", "a" },
		{ "Bearer error=\"insufficient_scope\", scope=\"w\"", "error",
		  "insufficient_scope" },
		{ "Bearer resource_metadata=\"https://a.b/c?d=e\"", "resource_metadata",
		  "https://a.b/c?d=e" },
		{ "Bearer resource_metadata=https://a.b/c", "resource_metadata",
		  "https://a.b/c" },
		{ "Basic realm=\"scope=no\", Bearer scope=yes", "scope", "yes" },
		{ "Basic scope=no", "scope", NULL },
		{ "Bearer x=\"scope=\\\"no\\\", \", scope = \"y\\\"es\"", "scope", "y\"es" },
		{ "Bearer", "scope", NULL },
		{ "Bearer scope", "scope", NULL },
		{ "Bearer scope=\"open", "scope", "open" },
		{ "Bearer myscope=1", "scope", NULL },
		{ "=,\"\\", "scope", NULL },
		{ "", "scope", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf got = STRBUF(4096);
		bool there = oauth_challenge_param(cases[i].text, cases[i].name, &got);

		CHECK_MSG(there == (cases[i].want != NULL) &&
				  strcmp(got.text, cases[i].want ? cases[i].want : "") ==
					  0,
			  "%s: %s", cases[i].text, got.text);
	}
}

static void test_challenge_cut(void)
{
	static const char text[] =
		"Basic realm=\"a\\\"b\", Bearer realm=\"x\", scope=\"a b\", "
		"error=\"insufficient_scope\"";
	bool good = true;

	for (size_t n = 0; n <= strlen(text); n++) {
		AUTO(strbuf) struct strbuf got = STRBUF(4096);
		AUTO(free) char *cut = strndup(text, n);

		oauth_challenge_param(cut, "scope", &got);
		good &= strncmp("a b", got.text, got.len) == 0;
	}
	CHECK_MSG(good, "a challenge that is cut anywhere");
}

static void test_addresses(void)
{
	static const struct {
		const char *url, *origin, *path;
	} cases[] = {
		{ "https://a.b/c/d", "https://a.b", "/c/d" },
		{ "https://a.b/c/", "https://a.b", "/c" },
		{ "https://a.b", "https://a.b", "" },
		{ "http://a.b:81/x?y=z#q", "http://a.b:81", "/x" },
		{ "http://[::1]:8080/", "http://[::1]:8080", "" },
		{ "", NULL, "" },
		{ "no address", NULL, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(free) char *origin = oauth_url_origin(cases[i].url);
		AUTO(free) char *path = oauth_url_path(cases[i].url);

		CHECK_MSG(!origin == !cases[i].origin &&
				  (!origin || strcmp(origin, cases[i].origin) == 0) &&
				  strcmp(path, cases[i].path) == 0,
			  "%s: %s %s", cases[i].url, origin ? origin : "-", path);
	}
}

static void test_safe(void)
{
	static const struct {
		const char *server, *url;
		bool safe;
	} cases[] = {
		{ "https://a.b/mcp", "https://c.d/token", true },
		{ "https://a.b/mcp", "http://c.d/token", false },
		{ "https://a.b/mcp", "http://127.0.0.1:9/token", true },
		{ "https://a.b/mcp", "http://localhost/token", true },
		{ "https://a.b/mcp", "http://[::1]/token", true },
		{ "https://a.b/mcp", "http://localhost.evil.org/token", false },
		{ "https://a.b/mcp", "http://user@evil.org/127.0.0.1", false },
		{ "http://a.b/mcp", "http://c.d/token", true },
		{ "http://a.b/mcp", "file:///etc/passwd", false },
		{ "http://a.b/mcp", "javascript:alert(1)", false },
		{ "https://a.b/mcp", "", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct oauth o = { .server = cases[i].server };

		CHECK_MSG(oauth_url_is_safe(&o, cases[i].url) == cases[i].safe,
			  "%s: a secret to %s", cases[i].server, cases[i].url);
	}
}

static void test_forms(void)
{
	AUTO(strbuf) struct strbuf b = STRBUF(4096);
	AUTO(strbuf) struct strbuf small = STRBUF(8);

	strbuf_add(&b, "https://a.b/c?");
	CHECK(!oauth_form_add(&b, "a", "x y&z=\xc3\xa4") && !oauth_form_add(&b, "b", ""));
	CHECK_MSG(strcmp(b.text, "https://a.b/c?a=x%20y%26z%3D%C3%A4&b=") == 0, "%s",
		  b.text);
	CHECK(oauth_form_add(&small, "name", "a long value") != MT_OK);
}

static void test_token(void)
{
	static const struct {
		const char *login;
		int64_t ends; /* seconds from now; 0: never */
		bool good;
	} cases[] = {
		{ "{\"access_token\":\"t\"}", 0, true },
		{ "{\"access_token\":\"t\"}", 3600, true },
		{ "{\"access_token\":\"t\"}", OAUTH_EARLY_S - 5, false },
		{ "{\"access_token\":\"t\"}", -1, false },
		{ "{\"access_token\":7}", 0, false },
		{ "{}", 0, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json) json_object *login =
			js_parse(cases[i].login, strlen(cases[i].login), NULL);

		if (cases[i].ends)
			js_set_int(login, "expires_at",
				   (int64_t)time(NULL) + cases[i].ends);
		CHECK_MSG((oauth_token(login) != NULL) == cases[i].good, "%s %lld",
			  cases[i].login, (long long)cases[i].ends);
	}
	CHECK(oauth_token(NULL) == NULL);
}

static void test_lists(void)
{
	AUTO(json) json_object *list = js_parse("[\"a\",1,null,\"b\"]", 16, NULL);

	CHECK(rpc_list_has(list, "b", false) && !rpc_list_has(list, "1", true));
	CHECK(rpc_list_has(NULL, "x", true) && !rpc_list_has(NULL, "x", false));
}

int main(void)
{
	test_challenge();
	test_challenge_cut();
	test_addresses();
	test_safe();
	test_forms();
	test_token();
	test_lists();
	return tap_done();
}
