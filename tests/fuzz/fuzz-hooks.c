/* SPDX-License-Identifier: MIT
 *
 * fuzz-hooks.c - any text as a hooks.json, as a matcher and as what a hook
 * prints: whatever is read is whole, and a refusal has a sentence. */
#include "hooks/hooks.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_file(const char *text, size_t n)
{
	AUTO(json) json_object *file = js_parse_object(text, n, NULL);
	struct error err = ERROR_NONE;
	struct hooks h = { 0 };

	if (!file)
		return;
	if (hooks_read(&h, file, "hooks.json", &err) != err.code ||
	    (err.code && !err.text[0]))
		abort();
	for (size_t i = 0; i < h.count; i++)
		if (!h.all[i].name || !h.all[i].matcher || h.all[i].timeout_ms < 1000 ||
		    (!h.all[i].argv && !h.all[i].prompt))
			abort();
	hooks_clear(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(free) char *text = malloc(n + 1);
	struct hook_result r = { .exit_code = n ? bytes[0] % 4 : 0 };

	memcpy(text, bytes, n);
	text[n] = '\0';
	check_file(text, n);
	hook_matches(text, "execute_bash");
	r.out = strdup(text);
	r.err_text = strdup("");
	if (hook_understand(&r) || (r.exit_code == 2 && !r.blocked))
		abort();
	hook_result_clear(&r);
	return 0;
}
