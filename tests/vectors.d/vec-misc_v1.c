/* SPDX-License-Identifier: MIT
 *
 * vec-misc_v1.c - recorded cases of V1's smaller parts that are ours by now:
 * hooks (with on_failure = allow), changes that git names, tools. */
#include "context/repository.h"
#include "features/task-list.h"
#include "hooks/hooks.h"
#include "plugins/tools/patch/patch.h"
#include "text/glob.h"
#include "vec.h"

#include <signal.h>

/* ---- hook_matcher --------------------------------------------------------------- */

static bool on_matcher(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in");
	bool got =
		hook_matches(js_str(in, "matcher", "*"), js_str(in, "tool_name", NULL));

	if (got != js_bool(c, "output", false))
		vec_fault(v, "matches", got ? "no" : "yes", got ? "yes" : "no");
	return true;
}

/* ---- hook_config ---------------------------------------------------------------- */

static void put_hook(json_object *list, const struct hook *h)
{
	json_object *o = json_object_new_object();

	if (strcmp(h->type, "command") != 0)
		js_set_str(o, "type", h->type);
	if (h->argv)
		js_set_str(o, "command", h->argv[2]);
	if (h->prompt)
		js_set_str(o, "prompt", h->prompt);
	if (h->timeout_ms != 60000)
		js_set_int(o, "timeout", h->timeout_ms / 1000);
	json_object_array_add(list, o);
}

/* "PreToolUse" as a key: "pre_tool_use". */
static void key_of(const char *name, char key[64])
{
	size_t n = 0;

	for (const char *p = name; *p && n < 62; p++) {
		if (p > name && *p >= 'A' && *p <= 'Z')
			key[n++] = '_';
		key[n++] = (char)(*p | 0x20);
	}
	key[n] = '\0';
}

/* As the original prints it: only values that differ from the defaults. */
static json_object *shown(const struct hooks *h)
{
	json_object *all = json_object_new_object(), *groups = NULL, *list = NULL;

	for (size_t i = 0; i < h->count; i++) {
		const struct hook *one = &h->all[i];
		bool same = i && h->all[i - 1].event == one->event;

		if (!same) {
			char key[64];

			key_of(hook_event_name(one->event), key);
			groups = json_object_new_array();
			js_set(all, key, groups);
		}
		if (!same || h->all[i - 1].group != one->group) {
			json_object *group = json_object_new_object();

			list = json_object_new_array();
			if (strcmp(one->matcher, "*") != 0)
				js_set_str(group, "matcher", one->matcher);
			js_set(group, "hooks", list);
			json_object_array_add(groups, group);
		}
		put_hook(list, one);
	}
	return all;
}

static bool on_config(struct vec *v, json_object *c)
{
	struct error err = ERROR_NONE;
	struct hooks h = { 0 };
	json_object *out = js_get(c, "output"), *got = NULL;
	int r = hooks_read(&h, js_path(c, "in.config"), "hooks.json", &err);

	if (!r)
		got = shown(&h);
	if (!out != (r != 0) || (out && !json_object_equal(out, got)))
		vec_fault(v, "configuration", out ? js_text(out, NULL) : "an error",
			  r ? err.text : js_text(got, NULL));
	json_object_put(got);
	hooks_clear(&h);
	return true;
}

/* ---- hook_execute --------------------------------------------------------------- */

static void check_text(struct vec *v, json_object *out, const char *name, const char *got)
{
	const char *expected = js_str(out, name, NULL);

	if (!expected != !got || (got && strcmp(expected, got) != 0))
		vec_fault(v, name, expected, got);
}

static void check_flag(struct vec *v, json_object *out, const char *name, bool got)
{
	if (js_bool(out, name, false) != got)
		vec_fault(v, name, got ? "false" : "true", got ? "true" : "false");
}

struct executed {
	struct vec *v;
	json_object *out;
	bool called;
};

static void on_result(void *arg, const struct hook_result *r)
{
	struct executed *e = arg;

	e->called = true;
	check_flag(e->v, e->out, "success", r->success);
	check_flag(e->v, e->out, "blocked", r->blocked);
	check_flag(e->v, e->out, "should_continue", !r->blocked);
	if (js_int(e->out, "exit_code", 0) != r->exit_code)
		vec_fault(e->v, "exit_code", js_text(js_get(e->out, "exit_code"), NULL),
			  "");
	check_text(e->v, e->out, "stdout", r->out);
	check_text(e->v, e->out, "stderr", r->err_text);
	check_text(e->v, e->out, "decision", r->decision);
	check_text(e->v, e->out, "reason", r->reason);
	check_text(e->v, e->out, "additional_context", r->context);
	check_text(e->v, e->out, "error", r->error);
}

static bool on_execute(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in"), *event = js_get(in, "event");
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)js_str(in, "command", ""),
			 NULL };
	struct hook hook = { .name = (char *)"x", .argv = argv, .may_fail = true,
			     .timeout_ms = js_int(in, "timeout", 60) * 1000 };
	struct hook_call call = {
		.hook = &hook, .dir = "/tmp", .conversation = js_str(event, "session_id", ""),
		.tool = js_str(event, "tool_name", NULL), .input = event,
	};
	struct executed e = { .v = v, .out = js_get(c, "output") };
	struct error err = ERROR_NONE;
	struct hook_run *run;
	uv_loop_t loop;

	uv_loop_init(&loop);
	if (hook_start(&loop, &call, on_result, &e, &run, &err))
		vec_fault(v, "start", "it runs", err.text);
	uv_run(&loop, UV_RUN_DEFAULT);
	if (!e.called)
		vec_fault(v, "end", "a result", "none");
	uv_loop_close(&loop);
	return true;
}

/* ---- task_tracker, glob_split --------------------------------------------------- */

static bool on_tasks(struct vec *v, json_object *c)
{
	json_object *list = js_path(c, "in.task_list"), *out = js_get(c, "output");
	AUTO(strbuf) struct strbuf plan = STRBUF(65536), view = STRBUF(65536);

	tasks_planned(list, &plan);
	tasks_text(list, &view);
	check_text(v, out, "plan", plan.text);
	check_text(v, out, "view", view.text);
	return true;
}

static bool on_glob(struct vec *v, json_object *c)
{
	json_object *out = js_get(c, "output");
	AUTO(json) json_object *got = json_object_new_array();
	AUTO(free) char *base = NULL, *rest = NULL;

	if (glob_split(js_str(js_get(c, "in"), "pattern", ""), &base, &rest)) {
		vec_fault(v, "parts", js_text(out, NULL), "no memory");
		return true;
	}
	json_object_array_add(got, base ? json_object_new_string(base) : NULL);
	json_object_array_add(got, json_object_new_string(rest));
	if (!js_equal(out, got))
		vec_fault(v, "parts", js_text(out, NULL), js_text(got, NULL));
	return true;
}

/* ---- apply_patch ---------------------------------------------------------------- */

static int patch_source(void *arg, const char *path, struct strbuf *ret,
			struct strbuf *why)
{
	json_object *text = js_get(arg, path);

	(void)why;
	if (!text)
		return MT_ENOTFOUND;
	return strbuf_addn(ret, json_object_get_string(text),
			   (size_t)json_object_get_string_len(text));
}

static bool on_patch(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in"), *out = js_get(c, "output"), *after = NULL;
	const char *text = js_str(in, "patch", "");
	struct patch p;
	int r = patch_apply(text, strlen(text), patch_source, js_get(in, "files"), &p);

	json_object_deep_copy(js_get(in, "files"), &after, NULL);
	for (size_t i = 0; i < p.count && !r; i++) {
		const struct patch_change *one = &p.changes[i];

		if (one->kind == PATCH_DELETE || one->move_to)
			json_object_object_del(after, one->path);
		if (one->kind != PATCH_DELETE)
			js_set_strn(after, one->move_to ? one->move_to : one->path,
				    one->text.text, one->text.len);
	}
	if (!out)
		check_text(v, js_get(c, "error"), "message", r ? p.why.text : "no error");
	else if (r || js_int(out, "fuzz", -1) != (int64_t)p.fuzz ||
		 !js_equal(after, js_get(out, "files_after")))
		vec_fault(v, "files", js_text(out, NULL),
			  r ? p.why.text : js_text(after, NULL));
	json_object_put(after);
	patch_clear(&p);
	return true;
}

/* ---- which are ours --------------------------------------------------------------- */

static bool one(struct vec *v, json_object *c)
{
	static const struct {
		const char *fn;
		bool (*run)(struct vec *v, json_object *c);
	} functions[] = {
		{ "hook_matcher", on_matcher },
		{ "hook_config", on_config },
		{ "hook_execute", on_execute },
		{ "task_tracker", on_tasks },
		{ "glob_split", on_glob },
		{ "apply_patch", on_patch },
	};
	static const char isolation[] = "of the isolation, which is not built yet";
	static const char reference[] = "of programs that are for reference";
	static const struct vec_decision decided[] = {
		{ "v1", "bash_quote", isolation },
		{ "v1", "secrets_in_command", isolation },
		{ "v1", "mask_output", isolation },
		{ "v1", "git_name_status", "no part of the host shows changes of git" },
		{ "v1", "cli_abbreviate_number", reference },
		{ "v1", "cli_format_cost", reference },
		{ "v1", "cli_repo_from_remote", reference },
		{ "v1", "cli_slash_command", reference },
		{ "v1", "fallback_title", reference },
		{ "v1", "settings_merge", reference },
	};
	const char *fn = js_str(c, "fn", "");
	bool v1 = strcmp(js_str(c, "version", ""), "v1") == 0;

	for (size_t i = 0; v1 && i < ARRAY_LEN(functions); i++)
		if (strcmp(functions[i].fn, fn) == 0)
			return functions[i].run(v, c);
	return vec_decide(v, c, decided, ARRAY_LEN(decided));
}

int main(int argc, char **argv)
{
	struct vec v;

	if (!vec_open(&v, argc, argv))
		return 2;
	signal(SIGPIPE, SIG_IGN); /* a hook that ends does not read */
	vec_each(&v, one);
	return vec_done(&v);
}
