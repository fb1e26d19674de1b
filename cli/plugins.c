/* SPDX-License-Identifier: MIT
 *
 * plugins.c - `mortise plugins`: lists, describes and checks plugins. */
#include "plugins.h"
#include "columns.h"
#include "controller/plugins/plugin-load.h"
#include "controller/plugins/plugin-stand-in.h"
#include "events/types.h"
#include "files.h"
#include "registry/registry.h"
#include "visible.h"
#include <mortise/tool.h>
#include <string.h>
#include <sys/stat.h>

struct arguments {
	struct common common;
	bool json, refused, valgrind, asan;
	const char *lang;
};

static const struct flag flags[] = {
	FLAG('j', "json", NULL, "print JSON",
	     STORE(FLAG_TRUE, struct arguments, json)),
	FLAG(0, "refused", NULL, "list rejected plugins and the reasons",
	     STORE(FLAG_TRUE, struct arguments, refused)),
	FLAG(0, "lang", "LANGUAGE", "new: c (default), or c++ or rust for a tool",
	     STORE(FLAG_TEXT, struct arguments, lang)),
	FLAG(0, "valgrind", NULL, "test: run the tools under valgrind",
	     STORE(FLAG_TRUE, struct arguments, valgrind)),
	FLAG(0, "asan", NULL, "test: run the tools with AddressSanitizer",
	     STORE(FLAG_TRUE, struct arguments, asan)),
	{ 0 },
};

/* ---- the list ------------------------------------------------------------------- */

static void put_component(struct strbuf *out, const struct component *c)
{
	js_key_str(out, "kind", kind_name(c->kind));
	js_key_str(out, "name", c->name);
	js_key_str(out, "summary", c->summary);
	js_key_str(out, "plugin", c->plugin);
	js_key_str(out, "version", c->version);
	js_key_str(out, "license", c->license);
	js_key_str(out, "id", c->id);
	js_key_str(out, "vendor", c->vendor);
	js_key_str(out, "url", c->url);
	if (*c->about)
		js_key_str(out, "about", c->about);
	js_key_str(out, "path", c->path);
}

static void list_json(const struct registry *r, bool refused, struct strbuf *out)
{
	const struct component *c;
	const struct refusal *refusal;

	strbuf_addc(out, '[');
	for (size_t n = 0; !refused && (c = registry_at(r, n)); n++) {
		strbuf_add(out, n ? ",{" : "{");
		put_component(out, c);
		strbuf_addc(out, '}');
	}
	for (size_t n = 0; refused && (refusal = registry_refusal(r, n)); n++) {
		strbuf_add(out, n ? ",{" : "{");
		js_key_str(out, "path", refusal->path);
		js_key_str(out, "reason", refusal->reason);
		strbuf_addc(out, '}');
	}
	strbuf_add(out, "]\n");
}

static void put_component_line(struct strbuf *out, const struct component *c)
{
	strbuf_addf(out, "%-10s %-22s ", kind_name(c->kind), c->name);
	columns_put(out, c->version, strlen(c->version), 8, SIZE_MAX);
	strbuf_addc(out, ' ');
	columns_put(out, c->summary, strlen(c->summary), 0, SIZE_MAX);
	strbuf_addc(out, '\n');
}

static void list_components(const struct registry *r, struct strbuf *out)
{
	const struct component *c;
	size_t refused = 0;

	for (int kind = 1; *kind_name(kind) && kind_find(kind_name(kind)) == kind; kind++)
		for (size_t n = 0; (c = registry_at(r, n)); n++)
			if (c->kind == kind)
				put_component_line(out, c);
	while (registry_refusal(r, refused))
		refused++;
	if (refused)
		strbuf_addf(out,
			    "%zu rejected; `mortise plugins --refused` lists the "
			    "reasons\n",
			    refused);
}

static void list_refused(const struct registry *r, struct strbuf *out)
{
	const struct refusal *refusal;

	for (size_t n = 0; (refusal = registry_refusal(r, n)); n++)
		strbuf_addf(out, "%s: %s\n", refusal->path, refusal->reason);
	if (out->len == 0)
		strbuf_add(out, "no plugin was rejected\n");
}

/* ---- one component ---------------------------------------------------------------- */

/* The process in which a component runs. The reason is appended to `why`. */
static const char *where_it_runs(const struct config *config, const struct component *c,
				 struct strbuf *why)
{
	static const char *const always[] = {
		[MT_KIND_TOOL] = "all tools do",
		[MT_KIND_DIALECT] = "it is called for each piece of a response",
		[MT_KIND_RUNTIME] = "it does input and output",
	};
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	bool forks;

	strbuf_addf(&section, "%s.%s", kind_name(c->kind), c->name);
	forks = plugin_component_forks(config, section.text, c);
	if (!plugin_stand_in_can(c->kind))
		strbuf_add(why, always[c->kind]);
	else if (config_choice(config, section.text, "run") >= 0)
		strbuf_addf(why, "`run` of [%s] is set (%s)", section.text,
			    config_origin(config, section.text, "run"));
	else
		strbuf_add(why,
			   forks ? "it is not part of Mortise" : "it is part of Mortise");
	return c->kind == MT_KIND_TOOL ? "a worker process"
	       : forks                 ? "forked copies of the conversation process"
				       : "the conversation process";
}

static void info_json(const struct config *config, const struct component *c,
		      struct strbuf *out)
{
	const struct mt_option *options;
	size_t count;
	AUTO(strbuf) struct strbuf why = STRBUF(4096);

	strbuf_addc(out, '{');
	put_component(out, c);
	js_key_str(out, "runs_in", where_it_runs(config, c, &why));
	js_key_str(out, "why", why.text);
	js_key(out, "abi");
	strbuf_addf(out, "\"%u.%u\"", c->version_major, c->version_minor);
	js_key(out, "permissions");
	js_put(out, c->permissions);
	js_key(out, "options");
	options = component_options(c, &count);
	if (count)
		options_json(options, count, out);
	else
		strbuf_add(out, "[]");
	js_key(out, "data");
	js_put(out, component_data(c));
	strbuf_addc(out, '}');
}

static void put_hints(struct strbuf *out, int64_t hints)
{
	static const struct {
		int64_t bit;
		const char *name;
	} names[] = {
		{ MT_TOOL_READ_ONLY, "read-only" },
		{ MT_TOOL_DESTRUCTIVE, "destructive" },
		{ MT_TOOL_IDEMPOTENT, "idempotent" },
		{ MT_TOOL_OPEN_WORLD, "open world" },
		{ MT_TOOL_PARALLEL, "parallel" },
		{ MT_TOOL_CONTROL, "control" },
		{ MT_TOOL_ON_REQUEST, "on request" },
		{ MT_TOOL_FOLLOW_UP, "follow-up" },
		{ MT_TOOL_OPTIONAL, "optional" },
	};
	const char *comma = " (";

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (hints & names[i].bit) {
			strbuf_addf(out, "%s%s", comma, names[i].name);
			comma = ", ";
		}
	if (*comma == ',')
		strbuf_addc(out, ')');
}

/* "    NAME (TYPE, required): DESCRIPTION" */
static void info_parameter(json_object *schema, const char *name, json_object *property,
			   struct strbuf *out)
{
	json_object *required = js_get(schema, "required");
	const char *type = js_str(property, "type", "");
	bool needed = false;

	for (size_t i = 0; i < js_length(required) && !needed; i++)
		needed = strcmp(json_object_get_string(
					json_object_array_get_idx(required, i)),
				name) == 0;
	strbuf_addf(out, "    %s", name);
	if (*type || needed)
		strbuf_addf(out, " (%s%s%s)", type, *type && needed ? ", " : "",
			    needed ? "required" : "");
	strbuf_addf(out, ": %s\n", js_str(property, "description", ""));
}

static void info_tools(const struct component *c, struct strbuf *out)
{
	json_object *tools = js_get(component_data(c), "tools");

	strbuf_add(out, "\nTools:\n");
	for (size_t i = 0; i < json_object_array_length(tools); i++) {
		json_object *tool = json_object_array_get_idx(tools, i);
		json_object *properties = js_path(tool, "schema.properties");

		strbuf_addf(out, "  %s", js_str(tool, "name", ""));
		put_hints(out, js_int(tool, "hints", 0));
		strbuf_addc(out, '\n');
		if (*js_str(tool, "title", ""))
			strbuf_addf(out, "    %s\n", js_str(tool, "title", ""));
		strbuf_addf(out, "    %s\n",
			    js_str(tool, "brief", js_str(tool, "description", "")));
		if (!json_object_is_type(properties, json_type_object))
			continue;
		json_object_object_foreach(properties, name, property)
			info_parameter(js_get(tool, "schema"), name, property, out);
	}
	if (js_bool(component_data(c), "dynamic", false))
		strbuf_add(out, "  and tools that are listed at run time\n");
}

static void cli_plugins_put_line(struct strbuf *out, const char *name, const char *text)
{
	if (*text)
		strbuf_addf(out, "  %s %s\n", name, text);
}

/* Append the description by the plugin, which is untrusted text. */
static void info_about(const struct component *c, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 16);

	if (!*c->about ||
	    visible_add(&shown, VISIBLE_LINES, c->about, strlen(c->about), NULL, NULL))
		return;
	strbuf_add(out, "\nAbout:\n");
	for (const char *p = shown.text; *p;) {
		size_t len = strcspn(p, "\n");

		strbuf_addf(out, "  %.*s\n", (int)len, p);
		p += len + (p[len] == '\n');
	}
}

/* Append the permissions that the plugin declares. Tools get them if the user lists them;
 * secrets are granted by [grant.NAME]. */
static void list_permissions(json_object *permissions, struct strbuf *out)
{
	size_t count = js_length(permissions);

	if (count)
		strbuf_add(
			out,
			"Declared permissions (only those that the user grants apply):\n");
	for (size_t i = 0; i < count; i++) {
		json_object *m = json_object_array_get_idx(permissions, i);
		const char *what = js_str(m, "what", ""), *why = js_str(m, "why", "");

		strbuf_addf(out, "  %-12s ", js_str(m, "kind", ""));
		visible_add(out, VISIBLE_ONE_LINE, what, strlen(what), NULL, NULL);
		if (*why) {
			strbuf_add(out, ": ");
			visible_add(out, VISIBLE_ONE_LINE, why, strlen(why), NULL, NULL);
		}
		strbuf_addc(out, '\n');
	}
}

static void info_text(const struct config *config, const struct component *c,
		      struct strbuf *out)
{
	const struct mt_option *options;
	size_t count;
	AUTO(strbuf) struct strbuf why = STRBUF(4096);
	const char *where = where_it_runs(config, c, &why);

	strbuf_addf(out, "%s%s %s: %s\n", out->len ? "\n" : "", kind_name(c->kind),
		    c->name, *c->summary ? c->summary : "(no summary)");
	strbuf_addf(out, "  plugin %s %s, %s, %s ABI %u.%u\n  %s\n", c->plugin,
		    c->version, c->license, kind_name(c->kind), c->version_major,
		    c->version_minor, c->path);
	strbuf_addf(out, "  runs in %s: %s\n", where, why.text);
	cli_plugins_put_line(out, "id", c->id);
	cli_plugins_put_line(out, "vendor", c->vendor);
	cli_plugins_put_line(out, "url", c->url);
	info_about(c, out);
	if (js_length(c->permissions))
		strbuf_addc(out, '\n');
	list_permissions(c->permissions, out);
	options = component_options(c, &count);
	if (count) {
		strbuf_addf(out, "\nOptions, in a section [%s.%s]:\n", kind_name(c->kind),
			    c->name);
		options_help(options, count, out);
	}
	if (c->kind == MT_KIND_TOOL)
		info_tools(c, out);
}

/* True if `word` selects the component: NAME, KIND/NAME, or the name, id or path of a
 * plugin, which selects all its components. */
static bool is_asked_for(const struct component *c, const char *word)
{
	const char *slash = strchr(word, '/');

	if (strcmp(c->unique, word) == 0 || strcmp(c->path, word) == 0 ||
	    (*c->id && strcmp(c->id, word) == 0))
		return true;
	if (slash)
		return strncmp(kind_name(c->kind), word, (size_t)(slash - word)) == 0 &&
		       strcmp(slash + 1, c->name) == 0;
	return strcmp(c->name, word) == 0 || strcmp(c->plugin, word) == 0;
}

/* The refusal of what NAME or KIND/NAME refers to. */
static const struct refusal *refusal_of(const struct registry *r, const char *word)
{
	const char *slash = strchr(word, '/');
	AUTO(free) char *kind = slash ? strndup(word, (size_t)(slash - word)) : NULL;

	if (!kind)
		return registry_refused(r, 0, word);
	return kind_find(kind) ? registry_refused(r, kind_find(kind), slash + 1) : NULL;
}

static int not_there(const struct registry *r, const char *word, struct error *err)
{
	const struct refusal *refusal = refusal_of(r, word);
	const char *names[256], *near;
	const struct component *c;
	size_t count = 0;

	if (*word == '/' || *word == '.')
		return fail(err, MT_ENOTFOUND, "%s: no such file", word);
	if (refusal)
		return fail(err, MT_EINVAL, "%s: %s", refusal->path, refusal->reason);
	for (; count < ARRAY_LEN(names) && (c = registry_at(r, count)); count++)
		names[count] = c->name;
	near = option_suggest(word, names, count);
	return near ? fail(err, MT_ENOTFOUND,
			   "unknown plugin `%.80s`; did you mean `%s`?", word, near)
		    : fail(err, MT_ENOTFOUND,
			   "unknown plugin `%.80s`; `mortise plugins` lists the "
			   "installed ones",
			   word);
}

/* Describe the components that `word` selects. @return their number */
static size_t info_all(const struct config *config, const struct registry *r,
		       const char *word, bool json, struct strbuf *out)
{
	const struct component *c;
	size_t found = 0;

	for (size_t n = 0; (c = registry_any(r, n)); n++) {
		if (!is_asked_for(c, word))
			continue;
		if (json && found)
			strbuf_addc(out, ',');
		found++;
		if (json)
			info_json(config, c, out);
		else
			info_text(config, c, out);
	}
	return found;
}

/* The same for a file, which need not be in the plugin path. */
static int info_file(const struct config *config, struct registry *r, const char *file,
		     bool json, struct strbuf *out, struct error *err)
{
	struct error why = ERROR_NONE;

	if (info_all(config, r, file, json, out))
		return MT_OK;
	if (registry_add_file(r, file, &why))
		return fail(err, why.code, "%s: %s", file, why.text);
	return info_all(config, r, file, json, out)
		       ? MT_OK
		       : fail(err, MT_ENOTFOUND, "%s: it has no components", file);
}

static int cli_plugins_info(const struct config *config, struct registry *r,
			    const char *word, bool json, struct strbuf *out,
			    struct error *err)
{
	AUTO(free) char *file = realpath(word, NULL);
	struct stat st;

	if (json)
		strbuf_addc(out, '[');
	if (!info_all(config, r, word, json, out)) {
		if (!file || stat(file, &st) != 0 || !S_ISREG(st.st_mode))
			return not_there(r, word, err);
		if (info_file(config, r, file, json, out, err))
			return err->code;
	}
	if (json)
		strbuf_add(out, "]\n");
	return MT_OK;
}

/* ---- the command ------------------------------------------------------------------- */

static void check_put_refused(const char *path, json_object *refused, struct strbuf *out)
{
	size_t count = refused ? json_object_array_length(refused) : 0;

	for (size_t i = 0; i < count; i++) {
		json_object *c = json_object_array_get_idx(refused, i);

		strbuf_addf(out, "%s: rejected: `%s`: %s\n", path, js_str(c, "name", ""),
			    js_str(c, "reason", ""));
	}
}

static void check_put_plugin(const char *path, json_object *plugin, struct strbuf *out)
{
	json_object *all = js_get(plugin, "components");

	strbuf_addf(out, "%s: valid: %s %s provides", path, js_str(plugin, "name", ""),
		    js_str(plugin, "version", ""));
	for (size_t i = 0; i < json_object_array_length(all); i++) {
		json_object *c = json_object_array_get_idx(all, i);

		strbuf_addf(out, "%s %s %s", i ? "," : "", js_str(c, "kind", ""),
			    js_str(c, "name", ""));
	}
	strbuf_addc(out, '\n');
	check_put_refused(path, js_get(plugin, "refusals"), out);
	list_permissions(js_get(plugin, "permissions"), out);
}

/* Each call of a tool fails if its mapping names an action that does not exist. */
static int check_actions(json_object *tools, struct error *err)
{
	for (size_t i = 0; i < js_length(tools); i++) {
		json_object *tool = json_object_array_get_idx(tools, i);
		json_object *events = js_get(tool, "events");

		for (size_t k = 0; k < js_length(events); k++) {
			const char *action = js_str(json_object_array_get_idx(events, k),
						    "action", "call_tool");

			if (!event_type_find(true, action))
				return fail(
					err, MT_EINVAL,
					"tool `%s` maps to an unknown action `%.80s`; "
					"doc/events.md lists the actions",
					js_str(tool, "name", ""), action);
		}
	}
	return MT_OK;
}

static int check_probe(const char *path, json_object **ret, struct error *err)
{
	json_object *all;
	int r = registry_probe(path, ret, err);

	all = js_get(*ret, "components");
	for (size_t i = 0; !r && i < js_length(all); i++)
		r = check_actions(js_get(js_get(json_object_array_get_idx(all, i),
						"data"),
					 "tools"),
				  err);
	return r;
}

static int plugins_check(const char *path, bool json, struct error *err)
{
	AUTO(json) json_object *plugin = NULL;
	AUTO(strbuf) struct strbuf out = STRBUF(8 << 20);
	bool valid = check_probe(path, &plugin, err) == 0;

	if (!valid && json) {
		strbuf_addc(&out, '{');
		js_key_str(&out, "path", path);
		js_key_str(&out, "refused", err->text);
		strbuf_add(&out, "}\n");
	} else if (!valid) {
		strbuf_addf(&out, "%s: %s\n", path, err->text);
	} else if (json) {
		js_put(&out, plugin);
		strbuf_addc(&out, '\n');
	} else {
		check_put_plugin(path, plugin, &out);
	}
	if (out.error) {
		fail_code(err, out.error);
		return command_report(EXIT_FAILED, err);
	}
	command_write(stdout, out.text, out.len);
	return valid ? EXIT_DONE : EXIT_FAILED;
}

static int list_or_info(const struct common *common, const char *word, bool json,
			bool refused)
{
	AUTO(config) struct config *c = NULL;
	AUTO(registry) struct registry *r = NULL;
	AUTO(strbuf) struct strbuf out = STRBUF(64 << 20);
	struct error err = ERROR_NONE;

	if (common_config(common, &c, &err))
		return command_report(EXIT_USAGE, &err);
	if (registry_open(c, &r, &err))
		return command_report(EXIT_FAILED, &err);
	if (word && cli_plugins_info(c, r, word, json, &out, &err))
		return command_report(EXIT_FAILED, &err);
	if (!word && json)
		list_json(r, refused, &out);
	else if (!word && refused)
		list_refused(r, &out);
	else if (!word)
		list_components(r, &out);
	if (out.error) {
		fail_code(&err, out.error);
		return command_report(EXIT_FAILED, &err);
	}
	command_write(stdout, out.text, out.len);
	return EXIT_DONE;
}

enum plugins_subcommand {
	PLUGINS_LIST,
	PLUGINS_INFO,
	PLUGINS_CHECK,
	PLUGINS_NEW,
	PLUGINS_TEST,
};
static const struct subcommand subcommands[] = {
	[PLUGINS_LIST] = { "list", 0, 0, NULL },
	[PLUGINS_INFO] = { "info", 1, 1, NULL },
	[PLUGINS_CHECK] = { "check", 1, 1, NULL },
	[PLUGINS_NEW] = { "new", 0, OPERANDS_MAX, NULL },
	[PLUGINS_TEST] = { "test", 0, OPERANDS_MAX, NULL },
	{ 0 },
};

static int plugins_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	struct error err = ERROR_NONE;
	int index, what;
	enum flags_status flag = flags_parse(self, argc, argv, &index, &a.common);

	if (flag != FLAG_END)
		return flags_exit_code(flag);
	what = command_choose(self, argc - index, argv + index);
	if (what < 0)
		return EXIT_USAGE;
	switch ((enum plugins_subcommand)what) {
	case PLUGINS_LIST:
		return list_or_info(&a.common, NULL, a.json, a.refused);
	case PLUGINS_INFO:
		return list_or_info(&a.common, argv[index + 1], a.json, false);
	case PLUGINS_CHECK:
		return plugins_check(argv[index + 1], a.json, &err);
	case PLUGINS_NEW:
		return plugin_new(&a.common, a.lang, argc - index - 1, argv + index + 1);
	case PLUGINS_TEST:
		return plugin_test(&a.common,
				   a.asan       ? CHECKER_ASAN
				   : a.valgrind ? CHECKER_VALGRIND
						: CHECKER_NONE,
				   argc - index - 1, argv + index + 1);
	}
	return EXIT_FAILED;
}

#define ARGS \
	"[list | info NAME | check FILE | new KIND NAME [DIR] | test FILE [CASES]]"
#define SUMMARY "List, describe, check, create and test plugins"
#define DETAILS                                                                   \
	"list   list installed plugins (default)\n"                               \
	"info   describe a component (NAME or KIND/NAME) or a whole plugin (name,\n" \
	"       id or path), or the plugin of a file that is not installed\n"      \
	"check  load a plugin file in a separate process, ignoring the cache, and\n" \
	"       list its components and the permissions that it declares\n"      \
	"new    create a directory with a plugin that can be built, tested and\n" \
	"       installed; KIND: tool, agent, condenser, analyzer, dialect, "     \
	"runtime\n"                                                               \
	"test   call the tools of a plugin file as the case file says (default:\n" \
	"       FILE with .cases in place of .so) and print the results as TAP"

const struct command command_plugins = {
	.name = "plugins",
	.args = ARGS,
	.summary = SUMMARY,
	.details = DETAILS,
	.flags = flags,
	.subcommands = subcommands,
	.run = plugins_run,
};

/* An alias of the command. */
const struct command command_plugin = {
	.name = "plugin",
	.args = ARGS,
	.summary = SUMMARY,
	.details = DETAILS,
	.flags = flags,
	.subcommands = subcommands,
	.run = plugins_run,
	.hidden = true,
};
