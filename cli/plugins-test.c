/* SPDX-License-Identifier: MIT
 *
 * plugins-test.c - `mortise plugins test`: calls the tools of a plugin as specified by
 * a case file, in a worker, and compares the results. Prints TAP. */
#include "plugins.h"
#include "spool.h"

#include "array.h"
#include "controller/plugins/launch.h"
#include "controller/plugins/plugin-load.h"
#include "files.h"
#include "ini.h"
#include "pattern.h"
#include "tools/calls.h"
#include "tools/option-secrets.h"
#include "llm/transport/http-requests.h"
#include "tools/secret-requests.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <mortise/tool.h>
#include <string.h>

enum {
	LIST_MAX = 1 << 16,
	LOG_MAX = 1 << 20,
	SHOWN_MAX = 1 << 28, /* of a result */
	PLUGIN_MAX = 1 << 28,
	PREVIEW_MS = 5000, /* as for a preview in a conversation */
};

/* ---- the case file ---------------------------------------------------------------- */

enum key {
	KEY_CALL, KEY_ARGUMENTS,
	KEY_RESULT, KEY_MATCH, KEY_ERROR, KEY_STRUCTURED, KEY_PREVIEW, /* expectations */
	KEYS
};

static const char *const keys[KEYS] = { "call", "arguments", "result", "match",
					"error", "structured", "preview" };

struct test_case {
	const char *name;                     /* of its section */
	unsigned line;
	const struct ini_entry *entries[KEYS]; /* NULL: absent */
	enum key expected;
};

struct cases {
	const char *path;
	struct ini ini;
	struct test_case *list;
	size_t count;
};

static struct test_case *find_case(const struct cases *cases, const char *name)
{
	for (size_t i = 0; i < cases->count; i++)
		if (strcmp(cases->list[i].name, name) == 0)
			return &cases->list[i];
	return NULL;
}

static int plugins_test_add_entry(struct cases *cases, const struct ini_entry *entry,
				  struct error *err)
{
	struct test_case *c = find_case(cases, entry->section);
	enum key key = 0;

	if (!c)
		return fail(err, MT_EINVAL,
			    "%s:%u: `%s` belongs to no case; write [NAME OF THE CASE] "
			    "before it",
			    cases->path, entry->line, entry->key);
	while (key < KEYS && strcmp(keys[key], entry->key) != 0)
		key++;
	if (key == KEYS)
		return fail(err, MT_EINVAL,
			    "%s:%u: unknown key `%s`; use call, arguments, result, "
			    "match, error, structured or preview",
			    cases->path, entry->line, entry->key);
	if (entry->op != '=' || c->entries[key])
		return fail(err, MT_EINVAL, "%s:%u: set `%s` of a case once, with `=`",
			    cases->path, entry->line, entry->key);
	c->entries[key] = entry;
	return MT_OK;
}

static int check_pattern(const struct cases *cases, const struct ini_entry *entry,
			 struct error *err)
{
	AUTO(json) json_object *pattern = json_object_new_string(entry->value);
	struct error why = ERROR_NONE;

	if (!pattern)
		return out_of_memory(err);
	if (pattern_check(pattern, &why))
		return fail(err, MT_EINVAL, "%s:%u: invalid regular expression: %s",
			    cases->path, entry->line, why.text);
	return MT_OK;
}

static int plugins_test_check_object(const struct cases *cases,
				     const struct ini_entry *entry, const char *what,
				     struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(json) json_object *object =
		js_parse_object(entry->value, strlen(entry->value), &why);

	return object ? MT_OK
		      : fail(err, MT_EINVAL, "%s:%u: invalid %s: %s", cases->path,
			     entry->line, what, why.text);
}

static int check_case(const struct cases *cases, struct test_case *c, struct error *err)
{
	const struct ini_entry *arguments = c->entries[KEY_ARGUMENTS], *expected;
	size_t expectations = 0;

	if (!c->entries[KEY_CALL])
		return fail(err, MT_EINVAL,
			    "%s:%u: the case `%s` calls no tool; add `call = TOOL`",
			    cases->path, c->line, c->name);
	for (enum key key = KEY_RESULT; key < KEYS; key++)
		if (c->entries[key]) {
			c->expected = key;
			expectations++;
		}
	if (expectations != 1)
		return fail(err, MT_EINVAL,
			    "%s:%u: the case `%s` needs one of result, match, error, "
			    "structured and preview",
			    cases->path, c->line, c->name);
	if (arguments &&
	    plugins_test_check_object(cases, arguments, keys[KEY_ARGUMENTS], err))
		return err->code;
	expected = c->entries[c->expected];
	if (c->expected == KEY_STRUCTURED)
		return plugins_test_check_object(cases, expected, keys[KEY_STRUCTURED],
						 err);
	return c->expected == KEY_MATCH || c->expected == KEY_ERROR
		       ? check_pattern(cases, expected, err)
		       : MT_OK;
}

static int read_cases(struct cases *cases, struct error *err)
{
	struct ini *ini = &cases->ini;

	if (ini_read(cases->path, ini, err))
		return err->code;
	if (ini->section_count == 0)
		return fail(err, MT_EINVAL, "%s: the file contains no case", cases->path);
	cases->list = calloc(ini->section_count, sizeof *cases->list);
	if (!cases->list)
		return out_of_memory(err);
	for (size_t i = 0; i < ini->section_count; i++) {
		if (find_case(cases, ini->sections[i]))
			return fail(err, MT_EINVAL,
				    "%s:%u: there are two cases `%s`; rename one",
				    cases->path, ini->section_lines[i], ini->sections[i]);
		cases->list[cases->count++] = (struct test_case){
			.name = ini->sections[i], .line = ini->section_lines[i] };
	}
	for (size_t i = 0; i < ini->count && !err->code; i++)
		plugins_test_add_entry(cases, &ini->entries[i], err);
	for (size_t i = 0; i < cases->count && !err->code; i++)
		check_case(cases, &cases->list[i], err);
	return err->code;
}

/* ---- one result ------------------------------------------------------------------- */

struct test_run {
	const struct cases *cases;
	const struct config *config;
	const struct catalog *catalog;
	const struct tool_instance *instance; /* of the current case */
	uv_loop_t *loop;
	struct runner *runner;
	struct http_requests http;
	struct mask *mask; /* secrets are not printed */
	size_t next;   /* the next case to run */
	size_t failed;
};

static void print_comment(const char *label, const char *text, size_t len)
{
	printf("#   %s: ", label);
	for (size_t i = 0; i < len; i++) {
		putchar(text[i]);
		if (text[i] == '\n')
			fputs("#     ", stdout);
	}
	putchar('\n');
}

static void print_masked(const struct mask *mask, const char *label, const char *text,
			 size_t len)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(SHOWN_MAX);

	if (secret_mask_result(mask, text, len, &shown))
		strbuf_reset(&shown);
	print_comment(label, shown.text ? shown.text : "", shown.len);
}

static size_t trimmed(const char *text, size_t len)
{
	while (len && text[len - 1] == '\n')
		len--;
	return len;
}

static bool is_match(const char *pattern, const char *text, size_t len)
{
	AUTO(json) json_object *object = json_object_new_string(pattern);

	return object && pattern_matches_once(object, text, len) == MT_OK;
}

static bool is_same_object(const char *want, const char *json, size_t len)
{
	AUTO(json) json_object *a = js_parse_object(want, strlen(want), NULL);
	AUTO(json) json_object *b = js_parse_object(json, len, NULL);

	return a && b && json_object_equal(a, b);
}

/* `error` is NULL for a call that succeeded. */
static bool is_expected(const struct test_case *c, const char *error, const char *text,
			size_t len)
{
	const char *want = c->entries[c->expected]->value;

	if (c->expected == KEY_ERROR)
		return error && is_match(want, error, strlen(error));
	if (error)
		return false;
	len = trimmed(text, len);
	if (c->expected == KEY_MATCH)
		return is_match(want, text, len);
	if (c->expected == KEY_STRUCTURED)
		return is_same_object(want, text, len);
	return strlen(want) == len && memcmp(want, text, len) == 0;
}

/* Compares the result with the expectation of the case, and prints the outcome. */
static void plugins_test_judge(struct test_run *run, const char *error, const char *text,
			       size_t len)
{
	const struct test_case *c = &run->cases->list[run->next++];
	const struct ini_entry *want = c->entries[c->expected];
	bool good = is_expected(c, error, text, len);

	printf("%sok %zu - %s\n", good ? "" : "not ", run->next, c->name);
	if (!good) {
		run->failed++;
		printf("#   %s:%u\n", run->cases->path, want->line);
		print_masked(run->mask, keys[c->expected], want->value,
			     strlen(want->value));
		if (error)
			print_masked(run->mask, "got the error", error, strlen(error));
		else
			print_masked(run->mask, "got", text, trimmed(text, len));
	}
	fflush(stdout);
}

/* ---- the calls -------------------------------------------------------------------- */

/* Sends the call of the current case; fails with `err` if it cannot be sent. */
static int send_case(struct test_run *run, struct error *err)
{
	const struct test_case *c = &run->cases->list[run->next];
	const struct ini_entry *given = c->entries[KEY_ARGUMENTS];
	const char *json = given ? given->value : "{}";
	const struct tool *tool = catalog_find(run->catalog, c->entries[KEY_CALL]->value);
	AUTO(json) json_object *args = NULL;
	const char *text;
	size_t len;

	if (!tool)
		return catalog_unknown(run->catalog, c->entries[KEY_CALL]->value, json,
				       err);
	if (tool->hints & MT_TOOL_CONTROL)
		return fail(err, MT_EUNSUPPORTED,
			    "the controller handles %s; it can be called only in a "
			    "conversation",
			    tool->name);
	args = call_arguments(tool, json, strlen(json), err);
	text = args ? js_text(args, &len) : NULL;
	if (!text)
		return err->code ? err->code : out_of_memory(err);
	run->instance = &run->catalog->instances[tool->instance];
	if (c->expected == KEY_PREVIEW && !tool->previews)
		return fail(err, MT_EUNSUPPORTED, "the tool %s has no preview",
			    tool->name);
	if (c->expected == KEY_PREVIEW)
		return runner_preview(run->runner, run->next + 1, run->instance->name,
				      tool->real, text, len, PREVIEW_MS, err);
	return runner_call(run->runner, run->next + 1, run->instance->name, tool->real,
			   text, len, call_deadline_ms(run->instance, tool, 0), err);
}

/* Start the next case. One that cannot be sent has its result immediately. */
static void plugins_test_advance(struct test_run *run)
{
	while (run->next < run->cases->count) {
		struct error err = ERROR_NONE;

		if (!send_case(run, &err))
			return;
		plugins_test_judge(run, err.text, "", 0);
	}
	http_requests_clear(&run->http);
	runner_close(run->runner);
}

static void plugins_test_on_result(void *arg, const struct runner_result *result)
{
	const char *error = result->error ? result->error : status_name(result->status);
	struct test_run *run = arg;
	json_object *structured = js_get(result->fields, "structured");
	const char *text = result->text;
	size_t len = result->text_len;

	http_requests_cancel(&run->http);
	if (run->cases->list[run->next].expected == KEY_STRUCTURED) {
		text = structured ? js_text(structured, &len) : NULL;
		len = text ? len : 0;
	}
	plugins_test_judge(run, result->status ? error : NULL, text ? text : "", len);
	plugins_test_advance(run);
}

static void plugins_test_on_request(void *arg, uint64_t id, uint64_t request,
				    const char *method, json_object *params)
{
	static const char text[] = "no conversation is attached";
	struct test_run *run = arg;
	const struct http_caller caller = { .loop = run->loop, .config = run->config,
					    .instance = run->instance,
					    .runner = run->runner };

	(void)id;
	if (strcmp(method, HTTP_REQUESTS_METHOD) == 0)
		http_requests_send(&run->http, &caller, request, params);
	else if (!secret_request_answer(run->runner, run->config, run->mask, request,
					method, params))
		runner_answer(run->runner, request, MT_EUNSUPPORTED, text,
			      sizeof text - 1);
}

static const struct runner_events events = { .result = plugins_test_on_result,
					     .request = plugins_test_on_request };

static int run_cases(struct config *c, struct registry *r, struct test_run *run,
		     const char *workspace, const char *spool, struct error *err)
{
	struct plugin_component runtime = { 0 };
	struct launch l = { .loop = command_loop(err), .config = c, .runtime = &runtime,
			    .catalogs = &run->catalog, .catalog_count = 1,
			    .workspace = workspace, .conversation = "test",
			    .spool_dir = spool, .mask = run->mask,
			    .stderr_fd = STDERR_FILENO };

	run->loop = l.loop;
	if (l.loop &&
	    !plugin_component_load(c, r, MT_KIND_RUNTIME,
				   config_get(c, "controller", "runtime"), &runtime,
				   err) &&
	    !launch_runner(&l, &events, run, &run->runner, err)) {
		printf("1..%zu\n", run->cases->count);
		plugins_test_advance(run);
		uv_run(l.loop, UV_RUN_DEFAULT);
	}
	plugin_component_clear(&runtime);
	return err->code;
}

/* ---- the plugin ------------------------------------------------------------------- */

/* The toolsets of the file, as a list for catalog_open. */
static int toolsets(const struct registry *r, const char *path, struct strbuf *list,
		    struct error *err)
{
	AUTO(json) json_object *plugin = NULL;
	json_object *components;

	if (registry_probe(path, &plugin, err))
		return err->code;
	components = js_get(plugin, "components");
	for (size_t i = 0; i < json_object_array_length(components); i++) {
		json_object *item = json_object_array_get_idx(components, i);
		const char *name = js_str(item, "name", "");
		const struct component *found = registry_find(r, MT_KIND_TOOL, name);

		if (strcmp(js_str(item, "kind", ""), "tool") != 0)
			continue;
		if (!found || strcmp(found->path, path) != 0)
			return fail(err, MT_EEXIST,
				    "`%s` is the toolset of %s; rename it", name,
				    found ? found->path : "no file that can be used");
		strbuf_addf(list, "%s%s", list->len ? ", " : "", name);
	}
	if (list->error)
		return fail_code(err, list->error);
	return list->len
		       ? MT_OK
		       : fail(err, MT_EINVAL,
			      "the plugin provides no tool; case files call tools only");
}

/* The path of the case file: the path of the plugin, with .cases instead of .so. */
static char *cases_path(const char *file)
{
	size_t len = strlen(file);
	AUTO(strbuf) struct strbuf path = STRBUF(PATH_MAX);

	if (len > 3 && strcmp(file + len - 3, ".so") == 0)
		len -= 3;
	strbuf_addf(&path, "%.*s.cases", (int)len, file);
	return strbuf_take(&path);
}

/* The configuration, with the directory of the file as a directory of plugins. */
static int load_config(struct common *common, const char *path, struct strbuf *option,
		       const char *runner, struct config **ret, struct error *err)
{
	const char *slash = strrchr(path, '/');

	strbuf_addf(option, "core.plugin_path+=%.*s", (int)(slash - path), path);
	if (option->error || common->override_count + 2 > ARRAY_LEN(common->overrides))
		return fail(err, MT_ELIMIT, "too many options");
	common->overrides[common->override_count++] = option->text;
	if (runner)
		common->overrides[common->override_count++] = runner;
	return common_config(common, ret, err);
}

/* ---- memory checkers -------------------------------------------------------------- */

/* Finds the runtime that gcc -fsanitize=address linked the file with. */
static int find_asan(const char *path, char **ret, struct error *err)
{
	static const char name[] = "libasan.so.";
	AUTO(free) char *bytes = NULL;
	const char *found;
	size_t len;

	if (file_read(path, PLUGIN_MAX, &bytes, &len, err))
		return err->code;
	found = memmem(bytes, len, name, sizeof name - 1);
	if (!found)
		return fail(err, MT_EINVAL,
			    "%s is not linked with libasan; build it by gcc with "
			    "-fsanitize=address",
			    path);
	*ret = strdup(found); /* file_read appends a NUL */
	return *ret ? MT_OK : out_of_memory(err);
}

/* Loads plugins that require the runtime in probes, whose results are not cached. */
static int probe_with_asan(const char *library, const char *directory, struct error *err)
{
	if (setenv("XDG_CACHE_HOME", directory, 1) || registry_probe_preload(library))
		return out_of_memory(err);
	return MT_OK;
}

static void put_checker(enum plugin_checker checker, const char *directory,
			const char *library, struct strbuf *script)
{
	if (checker == CHECKER_VALGRIND)
		strbuf_addf(script,
			    "exec valgrind -q --leak-check=full "
			    "--errors-for-leak-kinds=definite --trace-children=no "
			    "--log-file='%s/checker.%%p'",
			    directory);
	else
		strbuf_addf(script,
			    "export ASAN_OPTIONS='log_path=%s/checker' LD_PRELOAD='%s'\n"
			    "export UBSAN_OPTIONS='log_path=%s/checker'\nexec",
			    directory, library, directory);
}

/* Creates a program in `directory` that starts the runner, and thereby the workers, under
 * the checker; `option` selects this program. */
static int wrap_runner(struct common *common, enum plugin_checker checker,
		       const char *path, const char *directory, struct strbuf *option,
		       struct error *err)
{
	AUTO(config) struct config *c = NULL;
	AUTO(strbuf) struct strbuf script = STRBUF(LIST_MAX);
	AUTO(free) char *library = NULL;

	if (checker == CHECKER_ASAN &&
	    (find_asan(path, &library, err) || probe_with_asan(library, directory, err)))
		return err->code;
	if (common_config(common, &c, err))
		return err->code;
	strbuf_add(&script, "#!/bin/sh\n");
	put_checker(checker, directory, library, &script);
	strbuf_addf(&script, " '%s' \"$@\"\n", config_get(c, "core", "runner"));
	strbuf_addf(option, "core.runner=%s/runner", directory);
	if (script.error || option->error)
		return out_of_memory(err);
	return file_write(option->text + strlen("core.runner="), script.text, script.len,
			  0700, false, err);
}

/* Lines of reports start with ==PID==, those of warnings about valgrind itself do not. */
static bool has_report(enum plugin_checker checker, const char *text)
{
	return checker == CHECKER_ASAN || strncmp(text, "==", 2) == 0 ||
	       strstr(text, "\n==");
}

static bool print_log(enum plugin_checker checker, const char *directory,
		      const char *name)
{
	AUTO(free) char *path = path_join(directory, name);
	AUTO(free) char *text = NULL;
	size_t len;

	if (!path || file_read(path, LOG_MAX, &text, &len, NULL) ||
	    !has_report(checker, text))
		return false;
	print_comment("report", text, trimmed(text, len));
	return true;
}

/* Prints the reports of the checker. @return true if there were any. */
static bool print_logs(enum plugin_checker checker, const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *entry;
	bool found = false;

	while (d && (entry = readdir(d)))
		if (strncmp(entry->d_name, "checker.", strlen("checker.")) == 0)
			found |= print_log(checker, directory, entry->d_name);
	if (d)
		closedir(d);
	return found;
}

/* ---- the command ------------------------------------------------------------------ */

static int run_file(struct common *common, const char *path, const char *workspace,
		    const char *spool, const char *runner, struct test_run *run)
{
	AUTO(config) struct config *c = NULL;
	AUTO(registry) struct registry *r = NULL;
	AUTO(mask) struct mask *mask = mask_new();
	AUTO(strbuf) struct strbuf option = STRBUF(2 * PATH_MAX), list = STRBUF(LIST_MAX);
	struct catalog catalog = { 0 };
	struct error err = ERROR_NONE;

	if (!mask)
		return command_report(EXIT_FAILED, (out_of_memory(&err), &err));
	if (load_config(common, path, &option, runner, &c, &err))
		return command_report(EXIT_USAGE, &err);
	if (registry_open(c, &r, &err) || option_secrets_hide(c, r, mask, &err) ||
	    toolsets(r, path, &list, &err) ||
	    catalog_open(c, r, list.text, &catalog, &err))
		return command_report(EXIT_FAILED, &err);
	run->catalog = &catalog;
	run->config = c;
	run->mask = mask;
	run_cases(c, r, run, workspace, spool, &err);
	catalog_clear(&catalog);
	if (err.code)
		return command_report(EXIT_TOOL, &err);
	return run->failed ? EXIT_FAILED : EXIT_DONE;
}

static int run_test(struct common *common, enum plugin_checker checker, const char *path,
		    const struct cases *cases)
{
	AUTO(strbuf) struct strbuf runner = STRBUF(2 * PATH_MAX);
	char workspace[PATH_MAX], spool[PATH_MAX];
	struct test_run run = { .cases = cases };
	struct error err = ERROR_NONE;
	uv_loop_t *loop = command_loop(&err);
	int code;

	if (!loop)
		return command_report(EXIT_FAILED, &err);
	if (!realpath(common->workspace ? common->workspace : ".", workspace)) {
		fail(&err, MT_EIO, "cannot use the workspace: %s", strerror(errno));
		return command_report(EXIT_FAILED, &err);
	}
	if (command_spool_open("mortise-test", spool, sizeof spool, &err))
		return command_report(EXIT_FAILED, &err);
	if (checker && wrap_runner(common, checker, path, spool, &runner, &err)) {
		command_spool_close();
		return command_report(EXIT_FAILED, &err);
	}
	code = run_file(common, path, workspace, spool, checker ? runner.text : NULL,
			&run);
	if (checker && print_logs(checker, spool) && code == EXIT_DONE)
		code = EXIT_FAILED;
	command_spool_close();
	return code;
}

int plugin_test(struct common *common, enum plugin_checker checker, int count,
		char **words)
{
	AUTO(free) char *path = NULL;
	AUTO(free) char *default_path = NULL;
	struct cases cases = { 0 };
	struct error err = ERROR_NONE;
	int code;

	if (count < 1 || count > 2) {
		fail(&err, MT_EINVAL, "plugins test: use test FILE [CASES]");
		return command_report(EXIT_USAGE, &err);
	}
	path = realpath(words[0], NULL);
	if (!path) {
		fail(&err, MT_ENOTFOUND, "cannot open `%s`: %s", words[0],
		     strerror(errno));
		return command_report(EXIT_FAILED, &err);
	}
	default_path = cases_path(words[0]);
	cases.path = count > 1 ? words[1] : default_path;
	if (!cases.path)
		out_of_memory(&err);
	code = err.code || read_cases(&cases, &err)
		       ? command_report(EXIT_USAGE, &err)
		       : run_test(common, checker, path, &cases);
	free(cases.list);
	ini_clear(&cases.ini);
	return code;
}
