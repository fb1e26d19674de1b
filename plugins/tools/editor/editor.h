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

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum {
	EDITOR_SNIPPET = 4,            /* lines of context around an edit */
	EDITOR_CONTENT_MAX = 64 << 10, /* maximum size of file contents to report */
	EDITOR_DIFF_MAX = 128 << 10,
};

struct editor; /* files that were viewed, and the undo history */

/** The arguments of one call, borrowed. An absent text has ptr NULL. */
struct editor_request {
	struct mt_str command, path, file_text, old_str, new_str;
	struct mt_str insert_line, view_range; /* JSON text; `null` is absent */
	struct mt_str start, end;              /* likewise; of `write` */
	struct mt_str edits;                   /* likewise; of `str_replace` */
	bool replace_all;
};

/** The result of a call. `text` is for the model, even if the call failed. */
struct editor_result {
	struct strbuf text;
	char *path;            /* the normalized path; NULL: not given */
	bool edited;           /* a file was written or removed */
	bool prev_exist;       /* the file existed before */
	bool has_old, has_new; /* the next two are set */
	struct strbuf old_content, new_content;
	struct strbuf diff; /* unified; empty if nothing changed or it
			       would be longer than EDITOR_DIFF_MAX */
	const char *mime;   /* of `media`; NULL: none */
	char *media;
	size_t media_len;
};

/** @param workspace suggested when a path is relative; may be NULL.
 *  @return NULL if out of memory. */
struct editor *editor_new(const char *workspace);
/** Use the exact texts of V0 in results, and allow edits of files that were not
 *  viewed. */
void editor_set_v0(struct editor *e);

/** Facts about a file that the editor does not know itself. */
struct file_past {
	bool shown;           /* the model was shown it by other means */
	char changed_by[200]; /* call of the model that last changed it; "": none */
};
/** @param changed_ms time of the file, since the epoch
 *  @return a status if nothing can be determined. */
typedef int editor_past_fn(void *arg, const char *path, int64_t changed_ms,
			   struct file_past *ret);
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
void editor_result_clear(struct editor_result *r);

#endif
