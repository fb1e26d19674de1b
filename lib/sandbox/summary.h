/* SPDX-License-Identifier: MIT
 *
 * summary.h - the permissions of tools as a table for the user. */
#ifndef LIB_SANDBOX_SUMMARY_H
#define LIB_SANDBOX_SUMMARY_H

#include "config/config.h"

/** Append one row: a name, and text that is wrapped at blanks. */
void summary_row(struct strbuf *out, const char *name, const char *text);
/** Append rows for the profile, files, the network and the grants. `workspace` is an
 *  absolute path. */
int sandbox_summary(const struct config *c, const char *workspace, struct strbuf *out,
		    struct error *err);

#endif
