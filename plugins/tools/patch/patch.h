/* SPDX-License-Identifier: MIT
 *
 * patch.h - patches that start with `*** Begin Patch`: parses them and applies them to
 * texts. It does not access files: it requests their contents, and returns a list of
 * changes. */
#ifndef PATCH_H
#define PATCH_H

#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

enum {
	PATCH_MAX = 4 << 20,       /* bytes of a patch */
	PATCH_FILE_MAX = 10 << 20, /* bytes of a file */
	PATCH_FILES = 200,
};

enum patch_kind { PATCH_ADD, PATCH_UPDATE, PATCH_DELETE };

/** Lines of the new text, from 1; without lines, `last` is `first` - 1. */
struct patch_spot {
	size_t first, last;
};

struct patch_change {
	enum patch_kind kind;
	char *path;
	char *move_to;      /* PATCH_UPDATE: the new path; NULL: not moved */
	struct strbuf old;  /* PATCH_UPDATE, PATCH_DELETE: the old text */
	struct strbuf text; /* PATCH_ADD, PATCH_UPDATE: the new text */
	struct patch_spot *spots; /* PATCH_UPDATE: the changed positions */
	size_t spot_count;
};

struct patch {
	struct patch_change *changes;
	size_t count;
	uint64_t fuzz;      /* 0: every context matched exactly */
	struct strbuf why;  /* of a failure; possibly several lines */
	size_t line;        /* line of the patch that failed, from 1; 0: none */
	struct strbuf miss; /* the context not found in the file of the last change */
	bool searched;      /* it was searched only after other sections */
};

/** Read a file. @return MT_OK, MT_ENOTFOUND, or a status that aborts, with the reason
 *  added to `why`. */
typedef int patch_load(void *arg, const char *path, struct strbuf *ret,
		       struct strbuf *why);

/** `ret` needs no preparation; call patch_clear after success and failure.
 *  @return MT_OK; MT_EINVAL: the patch is invalid; MT_ENOTFOUND: it does not apply;
 *  MT_ELIMIT; MT_ENOMEM; or the status of `load`. */
int patch_apply(const char *text, size_t len, patch_load *load, void *arg,
		struct patch *ret);
void patch_clear(struct patch *p);

#endif
