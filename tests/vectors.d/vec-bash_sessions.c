/* SPDX-License-Identifier: MIT
 *
 * vec-bash_sessions.c - recorded sessions of a shell, repeated in ours.
 *
 * A temporary directory stands for the recorded workspace, wherever it is named.
 * What has been printed when a time limit passes is a matter of a line more or
 * less: such a line has to come with the next step, and nothing else may differ. */
#include "plugins/tools/bash/run.h"
#include "vec.h"
#include <sys/stat.h>

static char workspace[64];

/* ---- lines around a time limit ------------------------------------------- */

struct timing {
	bool on;     /* a step of this case has had a time limit of its own */
	char *owed;  /* a line that was recorded and is to come */
	char *ahead; /* a line that came before it was recorded */
};

static void forget(struct timing *t)
{
	free(t->owed);
	free(t->ahead);
	t->owed = t->ahead = NULL;
}

/* The recorded text and the line owed before it, without the line that came early. */
static char *wanted(const struct timing *t, const char *recorded)
{
	struct strbuf out = STRBUF(1 << 20);
	size_t n = t->ahead ? strlen(t->ahead) : 0;

	if (n && strncmp(recorded, t->ahead, n) == 0 &&
	    (!recorded[n] || recorded[n] == '\n'))
		recorded += n + (recorded[n] == '\n');
	strbuf_addf(&out, "%s%s%s", t->owed ? t->owed : "",
		    t->owed && *recorded ? "\n" : "", recorded);
	return strbuf_take(&out);
}

/* Where the last line begins. */
static size_t last_line(const char *text)
{
	const char *nl = strrchr(text, '\n');

	return nl ? (size_t)(nl + 1 - text) : 0;
}

/* Is `longer` the text and one line more at its end? Sets `ret_line`. */
static bool has_one_more(const char *longer, const char *text, char **ret_line)
{
	size_t at = last_line(longer), n = strlen(text);

	if (!longer[at] || strncmp(longer, text, n) != 0 || at != (n ? n + 1 : 0))
		return false;
	*ret_line = strdup(longer + at);
	return true;
}

static bool same_content(struct timing *t, const char *recorded, const char *got,
			 bool limited)
{
	AUTO(free) char *want = wanted(t, recorded);
	const char *second = strchr(got, '\n');

	forget(t);
	if (vec_match(want, got))
		return true;
	if (limited)
		return has_one_more(want, got, &t->owed) ||
		       has_one_more(got, want, &t->ahead);
	/* printed between the limit and this step */
	return t->on && second && vec_match(want, second + 1);
}

/* ---- steps --------------------------------------------------------------- */

static void compare_text(struct vec *v, const char *what, json_object *out,
			 const char *got)
{
	AUTO(free) char *text = vec_as_recorded(got, workspace);

	if (!vec_match(js_str(out, what, ""), text))
		vec_fault(v, what, js_str(out, what, ""), text);
}

static void compare_step(struct vec *v, json_object *out, const struct run_result *got,
			 struct timing *t, bool limited)
{
	AUTO(free) char *content = vec_as_recorded(got->content.text, workspace);
	AUTO(free)
	char *directory =
		got->directory ? vec_as_recorded(got->directory, workspace) : NULL;
	const char *want = js_str(out, "working_dir", NULL);
	char code[2][32];

	if (!same_content(t, js_str(out, "content", ""), content, limited))
		vec_fault(v, "content", js_str(out, "content", ""), content);
	compare_text(v, "prefix", out, got->prefix.text);
	compare_text(v, "suffix", out, got->suffix.text);
	snprintf(code[0], sizeof *code, "%d", (int)js_int(out, "exit_code", -1));
	snprintf(code[1], sizeof *code, "%d", got->exit_code);
	if (strcmp(code[0], code[1]) != 0)
		vec_fault(v, "exit_code", code[0], code[1]);
	if (!want != !directory || (want && strcmp(want, directory) != 0))
		vec_fault(v, "working_dir", want, directory);
}

/* Several commands in one call: the original refused them, ours runs them. */
static bool is_refusal(json_object *out)
{
	static const char start[] = "ERROR: Cannot execute multiple commands at once.";

	return strcmp(js_str(out, "type", ""), "ErrorObservation") == 0 &&
	       strncmp(js_str(out, "content", ""), start, strlen(start)) == 0;
}

static void one_step(struct vec *v, struct run *run, json_object *step, struct timing *t)
{
	AUTO(json) json_object *in = vec_localize(js_get(step, "in"), workspace);
	json_object *out = js_get(step, "out");
	struct error err = ERROR_NONE;
	struct run_result got;
	const char *command = js_str(in, "command", "");
	const struct run_call call = {
		.command = command,
		.len = strlen(command),
		.cancel_fd = -1,
		.is_input = js_bool(in, "is_input", false),
		.time_left_ms = -1,
		.timeout = js_number(in, "timeout", -1),
	};

	t->on = t->on || call.timeout >= 0;
	if (t->on && call.is_input)
		usleep(400000); /* keys come while a program waits, not between two */
	if (run_call(run, &call, &got, &err) != MT_OK)
		vec_fault(v, command, "a result", err.text);
	else if (!is_refusal(out))
		compare_step(v, out, &got, t, call.timeout >= 0);
	else if (!got.ended || strncmp(got.content.text, "ERROR:", 6) == 0)
		vec_fault(v, "several commands", "they run", got.content.text);
	run_result_clear(&got);
}

static bool one_case(struct vec *v, json_object *c)
{
	static const struct vec_decision decided[] = {
		{ "v1", NULL, "depends on the terminal of that version" },
	};
	json_object *steps = js_get(c, "steps");
	struct error err = ERROR_NONE;
	struct run *run = NULL;
	struct timing t = { .on = false };

	if (strcmp(js_str(c, "version", ""), "v0") != 0 || js_get(c, "fn"))
		return vec_decide(v, c, decided, ARRAY_LEN(decided));
	v->label = js_str(c, "name", v->label);
	const struct run_config config = {
		.shell = "bash", .directory = workspace, .timeout_ms = 120000,
		.no_change_ms = js_int(c, "no_change_timeout_seconds", 2) * 1000,
	};

	if (run_new(&config, &run, &err) != MT_OK) {
		vec_fault(v, "start", "a shell", err.text);
		return true;
	}
	for (size_t i = 0; i < json_object_array_length(steps); i++)
		one_step(v, run, json_object_array_get_idx(steps, i), &t);
	forget(&t);
	run_free(run);
	return true;
}

/* The recordings found these in their workspace. */
static bool make_workspace(void)
{
	char path[96];

	if (!vec_workspace_make(workspace, sizeof workspace, "ws"))
		return false;
	snprintf(path, sizeof path, "%s/sub", workspace);
	if (mkdir(path, 0700) < 0)
		return false;
	for (int i = 1; i <= 3; i++) {
		snprintf(path, sizeof path, "%s/f%d.txt", workspace, i);
		if (file_write(path, "", 0, 0600, false, NULL) != MT_OK)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct vec v;

	if (!vec_open(&v, argc, argv))
		return 2;
	if (!make_workspace()) {
		perror(workspace);
		return 2;
	}
	vec_each(&v, one_case);
	vec_workspace_remove(workspace);
	return vec_done(&v);
}
