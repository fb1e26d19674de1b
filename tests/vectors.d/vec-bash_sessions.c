/* SPDX-License-Identifier: MIT
 *
 * vec-bash_sessions.c - recorded conversations with a shell, held with ours.
 *
 * A temporary folder stands for /ws. */
#include "plugins/tools/bash/run.h"
#include "vec.h"
#include <sys/stat.h>

static char workspace[] = "/tmp/mortise-vec-XXXXXX";

/* `path` as the recording names it. */
static const char *as_recorded(const char *path, char *space, size_t size)
{
	size_t n = strlen(workspace);

	if (!path || strncmp(path, workspace, n) != 0)
		return path ? path : "(null)";
	snprintf(space, size, "/ws%s", path + n);
	return space;
}

/* All lines so far, expected and got: how much is printed within a second is a
 * matter of a line more or less. */
static struct strbuf expected_lines = { .text = strbuf_empty };
static struct strbuf got_lines = { .text = strbuf_empty };

/* True if the texts are the same but for one line that one of them lacks. */
static bool about_same(const char *a, const char *b)
{
	if (strlen(a) < strlen(b)) {
		const char *c = a;

		a = b;
		b = c;
	}
	for (const char *line = a; strcmp(a, b) != 0 && *line;) {
		size_t n = strcspn(line, "\n") + 1, before = (size_t)(line - a);

		if (strncmp(a, b, before) == 0 && strcmp(line + n, b + before) == 0)
			return true;
		line += n;
	}
	return strcmp(a, b) == 0;
}

static bool same_content(const char *expected, const char *got, bool timing)
{
	strbuf_addf(&expected_lines, "%s\n", expected);
	strbuf_addf(&got_lines, "%s\n", got);
	return vec_match(expected, got) ||
	       (timing && about_same(expected_lines.text, got_lines.text));
}

static void one_step(struct vec *v, struct run *run, json_object *step, bool timing)
{
	json_object *in = js_get(step, "in"), *out = js_get(step, "out");
	struct error err = ERROR_NONE;
	struct run_result got;
	const char *command = js_str(in, "command", "");
	const struct run_call call = {
		.command = command, .len = strlen(command), .cancel_fd = -1,
		.is_input = js_bool(in, "is_input", false), .time_left_ms = -1,
		.timeout = js_number(in, "timeout", -1),
	};
	char space[4096], code[2][32];

	if (run_call(run, &call, &got, &err) != MT_OK) {
		vec_fault(v, command, "a result", err.text);
		run_result_clear(&got);
		return;
	}
	const char *content = js_str(out, "content", "");

	if (!same_content(content, got.content.text, timing))
		vec_fault(v, "content", content, got.content.text);
	if (!vec_match(js_str(out, "prefix", ""), got.prefix.text))
		vec_fault(v, "prefix", js_str(out, "prefix", ""), got.prefix.text);
	if (!vec_match(js_str(out, "suffix", ""), got.suffix.text))
		vec_fault(v, "suffix", js_str(out, "suffix", ""), got.suffix.text);
	snprintf(code[0], sizeof *code, "%d", (int)js_int(out, "exit_code", -1));
	snprintf(code[1], sizeof *code, "%d", got.exit_code);
	if (strcmp(code[0], code[1]) != 0)
		vec_fault(v, "exit_code", code[0], code[1]);
	const char *directory = as_recorded(got.directory, space, sizeof space);

	if (strcmp(js_str(out, "working_dir", "(null)"), directory) != 0)
		vec_fault(v, "working_dir", js_str(out, "working_dir", "(null)"),
			  directory);
	run_result_clear(&got);
}

/* A command that is more than one: the original refused it, ours runs it. */
static bool is_refusal(json_object *step)
{
	return strcmp(js_path(step, "out.type") ? json_object_get_string(
			js_path(step, "out.type")) : "", "ErrorObservation") == 0;
}

static bool one_case(struct vec *v, json_object *c)
{
	json_object *steps = js_get(c, "steps");
	struct error err = ERROR_NONE;
	struct run *run = NULL;
	bool timing = false;

	if (strcmp(js_str(c, "version", ""), "v0") != 0) {
		vec_skip(v, "v1", "depends on the terminal of that version");
		return false;
	}
	strbuf_clear(&expected_lines);
	strbuf_clear(&got_lines);
	expected_lines = got_lines = STRBUF(1 << 20);
	const struct run_config config = {
		.shell = "bash", .directory = workspace, .timeout_ms = 120000,
		.no_change_ms = js_int(c, "no_change_timeout_seconds", 2) * 1000,
	};

	if (run_new(&config, &run, &err) != MT_OK) {
		vec_fault(v, "start", "a shell", err.text);
		return true;
	}
	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		json_object *step = json_object_array_get_idx(steps, i);

		if (is_refusal(step))
			continue;
		timing = timing || js_number(js_get(step, "in"), "timeout", -1) >= 0;
		if (timing && js_path(step, "in.is_input"))
			usleep(400000); /* keys come while a program waits, not between two */
		one_step(v, run, step, timing);
	}
	run_free(run);
	return true;
}

/* What the recordings find in their workspace. */
static bool make_workspace(void)
{
	char path[64];

	if (!mkdtemp(workspace))
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
	dir_remove(workspace, NULL);
	strbuf_clear(&expected_lines);
	strbuf_clear(&got_lines);
	return vec_done(&v);
}
