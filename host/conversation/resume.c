/* SPDX-License-Identifier: MIT
 *
 * resume.c - resumes a conversation with its previous agent. */
#include "conversation/open.h"

#include "conversation/agent-spec.h"
#include "conversation/fork.h"
#include "conversation/meta.h"
#include "conversation/offered-tools.h"
#include "log.h"

#include <string.h>

/* ---- the agent as it was ----------------------------------------------- */

/* NULL: none, or not a list. */
static json_object *settings_of(json_object *meta)
{
	json_object *list = js_path(meta, "spec.settings");

	return json_object_is_type(list, json_type_array) ? list : NULL;
}

/* ---- model servers that have moved ------------------------------------- */

/* The recorded value of a key of a section; NULL: none. `*ret_known`: the section is in
 * the record. */
static const char *recorded(json_object *settings, const char *section, const char *key,
			    bool *ret_known)
{
	size_t n = settings ? json_object_array_length(settings) : 0,
	       len = strlen(section);
	const char *found = NULL;

	*ret_known = false;
	for (size_t i = 0; i < n; i++) {
		const char *text =
			json_object_get_string(json_object_array_get_idx(settings, i));
		size_t rest = strlen(key);

		if (!text || strncmp(text, section, len) != 0 || text[len] != '.')
			continue;
		text += len + 1;
		*ret_known = *ret_known || strchrnul(text, '=') < strchrnul(text, '.');
		if (strncmp(text, key, rest) == 0 && text[rest] == '=')
			found = text + rest + 1;
	}
	return found;
}

/* Use the endpoint of the current configuration for a section instead of the recorded
 * one. */
static int take_endpoint(const struct config *now, json_object *settings,
			 const char *section, json_object *moved, struct strbuf *report)
{
	bool known, ignored;
	const char *was = recorded(settings, section, "base_url", &known);
	const char *is = config_get(now, section, "base_url");
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);

	if (!was)
		was = recorded(settings, "llm", "base_url", &ignored);
	if (!known || !is || !*is || (was && strcmp(was, is) == 0))
		return MT_OK;
	if (strbuf_addf(&text, "%s.base_url=%s", section, is) ||
	    js_add_new(moved, json_object_new_string(text.text)))
		return MT_ENOMEM;
	return strbuf_addf(report, "%s[%s] uses the configured endpoint %s%s%s.",
			   report->len ? "\n" : "", section, is,
			   was ? " instead of " : "", was ? was : "");
}

/* Overrides for endpoints that have changed, owned; NULL: out of memory. */
static json_object *endpoints(const struct config *now, json_object *settings,
			      struct strbuf *report)
{
	AUTO(json) json_object *moved = json_object_new_array();
	const char *name;
	int r = moved ? take_endpoint(now, settings, "llm", moved, report) : MT_ENOMEM;

	for (size_t n = 0; !r && (name = config_named(now, "llm", n)); n++) {
		AUTO(strbuf) struct strbuf section = STRBUF(4096);

		r = strbuf_addf(&section, "llm.%s", name);
		if (!r)
			r = take_endpoint(now, settings, section.text, moved, report);
	}
	return r ? NULL : STEAL(moved);
}

/* ---- the settings ------------------------------------------------------ */

/* The settings of meta.json, then changed endpoints, then the command line. */
static const char **overrides(json_object *settings, json_object *moved,
			      const struct config_input *in, size_t *ret_count)
{
	size_t n = settings ? json_object_array_length(settings) : 0, count = 0;
	size_t m = json_object_array_length(moved);
	const char **list = calloc(n + m + in->override_count + 1, sizeof *list);

	for (size_t i = 0; list && i < n; i++) {
		json_object *text = json_object_array_get_idx(settings, i);

		if (json_object_is_type(text, json_type_string))
			list[count++] = json_object_get_string(text);
	}
	for (size_t i = 0; list && i < m; i++)
		list[count++] =
			json_object_get_string(json_object_array_get_idx(moved, i));
	for (size_t i = 0; list && i < in->override_count; i++)
		list[count++] = in->overrides[i];
	*ret_count = count;
	return list;
}

static int report_untrusted(const struct config *c, struct strbuf *report)
{
	const char *path = config_untrusted(c);

	return path ? strbuf_addf(report, "%s" CONFIG_UNTRUSTED, report->len ? "\n" : "",
				  path)
		    : MT_OK;
}

static int conversation_resume_load(struct conversation *c, json_object *meta,
				    const struct config_input *in,
				    const struct config *now, struct strbuf *report,
				    struct error *err)
{
	struct config_input all = *in;
	json_object *settings = settings_of(meta);
	AUTO(json) json_object *moved = endpoints(now, settings, report);
	AUTO(free) const char **list =
		moved ? overrides(settings, moved, in, &all.override_count) : NULL;
	int r;

	if (!list)
		return out_of_memory(err);
	all.overrides = list;
	all.workspace = c->workspace;
	all.pinned = settings && json_object_array_length(settings) > 0;
	r = config_load(&all, &c->config, err);
	if (!r && report_untrusted(c->config, report))
		r = out_of_memory(err);
	return r ? r : registry_open(c->config, &c->registry, err);
}

/* ---- opening it ----------------------------------------------------------- */

/* Settings that the user changed apply from now on, including later resumes. */
static void keep_changes(struct conversation *c, const struct config_input *in,
			 const struct conversation_options *o)
{
	struct error err = ERROR_NONE;

	if (!in->override_count && !o->model)
		return;
	if (meta_change(c->log, NULL, agent_spec(c, o->controller), c->mask, &err) ||
	    evlog_add_file(c->log, "meta.json", &err))
		conversation_notice(c, MT_LOG_WARNING,
				    "could not save the changed settings for later "
				    "resumes: %s",
				    err.text);
}

/* Does the command line set more than options of models? */
static bool changes_agent(const struct config_input *in)
{
	for (size_t i = 0; i < in->override_count; i++)
		if (strncmp(in->overrides[i], "llm.", 4) != 0)
			return true;
	return false;
}

/* Both reports, one after the other. */
static void join_reports(char **report, const struct strbuf *more)
{
	AUTO(strbuf) struct strbuf all = STRBUF(1 << 16);

	if (!report || !more->len)
		return;
	strbuf_addf(&all, "%s%s%s", *report ? *report : "", *report ? "\n" : "",
		    more->text);
	if (all.error)
		return;
	free(*report);
	*report = strbuf_take(&all);
}

int conversation_resume(uv_loop_t *loop, const struct config_input *in,
			const struct conversation_options *o, struct conversation **ret,
			char **ret_report, struct error *err)
{
	struct conversation *c = conversation_allocate(loop, o);
	AUTO(config) struct config *places = NULL;
	AUTO(json) json_object *meta = NULL;
	AUTO(strbuf) struct strbuf notes = STRBUF(1 << 16);
	int r;

	if (!c)
		return out_of_memory(err);
	r = config_load(in, &places, err);
	if (r)
		return conversation_undo(c, false, r);
	c->dir = conversation_dir(places, o->id, err);
	meta = c->dir ? meta_read(c->dir, err) : NULL;
	if (!meta)
		return conversation_undo(c, false, err->code);
	c->id = strdup(o->id);
	c->title = strdup(js_str(meta, "title", ""));
	c->workspace = strdup(js_str(meta, "workspace", "/"));
	c->inherited_replies = fork_inherited(meta);
	c->parent = strdup(js_str(meta, "parent", ""));
	c->place = strdup(js_str(meta, "place", ""));
	c->depth = (int)js_int(meta, "depth", 0);
	if (!c->id || !c->title || !c->workspace || !c->parent || !c->place)
		return conversation_undo(c, false, out_of_memory(err));
	r = conversation_resume_load(c, meta, in, places, &notes, err);
	if (!r)
		r = conversation_open(c, o, EVLOG_WRITE, ret_report, err);
	if (!r)
		r = offered_tools_ensure_system(c, err);
	if (!r)
		r = conversation_restore(c, err);
	if (r)
		return conversation_undo(c, false, r);
	if (!o->same_system && (o->controller || changes_agent(in)))
		offered_tools_check_system(c);
	else if (!o->same_system)
		offered_tools_check_tools(c);
	keep_changes(c, in, o);
	join_reports(ret_report, &notes);
	*ret = c;
	return MT_OK;
}
