/* SPDX-License-Identifier: MIT
 *
 * fuzz-ini.c - parsed text that is written again parses the same. */
#include "ini.h"
#include "strbuf.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void write_value(struct strbuf *out, const char *value)
{
	for (; *value; value++) {
		strbuf_addc(out, *value);
		if (*value == '\n')
			strbuf_add(out, "  ");
	}
	strbuf_addc(out, '\n');
}

static void write_ini(const struct ini *ini, struct strbuf *out)
{
	const char *section = "";

	strbuf_addc(out, '\n'); /* a byte-order mark is one only in the first line */

	for (size_t i = 0; i < ini->count; i++) {
		const struct ini_entry *e = &ini->entries[i];

		if (strcmp(e->section, section) != 0)
			strbuf_addf(out, "[%s]\n", e->section);
		section = e->section;
		strbuf_add(out, e->key);
		if (e->op != '=')
			strbuf_addc(out, e->op);
		else /* keep a sign at the end of the key from joining the = */
			strbuf_addc(out, ' ');
		strbuf_add(out, "= ");
		write_value(out, e->value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 22);
	struct error err = ERROR_NONE;
	struct ini a, b;

	if (ini_parse_text("a", (const char *)bytes, n, &a, &err)) {
		if (!err.code || !err.text[0] || a.count || a.section_count)
			abort();
		return 0;
	}
	write_ini(&a, &text);
	if (ini_parse_text("b", text.text, text.len, &b, &err) || a.count != b.count)
		abort();
	for (size_t i = 0; i < a.count; i++)
		if (strcmp(a.entries[i].section, b.entries[i].section) != 0 ||
		    strcmp(a.entries[i].key, b.entries[i].key) != 0 ||
		    strcmp(a.entries[i].value, b.entries[i].value) != 0 ||
		    a.entries[i].op != b.entries[i].op)
			abort();
	ini_clear(&a);
	ini_clear(&b);
	return 0;
}
