/* SPDX-License-Identifier: MIT
 *
 * test-function.c - declarations of C functions: their keywords, whole
 * functions, errors of invalid ones. */
#include "function-ini.h"
#include "function-words.h"
#include "oom.h"
#include "strbuf.h"
#include "tap.h"
#include <mortise/tool.h>

/* ---- one argument ----------------------------------------------------- */

static const struct {
	const char *text;
	unsigned type, flags;
	uint64_t capacity;
	const char *choices, *help;
} good[] = {
	{ "double", MT_TYPE_DOUBLE, 0, 0, NULL, NULL },
	{ " double ,  an angle, in radians", MT_TYPE_DOUBLE, 0, 0, NULL,
	  "an angle, in radians" },
	{ "double,", MT_TYPE_DOUBLE, 0, 0, NULL, NULL },
	{ "int", MT_TYPE_INT32, 0, 0, NULL, NULL },
	{ "size_t", MT_TYPE_SIZE, 0, 0, NULL, NULL },
	{ "optional string", MT_TYPE_STRING, MT_ARG_OPTIONAL, 0, NULL, NULL },
	{ "out int64", MT_TYPE_INT64, MT_ARG_OUT, 0, NULL, NULL },
	{ "out buffer 64K, bytes", MT_TYPE_BUFFER, MT_ARG_OUT, 65536, NULL, "bytes" },
	{ "out\tstring\t7", MT_TYPE_STRING, MT_ARG_OUT, 7, NULL, NULL },
	{ "out counted buffer", MT_TYPE_BUFFER, MT_ARG_OUT | MT_ARG_COUNTED, 0, NULL, NULL },
	{ "ends handle", MT_TYPE_HANDLE, MT_ARG_ENDS, 0, NULL, NULL },
	{ "handle = 0", MT_TYPE_HANDLE, MT_ARG_FIXED, 0, NULL, NULL },
	{ "int = -1", MT_TYPE_INT32, MT_ARG_FIXED, UINT64_MAX, NULL, NULL },
	{ "uint64 = 0xffffffffffffffff", MT_TYPE_UINT64, MT_ARG_FIXED, UINT64_MAX, NULL,
	  NULL },
	{ "int A=0|B=1 , which", MT_TYPE_INT32, 0, 0, "A=0|B=1", "which" },
};

static const struct {
	const char *text, *error;
} bad[] = {
	{ "", "argument `x` has no type; use for example `double, an angle in radians`" },
	{ "out", "argument `x` has no type; use for example `double, an angle in radians`" },
	{ ", help", "argument `x` has no type; use for example `double, an angle in radians`" },
	{ "dobule", "unknown type `dobule`; did you mean `double`?" },
	{ "elephant", "unknown type `elephant`; use one of bool, int32, uint32 ... (see doc/ffi.md)" },
	{ "char *", "invalid type `char`; use string for text, buffer for bytes followed by their size, handle for an address, `out TYPE` for output" },
	{ "void", "argument `x`: an argument cannot be void" },
	{ "out optional int", "argument `x`: an output cannot be optional" },
	{ "int = ", "argument `x`: the fixed value must be an integer, not empty" },
	{ "int = 1.5", "argument `x`: the fixed value must be an integer, not 1.5" },
	{ "int = 99999999999999999999",
	  "argument `x`: the fixed value must be an integer, not 99999999999999999999" },
	{ "string 5", "argument `x`: only `out string` and `out buffer` have a size after them, not 5" },
	{ "out int 5", "argument `x`: only `out string` and `out buffer` have a size after them, not 5" },
};

static const char *or_none(const char *text)
{
	return text ? text : "(none)";
}

static void arguments(void)
{
	struct error err;
	struct mt_arg a;

	for (size_t n = 0; n < ARRAY_LEN(good); n++) {
		err = ERROR_NONE;
		CHECK_MSG(words_argument("x", good[n].text, &a, &err) == MT_OK, "%s: %s",
			  good[n].text, err.text);
		CHECK_MSG(a.type == good[n].type && a.flags == good[n].flags &&
				  a.capacity == good[n].capacity,
			  "%s", good[n].text);
		CHECK_STR(a.name, "x");
		CHECK_STR(or_none(a.choices), or_none(good[n].choices));
		CHECK_STR(or_none(a.help), or_none(good[n].help));
		words_clear(&a);
		OOM_EACH(words_argument("x", good[n].text, &a, NULL); words_clear(&a));
	}
	for (size_t n = 0; n < ARRAY_LEN(bad); n++) {
		err = ERROR_NONE;
		CHECK_MSG(words_argument("x", bad[n].text, &a, &err) < 0, "%s",
			  bad[n].text);
		CHECK_STR(err.text, bad[n].error);
		words_clear(&a);
	}
}

static void cut_anywhere(void)
{
	static const char text[] =
		"out optional ends counted buffer = 0x40 A=1|B=2, what it is";
	char piece[sizeof text];
	struct error err;
	struct mt_arg a;

	for (size_t len = 0; len < sizeof text; len++) {
		snprintf(piece, len + 1, "%s", text);
		err = ERROR_NONE;
		if (words_argument("x", piece, &a, &err))
			CHECK_MSG(err.text[0], "a reason for %s", piece);
		words_clear(&a);
	}
}

/* ---- functions -------------------------------------------------------- */

#define LINES(...) { __VA_ARGS__, { NULL, NULL } }

static const struct {
	struct function_line lines[12];
	const char *faults; /* "LINE SENTENCE\n" each */
} wrong[] = {
	{ LINES({ "symbol", "cos" }),
	  "1 `library` is missing; set it to a shared library, for example libm.so.6\n" },
	{ LINES({ "library", "libm.so.6" }),
	  "1 no function is declared; use `symbol`, or function.NAME.symbol for several\n" },
	{ LINES({ "library", "lib/libm.so.6" }, { "symbol", "cos" }),
	  "0 use the absolute path of the library, or only its name\n" },
	{ LINES({ "library", "l" }, { "returns", "int" }),
	  "1 `symbol` is missing; set it to the name of the function in the library\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "retruns", "int" }),
	  "2 unknown key `retruns` of a function; did you mean `returns`?\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "what", "int" }),
	  "2 unknown key `what` of a function: use symbol, returns, help, fails, hints or "
	  "arg.NAME\n" },
	{ LINES({ "library", "l" }, { "function.f", "int" }),
	  "1 use function.NAME.KEY; NAME is a letter, then letters, digits, - and _\n" },
	{ LINES({ "library", "l" }, { "function.1.symbol", "f" }),
	  "1 use function.NAME.KEY; NAME is a letter, then letters, digits, - and _\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "arg.a.b", "int" }),
	  "2 invalid argument name `a.b`: use a letter, then letters, digits, - and _\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "returns", "int int" }),
	  "2 `returns` must be a single type: int, without int\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "returns", "buffer" }),
	  "2 a function cannot return a buffer, because its length is unknown; use string or handle\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "arg.x", "buffer" },
		{ "arg.y", "double" }),
	  "3 argument `y` must be the size of the buffer before it\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "arg.x", "buffer" }),
	  "2 argument `x`: a buffer requires its size as the next argument\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "arg.x", "int A=1|B" }),
	  "2 argument `x`: invalid choices; use NAME=0|OTHER=1\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "arg.x", "bool = 2" }),
	  "2 argument `x`: 2 does not fit its type\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "arg.x", "ends int" }),
	  "2 argument `x`: only an input handle can be closed by the function\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "arg.x", "out counted string" }),
	  "2 argument `x`: only `out string` and `out buffer` of a function that returns an integer can have their length returned\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "returns", "double" },
		{ "fails", "zero" }),
	  "1 f: only a function that returns an integer, a string or a handle can report "
	  "failure\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "returns", "int" },
		{ "fails", "zero negative" }),
	  "1 f: only one of the failure flags negative, zero and nonzero can be set\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "returns", "uint" },
		{ "fails", "negative" }),
	  "1 f: the function returns an unsigned type, so it cannot fail with a negative value\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "fails", "often" }),
	  "2 unknown way of failing `often`; use one of never, negative, zero ... (see doc/ffi.md)\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "hints", "readonly" }),
	  "2 unknown hint `readonly`; did you mean `read-only`?\n" },
	{ LINES({ "library", "l" }, { "symbol", "a.b" }),
	  "1 invalid tool name `a.b`; use function.NAME.symbol\n" },
	{ LINES({ "library", "l" }, { "symbol", "f" }, { "function.f.returns", "int" }),
	  "2 two functions are named f\n" },
	{ LINES({ "library", "l" }, { "function.a.arg.x", "pointer" },
		{ "function.b.arg.x", "itn" }),
	  "1 invalid type `pointer`; use string for text, buffer for bytes followed by their size, handle for an address, `out TYPE` for output\n"
	  "2 unknown type `itn`; did you mean `int`?\n" },
};

static void collect(void *arg, size_t n, const char *sentence)
{
	strbuf_addf(arg, "%zu %s\n", n, sentence);
}

static size_t count_lines(const struct function_line *lines)
{
	size_t n = 0;

	while (lines[n].key)
		n++;
	return n;
}

static void wrong_declarations_give_a_sentence(void)
{
	for (size_t n = 0; n < ARRAY_LEN(wrong); n++) {
		struct strbuf told AUTO(strbuf) = STRBUF(4096);
		struct functions f;

		CHECK(functions_read(wrong[n].lines, count_lines(wrong[n].lines), &f,
				     collect, &told) == MT_EINVAL);
		CHECK_STR(told.text, wrong[n].faults);
		functions_clear(&f);
	}
}

static const struct function_line several[] =
	LINES({ "plugin", "ffi" }, { "library", "libx.so.1" }, { "symbol", "one" },
	      { "function.two.help", "The second." },
	      { "function.two.arg.mode", "int READ=0|WRITE=1, how" },
	      { "function.two.arg.data", "buffer" }, { "function.two.arg.len", "uint" },
	      { "function.two.arg.db", "optional handle" },
	      { "function.two.arg.result", "out double" },
	      { "function.two.hints", "read-only, idempotent" },
	      { "function.two.returns", "bool" });

static void several_functions(void)
{
	struct strbuf told AUTO(strbuf) = STRBUF(4096), json AUTO(strbuf) = STRBUF(4096);
	struct functions f;

	CHECK(functions_read(several, count_lines(several), &f, collect, &told) == MT_OK);
	CHECK_STR(told.text, "");
	CHECK(f.count == 2);
	CHECK_STR(f.library, "libx.so.1");
	CHECK_STR(f.list[0].name, "one");
	CHECK_STR(f.list[1].symbol, "two");
	CHECK(f.list[1].hints == (MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT));
	CHECK(functions_json(&f, &json) == MT_OK);
	CHECK_STR(
		json.text,
		"[{\"name\":\"one\",\"description\":\"The C function one of libx.so.1.\","
		"\"schema\":{\"type\":\"object\",\"properties\":{},\"required\":[],"
		"\"additionalProperties\":false},\"hints\":0},"
		"{\"name\":\"two\",\"description\":\"The second.\",\"schema\":{\"type\":"
		"\"object\",\"properties\":{\"mode\":{\"type\":\"string\",\"enum\":[\"READ\","
		"\"WRITE\"],\"description\":\"how\"},\"data\":{\"anyOf\":[{\"type\":"
		"\"string\"},{\"type\":\"object\",\"properties\":{\"base64\":{\"type\":"
		"\"string\"}},\"required\":[\"base64\"],\"additionalProperties\":false}]},"
		"\"db\":{\"type\":\"string\",\"pattern\":\"^0x[0-9a-f]+$\"}},\"required\":"
		"[\"mode\",\"data\"],\"additionalProperties\":false},\"hints\":5}]");
	functions_clear(&f);
}

static void many_functions_are_refused(void)
{
	static struct function_line lines[FUNCTIONS_MAX + 2];
	static char keys[FUNCTIONS_MAX + 1][32];
	struct strbuf told AUTO(strbuf) = STRBUF(4096);
	struct functions f;

	lines[0] = (struct function_line){ "library", "l" };
	for (int n = 0; n <= FUNCTIONS_MAX; n++) {
		snprintf(keys[n], sizeof keys[n], "function.f%d.symbol", n);
		lines[n + 1] = (struct function_line){ keys[n], "f" };
	}
	CHECK(functions_read(lines, FUNCTIONS_MAX + 2, &f, collect, &told) == MT_EINVAL);
	CHECK_STR(told.text, "257 more than 256 functions\n");
	functions_clear(&f);
	for (int n = 0; n <= FUNCTION_ARGS_MAX; n++) {
		snprintf(keys[n], sizeof keys[n], "arg.a%d", n);
		lines[n + 1] = (struct function_line){ keys[n], "int" };
	}
	strbuf_reset(&told);
	CHECK(functions_read(lines, FUNCTION_ARGS_MAX + 2, &f, collect, &told) ==
	      MT_EINVAL);
	CHECK_STR(told.text, "65 more than 64 arguments\n");
	functions_clear(&f);
}

int main(void)
{
	struct functions f;

	arguments();
	cut_anywhere();
	wrong_declarations_give_a_sentence();
	several_functions();
	many_functions_are_refused();
	OOM_EACH(functions_read(several, count_lines(several), &f, NULL, NULL);
		 functions_clear(&f));
	return tap_done();
}
