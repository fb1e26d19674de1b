/* SPDX-License-Identifier: MIT
 *
 * params.h - parses numbers and paths in arguments. */
#ifndef EDITOR_PARAMS_H
#define EDITOR_PARAMS_H

#include "editor.h"

/** True if the JSON text is there and is not `null`. */
bool param_given(struct mt_str json);
/** An integer, or a string that holds one. @return false if it is neither. */
bool param_int(struct mt_str json, int64_t *ret);
/** A range: `*ret_count` numbers, 0 or 2. @return false otherwise. */
bool param_range(struct mt_str json, int64_t ret[2], size_t *ret_count);
/** Append a value as messages show it: [1, 2], 1.5, text without quotes. */
void param_put(struct strbuf *out, struct mt_str json);

/** The path without doubled, trailing and `.` parts; `..` stays. NULL: memory. */
char *path_tidy(struct mt_str path);

#endif
