/* SPDX-License-Identifier: MIT
 *
 * test-schema.c - values against schemas, the sentences, and the limits. Called
 * with `check`, it answers 0, 1 or 2 for each pair of lines on its input, for
 * schema-peer.py to compare. */
#include "schema.h"
#include "tap.h"
#include <stdlib.h>

static const struct { const char *schema, *value, *error;
} cases[] = {
	{ "{}", "1", "" },
	{ "true", "1", "" },
	{ "false", "1", "is not allowed here" },
	{ "{\"type\":\"string\"}", "1", "must be a string" },
	{ "{\"type\":[\"integer\",\"null\"]}", "1.5", "must be an integer or null" },
	{ "{\"type\":\"integer\"}", "1.0", "" },
	{ "{\"type\":\"number\"}", "true", "must be a number" },
	{ "{\"required\":[\"b\",\"a\",\"c\"]}", "{\"c\":1}",
	  "missing required members \"b\", \"a\"" },
	{ "{\"required\":[\"x\"]}", "{\"x\":null}", "" },
	{ "{\"required\":[\"x\"]}", "{}", "missing required member \"x\"" },
	{ "{\"properties\":{\"files\":{\"items\":{\"properties\":{\"path\":{\"type\":"
	  "\"string\"}}}}}}",
	  "{\"files\":[{\"path\":1}]}", "/files/0/path: must be a string" },
	{ "{\"properties\":{\"a/b~\":{\"const\":1}}}", "{\"a/b~\":2}",
	  "/a~1b~0: must be 1" },
	{ "{\"properties\":{\"o\":{\"properties\":{\"a\":{}},\"additionalProperties\":"
	  "false}}}",
	  "{\"o\":{\"a\":1,\"b\":2}}", "/o: unknown member \"b\"; allowed: a" },
	{ "{\"additionalProperties\":{\"type\":\"null\"}}", "{\"b\":2}",
	  "/b: must be null" },
	{ "{\"patternProperties\":{\"^x-\":{}},\"additionalProperties\":false}",
	  "{\"x-1\":2}", "" },
	{ "{\"enum\":[1,\"a\",null]}", "2", "must be one of 1, \"a\", null" },
	{ "{\"enum\":[1,\"a\",null]}", "1.0", "" },
	{ "{\"enum\":[false]}", "0", "must be one of false" },
	{ "{\"const\":null}", "0", "must be null" },
	{ "{\"minimum\":3}", "2.5", "must be at least 3" },
	{ "{\"maximum\":3}", "3", "" },
	{ "{\"exclusiveMinimum\":3}", "3", "must be more than 3" },
	{ "{\"exclusiveMaximum\":3.5}", "3.5", "must be less than 3.5" },
	{ "{\"minLength\":2}", "\"\xc3\xa9\"", "must have at least 2 characters, has 1" },
	{ "{\"maxLength\":1}", "\"\xc3\xa9\"", "" },
	{ "{\"minItems\":1}", "[]", "must have at least 1 items, has 0" },
	{ "{\"maxItems\":1}", "[1,2]", "must have at most 1 items, has 2" },
	{ "{\"pattern\":\"^a+$\"}", "\"aab\"", "must match the pattern ^a+$" },
	{ "{\"pattern\":\"b\"}", "\"abc\"", "" },
	{ "{\"pattern\":\"^a$\"}", "\"a\\n\"", "must match the pattern ^a$" },
	{ "{\"pattern\":\"(\"}", "\"a\"", "" },
	{ "{\"pattern\":\"^(a|aa)+$\"}",
	  "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"",
	  "the pattern ^(a|aa)+$ takes too long to match" },
	{ "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "1",
	  "matches none of the 2 allowed forms (must be a string)" },
	{ "{\"oneOf\":[{\"minimum\":1},{\"maximum\":3}]}", "2",
	  "matches 2 of the 2 forms, but must match exactly one" },
	{ "{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "4", "must be at most 3" },
	{ "{\"$defs\":{\"a "
	  "b\":{\"type\":\"null\"}},\"items\":{\"$ref\":\"#/$defs/a%20b\"}}",
	  "[1]", "/0: must be null" },
	{ "{\"definitions\":{\"n\":{\"type\":\"null\"}},\"$ref\":\"#/definitions/n\"}",
	  "1", "must be null" },
	{ "{\"$ref\":\"#/nowhere\",\"type\":\"null\"}", "1", "must be null" },
	{ "{\"$ref\":\"http://x/\"}", "1", "" },
	{ "{\"properties\":{\"n\":{\"$ref\":\"#\"}},\"additionalProperties\":false}",
	  "{\"n\":{\"n\":{\"m\":1}}}", "/n/n: unknown member \"m\"; allowed: n" },
	{ "{\"$ref\":\"#\"}", "1", "the schema is nested too deeply or too expensive to check" },
	{ "{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}", "1",
	  "the schema is nested too deeply or too expensive to check" },
	{ "{\"type\":5,\"required\":7,\"properties\":[],\"anyOf\":{},\"enum\":1}", "{}",
	  "" },
};

static const struct { const char *schema, *error; } usable[] = {
	{ "{}", "" },
	{ "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":[\"string\",\"null\"]}},"
	  "\"required\":[\"a\"],\"x-other\":1}", "" },
	{ "[]", "a schema of arguments must be an object" },
	{ "{\"type\":\"string\"}",
	  "a schema of arguments must have the type object, not \"string\"" },
	{ "{\"properties\":{\"a\":{\"type\":\"strng\"}}}",
	  "`type`: \"strng\" is not a JSON type" },
	{ "{\"properties\":[]}", "`properties` must be an object" },
	{ "{\"required\":\"a\"}", "`required` must be a list of names" },
	{ "{\"items\":{\"anyOf\":[]}}", "`anyOf` must be a list of schemas" },
	{ "{\"items\":{\"$ref\":\"#/$defs/x\"}}", "`$ref`: undefined reference #/$defs/x" },
	{ "{\"items\":{\"pattern\":\"a(\"}}",
	  "invalid pattern a(: missing closing parenthesis at byte 2" },
	{ "{\"items\":5}", "a schema must be an object" },
};

static json_object *parse(const char *text)
{
	return js_parse(text, strlen(text), NULL);
}

static void values_are_checked(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json) json_object *schema = parse(cases[i].schema);
		AUTO(json) json_object *value = parse(cases[i].value);
		struct error err = ERROR_NONE;
		int status = schema_check(schema, value, &err);

		CHECK_STR(err.text, cases[i].error);
		CHECK(status == err.code);
	}
}

static void schemas_are_checked(void)
{
	for (size_t i = 0; i < ARRAY_LEN(usable); i++) {
		AUTO(json) json_object *schema = parse(usable[i].schema);
		struct error err = ERROR_NONE;

		schema_valid(schema, &err);
		CHECK_STR(err.text, usable[i].error);
	}
}

static int answer_lines(void)
{
	char *schema = NULL, *value = NULL;
	size_t schema_room = 0, value_room = 0;

	while (getline(&schema, &schema_room, stdin) > 0 &&
	       getline(&value, &value_room, stdin) > 0) {
		AUTO(json) json_object *s = parse(schema);
		AUTO(json) json_object *v = parse(value);
		int status = schema_check(s, v, NULL);

		puts(status == MT_OK ? "0" : status == MT_EINVAL ? "1" : "2");
	}
	free(schema);
	free(value);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "check") == 0)
		return answer_lines();
	values_are_checked();
	schemas_are_checked();
	return tap_done();
}
