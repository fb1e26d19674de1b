/* SPDX-License-Identifier: MIT
 *
 * plugin-prompt.c - renders the prompts of plugins, with data that every template may
 * use, and data of the plugin. */
#include "controller/plugins/plugin-prompt.h"

#include "config/environment.h"
#include "context/prompts.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/sandbox.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* Adds `tool_NAME` for each tool, and `option_TOOLSET_NAME` for each enabled option of a
 * toolset. */
static int put_tools(json_object *data, const struct catalog *catalog)
{
	AUTO(strbuf) struct strbuf name = STRBUF(256);
	int status = MT_OK;

	for (size_t i = 0; !status && i < catalog->count; i++) {
		if (catalog_hides(catalog, &catalog->tools[i]))
			continue;
		strbuf_reset(&name);
		strbuf_addf(&name, "tool_%s", catalog->tools[i].name);
		status = name.error ? name.error : js_set_bool(data, name.text, true);
	}
	for (size_t i = 0; i < catalog->instance_count; i++) {
		const struct tool_instance *t = &catalog->instances[i];

		size_t count = 0;
		const struct mt_option *options =
			t->component ? component_options(t->component, &count) : NULL;

		for (size_t n = 0; !status && n < count; n++) {
			const struct mt_option *o = &options[n];

			if (o->type != MT_OPTION_BOOL ||
			    !component_option_int(t->component, t->options, o->name))
				continue;
			strbuf_reset(&name);
			strbuf_addf(&name, "option_%s_%s", t->name, o->name);
			status = name.error ? name.error
					    : js_set_bool(data, name.text, true);
		}
	}
	return status;
}

/* Add the names of variables that commands may need and do not get. */
static int put_withheld(json_object *data, const struct config *config)
{
	AUTO(strbuf) struct strbuf names = STRBUF(4096);

	if (environment_withheld(config, &names))
		return names.error;
	return names.len ? js_set_str(data, "withheld", names.text) : MT_OK;
}

/* The data that every template may use. */
static json_object *prompt_data(struct mt_ctx *x)
{
	json_object *data = json_object_new_object();
	struct utsname os;
	char date[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &tm));
	if (js_set_str(data, "workspace", x->c->workspace) ||
	    js_set_str(data, "date", date) ||
	    js_set_str(data, "os", uname(&os) == 0 ? os.sysname : "Linux") ||
	    js_set_bool(data, "interactive", !x->c->headless) ||
	    js_set_bool(data, "small", llm_is_small(x->c->agent->llm)) ||
	    js_set_bool(data, "plan",
			config_bool(x->c->config, x->c->agent->section, "plan")) ||
	    js_set_bool(data, "risk", x->c->agent->catalog.reads_risk) ||
	    js_set_bool(data, "sandboxed", conversation_is_sandboxed(x->c)) ||
	    put_withheld(data, x->c->config) || put_tools(data, &x->c->agent->catalog)) {
		json_object_put(data);
		return NULL;
	}
	return data;
}

int plugin_prompt(struct mt_ctx *x, const char *name, struct mt_str data,
		  struct mt_str *ret_text)
{
	AUTO(json) json_object *all = NULL;
	AUTO(json) json_object *own = NULL;
	const char *text;

	if (!plugin_ctx_converses(x))
		return MT_EUNSUPPORTED;
	all = prompt_data(x);
	if (!all)
		return MT_ENOMEM;
	if (data.len) {
		own = js_parse_object(data.ptr, data.len, &x->error);
		if (!own)
			return x->error.code;
		json_object_object_foreach(own, key, value)
			js_set(all, key, json_object_get(value));
	}
	text = plugin_hold_text(x, prompt_render(x->c->config, x->part->component->name,
						 name, all, &x->error));
	if (!text)
		return x->error.code ? x->error.code : MT_ENOMEM;
	*ret_text = (struct mt_str){ text, strlen(text) };
	return MT_OK;
}
