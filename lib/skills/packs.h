/* SPDX-License-Identifier: MIT
 *
 * packs.h - skill packs: archives that are read in place (pack.h of lib). Startup uses an
 * index that is kept in the cache.
 *
 * Nothing of an archive is ever unpacked or run. An invalid archive is rejected as
 * a whole; an invalid skill in it is reported alone. */
#ifndef LIB_SKILLS_PACKS_H
#define LIB_SKILLS_PACKS_H

#include "pack.h"

#include <json-c/json.h>

struct skills;

struct pack {
	char *path;                    /* of the archive */
	char *name, *version;          /* from its manifest, or else from the file name */
	char *license, *description, *requires, *capabilities; /* "" if absent */
	int index;                     /* the open index in the cache, or -1 */
};

struct pack *pack_new(const char *path);
struct pack *pack_free(struct pack *p);
AUTO_DEFINE(pack, struct pack *, pack_free)

/** Add the skills of an archive. Its index is read from the cache if the archive is
 *  unchanged. Otherwise the archive is read, and verified if the lock file next to it
 *  lists it. Errors of the archive become problems of the skills. */
int skills_add_pack(struct skills *s, const char *path, struct error *err);
/** The same for an archive that must be signed with a known key. */
int skills_add_signed_pack(struct skills *s, const char *path, struct error *err);
/** Read an archive without the cache, with its skills only; a rejected archive is an
 *  error. Used by verify and show. */
int pack_open(const char *path, struct pack **ret, struct skills **ret_skills,
	      struct error *err);

/* ---- installed archives ------------------------------------------------- */

/** $XDG_DATA_HOME/mortise/skills.d; owned. */
char *packs_dir(bool make, struct error *err);
/** Verify an archive, copy it there, and add it to the lock file. `source` is its origin,
 *  `signer` the name of a key or "". */
int pack_install(const char *path, const char *source, const char *signer,
		 char **ret_name, struct error *err);
int pack_remove(const char *name, struct error *err);
/** Contents of the lock file: {NAME: {file, version, sha256, source, signer}};
 *  owned. */
json_object *packs_read_lock(const char *dir);
int pack_hash(const char *path, char hex[65], struct error *err);

#endif
