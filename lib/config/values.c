/* SPDX-License-Identifier: MIT
 *
 * values.c - computes effective values from the layers and section inheritance. */
#include "config/layers.h"
#include "files.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- lists --------------------------------------------------------------- */

static bool config_values_list_has(const char *list, const char *item, size_t len)
{
	const char *each;
	size_t each_len;

	while (option_list_next(&list, &each, &each_len))
		if (each_len == len && memcmp(each, item, len) == 0)
			return true;
	return false;
}

static void config_values_put_item(struct strbuf *b, const char *item, size_t len)
{
	if (b->len > 0)
		strbuf_add(b, ", ");
	strbuf_addn(b, item, len);
}

char *config_list_change(const char *list, char op, const char *change)
{
	struct strbuf b = STRBUF(1 << 21);
	const char *rest = list, *item;
	size_t len;

	if (op == '=')
		rest = change;
	while (option_list_next(&rest, &item, &len))
		if (op != '-' || !config_values_list_has(change, item, len))
			config_values_put_item(&b, item, len);
	if (op == '+')
		for (rest = change; option_list_next(&rest, &item, &len);)
			if (!config_values_list_has(list, item, len))
				config_values_put_item(&b, item, len);
	if (b.len == 0 && !b.error)
		return strdup("");
	return strbuf_take(&b);
}

/* ---- inheritance ----------------------------------------------------------- */

static const struct setting *last_setting(const struct config *c, const char *section,
					  const char *key)
{
	for (size_t i = c->setting_count; i-- > 0;)
		if (strcmp(c->settings[i].section, section) == 0 &&
		    strcmp(c->settings[i].key, key) == 0)
			return &c->settings[i];
	return NULL;
}

/* "FAMILY.NAME" if a layer has this section; otherwise NULL. */
static const char *opened(const struct config *c, const char *family, const char *name)
{
	size_t len = strlen(family);

	for (size_t i = 0; i < c->section_count; i++) {
		const char *s = c->sections[i];

		if (strncmp(s, family, len) == 0 && s[len] == '.' &&
		    strcmp(s + len + 1, name) == 0)
			return s;
	}
	return NULL;
}

const char *config_section_parent(const struct config *c, const char *section)
{
	const char *name = NULL;
	const struct family *f = config_family_of(section, &name);
	const struct setting *base = NULL;

	if (!f || !f->plain || !name)
		return NULL;
	if (strcmp(f->name, "controller") == 0)
		base = last_setting(c, section, "base");
	if (!base || !*base->value || strcmp(base->value, "default") == 0)
		return f->name;
	return opened(c, f->name, base->value);
}

static int check_base(const struct config *c, const char *section, struct error *err)
{
	const struct setting *base = last_setting(c, section, "base");
	const char *above = section;

	if (base && strcmp(section, "controller") == 0)
		return fail(err, MT_EINVAL,
			    "%s: [controller] cannot have a base; set `base` in "
			    "[controller.NAME]",
			    base->origin);
	if (base && !config_section_parent(c, section))
		return fail(err, MT_EINVAL, "%s: unknown section [controller.%.80s]",
			    base->origin, base->value);
	for (size_t depth = 0; base && above;
	     depth++, above = config_section_parent(c, above))
		if (depth > 32)
			return fail(err, MT_EINVAL,
				    "%s: the chain of `base` sections is too long or "
				    "contains a cycle",
				    base->origin);
	return MT_OK;
}

/* ---- folding ---------------------------------------------------------------- */

const struct value *value_find(const struct config *c, const char *section,
			       const char *key)
{
	for (size_t i = 0; i < c->value_count; i++)
		if (strcmp(c->values[i].key, key) == 0 &&
		    strcmp(c->values[i].section, section) == 0)
			return &c->values[i];
	return NULL;
}

static const struct setting *enforced(const struct config *c, const char *section,
				      const char *key)
{
	for (int depth = 0; section && depth < 40; depth++) {
		const struct setting *s = last_setting(c, section, key);

		if (s && s->layer == LAYER_ENFORCED)
			return s;
		section = config_section_parent(c, section);
	}
	return NULL;
}

/* Apply the settings of one key to its initial value (NULL: unset). Except in lists, an
 * empty string that is set with = resets it. */
static char *config_values_fold(const struct config *c, const char *section,
				const char *key, const char *start, bool list,
				const struct setting **ret_last)
{
	AUTO(free) char *text = strdup(start ? start : "");
	const struct setting *above = enforced(c, section, key);

	if (above && strcmp(above->section, section) != 0)
		*ret_last = above;
	else
		above = NULL;
	for (size_t i = 0; text && i < c->setting_count; i++) {
		const struct setting *s = &c->settings[i];
		char *next;

		if (strcmp(s->key, key) != 0 || strcmp(s->section, section) != 0)
			continue;
		if (above && s->layer < above->layer)
			continue; /* values enforced for [controller] apply to its variants too */
		*ret_last = s;
		next = list || s->op != '=' ? config_list_change(text, s->op, s->value)
					    : strdup(s->value);
		free(text);
		text = next;
	}
	return STEAL(text);
}

static int config_values_resolve(struct config *c, const char *section, const char *key,
				 struct error *err)
{
	const char *name, *start, *above = config_section_parent(c, section);
	const struct family *f = config_family_of(section, &name);
	const struct mt_option *option = option_find(f->table, f->count, key);
	bool list = option && option->type == MT_OPTION_LIST;
	struct value v = { 0 };
	int status;

	if (value_find(c, section, key))
		return MT_OK;
	if (above && last_setting(c, above, key)) {
		status = config_values_resolve(c, above, key, err);
		if (status)
			return status;
	}
	start = config_get(c, section, key);
	v.text = config_values_fold(c, section, key, start, list, &v.last);
	if (!v.text)
		return out_of_memory(err);
	v.section = section;
	v.key = v.last->key;
	c->values[c->value_count++] = v;
	return MT_OK;
}

/* Options of the host that name sections of the host. */
static const struct {
	const char *family, *key, *target, *none;
} links[] = {
	{ "controller", "llm", "llm", "default" },
	{ "agent", "llm", "llm", "default" },
	{ "condenser", "llm", "llm", "default" },
	{ "llm", "fallback", "llm", "default" },
	{ "controller", "router", "router", "noop" },
};

static int no_link(const struct config *c, const struct value *v, const char *target,
		   const char *name, struct error *err)
{
	const char *names[64], *near, *one;
	size_t count = 0;

	while (count < ARRAY_LEN(names) && (one = config_named(c, target, count)))
		names[count++] = one;
	near = option_suggest(name, names, count);
	if (near)
		return fail(err, MT_EINVAL,
			    "%s: unknown section [%s.%.80s]; did you mean `%s`?",
			    v->last->origin, target, name, near);
	return fail(err, MT_EINVAL, "%s: unknown section [%s.%.80s]", v->last->origin,
		    target, name);
}

static int check_link(const struct config *c, const struct value *v, const char *target,
		      const char *none, struct error *err)
{
	const char *rest = v->text, *item;
	size_t len;

	while (option_list_next(&rest, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);

		if (!name)
			return out_of_memory(err);
		if (strcmp(name, none) != 0 && !opened(c, target, name))
			return no_link(c, v, target, name, err);
	}
	return MT_OK;
}

static bool is_of(const struct value *v, const char *family)
{
	size_t len = strlen(family);

	return strncmp(v->section, family, len) == 0 &&
	       (!v->section[len] || v->section[len] == '.');
}

/* Check that named sections exist. Pinned settings are not checked, because the stored
 * settings of a conversation include only the sections that it uses. */
static int check_links(struct config *c, struct error *err)
{
	int status = MT_OK;

	for (size_t i = 0; i < c->value_count && !c->pinned; i++) {
		const struct value *v = &c->values[i];

		for (size_t n = 0; n < ARRAY_LEN(links) && !status; n++) {
			struct error why = ERROR_NONE;

			if (strcmp(v->key, links[n].key) == 0 &&
			    is_of(v, links[n].family) &&
			    check_link(c, v, links[n].target, links[n].none, &why))
				status = config_fault(c, &why, err);
		}
	}
	return status;
}

int values_resolve(struct config *c, struct error *err)
{
	int status = MT_OK;

	c->values = calloc(c->setting_count + 1, sizeof *c->values);
	if (!c->values)
		return out_of_memory(err);
	for (size_t i = 0; i < c->section_count && !status; i++) {
		struct error why = ERROR_NONE;

		if (strncmp(c->sections[i], "controller", 10) == 0 &&
		    check_base(c, c->sections[i], &why))
			status = config_fault(c, &why, err);
	}
	if (!status && c->fault_count)
		return MT_OK; /* a cycle of `base` cannot be resolved */
	for (size_t i = 0; i < c->setting_count && !status; i++)
		status = config_values_resolve(c, c->settings[i].section,
					       c->settings[i].key, err);
	return status ? status : check_links(c, err);
}

/* ---- queries ----------------------------------------------------------------- */

static const struct mt_option *option_of(const char *section, const char *key)
{
	const char *name;
	const struct family *f = config_family_of(section, &name);

	return f ? option_find(f->table, f->count, key) : NULL;
}

static const struct value *value_above(const struct config *c, const char *section,
				       const char *key)
{
	for (int depth = 0; section && depth < 40; depth++) {
		const struct value *v = value_find(c, section, key);

		if (v)
			return v;
		if (strcmp(key, "base") == 0)
			return NULL;
		section = config_section_parent(c, section);
	}
	return NULL;
}

const char *config_get(const struct config *c, const char *section, const char *key)
{
	const struct value *v = value_above(c, section, key);
	const struct mt_option *option;

	if (v)
		return *v->text ? v->text : NULL;
	option = option_of(section, key);
	return option ? option->fallback : NULL;
}

const char *config_origin(const struct config *c, const char *section, const char *key)
{
	const struct value *v = value_above(c, section, key);

	return v ? v->last->origin : "built in";
}

const char *config_enforced(const struct config *c, const char *section, const char *key)
{
	const struct setting *s = enforced(c, section, key);

	return s ? s->origin : NULL;
}

int64_t config_int(const struct config *c, const char *section, const char *key)
{
	const char *text = config_get(c, section, key);
	const struct mt_option *option = option_of(section, key);
	int64_t n = 0;

	if (text && option)
		option_to_int(option, text, &n);
	return n;
}

bool config_bool(const struct config *c, const char *section, const char *key)
{
	const char *text = config_get(c, section, key);

	return text && option_to_bool(text);
}

int config_choice(const struct config *c, const char *section, const char *key)
{
	const char *text = config_get(c, section, key);
	const struct mt_option *option = option_of(section, key);

	return text && option ? option_choice(option, text) : -1;
}

bool config_logs_events(const struct config *c)
{
	const char *set = getenv("LOG_ALL_EVENTS");

	return config_bool(c, "core", "log_all_events") ||
	       (set && (strcasecmp(set, "true") == 0 || strcmp(set, "1") == 0));
}

bool config_is_pinned(const struct config *c)
{
	return c->pinned;
}

bool config_has(const struct config *c, const char *section)
{
	for (size_t i = 0; i < c->section_count; i++)
		if (strcmp(c->sections[i], section) == 0)
			return true;
	return false;
}

const char *config_named(const struct config *c, const char *family, size_t n)
{
	size_t len = strlen(family);

	for (size_t i = 0; i < c->section_count; i++) {
		const char *s = c->sections[i];

		if (strncmp(s, family, len) == 0 && s[len] == '.' && n-- == 0)
			return s + len + 1;
	}
	return NULL;
}

const char *config_plugin(const struct config *c, const char *section)
{
	const char *plugin = config_get(c, section, "plugin");
	const char *dot = strchr(section, '.');

	return plugin ? plugin : dot ? dot + 1 : section;
}

const char *config_untrusted(const struct config *c)
{
	return c->untrusted;
}

/* ---- sections of plugins ------------------------------------------------------ */

static int check_plugin_value(const struct setting *s, const struct mt_option *option,
			      const char *text, struct error *err)
{
	struct error why = ERROR_NONE;

	if (s->layer == LAYER_PROJECT &&
	    (option->type == MT_OPTION_PATH || (option->flags & MT_OPTION_SECRET)))
		return fail(err, MT_EDENIED,
			    "%s: a project cannot set `%s` of [%s]; move it to your own "
			    "configuration",
			    s->origin, s->key, s->section);
	if (s->op != '=' && option->type != MT_OPTION_LIST)
		return fail(err, MT_EINVAL,
			    "%s: `%s` is not a list; use `%s =`, not `%s %c=`", s->origin,
			    s->key, s->key, s->key, s->op);
	if (option_check(option, s->key, text, &why))
		return fail(err, why.code, "%s: [%s] %s", s->origin, s->section,
			    why.text);
	return MT_OK;
}

static int config_values_collect(const struct config *c, const struct value *v,
				 const struct mt_option *table, size_t count,
				 json_object *into, struct error *err)
{
	const struct mt_option *option = option_find(table, count, v->key);
	AUTO(free) char *text = NULL;
	struct error why = ERROR_NONE;
	const struct setting *last = v->last;
	int status;

	if (!option) {
		status = option_unknown(table, count, v->key, &why);
		return fail(err, status, "%s: [%s] %s", last->origin, v->section,
			    why.text);
	}
	text = config_values_fold(c, v->section, v->key, option->fallback,
				  option->type == MT_OPTION_LIST, &last);
	if (text && option->type == MT_OPTION_PATH) {
		char *expanded = path_expand(text);

		free(text);
		text = expanded;
	}
	if (!text)
		return out_of_memory(err);
	for (size_t i = 0; i < c->setting_count; i++) {
		const struct setting *s = &c->settings[i];

		if (strcmp(s->key, v->key) != 0 || strcmp(s->section, v->section) != 0)
			continue;
		status = check_plugin_value(s, option, s->value, err);
		if (status)
			return status;
	}
	return js_set_str(into, v->key, text) ? out_of_memory(err) : MT_OK;
}

/* A key of the host, which every plugin of its kind has. */
static bool is_host_key(const char *section, const char *key)
{
	const char *name;
	const struct family *f = config_family_of(section, &name);

	return strcmp(key, "plugin") == 0 || (f && option_find(f->table, f->count, key));
}

/* The default of a list in the form of a value: "a, b". */
static int add_list_default(const struct mt_option *option, json_object *set,
			    struct error *err)
{
	AUTO(free) char *text = NULL;

	if (option->type != MT_OPTION_LIST || !option->fallback ||
	    js_get(set, option->name))
		return MT_OK;
	text = config_list_change("", '=', option->fallback);
	return text && !js_set_str(set, option->name, text) ? MT_OK : out_of_memory(err);
}

int config_section(const struct config *c, const char *section,
		   const struct mt_option *table, size_t count, json_object **ret,
		   struct error *err)
{
	AUTO(json) json_object *set = json_object_new_object();

	if (!set)
		return out_of_memory(err);
	for (size_t i = 0; i < c->value_count; i++) {
		const struct value *v = &c->values[i];
		int status;

		/* One that the plugin has, too, is for both. */
		if (strcmp(v->section, section) != 0 ||
		    (is_host_key(section, v->key) && !option_find(table, count, v->key)))
			continue;
		status = config_values_collect(c, v, table, count, set, err);
		if (status)
			return status;
	}
	for (size_t i = 0; i < count; i++) {
		const struct mt_option *option =
			(const struct mt_option *)((const char *)table + i * table->size);

		int status = add_list_default(option, set, err);

		if (status)
			return status;
		if ((option->flags & MT_OPTION_REQUIRED) && !js_get(set, option->name))
			return fail(err, MT_EINVAL, "[%s] requires the option `%s`: %s",
				    section, option->name,
				    option->help ? option->help : "");
	}
	*ret = STEAL(set);
	return MT_OK;
}
