/* SPDX-License-Identifier: MIT
 *
 * function-words.c - parses the keywords that declare a C function. */
#include "function-words.h"
#include "options.h"
#include <errno.h>
#include <mortise/tool.h>
#include <string.h>

enum { WORD_MAX = 40, LONG_IS_64 = sizeof(long) == 8 };

struct word {
	const char *name;
	unsigned value;
};

/* C's own names are accepted too. The documentation uses the first name of each type. */
static const struct word types[] = {
	{ "bool", MT_TYPE_BOOL },
	{ "int32", MT_TYPE_INT32 },
	{ "uint32", MT_TYPE_UINT32 },
	{ "int64", MT_TYPE_INT64 },
	{ "uint64", MT_TYPE_UINT64 },
	{ "size", MT_TYPE_SIZE },
	{ "float", MT_TYPE_FLOAT },
	{ "double", MT_TYPE_DOUBLE },
	{ "string", MT_TYPE_STRING },
	{ "buffer", MT_TYPE_BUFFER },
	{ "handle", MT_TYPE_HANDLE },
	{ "nothing", MT_TYPE_VOID },
	{ "void", MT_TYPE_VOID },
	{ "int", MT_TYPE_INT32 },
	{ "uint", MT_TYPE_UINT32 },
	{ "unsigned", MT_TYPE_UINT32 },
	{ "long", LONG_IS_64 ? MT_TYPE_INT64 : MT_TYPE_INT32 },
	{ "ulong", LONG_IS_64 ? MT_TYPE_UINT64 : MT_TYPE_UINT32 },
	{ "int32_t", MT_TYPE_INT32 },
	{ "uint32_t", MT_TYPE_UINT32 },
	{ "int64_t", MT_TYPE_INT64 },
	{ "uint64_t", MT_TYPE_UINT64 },
	{ "size_t", MT_TYPE_SIZE },
};
static const struct word flags[] = {
	{ "out", MT_ARG_OUT },
	{ "optional", MT_ARG_OPTIONAL },
	{ "ends", MT_ARG_ENDS },
	{ "counted", MT_ARG_COUNTED },
};
static const struct word failures[] = {
	{ "never", 0 },
	{ "negative", MT_FUNCTION_FAILS_NEGATIVE },
	{ "zero", MT_FUNCTION_FAILS_ZERO },
	{ "nonzero", MT_FUNCTION_FAILS_NONZERO },
	{ "errno", MT_FUNCTION_ERRNO },
};
static const struct word hints[] = {
	{ "read-only", MT_TOOL_READ_ONLY },
	{ "destructive", MT_TOOL_DESTRUCTIVE },
	{ "idempotent", MT_TOOL_IDEMPOTENT },
	{ "open-world", MT_TOOL_OPEN_WORLD },
};

static bool function_words_find(const struct word *words, size_t count, const char *name,
				unsigned *ret)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i].name, name) == 0) {
			*ret = words[i].value;
			return true;
		}
	return false;
}

/* `words` is one of the tables above. */
static int function_words_unknown(const struct word *words, size_t count,
				  const char *name, const char *what, struct error *err)
{
	const char *names[ARRAY_LEN(types)], *near;

	for (size_t i = 0; i < count; i++)
		names[i] = words[i].name;
	near = option_suggest(name, names, count);
	if (near)
		return fail(err, MT_EINVAL, "unknown %s `%.60s`; did you mean `%s`?",
			    what, name, near);
	return fail(err, MT_EINVAL,
		    "unknown %s `%.60s`; use one of %s, %s, %s ... (see doc/ffi.md)",
		    what, name, words[0].name, words[1].name, words[2].name);
}

/* Read the next word before `end`; a word that is too long is truncated. */
static bool function_words_next(const char **at, const char *end, char word[WORD_MAX + 1])
{
	static const char white[] = " \t\r\n";
	size_t len = 0;

	while (*at < end && strchr(white, **at))
		++*at;
	for (; *at < end && !strchr(white, **at); ++*at)
		if (len < WORD_MAX)
			word[len++] = **at;
	word[len] = '\0';
	return len > 0;
}

/* As C writes pointers. */
static int no_pointer(const char *word, struct error *err)
{
	return fail(
		err, MT_EINVAL,
		"invalid type `%.60s`; use string for text, buffer for bytes followed "
		"by their size, handle for an address, `out TYPE` for output",
		word);
}

static bool is_pointer(const char *word)
{
	return strchr(word, '*') || strcmp(word, "pointer") == 0 ||
	       strcmp(word, "char") == 0 || strcmp(word, "const") == 0;
}

static int unknown_type(const char *word, struct error *err)
{
	return is_pointer(word) ? no_pointer(word, err)
				: function_words_unknown(types, ARRAY_LEN(types), word,
							 "type", err);
}

/* ---- an argument -------------------------------------------------------------- */

static int fixed(struct mt_arg *a, const char *text, struct error *err)
{
	char *end;

	text += strspn(text, " \t");
	errno = 0;
	a->capacity =
		*text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	if (errno || end == text || end[strspn(end, " \t")])
		return fail(
			err, MT_EINVAL,
			"argument `%s`: the fixed value must be an integer, not %.60s",
			a->name, *text ? text : "empty");
	a->flags |= MT_ARG_FIXED;
	return MT_OK;
}

static int capacity(struct mt_arg *a, const char *text, struct error *err)
{
	int64_t bytes;

	if (!(a->flags & MT_ARG_OUT) ||
	    (a->type != MT_TYPE_STRING && a->type != MT_TYPE_BUFFER))
		return fail(
			err, MT_EINVAL,
			"argument `%s`: only `out string` and `out buffer` have a size "
			"after them, not %.60s",
			a->name, text);
	if (option_parse_bytes(text, &bytes) || bytes < 1)
		return fail(
			err, MT_EINVAL,
			"argument `%s`: invalid size %.60s; use for example 4096, 64K or 1M",
			a->name, text);
	a->capacity = (uint64_t)bytes;
	return MT_OK;
}

/* The text after the type: empty, "= 5", "NAME=0|OTHER=1", or "64K". */
static int function_words_rest(struct mt_arg *a, const char *at, const char *end,
			       struct error *err)
{
	AUTO(free) char *text = NULL;
	size_t len;

	at += strspn(at, " \t\r\n");
	if (at >= end)
		return MT_OK;
	text = strndup(at, (size_t)(end - at));
	if (!text)
		return out_of_memory(err);
	len = strlen(text);
	while (len && strchr(" \t\r\n", text[len - 1]))
		text[--len] = '\0';
	if (*text == '=')
		return fixed(a, text + 1, err);
	if (!strchr(text, '='))
		return capacity(a, text, err);
	a->choices = STEAL(text);
	return MT_OK;
}

static int words_before_type(struct mt_arg *a, const char **at, const char *end,
			     struct error *err)
{
	char word[WORD_MAX + 1];
	unsigned value;

	while (function_words_next(at, end, word)) {
		if (function_words_find(flags, ARRAY_LEN(flags), word, &value)) {
			a->flags |= (uint16_t)value;
			continue;
		}
		if (!function_words_find(types, ARRAY_LEN(types), word, &value))
			return unknown_type(word, err);
		a->type = (uint16_t)value;
		if (a->type == MT_TYPE_VOID)
			return fail(err, MT_EINVAL,
				    "argument `%s`: an argument cannot be %s", a->name,
				    word);
		if (a->flags & MT_ARG_OUT && a->flags & MT_ARG_OPTIONAL)
			return fail(err, MT_EINVAL,
				    "argument `%s`: an output cannot be optional",
				    a->name);
		return MT_OK;
	}
	return fail(
		err, MT_EINVAL,
		"argument `%s` has no type; use for example `double, an angle in radians`",
		a->name);
}

int words_argument(const char *name, const char *text, struct mt_arg *ret,
		   struct error *err)
{
	const char *end = text + strcspn(text, ","), *at = text;
	const char *help = *end ? end + 1 + strspn(end + 1, " \t\r\n") : NULL;
	char *copy = strdup(name);
	int status;

	*ret = (struct mt_arg){ .size = sizeof *ret,
				.type = MT_TYPE_INT32,
				.name = copy };
	if (help && *help)
		ret->help = strdup(help);
	if (!copy || (help && *help && !ret->help))
		return out_of_memory(err);
	status = words_before_type(ret, &at, end, err);
	return status ? status : function_words_rest(ret, at, end, err);
}

void words_clear(struct mt_arg *a)
{
	free((void *)(uintptr_t)a->name);
	free((void *)(uintptr_t)a->help);
	free((void *)(uintptr_t)a->choices);
}

/* ---- the others --------------------------------------------------------------- */

int words_returns(const char *text, uint16_t *ret, struct error *err)
{
	const char *end = text + strlen(text);
	char word[WORD_MAX + 1], more[WORD_MAX + 1];
	unsigned value;

	if (!function_words_next(&text, end, word))
		return fail(err, MT_EINVAL,
			    "`returns` has no type; use for example double, or nothing");
	if (function_words_next(&text, end, more))
		return fail(err, MT_EINVAL,
			    "`returns` must be a single type: %s, without %s", word,
			    more);
	if (!function_words_find(types, ARRAY_LEN(types), word, &value))
		return unknown_type(word, err);
	if (value == MT_TYPE_BUFFER)
		return fail(err, MT_EINVAL,
			    "a function cannot return a buffer, because its length is "
			    "unknown; use string or handle");
	*ret = (uint16_t)value;
	return MT_OK;
}

static int all_of(const char *text, const struct word *words, size_t count,
		  const char *what, uint32_t *ret, struct error *err)
{
	AUTO(free) char *copy = strdup(text);
	const char *at = copy, *end;
	char word[WORD_MAX + 1];
	unsigned value;

	if (!copy)
		return out_of_memory(err);
	for (char *p = copy; *p; p++)
		*p = *p == ',' ? ' ' : *p;
	end = copy + strlen(copy);
	*ret = 0;
	while (function_words_next(&at, end, word)) {
		if (!function_words_find(words, count, word, &value))
			return function_words_unknown(words, count, word, what, err);
		*ret |= value;
	}
	return MT_OK;
}

int words_fails(const char *text, uint32_t *ret, struct error *err)
{
	return all_of(text, failures, ARRAY_LEN(failures), "way of failing", ret, err);
}

int words_hints(const char *text, uint32_t *ret, struct error *err)
{
	return all_of(text, hints, ARRAY_LEN(hints), "hint", ret, err);
}
