/* SPDX-License-Identifier: MIT
 *
 * locations.c - formats results: lines of files, diagnostics, changes. */
#include "locations.h"
#include "array.h"
#include "space.h"
#include "utf8.h"

#include <string.h>

/* Append a line without surrounding white space. */
static void lsp_locations_put_line(const char *line, size_t len, struct strbuf *out)
{
	size_t shown, start;

	space_trim(&line, &len);
	shown = utf8_cut(line, len, LINE_SHOWN_MAX);
	start = out->len;
	utf8_add_clean(out, line, shown);
	if (out->len > start)
		utf8_blank_controls(out->text + start, out->len - start);
	if (shown < len)
		strbuf_add(out, "...");
	strbuf_addc(out, '\n');
}

static void lsp_locations_put_place(const struct lsp *lsp, const char *path, size_t line,
				    size_t column, struct strbuf *out)
{
	size_t start = out->len;

	utf8_add_clean(out, lsp_short_path(lsp, path), strlen(lsp_short_path(lsp, path)));
	if (out->len > start)
		utf8_blank_controls(out->text + start, out->len - start);
	strbuf_addf(out, ":%zu:%zu  ", line, column);
}

/* ---- locations ------------------------------------------------------------- */

static json_object *lsp_locations_first_of(json_object *o, const char *const *names)
{
	json_object *value = NULL;

	while (*names && !value)
		value = js_get(o, *names++);
	return value;
}

static int lsp_locations_add_location(struct locations *l, json_object *value,
				      struct error *err)
{
	static const char *const uris[] = { "uri", "targetUri", NULL },
				 *const ranges[] = { "range", "targetSelectionRange",
						     "targetRange", NULL };
	json_object *uri = lsp_locations_first_of(value, uris);
	json_object *start = js_get(lsp_locations_first_of(value, ranges), "start");
	int64_t line = js_int(start, "line", -1), column = js_int(start, "character", -1);

	if (!json_object_is_type(uri, json_type_string) || line < 0 || column < 0)
		return fail(err, MT_EINVAL,
			    "The language server sent an invalid location.");
	if (ARRAY_ADD(l->list, l->count, LOCATIONS_MAX))
		return fail(err, MT_ELIMIT,
			    "The language server sent more than %d locations.",
			    LOCATIONS_MAX);
	const char *text = json_object_get_string(uri);
	char *path = lsp_uri_path(text);

	path = path ? path : strdup(text);
	if (!path)
		return out_of_memory(err);
	l->list[l->count++] = (struct location){ path, (size_t)line, (size_t)column };
	return MT_OK;
}

static int lsp_locations_by_place(const void *a, const void *b)
{
	const struct location *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (order)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

static void drop_duplicates(struct locations *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (kept &&
		    lsp_locations_by_place(&l->list[kept - 1], &l->list[i]) == 0) {
			free(l->list[i].path);
			continue;
		}
		l->files += !kept || strcmp(l->list[kept - 1].path, l->list[i].path) != 0;
		l->list[kept++] = l->list[i];
	}
	l->count = kept;
}

int locations_read(json_object *result, struct locations *ret, struct error *err)
{
	size_t count = js_length(result);
	int r = MT_OK;

	*ret = (struct locations){ 0 };
	if (json_object_is_type(result, json_type_object))
		r = lsp_locations_add_location(ret, result, err);
	for (size_t i = 0; !r && i < count; i++)
		r = lsp_locations_add_location(ret, json_object_array_get_idx(result, i),
					       err);
	if (ret->count)
		qsort(ret->list, ret->count, sizeof *ret->list, lsp_locations_by_place);
	drop_duplicates(ret);
	return r;
}

void locations_clear(struct locations *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->list[i].path);
	free(l->list);
	*l = (struct locations){ 0 };
}

/* Load a file in the workspace; of other files, only the position is shown. */
static bool lsp_locations_load(const struct lsp *lsp, const char *path,
			       struct textfile *f)
{
	AUTO(free) char *real = *path == '/' ? realpath(path, NULL) : NULL;

	textfile_clear(f);
	*f = TEXTFILE;
	return real && lsp_short_path(lsp, real) != real &&
	       !textfile_read(f, real, NULL) && !textfile_decode(f, NULL, NULL);
}

static void put_location(const struct lsp *lsp, const struct location *l,
			 const struct textfile *f, enum encoding encoding,
			 struct strbuf *out)
{
	size_t len = 0;
	const char *line =
		f ? lsp_text_line(f->text.text, f->text.len, l->line, &len) : NULL;
	size_t at = line ? lsp_column_offset(line, len, l->column, encoding) : l->column;

	lsp_locations_put_place(lsp, l->path, l->line + 1,
				(line ? lsp_column_of(line, at, ENCODING_UTF32) : at) + 1,
				out);
	if (line)
		lsp_locations_put_line(line, len, out);
	else
		strbuf_add(out, f ? "(no such line)\n" : "(outside the workspace)\n");
}

void locations_put(const struct lsp *lsp, const struct locations *l,
		   enum encoding encoding, size_t first, size_t most, struct strbuf *out)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	bool loaded = false;

	for (size_t i = first; i < l->count && i - first < most; i++) {
		if (i == first || strcmp(l->list[i - 1].path, l->list[i].path) != 0)
			loaded = lsp_locations_load(lsp, l->list[i].path, &f);
		put_location(lsp, &l->list[i], loaded ? &f : NULL, encoding, out);
	}
}

/* ---- diagnostics ----------------------------------------------------------- */

static const char *severity_name(int severity)
{
	return severity == SEVERITY_ERROR     ? "error"
	       : severity == SEVERITY_WARNING ? "warning"
					      : "note";
}

static void put_diagnostic(const struct lsp *lsp, const struct document *d,
			   const struct diagnostic *one, const struct textfile *f,
			   enum encoding encoding, struct strbuf *out)
{
	size_t len = 0, column = one->column;
	const char *line =
		f ? lsp_text_line(f->text.text, f->text.len, one->line, &len) : NULL;

	if (line)
		column = lsp_column_of(line,
				       lsp_column_offset(line, len, column, encoding),
				       ENCODING_UTF32);
	lsp_locations_put_place(lsp, d->path, one->line + 1, column + 1, out);
	strbuf_addf(out, "%s: %s\n", severity_name(one->severity), one->message);
}

size_t lsp_diagnostics_put(const struct lsp *lsp, struct document *d,
			   enum encoding encoding, bool news, size_t *skip, size_t *most,
			   struct strbuf *out)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	bool loaded = d->count && *most && lsp_locations_load(lsp, d->path, &f);
	size_t total = 0;

	for (size_t i = 0; i < d->count; i++) {
		struct diagnostic *one = &d->diagnostics[i];

		if (one->severity == SEVERITY_HINT ||
		    (news && (one->told || one->severity != SEVERITY_ERROR)))
			continue;
		total++;
		if (*skip) {
			--*skip;
		} else if (*most) {
			--*most;
			one->told = true;
			put_diagnostic(lsp, d, one, loaded ? &f : NULL, encoding, out);
		}
	}
	return total;
}

/* ---- changes --------------------------------------------------------------- */

static void put_change(const struct lsp *lsp, const struct file_edit *f, size_t line,
		       size_t at, struct strbuf *out)
{
	size_t start = textfile_line_at(&f->after, line), len;
	const char *text = f->after.text.text + start;

	text = lsp_text_line(text, f->after.text.len - start, 0, &len);
	lsp_locations_put_place(lsp, f->path, line, utf8_count(text, at - start) + 1,
				out);
	lsp_locations_put_line(text, len, out);
}

void lsp_edits_put(const struct lsp *lsp, const struct edits *e, size_t most,
		   struct strbuf *out)
{
	for (size_t i = 0; i < e->count; i++) {
		const struct file_edit *f = &e->files[i];
		size_t shift = 0, last = 0;

		for (size_t n = 0; n < f->count && most; n++) {
			size_t at = f->splices[n].at + shift;
			size_t line = textfile_line_of(&f->after, at);

			shift += f->splices[n].added.len - f->splices[n].removed;
			if (line == last)
				continue;
			last = line;
			most--;
			put_change(lsp, f, line, at, out);
		}
	}
	if (!most)
		strbuf_add(out, "[Further changed lines are not shown.]\n");
}
