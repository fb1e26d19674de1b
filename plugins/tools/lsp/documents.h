/* SPDX-License-Identifier: MIT
 *
 * documents.h - the files that a server knows, and the diagnostics that it has published
 * for them. */
#ifndef LSP_DOCUMENTS_H
#define LSP_DOCUMENTS_H

#include "js.h"
#include <sys/stat.h>

enum {
	DOCUMENTS_MAX = 512,         /* of a server, including closed ones */
	DOCUMENTS_OPEN_MAX = 64,
	DIAGNOSTICS_MAX = 500,       /* of a document */
	DIAGNOSTIC_TEXT_MAX = 300,   /* bytes of a message */
};

enum { SEVERITY_ERROR = 1, SEVERITY_WARNING, SEVERITY_INFORMATION, SEVERITY_HINT };

struct diagnostic {
	int severity;
	size_t line, column; /* as the server counts them, from 0 */
	char *message;       /* one line */
	bool told;           /* reported to the model */
};

struct document {
	char *path;          /* symbolic links resolved */
	bool open;
	int version;         /* of the text sent to the server */
	struct stat st;      /* of the file from which it was read */
	bool awaited;        /* the text changed, and no diagnostics followed */
	bool published;      /* diagnostics were received before */
	uint64_t used;
	struct diagnostic *diagnostics;
	size_t count, omitted;
};

struct documents {
	struct document **list;
	size_t count;
	uint64_t clock;
};

/** The document of a path; with `make`, it is added if missing. If there are
 *  DOCUMENTS_MAX, it replaces the least recently used one that is not open; pointers to
 *  others stay valid.
 *  @return NULL: absent, or out of memory */
struct document *documents_get(struct documents *d, const char *path, bool make);
/** The least recently used open document; NULL if fewer than DOCUMENTS_OPEN_MAX are
 *  open. */
struct document *documents_surplus(const struct documents *d);
/** Replace the diagnostics by those of `publishDiagnostics`. Diagnostics that existed
 *  before keep `told`; the very first ones do not count as new. */
int document_publish(struct document *d, json_object *list);
void documents_clear(struct documents *d);

#endif
