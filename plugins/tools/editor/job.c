/* SPDX-License-Identifier: MIT
 *
 * job.c - reads the file of a call and reports its change or its failure, for all commands. */
#include "commands.h"
#include "text/diff.h"
#include <string.h>

void editor_result_clear(struct editor_result *r)
{
	strbuf_clear(&r->text);
	strbuf_clear(&r->old_content);
	strbuf_clear(&r->new_content);
	strbuf_clear(&r->diff);
	free(r->path);
	free(r->media);
	r->path = r->media = NULL;
}

int editor_refuse(struct job *j, int status, const char *fmt, ...)
{
	va_list ap;

	strbuf_reset(&j->ret->text);
	va_start(ap, fmt);
	strbuf_vaddf(&j->ret->text, fmt, ap);
	va_end(ap);
	return status;
}

int editor_refuse_missing(struct job *j, const char *param)
{
	return editor_refuse(j, MT_EINVAL, "Parameter `%s` is required for command: %s.",
			     param, j->command);
}

int editor_refuse_file(struct job *j, const struct error *err)
{
	return editor_refuse(j, err->code, "File validation failed for %s: %s", j->path,
			     err->text);
}

int editor_refuse_write(struct job *j, const struct error *err)
{
	return editor_refuse(j, err->code, "Ran into %s while trying to write to %s",
			     err->text, j->path);
}

int editor_read(struct job *j, struct textfile *f)
{
	struct error err = ERROR_NONE;
	struct seen *seen = memory_find(j->e->memory, j->real);
	const struct charset *hint = NULL;

	if (textfile_read(f, j->real, &err) != MT_OK)
		return editor_refuse_file(j, &err);
	if (seen && memory_is_seen(seen, f->hash))
		hint = memory_charset(seen);
	if (textfile_decode(f, hint, &err) != MT_OK)
		return editor_refuse_file(j, &err);
	return MT_OK;
}

static int refuse_changed(struct job *j, const char *by)
{
	return editor_refuse(
		j, MT_EDENIED,
		"The file %s has changed since you last viewed it%s%s. Nothing was "
		"written. View it again, then repeat the edit.",
		j->path, *by ? ", by " : "", by);
}

int editor_read_for_edit(struct job *j, bool by_line, struct textfile *f)
{
	const struct editor *e = j->e;
	struct seen *seen = memory_find(e->memory, j->real);
	struct file_past past = { .shown = false };
	int status = editor_read(j, f);

	if (status != MT_OK || (seen && memory_is_seen(seen, f->hash)))
		return status;
	if (!e->past || e->past(e->past_arg, j->real,
				(int64_t)f->st.st_mtim.tv_sec * 1000 +
					f->st.st_mtim.tv_nsec / 1000000,
				&past) != MT_OK)
		return seen ? refuse_changed(j, "") : MT_OK;
	if (!seen && !past.shown)
		return editor_refuse(
			j, MT_EDENIED,
			"You have not viewed the file %s. Nothing was written. "
			"View it, then repeat the edit.",
			j->path);
	if (!seen)
		return MT_OK;
	if (by_line || !*past.changed_by)
		return refuse_changed(j, past.changed_by);
	strbuf_addf(&j->ret->text,
		    "[%s has changed the file since you last viewed it.]\n",
		    past.changed_by);
	return MT_OK;
}

static bool report_content(const struct textfile *f, struct strbuf *whole,
			   struct strbuf *content, bool *has)
{
	if (!f)
		return true;
	if (textfile_whole(f, whole) != MT_OK)
		return false;
	if (whole->len <= EDITOR_CONTENT_MAX)
		*has = strbuf_addn(content, whole->text, whole->len) == MT_OK;
	return true;
}

void editor_report(struct job *j, const struct textfile *before,
		   const struct textfile *after)
{
	AUTO(strbuf) struct strbuf old = STRBUF(5 * TEXTFILE_MAX);
	AUTO(strbuf) struct strbuf new_ = STRBUF(5 * TEXTFILE_MAX);
	struct editor_result *r = j->ret;

	r->edited = true;
	r->prev_exist = before != NULL;
	if (!report_content(before, &old, &r->old_content, &r->has_old) ||
	    !report_content(after, &new_, &r->new_content, &r->has_new))
		return;
	if (diff_unified((struct mt_str){ old.text, old.len },
			 (struct mt_str){ new_.text, new_.len },
			 before ? j->path : "/dev/null", after ? j->path : "/dev/null",
			 &r->diff) != MT_OK)
		strbuf_clear(&r->diff);
}
