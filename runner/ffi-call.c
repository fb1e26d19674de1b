/* SPDX-License-Identifier: MIT
 *
 * ffi-call.c - calls typed C functions with libffi. */
#include "ffi-call.h"
#include "base64.h"
#include "function-schema.h"
#include "handles.h"
#include "utf8.h"
#include <errno.h>
#include <ffi.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The value of an argument, in the memory layout of libffi. */
union value {
	int i;
	int32_t i32;
	uint32_t u32;
	int64_t i64;
	uint64_t u64;
	float f;
	double d;
	size_t size;
	void *p;
	ffi_arg narrow; /* a returned int as widened by libffi */
};

struct marshal {
	const struct mt_function *f;
	ffi_type *types[FUNCTION_ARGS_MAX];
	void *places[FUNCTION_ARGS_MAX];
	union value values[FUNCTION_ARGS_MAX];
	union value outs[FUNCTION_ARGS_MAX]; /* targets of out arguments */
	void *memory[FUNCTION_ARGS_MAX];     /* owned: buffers of out texts */
	size_t lengths[FUNCTION_ARGS_MAX];   /* of buffers */
	int error;                           /* errno after the call */
};

static ffi_type *ffi_call_type_of(uint16_t type)
{
	static ffi_type *const types[] = {
		[MT_TYPE_VOID] = &ffi_type_void,
		[MT_TYPE_BOOL] = &ffi_type_sint,
		[MT_TYPE_INT32] = &ffi_type_sint32,
		[MT_TYPE_UINT32] = &ffi_type_uint32,
		[MT_TYPE_INT64] = &ffi_type_sint64,
		[MT_TYPE_UINT64] = &ffi_type_uint64,
		[MT_TYPE_FLOAT] = &ffi_type_float,
		[MT_TYPE_DOUBLE] = &ffi_type_double,
		[MT_TYPE_STRING] = &ffi_type_pointer,
		[MT_TYPE_BUFFER] = &ffi_type_pointer,
		[MT_TYPE_HANDLE] = &ffi_type_pointer,
	};

	if (type == MT_TYPE_SIZE)
		return sizeof(size_t) == 8 ? &ffi_type_uint64 : &ffi_type_uint32;
	return types[type];
}

static int ffi_call_by_name(const struct mt_arg *a, json_object *json, int64_t *ret,
			    struct error *err)
{
	const char *rest = a->choices, *name;
	const char *text = json_object_get_string(json);
	size_t len;

	while (function_choice(&rest, &name, &len, ret))
		if (strlen(text) == len && memcmp(text, name, len) == 0)
			return MT_OK;
	return fail(err, MT_EINVAL, "`%s`: %.100s is not one of %s", a->name, text,
		    a->choices);
}

/* An integer within the range of the type, in two's complement. */
static int to_whole(const struct mt_arg *a, json_object *json, uint64_t *ret,
		    struct error *err)
{
	uint64_t max = 0;
	int64_t min = 0, n = 0;

	if (a->choices && json_object_is_type(json, json_type_string)) {
		int status = ffi_call_by_name(a, json, &n, err);

		*ret = (uint64_t)n;
		return status;
	}
	if (!json_object_is_type(json, json_type_int))
		return fail(err, MT_EINVAL, "`%s` must be an integer", a->name);
	function_range(a->type, &min, &max);
	n = json_object_get_int64(json);
	*ret = n < 0 ? (uint64_t)n : json_object_get_uint64(json);
	/* json-c clamps numbers that are too large for its types. */
	if (n < min || (n >= 0 && *ret > max))
		return fail(err, MT_EINVAL,
			    "`%s`: %s is not between %" PRId64 " and %" PRIu64, a->name,
			    json_object_get_string(json), min, max);
	return MT_OK;
}

/* An integer in the memory layout of its type, and back. */
static void ffi_call_store(uint16_t type, uint64_t n, union value *v)
{
	if (type == MT_TYPE_BOOL)
		v->i = (int)n;
	else if (type == MT_TYPE_INT32)
		v->i32 = (int32_t)n;
	else if (type == MT_TYPE_UINT32)
		v->u32 = (uint32_t)n;
	else if (type == MT_TYPE_SIZE)
		v->size = (size_t)n;
	else if (type == MT_TYPE_HANDLE)
		v->p = (void *)(uintptr_t)n;
	else
		v->u64 = n;
}

static uint64_t ffi_call_load(uint16_t type, const union value *v)
{
	switch (type) {
	case MT_TYPE_BOOL:
		return (uint64_t)(int64_t)v->i;
	case MT_TYPE_INT32:
		return (uint64_t)(int64_t)v->i32;
	case MT_TYPE_UINT32:
		return v->u32;
	case MT_TYPE_SIZE:
		return v->size;
	case MT_TYPE_STRING:
	case MT_TYPE_HANDLE:
		return (uintptr_t)v->p;
	default:
		return v->u64;
	}
}

static int set_whole(const struct mt_arg *a, json_object *json, union value *v,
		     struct error *err)
{
	uint64_t n = 0;
	int status = to_whole(a, json, &n, err);

	if (!status)
		ffi_call_store(a->type, n, v);
	return status;
}

static int set_real(const struct mt_arg *a, json_object *json, union value *v,
		    struct error *err)
{
	double d;

	if (!json_object_is_type(json, json_type_double) &&
	    !json_object_is_type(json, json_type_int))
		return fail(err, MT_EINVAL, "`%s` must be a number", a->name);
	d = json_object_get_double(json);
	if (!isfinite(d) || (a->type == MT_TYPE_FLOAT && fabs(d) > (double)FLT_MAX))
		return fail(err, MT_EINVAL, "`%s`: the number does not fit its type",
			    a->name);
	if (a->type == MT_TYPE_FLOAT)
		v->f = (float)d;
	else
		v->d = d;
	return MT_OK;
}

/* Bytes that are not UTF-8: {"base64": "..."}. */
static int set_bytes(struct marshal *m, size_t n, json_object *json, struct error *err)
{
	const char *name = function_arg(m->f, n)->name,
		   *text = js_str(json, "base64", NULL);
	AUTO(strbuf) struct strbuf bytes = STRBUF(FUNCTION_CAPACITY_MAX + 1);

	if (!text || json_object_object_length(json) != 1)
		return fail(err, MT_EINVAL,
			    "`%s` must be a string or {\"base64\": STRING}", name);
	if (base64_read(&bytes, text, strlen(text)))
		return fail(err, bytes.error ? bytes.error : MT_EINVAL,
			    bytes.error ? "`%s`: too many bytes" : "`%s`: invalid base64",
			    name);
	m->lengths[n] = bytes.len;
	m->memory[n] = bytes.len ? strbuf_take(&bytes) : calloc(1, 1);
	m->values[n].p = m->memory[n];
	return m->memory[n] ? MT_OK : out_of_memory(err);
}

static int ffi_call_set_text(struct marshal *m, size_t n, json_object *json,
			     struct error *err)
{
	const struct mt_arg *a = function_arg(m->f, n);
	const char *text;

	if (a->type == MT_TYPE_BUFFER && json_object_is_type(json, json_type_object))
		return set_bytes(m, n, json, err);
	if (!json_object_is_type(json, json_type_string))
		return fail(err, MT_EINVAL, "`%s` must be a string", a->name);
	if (a->type == MT_TYPE_HANDLE)
		return handle_read(a->name, json_object_get_string(json), &m->values[n].p,
				   err);
	text = json_object_get_string(json);
	m->lengths[n] = (size_t)json_object_get_string_len(json);
	if (a->type == MT_TYPE_STRING && strlen(text) != m->lengths[n])
		return fail(err, MT_EINVAL, "`%s` must not contain a NUL character",
			    a->name);
	m->values[n].p = (void *)(uintptr_t)text;
	return MT_OK;
}

static int set_given(struct marshal *m, size_t n, json_object *args, struct error *err)
{
	const struct mt_arg *a = function_arg(m->f, n);
	json_object *json = js_get(args, a->name);
	union value *v = &m->values[n];

	if (!json) {
		if (!(a->flags & MT_ARG_OPTIONAL))
			return fail(err, MT_EINVAL, "`%s` is missing", a->name);
		return MT_OK; /* all zero */
	}
	switch (a->type) {
	case MT_TYPE_BOOL:
		if (!json_object_is_type(json, json_type_boolean))
			return fail(err, MT_EINVAL, "`%s` must be true or false",
				    a->name);
		v->i = json_object_get_boolean(json);
		return MT_OK;
	case MT_TYPE_FLOAT:
	case MT_TYPE_DOUBLE:
		return set_real(a, json, v, err);
	case MT_TYPE_STRING:
	case MT_TYPE_BUFFER:
	case MT_TYPE_HANDLE:
		return ffi_call_set_text(m, n, json, err);
	default:
		return set_whole(a, json, v, err);
	}
}

/* An out argument is a pointer: to a value, or to a buffer. */
static int set_out(struct marshal *m, size_t n, struct error *err)
{
	const struct mt_arg *a = function_arg(m->f, n);
	size_t room = a->capacity ? (size_t)a->capacity : FUNCTION_CAPACITY;

	m->types[n] = &ffi_type_pointer;
	if (a->type != MT_TYPE_STRING && a->type != MT_TYPE_BUFFER) {
		m->values[n].p = &m->outs[n];
		return MT_OK;
	}
	m->memory[n] = calloc(1, room + 1);
	if (!m->memory[n])
		return out_of_memory(err);
	m->values[n].p = m->memory[n];
	m->lengths[n] = room;
	return MT_OK;
}

/* The size after a buffer: its length, or a pointer to it that the function sets to the
 * used length. */
static int set_size(struct marshal *m, size_t n, struct error *err)
{
	const struct mt_arg *a = function_arg(m->f, n);
	bool out = a->flags & MT_ARG_OUT;
	uint64_t max = 0;
	int64_t min;

	function_range(a->type, &min, &max);
	if (m->lengths[n - 1] > max)
		return fail(err, MT_ELIMIT, "`%s`: too many bytes",
			    function_arg(m->f, n - 1)->name);
	ffi_call_store(a->type, m->lengths[n - 1], out ? &m->outs[n] : &m->values[n]);
	if (out) {
		m->types[n] = &ffi_type_pointer;
		m->values[n].p = &m->outs[n];
	}
	return MT_OK;
}

static int set_all(struct marshal *m, json_object *args, struct error *err)
{
	for (size_t n = 0; n < m->f->arg_count; n++) {
		const struct mt_arg *a = function_arg(m->f, n);
		int status = MT_OK;

		m->types[n] = ffi_call_type_of(a->type);
		m->places[n] = &m->values[n];
		if (function_arg_is_size(m->f, n))
			status = set_size(m, n, err);
		else if (a->flags & MT_ARG_FIXED)
			ffi_call_store(a->type, a->capacity, &m->values[n]);
		else if (a->flags & MT_ARG_OUT)
			status = set_out(m, n, err);
		else
			status = set_given(m, n, args, err);
		if (status)
			return status;
	}
	return MT_OK;
}

static void put_bytes(struct strbuf *out, const char *bytes, size_t len)
{
	if (utf8_valid(bytes, len)) {
		js_put_str(out, bytes, len);
	} else {
		strbuf_add(out, "{\"base64\":\"");
		base64_put(out, bytes, len);
		strbuf_add(out, "\"}");
	}
}

/* Write the fewest digits that identify this number. */
static void put_real(struct strbuf *out, double d, bool narrow)
{
	int digits = narrow ? FLT_DIG : DBL_DIG;
	char text[40];

	if (isnan(d))
		strbuf_add(out, "\"NaN\"");
	else if (isinf(d))
		strbuf_add(out, d > 0 ? "\"Infinity\"" : "\"-Infinity\"");
	else {
		do {
			snprintf(text, sizeof text, "%.*g", digits, d);
		} while (narrow ? strtof(text, NULL) != (float)d &&
					  digits++ < FLT_DECIMAL_DIG
				: strtod(text, NULL) != d && digits++ < DBL_DECIMAL_DIG);
		strbuf_add(out, text);
	}
}

static void put_handle(struct strbuf *out, const void *handle)
{
	if (!handle) {
		strbuf_add(out, "null");
		return;
	}
	handle_given(handle);
	strbuf_addc(out, '"');
	handle_put(out, handle);
	strbuf_addc(out, '"');
}

static void ffi_call_put_value(struct strbuf *out, uint16_t type, const union value *v)
{
	switch (type) {
	case MT_TYPE_BOOL:
		strbuf_add(out, v->i ? "true" : "false");
		break;
	case MT_TYPE_INT32:
		strbuf_addf(out, "%" PRId32, v->i32);
		break;
	case MT_TYPE_UINT32:
		strbuf_addf(out, "%" PRIu32, v->u32);
		break;
	case MT_TYPE_INT64:
		strbuf_addf(out, "%" PRId64, v->i64);
		break;
	case MT_TYPE_UINT64:
		strbuf_addf(out, "%" PRIu64, v->u64);
		break;
	case MT_TYPE_SIZE:
		strbuf_addf(out, "%zu", v->size);
		break;
	case MT_TYPE_FLOAT:
		put_real(out, (double)v->f, true);
		break;
	case MT_TYPE_DOUBLE:
		put_real(out, v->d, false);
		break;
	case MT_TYPE_STRING:
		if (v->p)
			put_bytes(out, v->p, strlen(v->p));
		else
			strbuf_add(out, "null");
		break;
	case MT_TYPE_HANDLE:
		put_handle(out, v->p);
		break;
	default:
		strbuf_add(out, "null");
	}
}

/* The number of bytes of an out argument that the function used. */
static size_t used_of(const struct marshal *m, size_t n, const union value *returned)
{
	const struct mt_arg *a = function_arg(m->f, n);
	uint64_t used = m->lengths[n];

	if (a->flags & MT_ARG_COUNTED) {
		used = ffi_call_load(m->f->returns, returned);
		if ((int64_t)used < 0)
			used = 0;
	} else if (a->type == MT_TYPE_BUFFER &&
		   function_arg(m->f, n + 1)->flags & MT_ARG_OUT) {
		used = ffi_call_load(function_arg(m->f, n + 1)->type, &m->outs[n + 1]);
	}
	return used < m->lengths[n] ? (size_t)used : m->lengths[n];
}

static void put_out(const struct marshal *m, size_t n, const union value *returned,
		    struct strbuf *out)
{
	const struct mt_arg *a = function_arg(m->f, n);
	const char *bytes = m->memory[n];

	js_key(out, a->name);
	if (a->type == MT_TYPE_STRING)
		put_bytes(out, bytes, strnlen(bytes, used_of(m, n, returned)));
	else if (a->type == MT_TYPE_BUFFER)
		put_bytes(out, bytes, used_of(m, n, returned));
	else
		ffi_call_put_value(out, a->type, &m->outs[n]);
}

static void ffi_call_put_result(const struct marshal *m, const union value *returned,
				struct strbuf *out)
{
	bool outs = false;

	for (size_t n = 0; n < m->f->arg_count; n++)
		outs |= (function_arg(m->f, n)->flags & MT_ARG_OUT) != 0;
	if (!outs && m->f->returns == MT_TYPE_STRING && returned->p) {
		utf8_add_clean(out, returned->p, strlen(returned->p));
		return;
	}
	if (!outs && m->f->returns == MT_TYPE_HANDLE && returned->p) {
		handle_given(returned->p);
		handle_put(out, returned->p);
		return;
	}
	if (!outs) {
		if (m->f->returns == MT_TYPE_VOID)
			strbuf_add(out, "done");
		else
			ffi_call_put_value(out, m->f->returns, returned);
		return;
	}
	strbuf_addc(out, '{');
	if (m->f->returns != MT_TYPE_VOID) {
		js_key(out, "returns");
		ffi_call_put_value(out, m->f->returns, returned);
	}
	for (size_t n = 0; n < m->f->arg_count; n++) {
		if (function_arg(m->f, n)->flags & MT_ARG_OUT &&
		    !function_arg_is_size(m->f, n))
			put_out(m, n, returned, out);
	}
	strbuf_addc(out, '}');
}

/* libffi widens a returned integer that is smaller than a register. */
static void ffi_call_narrow(uint16_t type, union value *v)
{
	if (type == MT_TYPE_BOOL)
		v->i = (int)v->narrow;
	else if (type == MT_TYPE_INT32)
		v->i32 = (int32_t)v->narrow;
	else if (type == MT_TYPE_UINT32)
		v->u32 = (uint32_t)v->narrow;
}

static bool has_failed(const struct mt_function *f, const union value *returned)
{
	uint32_t flags = MT_HAS(f, flags) ? f->flags : 0;
	uint64_t n = flags ? ffi_call_load(f->returns, returned) : 0;

	return (flags & MT_FUNCTION_FAILS_NEGATIVE && (int64_t)n < 0) ||
	       (flags & MT_FUNCTION_FAILS_ZERO && n == 0) ||
	       (flags & MT_FUNCTION_FAILS_NONZERO && n != 0);
}

static int ffi_call_put_failure(const struct marshal *m, const union value *returned,
				struct error *err)
{
	AUTO(strbuf) struct strbuf value = STRBUF(400);
	bool told = m->f->flags & MT_FUNCTION_ERRNO && m->error;

	ffi_call_put_value(&value, m->f->returns, returned);
	return fail(err, MT_EIO, "the function returned %s%s%s", value.text,
		    told ? ": " : "", told ? strerror(m->error) : "");
}

/* Handles that the call has ended become invalid, regardless of its return value. */
static void end_handles(const struct marshal *m)
{
	for (size_t n = 0; n < m->f->arg_count; n++)
		if (function_arg(m->f, n)->flags & MT_ARG_ENDS)
			handle_ended(m->values[n].p);
}

static int ffi_call_run(struct marshal *m, ffi_cif *cif, struct strbuf *ret,
			struct error *err)
{
	union value returned = { 0 };

	errno = 0;
	ffi_call(cif, m->f->address, &returned, m->places);
	m->error = errno;
	ffi_call_narrow(m->f->returns, &returned);
	end_handles(m);
	if (has_failed(m->f, &returned))
		return ffi_call_put_failure(m, &returned, err);
	ffi_call_put_result(m, &returned, ret);
	return ret->error ? fail(err, ret->error, "the result is too large") : MT_OK;
}

int ffi_function_call(const struct mt_function *f, json_object *args, struct strbuf *ret,
		      struct error *err)
{
	struct marshal *m = calloc(1, sizeof *m);
	ffi_cif cif;
	int status;

	if (!m)
		return out_of_memory(err);
	m->f = f;
	status = set_all(m, args, err);
	if (!status && ffi_prep_cif(&cif, FFI_DEFAULT_ABI, f->arg_count,
				    ffi_call_type_of(f->returns), m->types) != FFI_OK)
		status = fail(err, MT_EINVAL, "libffi does not support this signature");
	if (!status)
		status = ffi_call_run(m, &cif, ret, err);
	for (size_t n = 0; n < f->arg_count; n++)
		free(m->memory[n]);
	free(m);
	return status;
}

static bool ffi_call_copy_text(const char *text, const char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return *ret || !text;
}

struct function_copy *ffi_function_copy(const struct mt_function *f)
{
	struct function_copy *copy = calloc(1, sizeof *copy);
	bool ok;

	if (!copy)
		return NULL;
	copy->function = (struct mt_function){ .size = sizeof copy->function,
		.returns = f->returns, .arg_count = f->arg_count, .address = f->address,
		.flags = MT_HAS(f, flags) ? f->flags : 0 };
	copy->args = calloc(f->arg_count + 1u, sizeof *copy->args);
	copy->function.args = copy->args;
	ok = copy->args != NULL;
	for (size_t n = 0; ok && n < f->arg_count; n++) {
		struct mt_arg *a = &copy->args[n];

		memcpy(a, function_arg(f, n),
		       f->args->size < sizeof *a ? f->args->size : sizeof *a);
		a->size = sizeof *a;
		bool name = ffi_call_copy_text(a->name, &a->name);
		bool help = ffi_call_copy_text(a->help, &a->help);

		ok = ffi_call_copy_text(a->choices, &a->choices) && name && help;
	}
	if (!ok) {
		ffi_function_free(copy);
		return NULL;
	}
	return copy;
}

void ffi_function_free(struct function_copy *f)
{
	for (size_t n = 0; f && f->args && n < f->function.arg_count; n++) {
		free((void *)(uintptr_t)f->args[n].name);
		free((void *)(uintptr_t)f->args[n].help);
		free((void *)(uintptr_t)f->args[n].choices);
	}
	if (f)
		free(f->args);
	free(f);
}
