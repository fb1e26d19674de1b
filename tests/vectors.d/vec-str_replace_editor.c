/* SPDX-License-Identifier: MIT
 *
 * vec-str_replace_editor.c - recorded cases of the file editor.
 *
 * Where the recorded editor does what ours fixes, a rule below changes what is
 * expected, or takes the step out, and names what is fixed. */
#include "plugins/tools/editor/editor.h"
#include "plugins/tools/editor/memory.h"
#include "vec.h"
#include <errno.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* A case in progress. */
struct run {
	struct vec *v;
	char root[64]; /* stands for the recorded workspace, wherever it is named */
	struct editor *editor;
	size_t step;
	unsigned edits;       /* that can be undone, of any file */
	bool created;         /* the first of them created the file */
	bool removed;         /* undoing that has removed it again */
	const char *not_ours; /* why a step was taken out */
	size_t compared;
};

static char *replaced(const char *text, const char *from, const char *to)
{
	struct strbuf out = STRBUF((size_t)64 << 20);
	const char *hit;

	for (; (hit = strstr(text, from)); text = hit + strlen(from)) {
		strbuf_addn(&out, text, (size_t)(hit - text));
		strbuf_add(&out, to);
	}
	strbuf_add(&out, text);
	return strbuf_take(&out);
}

/* ---- the files of a case ---------------------------------------------- */

/* A long text given by its ends: numbered lines, if its sum says so. */
static bool rebuild(json_object *spec, struct strbuf *out)
{
	const char *head = js_str(spec, "head", ""), *nl = strchr(head, '\n');
	size_t len = (size_t)js_int(spec, "len", 0);

	if (!nl || head[0] != '0')
		return false;
	for (unsigned i = 0; out->len < len && !out->error; i++)
		strbuf_addf(out, "%u%.*s", i, (int)(nl - head), head + 1);
	return out->len == len &&
	       vec_sha256_is(out->text, len, js_str(spec, "sha256", ""));
}

static int value_of(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static void put_base64(struct strbuf *out, const char *text)
{
	unsigned bits = 0, have = 0;

	for (; *text && value_of(*text) >= 0; text++) {
		bits = bits << 6 | (unsigned)value_of(*text);
		have += 6;
		if (have >= 8)
			strbuf_addc(out, (char)(bits >> (have -= 8) & 0xff));
	}
}

/* The bytes of a file as the case gives them. */
static bool file_bytes(json_object *spec, struct strbuf *out)
{
	json_object *text = js_get(spec, "text");

	if (js_str(spec, "base64", NULL))
		put_base64(out, js_str(spec, "base64", ""));
	else if (json_object_is_type(text, json_type_string))
		strbuf_addn(out, json_object_get_string(text),
			    (size_t)json_object_get_string_len(text));
	else
		return rebuild(text ? text : spec, out);
	return true;
}

static void make_parents(const char *path)
{
	char *part = strdup(path);

	for (char *s = part + 1; (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			perror(part);
	}
	free(part);
}

/* Lay out the files and directories. @return false if a file cannot be known. */
static bool prepare(json_object *files, json_object *dirs)
{
	json_object_object_foreach(files, name, spec) {
		AUTO(strbuf) struct strbuf bytes = STRBUF((size_t)64 << 20);

		make_parents(name);
		if (!file_bytes(spec, &bytes))
			return false;
		if (file_write(name, bytes.text, bytes.len, 0644, false, NULL) != MT_OK)
			perror(name);
	}
	for (size_t i = 0; dirs && i < json_object_array_length(dirs); i++) {
		const char *path =
			json_object_get_string(json_object_array_get_idx(dirs, i));

		make_parents(path);
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			perror(path);
	}
	return true;
}

static void read_back(const char *path, struct strbuf *out)
{
	char *text = NULL;
	size_t len;

	if (file_read(path, (size_t)64 << 20, &text, &len, NULL) == MT_OK)
		strbuf_addn(out, text, len);
	free(text);
}

/* ---- rules: what ours fixes ------------------------------------------- */

/* Line ends, encoding and final newline are kept: texts are compared with all
 * ends of lines the same, and the file may not have lost the kind it had. */
static char *plain_ends(const char *text)
{
	char *crlf = replaced(text, "\r\n", "\n"), *plain = replaced(crlf, "\r", "\n");

	free(crlf);
	return plain;
}

/* Views number exactly the lines that exist: the recorded ones number the
 * nothing behind a final newline too, except in a view of a range. */
static void drop_phantom_line(char *text)
{
	char *end = strstr(text, "{{REVIEW");
	char *from = end ? end : text + strlen(text), *start;

	if (from - text < 3 || from[-1] != '\n' || from[-2] != '\t')
		return;
	for (start = from - 2; start > text && start[-1] != '\n';)
		start--;
	for (char *p = start; p < from - 2; p++)
		if (*p != ' ' && (*p < '0' || *p > '9'))
			return;
	memmove(start, from, strlen(from) + 1);
}

/* The encoding is kept; which single-byte one was guessed may differ,
 * so characters beyond ASCII count as equal. */
static char *blurred(const char *text)
{
	struct strbuf out = STRBUF((size_t)64 << 20);

	for (; *text; text++)
		if ((*text & 0xc0) != 0x80)
			strbuf_addc(&out, *text < 0 ? '?' : *text);
	return strbuf_take(&out);
}

static bool is_ranged(json_object *call)
{
	json_object *range = js_get(call, "view_range");

	return json_object_is_type(range, json_type_array) &&
	       json_object_array_length(range) > 0;
}

static bool splits_inside_lines(const struct strbuf *bytes)
{
	static const char *const marks[] = { "\f",           "\v",          "\x1c",
					     "\x1d",         "\x1e",        "\xc2\x85",
					     "\xe2\x80\xa8", "\xe2\x80\xa9" };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (strstr(bytes->text, marks[i]))
			return true;
	return false;
}

static bool is_image_name(const char *path)
{
	static const char *const ends[] = { ".png", ".jpg",  ".jpeg",
					    ".gif", ".webp", ".bmp" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < ARRAY_LEN(ends); i++)
		if (strcasecmp(dot, ends[i]) == 0)
			return true;
	return false;
}

static bool is_number_text(json_object *value)
{
	const char *text = json_object_get_string(value);

	return json_object_is_type(value, json_type_string) && *text &&
	       !text[strspn(text, "0123456789")];
}

/* Steps whose recorded outcome ours fixes as a whole. */
static const char *step_not_ours(const struct run *r, json_object *call,
				 json_object *result, const struct strbuf *before)
{
	const char *command = js_str(call, "command", ""),
		   *path = js_str(call, "path", "");

	if (strcmp(command, "view") == 0 && is_ranged(call) &&
	    splits_inside_lines(before))
		return "views number exactly the lines that exist";
	if (strcmp(command, "view") == 0 && js_str(result, "tool_error", NULL) &&
	    is_image_name(path))
		return "images are shown when vision is on";
	if (is_number_text(js_get(call, "insert_line")))
		return "numeric strings are accepted";
	if (strcmp(command, "insert") == 0 && before->len &&
	    before->text[before->len - 1] != '\n' && js_str(result, "output", NULL))
		return "insert after an unterminated line starts a new one";
	if (r->created && r->edits == 1 && strcmp(command, "undo_edit") == 0)
		return "undo after create removes the file";
	if (r->removed)
		return "undo after create removes the file";
	return NULL;
}

/* ---- comparing -------------------------------------------------------- */

static void fault(struct run *r, const char *what, const char *expected, const char *got)
{
	char where[200];

	snprintf(where, sizeof where, "step %zu: %s", r->step, what);
	vec_fault(r->v, where, expected, got);
}

/* `expected` may be NULL, a text or a long text. */
static void compare(struct run *r, const char *what, json_object *expected,
		    const char *got, bool same_ends)
{
	const char *text = json_object_get_string(expected);
	AUTO(free) char *want = text ? plain_ends(text) : NULL;
	AUTO(free) char *have = got ? plain_ends(got) : NULL;

	if (!expected != !got)
		fault(r, what, text, got);
	else if (expected && !json_object_is_type(expected, json_type_string)) {
		if (!vec_text_match(expected, got))
			fault(r, what, text, got);
	} else if (expected &&
		   !vec_match(same_ends ? text : want, same_ends ? got : have))
		fault(r, what, text, got);
}

static void compare_output(struct run *r, json_object *call, json_object *expected,
			   const char *got, bool is_utf8)
{
	AUTO(free) char *want = NULL, *blurred_want = NULL, *blurred_got = NULL;

	if (!json_object_is_type(expected, json_type_string)) {
		compare(r, "output", expected, got, true);
		return;
	}
	want = strdup(json_object_get_string(expected));
	if (!is_ranged(call))
		drop_phantom_line(want);
	blurred_want = is_utf8 ? NULL : blurred(want);
	blurred_got = is_utf8 ? NULL : blurred(got);
	if (!vec_match(is_utf8 ? want : blurred_want, is_utf8 ? got : blurred_got))
		fault(r, "output", want, got);
}

/* "Ran into X while trying to Y": X is the message of the runtime of the original. */
static char *without_reason(const char *expected)
{
	static const char start[] = "Ran into ", end[] = " while trying to ";
	const char *at = strncmp(expected, start, strlen(start)) == 0
				 ? strstr(expected, end)
				 : NULL;
	struct strbuf out = STRBUF((size_t)64 << 20);

	strbuf_addf(&out, "%s%s", at ? "Ran into {{REASON}}" : "", at ? at : expected);
	return strbuf_take(&out);
}

/* A text that was not found may be followed by a line that names the nearest. */
static bool message_matches(json_object *call, const char *expected, const char *got)
{
	AUTO(free) char *want = without_reason(expected);
	size_t n = strlen(want);

	return vec_match(want, got) ||
	       (strcmp(js_str(call, "command", ""), "str_replace") == 0 &&
		vec_match("No replacement was performed, {{REST}}", want) &&
		strncmp(want, got, n) == 0 && got[n] == '\n');
}

static void compare_error(struct run *r, json_object *call, json_object *result,
			  int status, const char *got)
{
	const char *expected = js_str(result, "tool_error", NULL);

	if (status == MT_OK) {
		fault(r, "must fail", expected ? expected : js_str(result, "message", ""),
		      got);
		return;
	}
	if (!expected) { /* clean errors where the original raised */
		if (!*got)
			fault(r, "must say why it fails", expected, got);
		return;
	}
	if (!message_matches(call, expected, got))
		fault(r, "message", expected, got);
}

/* ---- one step --------------------------------------------------------- */

static struct mt_str text_arg(json_object *call, const char *name)
{
	json_object *o = js_get(call, name);

	if (!json_object_is_type(o, json_type_string))
		return (struct mt_str){ NULL, 0 };
	return (struct mt_str){ json_object_get_string(o),
				(size_t)json_object_get_string_len(o) };
}

static struct mt_str json_arg(json_object *call, const char *name)
{
	struct mt_str s = { NULL, 0 };
	json_object *o = js_get(call, name);

	if (o)
		s.ptr = js_text(o, &s.len);
	return s;
}

static int call_editor(struct run *r, json_object *call, const char *path,
		       struct editor_result *ret)
{
	struct editor_request q = {
		.command = text_arg(call, "command"),
		.path = { path, path ? strlen(path) : 0 },
		.file_text = text_arg(call, "file_text"),
		.old_str = text_arg(call, "old_str"),
		.new_str = text_arg(call, "new_str"),
		.insert_line = json_arg(call, "insert_line"),
		.view_range = json_arg(call, "view_range"),
	};
	int status = editor_run(r->editor, &q, ret);
	const char *command = js_str(call, "command", "");

	if (status == MT_OK && ret->edited) {
		if (strcmp(command, "create") == 0)
			r->created = true, r->removed = false, r->edits = 0;
		if (strcmp(command, "undo_edit") == 0)
			r->removed = --r->edits == 0 && r->created;
		else if (r->edits < EDITOR_HISTORY)
			r->edits++;
	}
	return status;
}

/* A failing edit leaves the file alone, also where the original did not. */
static void compare_file(struct run *r, json_object *step, const char *path, int status,
			 const struct strbuf *before)
{
	AUTO(strbuf) struct strbuf want = STRBUF((size_t)64 << 20);
	AUTO(strbuf) struct strbuf got = STRBUF((size_t)64 << 20);
	AUTO(free) char *plain_want = NULL, *plain_got = NULL, *recorded = NULL;
	json_object *spec = js_get(step, "file_after");
	bool had_crlf = strstr(before->text, "\r\n") != NULL;

	read_back(path, &got);
	if (status != MT_OK) {
		if (got.len != before->len ||
		    memcmp(got.text, before->text, got.len) != 0)
			fault(r, "file after a failed call", before->text, got.text);
		return;
	}
	if (!spec || !file_bytes(spec, &want))
		return;
	if (memchr(got.text, '\0', got.len)) {
		if (want.len != got.len || memcmp(want.text, got.text, got.len) != 0)
			fault(r, "file with a NUL", want.text, got.text);
		return;
	}
	recorded = vec_as_recorded(got.text, r->root);
	if (!strchr(before->text, '\r')) {
		if (want.len != strlen(recorded) || strcmp(want.text, recorded) != 0)
			fault(r, "file", want.text, recorded);
		return;
	}
	plain_want = plain_ends(want.text), plain_got = plain_ends(recorded);
	if (strcmp(plain_want, plain_got) != 0)
		fault(r, "file", want.text, recorded);
	if (had_crlf && !strstr(got.text, "\r\n"))
		fault(r, "file", "line ends as before", got.text);
}

static void one_step(struct run *r, json_object *step)
{
	AUTO(json) json_object *call = vec_localize(js_get(step, "call"), r->root);
	json_object *result = js_get(step, "result");
	const char *path = js_str(call, "path", NULL), *why;
	AUTO(strbuf) struct strbuf before = STRBUF((size_t)64 << 20);
	AUTO(free) char *text = NULL, *old = NULL, *new_ = NULL;
	struct editor_result ret;
	bool is_utf8, same_ends;
	int status;

	if (path)
		read_back(path, &before);
	same_ends = !strchr(before.text, '\r');
	why = step_not_ours(r, call, result, &before);
	is_utf8 = utf8_valid(before.text, before.len);
	status = call_editor(r, call, path, &ret);
	text = vec_as_recorded(ret.text.text, r->root);
	if (why) {
		r->not_ours = why;
		printf("# case %zu, step %zu not compared: %s\n", r->v->number, r->step,
		       why);
		editor_result_clear(&ret);
		return;
	}
	r->compared++;
	/* Parents are created on `create`. */
	if (strcmp(js_str(call, "command", ""), "create") == 0 &&
	    strstr(js_str(result, "tool_error", ""), "No such file or directory")) {
		if (status != MT_OK ||
		    strncmp(text, "File created successfully at: ", 30) != 0)
			fault(r, "output", "File created successfully at: ...", text);
	} else if (!js_get(result, "output")) {
		compare_error(r, call, result, status, text);
	} else if (status != MT_OK) {
		fault(r, "must not fail", js_str(result, "output", "(long)"), text);
	} else {
		compare_output(r, call, js_get(result, "output"), text, is_utf8);
		if (ret.has_old)
			old = vec_as_recorded(ret.old_content.text, r->root);
		if (ret.has_new)
			new_ = vec_as_recorded(ret.new_content.text, r->root);
		compare(r, "old_content", js_get(result, "old_content"), old, same_ends);
		compare(r, "new_content", js_get(result, "new_content"), new_, same_ends);
		if (ret.prev_exist != js_bool(result, "prev_exist", ret.prev_exist))
			fault(r, "prev_exist", ret.prev_exist ? "false" : "true",
			      ret.prev_exist ? "true" : "false");
	}
	if (path)
		compare_file(r, step, path, status, &before);
	editor_result_clear(&ret);
}

static bool one_case(struct vec *v, json_object *c)
{
	struct run r = { .v = v, .step = 0 };
	json_object *steps = js_get(c, "steps");
	AUTO(json) json_object *files = NULL, *dirs = NULL;
	static const struct vec_decision decided[] = {
		{ "v1", NULL, "reference only: the editor is ACI's" },
	};

	if (strcmp(js_str(c, "version", ""), "aci") != 0 || js_get(c, "fn"))
		return vec_decide(v, c, decided, ARRAY_LEN(decided));
	if (!vec_workspace_make(r.root, sizeof r.root, "ws")) {
		vec_fault(v, "workspace", "a directory", strerror(errno));
		return true;
	}
	r.editor = editor_new(r.root);
	editor_set_v0(r.editor);
	files = vec_localize(js_get(c, "files"), r.root);
	dirs = vec_localize(js_get(c, "dirs"), r.root);
	if (!prepare(files, dirs)) {
		r.not_ours = "its file is given only in part";
		steps = NULL;
	}
	for (size_t i = 0; steps && i < json_object_array_length(steps); i++) {
		r.step = i + 1;
		one_step(&r, json_object_array_get_idx(steps, i));
	}
	editor_free(r.editor);
	vec_workspace_remove(r.root);
	if (r.compared)
		return true;
	vec_skip(v, "aci", r.not_ours ? r.not_ours : "it has no steps");
	return false;
}

int main(int argc, char **argv)
{
	struct vec v;

	if (!vec_open(&v, argc, argv))
		return 2;
	vec_each(&v, one_case);
	return vec_done(&v);
}
