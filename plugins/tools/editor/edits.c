/* SPDX-License-Identifier: MIT
 *
 * edits.c - the commands str_replace, insert and undo_edit. */
#include "commands.h"
#include "nearmiss.h"
#include "params.h"
#include "space.h"
#include "utf8.h"
#include "view.h"
#include <errno.h>
#include <string.h>

enum { QUOTED_MAX = 4000, LINES_LISTED = 100 };

#define REVIEW                                                                           \
	"Check these lines; if they are wrong, edit the file again."

/* Change the text in one place and write the file. */
static int edit(struct job *j, const struct textfile *f, size_t at, size_t removed,
		struct mt_str added, struct textfile *ret)
{
	struct error err = ERROR_NONE;
	struct seen *seen = memory_saw(j->e->memory, j->real, f);
	struct undo undo;

	if (textfile_splice(f, at, removed, added, ret, &err) != MT_OK)
		return job_refuse_write(j, &err);
	if (!seen || undo_prepare(f, ret, &undo) != MT_OK)
		return job_refuse(j, MT_ENOMEM, "Out of memory: cannot edit %s.",
				  j->path);
	if (textfile_write(j->real, &f->st, ret->bytes.text, ret->bytes.len, &err) !=
	    MT_OK) {
		free(undo.bytes);
		return job_refuse_write(j, &err);
	}
	memory_saw(j->e->memory, j->real, ret);
	memory_add_edit(j->e->memory, seen, undo);
	job_report(j, f, ret);
	return MT_OK;
}

/* Show the lines around a change that begins in line `line`. */
static void put_snippet(struct job *j, const struct textfile *f, size_t line,
			size_t grown)
{
	size_t lines = textfile_lines(f), last = line + EDITOR_SNIPPET + grown;

	view_lines(f, line < EDITOR_SNIPPET ? 1 : line - EDITOR_SNIPPET + 1,
		   last < lines ? last : lines, &j->ret->text);
	strbuf_add(&j->ret->text, REVIEW);
}

/* Text of the model with line ends as the editor holds them. */
static int edits_put_text(struct strbuf *out, struct mt_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '\r' || i + 1 == text.len || text.ptr[i + 1] != '\n')
			strbuf_addc(out, text.ptr[i]);
	return out->error;
}

static size_t count_newlines(struct mt_str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.ptr[i] == '\n';
	return n;
}

static struct mt_str str_of(const struct strbuf *b)
{
	return (struct mt_str){ b->text, b->len };
}

static struct mt_str strip(struct mt_str s)
{
	while (s.len && space_is(*s.ptr))
		s.ptr++, s.len--;
	while (s.len && space_is(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

/* ---- str_replace ------------------------------------------------------ */

/* Number of non-overlapping occurrences; `*ret_at`: the first. */
static size_t edits_find(const struct textfile *f, struct mt_str what, size_t *ret_at)
{
	const char *p = f->text.text, *end = p + f->text.len;
	size_t n = 0;

	if (what.len == 0) {
		*ret_at = 0;
		return f->text.len + 1;
	}
	while ((p = memmem(p, (size_t)(end - p), what.ptr, what.len))) {
		if (n++ == 0)
			*ret_at = (size_t)(p - f->text.text);
		p += what.len;
	}
	return n;
}

/* `text` in a message, not longer than a model wants to read it. */
static void put_quoted(struct strbuf *out, struct mt_str text)
{
	size_t n = utf8_cut(text.ptr, text.len, QUOTED_MAX);

	strbuf_addc(out, '`');
	strbuf_addn(out, text.ptr, n);
	strbuf_add(out, n < text.len ? "...`" : "`");
}

/* The lines in which `what` begins, as a list without doubles. */
static void edits_put_lines(struct strbuf *out, const struct textfile *f,
			    struct mt_str what)
{
	const char *p = f->text.text, *counted = p, *end = p + f->text.len;
	size_t line = 1, shown = 0, before = 0;

	strbuf_addc(out, '[');
	while (shown < LINES_LISTED) {
		if (what.len)
			p = memmem(p, (size_t)(end - p), what.ptr, what.len);
		if (!p)
			break;
		line += count_newlines((struct mt_str){ counted, (size_t)(p - counted) });
		counted = p;
		if (line != before)
			strbuf_addf(out, shown++ ? ", %zu" : "%zu", line);
		before = line;
		if (what.len)
			p += what.len;
		else if ((p = memchr(p, '\n', (size_t)(end - p))))
			p++;
	}
	strbuf_add(out, shown == LINES_LISTED ? ", ...]" : "]");
}

static int refuse_matches(struct job *j, const struct textfile *f, size_t matches,
			  struct mt_str what, struct mt_str wanted)
{
	AUTO(strbuf) struct strbuf why = STRBUF(1 << 20);

	if (matches == 0) {
		strbuf_add(&why, "No replacement was performed, old_str ");
		put_quoted(&why, wanted);
		strbuf_addf(&why, " did not appear verbatim in %s.", j->path);
		explain_miss(f, wanted, &why);
		return job_refuse(j, MT_ENOTFOUND, "%s", why.text);
	}
	strbuf_add(&why,
		   "No replacement was performed. Multiple occurrences of old_str ");
	put_quoted(&why, what);
	strbuf_add(&why, " in lines ");
	edits_put_lines(&why, f, what);
	strbuf_add(&why, ". Please ensure it is unique.");
	return job_refuse(j, MT_EINVAL, "%s", why.text);
}

int command_str_replace(struct job *j)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	AUTO(textfile) struct textfile changed = TEXTFILE;
	AUTO(strbuf) struct strbuf old_buf = STRBUF(EDITOR_FILE_MAX + 8);
	AUTO(strbuf) struct strbuf new_buf = STRBUF(EDITOR_FILE_MAX + 8);
	struct mt_str old, new_;
	size_t at = 0, matches;
	int status;

	if (!j->q->old_str.ptr)
		return job_refuse_missing(j, "old_str");
	if (edits_put_text(&old_buf, j->q->old_str) != MT_OK ||
	    edits_put_text(&new_buf, j->q->new_str) != MT_OK)
		return job_refuse(j, MT_ELIMIT,
				  "No replacement was performed: `old_str` or `new_str` "
				  "is too long.");
	old = str_of(&old_buf), new_ = str_of(&new_buf);
	if (old.len == new_.len && memcmp(old.ptr, new_.ptr, old.len) == 0) {
		AUTO(strbuf) struct strbuf shown = STRBUF(QUOTED_MAX + 8);

		strbuf_addn(&shown, new_.ptr, utf8_cut(new_.ptr, new_.len, QUOTED_MAX));
		return job_refuse(j, MT_EINVAL,
				  "Invalid `new_str` parameter: %s. No replacement was "
				  "performed. `new_str` and `old_str` must be different.",
				  shown.text);
	}
	status = job_read_for_edit(j, &f);
	if (status != MT_OK)
		return status;
	matches = edits_find(&f, old, &at);
	if (matches == 0) {
		old = strip(old), new_ = strip(new_);
		matches = edits_find(&f, old, &at);
	}
	if (matches != 1)
		return refuse_matches(j, &f, matches, old, str_of(&old_buf));
	strbuf_addf(&j->ret->text,
		    "The file %s has been edited. Here's the result of running "
		    "`cat -n` on a snippet of %s:\n",
		    j->path, j->path);
	status = edit(j, &f, at, old.len, new_, &changed);
	if (status == MT_OK)
		put_snippet(j, &changed, textfile_line_of(&f, at), count_newlines(new_));
	return status;
}

/* ---- insert ----------------------------------------------------------- */

int command_insert(struct job *j)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	AUTO(textfile) struct textfile changed = TEXTFILE;
	AUTO(strbuf) struct strbuf added = STRBUF(EDITOR_FILE_MAX + 8);
	AUTO(strbuf) struct strbuf shown = STRBUF(4096);
	int64_t line = 0;
	size_t at, lines;
	bool open;
	int status;

	if (!param_given(j->q->insert_line))
		return job_refuse_missing(j, "insert_line");
	if (!j->q->new_str.ptr)
		return job_refuse_missing(j, "new_str");
	param_put(&shown, j->q->insert_line);
	if (!param_int(j->q->insert_line, &line))
		return job_refuse(j, MT_EINVAL,
				  "Invalid `insert_line` parameter: %s. It should be an "
				  "integer.",
				  shown.text);
	status = job_read_for_edit(j, &f);
	if (status != MT_OK)
		return status;
	lines = textfile_lines(&f);
	if (line < 0 || (uint64_t)line > lines)
		return job_refuse(j, MT_EINVAL,
				  "Invalid `insert_line` parameter: %lld. It should be "
				  "within the range of allowed values: [0, %zu]",
				  (long long)line, lines);
	at = textfile_line_at(&f, (size_t)line + 1);
	open = at == f.text.len && at > 0 && f.text.text[at - 1] != '\n';
	strbuf_add(&added, open ? "\n" : "");
	edits_put_text(&added, j->q->new_str);
	if (strbuf_add(&added, open ? "" : "\n") != MT_OK)
		return job_refuse(j, MT_ELIMIT,
				  "Invalid `new_str` parameter: it is too long.");
	strbuf_addf(&j->ret->text,
		    "The file %s has been edited. Here's the result of running "
		    "`cat -n` on a snippet of the edited file:\n",
		    j->path);
	status = edit(j, &f, at, 0, str_of(&added), &changed);
	if (status == MT_OK)
		put_snippet(j, &changed, (size_t)line, count_newlines(str_of(&added)));
	return status;
}

/* ---- write ------------------------------------------------------------ */

static int64_t line_arg(struct mt_str json, int64_t fallback)
{
	int64_t line = fallback;

	return param_given(json) && param_int(json, &line) ? line : fallback;
}

static int write_new(struct job *j, const struct strbuf *text)
{
	const struct editor_request *given = j->q;
	struct editor_request q = *given;
	int status;

	q.file_text = str_of(text);
	j->q = &q;
	status = command_create(j);
	j->q = given;
	return status;
}

/* Offset of a line, counted from 0; what is beyond the end is the end. */
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
int command_write(struct job *j)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	AUTO(textfile) struct textfile changed = TEXTFILE;
	AUTO(strbuf) struct strbuf text = STRBUF(EDITOR_FILE_MAX + 8);
	int64_t start = line_arg(j->q->start, 0), end = line_arg(j->q->end, -1);
	size_t from, to;
	int status;

	if (!j->q->file_text.ptr)
		return job_refuse_missing(j, "content");
	edits_put_text(&text, j->q->file_text);
	if (strbuf_add(&text, "\n") != MT_OK)
		return job_refuse(j, MT_ELIMIT,
				  "Invalid `content` parameter: it is too long.");
	if (!j->real) {
		status = write_new(j, &text);
	} else if ((status = job_read(j, &f)) == MT_OK) {
		from = line_offset(&f, start);
		to = end < 0 ? f.text.len : line_offset(&f, end);
		status = edit(j, &f, from, to > from ? to - from : 0, str_of(&text),
			      &changed);
	}
	if (status == MT_OK)
		strbuf_reset(&j->ret->text);
	return status;
}

/* ---- undo_edit -------------------------------------------------------- */

static int refuse_stale_undo(struct job *j)
{
	return job_refuse(
		j, MT_EDENIED,
		"The file %s has changed since the edit that would be undone. Nothing "
		"was written. Undo it with another edit.",
		j->path);
}

/* What an undo changed, as far as both contents are text. */
static void report_undo(struct job *j, const struct textfile *f,
			const struct textfile *back, bool is_text)
{
	j->ret->edited = true;
	j->ret->prev_exist = true;
	if (is_text)
		job_report(j, f, back);
}

static int undo_creation(struct job *j, struct seen *seen, const struct textfile *f,
			 bool is_text)
{
	unsigned parents = seen_last(seen)->parents;
	AUTO(free) char *dir = strdup(j->real);

	if (unlink(j->real) != 0)
		return job_refuse(j, MT_EIO, "Ran into %s while trying to remove %s",
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

/* The bytes before an edit, and as text if they are that. */
static int before_edit(const struct undo *u, const struct textfile *f,
		       struct textfile *ret)
{
	strbuf_addn(&ret->bytes, f->bytes.text, u->at);
	strbuf_addn(&ret->bytes, u->bytes, u->bytes_len);
	strbuf_addn(&ret->bytes, f->bytes.text + u->at + u->len,
		    f->bytes.len - u->at - u->len);
	ret->hash = hash_bytes(ret->bytes.text, ret->bytes.len);
	return ret->bytes.error;
}

int command_undo(struct job *j)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	AUTO(textfile) struct textfile back = TEXTFILE;
	struct seen *seen = memory_find(j->e->memory, j->real);
	const struct undo *last = seen ? seen_last(seen) : NULL;
	struct error err = ERROR_NONE;
	bool is_text;

	if (!last)
		return job_refuse(j, MT_ENOTFOUND, "No edit history found for %s.",
				  j->path);
	if (textfile_read(&f, j->real, &err) != MT_OK)
		return job_refuse_file(j, &err);
	if (f.hash != last->after)
		return refuse_stale_undo(j);
	is_text = textfile_decode(&f, seen_charset(seen), NULL) == MT_OK;
	if (last->created)
		return undo_creation(j, seen, &f, is_text);
	if (before_edit(last, &f, &back) != MT_OK)
		return job_refuse(j, MT_ENOMEM,
				  "Out of memory: cannot undo the edit of %s.", j->path);
	is_text = textfile_decode(&back, seen_charset(seen), NULL) == MT_OK && is_text;
	if (textfile_write(j->real, &f.st, back.bytes.text, back.bytes.len, &err) !=
	    MT_OK)
		return job_refuse_write(j, &err);
	memory_pop(j->e->memory, seen);
	memory_saw(j->e->memory, j->real, &back);
	strbuf_addf(&j->ret->text,
		    "Last edit to %s undone successfully. Here's the result of "
		    "running `cat -n` on %s:\n",
		    j->path, j->path);
	view_lines(&back, 1, textfile_lines(&back), &j->ret->text);
	report_undo(j, &f, &back, is_text);
	return MT_OK;
}
