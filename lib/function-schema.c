/* SPDX-License-Identifier: MIT
 *
 * function-schema.c - generates the JSON Schema of a typed C function. */
#include "function-schema.h"
#include "js.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *const json_types[] = {
	[MT_TYPE_BOOL] = "boolean",
	[MT_TYPE_INT32] = "integer",
	[MT_TYPE_UINT32] = "integer",
	[MT_TYPE_INT64] = "integer",
	[MT_TYPE_UINT64] = "integer",
	[MT_TYPE_FLOAT] = "number",
	[MT_TYPE_DOUBLE] = "number",
	[MT_TYPE_STRING] = "string",
	[MT_TYPE_BUFFER] = "string",
	[MT_TYPE_SIZE] = "integer",
	[MT_TYPE_HANDLE] = "string",
};

enum {
	FAILS = MT_FUNCTION_FAILS_NEGATIVE | MT_FUNCTION_FAILS_ZERO |
		MT_FUNCTION_FAILS_NONZERO,
};

bool function_name_is_valid(const char *name, size_t len)
{
	if (len == 0 || len > 64 || !isalpha((unsigned char)name[0]))
		return false;
	for (size_t i = 1; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-", name[i]))
			return false;
	return true;
}

const struct mt_arg *function_arg(const struct mt_function *f, size_t n)
{
	return (const void *)((const char *)f->args + n * f->args->size);
}

/* Does the model pass this argument: not an out argument, not fixed, and not a size
 * that the host fills in after a buffer? */
static bool function_arg_given(const struct mt_function *f, size_t n)
{
	const struct mt_arg *a = function_arg(f, n);

	return !(a->flags & (MT_ARG_OUT | MT_ARG_FIXED)) && !function_arg_is_size(f, n);
}

bool function_arg_is_size(const struct mt_function *f, size_t n)
{
	return n > 0 && function_arg(f, n - 1)->type == MT_TYPE_BUFFER;
}

bool function_range(uint16_t type, int64_t *ret_min, uint64_t *ret_max)
{
	static const struct {
		int64_t min;
		uint64_t max;
	} ranges[] = {
		[MT_TYPE_INT32] = { INT32_MIN, INT32_MAX },
		[MT_TYPE_UINT32] = { 0, UINT32_MAX },
		[MT_TYPE_INT64] = { INT64_MIN, INT64_MAX },
		[MT_TYPE_UINT64] = { 0, UINT64_MAX },
		[MT_TYPE_SIZE] = { 0, SIZE_MAX },
	};

	if (type >= ARRAY_LEN(ranges) || ranges[type].max == 0)
		return false;
	*ret_min = ranges[type].min;
	*ret_max = ranges[type].max;
	return true;
}

bool function_choice(const char **rest, const char **ret_name, size_t *ret_len,
		     int64_t *ret_value)
{
	const char *p = *rest, *equals = p ? strchr(p, '=') : NULL;
	char *end;

	if (!p || !*p || !equals || equals == p)
		return false;
	errno = 0;
	*ret_value = strtoll(equals + 1, &end, 0);
	if (errno || end == equals + 1 || (*end && *end != '|') ||
	    (size_t)(equals - p) != strcspn(p, "=|"))
		return false;
	*ret_name = p;
	*ret_len = (size_t)(equals - p);
	*rest = *end ? end + 1 : end;
	return true;
}

static int check_choices(const struct mt_arg *a, struct error *err)
{
	const char *rest = a->choices, *name;
	int64_t value, min;
	uint64_t max;
	size_t len;

	if (!rest)
		return MT_OK;
	if (!function_range(a->type, &min, &max))
		return fail(err, MT_EINVAL,
			    "argument `%s`: choices require an integer type", a->name);
	while (function_choice(&rest, &name, &len, &value))
		if (value < min || (value > 0 && (uint64_t)value > max))
			return fail(err, MT_EINVAL,
				    "argument `%s`: %lld does not fit its "
				    "type",
				    a->name, (long long)value);
	if (*rest)
		return fail(err, MT_EINVAL,
			    "argument `%s`: invalid choices; use NAME=0|OTHER=1",
			    a->name);
	return MT_OK;
}

static int check_fixed(const struct mt_arg *a, struct error *err)
{
	int64_t min = 0, value = (int64_t)a->capacity;
	uint64_t max = a->type == MT_TYPE_BOOL;
	bool good = a->type == MT_TYPE_BOOL || a->type == MT_TYPE_HANDLE ||
		    function_range(a->type, &min, &max);

	if (!good || a->flags & (MT_ARG_OUT | MT_ARG_OPTIONAL | MT_ARG_ENDS) ||
	    a->choices)
		return fail(
			err, MT_EINVAL,
			"argument `%s`: only an input of type integer, bool or handle "
			"(as 0) can be fixed",
			a->name);
	if (min < 0 ? value < min || (value > 0 && a->capacity > max) : a->capacity > max)
		return fail(err, MT_EINVAL, "argument `%s`: %lld does not fit its type",
			    a->name, (long long)value);
	return MT_OK;
}

static int check_flags(const struct mt_function *f, const struct mt_arg *a,
		       struct error *err)
{
	const unsigned known = MT_ARG_OUT | MT_ARG_OPTIONAL | MT_ARG_FIXED | MT_ARG_ENDS |
			       MT_ARG_COUNTED;

	uint64_t max;
	int64_t min;

	if (a->flags & ~known)
		return fail(err, MT_EUNSUPPORTED,
			    "argument `%s`: unknown flags 0x%x; update mortise", a->name,
			    a->flags & ~known);
	if (a->flags & MT_ARG_ENDS &&
	    (a->type != MT_TYPE_HANDLE || a->flags & MT_ARG_OUT))
		return fail(
			err, MT_EINVAL,
			"argument `%s`: only an input handle can be closed by the function",
			a->name);
	if (a->flags & MT_ARG_COUNTED &&
	    (!(a->flags & MT_ARG_OUT) || !function_range(f->returns, &min, &max) ||
	     (a->type != MT_TYPE_STRING && a->type != MT_TYPE_BUFFER)))
		return fail(
			err, MT_EINVAL,
			"argument `%s`: only `out string` and `out buffer` of a "
			"function that returns an integer can have their length returned",
			a->name);
	return a->flags & MT_ARG_FIXED ? check_fixed(a, err) : MT_OK;
}

/* Only an integer can be the length of a buffer. */
static bool measures(const struct mt_arg *a)
{
	uint64_t max;
	int64_t min;

	return function_range(a->type, &min, &max) && !a->choices &&
	       !(a->flags & MT_ARG_FIXED);
}

int function_check_arg(const struct mt_function *f, size_t n, struct error *err)
{
	const struct mt_arg *a = function_arg(f, n);

	if (!a->name || !*a->name)
		return fail(err, MT_EINVAL, "argument %zu has no name", n + 1);
	for (size_t k = 0; k < n; k++)
		if (strcmp(function_arg(f, k)->name, a->name) == 0)
			return fail(err, MT_EINVAL, "two arguments are named `%s`",
				    a->name);
	if (a->type == MT_TYPE_VOID || a->type > MT_TYPE_HANDLE)
		return fail(err, MT_EINVAL,
			    "argument `%s`: type %u cannot be used for an argument",
			    a->name, a->type);
	if (function_arg_is_size(f, n) && !measures(a))
		return fail(err, MT_EINVAL,
			    "argument `%s` must be the size of the buffer "
			    "before it",
			    a->name);
	if (a->type == MT_TYPE_BUFFER && n + 1 == f->arg_count)
		return fail(
			err, MT_EINVAL,
			"argument `%s`: a buffer requires its size as the next argument",
			a->name);
	if (a->capacity > FUNCTION_CAPACITY_MAX && !(a->flags & MT_ARG_FIXED))
		return fail(err, MT_ELIMIT, "argument `%s`: at most %d bytes", a->name,
			    FUNCTION_CAPACITY_MAX);
	if (check_flags(f, a, err))
		return MT_EINVAL;
	return check_choices(a, err);
}

static int check_fails(const struct mt_function *f, struct error *err)
{
	uint32_t flags = MT_HAS(f, flags) ? f->flags : 0, fails = flags & FAILS;
	bool is_signed = f->returns == MT_TYPE_INT32 || f->returns == MT_TYPE_INT64 ||
			 f->returns == MT_TYPE_BOOL;

	if (flags & ~(uint32_t)(FAILS | MT_FUNCTION_ERRNO))
		return fail(err, MT_EUNSUPPORTED,
			    "unknown function flags 0x%x; update mortise", flags);
	if (fails & (fails - 1))
		return fail(
			err, MT_EINVAL,
			"only one of the failure flags negative, zero and nonzero can be set");
	if (flags & MT_FUNCTION_ERRNO && !fails)
		return fail(err, MT_EINVAL,
			    "errno requires a failure flag: negative, zero or nonzero");
	if (fails && (f->returns == MT_TYPE_VOID || f->returns == MT_TYPE_FLOAT ||
		      f->returns == MT_TYPE_DOUBLE))
		return fail(err, MT_EINVAL,
			    "only a function that returns an integer, a "
			    "string or a handle can report failure");
	if (fails == MT_FUNCTION_FAILS_NEGATIVE && !is_signed)
		return fail(
			err, MT_EINVAL,
			"the function returns an unsigned type, so it cannot fail with "
			"a negative value");
	return MT_OK;
}

int function_check(const struct mt_function *f, struct error *err)
{
	if (!MT_HAS(f, address) || !f->address)
		return fail(err, MT_EINVAL,
			    "the function has no address or a wrong size");
	if (MT_HAS(f, reserved) && f->reserved)
		return fail(err, MT_EUNSUPPORTED,
			    "a reserved member is not 0; update mortise");
	if (f->returns > MT_TYPE_HANDLE || f->returns == MT_TYPE_BUFFER)
		return fail(err, MT_EINVAL, "a function cannot return type %u",
			    f->returns);
	if (f->arg_count > FUNCTION_ARGS_MAX)
		return fail(err, MT_ELIMIT, "%u arguments, but at most %d are allowed",
			    f->arg_count, FUNCTION_ARGS_MAX);
	if (f->arg_count && (!f->args || !MT_HAS(f->args, capacity)))
		return fail(err, MT_EINVAL, "the arguments have a wrong size");
	for (size_t n = 0; n < f->arg_count; n++) {
		int status = function_check_arg(f, n, err);

		if (status)
			return status;
	}
	return check_fails(f, err);
}

static void put_enum(const char *choices, struct strbuf *out)
{
	const char *name;
	int64_t value;
	size_t len;
	bool first = true;

	js_key(out, "enum");
	strbuf_addc(out, '[');
	while (function_choice(&choices, &name, &len, &value)) {
		if (!first)
			strbuf_addc(out, ',');
		js_put_str(out, name, len);
		first = false;
	}
	strbuf_addc(out, ']');
}

static void put_arg(const struct mt_arg *a, struct strbuf *out)
{
	uint64_t max;
	int64_t min;

	js_key(out, a->name);
	strbuf_addc(out, '{');
	if (a->type == MT_TYPE_BUFFER)
		strbuf_add(out,
			   "\"anyOf\":[{\"type\":\"string\"},{\"type\":\"object\","
			   "\"properties\":{\"base64\":{\"type\":\"string\"}},"
			   "\"required\":[\"base64\"],\"additionalProperties\":false}]");
	else
		js_key_str(out, "type", a->choices ? "string" : json_types[a->type]);
	if (a->type == MT_TYPE_HANDLE) {
		js_key_str(out, "pattern", "^0x[0-9a-f]+$");
	} else if (a->choices) {
		put_enum(a->choices, out);
	} else if (function_range(a->type, &min, &max)) {
		js_key(out, "minimum");
		strbuf_addf(out, "%" PRId64, min);
		js_key(out, "maximum");
		strbuf_addf(out, "%" PRIu64, max);
	}
	if (a->help)
		js_key_str(out, "description", a->help);
	strbuf_addc(out, '}');
}

int function_schema(const struct mt_function *f, struct strbuf *out, struct error *err)
{
	int status = function_check(f, err);
	bool first = true;

	if (status)
		return status;
	strbuf_add(out, "{\"type\":\"object\",\"properties\":{");
	for (size_t n = 0; n < f->arg_count; n++)
		if (function_arg_given(f, n))
			put_arg(function_arg(f, n), out);
	strbuf_add(out, "},\"required\":[");
	for (size_t n = 0; n < f->arg_count; n++) {
		const struct mt_arg *a = function_arg(f, n);

		if (!function_arg_given(f, n) || a->flags & MT_ARG_OPTIONAL)
			continue;
		if (!first)
			strbuf_addc(out, ',');
		js_put_str(out, a->name, strlen(a->name));
		first = false;
	}
	strbuf_add(out, "],\"additionalProperties\":false}");
	return out->error ? fail_code(err, out->error) : MT_OK;
}
