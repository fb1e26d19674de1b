/* SPDX-License-Identifier: MIT
 *
 * fuzz-script.c - the file of the scripted model: any bytes are refused or
 * become turns; and a reply of any bytes, written, is read back as it was. */
#include "../../plugins/dialects/script-parse.h"
#include "request/script-writer.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void same(const char *got, size_t got_len, const char *want, size_t len)
{
	if (got_len != len || (len && memcmp(got, want, len) != 0))
		abort();
}

static void round_trip(const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 26);
	AUTO(strbuf) struct strbuf name = STRBUF(1 << 20);
	struct error err = ERROR_NONE;
	struct script script;
	struct llm_call call = { .id = "", .args = text, .args_len = len };
	struct llm_reply r = {
		.text = (char *)(uintptr_t)text, .text_len = len,
		.reasoning = strbuf_empty, .calls = &call, .call_count = 1,
		.stop_reason = (char[]){ "stop" }, .usage = { 1, -1, 2, -1, 3, 0.5 },
	};
	const struct script_turn *t;

	strbuf_addn(&name, text, strnlen(text, len));
	call.name = name.text;
	if (script_write_reply(&out, &r) ||
	    script_parse("x", out.text, out.len, &script, &err) || script.count != 1 ||
	    script.turns[0].call_count != 1)
		abort();
	t = &script.turns[0];
	same(t->text.bytes, t->text.len, text, len);
	same(t->calls[0].name.bytes, t->calls[0].name.len, name.text, name.len);
	same(t->calls[0].args.text, t->calls[0].args.len, text, len);
	if (t->input != 1 || t->cache_read != 2 || t->reasoning_tokens != 3)
		abort();
	script_clear(&script);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct error err = ERROR_NONE;
	struct script script;
	char *copy = malloc(n + 1);

	if (!copy)
		return 0;
	if (n)
		memcpy(copy, bytes, n);
	copy[n] = '\0';
	if (script_parse("x", copy, n, &script, &err) == MT_OK)
		script_clear(&script);
	else if (!err.text[0] || script.count)
		abort();
	round_trip(copy, n);
	free(copy);
	return 0;
}
