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
	MT_TYPE_BUFFER = 9, /* const void *, and the next argument is its size_t */
	MT_TYPE_SIZE = 10,  /* size_t; after a buffer filled in by the host */
};

enum {
	MT_ARG_OUT = 1u << 0,      /* pointer to a value that the function writes */
	MT_ARG_OPTIONAL = 1u << 1, /* NULL or 0 when absent */
};

/** One argument, in the order of the C function. */
struct mt_arg {
	uint32_t size;
	uint16_t type;          /* enum mt_type */
	uint16_t flags;         /* MT_ARG_OUT ... */
	const char *name;
	const char *help;       /* for the model */
	const char *choices;    /* integer types: "NAME=0|OTHER=1"; or NULL */
	uint64_t capacity;      /* MT_ARG_OUT strings and buffers: bytes to provide */
};

/** A function and how to call it. */
struct mt_function {
	uint32_t size;
	uint16_t returns;       /* enum mt_type */
	uint16_t arg_count;
	const struct mt_arg *args;
	void (*address)(void);
	uint32_t flags;         /* 0 */
	uint32_t reserved;      /* 0 */
};

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
