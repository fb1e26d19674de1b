/* SPDX-License-Identifier: MIT
 *
 * commands.c - the commands view and create. */
#include "commands.h"
#include "params.h"
#include "view.h"
#include <string.h>

static int view_image(struct job *j, struct textfile *f, const char *mime)
{
	strbuf_addf(&j->ret->text, "Here is the image %s (%s, %zu bytes).", j->path, mime,
		    f->bytes.len);
	j->ret->media_len = f->bytes.len;
	j->ret->media = strbuf_take(&f->bytes);
	j->ret->mime = mime;
	return MT_OK;
}

/* Which lines a view shows; a note if the range ends behind the file. */
static int view_range(struct job *j, size_t lines, size_t *first, size_t *last)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(8192);
	int64_t range[2] = { 1, -1 };
	size_t count = 0;

	*first = 1, *last = lines;
	if (!param_given(j->q->view_range))
		return MT_OK;
	param_put(&shown, j->q->view_range);
	if (!param_range(j->q->view_range, range, &count))
		return job_refuse(j, MT_EINVAL,
				  "Invalid `view_range` parameter: %s. It should be a "
				  "list of two integers.",
				  shown.text);
	if (count == 0)
		return MT_OK;
	if (range[0] < 1 || (uint64_t)range[0] > lines)
		return job_refuse(
			j, MT_EINVAL,
			"Invalid `view_range` parameter: %s. Its first element "
			"`%lld` should be within the range of lines of the file: "
			"[1, %zu].",
			shown.text, (long long)range[0], lines);
	if (range[1] != -1 && range[1] < range[0])
		return job_refuse(
			j, MT_EINVAL,
			"Invalid `view_range` parameter: %s. Its second element "
			"`%lld` should be greater than or equal to the first element "
			"`%lld`.",
			shown.text, (long long)range[1], (long long)range[0]);
	*first = (size_t)range[0];
	if (range[1] != -1 && (uint64_t)range[1] > lines)
		strbuf_addf(&j->ret->text,
			    "NOTE: We only show up to %zu since there're only %zu "
			    "lines in this file.\n",
			    lines, lines);
	else if (range[1] != -1)
		*last = (size_t)range[1];
	return MT_OK;
}

static int view_file(struct job *j)
{
	struct error err = ERROR_NONE;
	AUTO(textfile) struct textfile f = TEXTFILE;
	struct seen *seen = memory_find(j->e->memory, j->real);
	size_t first, last;
	const char *mime;
	int status;

	if (textfile_read(&f, j->real, &err) != MT_OK)
		return job_refuse_file(j, &err);
	mime = image_type(j->real, f.bytes.text, f.bytes.len);
	if (mime)
		return view_image(j, &f, mime);
	if (textfile_decode(&f, seen && seen_is(seen, f.hash) ? seen_charset(seen) : NULL,
			    &err) != MT_OK)
		return job_refuse_file(j, &err);
	status = view_range(j, textfile_lines(&f), &first, &last);
	if (status != MT_OK)
		return status;
	strbuf_addf(&j->ret->text, "Here's the result of running `cat -n` on %s:\n",
		    j->path);
	if (view_lines(&f, first, last, &j->ret->text) != MT_OK ||
	    !memory_saw(j->e->memory, j->real, &f))
		return job_refuse(j, MT_ENOMEM, "Out of memory: cannot view %s.",
				  j->path);
	return MT_OK;
}

int command_view(struct job *j)
{
	struct error err = ERROR_NONE;

	j->ret->prev_exist = true;
	if (!j->is_dir)
		return view_file(j);
	if (param_given(j->q->view_range)) {
		AUTO(strbuf) struct strbuf shown = STRBUF(8192);

		param_put(&shown, j->q->view_range);
		return job_refuse(
			j, MT_EINVAL,
			"Invalid `view_range` parameter: %s. The `view_range` "
			"parameter is not allowed when `path` points to a directory.",
			shown.text);
	}
	if (view_dir(j->path, &j->ret->text, &err) != MT_OK)
		return job_refuse_file(j, &err);
	return MT_OK;
}

int command_create(struct job *j)
{
	struct error err = ERROR_NONE;
	AUTO(textfile) struct textfile f = TEXTFILE;
	AUTO(free) char *real = NULL;
	struct mt_str text = j->q->file_text;
	unsigned parents = 0;
	struct seen *seen;

	if (!text.ptr)
		return job_refuse_missing(j, "file_text");
	if (textfile_from_text(&f, text.ptr, text.len, &err) != MT_OK ||
	    textfile_create(j->path, f.bytes.text, f.bytes.len, &parents, &err) != MT_OK)
		return job_refuse_write(j, &err);
	real = realpath(j->path, NULL);
	seen = real ? memory_saw(j->e->memory, real, &f) : NULL;
	if (seen)
		memory_add_creation(j->e->memory, seen, &f, parents);
	strbuf_addf(&j->ret->text, "File created successfully at: %s", j->path);
	job_report(j, NULL, &f);
	return MT_OK;
}
