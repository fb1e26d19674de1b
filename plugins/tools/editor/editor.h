/* SPDX-License-Identifier: MIT
 *
 * editor.h - the file editor itself: view, create, str_replace, insert and undo_edit on
 * the files of one machine.
 *
 * It does not depend on the plugin ABI: arguments and results are texts. It does not run
 * programs and preserves bytes outside an edit: line endings, byte-order mark, encoding,
 * mode, a missing final newline. */
#ifndef EDITOR_H
#define EDITOR_H

#include "request.h"

struct editor; /* files that were viewed, and the undo history */

/** @param workspace suggested when a path is relative; may be NULL.
 *  @return NULL if out of memory. */
struct editor *editor_new(const char *workspace);
/** Use the exact texts of V0 in results, and allow edits of files that were not
 *  viewed. */
void editor_set_v0(struct editor *e);

/** Set a function that is queried about files to edit: files that the model has not seen
 *  are refused, files that a call of the model changed are not. Without it, neither rule
 *  applies. */
void editor_set_past(struct editor *e, editor_past_fn *ask, void *arg);
struct editor *editor_free(struct editor *e);
AUTO_DEFINE(editor, struct editor *, editor_free)

/** Run one call. `ret` needs no preparation and is cleared by the caller, after success
 *  and failure.
 *  @return MT_OK or an mt_status; ret->text is then the error sentence (possibly several
 *  lines), empty only when out of memory. */
int editor_run(struct editor *e, const struct editor_request *q,
	       struct editor_result *ret);

#endif
