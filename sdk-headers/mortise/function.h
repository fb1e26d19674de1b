/* SPDX-License-Identifier: MIT
 *
 * mortise/function.h - a plain C function as a tool, described by data.
 *
 * The host derives the JSON Schema from the table, checks the arguments and
 * calls the function through libffi. Part of the tool kind, frozen with it.
 *
 *   static int64_t add(int64_t a, int64_t b) { return a + b; }
 *   MT_FUNCTION(add_fn, INT64, add, (INT64, "a", "the first number"),
 *               (INT64, "b", "the second number"));
 *
 * and `.function = &add_fn` in the struct mt_tool.
 *
 * Texts and bytes passed to a function are borrowed until it returns; a string that it
 * returns is copied immediately and never freed. Arguments that are optional and absent
 * are NULL or 0. The function runs on the thread of the call, or on several at once with
 * MT_TOOLSET_PARALLEL.
 *
 * What changed, newest first (a runner refuses what it does not know):
 *   1.0  first version
 */
#ifndef MORTISE_FUNCTION_H
#define MORTISE_FUNCTION_H

#include <mortise/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum mt_type {
	MT_TYPE_VOID = 0,
	MT_TYPE_BOOL = 1,   /* C int, 0 or 1 */
	MT_TYPE_INT32 = 2,
	MT_TYPE_UINT32 = 3,
	MT_TYPE_INT64 = 4,
	MT_TYPE_UINT64 = 5,
	MT_TYPE_FLOAT = 6,
	MT_TYPE_DOUBLE = 7,
	MT_TYPE_STRING = 8, /* const char *, ends in NUL; borrowed */
	MT_TYPE_BUFFER = 9, /* const void *, and the next argument is its size,
	                       filled in by the host */
	MT_TYPE_SIZE = 10,  /* size_t */
	MT_TYPE_HANDLE = 11, /* void *, opaque: the model sees "0x..." and may pass only
	                        values that a function of the worker returned */
};

enum {
	MT_ARG_OUT = 1u << 0,      /* pointer to a value that the function writes */
	MT_ARG_OPTIONAL = 1u << 1, /* NULL or 0 when absent */
	MT_ARG_FIXED = 1u << 2,    /* always the integer `capacity`, of a handle
	                              always NULL; the model does not see it */
	MT_ARG_ENDS = 1u << 3,     /* the call closes this handle */
	MT_ARG_COUNTED = 1u << 4,  /* of MT_ARG_OUT strings and buffers: the function
	                              returns the number of valid bytes */
};

/** mt_function.flags: what it returns when it fails. The call fails then. */
enum {
	MT_FUNCTION_FAILS_NEGATIVE = 1u << 0,
	MT_FUNCTION_FAILS_ZERO = 1u << 1,    /* 0, false, NULL */
	MT_FUNCTION_FAILS_NONZERO = 1u << 2,
	MT_FUNCTION_ERRNO = 1u << 3,         /* and errno says why */
};

/** One argument, in the order of the C function. */
struct mt_arg {
	uint32_t size;
	uint16_t type;          /* enum mt_type */
	uint16_t flags;         /* MT_ARG_OUT ... */
	const char *name;
	const char *help;       /* for the model */
	const char *choices;    /* integer types: "NAME=0|OTHER=1"; or NULL */
	uint64_t capacity;      /* MT_ARG_OUT strings and buffers: bytes to provide;
	                           MT_ARG_FIXED: the value, in two's complement */
};
#define MT_ARG_SIZE_1_0 MT_SIZE_TO(mt_arg, capacity)

/** A function and how to call it. */
struct mt_function {
	uint32_t size;
	uint16_t returns;       /* enum mt_type */
	uint16_t arg_count;
	const struct mt_arg *args;
	void (*address)(void);
	uint32_t flags;         /* MT_FUNCTION_FAILS_NEGATIVE ... */
	uint32_t reserved;      /* 0 */
};
#define MT_FUNCTION_SIZE_1_0 MT_SIZE_TO(mt_function, reserved)

#define MT_ARG(type_, name_, help_)                                            \
	{ sizeof(struct mt_arg), (type_), 0, (name_), (help_), NULL, 0 }
/** The initializer of a struct mt_function with a table that is written by hand: for
 *  flags, choices and types that MT_FUNCTION does not know. The compiler does not check
 *  that the table is that of the C function. */
#define MT_FUNCTION_TABLE(function_, returns_, args_)                          \
	{ sizeof(struct mt_function), (returns_),                              \
	  sizeof(args_) / sizeof((args_)[0]), (args_),                         \
	  (void (*)(void))(function_), 0, 0 }

/** Define the struct mt_function `name_` of a C function. Each argument is
 *  (TYPE, "name", "help") with BOOL, INT32, UINT32, INT64, UINT64, FLOAT, DOUBLE, STRING,
 *  SIZE or HANDLE, or
 *    (OUT_TYPE, "name", "help")           for a pointer to a number that it writes,
 *    (BUFFER, "name", "help")             for `const void *, size_t`,
 *    (OUT_STRING, "name", "help", bytes)  for `char *, size_t`,
 *    (OUT_BUFFER, "name", "help", bytes)  for `void *, size_t *`, which it sets to what
 *                                         it used.
 *  It compiles only if the function has exactly these types. An output string or buffer
 *  always has its size after it. Up to 8 arguments. C only. */
#define MT_FUNCTION(name_, returns_, function_, ...)                           \
	MT_FUNCTION_WITH(name_, 0, returns_, function_, __VA_ARGS__)
/** The same with flags: MT_FUNCTION_FAILS_NEGATIVE ... */
#define MT_FUNCTION_WITH(name_, flags_, returns_, function_, ...)              \
	_Static_assert(__builtin_types_compatible_p(                           \
			       __typeof__(function_),                          \
			       MT_C_##returns_(MT_EACH(MT_C_OF, __VA_ARGS__))),\
		       #function_ " does not have the types that are declared");\
	static const struct mt_arg name_##_args_[] = {                         \
		MT_EACH(MT_ARG_OF, __VA_ARGS__) };                             \
	static const struct mt_function name_ = {                              \
		sizeof(struct mt_function), MT_TYPE_##returns_,                \
		sizeof name_##_args_ / sizeof name_##_args_[0], name_##_args_, \
		(void (*)(void))(function_), (flags_), 0 }
/** The same for a function without arguments. */
#define MT_FUNCTION_0(name_, returns_, function_)                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(function_),     \
						    MT_C_##returns_(void)),    \
		       #function_ " does not have the types that are declared");\
	static const struct mt_function name_ = {                              \
		sizeof(struct mt_function), MT_TYPE_##returns_, 0, NULL,       \
		(void (*)(void))(function_), 0, 0 }

/* What MT_FUNCTION is made of. */
#define MT_C_VOID void
#define MT_C_BOOL int
#define MT_C_INT32 int32_t
#define MT_C_UINT32 uint32_t
#define MT_C_INT64 int64_t
#define MT_C_UINT64 uint64_t
#define MT_C_FLOAT float
#define MT_C_DOUBLE double
#define MT_C_STRING const char *
#define MT_C_BUFFER const void *, size_t
#define MT_C_SIZE size_t
#define MT_C_HANDLE void *
#define MT_C_OUT_BOOL int *
#define MT_C_OUT_INT32 int32_t *
#define MT_C_OUT_UINT32 uint32_t *
#define MT_C_OUT_INT64 int64_t *
#define MT_C_OUT_UINT64 uint64_t *
#define MT_C_OUT_FLOAT float *
#define MT_C_OUT_DOUBLE double *
#define MT_C_OUT_SIZE size_t *
#define MT_C_OUT_HANDLE void **
#define MT_C_OUT_STRING char *, size_t
#define MT_C_OUT_BUFFER void *, size_t *
#define MT_C_OF(type_, ...) MT_C_##type_

#define MT_ARG_(type_, flags_, name_, help_, capacity_)                        \
	{ sizeof(struct mt_arg), (type_), (flags_), name_, help_, NULL, (capacity_) }
#define MT_A_BOOL(name_, help_) MT_ARG_(MT_TYPE_BOOL, 0, name_, help_, 0)
#define MT_A_INT32(name_, help_) MT_ARG_(MT_TYPE_INT32, 0, name_, help_, 0)
#define MT_A_UINT32(name_, help_) MT_ARG_(MT_TYPE_UINT32, 0, name_, help_, 0)
#define MT_A_INT64(name_, help_) MT_ARG_(MT_TYPE_INT64, 0, name_, help_, 0)
#define MT_A_UINT64(name_, help_) MT_ARG_(MT_TYPE_UINT64, 0, name_, help_, 0)
#define MT_A_FLOAT(name_, help_) MT_ARG_(MT_TYPE_FLOAT, 0, name_, help_, 0)
#define MT_A_DOUBLE(name_, help_) MT_ARG_(MT_TYPE_DOUBLE, 0, name_, help_, 0)
#define MT_A_STRING(name_, help_) MT_ARG_(MT_TYPE_STRING, 0, name_, help_, 0)
#define MT_A_SIZE(name_, help_) MT_ARG_(MT_TYPE_SIZE, 0, name_, help_, 0)
#define MT_A_HANDLE(name_, help_) MT_ARG_(MT_TYPE_HANDLE, 0, name_, help_, 0)
#define MT_A_BUFFER(name_, help_)                                              \
	MT_ARG_(MT_TYPE_BUFFER, 0, name_, help_, 0),                           \
	MT_ARG_(MT_TYPE_SIZE, 0, name_ "_size", NULL, 0)
#define MT_A_OUT_BOOL(name_, help_) MT_ARG_(MT_TYPE_BOOL, MT_ARG_OUT, name_, help_, 0)
#define MT_A_OUT_INT32(name_, help_) MT_ARG_(MT_TYPE_INT32, MT_ARG_OUT, name_, help_, 0)
#define MT_A_OUT_UINT32(name_, help_) MT_ARG_(MT_TYPE_UINT32, MT_ARG_OUT, name_, help_, 0)
#define MT_A_OUT_INT64(name_, help_) MT_ARG_(MT_TYPE_INT64, MT_ARG_OUT, name_, help_, 0)
#define MT_A_OUT_UINT64(name_, help_) MT_ARG_(MT_TYPE_UINT64, MT_ARG_OUT, name_, help_, 0)
#define MT_A_OUT_FLOAT(name_, help_) MT_ARG_(MT_TYPE_FLOAT, MT_ARG_OUT, name_, help_, 0)
#define MT_A_OUT_DOUBLE(name_, help_) MT_ARG_(MT_TYPE_DOUBLE, MT_ARG_OUT, name_, help_, 0)
#define MT_A_OUT_SIZE(name_, help_) MT_ARG_(MT_TYPE_SIZE, MT_ARG_OUT, name_, help_, 0)
#define MT_A_OUT_HANDLE(name_, help_) MT_ARG_(MT_TYPE_HANDLE, MT_ARG_OUT, name_, help_, 0)
#define MT_A_OUT_STRING(name_, help_, bytes_)                                  \
	MT_ARG_(MT_TYPE_STRING, MT_ARG_OUT, name_, help_, bytes_),             \
	MT_ARG_(MT_TYPE_SIZE, MT_ARG_FIXED, name_ "_size", NULL, bytes_)
#define MT_A_OUT_BUFFER(name_, help_, bytes_)                                  \
	MT_ARG_(MT_TYPE_BUFFER, MT_ARG_OUT, name_, help_, bytes_),             \
	MT_ARG_(MT_TYPE_SIZE, MT_ARG_OUT, name_ "_size", NULL, 0)
#define MT_ARG_OF(type_, ...) MT_A_##type_(__VA_ARGS__)

/* m(a), m(b), ... of the tuples a, b, ... */
#define MT_EACH(m_, ...)                                                       \
	MT_NINTH(__VA_ARGS__, MT_EACH_8, MT_EACH_7, MT_EACH_6, MT_EACH_5,      \
		 MT_EACH_4, MT_EACH_3, MT_EACH_2, MT_EACH_1, 0)(m_, __VA_ARGS__)
#define MT_NINTH(a_, b_, c_, d_, e_, f_, g_, h_, i_, ...) i_
#define MT_EACH_1(m_, a_) m_ a_
#define MT_EACH_2(m_, a_, ...) m_ a_, MT_EACH_1(m_, __VA_ARGS__)
#define MT_EACH_3(m_, a_, ...) m_ a_, MT_EACH_2(m_, __VA_ARGS__)
#define MT_EACH_4(m_, a_, ...) m_ a_, MT_EACH_3(m_, __VA_ARGS__)
#define MT_EACH_5(m_, a_, ...) m_ a_, MT_EACH_4(m_, __VA_ARGS__)
#define MT_EACH_6(m_, a_, ...) m_ a_, MT_EACH_5(m_, __VA_ARGS__)
#define MT_EACH_7(m_, a_, ...) m_ a_, MT_EACH_6(m_, __VA_ARGS__)
#define MT_EACH_8(m_, a_, ...) m_ a_, MT_EACH_7(m_, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
