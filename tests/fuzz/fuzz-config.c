/* SPDX-License-Identifier: MIT
 *
 * fuzz-config.c - any text as a configuration file: it is refused with a place
 * and a sentence, or what is shown of it reads back as the same values. */
#include "config/layers.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static struct config *read_text(const char *text, size_t len)
{
	struct config *c = calloc(1, sizeof *c);
	struct error err = ERROR_NONE;

	if (!c)
		abort();
	if (config_apply_text(c, "fuzz.ini", text, len, LAYER_USER, &err) == MT_OK &&
	    values_resolve(c, &err) == MT_OK)
		return c;
	if (err.code == MT_OK || strncmp(err.text, "fuzz.ini:", 9) != 0)
		abort(); /* every refusal says where */
	return config_free(c);
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_hidden(const char *section, const char *key)
{
	size_t count;
	const char *name;
	char family[16];
	const struct mt_option *table, *option;

	snprintf(family, sizeof family, "%.*s", (int)strcspn(section, "."), section);
	table = config_table(family, &count);
	option = option_find(table, count, key);
	return !config_family_of(section, &name) || !option ||
	       (option->flags & MT_OPTION_SECRET);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct config *first = read_text((const char *)bytes, n), *second;
	struct strbuf out = STRBUF(16 << 20);
	struct error err = ERROR_NONE;

	if (!first)
		return 0;
	for (size_t i = 0; i < first->setting_count; i++) {
		struct strbuf text = STRBUF(16 << 20);
		char key[256];

		snprintf(key, sizeof key, "%s.%s", first->settings[i].section,
			 first->settings[i].key);
		config_explain(first, key, &text, &err);
		strbuf_clear(&text);
	}
	if (config_show(first, false, &out) == MT_OK) {
		second = read_text(out.text, out.len);
		if (!second)
			abort();
		for (size_t i = 0; i < first->setting_count; i++) {
			const char *section = first->settings[i].section;
			const char *key = first->settings[i].key;

			if (!is_hidden(section, key) &&
			    !same(config_get(first, section, key),
				  config_get(second, section, key)))
				abort();
		}
		config_free(second);
	}
	strbuf_clear(&out);
	config_free(first);
	return 0;
}
