/* SPDX-License-Identifier: MIT
 *
 * servers.h - selects the language server for a file, by the built-in table and the
 * options server.NAME, extensions.NAME, roots.NAME. */
#ifndef LSP_SERVERS_H
#define LSP_SERVERS_H

#include "error.h"
#include <mortise/tool.h>

enum { SERVERS_MAX = 32, SERVER_WORDS = 32 };

struct server {
	const char *name;
	const char *command;    /* words separated by spaces; "": disabled */
	const char *extensions; /* list, without dots */
	const char *roots;      /* list of names that a root directory contains */
	const char *install;    /* how to install it; NULL: defined by the user */
};

struct servers {
	struct server list[SERVERS_MAX]; /* user-defined servers first */
	size_t count;
};

/** The servers of an instance; the texts are borrowed from its options.
 *  @return MT_ELIMIT, MT_EINVAL for a server without `extensions`. */
int servers_read(const struct mt_tool_host *host, struct mt_instance *instance,
		 struct servers *ret, struct error *err);
/** The first installed server for a file. @return NULL with an error sentence for the
 *  model. */
const struct server *servers_find(const struct servers *s, const char *path,
				  struct error *err);
/** The language of a file in the protocol, such as "cpp". */
const char *lsp_language_of(const char *path);
/** The nearest directory at or above the file that contains one of the roots of the server,
 *  but not above `top`; `top` if there is none. @return owned, NULL: out of memory */
char *lsp_server_root(const struct server *s, const char *path, const char *top);
/** Split the command. @return owned words, NULL: out of memory; free its first word
 *  and the list */
char **server_argv(const struct server *s);

#endif
