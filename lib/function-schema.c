/* SPDX-License-Identifier: MIT
 *
 * function-schema.c - the JSON Schema of a typed C function. */
#include "function-schema.h"
#include "js.h"
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
};

const struct mt_arg *function_arg(const struct mt_function *f, size_t n)
{
	return (const void *)((const char *)f->args + n * f->args->size);
}

bool function_arg_given(const struct mt_function *f, size_t n)
{
	const struct mt_arg *a = function_arg(f, n);

	if (a->flags & MT_ARG_OUT)
		return false;
	return !(a->type == MT_TYPE_SIZE && n > 0 &&
		 function_arg(f, n - 1)->type == MT_TYPE_BUFFER);
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
			    "argument `%s`: choices are for whole numbers", a->name);
	while (function_choice(&rest, &name, &len, &value))
		if (value < min || (value > 0 && (uint64_t)value > max))
			return fail(err, MT_EINVAL,
				    "argument `%s`: %lld does not fit its "
				    "type",
				    a->name, (long long)value);
	if (*rest)
		return fail(err, MT_EINVAL, "argument `%s`: choices are written "
			    "NAME=0|OTHER=1", a->name);
	return MT_OK;
}

static int check_arg(const struct mt_function *f, size_t n, struct error *err)
{
	const struct mt_arg *a = function_arg(f, n);
	bool after_buffer = n > 0 && function_arg(f, n - 1)->type == MT_TYPE_BUFFER;

	if (!a->name || !*a->name)
		return fail(err, MT_EINVAL, "argument %zu has no name", n + 1);
	for (size_t k = 0; k < n; k++)
		if (strcmp(function_arg(f, k)->name, a->name) == 0)
			return fail(err, MT_EINVAL, "two arguments are named `%s`",
				    a->name);
	if (a->type == MT_TYPE_VOID || a->type > MT_TYPE_SIZE)
		return fail(err, MT_EINVAL, "argument `%s`: type %u is not one of an "
			    "argument", a->name, a->type);
	if (after_buffer && a->type != MT_TYPE_SIZE)
		return fail(err, MT_EINVAL,
			    "argument `%s` must be the size of the buffer "
			    "before it",
			    a->name);
	if (a->type == MT_TYPE_BUFFER && n + 1 == f->arg_count)
		return fail(err, MT_EINVAL,
			    "argument `%s`: a buffer needs its size after "
			    "it",
			    a->name);
	if (a->capacity > FUNCTION_CAPACITY_MAX)
		return fail(err, MT_ELIMIT, "argument `%s`: at most %d bytes", a->name,
			    FUNCTION_CAPACITY_MAX);
	return check_choices(a, err);
}

int function_check(const struct mt_function *f, struct error *err)
{
	if (!MT_HAS(f, address) || !f->address)
		return fail(err, MT_EINVAL,
			    "the function has no address or a wrong size");
	if (MT_HAS(f, flags) && f->flags)
		return fail(err, MT_EUNSUPPORTED, "the function has flags that are not "
			    "known (0x%x): update mortise", f->flags);
	if (f->returns > MT_TYPE_SIZE || f->returns == MT_TYPE_BUFFER)
		return fail(err, MT_EINVAL, "type %u is not one that a function returns",
			    f->returns);
	if (f->arg_count > FUNCTION_ARGS_MAX)
		return fail(err, MT_ELIMIT, "%u arguments: at most %d", f->arg_count,
			    FUNCTION_ARGS_MAX);
	if (f->arg_count && (!f->args || !MT_HAS(f->args, capacity)))
		return fail(err, MT_EINVAL, "the arguments have a wrong size");
	for (size_t n = 0; n < f->arg_count; n++) {
		int status = check_arg(f, n, err);

		if (status)
			return status;
	}
	return MT_OK;
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
	js_key_str(out, "type", a->choices ? "string" : json_types[a->type]);
	if (a->choices) {
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
	return out->error ? fail(err, out->error, "no memory for a schema") : MT_OK;
}
