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

/** Lines of the text after, from 1; without lines, `last` is the one before `first`. */
struct patch_spot {
	size_t first, last;
};

struct patch_change {
	enum patch_kind kind;
	char *path;
	char *move_to;      /* PATCH_UPDATE: the new path; NULL: stays */
	struct strbuf old;  /* PATCH_UPDATE, PATCH_DELETE: the text before */
	struct strbuf text; /* PATCH_ADD, PATCH_UPDATE: the text after */
	struct patch_spot *spots; /* PATCH_UPDATE: the places that change */
	size_t spot_count;
};

struct patch {
	struct patch_change *changes;
	size_t count;
	uint64_t fuzz;      /* 0: every context was found as it stands */
	struct strbuf why;  /* of a failure; it may have several lines */
	size_t line;        /* of the patch at which it failed, from 1; 0: none */
	struct strbuf miss; /* the context that is not in the file of the last change */
	bool searched;      /* it was searched behind other sections only */
};

/** Read a file. @return MT_OK, MT_ENOTFOUND, or a status that ends the
 *  work with what was added to `why`. */
typedef int patch_load(void *arg, const char *path, struct strbuf *ret,
		       struct strbuf *why);

/** `ret` needs no preparation; patch_clear is due after success and failure.
 *  @return MT_OK; MT_EINVAL: the patch is wrong; MT_ENOTFOUND: it does not fit;
 *          MT_ELIMIT; MT_ENOMEM; what `load` returned. */
int patch_apply(const char *text, size_t len, patch_load *load, void *arg,
		struct patch *ret);
void patch_clear(struct patch *p);

#endif
