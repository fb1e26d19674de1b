/* SPDX-License-Identifier: MIT
 *
 * plugins-test-cases.c - reads the case file of `mortise plugins test`. */
#include "plugins-test.h"

#include "pattern.h"

#include <string.h>

static const char *const keys[KEYS] = { "call", "arguments", "result", "match",
					"error", "structured", "preview" };

static struct test_case *find_case(const struct cases *cases, const char *name)
{
	for (size_t i = 0; i < cases->count; i++)
		if (strcmp(cases->list[i].name, name) == 0)
			return &cases->list[i];
	return NULL;
}

static int test_cases_add_entry(struct cases *cases, const struct ini_entry *entry,
				struct error *err)
{
	struct test_case *c = find_case(cases, entry->section);
	enum key key = 0;

	if (!c)
		return fail(err, MT_EINVAL,
			    "%s:%u: `%s` is outside a case; add [NAME OF THE CASE] above "
			    "it",
			    cases->path, entry->line, entry->key);
	while (key < KEYS && strcmp(keys[key], entry->key) != 0)
		key++;
	if (key == KEYS)
		return fail(err, MT_EINVAL,
			    "%s:%u: unknown key `%s`; use call, arguments, result, "
			    "match, error, structured or preview",
			    cases->path, entry->line, entry->key);
	if (entry->op != '=' || c->entries[key])
		return fail(err, MT_EINVAL, "%s:%u: set `%s` of a case once, with `=`",
			    cases->path, entry->line, entry->key);
	c->entries[key] = entry;
	return MT_OK;
}

static int check_pattern(const struct cases *cases, const struct ini_entry *entry,
			 struct error *err)
{
	AUTO(json) json_object *pattern = json_object_new_string(entry->value);
	struct error why = ERROR_NONE;

	if (!pattern)
		return out_of_memory(err);
	if (pattern_check(pattern, &why))
		return fail(err, MT_EINVAL, "%s:%u: invalid regular expression: %s",
			    cases->path, entry->line, why.text);
	return MT_OK;
}

static int check_object(const struct cases *cases, const struct ini_entry *entry,
			const char *what, struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(json) json_object *object =
		js_parse_object(entry->value, strlen(entry->value), &why);

	return object ? MT_OK
		      : fail(err, MT_EINVAL, "%s:%u: invalid %s: %s", cases->path,
			     entry->line, what, why.text);
}

static int check_case(const struct cases *cases, struct test_case *c, struct error *err)
{
	const struct ini_entry *arguments = c->entries[KEY_ARGUMENTS], *expected;
	size_t expectations = 0;

	if (!c->entries[KEY_CALL])
		return fail(err, MT_EINVAL,
			    "%s:%u: the case `%s` has no `call`; add `call = TOOL`",
			    cases->path, c->line, c->name);
	for (enum key key = KEY_RESULT; key < KEYS; key++)
		if (c->entries[key]) {
			c->expected = key;
			expectations++;
		}
	if (expectations != 1)
		return fail(err, MT_EINVAL,
			    "%s:%u: the case `%s` needs one of result, match, error, "
			    "structured and preview",
			    cases->path, c->line, c->name);
	if (arguments && check_object(cases, arguments, keys[KEY_ARGUMENTS], err))
		return err->code;
	expected = c->entries[c->expected];
	if (c->expected == KEY_STRUCTURED)
		return check_object(cases, expected, keys[KEY_STRUCTURED], err);
	return c->expected == KEY_MATCH || c->expected == KEY_ERROR
		       ? check_pattern(cases, expected, err)
		       : MT_OK;
}

int test_cases_read(struct cases *cases, struct error *err)
{
	struct ini *ini = &cases->ini;

	if (ini_read(cases->path, ini, err))
		return err->code;
	if (ini->section_count == 0)
		return fail(err, MT_EINVAL, "%s: the file contains no case", cases->path);
	cases->list = calloc(ini->section_count, sizeof *cases->list);
	if (!cases->list)
		return out_of_memory(err);
	for (size_t i = 0; i < ini->section_count; i++) {
		if (find_case(cases, ini->sections[i]))
			return fail(err, MT_EINVAL,
				    "%s:%u: duplicate case `%s`; rename one", cases->path,
				    ini->section_lines[i], ini->sections[i]);
		cases->list[cases->count++] = (struct test_case){
			.name = ini->sections[i], .line = ini->section_lines[i] };
	}
	for (size_t i = 0; i < ini->count && !err->code; i++)
		test_cases_add_entry(cases, &ini->entries[i], err);
	for (size_t i = 0; i < cases->count && !err->code; i++)
		check_case(cases, &cases->list[i], err);
	return err->code;
}
