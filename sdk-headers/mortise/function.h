/* SPDX-License-Identifier: MIT
 *
 * mortise/function.h - a plain C function as a tool, described by data.
 *
 * The host derives the JSON Schema from the table, checks the arguments and
 * calls the function through libffi. Part of the tool kind, frozen with it.
 *
 *   static int64_t add(int64_t a, int64_t b) { return a + b; }
 *   static const struct mt_arg add_args[] = {
 *           MT_ARG(MT_TYPE_INT64, "a", "the first number"),
 *           MT_ARG(MT_TYPE_INT64, "b", "the second number") };
 *   static const struct mt_function add_fn = MT_FUNCTION(add, MT_TYPE_INT64, add_args);
 *
 * and `.function = &add_fn` in the struct mt_tool.
 *
 * What changed, newest first (a runner refuses what it does not know):
 *   1.0  MT_TYPE_HANDLE, MT_ARG_FIXED, MT_ARG_ENDS, MT_ARG_COUNTED,
 *        MT_FUNCTION_FAILS_...; the size of a buffer may be of any whole-number type;
 *        {"base64": "..."} for the bytes of a buffer
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
	MT_TYPE_HANDLE = 11, /* void *, opaque: the model sees "0x..." and may give
	                        back only what a function of the worker gave out */
};

enum {
	MT_ARG_OUT = 1u << 0,      /* pointer to a value that the function writes */
	MT_ARG_OPTIONAL = 1u << 1, /* NULL or 0 when absent */
	MT_ARG_FIXED = 1u << 2,    /* always the integer `capacity`, of a handle
	                              always NULL; the model does not see it */
	MT_ARG_ENDS = 1u << 3,     /* the call ends this handle: it is no more */
	MT_ARG_COUNTED = 1u << 4,  /* of MT_ARG_OUT strings and buffers: the function
	                              returns how many bytes of it count */
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
#define MT_FUNCTION(function_, returns_, args_)                                \
	{ sizeof(struct mt_function), (returns_),                              \
	  sizeof(args_) / sizeof((args_)[0]), (args_),                         \
	  (void (*)(void))(function_), 0, 0 }

#ifdef __cplusplus
}
#endif
#endif
