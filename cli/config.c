/* SPDX-License-Identifier: MIT
 *
 * config.c - `mortise config`: shows, explains, checks and trusts configuration. */
#include "commands.h"
#include "controller/plugins/analyzers.h"
#include "files.h"
#include "hooks/hooks.h"
#include "registry/registry.h"
#include "llm/models/router.h"
#include "tools/catalog.h"
#include "tools/mcp-servers.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

struct arguments {
	struct common common;
	bool json;
};

static const struct flag flags[] = {
	FLAG('j', "json", NULL, "show: print JSON",
	     STORE(FLAG_TRUE, struct arguments, json)),
	{ 0 },
};

struct loaded {
	struct config *config;
	struct registry *registry;
};

/* The component that a section configures; NULL if there is none. */
static const struct component *component_of(const struct loaded *l, const char *section,
					    struct error *err)
{
	char kind[32];

	snprintf(kind, sizeof kind, "%.*s", (int)strcspn(section, "."), section);
	if (!kind_find(kind) || !strchr(section, '.'))
		return NULL;
	if (err)
		return registry_need(l->registry, kind_find(kind),
				     config_plugin(l->config, section), err);
	return registry_find(l->registry, kind_find(kind),
			     config_plugin(l->config, section));
}

static const struct mt_option *cli_config_table_of(const char *section, size_t *ret_count,
						   void *arg)
{
	const struct component *c = component_of(arg, section, NULL);

	*ret_count = 0;
	return c ? component_options(c, ret_count) : NULL;
}

static int commands_config_load(const struct common *common, struct loaded *l,
				struct error *err)
{
	int status = common_config(common, &l->config, err);

	if (!status)
		status = registry_open(l->config, &l->registry, err);
	if (status)
		return status;
	config_tables(l->config, cli_config_table_of, l);
	return MT_OK;
}

/* ---- check --------------------------------------------------------------------- */

enum { FAULTS_TEXT_MAX = 1 << 20 };

/* One line per problem, without duplicates. */
struct faults {
	struct strbuf text;
	size_t count;
	bool form_only; /* skip checks of keys, variables and files of this host */
};

static bool cli_config_has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (strncmp(text, line, len) == 0 && text[len] == '\n')
			return true;
	return false;
}

static void cli_config_fault(struct faults *faults, const struct error *err)
{
	if (faults->count && cli_config_has_line(faults->text.text, err->text))
		return;
	strbuf_addf(&faults->text, "%s\n", err->text);
	faults->count++;
}

static void config_on_fault(void *arg, const struct error *fault)
{
	cli_config_fault(arg, fault);
}

static void check_sections(const struct loaded *l, const char *family,
			   struct faults *faults)
{
	const char *name;

	for (size_t n = 0; (name = config_named(l->config, family, n)); n++) {
		AUTO(json) json_object *set = NULL;
		struct error err = ERROR_NONE, why = ERROR_NONE;
		char section[128];
		const struct component *c;

		snprintf(section, sizeof section, "%s.%s", family, name);
		c = component_of(l, section, &why);
		if (!c) {
			fail(&err, why.code, "[%s]: %s", section, why.text);
			cli_config_fault(faults, &err);
		} else if (component_section(l->config, section, c, &set, &err)) {
			cli_config_fault(faults, &err);
		}
	}
}

static void cli_config_check_name(const struct loaded *l, const char *controller,
				  const char *key, const char *kind, const char *name,
				  struct faults *faults)
{
	char section[160];
	struct error err = ERROR_NONE, why = ERROR_NONE;

	snprintf(section, sizeof section, "%s.%.80s", kind, name);
	if (config_has(l->config, section) ||
	    (strcmp(kind, "tool") == 0 && registry_find_toolset(l->registry, name)) ||
	    registry_need(l->registry, kind_find(kind), name, &why))
		return;
	fail(&err, why.code, "%s: [%s] `%s`: %s",
	     config_origin(l->config, controller, key), controller, key, why.text);
	cli_config_fault(faults, &err);
}

/* Every agent in `delegates` must have a section. */
static void check_delegates(const struct loaded *l, const char *controller,
			    struct faults *faults)
{
	const char *list = config_get(l->config, controller, "delegates"), *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len)) {
		struct error err = ERROR_NONE;
		char section[128];
		int shown = (int)(len > 100 ? 100 : len);

		snprintf(section, sizeof section, "controller.%.*s", shown, item);
		if (config_has(l->config, section))
			continue;
		fail(&err, MT_ENOTFOUND,
		     "%s: [%s] `delegates`: unknown agent `%.*s`: the configuration has "
		     "no section [%s]",
		     config_origin(l->config, controller, "delegates"), controller, shown,
		     item, section);
		cli_config_fault(faults, &err);
	}
}

/* Every component that a setting names must exist. */
static void check_controller(const struct loaded *l, const char *section,
			     struct faults *faults)
{
	static const struct {
		const char *key, *kind;
	} names[] = {
		{ "agent", "agent" },         { "tools", "tool" },
		{ "condensers", "condenser" }, { "analyzers", "analyzer" },
		{ "runtime", "runtime" },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *list = config_get(l->config, section, names[i].key), *item;
		size_t len;

		while (list && option_list_next(&list, &item, &len)) {
			char name[128];

			snprintf(name, sizeof name, "%.*s", (int)(len > 100 ? 100 : len),
				 item);
			cli_config_check_name(l, section, names[i].key, names[i].kind,
					      name, faults);
		}
	}
	check_delegates(l, section, faults);
}

/* Check that only the analyzers can do: their rules. */
static void check_analyzers(const struct loaded *l, const char *section, size_t before,
			    struct faults *faults)
{
	AUTO(analyzers) struct analyzers *a = NULL;
	struct error err = ERROR_NONE;

	if (faults->count == before &&
	    analyzers_open(l->config, l->registry, section,
			   config_get(l->config, section, "analyzers"), &a, &err))
		cli_config_fault(faults, &err);
}

/* Open the tools as `mortise run` does. */
static void cli_config_check_tools(const struct loaded *l, const char *list,
				   struct faults *faults)
{
	struct catalog catalog = { 0 };
	struct error err = ERROR_NONE;

	if (catalog_open(l->config, l->registry, list, &catalog, &err))
		cli_config_fault(faults, &err);
	catalog_clear(&catalog);
}

/* Report errors that otherwise only the runner would find. */
static void check_server(const struct loaded *l, const char *name, struct faults *faults)
{
	struct catalog catalog = { 0 };
	struct error err = ERROR_NONE;
	char item[128];

	snprintf(item, sizeof item, MCP_SERVER_PREFIX "%s", name);
	if (catalog_open(l->config, l->registry, item, &catalog, &err))
		cli_config_fault(faults, &err);
	for (size_t i = 0; i < catalog.instance_count && !faults->form_only; i++)
		if (mcp_server_check(name, catalog.instances[i].options, &err))
			cli_config_fault(faults, &err);
	catalog_clear(&catalog);
}

static void check_servers(const struct loaded *l, struct faults *faults)
{
	const char *name;

	for (size_t n = 0; (name = config_named(l->config, "mcp", n)); n++) {
		char section[128];

		snprintf(section, sizeof section, "mcp.%s", name);
		if (config_bool(l->config, section, "enabled"))
			check_server(l, name, faults);
	}
}

static int open_judge(const struct loaded *l, const char *section,
		      struct llm_models *models, struct error *err)
{
	const char *judge = config_get(l->config, section, "judge");
	AUTO(strbuf) struct strbuf from = STRBUF(256);
	struct llm *model;

	if (!judge || !*judge)
		return MT_OK;
	strbuf_addf(&from, "[%s] judge", section);
	return llm_models_get(models, judge, NULL, from.text, &model, err);
}

static int cli_config_open_models(const struct loaded *l, const char *section,
				  uv_loop_t *loop, struct mask *mask, struct error *err)
{
	const char *llm = config_get(l->config, section, "llm");
	struct llm_models *models = NULL;
	struct llm_router *router = NULL;
	struct llm *model;
	int r = llm_models_new(loop, l->config, l->registry, mask, &models, err);

	if (!r)
		r = llm_models_get(models, llm, NULL, section, &model, err);
	if (!r)
		r = open_judge(l, section, models, err);
	if (!r)
		r = llm_router_open(models, l->config,
				    config_get(l->config, section, "router"), &router,
				    err);
	llm_router_free(router);
	llm_models_free(models);
	return r;
}

/* Open the model as `mortise run` does. If none is set, only the default model is
 * reported, once. */
static void check_models(const struct loaded *l, const char *section,
			 struct faults *faults)
{
	const char *llm = config_get(l->config, section, "llm");
	bool named = llm && *llm && strcmp(llm, "default") != 0;
	AUTO(mask) struct mask *mask = mask_new();
	struct error err = ERROR_NONE;
	char name[128];
	uv_loop_t *loop;

	snprintf(name, sizeof name, "llm%s%s", named ? "." : "", named ? llm : "");
	if (!config_get(l->config, name, "model") && strcmp(section, "controller") != 0)
		return;
	loop = mask ? command_loop(&err) : NULL;
	if (!mask)
		out_of_memory(&err);
	if (!loop || cli_config_open_models(l, section, loop, mask, &err))
		cli_config_fault(faults, &err);
}

/* Tools and models are opened only if everything else is valid, so that no error is
 * reported twice. */
static void check_wiring(const struct loaded *l, const char *section,
			 struct faults *faults)
{
	size_t before = faults->count;

	check_controller(l, section, faults);
	check_analyzers(l, section, before, faults);
	if (!faults->count)
		cli_config_check_tools(l, config_get(l->config, section, "tools"),
				       faults);
	if (!faults->count && !faults->form_only)
		check_models(l, section, faults);
}

/* @return 0, or -1 with errno */
static int access_typed(const char *path, int mode, bool dir)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -1;
	if (S_ISDIR(st.st_mode) == dir)
		return access(path, mode);
	errno = dir ? ENOTDIR : EISDIR;
	return -1;
}

/* Check the paths that a run requires. The state directory is created on demand, so its
 * nearest existing parent is checked. */
static void check_paths(const struct loaded *l, struct faults *faults)
{
	static const struct {
		const char *key;
		int mode;
		bool dir, made;
	} paths[] = { { "prompt_dir", R_OK | X_OK, true, false },
		      { "model_table", R_OK, false, false },
		      { "runner", X_OK, false, false },
		      { "state_dir", W_OK | X_OK, true, true } };

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		const char *set = config_get(l->config, "core", paths[i].key);
		AUTO(free) char *path = set && *set ? path_expand(set) : NULL;
		struct error err = ERROR_NONE;
		int status = path ? access_typed(path, paths[i].mode, paths[i].dir) : 0;

		for (char *end; status && paths[i].made && errno == ENOENT &&
				(end = strrchr(path, '/')) && end[1];) {
			end[end == path] = '\0';
			status = access_typed(path, paths[i].mode, paths[i].dir);
		}
		if (status) {
			fail(&err, MT_EIO, "%s: [core] `%s`: cannot use %s: %s",
			     config_origin(l->config, "core", paths[i].key), paths[i].key,
			     path, strerror(errno));
			cli_config_fault(faults, &err);
		}
	}
}

static void check_hooks(const struct loaded *l, struct faults *faults)
{
	AUTO(free) char *dir = realpath(".", NULL), *note = NULL;
	struct error err = ERROR_NONE;
	struct hooks hooks = { 0 };

	if (dir && hooks_load(l->config, dir, &hooks, &note, &err))
		cli_config_fault(faults, &err);
	hooks_clear(&hooks);
}

static void cli_config_check_all(const struct loaded *l, struct faults *faults)
{
	static const char *const families[] = { "tool",    "condenser", "agent",
						"runtime", "analyzer",  "dialect" };
	const char *name;

	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		check_sections(l, families[i], faults);
	if (!faults->form_only)
		check_paths(l, faults);
	check_hooks(l, faults);
	check_servers(l, faults);
	check_wiring(l, "controller", faults);
	for (size_t n = 0; (name = config_named(l->config, "controller", n)); n++) {
		char section[128];

		snprintf(section, sizeof section, "controller.%s", name);
		check_wiring(l, section, faults);
	}
}

/* Check plugins, tools and models only if the files can be read. */
static int find_all_faults(struct common *common, struct faults *ret, struct error *err)
{
	struct loaded l = { 0 };
	int status;

	common->on_fault = config_on_fault;
	common->on_fault_arg = ret;
	status = commands_config_load(common, &l, err);
	if (!status) {
		common_untrusted(l.config);
		cli_config_check_all(&l, ret);
	}
	registry_free(l.registry);
	config_free(l.config);
	return status;
}

int config_list_faults(struct common *common, struct strbuf *ret, struct error *err)
{
	struct faults faults = { .text = STRBUF(FAULTS_TEXT_MAX) };
	int status = find_all_faults(common, &faults, err);

	if (status && !faults.count)
		cli_config_fault(&faults, err);
	*ret = faults.text;
	return faults.text.error;
}

static int config_check(struct common *common)
{
	struct faults faults = { .text = STRBUF(FAULTS_TEXT_MAX) };
	struct error err = ERROR_NONE;
	int status = find_all_faults(common, &faults, &err);

	fputs(faults.count ? faults.text.text
	      : status     ? ""
			   : "the configuration is valid\n",
	      stdout);
	fflush(stdout);
	if (status && (!faults.count || status == MT_ELIMIT))
		command_report(EXIT_USAGE, &err);
	strbuf_clear(&faults.text);
	return status || faults.count ? EXIT_USAGE : EXIT_DONE;
}

/* ---- trust --------------------------------------------------------------------- */

static int find_faults(const struct common *common, struct faults *ret, struct error *err)
{
	struct loaded l = { 0 };
	int status = commands_config_load(common, &l, err);

	if (!status)
		cli_config_check_all(&l, ret);
	registry_free(l.registry);
	config_free(l.config);
	return status;
}

/* Print the problems that exist only `with` the file. @return true if there are any. */
static bool print_new(const struct faults *with, const struct faults *without)
{
	bool found = false;

	for (char *line = with->text.text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		*end = '\0';
		if (!cli_config_has_line(without->text.text, line)) {
			fprintf(stderr, "mortise: %s\n", line);
			found = true;
		}
		*end = '\n';
	}
	return found;
}

/* True if runs would fail because of the project's file. Problems that exist without it
 * are ignored. */
static bool does_not_work(struct common *common)
{
	struct faults with = { .text = STRBUF(FAULTS_TEXT_MAX), .form_only = true },
		      without = { .text = STRBUF(FAULTS_TEXT_MAX), .form_only = true };
	struct error err = ERROR_NONE;
	bool bad = false;

	if (find_faults(common, &without, &err) == MT_OK) {
		common->trust = true;
		if (find_faults(common, &with, &err))
			bad = command_report(true, &err);
		else
			bad = print_new(&with, &without);
	}
	strbuf_clear(&with.text);
	strbuf_clear(&without.text);
	return bad;
}

/* ---- the command ------------------------------------------------------------------ */

static int trust(struct common *common)
{
	struct error err = ERROR_NONE;

	if (does_not_work(common))
		return EXIT_FAILED;
	if (config_trust(common->workspace, &err))
		return command_report(EXIT_FAILED, &err);
	puts("trusted at its current content");
	return EXIT_DONE;
}

enum config_subcommand { CONFIG_SHOW, CONFIG_EXPLAIN, CONFIG_CHECK, CONFIG_TRUST };
static const struct subcommand subcommands[] = {
	[CONFIG_SHOW] = { "show", 0, 0, NULL },
	[CONFIG_EXPLAIN] = { "explain", 1, 1, NULL },
	[CONFIG_CHECK] = { "check", 0, 0, NULL },
	[CONFIG_TRUST] = { "trust", 0, 1, NULL },
	{ 0 },
};

static int cli_config_act(const struct loaded *l, int what, const char *key, bool json)
{
	AUTO(strbuf) struct strbuf out = STRBUF(16 << 20);
	struct error err = ERROR_NONE;
	int status;

	common_untrusted(l->config);
	if (what == CONFIG_EXPLAIN)
		status = config_explain(l->config, key, &out, &err);
	else
		status = config_show(l->config, json, &out);
	if (status) {
		fail_code(&err, status);
		return command_report(EXIT_FAILED, &err);
	}
	fwrite(out.text, 1, out.len, stdout);
	return EXIT_DONE;
}

static int config_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	struct loaded l = { 0 };
	struct error err = ERROR_NONE;
	int index, what, code;
	const char *operand;
	enum flags_status flag = flags_parse(self, argc, argv, &index, &a.common);

	if (flag != FLAG_END)
		return flags_exit_code(flag);
	what = command_choose(self, argc - index, argv + index);
	if (what < 0)
		return EXIT_USAGE;
	operand = argc - index > 1 ? argv[index + 1] : NULL;
	if (what == CONFIG_TRUST) {
		if (operand)
			a.common.workspace = operand;
		return trust(&a.common);
	}
	if (what == CONFIG_CHECK)
		return config_check(&a.common);
	code = commands_config_load(&a.common, &l, &err)
		       ? command_report(EXIT_USAGE, &err)
		       : cli_config_act(&l, what, operand, a.json);
	registry_free(l.registry);
	config_free(l.config);
	return code;
}

const struct command command_config = {
	.name = "config",
	.args = "[show | explain SECTION.KEY | check | trust [DIR]]",
	.summary = "Show, explain and check the configuration; trust a project",
	.details = "show     print effective values and where they are set\nexplain  "
		   "describe a key or a section and what it overrides\ncheck    check "
		   "everything, including plugin options\ntrust    use "
		   ".mortise/mortise.ini of a project at its current content",
	.flags = flags,
	.subcommands = subcommands,
	.run = config_run,
};
