/* SPDX-License-Identifier: MIT
 *
 * explain.c - prints effective values, their origins and what they override; never
 * secrets. */
#include "config/layers.h"
#include <string.h>

enum { TEXT_MAX = 1 << 22 };

void config_tables(struct config *c, config_tables_fn *tables, void *arg)
{
	c->tables = tables;
	c->tables_arg = arg;
}

static const struct mt_option *at(const struct mt_option *table, size_t i)
{
	return (const struct mt_option *)((const char *)table + i * table->size);
}

/* The option of a key: the host's, or the plugin's if its table is known. */
static const struct mt_option *find_option(const struct config *c, const char *section,
					   const char *key)
{
	const char *name;
	const struct family *f = config_family_of(section, &name);
	const struct mt_option *option = f ? option_find(f->table, f->count, key) : NULL;
	const struct mt_option *table = NULL;
	size_t count = 0;

	if (option || !f || !f->plugin || !c->tables)
		return option;
	table = c->tables(section, &count, c->tables_arg);
	return table ? option_find(table, count, key) : NULL;
}

static bool explain_is_secret(const struct mt_option *option)
{
	return !option || (option->flags & MT_OPTION_SECRET);
}

/* ---- show -------------------------------------------------------------------- */

static void show_value(const struct config *c, bool json, const char *section,
		       const char *key, struct strbuf *out)
{
	const struct mt_option *option = find_option(c, section, key);
	const struct value *v = value_find(c, section, key);
	const char *text = v ? v->text : config_get(c, section, key);
	const char *origin = v ? v->last->origin : "built in";

	if (v && !*text)
		text = json ? NULL : ""; /* explicitly unset */
	if (!text && !v)
		return;
	if (json) {
		js_key(out, key);
		strbuf_addc(out, '{');
		if (explain_is_secret(option))
			js_key_bool(out, "set", text != NULL);
		else if (text)
			js_key_str(out, "value", text);
		js_key_str(out, "origin", origin);
		strbuf_addc(out, '}');
		return;
	}
	if (v)
		strbuf_addf(out, "# %s\n", origin);
	if (explain_is_secret(option)) {
		strbuf_addf(out, "# %s is %s\n", key, *text ? "set" : "unset");
		return;
	}
	strbuf_addf(out, "%s = ", key);
	for (const char *p = text; *p; p++) { /* continuation lines are indented */
		strbuf_addc(out, *p);
		if (*p == '\n')
			strbuf_add(out, "    ");
	}
	strbuf_addc(out, '\n');
}

static void show_section(const struct config *c, bool json, const char *section,
			 bool defaults, struct strbuf *out)
{
	const char *name;
	const struct family *f = config_family_of(section, &name);

	if (json) {
		js_key(out, section);
		strbuf_addc(out, '{');
	} else {
		strbuf_addf(out, "%s[%s]\n", out->len ? "\n" : "", section);
	}
	for (size_t i = 0; i < f->count; i++)
		if (defaults || value_find(c, section, f->table[i].name))
			show_value(c, json, section, f->table[i].name, out);
	for (size_t i = 0; i < c->value_count; i++)
		if (strcmp(c->values[i].section, section) == 0 &&
		    !option_find(f->table, f->count, c->values[i].key))
			show_value(c, json, section, c->values[i].key, out);
	if (json)
		strbuf_addc(out, '}');
}

int config_show(const struct config *c, bool json, struct strbuf *out)
{
	if (json)
		strbuf_addc(out, '{');
	for (size_t n = 0; config_family_at(n); n++) {
		const char *family = config_family_at(n)->name, *name;

		if (config_family_at(n)->plain)
			show_section(c, json, family, true, out);
		for (size_t i = 0; i < c->section_count; i++) {
			const char *section = c->sections[i];

			if (config_family_of(section, &name) == config_family_at(n) &&
			    name)
				show_section(c, json, section, false, out);
		}
	}
	if (json)
		strbuf_add(out, "}\n");
	return out->error;
}

/* ---- explain ------------------------------------------------------------------- */

static void explain_put_text(struct strbuf *out, const struct mt_option *option,
			     const char *text)
{
	if (!text)
		strbuf_add(out, "(unset)");
	else if (explain_is_secret(option))
		strbuf_add(out, "(set, not shown)");
	else
		strbuf_addf(out, "%s", *text ? text : "(empty)");
}

/* The assignments of a section and its parents that are (or are not) enforced. */
static void explain_put_settings(const struct config *c, const char *section,
				 const char *key, bool enforced,
				 const struct mt_option *option, bool *first,
				 struct strbuf *out)
{
	for (int depth = 0; section && depth < 40; depth++) {
		for (size_t i = c->setting_count; i-- > 0;) {
			const struct setting *s = &c->settings[i];
			char op[3] = { s->op, '=', '\0' };

			if (strcmp(s->key, key) != 0 ||
			    strcmp(s->section, section) != 0 ||
			    (s->layer == LAYER_ENFORCED) != enforced)
				continue;
			strbuf_addf(out, "  %s [%s] %s %s ",
				    *first ? "set: " : "over:", section, key,
				    s->op == '=' ? "=" : op);
			explain_put_text(out, option, s->value);
			strbuf_addf(out, "  (%s)\n", s->origin);
			*first = false;
		}
		section = config_section_parent(c, section);
	}
}

/* The overridden assignments, in descending precedence. */
static void put_chain(const struct config *c, const char *section, const char *key,
		      const struct mt_option *option, struct strbuf *out)
{
	bool first = true;

	explain_put_settings(c, section, key, true, option, &first, out);
	explain_put_settings(c, section, key, false, option, &first, out);
	if (option && option->fallback) {
		strbuf_add(out, first ? "  built in: " : "  over: built in: ");
		explain_put_text(out, option, option->fallback);
		strbuf_addc(out, '\n');
	}
}

static int unknown_key(const struct config *c, const char *section, const char *key,
		       struct error *err)
{
	const char *name;
	const struct family *f = config_family_of(section, &name);
	struct error why = ERROR_NONE;
	size_t count = f->count;
	const struct mt_option *table = f->table;

	if (f->plugin && c->tables)
		table = c->tables(section, &count, c->tables_arg);
	if (!table || count == 0)
		return fail(err, MT_ENOTFOUND, "[%s] has no option `%s`", section, key);
	option_unknown(table, count, key, &why);
	return fail(err, MT_ENOTFOUND, "[%s] %s", section, why.text);
}

/* "section.key": the end of the section. NULL: no section matches. */
static char *explain_split(char *text)
{
	const char *name;
	const struct family *f = config_family_of(text, &name);
	char *dot = strchr(text, '.');
	char *second = !dot           ? NULL
		       : f && f->glob ? strrchr(dot + 1, '.')
				      : strchr(dot + 1, '.');

	if (!f || !dot || (f->named && !f->plain && !second))
		return NULL;
	return f->named && second ? second : dot;
}

/* Explain the keys of a whole section. */
static int explain_section(const struct config *c, const char *section,
			   struct strbuf *out, struct error *err)
{
	const char *name = NULL;
	const struct family *f = config_family_of(section, &name);
	const struct mt_option *table;
	size_t count;

	if (!f)
		return fail(err, MT_ENOTFOUND, "unknown section [%.80s]", section);
	table = f->table;
	count = f->count;
	if (f->plugin && c->tables && name) {
		const struct mt_option *own = c->tables(section, &count, c->tables_arg);

		if (own)
			table = own;
		else
			count = f->count;
	}
	for (size_t i = 0; i < count; i++) {
		const struct mt_option *option = at(table, i);

		strbuf_addf(out, "%s = ", option->name);
		explain_put_text(out, option,
				 config_get(c, section, option->name)
					 ? config_get(c, section, option->name)
					 : option->fallback);
		strbuf_addf(out, "  (%s)\n    %s\n",
			    config_origin(c, section, option->name),
			    option->help ? option->help : "");
	}
	return out->error ? fail_code(err, out->error) : MT_OK;
}

static void put_form(const struct mt_option *option, struct strbuf *out)
{
	static const char *const types[] = {
		[MT_OPTION_TEXT] = "a string",   [MT_OPTION_INT] = "an integer",
		[MT_OPTION_BOOL] = "yes or no",  [MT_OPTION_DURATION] = "a duration",
		[MT_OPTION_BYTES] = "a size",    [MT_OPTION_NUMBER] = "a number",
		[MT_OPTION_CHOICE] = "a choice", [MT_OPTION_LIST] = "a list",
		[MT_OPTION_PATH] = "a path",
	};

	if (option->type < ARRAY_LEN(types) && types[option->type])
		strbuf_addf(out, "  type: %s", types[option->type]);
	if (option->choices)
		strbuf_addf(out, ": %s", option->choices);
	if (option_is_bounded(option)) {
		strbuf_add(out, ", ");
		option_put_bounds(option, out);
	}
	strbuf_addc(out, '\n');
}

int config_explain(const struct config *c, const char *key, struct strbuf *out,
		   struct error *err)
{
	AUTO(free) char *section = strdup(key);
	const struct mt_option *option;
	const struct family *family;
	const char *value, *name;
	char *at;

	if (!section)
		return out_of_memory(err);
	at = explain_split(section);
	if (!at && config_family_of(section, &value))
		return explain_section(c, section, out, err);
	if (!at)
		return fail(err, MT_EINVAL,
			    "invalid key `%.80s`: use SECTION.KEY, for "
			    "example llm.model",
			    key);
	*at++ = '\0';
	family = config_family_of(section, &value);
	name = family ? config_current_key(family->name, at) : at;
	option = find_option(c, section, name);
	value = config_get(c, section, name);
	if (!option && !value && config_has(c, key))
		return explain_section(c, key, out, err);
	if (!option && !value)
		return unknown_key(c, section, name, err);
	if (!value && option)
		value = option->fallback;
	strbuf_addf(out, "%s.%s = ", section, name);
	explain_put_text(out, option, value);
	strbuf_addc(out, '\n');
	if (option && option->help)
		strbuf_addf(out, "  %s\n", option->help);
	if (option)
		put_form(option, out);
	put_chain(c, section, name, option, out);
	return out->error ? fail_code(err, out->error) : MT_OK;
}
