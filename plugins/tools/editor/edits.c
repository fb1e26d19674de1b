/* SPDX-License-Identifier: MIT
 *
 * edits.c - the commands insert, write and undo_edit; writes the result of an edit. */
#include "commands.h"
#include "text/argument.h"
#include "text/file-view.h"
#include <errno.h>
#include <string.h>

#define REVIEW                                                                           \
	"Check these lines; if they are wrong, edit the file again."

int editor_store(struct job *j, const struct textfile *f, const struct textfile *changed)
{
	struct error err = ERROR_NONE;
	struct seen *seen = memory_saw(j->e->memory, j->real, f);
	struct undo undo;

	if (!seen || memory_prepare_undo(f, changed, &undo) != MT_OK)
		return editor_refuse(j, MT_ENOMEM, "Out of memory: cannot edit %s.",
				     j->path);
	if (textfile_write(j->real, &f->st, changed->bytes.text, changed->bytes.len,
			   &err) != MT_OK) {
		free(undo.bytes);
		return editor_refuse_write(j, &err);
	}
	memory_saw(j->e->memory, j->real, changed);
	memory_add_edit(j->e->memory, seen, undo);
	editor_report(j, f, changed);
	return MT_OK;
}

/* Change the text at one position and write the file. */
static int editor_edits_apply(struct job *j, const struct textfile *f,
			      struct splice change, struct textfile *ret)
{
	struct error err = ERROR_NONE;

	if (textfile_splice(f, &change, 1, ret, &err) != MT_OK)
		return editor_refuse_write(j, &err);
	return editor_store(j, f, ret);
}

void editor_put_lines(struct job *j, const struct textfile *f, size_t first, size_t last)
{
	size_t lines = textfile_lines(f);

	view_lines(f, first, last < lines ? last : lines, &j->ret->text);
}

void editor_put_review(struct job *j)
{
	strbuf_add(&j->ret->text, REVIEW);
}

int editor_put_text(struct strbuf *out, struct mt_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '\r' || i + 1 == text.len || text.ptr[i + 1] != '\n')
			strbuf_addc(out, text.ptr[i]);
	return out->error;
}

static struct mt_str editor_edits_str_of(const struct strbuf *b)
{
	return (struct mt_str){ b->text, b->len };
}

/* ---- insert ----------------------------------------------------------- */

int editor_command_insert(struct job *j)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	AUTO(textfile) struct textfile changed = TEXTFILE;
	AUTO(strbuf) struct strbuf added = STRBUF(TEXTFILE_MAX + 8);
	AUTO(strbuf) struct strbuf shown = STRBUF(4096);
	int64_t line = 0;
	size_t at, lines;
	bool open;
	int status;

	if (!argument_given(j->q->insert_line))
		return editor_refuse_missing(j, "insert_line");
	if (!j->q->new_str.ptr)
		return editor_refuse_missing(j, "new_str");
	argument_put(&shown, j->q->insert_line);
	if (!argument_int(j->q->insert_line, &line))
		return editor_refuse(
			j, MT_EINVAL,
			"Invalid `insert_line` parameter: %s. It should be an "
			"integer.",
			shown.text);
	status = editor_read_for_edit(j, true, &f);
	if (status != MT_OK)
		return status;
	lines = textfile_lines(&f);
	if (line < 0 || (uint64_t)line > lines)
		return editor_refuse(
			j, MT_EINVAL,
			"Invalid `insert_line` parameter: %lld. It should be "
			"within the range of allowed values: [0, %zu]",
			(long long)line, lines);
	at = textfile_line_at(&f, (size_t)line + 1);
	open = at == f.text.len && at > 0 && f.text.text[at - 1] != '\n';
	strbuf_add(&added, open ? "\n" : "");
	editor_put_text(&added, j->q->new_str);
	if (strbuf_add(&added, open ? "" : "\n") != MT_OK)
		return editor_refuse(j, MT_ELIMIT,
				     "Invalid `new_str` parameter: it is too long.");
	strbuf_addf(&j->ret->text,
		    "The file %s has been edited. Here's the result of running "
		    "`cat -n` on a snippet of the edited file:\n",
		    j->path);
	status = editor_edits_apply(j, &f,
				    (struct splice){ at, 0, editor_edits_str_of(&added) },
				    &changed);
	if (status != MT_OK)
		return status;
	editor_put_lines(j, &changed, editor_snippet_first((size_t)line),
			 (size_t)line + EDITOR_SNIPPET +
				 editor_count_newlines(added.text, added.len));
	editor_put_review(j);
	return MT_OK;
}

/* ---- write ------------------------------------------------------------ */

static int64_t line_arg(struct mt_str json, int64_t fallback)
{
	int64_t line = fallback;

	return argument_given(json) && argument_int(json, &line) ? line : fallback;
}

static int write_new(struct job *j, const struct strbuf *text)
{
	const struct editor_request *given = j->q;
	struct editor_request q = *given;
	int status;

	q.file_text = editor_edits_str_of(text);
	j->q = &q;
	status = command_create(j);
	j->q = given;
	return status;
}

/* Offset of a line, counted from 0; lines beyond the end map to the end. */
static size_t line_offset(const struct textfile *f, int64_t line)
{
	if (line <= 0)
		return 0;
	return (uint64_t)line >= textfile_lines(f)
		       ? f->text.len
		       : textfile_line_at(f, (size_t)line + 1);
}

/* V0's action: lines from `start` on and before `end` (0 and -1: all) become
 * `file_text`, which always ends with a newline. */
int editor_command_write(struct job *j)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	AUTO(textfile) struct textfile changed = TEXTFILE;
	AUTO(strbuf) struct strbuf text = STRBUF(TEXTFILE_MAX + 8);
	int64_t start = line_arg(j->q->start, 0), end = line_arg(j->q->end, -1);
	size_t from, to;
	int status;

	if (!j->q->file_text.ptr)
		return editor_refuse_missing(j, "content");
	editor_put_text(&text, j->q->file_text);
	if (strbuf_add(&text, "\n") != MT_OK)
		return editor_refuse(j, MT_ELIMIT,
				     "Invalid `content` parameter: it is too long.");
	if (!j->real) {
		status = write_new(j, &text);
	} else if ((status = editor_read(j, &f)) == MT_OK) {
		from = line_offset(&f, start);
		to = end < 0 ? f.text.len : line_offset(&f, end);
		status = editor_edits_apply(j, &f,
					    (struct splice){ from,
							     to > from ? to - from : 0,
							     editor_edits_str_of(&text) },
					    &changed);
	}
	if (status == MT_OK)
		strbuf_reset(&j->ret->text);
	return status;
}

/* ---- undo_edit -------------------------------------------------------- */

static int refuse_stale_undo(struct job *j)
{
	return editor_refuse(
		j, MT_EDENIED,
		"The file %s has changed since the edit that would be undone. Nothing "
		"was written. Undo it with another edit.",
		j->path);
}

/* Report the changes of an undo, if both contents are text. */
static void report_undo(struct job *j, const struct textfile *f,
			const struct textfile *back, bool is_text)
{
	j->ret->edited = true;
	j->ret->prev_exist = true;
	if (is_text)
		editor_report(j, f, back);
}

static int undo_creation(struct job *j, struct seen *seen, const struct textfile *f,
			 bool is_text)
{
	unsigned parents = memory_last_edit(seen)->parents;
	AUTO(free) char *dir = strdup(j->real);

	if (unlink(j->real) != 0)
		return editor_refuse(j, MT_EIO, "Ran into %s while trying to remove %s",
				     strerror(errno), j->path);
	memory_pop(j->e->memory, seen);
	for (char *slash; dir && parents > 0; parents--) {
		slash = strrchr(dir, '/');
		*slash = '\0';
		if (slash == dir || rmdir(dir) != 0)
			break;
	}
	strbuf_addf(&j->ret->text,
		    "Last edit to %s undone successfully. The edit had created the "
		    "file, so it was removed.",
		    j->path);
	report_undo(j, f, NULL, is_text);
	return MT_OK;
}

/* Put the bytes of the file before an edit into `ret`. */
static int before_edit(const struct undo *u, const struct textfile *f,
		       struct textfile *ret)
{
	strbuf_addn(&ret->bytes, f->bytes.text, u->at);
	strbuf_addn(&ret->bytes, u->bytes, u->bytes_len);
	strbuf_addn(&ret->bytes, f->bytes.text + u->at + u->len,
		    f->bytes.len - u->at - u->len);
	ret->hash = textfile_hash(ret->bytes.text, ret->bytes.len);
	return ret->bytes.error;
}

/* The lines that differ, with context lines; in the style of V0, all lines. */
static struct view_range undone_lines(const struct job *j, const struct textfile *f,
				      const struct textfile *back)
{
	size_t min = f->text.len < back->text.len ? f->text.len : back->text.len;
	size_t start = 0, end = 0;

	if (j->e->v0)
		return (struct view_range){ 1, SIZE_MAX };
	while (start < min && f->text.text[start] == back->text.text[start])
		start++;
	while (end < min - start && f->text.text[f->text.len - 1 - end] ==
					    back->text.text[back->text.len - 1 - end])
		end++;
	return (struct view_range){
		editor_snippet_first(textfile_line_of(back, start)),
		textfile_line_of(back, back->text.len - end) + EDITOR_SNIPPET,
	};
}

int editor_command_undo(struct job *j)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	AUTO(textfile) struct textfile back = TEXTFILE;
	struct seen *seen = memory_find(j->e->memory, j->real);
	const struct undo *last = seen ? memory_last_edit(seen) : NULL;
	struct error err = ERROR_NONE;
	struct view_range range;
	bool is_text;

	if (!last)
		return editor_refuse(j, MT_ENOTFOUND, "No edit history found for %s.",
				     j->path);
	if (textfile_read(&f, j->real, &err) != MT_OK)
		return editor_refuse_file(j, &err);
	if (f.hash != last->after)
		return refuse_stale_undo(j);
	is_text = textfile_decode(&f, memory_charset(seen), NULL) == MT_OK;
	if (last->created)
		return undo_creation(j, seen, &f, is_text);
	if (before_edit(last, &f, &back) != MT_OK)
		return editor_refuse(j, MT_ENOMEM,
				     "Out of memory: cannot undo the edit of %s.",
				     j->path);
	is_text = textfile_decode(&back, memory_charset(seen), NULL) == MT_OK && is_text;
	if (textfile_write(j->real, &f.st, back.bytes.text, back.bytes.len, &err) !=
	    MT_OK)
		return editor_refuse_write(j, &err);
	range = undone_lines(j, &f, &back);
	memory_pop(j->e->memory, seen);
	memory_saw(j->e->memory, j->real, &back);
	strbuf_addf(&j->ret->text,
		    "Last edit to %s undone successfully. Here's the result of "
		    "running `cat -n` on %s%s:\n",
		    j->path, j->e->v0 ? "" : "a snippet of ", j->path);
	editor_put_lines(j, &back, range.first, range.last);
	report_undo(j, &f, &back, is_text);
	return MT_OK;
}
