/* SPDX-License-Identifier: MIT
 *
 * edits.h - workspace edits of a server: checked, applied to all files or none. */
#ifndef LSP_EDITS_H
#define LSP_EDITS_H

#include "js.h"
#include "positions.h"
#include "text/textfile.h"

enum { EDIT_FILES_MAX = 1000, EDIT_CHANGES_MAX = 100000 };

/* The changes of one file. */
struct file_edit {
	char *path;            /* in the workspace, symbolic links resolved */
	struct textfile before, after;
	struct splice *splices; /* in order; their texts belong to the edit's JSON */
	size_t count;
};

struct edits {
	struct file_edit *files;
	size_t count, changes;
};

/** Read a WorkspaceEdit and prepare the new texts; nothing is written. `edit` must live
 *  as long as the result, and the caller must call edits_clear in any case. Edits outside
 *  `workspace` (symbolic links resolved), of missing files or of overlapping ranges are
 *  refused. */
int edits_read(json_object *edit, const char *workspace, enum encoding encoding,
	       struct edits *ret, struct error *err);
/** Write all files; if one cannot be written, the others are restored. */
int edits_write(struct edits *e, struct error *err);
void edits_clear(struct edits *e);

#endif
