/* SPDX-License-Identifier: MIT
 *
 * edits.c - parses and applies workspace edits of a server. */
#include "edits.h"
#include "array.h"

#include <limits.h>
#include <string.h>

/* The path of a URI, symbolic links resolved, if it is a file in the workspace; owned. */
static char *lsp_workspace_file(const char *uri, const char *workspace, struct error *err)
{
	AUTO(free) char *path = lsp_uri_path(uri);
	char *real = path ? realpath(path, NULL) : NULL;
	size_t len = strlen(workspace);

	if (!path)
		fail(err, MT_EDENIED,
		     "The language server returned `%.200s`, which is not the URI of a file.",
		     uri);
	else if (!real)
		fail(err, MT_ENOTFOUND,
		     "The language server names %.300s, which does not exist.", path);
	else if (strncmp(real, workspace, len) == 0 && real[len] == '/')
		return real;
	else
		fail(err, MT_EDENIED,
		     "The language server names %.300s, which is outside the workspace.",
		     real);
	free(real);
	return NULL;
}

/* ---- reading ------------------------------------------------------------- */

/* Offset of a position in the text. @return SIZE_MAX if the line does not exist */
static size_t offset_of(const struct textfile *f, json_object *position,
			enum encoding encoding)
{
	int64_t n = js_int(position, "line", -1),
		column = js_int(position, "character", -1);
	size_t len;

	if (n < 0 || column < 0)
		return SIZE_MAX;
	const char *line = lsp_text_line(f->text.text, f->text.len, (size_t)n, &len);

	if (!line)
		return SIZE_MAX;
	return (size_t)(line - f->text.text) +
	       lsp_column_offset(line, len, (size_t)column, encoding);
}

static int read_splice(const struct file_edit *e, json_object *edit,
		       enum encoding encoding, struct splice *ret, struct error *err)
{
	size_t start = offset_of(&e->before, js_path(edit, "range.start"), encoding);
	size_t end = offset_of(&e->before, js_path(edit, "range.end"), encoding);
	json_object *text = js_get(edit, "newText");

	if (start == SIZE_MAX || end == SIZE_MAX || end < start ||
	    !json_object_is_type(text, json_type_string))
		return fail(err, MT_EINVAL,
			    "The language server sent an invalid edit of %.300s.",
			    e->path);
	*ret = (struct splice){ .at = start, .removed = end - start,
				.added = { json_object_get_string(text),
					   (size_t)json_object_get_string_len(text) } };
	return MT_OK;
}

static int by_offset(const void *a, const void *b)
{
	const struct splice *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int read_splices(struct edits *all, struct file_edit *e, json_object *list,
			enum encoding encoding, struct error *err)
{
	size_t count = js_length(list);
	int r = MT_OK;

	all->changes += count;
	if (all->changes > EDIT_CHANGES_MAX)
		return fail(err, MT_ELIMIT,
			    "The language server sent more than %d changes.",
			    EDIT_CHANGES_MAX);
	e->splices = calloc(count + 1, sizeof *e->splices);
	if (!e->splices)
		return out_of_memory(err);
	for (; !r && e->count < count; e->count++)
		r = read_splice(e, json_object_array_get_idx(list, e->count), encoding,
				&e->splices[e->count], err);
	if (r)
		return r;
	qsort(e->splices, e->count, sizeof *e->splices, by_offset);
	for (size_t i = 1; i < e->count; i++)
		if (e->splices[i - 1].at + e->splices[i - 1].removed > e->splices[i].at)
			return fail(err, MT_EINVAL,
				    "The language server sent overlapping edits of "
				    "%.300s.",
				    e->path);
	return MT_OK;
}

static struct file_edit *lsp_edits_add_file(struct edits *all, struct error *err)
{
	if (ARRAY_ADD(all->files, all->count, EDIT_FILES_MAX)) {
		fail(err, MT_ELIMIT,
		     "The language server sent edits of more than %d files.",
		     EDIT_FILES_MAX);
		return NULL;
	}
	struct file_edit *e = &all->files[all->count++];

	*e = (struct file_edit){ .before = TEXTFILE, .after = TEXTFILE };
	return e;
}

static int lsp_edits_read_file(struct edits *all, const char *uri, json_object *list,
			       const char *workspace, enum encoding encoding,
			       struct error *err)
{
	AUTO(free) char *path = lsp_workspace_file(uri, workspace, err);
	struct error why = ERROR_NONE;
	struct file_edit *e;

	if (!path)
		return err->code;
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->files[i].path, path) == 0)
			return fail(err, MT_EINVAL,
				    "The language server sent two edits of %.300s.",
				    path);
	e = lsp_edits_add_file(all, err);
	if (!e)
		return err->code;
	e->path = STEAL(path);
	if (textfile_read(&e->before, e->path, &why) ||
	    textfile_decode(&e->before, NULL, &why))
		return fail(err, why.code, "%.300s: %s", e->path, why.text);
	int r = read_splices(all, e, list, encoding, err);

	if (!r && textfile_splice(&e->before, e->splices, e->count, &e->after, &why))
		r = fail(err, why.code, "%.300s: %s", e->path, why.text);
	return r;
}

static int read_changes(json_object *changes, const char *workspace,
			enum encoding encoding, struct edits *ret, struct error *err)
{
	int r = MT_OK;

	if (!json_object_is_type(changes, json_type_object))
		return MT_OK;
	json_object_object_foreach(changes, uri, list) {
		if (!r && js_length(list))
			r = lsp_edits_read_file(ret, uri, list, workspace, encoding, err);
	}
	return r;
}

int edits_read(json_object *edit, const char *workspace, enum encoding encoding,
	       struct edits *ret, struct error *err)
{
	json_object *list = js_get(edit, "documentChanges");
	size_t count = js_length(list);
	int r = MT_OK;

	*ret = (struct edits){ 0 };
	if (!list)
		return read_changes(js_get(edit, "changes"), workspace, encoding, ret,
				    err);
	for (size_t i = 0; !r && i < count; i++) {
		json_object *one = json_object_array_get_idx(list, i);

		if (js_get(one, "kind"))
			r = fail(err, MT_EUNSUPPORTED,
				 "The language server would also %.20s a file, which is "
				 "not supported. Nothing was changed.",
				 js_str(one, "kind", ""));
		else
			r = lsp_edits_read_file(
				ret, js_str(js_get(one, "textDocument"), "uri", ""),
				js_get(one, "edits"), workspace, encoding, err);
	}
	return r;
}

/* ---- writing ------------------------------------------------------------- */

/* Restore the written files, unless they have changed since. */
static void lsp_edits_restore(struct edits *e, size_t count)
{
	struct stat st;

	for (size_t i = 0; i < count; i++) {
		struct file_edit *f = &e->files[i];

		if (stat(f->path, &st) == 0)
			textfile_write(f->path, &st, f->before.bytes.text,
				       f->before.bytes.len, NULL);
	}
}

int edits_write(struct edits *e, struct error *err)
{
	for (size_t i = 0; i < e->count; i++) {
		struct file_edit *f = &e->files[i];
		struct error why = ERROR_NONE;

		if (!textfile_write(f->path, &f->before.st, f->after.bytes.text,
				    f->after.bytes.len, &why))
			continue;
		lsp_edits_restore(e, i);
		return fail(err, why.code, "%.300s: %s. Nothing was changed.", f->path,
			    why.text);
	}
	return MT_OK;
}

void edits_clear(struct edits *e)
{
	for (size_t i = 0; i < e->count; i++) {
		free(e->files[i].path);
		free(e->files[i].splices);
		textfile_clear(&e->files[i].before);
		textfile_clear(&e->files[i].after);
	}
	free(e->files);
	*e = (struct edits){ 0 };
}
