/* SPDX-License-Identifier: MIT
 *
 * functions.c - plain C functions as tools, for tests. Never installed. */
#include <mortise/function.h>
#include <mortise/tool.h>
#include <stdio.h>
#include <string.h>

static int64_t add(int64_t a, int64_t b)
{
	return a + b;
}

static double half(float x)
{
	return (double)x / 2;
}

static int32_t minus_one(void)
{
	return -1;
}

static uint32_t length(const char *text)
{
	return text ? (uint32_t)strlen(text) : 4242;
}

static int is_even(uint64_t n)
{
	return n % 2 == 0;
}

static const char *color(int32_t n)
{
	return n == 2 ? "green" : n == 1 ? "red" : NULL;
}

static size_t count_byte(const void *bytes, size_t len, int32_t wanted)
{
	const unsigned char *p = bytes;
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += p[i] == wanted;
	return n;
}

static int divide(int32_t a, int32_t b, int32_t *ret_quotient, int32_t *ret_rest)
{
	if (b == 0)
		return 0;
	*ret_quotient = a / b;
	*ret_rest = a % b;
	return 1;
}

static void greet(const char *name, char *ret_text, size_t size)
{
	snprintf(ret_text, size, "hello %s", name);
}

static void fill(void *ret_bytes, size_t *len)
{
	memcpy(ret_bytes, "\xff\x00\x01", 3);
	*len = 3;
}

#define ARG(type, flags, name, choices, capacity)                                        \
	{                                                                                \
		sizeof(struct mt_arg), MT_TYPE_##type, flags, name, "An argument.",      \
			choices, capacity                                                \
	}
static const struct mt_arg add_args[] = { ARG(INT64, 0, "a", NULL, 0),
					  ARG(INT64, 0, "b", NULL, 0) };
static const struct mt_arg half_args[] = { ARG(FLOAT, 0, "x", NULL, 0) };
static const struct mt_arg length_args[] = { ARG(STRING, MT_ARG_OPTIONAL, "text", NULL,
						 0) };
static const struct mt_arg even_args[] = { ARG(UINT64, 0, "n", NULL, 0) };
static const struct mt_arg color_args[] = { ARG(INT32, 0, "which", "RED=1|GREEN=2|NONE=3",
						0) };
static const struct mt_arg count_args[] = { ARG(BUFFER, 0, "bytes", NULL, 0),
	ARG(SIZE, 0, "len", NULL, 0), ARG(INT32, 0, "wanted", NULL, 0) };
static const struct mt_arg divide_args[] = { ARG(INT32, 0, "a", NULL, 0),
					     ARG(INT32, 0, "b", NULL, 0),
					     ARG(INT32, MT_ARG_OUT, "quotient", NULL, 0),
					     ARG(INT32, MT_ARG_OUT, "rest", NULL, 0) };
static const struct mt_arg greet_args[] = { ARG(STRING, 0, "name", NULL, 0),
	ARG(STRING, MT_ARG_OUT, "text", NULL, 32),
	ARG(SIZE, MT_ARG_FIXED, "size", NULL, 32) };
static const struct mt_arg fill_args[] = { ARG(BUFFER, MT_ARG_OUT, "bytes", NULL, 8),
	ARG(SIZE, MT_ARG_OUT, "len", NULL, 0) };

#define FUNCTION(name, type) static const struct mt_function name##_fn = \
	MT_FUNCTION_TABLE(name, MT_TYPE_##type, name##_args)
#define is_even_args even_args
#define count_byte_args count_args
FUNCTION(add, INT64);
FUNCTION(half, DOUBLE);
FUNCTION(length, UINT32);
FUNCTION(is_even, BOOL);
FUNCTION(color, STRING);
FUNCTION(count_byte, SIZE);
FUNCTION(divide, BOOL);
FUNCTION(greet, VOID);
FUNCTION(fill, VOID);
static const struct mt_function minus_one_fn = { sizeof(struct mt_function),
						 MT_TYPE_INT32,
						 0,
						 NULL,
						 (void (*)(void))minus_one,
						 0,
						 0 };

#define TOOL(name_)                                                                      \
	{                                                                                \
		.size = sizeof(struct mt_tool), .name = #name_,                          \
		.description = "For tests.", .function = &name_##_fn                     \
	}
static const struct mt_tool tools[] = {
	TOOL(add), TOOL(half), TOOL(length), TOOL(is_even), TOOL(color), TOOL(count_byte),
	TOOL(divide), TOOL(greet), TOOL(fill), TOOL(minus_one),
};
static const struct mt_toolset set = { .size = sizeof set,
	.tool_count = sizeof tools / sizeof tools[0], .tools = tools };
static const struct mt_component parts[] = {
	{ sizeof(struct mt_component), MT_KIND_TOOL, 0, MT_TOOL_MAJOR, MT_NEEDS_TOOL_MINOR, 0,
	  "functions", "For tests.", NULL, &set },
};

MT_PLUGIN(.name = "functions", .version = "1.0", .license = "MIT", .components = parts,
	  .component_count = 1)
