/* SPDX-License-Identifier: MIT
 *
 * test-join.c - several risks combined, and the schema that requires a risk. */
#include "controller/plugins/analyzers.h"
#include "tools/risk-schema.h"
#include "tap.h"

enum { U = RISK_UNKNOWN, L, M, H, F = RISK_FAILED };

static const struct {
	int risks[3];
	size_t count;
	bool propagate;
	enum risk failed, says;
} cases[] = {
	{ { 0 }, 0, false, RISK_UNKNOWN, RISK_UNKNOWN },
	{ { U, L }, 2, false, RISK_UNKNOWN, RISK_LOW },
	{ { U, L }, 2, true, RISK_UNKNOWN, RISK_UNKNOWN },
	{ { U, H }, 2, true, RISK_UNKNOWN, RISK_UNKNOWN },
	{ { L, M, U }, 3, false, RISK_UNKNOWN, RISK_MEDIUM },
	{ { F }, 1, false, RISK_UNKNOWN, RISK_UNKNOWN },
	{ { F, L }, 2, false, RISK_UNKNOWN, RISK_UNKNOWN },
	{ { M, F }, 2, false, RISK_UNKNOWN, RISK_UNKNOWN },
	{ { F, H }, 2, false, RISK_UNKNOWN, RISK_HIGH },
	{ { F, L }, 2, false, RISK_HIGH, RISK_HIGH },
	{ { F, U }, 2, true, RISK_HIGH, RISK_UNKNOWN },
};

static void test_join(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_MSG(analyzers_join_risks(cases[i].risks, cases[i].count,
					       cases[i].propagate,
					       cases[i].failed) == cases[i].says,
			  "case %zu", i);
}

static void test_schema(void)
{
	static const char text[] = "{\"type\":\"object\",\"properties\":{\"a\":{}},"
				   "\"required\":[\"a\"]}";
	AUTO(json) json_object *schema = js_parse(text, sizeof text - 1, NULL);
	AUTO(json) json_object *cli = risk_schema(schema, false);
	AUTO(json) json_object *bare = risk_schema(NULL, false);
	AUTO(json) json_object *again = risk_schema(cli, false);

	CHECK_STR(js_text(js_get(cli, "required"), NULL), "[\"a\",\"security_risk\"]");
	CHECK(js_path(cli, "properties.a") && js_path(cli, "properties.security_risk"));
	CHECK(!js_path(schema, "properties.security_risk"));
	CHECK_STR(js_text(js_get(bare, "required"), NULL), "[\"security_risk\"]");
	CHECK(json_object_equal(cli, again));
	AUTO(json) json_object *reads = risk_schema(schema, true);

	CHECK_STR(js_text(js_get(reads, "required"), NULL), "[\"a\"]");
	CHECK(js_length(js_path(reads, "properties.security_risk.enum")) == 3);
}

int main(void)
{
	test_join();
	test_schema();
	return tap_done();
}
