/* SPDX-License-Identifier: MIT
 *
 * test-options.c - values of options, checked, converted, suggested, shown. */
#include "options.h"
#include "oom.h"
#include "tap.h"

static const struct mt_option table[] = {
	{ .size = sizeof *table, .type = MT_OPTION_DURATION, .name = "timeout",
	  .fallback = "30s", .help = "How long to wait.", .min = 1, .max = 3600000 },
	{ .size = sizeof *table, .type = MT_OPTION_INT, .name = "retries", .min = -1,
	  .max = 10, .flags = MT_OPTION_REQUIRED },
	{ .size = sizeof *table, .type = MT_OPTION_BYTES, .name = "limit" },
	{ .size = sizeof *table, .type = MT_OPTION_BOOL, .name = "verbose" },
	{ .size = sizeof *table, .type = MT_OPTION_NUMBER, .name = "temperature",
	  .max = 2 },
	{ .size = sizeof *table, .type = MT_OPTION_NUMBER, .name = "ratio", .min = 0.25,
	  .max = 0.5 },
	{ .size = sizeof *table, .type = MT_OPTION_DURATION, .name = "pause", .min = 10 },
	{ .size = sizeof *table, .type = MT_OPTION_CHOICE, .name = "mode",
	  .choices = "fast|slow" },
	{ .size = sizeof *table, .type = MT_OPTION_TEXT, .name = "arg.",
	  .flags = MT_OPTION_PREFIX },
	{ .size = sizeof *table, .type = MT_OPTION_INT, .name = "pin",
	  .flags = MT_OPTION_SECRET },
};

static const struct { const char *key, *value, *error;
} values[] = {
	{ "timeout", "500ms", "" },
	{ "timeout", "2H", "`timeout`: 2H is not between 1 and 3600000 ms" },
	{ "timeout", "5x",
	  "`timeout`: 5x is not a duration (use 500ms, 30s, 5m or 1h)" },
	{ "timeout", "",
	  "`timeout`: the empty value is not a duration (use 500ms, 30s, 5m or 1h)" },
	{ "timeout", "99999999999999999999",
	  "`timeout`: 99999999999999999999 is not a duration (use 500ms, 30s, 5m or 1h)" },
	{ "timeout", "9223372036854775807h",
	  "`timeout`: 9223372036854775807h is not a duration (use 500ms, 30s, 5m or 1h)" },
	{ "timeout", "-1s",
	  "`timeout`: -1s is not a duration (use 500ms, 30s, 5m or 1h)" },
	{ "retries", "-1", "" },
	{ "retries", "11", "`retries`: 11 is not between -1 and 10" },
	{ "retries", "3.5", "`retries`: 3.5 is not an integer" },
	{ "retries", " 3", "`retries`:  3 is not an integer" },
	{ "limit", "64K", "" },
	{ "limit", "64KiB", "" },
	{ "limit", "1T", "" },
	{ "limit", "9999999T",
	  "`limit`: 9999999T is not a size (use 4096, 64K, 10M or 1G)" },
	{ "verbose", "YES", "" },
	{ "verbose", "off", "" },
	{ "verbose", "maybe", "`verbose`: maybe is not yes or no" },
	{ "temperature", "0.7", "" },
	{ "temperature", "2.0", "" },
	{ "temperature", "2.1", "`temperature`: 2.1 is not between 0 and 2" },
	{ "temperature", "nan", "`temperature`: nan is not a number (use 1 or 0.5)" },
	{ "temperature", "1e999",
	  "`temperature`: 1e999 is not a number (use 1 or 0.5)" },
	{ "ratio", "0.25", "" },
	{ "ratio", "0.2", "`ratio`: 0.2 is not between 0.25 and 0.5" },
	{ "ratio", "1", "`ratio`: 1 is not between 0.25 and 0.5" },
	{ "pause", "10ms", "" },
	{ "pause", "1h", "" },
	{ "pause", "9ms", "`pause`: 9ms is less than 10 ms" },
	{ "mode", "slow", "" },
	{ "mode", "slo", "`mode`: slo is not one of fast|slow" },
	{ "arg.x", "anything", "" },
	{ "pin", "hunter2", "`pin`: the value is not an integer" },
};

static void values_are_checked(void)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		const struct mt_option *o =
			option_find(table, ARRAY_LEN(table), values[i].key);
		struct error err = ERROR_NONE;

		if (o)
			option_check(o, values[i].key, values[i].value, &err);
		CHECK_STR(o ? err.text : "unknown", values[i].error);
	}
}

static void values_are_converted(void)
{
	const struct mt_option choice = { .name = "mode", .type = MT_OPTION_CHOICE,
					  .choices = "a|abc|b" };
	int64_t n = 0;

	CHECK(option_parse_duration("30", &n) == MT_OK && n == 30000);
	CHECK(option_parse_duration("2m", &n) == MT_OK && n == 120000);
	CHECK(option_parse_duration("1d", &n) == MT_OK && n == 86400000);
	CHECK(option_parse_bytes("10M", &n) == MT_OK && n == 10 << 20);
	CHECK(option_parse_bytes("7", &n) == MT_OK && n == 7);
	CHECK(option_parse_bytes("K", &n) == MT_EINVAL &&
	      option_parse_bytes("1 K", &n) == MT_EINVAL);
	CHECK(option_to_int(&table[1], "-5", &n) == MT_OK && n == -5);
	CHECK(option_to_int(&table[0], "1s", &n) == MT_OK && n == 1000);
	CHECK(option_choice(&choice, "a") == 0 && option_choice(&choice, "abc") == 1);
	CHECK(option_choice(&choice, "b") == 2 && option_choice(&choice, "ab") == -1);
	CHECK(option_choice(&choice, "") == -1 && option_choice(&choice, "a|abc") == -1);
	CHECK(option_choice_of(&choice, 1, "mode", "b") == 2);
	CHECK(option_choice_of(&choice, 1, "mode", NULL) == -1);
	CHECK(option_choice_of(&choice, 1, "no such option", "b") == -1);
	CHECK(option_to_bool("on") && !option_to_bool("0") && !option_to_bool("?"));
}

static void names_are_suggested(void)
{
	struct error err = ERROR_NONE;

	option_unknown(table, ARRAY_LEN(table), "timout", &err);
	CHECK_STR(err.text, "unknown option `timout`; did you mean `timeout`?");
	err = ERROR_NONE;
	option_unknown(table, ARRAY_LEN(table), "mdoe", &err);
	CHECK_STR(err.text, "unknown option `mdoe`; did you mean `mode`?");
	err = ERROR_NONE;
	option_unknown(table, ARRAY_LEN(table), "color", &err);
	CHECK_STR(err.text, "unknown option `color`");
	err = ERROR_NONE;
	option_unknown(table, 0, "x", &err);
	CHECK_STR(err.text, "unknown option `x`");
	CHECK(!option_find(table, ARRAY_LEN(table), "arg."));
}

static void lists_are_walked(void)
{
	static const char list[] = " a, b c ,,\td\n, ";
	AUTO(strbuf) struct strbuf got = STRBUF(100);
	const char *rest = list, *item;
	size_t len;

	while (option_list_next(&rest, &item, &len)) {
		strbuf_addn(&got, item, len);
		strbuf_addc(&got, '|');
	}
	CHECK_STR(got.text, "a|b c|d|");
	rest = "";
	CHECK(!option_list_next(&rest, &item, &len));
}

static void tables_survive_json(void)
{
	AUTO(strbuf) struct strbuf once = STRBUF(1 << 16), twice = STRBUF(1 << 16);
	AUTO(strbuf) struct strbuf help = STRBUF(1 << 16);
	struct mt_option *copy = NULL;
	size_t count = 0;

	options_json(table, ARRAY_LEN(table), &once);

	AUTO(json) json_object *array = js_parse(once.text, once.len, NULL);

	OOM_EACH({
		int status = options_from_json(array, &copy, &count, NULL);

		if (oom_hit && status != MT_ENOMEM)
			CHECK_MSG(0, "an allocation failed unnoticed");
		if (!status && oom_hit)
			options_free(copy, count);
	});
	CHECK(count == ARRAY_LEN(table));
	options_json(copy, count, &twice);
	CHECK_STR(twice.text, once.text);
	options_free(copy, count);
	CHECK(options_help(table, ARRAY_LEN(table), &help) == MT_OK);
	CHECK(strstr(help.text, "timeout = duration 1..3600000 (default 30s)"));
	CHECK(strstr(help.text, "ratio = number 0.25..0.5\n"));
	CHECK(strstr(help.text, "pause = duration 10..\n"));
	CHECK(options_from_json(NULL, &copy, &count, NULL) == MT_EINVAL);
}

/* A maker with a newer header has larger structs. */
static void tables_are_stepped_by_their_own_size(void)
{
	struct {
		struct mt_option o;
		char newer[24];
	} large[2] = { { .o = table[0] }, { .o = table[1] } };

	large[0].o.size = large[1].o.size = sizeof large[0];
	CHECK(option_find(&large[0].o, 2, "retries") == &large[1].o);
}

int main(void)
{
	values_are_checked();
	values_are_converted();
	names_are_suggested();
	lists_are_walked();
	tables_survive_json();
	tables_are_stepped_by_their_own_size();
	return tap_done();
}
