/* SPDX-License-Identifier: MIT
 *
 * documents.c - the files that a server knows, and their diagnostics. */
#include "documents.h"
#include "array.h"
#include "utf8.h"

#include <string.h>

static void clear_diagnostics(struct diagnostic *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i].message);
	free(list);
}

static void documents_remove(struct documents *d, size_t i)
{
	clear_diagnostics(d->list[i]->diagnostics, d->list[i]->count);
	free(d->list[i]->path);
	free(d->list[i]);
	d->list[i] = d->list[--d->count];
}

/* If the table is full, remove the least recently used document that is not open. */
static void documents_make_room(struct documents *d)
{
	size_t oldest = d->count;

	if (d->count < DOCUMENTS_MAX)
		return;
	for (size_t i = 0; i < d->count; i++)
		if (!d->list[i]->open &&
		    (oldest == d->count || d->list[i]->used < d->list[oldest]->used))
			oldest = i;
	if (oldest < d->count)
		documents_remove(d, oldest);
}

static struct document *documents_add(struct documents *d, const char *path)
{
	documents_make_room(d);
	if (ARRAY_ADD(d->list, d->count, DOCUMENTS_MAX))
		return NULL;
	struct document *one = calloc(1, sizeof *one);

	if (one)
		one->path = strdup(path);
	if (!one || !one->path) {
		free(one);
		return NULL;
	}
	one->used = ++d->clock;
	d->list[d->count++] = one;
	return one;
}

struct document *documents_get(struct documents *d, const char *path, bool make)
{
	for (size_t i = 0; i < d->count; i++)
		if (strcmp(d->list[i]->path, path) == 0) {
			d->list[i]->used = ++d->clock;
			return d->list[i];
		}
	return make ? documents_add(d, path) : NULL;
}

struct document *documents_surplus(const struct documents *d)
{
	struct document *oldest = NULL;
	size_t open = 0;

	for (size_t i = 0; i < d->count; i++) {
		struct document *one = d->list[i];

		open += one->open;
		if (one->open && (!oldest || one->used < oldest->used))
			oldest = one;
	}
	return open >= DOCUMENTS_OPEN_MAX ? oldest : NULL;
}

/* The message, on one line. */
static char *lsp_documents_message_of(json_object *diagnostic)
{
	const char *text = js_str(diagnostic, "message", "(no message)");
	struct strbuf out = STRBUF(4 * DIAGNOSTIC_TEXT_MAX);
	size_t len = utf8_cut(text, strlen(text), DIAGNOSTIC_TEXT_MAX);

	utf8_add_clean(&out, text, len);
	if (text[len])
		strbuf_add(&out, "...");
	if (out.len)
		utf8_blank_controls(out.text, out.len);
	return strbuf_take(&out);
}

/* Was the same diagnostic reported before? Each old one matches only one new one. */
static bool was_told(struct document *d, const struct diagnostic *one)
{
	for (size_t i = 0; i < d->count; i++) {
		struct diagnostic *old = &d->diagnostics[i];

		if (old->told && old->severity == one->severity &&
		    strcmp(old->message, one->message) == 0) {
			old->told = false;
			return true;
		}
	}
	return false;
}

static bool read_diagnostic(json_object *value, struct diagnostic *ret)
{
	int64_t line = js_int(js_path(value, "range.start"), "line", 0);
	int64_t column = js_int(js_path(value, "range.start"), "character", 0);
	int64_t severity = js_int(value, "severity", SEVERITY_ERROR);

	*ret = (struct diagnostic){
		.severity = severity >= SEVERITY_ERROR && severity <= SEVERITY_HINT
				    ? (int)severity
				    : SEVERITY_ERROR,
		.line = line > 0 ? (size_t)line : 0,
		.column = column > 0 ? (size_t)column : 0,
		.message = lsp_documents_message_of(value),
	};
	return ret->message;
}

int document_publish(struct document *d, json_object *list)
{
	size_t total = js_length(list), count = 0;
	size_t most = total < DIAGNOSTICS_MAX ? total : DIAGNOSTICS_MAX;
	struct diagnostic *made = calloc(most + 1, sizeof *made);

	if (!made)
		return MT_ENOMEM;
	for (; count < most; count++) {
		struct diagnostic *one = &made[count];

		if (!read_diagnostic(json_object_array_get_idx(list, count), one)) {
			clear_diagnostics(made, count);
			return MT_ENOMEM;
		}
		one->told = !d->published || was_told(d, one);
	}
	clear_diagnostics(d->diagnostics, d->count);
	d->diagnostics = made;
	d->count = count;
	d->omitted = total - count;
	d->published = true;
	d->awaited = false;
	return MT_OK;
}

void documents_clear(struct documents *d)
{
	while (d->count)
		documents_remove(d, d->count - 1);
	free(d->list);
	*d = (struct documents){ 0 };
}
