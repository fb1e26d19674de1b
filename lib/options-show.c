/* SPDX-License-Identifier: MIT
 *
 * options-show.c - formats a table of options as JSON and as text. */
#include "options.h"
#include <string.h>

static const char *const type_names[] = {
	"",         "text",  "int",    "bool",   "duration",
	"bytes",    "number", "choice", "list",   "path",
};

static const struct mt_option *options_show_nth(const struct mt_option *table, size_t i)
{
	return (const struct mt_option *)((const char *)table + i * table->size);
}

static const char *options_show_type_name(uint32_t type)
{
	return type_names[type < ARRAY_LEN(type_names) ? type : 0];
}

static uint32_t type_by_name(const char *name)
{
	for (uint32_t i = 1; i < ARRAY_LEN(type_names); i++)
		if (strcmp(type_names[i], name) == 0)
			return i;
	return 0;
}

static void options_show_put_text(struct strbuf *out, const char *key, const char *text)
{
	if (text)
		js_key_str(out, key, text);
}

static void options_show_put_option(const struct mt_option *o, struct strbuf *out)
{
	strbuf_addc(out, '{');
	js_key_str(out, "name", o->name);
	js_key_str(out, "type", options_show_type_name(o->type));
	options_show_put_text(out, "default", o->fallback);
	if (option_is_bounded(o)) {
		js_key_number(out, "min", o->min);
		js_key_number(out, "max", o->max);
	}
	options_show_put_text(out, "choices", o->choices);
	options_show_put_text(out, "help", o->help);
	if (o->flags & MT_OPTION_REQUIRED)
		js_key_bool(out, "required", true);
	if (o->flags & MT_OPTION_SECRET)
		js_key_bool(out, "secret", true);
	if (o->flags & MT_OPTION_PREFIX)
		js_key_bool(out, "prefix", true);
	strbuf_addc(out, '}');
}

int options_json(const struct mt_option *table, size_t count, struct strbuf *out)
{
	strbuf_addc(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			strbuf_addc(out, ',');
		options_show_put_option(options_show_nth(table, i), out);
	}
	return strbuf_addc(out, ']');
}

static int options_show_copy_text(json_object *o, const char *name, const char **ret)
{
	const char *text = js_str(o, name, NULL);

	if (!text)
		return MT_OK;
	*ret = strdup(text);
	return *ret ? MT_OK : MT_ENOMEM;
}

static int read_option(json_object *o, struct mt_option *ret)
{
	*ret = (struct mt_option){
		.size = sizeof *ret,
		.type = type_by_name(js_str(o, "type", "")),
		.min = js_number(o, "min", 0),
		.max = js_number(o, "max", 0),
		.flags = (js_bool(o, "required", false) ? MT_OPTION_REQUIRED : 0) |
			 (js_bool(o, "secret", false) ? MT_OPTION_SECRET : 0) |
			 (js_bool(o, "prefix", false) ? MT_OPTION_PREFIX : 0),
	};
	if (options_show_copy_text(o, "name", &ret->name) ||
	    options_show_copy_text(o, "default", &ret->fallback) ||
	    options_show_copy_text(o, "choices", &ret->choices) ||
	    options_show_copy_text(o, "help", &ret->help))
		return MT_ENOMEM;
	return ret->type && ret->name ? MT_OK : MT_EINVAL;
}

int options_from_json(json_object *array, struct mt_option **ret, size_t *ret_count,
		      struct error *err)
{
	struct mt_option *table;
	size_t count;
	int status = MT_OK;

	if (!json_object_is_type(array, json_type_array))
		return fail(err, MT_EINVAL, "the option table must be a list");
	count = json_object_array_length(array);
	table = calloc(count + 1, sizeof *table);
	if (!table)
		return out_of_memory(err);
	for (size_t i = 0; i < count && !status; i++)
		status = read_option(json_object_array_get_idx(array, i), &table[i]);
	if (status) {
		options_free(table, count);
		return fail(err, status, "cannot read the option table: %s",
			    status_name(status));
	}
	*ret = table;
	*ret_count = count;
	return MT_OK;
}

void options_free(struct mt_option *table, size_t count)
{
	for (size_t i = 0; table && i < count; i++) {
		free((void *)(uintptr_t)table[i].name);
		free((void *)(uintptr_t)table[i].fallback);
		free((void *)(uintptr_t)table[i].choices);
		free((void *)(uintptr_t)table[i].help);
	}
	free(table);
}

static void help_line(const struct mt_option *o, struct strbuf *out)
{
	strbuf_addf(out, "  %s%s = %s", o->name,
		    o->flags & MT_OPTION_PREFIX ? "NAME" : "",
		    options_show_type_name(o->type));
	if (o->choices)
		strbuf_addf(out, " %s", o->choices);
	if (option_is_bounded(o))
		strbuf_addf(out, " %.15g..", o->min);
	if (option_is_bounded(o) && o->max >= o->min)
		strbuf_addf(out, "%.15g", o->max);
	if (o->flags & MT_OPTION_REQUIRED)
		strbuf_add(out, " (required)");
	else if (o->fallback && *o->fallback)
		strbuf_addf(out, " (default %s)", o->fallback);
	if (o->flags & MT_OPTION_SECRET)
		strbuf_add(out, " (secret)");
	strbuf_addf(out, "\n      %s\n", o->help ? o->help : "");
}

int options_help(const struct mt_option *table, size_t count, struct strbuf *out)
{
	for (size_t i = 0; i < count; i++)
		help_line(options_show_nth(table, i), out);
	return out->error;
}
