/* SPDX-License-Identifier: MIT
 *
 * llm-edit.c - the tool `edit_file`: a model merges a draft of some lines into a file. */
#include "draft.h"
#include "editor.h"
#include "files.h"
#include "js.h"
#include "text/diff.h"
#include "text/textfile.h"
#include <errno.h>
#include <limits.h>
#include <mortise/tool.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 3, ASK_MAX = 1 << 20 };

struct self {
	const struct mt_tool_host *host;
	const char *workspace;
};

struct job {
	const struct mt_tool_host *host;
	struct mt_call *call;
	struct mt_str draft;
	char *path, *real;      /* absolute path as given; symbolic links resolved */
	struct error err;
};

static int llm_edit_open_set(const struct mt_tool_host *host,
			     struct mt_instance *instance, void **ret_self)
{
	struct self *self = calloc(1, sizeof *self);

	if (!self)
		return MT_ENOMEM;
	self->host = host;
	self->workspace = host->workspace(instance);
	*ret_self = self;
	return MT_OK;
}

static void llm_edit_close_set(const struct mt_tool_host *host,
			       struct mt_instance *instance, void *self)
{
	(void)host, (void)instance;
	free(self);
}

/* ---- the result --------------------------------------------------------------- */

static void llm_edit_put_field(const struct job *j, const char *name, const char *text,
			       size_t len)
{
	AUTO(strbuf) struct strbuf json = STRBUF((size_t)4 << 20);

	if (js_put_str(&json, text, len) == MT_OK)
		j->host->field(j->call, name, json.text, json.len);
}

static void llm_edit_put_content(const struct job *j, const char *name,
				 const struct textfile *f)
{
	AUTO(strbuf) struct strbuf text = STRBUF(EDITOR_CONTENT_MAX);

	if (textfile_whole(f, &text) == MT_OK)
		llm_edit_put_field(j, name, text.text, text.len);
}

/* `old` NULL: there was no file. */
static int llm_edit_tell(const struct job *j, const struct textfile *old,
			 const struct textfile *now)
{
	AUTO(strbuf) struct strbuf diff = STRBUF(EDITOR_DIFF_MAX);
	struct mt_str before = { "", 0 }, after = { now->text.text, now->text.len };

	if (old)
		before = (struct mt_str){ old->text.text, old->text.len };
	llm_edit_put_field(j, "path", j->path, strlen(j->path));
	llm_edit_put_field(j, "impl_source", "llm_based_edit", 14);
	j->host->field(j->call, "prev_exist", old ? "true" : "false", old ? 4 : 5);
	if (old)
		llm_edit_put_content(j, "old_content", old);
	llm_edit_put_content(j, "new_content", now);
	if (diff_unified(before, after, j->path, j->path, &diff))
		return j->host->reply(
			j->call,
			"The file %s has been edited; the change is too long to show.\n",
			j->path);
	llm_edit_put_field(j, "diff", diff.text, diff.len);
	if (diff.len == 0)
		return j->host->reply(j->call, "The draft changes nothing in %s.\n",
				      j->path);
	return j->host->reply_text(j->call, diff.text, diff.len);
}

/* ---- a new file ----------------------------------------------------------------- */

static int llm_edit_create(struct job *j)
{
	AUTO(textfile) struct textfile now = TEXTFILE;
	AUTO(strbuf) struct strbuf text = STRBUF(TEXTFILE_MAX);
	unsigned parents = 0;
	int r = draft_trim(j->draft, &text);

	if (!r)
		r = textfile_from_text(&now, text.text, text.len, &j->err);
	if (!r)
		r = textfile_create(j->path, now.bytes.text, now.bytes.len, &parents,
				    &j->err);
	if (r)
		return fail(&j->err, r, "Cannot create the file: %s", status_name(r));
	return llm_edit_tell(j, NULL, &now);
}

/* ---- the model --------------------------------------------------------------------- */

/* Send one request to the model and parse the lines of the response. */
static int ask_once(struct job *j, struct mt_str question, struct strbuf *out)
{
	struct mt_str result;
	AUTO(json) json_object *answer = NULL;
	const char *text;
	int r = j->host->request(j->call, "model/complete", question, &result);

	if (r)
		return fail(&j->err, r, "No model merged the draft: %.*s",
			    (int)(result.len < 400 ? result.len : 400), result.ptr);
	answer = js_parse_object(result.ptr, result.len, &j->err);
	text = js_str(answer, "text", NULL);
	if (!text || draft_answer((struct mt_str){ text, strlen(text) }, out))
		return MT_ENOTFOUND;
	return MT_OK;
}

static int llm_edit_ask(struct job *j, struct mt_str original, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf question = STRBUF(ASK_MAX);
	int r = draft_ask(original, j->draft, &question);

	if (r)
		return fail(&j->err, r,
			    "The lines and the draft exceed %d bytes. Edit fewer lines "
			    "at once.",
			    ASK_MAX);
	for (int n = 1; n <= TRIES; n++) {
		j->host->progress(j->call, n - 1, TRIES,
				  "merging the draft with a model");
		strbuf_reset(out);
		r = ask_once(j, (struct mt_str){ question.text, question.len }, out);
		if (r != MT_ENOTFOUND)
			return r;
	}
	return fail(&j->err, MT_EIO,
		    "The merging model returned no lines in %d attempts. Use a smaller "
		    "range or a clearer draft.",
		    TRIES);
}

/* ---- an old file ------------------------------------------------------------------- */

static int write_back(struct job *j, const struct textfile *old, size_t at,
		      size_t removed, struct mt_str added)
{
	AUTO(textfile) struct textfile now = TEXTFILE;
	struct splice change = { at, removed, added };
	int r = textfile_splice(old, &change, 1, &now, &j->err);

	if (!r)
		r = textfile_write(j->real, &old->st, now.bytes.text, now.bytes.len,
				   &j->err);
	return r ? r : llm_edit_tell(j, old, &now);
}

static int llm_edit_append(struct job *j, const struct textfile *f)
{
	AUTO(strbuf) struct strbuf text = STRBUF(TEXTFILE_MAX);

	if (f->text.len && f->text.text[f->text.len - 1] != '\n')
		strbuf_addc(&text, '\n');
	strbuf_addn(&text, j->draft.ptr, j->draft.len);
	if (j->draft.len && j->draft.ptr[j->draft.len - 1] != '\n')
		strbuf_addc(&text, '\n');
	if (text.error)
		return fail(&j->err, text.error, "The draft is too long.");
	return write_back(j, f, f->text.len, 0, (struct mt_str){ text.text, text.len });
}

static int llm_edit_merge(struct job *j, const struct textfile *f,
			  const struct draft_range *range)
{
	AUTO(strbuf) struct strbuf lines = STRBUF(TEXTFILE_MAX);
	size_t at = textfile_line_at(f, range->first);
	size_t end = textfile_line_at(f, range->last + 1);
	bool open = end == f->text.len && end > at && f->text.text[end - 1] != '\n';
	const char *text = f->text.text;
	int r = llm_edit_ask(j, (struct mt_str){ text + at, end - at }, &lines);

	if (r)
		return r;
	if (open && lines.len && lines.text[lines.len - 1] == '\n')
		strbuf_cut(&lines, lines.len - 1); /* like the end of the old file */
	return write_back(j, f, at, end - at, (struct mt_str){ lines.text, lines.len });
}

/* List the parts of a long file that are similar to the draft: the model may choose a
 * range. */
static void tell_like(struct job *j, const struct textfile *f)
{
	AUTO(strbuf) struct strbuf like = STRBUF(64 * 1024);

	draft_like((struct mt_str){ f->text.text, f->text.len }, j->draft, &like);
	if (like.len)
		j->host->reply(j->call, "The draft is most like these lines:\n%s",
			       like.text);
}

static int llm_edit_lines(struct job *j, int64_t start, int64_t end)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	struct draft_range range;
	int r = textfile_read(&f, j->real, &j->err);

	if (!r)
		r = textfile_decode(&f, NULL, &j->err);
	if (!r)
		r = draft_range(start, end, textfile_lines(&f), &range, &j->err);
	if (r == MT_ELIMIT && f.text.len)
		tell_like(j, &f);
	if (r)
		return r;
	return range.append ? llm_edit_append(j, &f) : llm_edit_merge(j, &f, &range);
}

/* ---- the call ---------------------------------------------------------------------- */

static int llm_edit_find(struct job *j, const char *path, const char *workspace)
{
	if (asprintf(&j->path, "%s%s%s", *path == '/' ? "" : workspace,
		     *path == '/' ? "" : "/", path) < 0) {
		j->path = NULL;
		return out_of_memory(&j->err);
	}
	j->real = realpath(j->path, NULL);
	if (j->real || errno == ENOENT)
		return MT_OK;
	return fail(&j->err, MT_EIO, "%s: %s", j->path, strerror(errno));
}

static int llm_edit_run(const struct mt_tool_host *host, void *self_,
			struct mt_call *call)
{
	struct self *self = self_;
	struct job j = { .host = host, .call = call };
	const char *path = j.host->arg_str(call, "path", NULL);
	int64_t start = 1, end = -1;
	int r;

	j.draft.ptr = j.host->arg_str(call, "content", &j.draft.len);
	j.host->arg_int(call, "start", &start);
	j.host->arg_int(call, "end", &end);
	if (!path || !*path || !j.draft.ptr)
		r = fail(&j.err, MT_EINVAL, "Missing argument `path` or `content`.");
	else
		r = llm_edit_find(&j, path, self->workspace);
	if (!r)
		r = j.real ? llm_edit_lines(&j, start, end) : llm_edit_create(&j);
	free(j.path);
	free(j.real);
	return r ? j.host->fail(call, r, "%s", j.err.code ? j.err.text : status_name(r))
		 : MT_OK;
}

static const char description[] =
	"Edit a text file with a draft that another model merges.\n"
	"`content` is a draft of the new content of lines `start` to `end`. Write what "
	"changes and a few lines around it, and replace unchanged lines with a comment "
	"such as `# no changes` in the language of the file.\n"
	"If the file does not exist, it is created from the draft. `start` -1 appends "
	"the draft unchanged. At most 301 lines are edited at once: in longer files, "
	"view them first and set `start` and `end` around the change. Returns the "
	"diff; check it.";

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"path\":{\"type\":\"string\",\"description\":\"absolute\"},"
	"\"content\":{\"type\":\"string\",\"description\":\"the draft\"},"
	"\"start\":{\"type\":\"integer\",\"description\":\"first line (default 1); -1: "
	"append\"},"
	"\"end\":{\"type\":\"integer\",\"description\":\"last line (default -1: the "
	"end)\"}},"
	"\"required\":[\"path\",\"content\"]"
	",\"additionalProperties\":false}";

static const char events[] =
	"[{\"action\":\"edit\",\"observation\":\"edit\",\"args\":{\"path\":\"$path\","
	"\"content\":\"$content\",\"start\":\"$start\",\"end\":\"$end\","
	"\"impl_source\":\"llm_based_edit\"}}]";

static const struct mt_tool tools[] = {
	{
		.size = sizeof tools[0],
		.hints = MT_TOOL_DESTRUCTIVE,
		.name = "edit_file",
		.description = description,
		.brief = "Merge a draft (`content`) of lines `start` to `end` into a "
			 "file; `# no changes` marks unchanged lines.",
		.schema = schema,
		.events = events,
	},
};

static const struct mt_toolset set = {
	.size = sizeof set,
	.tool_count = 1,
	.tools = tools,
	.open = llm_edit_open_set,
	.call = llm_edit_run,
	.close = llm_edit_close_set,
};

MT_TOOLSET(&set, "llm-edit", .name = "llm-edit",
	   .summary = "Edits files with drafts that a model merges.")
