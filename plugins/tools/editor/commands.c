/* SPDX-License-Identifier: MIT
 *
 * commands.c - the commands view and create. */
#include "commands.h"
#include "text/argument.h"
#include "text/file-view.h"
#include <string.h>

static int editor_commands_view_image(struct job *j, struct textfile *f, const char *mime)
{
	strbuf_addf(&j->ret->text, "Here is the image %s (%s, %zu bytes).", j->path, mime,
		    f->bytes.len);
	j->ret->media_len = f->bytes.len;
	j->ret->media = strbuf_take(&f->bytes);
	j->ret->mime = mime;
	return MT_OK;
}

static int view_file(struct job *j)
{
	struct error err = ERROR_NONE;
	AUTO(textfile) struct textfile f = TEXTFILE;
	AUTO(strbuf) struct strbuf why = STRBUF(16384);
	struct seen *seen = memory_find(j->e->memory, j->real);
	const char *mime;
	int status;

	if (textfile_read(&f, j->real, &err) != MT_OK)
		return editor_refuse_file(j, &err);
	mime = file_view_image_type(j->real, f.bytes.text, f.bytes.len);
	if (mime)
		return editor_commands_view_image(j, &f, mime);
	if (textfile_decode(&f,
			    seen && memory_is_seen(seen, f.hash) ? memory_charset(seen)
								 : NULL,
			    &err) != MT_OK)
		return editor_refuse_file(j, &err);
	status = view_text(&f, j->path, j->q->view_range, &j->ret->text, &why);
	if (status == MT_EINVAL)
		return editor_refuse(j, status, "%s", why.text);
	if (status != MT_OK || !memory_saw(j->e->memory, j->real, &f))
		return editor_refuse(j, MT_ENOMEM, "Out of memory: cannot view %s.",
				     j->path);
	return MT_OK;
}

int command_view(struct job *j)
{
	struct error err = ERROR_NONE;

	j->ret->prev_exist = true;
	if (!j->is_dir)
		return view_file(j);
	if (argument_given(j->q->view_range)) {
		AUTO(strbuf) struct strbuf shown = STRBUF(8192);

		argument_put(&shown, j->q->view_range);
		return editor_refuse(
			j, MT_EINVAL,
			"Invalid `view_range` parameter: %s. The `view_range` "
			"parameter is not allowed when `path` points to a directory.",
			shown.text);
	}
	if (listing_view_dir(j->path, j->e->v0, &j->ret->text, &err) != MT_OK)
		return editor_refuse_file(j, &err);
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
		return editor_refuse_missing(j, "file_text");
	if (textfile_from_text(&f, text.ptr, text.len, &err) != MT_OK ||
	    textfile_create(j->path, f.bytes.text, f.bytes.len, &parents, &err) != MT_OK)
		return editor_refuse_write(j, &err);
	real = realpath(j->path, NULL);
	seen = real ? memory_saw(j->e->memory, real, &f) : NULL;
	if (seen)
		memory_add_creation(j->e->memory, seen, &f, parents);
	strbuf_addf(&j->ret->text, "File created successfully at: %s", j->path);
	editor_report(j, NULL, &f);
	return MT_OK;
}
