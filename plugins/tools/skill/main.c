/* SPDX-License-Identifier: MIT
 *
 * main.c - invoke_skill: returns the text of a skill, and its files.
 *
 * Only the host can read skills, so the tool requests them from the host. Commands in the
 * text of a skill run here, like other tools; those of a project's skills do not run
 * automatically. */
#include "base64.h"
#include "files.h"
#include "js.h"
#include "run.h"
#include "tool-plugin.h"
#include "utf8.h"

#include <mortise/tool.h>
#include <string.h>

enum { TEXT_MAX = 4 << 20 };

/* ---- asking the host ---------------------------------------------------- */

/* The response, owned; NULL: the call has failed. */
static json_object *skill_ask(const struct tool_self *self, struct mt_call *call,
			      const char *method, const char *name, const char *file)
{
	AUTO(json) json_object *params = json_object_new_object();
	struct mt_str result = { "", 0 };
	struct mt_str text = { 0 };
	json_object *answer;
	int r;

	if (!js_set_str(params, "name", name) &&
	    (!file || !js_set_str(params, "file", file)))
		text.ptr = js_text(params, &text.len);
	if (!text.ptr) {
		tool_out_of_memory(self->host, call);
		return NULL;
	}
	r = self->host->request(call, method, text, &result);
	answer = r ? NULL : js_parse_object(result.ptr, result.len, NULL);
	if (!answer)
		self->host->fail(call, r ? r : MT_EIO, "%.*s", (int)result.len,
				 result.ptr);
	return answer;
}

/* ---- the text ----------------------------------------------------------- */

static const char *input(const char *name, size_t len, void *arg)
{
	AUTO(free) char *copy = strndup(name, len);

	return copy ? js_str(arg, copy, NULL) : NULL;
}

static void skill_tool_put_files(struct strbuf *out, json_object *files)
{
	size_t n = js_length(files);

	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%s%s",
			    i ? ", " : "\n\nFiles of this skill, fetched with `file`: ",
			    json_object_get_string(json_object_array_get_idx(files, i)));
}

/* Name the variables that were not replaced. */
static void put_unfilled(struct strbuf *out, json_object *inputs)
{
	AUTO(strbuf) struct strbuf names = STRBUF(4096);

	for (size_t i = 0; i < js_length(inputs); i++) {
		const char *name =
			js_str(json_object_array_get_idx(inputs, i), "name", "");
		AUTO(strbuf) struct strbuf variable = STRBUF(1024);

		strbuf_addf(&variable, "${%s}", name);
		if (*name && out->len && !variable.error &&
		    strstr(out->text, variable.text))
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", variable.text);
	}
	if (names.len)
		strbuf_addf(out,
			    "\n\nThese variables have no value: %s. Call this tool again "
			    "with `inputs`, or find the values yourself.",
			    names.text);
}

static int give_text(struct tool_self *self, struct mt_call *call, const char *name)
{
	const struct mt_tool_host *host = self->host;
	AUTO(json) json_object *answer = skill_ask(self, call, "skill/load", name, NULL);
	AUTO(json) json_object *inputs = NULL;
	AUTO(strbuf) struct strbuf text = STRBUF(TEXT_MAX), out = STRBUF(TEXT_MAX);
	const struct command_place place = { .directory = host->workspace(self->instance),
					     .cancel_fd = host->cancel_fd(call) };
	const char *content = js_str(answer, "content", ""), *given;
	size_t len;

	if (!answer)
		return MT_ENOTFOUND;
	given = host->arg_json(call, "inputs", &len);
	inputs = given ? js_parse_object(given, len, NULL) : NULL;
	/* commands first: arguments of the model never become part of one */
	if (js_bool(answer, "may_run", false))
		inline_commands(content, strlen(content), run_command, (void *)&place,
				&text);
	else
		strbuf_add(&text, content);
	if (inputs)
		skill_expand_variables(text.text, text.len, false, input, inputs, &out);
	else
		strbuf_addn(&out, text.text, text.len);
	put_unfilled(&out, js_get(answer, "inputs"));
	skill_tool_put_files(&out, js_get(answer, "files"));
	if (text.error || out.error)
		return host->fail(call, MT_ELIMIT, "The skill is too long.");
	return host->reply_text(call, out.text, out.len);
}

/* ---- a file ------------------------------------------------------------- */

/* A copy that programs can open: DIR/skills/NAME/FILE; owned. */
static char *copy_path(const struct tool_self *self, const char *name, const char *file)
{
	AUTO(strbuf) struct strbuf path = STRBUF(8192);

	if (strstr(file, "..") || strchr(name, '/') || *name == '.')
		return NULL;
	strbuf_addf(&path, "%s/skills/%s/%s", self->host->private_dir(self->instance),
		    name, file);
	return strbuf_take(&path);
}

static int keep_copy(const char *path, const struct strbuf *bytes, struct error *err)
{
	AUTO(free) char *directory = strdup(path);
	int r;

	if (!directory)
		return out_of_memory(err);
	*strrchr(directory, '/') = '\0';
	r = dir_make(directory, err);
	return r ? r : file_write(path, bytes->text, bytes->len, 0700, false, err);
}

static int give_file(struct tool_self *self, struct mt_call *call, const char *name,
		     const char *file)
{
	const struct mt_tool_host *host = self->host;
	AUTO(json) json_object *answer = skill_ask(self, call, "skill/file", name, file);
	AUTO(strbuf) struct strbuf bytes = STRBUF(TEXT_MAX);
	AUTO(free) char *path = copy_path(self, name, file);
	const char *base64 = js_str(answer, "base64", "");
	struct error err = ERROR_NONE;

	if (!answer)
		return MT_ENOTFOUND;
	if (base64_read(&bytes, base64, strlen(base64)))
		return host->fail(call, MT_EIO, "The file was not received completely.");
	if (!path)
		return host->fail(call, MT_EINVAL, "`%s` is not the path of a skill file",
				  file);
	if (keep_copy(path, &bytes, &err))
		return host->fail(call, err.code, "%s", err.text);
	host->reply(call, "A copy is at %s\n", path);
	if (utf8_valid(bytes.text, bytes.len) && !memchr(bytes.text, '\0', bytes.len))
		return host->reply_text(call, bytes.text, bytes.len);
	return host->reply(call, "(%zu byte%s of binary data)\n", bytes.len,
			   bytes.len == 1 ? "" : "s");
}

static int skill_run(const struct mt_tool_host *host, void *self_, struct mt_call *call)
{
	struct tool_self *self = self_;
	const char *name = host->arg_str(call, "name", NULL);
	const char *file = host->arg_str(call, "file", NULL);

	return file && *file ? give_file(self, call, name, file)
			     : give_text(self, call, name);
}

/* ---- the plugin --------------------------------------------------------- */

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_READ_ONLY,
		.name = "invoke_skill",
		.description = "Load a skill, or one of its files (`file`); `inputs` "
			       "sets its variables.",
		.brief = "Load a skill.",
		.schema = "{\"type\":\"object\",\"properties\":{"
			  "\"name\":{\"type\":\"string\"},"
			  "\"file\":{\"type\":\"string\"},"
			  "\"inputs\":{\"type\":\"object\"}},"
			  "\"required\":[\"name\"]"
			  ",\"additionalProperties\":false}",
	},
};

static const struct mt_toolset set = {
	.size = sizeof set, .tool_count = 1, .tools = tools,
	.open = tool_self_open, .call = skill_run, .close = tool_self_close,
};

MT_TOOLSET(&set, "skill", .name = "skill",
	   .summary = "Loads skills when the model asks for them.")
