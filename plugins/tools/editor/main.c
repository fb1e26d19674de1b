/* SPDX-License-Identifier: MIT
 *
 * main.c - the editor as a plugin: converts arguments and results. */
#include "editor.h"
#include "js.h"
#include "tool-plugin.h"
#include <mortise/tool.h>
#include <string.h>

struct self {
	const struct mt_tool_host *host;
	struct editor *editor;
	struct mt_call *call; /* in progress */
};

/* The host knows which call changed a file, and whether another tool showed it. */
static int ask_past(void *arg, const char *path, int64_t changed_ms,
		    struct file_past *ret)
{
	struct self *self = arg;
	AUTO(json) json_object *answer = NULL;
	AUTO(strbuf) struct strbuf params = STRBUF(65536);
	struct mt_str result;
	int r;

	strbuf_addc(&params, '{');
	js_key_str(&params, "path", path);
	strbuf_addf(&params, ",\"changed_ms\":%lld}", (long long)changed_ms);
	if (params.error)
		return params.error;
	r = self->host->request(self->call, "file/history",
				(struct mt_str){ params.text, params.len }, &result);
	if (r)
		return r;
	answer = js_parse_object(result.ptr, result.len, NULL);
	if (!answer)
		return MT_EIO;
	ret->shown = js_bool(answer, "shown", false);
	snprintf(ret->changed_by, sizeof ret->changed_by, "%s",
		 js_str(answer, "changed_by", ""));
	return MT_OK;
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_CHOICE, .name = "result_style",
	  .fallback = "default", .choices = "default|v0",
	  .help = "Style of results; v0: the exact texts of OpenHands V0." },
};

enum { RESULT_STYLE_DEFAULT, RESULT_STYLE_V0 }; /* as in the table */

static int editor_open_set(const struct mt_tool_host *host, struct mt_instance *instance,
			   void **ret_self)
{
	struct self *self = calloc(1, sizeof *self);

	if (self)
		self->editor = editor_new(host->workspace(instance));
	if (!self || !self->editor) {
		free(self);
		host->log(instance, MT_LOG_ERROR, "%s", status_name(MT_ENOMEM));
		return MT_ENOMEM;
	}
	if (tool_choice(host, instance, options, ARRAY_LEN(options), "result_style") ==
	    RESULT_STYLE_V0)
		editor_set_v0(self->editor);
	else
		editor_set_past(self->editor, ask_past, self);
	self->host = host;
	*ret_self = self;
	return MT_OK;
}

static void editor_close_set(const struct mt_tool_host *host,
			     struct mt_instance *instance, void *self_)
{
	struct self *self = self_;

	(void)host, (void)instance;
	editor_free(self->editor);
	free(self);
}

static struct mt_str editor_tool_text_arg(const struct mt_tool_host *host,
					  struct mt_call *call, const char *name)
{
	struct mt_str s = { NULL, 0 };

	s.ptr = host->arg_str(call, name, &s.len);
	return s;
}

static struct mt_str json_arg(const struct mt_tool_host *host, struct mt_call *call,
			      const char *name)
{
	struct mt_str s = { NULL, 0 };

	s.ptr = host->arg_json(call, name, &s.len);
	return s;
}

static void editor_tool_put_field(const struct mt_tool_host *host, struct mt_call *call,
				  const char *name, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf json = STRBUF((size_t)4 << 20);

	if (js_put_str(&json, text, len) == MT_OK)
		host->field(call, name, json.text, json.len);
}

static void editor_tool_put_fields(const struct mt_tool_host *host, struct mt_call *call,
				   const struct editor_result *r)
{
	if (r->path)
		editor_tool_put_field(host, call, "path", r->path, strlen(r->path));
	editor_tool_put_field(host, call, "impl_source", "oh_aci", 6);
	if (!r->edited)
		return;
	host->field(call, "prev_exist", r->prev_exist ? "true" : "false",
		    r->prev_exist ? 4 : 5);
	if (r->has_old)
		editor_tool_put_field(host, call, "old_content", r->old_content.text,
				      r->old_content.len);
	if (r->has_new)
		editor_tool_put_field(host, call, "new_content", r->new_content.text,
				      r->new_content.len);
	if (r->diff.len)
		editor_tool_put_field(host, call, "diff", r->diff.text, r->diff.len);
}

/* The last line of the text is the error sentence. */
static int editor_tool_put_failure(const struct mt_tool_host *host, struct mt_call *call,
				   int status, const char *text)
{
	const char *last = strrchr(text, '\n');

	last = last ? last + 1 : text;
	host->reply(call, "ERROR:\n");
	host->reply_text(call, text, (size_t)(last - text));
	return host->fail(call, status, "%s", *last ? last : status_name(MT_ENOMEM));
}

static int editor_plugin_run(const struct mt_tool_host *host, void *self_,
			     struct mt_call *call)
{
	struct self *self = self_;
	struct editor_request q = {
		.command = editor_tool_text_arg(host, call, "command"),
		.path = editor_tool_text_arg(host, call, "path"),
		.file_text = editor_tool_text_arg(host, call, "file_text"),
		.old_str = editor_tool_text_arg(host, call, "old_str"),
		.new_str = editor_tool_text_arg(host, call, "new_str"),
		.insert_line = json_arg(host, call, "insert_line"),
		.view_range = json_arg(host, call, "view_range"),
		.start = json_arg(host, call, "start"),
		.end = json_arg(host, call, "end"),
		.edits = json_arg(host, call, "edits"),
	};
	struct editor_result r;
	int status, all = 0;

	host->arg_bool(call, "replace_all", &all);
	q.replace_all = all != 0;
	self->call = call;
	status = editor_run(self->editor, &q, &r);
	if (q.command.len != 5 || memcmp(q.command.ptr, "write", 5) != 0)
		editor_tool_put_fields(host, call, &r);
	if (status != MT_OK) {
		status = editor_tool_put_failure(host, call, status, r.text.text);
	} else {
		status = host->reply_text(call, r.text.text, r.text.len);
		if (r.mime)
			status = host->reply_media(call, r.mime, r.media, r.media_len);
	}
	editor_result_clear(&r);
	return status;
}

static const char description[] =
	"View and edit text files by absolute path; encoding, line endings and mode are kept.\n"
	"view: a file with line numbers, an image, or a directory.\n"
	"create: a new file with `file_text`; never overwrites.\n"
	"str_replace: `old_str` must match exactly one place (any number with "
	"`replace_all`), with white space but no line numbers. `edits` makes several "
	"replacements in one call, in order, all or none.\n"
	"insert: `new_str` after line `insert_line`.\n"
	"undo_edit: revert the last edit of the file.";

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"command\":{\"type\":\"string\",\"enum\":[\"view\",\"create\","
	"\"str_replace\",\"insert\",\"undo_edit\"]},"
	"\"path\":{\"type\":\"string\"},"
	"\"file_text\":{\"type\":\"string\"},"
	"\"old_str\":{\"type\":\"string\"},"
	"\"new_str\":{\"type\":\"string\"},"
	"\"replace_all\":{\"type\":\"boolean\"},"
	"\"edits\":{\"type\":\"array\",\"items\":{\"type\":\"object\"},"
	"\"description\":\"of {old_str, new_str, replace_all}\"},"
	"\"insert_line\":{\"type\":\"integer\"},"
	"\"view_range\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"},"
	"\"description\":\"[first, last or -1]\"}},"
	"\"required\":[\"command\",\"path\"]"
	",\"additionalProperties\":false}";

static const char events[] =
	"[{\"when\":{\"command\":\"view\"},\"action\":\"read\",\"observation\":\"read\","
	"\"args\":{\"path\":\"$path\",\"view_range\":\"$view_range\","
	"\"impl_source\":\"oh_aci\"}},"
	"{\"internal\":true,\"when\":{\"command\":\"write\"},"
	"\"action\":\"write\",\"observation\":\"write\","
	"\"args\":{\"path\":\"$path\",\"content\":\"$file_text\",\"start\":\"$start\","
	"\"end\":\"$end\"}},"
	"{\"action\":\"edit\",\"observation\":\"edit\",\"args\":{"
	"\"command\":\"$command\",\"path\":\"$path\",\"file_text\":\"$file_text\","
	"\"old_str\":\"$old_str\",\"new_str\":\"$new_str\","
	"\"replace_all\":\"$replace_all\",\"edits\":\"$edits\","
	"\"insert_line\":\"$insert_line\",\"impl_source\":\"oh_aci\"}}]";

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_DESTRUCTIVE,
		.name = "str_replace_editor",
		.description = description,
		.brief =
			"View, create and edit files by absolute path. `old_str` must match once.",
		.schema = schema,
		.events = events,
	},
};

static const struct mt_toolset set = {
	.size = sizeof set,
	.tool_count = 1,
	.tools = tools,
	.open = editor_open_set,
	.call = editor_plugin_run,
	.close = editor_close_set,
};

MT_TOOLSET(&set, "editor", .name = "editor",
	   .summary = "Views and edits files, and undoes its edits.", .options = options,
	   .option_count = ARRAY_LEN(options))
