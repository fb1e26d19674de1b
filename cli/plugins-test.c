/* SPDX-License-Identifier: MIT
 *
 * plugins-test.c - `mortise plugins test`: calls the tools of a plugin as specified by
 * a case file, in a worker, and compares the results. Prints TAP. */
#include "plugins-test.h"
#include "spool.h"

#include "array.h"
#include "controller/plugins/launch.h"
#include "controller/plugins/plugin-load.h"
#include "files.h"
#include "log.h"
#include "pattern.h"
#include "tools/calls.h"
#include "tools/option-secrets.h"
#include "llm/transport/http-requests.h"
#include "tools/secret-requests.h"

#include <errno.h>
#include <limits.h>
#include <mortise/tool.h>
#include <string.h>

enum {
	LIST_MAX = 1 << 16,
	SHOWN_MAX = 1 << 28, /* of a result */
	PREVIEW_MS = 5000, /* as for a preview in a conversation */
	TOOLS_MS = 10000,  /* for the tools that are listed at run time */
};

/* ---- one result ------------------------------------------------------------------- */

struct test_run {
	const struct cases *cases;
	const struct config *config;
	struct catalog *catalog;
	const struct tool_instance *instance; /* of the current case */
	uv_loop_t *loop;
	uv_timer_t timer;      /* runs while the next case waits for a list of tools */
	struct runner *runner; /* NULL: it has exited */
	struct http_requests http;
	struct mask *mask; /* secrets are not printed */
	size_t next;   /* the next case to run */
	size_t failed;
};

void test_print_comment(const char *label, const char *text, size_t len)
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
	test_print_comment(label, shown.text ? shown.text : "", shown.len);
}

size_t test_trimmed(const char *text, size_t len)
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
	len = test_trimmed(text, len);
	if (c->expected == KEY_MATCH)
		return is_match(want, text, len);
	if (c->expected == KEY_STRUCTURED)
		return is_same_object(want, text, len);
	return strlen(want) == len && memcmp(want, text, len) == 0;
}

/* Compare the result with the expectation of the case, and print the outcome. */
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
		print_masked(run->mask, want->key, want->value, strlen(want->value));
		if (error)
			print_masked(run->mask, "got the error", error, strlen(error));
		else
			print_masked(run->mask, "got", text, test_trimmed(text, len));
	}
	fflush(stdout);
}

/* ---- the calls -------------------------------------------------------------------- */

/* Send the call of the current case; fail with `err` if it cannot be sent. */
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
static void plugins_test_send(struct test_run *run)
{
	uv_timer_stop(&run->timer);
	catalog_renew(run->catalog);
	while (run->next < run->cases->count) {
		struct error err = ERROR_NONE;

		if (!send_case(run, &err))
			return;
		plugins_test_judge(run, err.text, "", 0);
	}
	http_requests_clear(&run->http);
	runner_close(run->runner);
}

/* Is a toolset listing its tools, at first or after a change? */
static bool is_listing(const struct test_run *run)
{
	for (size_t i = 0; i < run->catalog->instance_count; i++)
		if (run->catalog->instances[i].dynamic &&
		    !run->catalog->instances[i].answered)
			return true;
	return runner_changing(run->runner);
}

static void plugins_test_on_time(uv_timer_t *timer)
{
	plugins_test_send(timer->data);
}

/* The next case may call a tool that is being listed. */
static void plugins_test_advance(struct test_run *run)
{
	if (run->next == run->cases->count || !is_listing(run) ||
	    uv_timer_start(&run->timer, plugins_test_on_time, TOOLS_MS, 0) != 0)
		plugins_test_send(run);
}

static void plugins_test_on_ready(void *arg)
{
	struct test_run *run = arg;

	for (size_t i = 0; i < run->catalog->instance_count; i++)
		if (run->catalog->instances[i].dynamic)
			runner_list(run->runner, run->catalog->instances[i].name, NULL);
}

static void plugins_test_on_tools(void *arg, const char *instance, json_object *tools,
				  const char *why)
{
	struct test_run *run = arg;

	(void)why;
	catalog_arrived(run->catalog, instance, tools);
	if (uv_is_active((uv_handle_t *)&run->timer) && !is_listing(run))
		plugins_test_send(run);
}

static void plugins_test_on_closed(void *arg, const struct error *why)
{
	struct test_run *run = arg;

	run->runner = NULL;
	uv_close((uv_handle_t *)&run->timer, NULL);
	while (run->next < run->cases->count)
		plugins_test_judge(run, why->text, "", 0);
}

static void plugins_test_on_result(void *arg, const struct runner_result *result)
{
	const char *error = result->error ? result->error : status_name(result->status);
	struct test_run *run = arg;
	const struct test_case *c = &run->cases->list[run->next];
	const struct tool *tool = catalog_find(run->catalog, c->entries[KEY_CALL]->value);
	json_object *structured;
	const char *text = result->text;
	size_t len = result->text_len;

	http_requests_cancel(&run->http);
	if (tool)
		result_check_structured(tool, result->fields);
	if (c->expected == KEY_STRUCTURED) {
		structured = js_get(result->fields, "structured");
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

static const struct runner_events events = { .ready = plugins_test_on_ready,
					     .result = plugins_test_on_result,
					     .request = plugins_test_on_request,
					     .tools = plugins_test_on_tools,
					     .log = runner_write_log,
					     .closed = plugins_test_on_closed };

static int run_cases(struct config *c, struct registry *r, struct test_run *run,
		     const char *workspace, const char *spool, struct error *err)
{
	const struct catalog *catalog = run->catalog;
	struct plugin_component runtime = { 0 };
	struct launch l = { .loop = command_loop(err), .config = c, .runtime = &runtime,
			    .catalogs = &catalog, .catalog_count = 1,
			    .workspace = workspace, .conversation = "test",
			    .spool_dir = spool, .mask = run->mask,
			    .stderr_fd = STDERR_FILENO };

	run->loop = l.loop;
	if (l.loop &&
	    !plugin_component_load(c, r, MT_KIND_RUNTIME,
				   config_get(c, "controller", "runtime"), &runtime,
				   err) &&
	    !launch_runner(&l, &events, run, &run->runner, err)) {
		uv_timer_init(l.loop, &run->timer);
		run->timer.data = run;
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
				    found ? found->path : "a rejected plugin");
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
	log_set_mask(mask);
	run_cases(c, r, run, workspace, spool, &err);
	log_set_mask(NULL);
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
	if (checker && checker_wrap_runner(common, checker, path, spool, &runner, &err)) {
		command_spool_close();
		return command_report(EXIT_FAILED, &err);
	}
	code = run_file(common, path, workspace, spool, checker ? runner.text : NULL,
			&run);
	if (checker && checker_print_logs(checker, spool) && code == EXIT_DONE)
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
	code = err.code || test_cases_read(&cases, &err)
		       ? command_report(EXIT_USAGE, &err)
		       : run_test(common, checker, path, &cases);
	free(cases.list);
	ini_clear(&cases.ini);
	return code;
}
