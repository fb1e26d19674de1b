/* SPDX-License-Identifier: MIT
 *
 * fuzz-fncall.c - calls out of any text: each names a tool or a fault, its
 * arguments are JSON; written as text and read again they are the same. And any
 * text as an argument: written and read it is the same text. */
#include "fncall/fncall.h"
#include "utf8.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const struct llm_tool tools[] = {
	{ "execute_bash", "Runs.",
	  "{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\"},"
	  "\"timeout\":{\"type\":\"number\"},\"background\":{\"type\":\"boolean\"}},"
	  "\"required\":[\"command\"]}" },
	{ "typed", "Has all types.",
	  "{\"type\":\"object\",\"properties\":{\"i\":{\"type\":\"integer\"},"
	  "\"n\":{\"type\":\"number\"},\"b\":{\"type\":\"boolean\"},"
	  "\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
	  "\"o\":{\"type\":\"object\"},\"z\":{\"type\":[\"integer\",\"null\"]},"
	  "\"e\":{\"enum\":[\"x\",\"y\",3,null]},\"r\":{\"$ref\":\"#/$defs/r\"}},"
	  "\"$defs\":{\"r\":{\"anyOf\":[{\"$ref\":\"#/$defs/r\"},"
	  "{\"type\":\"array\"}]}},\"required\":[\"i\",\"b\"]}" },
	{ "bare", NULL, "" },
};
enum { TOOLS = sizeof tools / sizeof *tools };

/* Would a text of this value end its own tag? */
static int has_tag(const char *text)
{
	return strstr(text, "<function=") || strstr(text, "</function>") ||
	       strstr(text, "<parameter=") || strstr(text, "</parameter>") ||
	       strstr(text, "</think>") || strstr(text, "<tool_call>");
}

/* A name that is longer as valid text than names may be. */
static int is_long(const struct fncall *c)
{
	enum { LONG = 100 };
	int found = strlen(c->name) > LONG;

	json_object_object_foreach(c->args, name, value) {
		(void)value;
		found |= strlen(name) > LONG;
	}
	return found;
}

static void written_and_read(const struct fncall *c, const struct fncall_tools *known)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 26);
	struct llm_call call = { .id = "1", .name = c->name };
	struct fncalls again;

	call.args = js_text(c->args, &call.args_len);
	if (fncall_format_call(&call, &text, NULL))
		abort();
	if (fncall_parse(text.text, text.len, known, &again, NULL))
		abort();
	if (again.count != 1 || strcmp(again.calls[0].name, c->name) != 0 ||
	    !js_equal(again.calls[0].args, c->args) || again.calls[0].fault != FNCALL_OK)
		abort();
	fncalls_clear(&again);
}

/* A call with this text as its command. */
static void read_back(const char *text, size_t n, const struct fncall_tools *known)
{
	AUTO(json) json_object *args = json_object_new_object();
	struct fncall c = { .name = tools[0].name, .args = args };

	if (!utf8_valid(text, n) || memchr(text, '\0', n))
		return;
	json_object_object_add(args, "command", json_object_new_string_len(text, (int)n));
	if (!has_tag(json_object_get_string(js_get(args, "command"))))
		written_and_read(&c, known);
}

/* The right form of a call in another form is a call. */
static void corrected(const char *text, size_t n, const struct fncall_tools *known)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	bool guess;

	if (fncall_correct(text, n, known, &out, &guess))
		abort();
	if (out.len && !strstr(out.text, "<function="))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(fncall_tools) struct fncall_tools *known = fncall_tools_new(tools, TOOLS);
	const char *text = (const char *)bytes;
	struct fncalls found;

	read_back(text, n, known);
	if (fncall_parse(text, n, known, &found, NULL))
		return 0;
	if (found.text_start + found.text_len > n)
		abort();
	for (size_t i = 0; i < found.count; i++) {
		const struct fncall *c = &found.calls[i];
		const char *args = js_text(c->args, NULL);

		if (!*c->name || (c->fault != FNCALL_OK) != (c->why[0] != '\0'))
			abort();
		if (c->fault == FNCALL_OK && !has_tag(args) && !is_long(c))
			written_and_read(c, known);
	}
	if (!found.count && utf8_valid(text, n) && !memchr(text, '\0', n))
		corrected(text, n, known);
	fncalls_clear(&found);
	return 0;
}
