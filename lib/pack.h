/* SPDX-License-Identifier: MIT
 *
 * pack.h - archives (tar, tar.gz, tar.xz, tar.zst, zip) and their signatures. libarchive
 * is loaded when the first one is opened.
 *
 * Nothing of an archive is ever unpacked or run: its files are passed to a reader.
 * Invalid content causes the whole archive to be rejected. */
#ifndef LIB_PACK_H
#define LIB_PACK_H

#include "error.h"
#include "strbuf.h"

#include <stdbool.h>

enum {
	PACK_FILE_MAX = 64 << 20,      /* bytes of an archive */
	PACK_ENTRIES_MAX = 20000,
	PACK_TOTAL_MAX = 256 << 20,    /* bytes of its contents */
	PACK_RATIO_MAX = 200,          /* times its own size, beyond the first MiB */
	PACK_NAME_MAX = 512,           /* bytes of a path in it */
	PACK_WANTED_MAX = 1 << 20,     /* bytes of a file that is wanted */
};

/** One entry, while an archive is read. Borrowed. */
struct pack_entry {
	const char *path;
	char kind;                     /* 'f' file, 'd' directory, 'l' link */
	const char *target;            /* of a link: its target, relative to the root */
	const char *bytes;             /* of a file that is wanted; else NULL */
	size_t len;
	const char *sha256;            /* of a file, in hex, if the reader asks for sums */
};
struct pack_reader {
	/** True if the bytes of this file are wanted (at most PACK_WANTED_MAX). */
	bool (*wants)(const char *path, void *arg);
	/** @return MT_OK, PACK_STOP to end early, or a status with `err` filled. */
	int (*entry)(const struct pack_entry *e, void *arg, struct error *err);
	void *arg;
	bool sums;
};
enum { PACK_STOP = 1 };

/** Read an archive and check everything that is read. */
int pack_scan(const char *path, const struct pack_reader *reader, struct error *err);
/** One file of it; owned. */
int pack_file(const char *path, const char *inside, char **ret, size_t *ret_len,
	      struct error *err);
/** Write an archive of a directory to `fd`, in the format of the suffix of `path`; no hidden
 *  files but .mcp.json. Links inside the directory become what they name. With a key (PEM;
 *  may be NULL) its signature is put inside. */
int pack_make(const char *dir, int fd, const char *path, const char *key,
	      struct error *err);
/** True if the file name has the suffix of an archive that is read. */
bool pack_is_archive(const char *file);

/* ---- signatures --------------------------------------------------------- */

/* A file at the root of an archive that contains its signature: over the line
 * "mortise-pack-1" and a sorted list with a line for each other file and link,
 * PATH<tab>f|l SHA-256 (of the contents, or of the target of the link). It stays valid if
 * the archive is compressed in another way. */
#define PACK_SIGNATURE "pack.sig"

struct pack_sums {
	char **lines;
	size_t count, room;
};
int pack_sums_add(struct pack_sums *s, char kind, const char *path, const char *hex);
/** Sign them; `out` gets base64 and a newline. */
int pack_sums_sign(struct pack_sums *s, const char *key, struct strbuf *out,
		   struct error *err);
void pack_sums_clear(struct pack_sums *s);
int pack_hash_bytes(const char *bytes, size_t len, char hex[65]);

/** Sign an archive with an Ed25519 key (PEM): writes PATH.sig, base64. */
int pack_sign(const char *path, const char *key, struct error *err);
/** Check PATH.sig, else the signature inside, against a public key (PEM), or with
 *  NULL against those in $XDG_CONFIG_HOME/mortise/keys and `key_dir`. `ret_signer`: the
 *  name of the key, owned.
 *  @return MT_ENOTFOUND: there is no signature; MT_EDENIED: it is not valid. */
int pack_verify_signature(const char *path, const char *key, const char *key_dir,
			  char **ret_signer, struct error *err);

#endif
