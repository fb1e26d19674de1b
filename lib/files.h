/* SPDX-License-Identifier: MIT
 *
 * files.h - whole files, directories and paths, with limits. */
#ifndef LIB_FILES_H
#define LIB_FILES_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>
#include <sys/types.h>

/** Read a whole regular file. @return MT_ENOTFOUND, MT_EDENIED, MT_ELIMIT
 *  (larger than max_bytes), MT_EIO; the text ends in NUL. */
int file_read(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len,
	      struct error *err);
/** Append the rest of an open file, pipe or device. Errors call it `name`. */
int file_read_fd(int fd, const char *name, size_t max_bytes, struct strbuf *text,
		 struct error *err);
/** Write a temporary file in the same directory and rename it; fsync first if
 *  `durable`. */
int file_write(const char *path, const char *bytes, size_t len, mode_t mode, bool durable,
	       struct error *err);
/** The same, durable. `*ret_unsynced`: a sync failed, so the contents of the disk are
 *  unknown. */
int file_write_durable(const char *path, const char *bytes, size_t len, mode_t mode,
		       bool *ret_unsynced, struct error *err);
/** The mode of the regular file that will be replaced; `mode` if it is not one or does
 *  not exist. */
mode_t file_mode(const char *path, mode_t mode);
/** The same for a path given by the user: links are followed, an existing file keeps its
 *  mode, and an existing device or pipe is written to instead of being replaced. */
int file_put(const char *path, const char *bytes, size_t len, mode_t mode,
	     struct error *err);
/** Check whether file_put can write there, without changing anything. */
int file_put_check(const char *path, struct error *err);
/** The target of such a path, owned: links are followed. NULL: `err`. `*ret_special`: it
 *  is a device or pipe. */
char *file_target(const char *path, bool *ret_special, struct error *err);
/** Create a private directory, NAME-XXXXXX in $TMPDIR or /tmp; its path is stored in
 *  `path`. */
int dir_temporary(const char *name, char *path, size_t room, struct error *err);
/** write(2) until everything is written; EINTR is retried. @return MT_OK or MT_EIO. */
int file_write_all(int fd, const char *bytes, size_t len);
/** Create a directory and its parents; new ones get mode 0700. */
int dir_make(const char *path, struct error *err);
/** The same, and the new directories are on disk when it returns. */
int dir_make_durable(const char *path, struct error *err);
/** Sync a directory, so that entries created, renamed or removed in it are on disk. */
int dir_sync(const char *path, struct error *err);
/** Remove a directory tree without following links. */
int dir_remove(const char *path, struct error *err);
/** "a" + "/" + "b" as a new string; `b` alone if it is absolute. NULL: out of memory. */
char *path_join(const char *a, const char *b);
/** `path` is the directory `dir` or in it. Compares text: both must be resolved. */
bool path_is_in(const char *path, const char *dir);
/** The same for a NULL-terminated list, which may be NULL. */
bool path_is_in_any(const char *path, char *const *dirs);
/** A regular file that this process may execute. */
bool path_is_program(const char *path);
/** The executable `name` in the absolute directories of `path` ("/bin:/usr/bin"), owned;
 *  NULL if there is none. */
char *path_find_program(const char *path, const char *name);
/** Expand ~ and ~/x using $HOME; a copy otherwise. NULL: out of memory. */
char *path_expand(const char *path);
/** Append a directory as a shell would write it: ~ is $HOME; "-" if it is empty. */
int path_abbreviate(struct strbuf *out, const char *path);
/** $XDG_x_HOME/mortise or its default in $HOME, created if `make`.
 *  `which`: "CONFIG", "STATE", "CACHE", "DATA", "RUNTIME" ($XDG_RUNTIME_DIR,
 *  else /run/user/UID, else a private directory in $TMPDIR or /tmp; owner and mode are
 *  checked, and another name is used if another user owns the first). */
int paths_xdg_dir(const char *which, bool make, char **ret_path, struct error *err);
/** Open the directory "RUNTIME", which only its owner may access. `ret_path` (may be
 *  NULL): its path, owned. */
int paths_open_runtime_dir(bool make, int *ret, char **ret_path, struct error *err);
/** True if only its owner (this user or root) may write the file and its directory;
 *  otherwise `err` contains the reason. */
bool path_is_safe(const char *path, struct error *err);

#endif
