/* SPDX-License-Identifier: MIT
 *
 * bundle.h - a directory with everything that a runner needs on another machine: the
 * runner, plugins, their libraries, the loader, and a shell. doc/runtimes.md describes its
 * files. */
#ifndef LIB_BUNDLE_BUNDLE_H
#define LIB_BUNDLE_BUNDLE_H

#include "digest.h"
#include "error.h"

#include <stddef.h>
#include <stdint.h>

enum { BUNDLE_FILES_MAX = 1024, BUNDLE_NAME = 33 };

struct bundle {
	char *path;             /* $XDG_CACHE_HOME/mortise/bundles/NAME */
	char name[BUNDLE_NAME]; /* a hash of its contents */
};

/** Find the bundle of these files, or make it. The program `mortise-bundle-start` is next
 *  to `runner`.
 *  @return MT_ENOTFOUND if a file or a library is missing, MT_EUNSUPPORTED if the runner is
 *  linked statically, MT_EIO, MT_ELIMIT */
int bundle_make(const char *runner, const char *const *plugins, size_t count,
		struct bundle *ret, struct error *err);
void bundle_clear(struct bundle *b);
/** The path of a plugin in each bundle with it, relative to the bundle. NULL: out of
 *  memory, or libcrypto is not available. */
char *bundle_plugin_path(const char *plugin);

/** Call `each` with the paths of all libraries that `file` is linked with, as `loader`
 *  finds them, and of the loader itself. */
typedef int bundle_library_fn(void *arg, const char *path, struct error *err);
int bundle_libraries(const char *loader, const char *file, bundle_library_fn *each,
		     void *arg, struct error *err);
/** The path of the dynamic loader that an ELF program names, owned. */
int bundle_loader(const char *program, char **ret, struct error *err);

/** The bundle as a tar archive: its length, and its bytes, written to `fd`. */
int bundle_tar_size(const struct bundle *b, int64_t *ret, struct error *err);
int bundle_tar_write(const struct bundle *b, int fd, struct error *err);

static inline void auto_bundle(struct bundle *b)
{
	bundle_clear(b);
}

#endif
