/* SPDX-License-Identifier: MIT
 *
 * effects-text.h - the effects of a command in a preview, as the user approves them. */
#ifndef HOST_FEATURES_EFFECTS_TEXT_H
#define HOST_FEATURES_EFFECTS_TEXT_H

#include "overlay/changes.h"
#include "runner-client/runner-connection.h"
#include "strbuf.h"

/** The number of files, links and new or removed directories that differ. */
size_t effects_count(const struct overlay_changes *changes);
/** Did the command start processes in the background? */
bool effects_has_jobs(const struct runner_result *result);
/** What the command printed, changed and was refused. `shell`: commands that make its
 *  changes of the shell. `apply`: the effects can be applied. `list`: the file with the
 *  names of all changed files, for the case that they do not fit. */
void effects_put(struct strbuf *out, const char *command,
		 const struct runner_result *result, const struct overlay *o,
		 const struct overlay_changes *changes, const char *list,
		 const struct strbuf *shell, bool apply);
/** Write the names of all changed files, as effects_put shows them, to a file. */
int effects_write_names(const char *path, const struct overlay *o,
			const struct overlay_changes *changes, struct error *err);
/** The differences of the files' contents, as far as a question can show them. */
int effects_put_diff(struct strbuf *out, const struct overlay *o,
		     const struct overlay_changes *changes, struct error *err);

#endif
