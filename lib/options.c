/* SPDX-License-Identifier: MIT
 *
 * options.c - parses, checks, looks up and formats option values. */
#include "options.h"
#include "space.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { SUGGEST_LEN = 64 }; /* no suggestion for longer words */

/* The table may come from a plugin whose struct is larger or smaller. */
static const struct mt_option *options_nth(const struct mt_option *table, size_t i)
{
	return (const struct mt_option *)((const char *)table + i * table->size);
}

const struct mt_option *option_find(const struct mt_option *table, size_t count,
				    const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (!(options_nth(table, i)->flags & MT_OPTION_PREFIX) &&
		    strcmp(options_nth(table, i)->name, key) == 0)
			return options_nth(table, i);
	for (size_t i = 0; i < count; i++) {
		const struct mt_option *option = options_nth(table, i);
		size_t len = strlen(option->name);

		if ((option->flags & MT_OPTION_PREFIX) && key[0] &&
		    strncmp(key, option->name, len) == 0 && key[len])
			return option;
	}
	return NULL;
}

struct unit {
	const char *name;
	int64_t factor;
};

/* An unsigned integer, and a unit after it. */
static int parse_with_unit(const char *text, const struct unit *units, size_t count,
			   int64_t *ret)
{
	int64_t n = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, *p - '0', &n))
			return MT_EINVAL;
	if (p == text)
		return MT_EINVAL;
	for (size_t i = 0; i < count; i++) {
		if (strcasecmp(p, units[i].name) != 0)
			continue;
		if (__builtin_mul_overflow(n, units[i].factor, &n))
			return MT_EINVAL;
		*ret = n;
		return MT_OK;
	}
	return MT_EINVAL;
}

int option_parse_duration(const char *text, int64_t *ret_ms)
{
	static const struct unit units[] = {
		{ "", 1000 },    { "ms", 1 },      { "s", 1000 },
		{ "m", 60000 },  { "min", 60000 }, { "h", 3600000 },
		{ "d", 86400000 },
	};

	return parse_with_unit(text, units, ARRAY_LEN(units), ret_ms);
}

int option_parse_bytes(const char *text, int64_t *ret_bytes)
{
	static const struct unit units[] = {
		{ "", 1 },
		{ "B", 1 },
		{ "K", INT64_C(1) << 10 }, { "KB", INT64_C(1) << 10 },
		{ "KiB", INT64_C(1) << 10 },
		{ "M", INT64_C(1) << 20 }, { "MB", INT64_C(1) << 20 },
		{ "MiB", INT64_C(1) << 20 },
		{ "G", INT64_C(1) << 30 }, { "GB", INT64_C(1) << 30 },
		{ "GiB", INT64_C(1) << 30 },
		{ "T", INT64_C(1) << 40 }, { "TB", INT64_C(1) << 40 },
		{ "TiB", INT64_C(1) << 40 },
	};

	return parse_with_unit(text, units, ARRAY_LEN(units), ret_bytes);
}

static int parse_int(const char *text, int64_t *ret)
{
	char *end;
	long long n;

	if (!strchr("+-0123456789", text[0]) || !text[0])
		return MT_EINVAL;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || *end || end == text)
		return MT_EINVAL;
	*ret = n;
	return MT_OK;
}

static int parse_number(const char *text, double *ret)
{
	char *end;

	if (!text[0] || strspn(text, "+-.0123456789eE") != strlen(text))
		return MT_EINVAL;
	*ret = strtod(text, &end);
	return *end || end == text || !isfinite(*ret) ? MT_EINVAL : MT_OK;
}

static int parse_bool(const char *text, bool *ret)
{
	static const char *const words[] = { "no",  "yes", "false", "true",
					     "off", "on",  "0",     "1" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasecmp(text, words[i]) == 0) {
			*ret = i % 2;
			return MT_OK;
		}
	return MT_EINVAL;
}

bool option_to_bool(const char *value)
{
	bool yes = false;

	parse_bool(value, &yes);
	return yes;
}

int option_to_int(const struct mt_option *option, const char *value, int64_t *ret)
{
	if (option->type == MT_OPTION_DURATION)
		return option_parse_duration(value, ret);
	if (option->type == MT_OPTION_BYTES)
		return option_parse_bytes(value, ret);
	return parse_int(value, ret);
}

bool option_list_next(const char **rest, const char **ret, size_t *ret_len)
{
	for (const char *p = *rest; *p;) {
		size_t len = strcspn(p, ",");
		const char *next = p + len + (p[len] == ',');

		space_trim(&p, &len);
		if (len > 0) {
			*ret = p;
			*ret_len = len;
			*rest = next;
			return true;
		}
		p = next;
	}
	*rest += strlen(*rest);
	return false;
}

int option_choice(const struct mt_option *option, const char *value)
{
	size_t len = strlen(value);
	int index = 0;

	for (const char *p = option->choices; p; index++) {
		size_t n = strcspn(p, "|");

		if (n == len && memcmp(p, value, n) == 0)
			return index;
		p = p[n] ? p + n + 1 : NULL;
	}
	return -1;
}

int option_choice_of(const struct mt_option *table, size_t count, const char *key,
		     const char *value)
{
	const struct mt_option *option = option_find(table, count, key);

	return option && value ? option_choice(option, value) : -1;
}

/* The expected form of a value, for each type that can be wrong. */
static const char *form(uint32_t type)
{
	switch (type) {
	case MT_OPTION_INT:
		return "an integer";
	case MT_OPTION_BOOL:
		return "yes or no";
	case MT_OPTION_DURATION:
		return "a duration (use 500ms, 30s, 5m or 1h)";
	case MT_OPTION_BYTES:
		return "a size (use 4096, 64K, 10M or 1G)";
	case MT_OPTION_NUMBER:
		return "a number (use 1 or 0.5)";
	}
	return "valid";
}

/* A secret must not appear in a message, even if it is invalid. */
static const char *shown(const struct mt_option *option, const char *value)
{
	if (option->flags & MT_OPTION_SECRET)
		return "the value";
	return *value ? value : "the empty value";
}

bool option_is_bounded(const struct mt_option *option)
{
	return option->min != 0 || option->max != 0;
}

static const char *unit(const struct mt_option *option)
{
	return option->type == MT_OPTION_DURATION ? " ms"
	       : option->type == MT_OPTION_BYTES  ? " bytes"
						  : "";
}

void option_put_bounds(const struct mt_option *option, struct strbuf *out)
{
	if (option->max < option->min)
		strbuf_addf(out, "at least %.15g%s", option->min, unit(option));
	else
		strbuf_addf(out, "%.15g to %.15g%s", option->min, option->max,
			    unit(option));
}

static int check_bounds(const struct mt_option *option, const char *key,
			const char *value, double n, struct error *err)
{
	bool open = option->max < option->min;

	if (!option_is_bounded(option) ||
	    (n >= option->min && (open || n <= option->max)))
		return MT_OK;
	if (open)
		return fail(err, MT_EINVAL, "`%s`: %.200s is less than %.15g%s", key,
			    shown(option, value), option->min, unit(option));
	return fail(err, MT_EINVAL, "`%s`: %.200s is not between %.15g and %.15g%s", key,
		    shown(option, value), option->min, option->max, unit(option));
}

int option_check(const struct mt_option *option, const char *key, const char *value,
		 struct error *err)
{
	int status = MT_OK;
	int64_t n = 0;
	double number = 0;
	bool yes;

	switch (option->type) {
	case MT_OPTION_INT:
	case MT_OPTION_DURATION:
	case MT_OPTION_BYTES:
		status = option_to_int(option, value, &n);
		number = (double)n;
		break;
	case MT_OPTION_NUMBER:
		status = parse_number(value, &number);
		break;
	case MT_OPTION_BOOL:
		status = parse_bool(value, &yes);
		return status ? fail(err, status, "`%s`: %.200s is not yes or no", key,
				     shown(option, value))
			      : MT_OK;
	case MT_OPTION_CHOICE:
		if (option_choice(option, value) >= 0)
			return MT_OK;
		return fail(err, MT_EINVAL, "`%s`: %.200s is not one of %s", key,
			    shown(option, value),
			    option->choices ? option->choices : "(none)");
	default:
		return MT_OK;
	}
	if (status)
		return fail(err, status, "`%s`: %.200s is not %s", key,
			    shown(option, value), form(option->type));
	return check_bounds(option, key, value, number, err);
}

/* Edit distance with swaps of adjacent letters; exact only below `limit`. */
static size_t distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned rows[3][SUGGEST_LEN + 1];

	if (la > SUGGEST_LEN || lb > SUGGEST_LEN)
		return SUGGEST_LEN;
	for (unsigned j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= la; i++) {
		unsigned *row = rows[i % 3], *up = rows[(i + 2) % 3];
		unsigned *up2 = rows[(i + 1) % 3];

		row[0] = i;
		for (unsigned j = 1; j <= lb; j++) {
			unsigned best = up[j - 1] + (a[i - 1] != b[j - 1]);

			if (up[j] + 1 < best)
				best = up[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && up2[j - 2] + 1 < best)
				best = up2[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[la % 3][lb];
}

const char *option_suggest(const char *word, const char *const *names, size_t count)
{
	const char *nearest = NULL;
	size_t best = strlen(word) / 3 + 2; /* no suggestion at this distance or above */

	for (size_t i = 0; i < count; i++) {
		size_t d = distance(word, names[i]);

		if (d < best && d < strlen(names[i])) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}

int option_unknown(const struct mt_option *table, size_t count, const char *key,
		   struct error *err)
{
	AUTO(free) const char **names = calloc(count + 1, sizeof *names);
	const char *near;

	if (!names)
		return out_of_memory(err);
	for (size_t i = 0; i < count; i++)
		names[i] = options_nth(table, i)->name;
	near = option_suggest(key, names, count);
	if (near)
		return fail(err, MT_EINVAL, "unknown option `%s`; did you mean `%s`?",
			    key, near);
	return fail(err, MT_EINVAL, "unknown option `%s`", key);
}
