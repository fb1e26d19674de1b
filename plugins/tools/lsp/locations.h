/* SPDX-License-Identifier: MIT
 *
 * locations.h - formats results: lines of files, diagnostics, changes. */
#ifndef LSP_LOCATIONS_H
#define LSP_LOCATIONS_H

#include "edits.h"
#include "sessions.h"

enum { LOCATIONS_MAX = 10000, LINE_SHOWN_MAX = 200 };

struct location {
	char *path;           /* a path, or a URI that is not a file */
	size_t line, column;  /* as the server counts them, from 0 */
};

struct locations {
	struct location *list; /* sorted by path and line */
	size_t count, files;
};

/** The locations of a result: one, a list, or links; duplicates are dropped.
 *  @return MT_ELIMIT, MT_ENOMEM, MT_EINVAL */
int locations_read(json_object *result, struct locations *ret, struct error *err);
void locations_clear(struct locations *l);
/** Append `path:line:column  text` for at most `most` locations from `first` on. */
void locations_put(const struct lsp *lsp, const struct locations *l,
		   enum encoding encoding, size_t first, size_t most, struct strbuf *out);

/** Append diagnostics of a document: with `news`, the errors not reported yet, otherwise
 *  all. Skip the first `*skip` and append at most `*most`; both are reduced. Appended
 *  ones count as reported. @return their total number */
size_t lsp_diagnostics_put(const struct lsp *lsp, struct document *d,
			   enum encoding encoding, bool news, size_t *skip, size_t *most,
			   struct strbuf *out);

/** Append the changed lines in their state after the edit, at most `most`. */
void lsp_edits_put(const struct lsp *lsp, const struct edits *e, size_t most,
		   struct strbuf *out);

#endif
