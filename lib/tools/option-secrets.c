/* SPDX-License-Identifier: MIT
 *
 * option-secrets.c - masks the values of secret plugin options. */
#include "tools/option-secrets.h"

#include "options.h"
#include "tools/mcp-servers.h"

#include <string.h>

static bool has_secrets(const struct component *c)
{
	size_t count;
	const struct mt_option *options = component_options(c, &count);

	for (size_t i = 0; i < count; i++)
		if (options[i].flags & MT_OPTION_SECRET)
			return true;
	return false;
}

/* In a list, each item is a secret. */
static int hide_option(const struct mt_option *o, const char *name, const char *value,
		       struct mask *m, struct error *err)
{
	const char *item;
	size_t len;

	if (o->type != MT_OPTION_LIST)
		return secret_hide(m, name, value, strlen(value), err);
	while (option_list_next(&value, &item, &len))
		if (secret_hide(m, name, item, len, err))
			return err->code;
	return MT_OK;
}

static int hide_section(const struct config *c, const char *section,
			const struct component *component, struct mask *m,
			struct error *err)
{
	AUTO(json) json_object *set = NULL;
	struct error why = ERROR_NONE;
	int status = MT_OK;

	if (component_section(c, section, component, &set, &why))
		return why.code == MT_ENOMEM ? out_of_memory(err) : MT_OK;
	json_object_object_foreach(set, name, value) {
		const struct mt_option *o = component_find_option(component, name);

		if (!status && o && (o->flags & MT_OPTION_SECRET))
			status = hide_option(o, name, json_object_get_string(value), m,
					     err);
	}
	return status;
}

static int hide_kind(const struct config *c, const struct registry *r, int kind,
		     struct mask *m, struct error *err)
{
	const char *name;

	for (size_t n = 0; (name = config_named(c, kind_name(kind), n)); n++) {
		AUTO(strbuf) struct strbuf section = STRBUF(256);
		const struct component *component;

		if (strbuf_addf(&section, "%s.%s", kind_name(kind), name))
			continue; /* reported when the section is used */
		component = registry_find(r, kind, config_plugin(c, section.text));
		/* The names of a server's variables identify its secrets. */
		if (!component || strcmp(component->name, MCP_TOOLSET) == 0)
			continue;
		if (component_load(component, err))
			return err->code;
		if (!has_secrets(component))
			continue;
		if (hide_section(c, section.text, component, m, err))
			return err->code;
	}
	return MT_OK;
}

int option_secrets_hide(const struct config *c, const struct registry *r, struct mask *m,
			struct error *err)
{
	for (int kind = MT_KIND_TOOL; kind <= MT_KIND_ANALYZER; kind++)
		if (hide_kind(c, r, kind, m, err))
			return err->code;
	return MT_OK;
}
