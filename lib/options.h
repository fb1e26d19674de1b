/* SPDX-License-Identifier: MIT
 *
 * options.h - tables of options: checks values, supplies defaults, reports errors with
 * suggestions, and formats a table for users and programs.
 *
 * The table is struct mt_option of <mortise/plugin.h>; the host uses the same
 * form for its own options. */
#ifndef LIB_OPTIONS_H
#define LIB_OPTIONS_H

#include "error.h"
#include "js.h"

/** Find an option by key; a MT_OPTION_PREFIX one matches every longer key.
 *  @return NULL if there is none. */
const struct mt_option *option_find(const struct mt_option *table, size_t count,
				    const char *key);
/** Check a value as the user wrote it. `err` names neither file nor line:
 *  "`timeout`: 5x is not a duration (write 500ms, 30s, 5m or 1h)". */
int option_check(const struct mt_option *option, const char *key, const char *value,
		 struct error *err);
/** Fail for an unknown key: "unknown option `timout`; did you mean `timeout`?" */
int option_unknown(const struct mt_option *table, size_t count, const char *key,
		   struct error *err);
/** The name of `names` that is nearest to `word`, or NULL if none is near. */
const char *option_suggest(const char *word, const char *const *names, size_t count);

/** True if the option has bounds. */
bool option_is_bounded(const struct mt_option *option);
/** Append the bounds of an option that has them: "1 to 3600000 ms", "at least 10". */
void option_put_bounds(const struct mt_option *option, struct strbuf *out);

/* Values, after option_check: */
int option_to_int(const struct mt_option *option, const char *value, int64_t *ret);
bool option_to_bool(const char *value);
/** Index of the value among the choices of the option; -1: not one of them. */
int option_choice(const struct mt_option *option, const char *value);
/** The same for the option `key` of a table; -1 also if the value is NULL. */
int option_choice_of(const struct mt_option *table, size_t count, const char *key,
		     const char *value);
/** Parse "500ms", "30s", "5m", "1h", or a plain number of seconds, into ms. */
int option_parse_duration(const char *text, int64_t *ret_ms);
int option_parse_bytes(const char *text, int64_t *ret_bytes);
/** Step through a comma-separated list: sets `*ret` and `*ret_len` to the next
 *  item without white space around it and advances `*rest`; false at the end.
 *  Empty items are skipped. */
bool option_list_next(const char **rest, const char **ret, size_t *ret_len);

/** The table as JSON: [{name, type, default, min, max, choices, help,
 *  required, secret}]. */
int options_json(const struct mt_option *table, size_t count, struct strbuf *out);
/** Parse this JSON into a table, for tables in the discovery cache; freed by
 *  options_free. */
int options_from_json(json_object *array, struct mt_option **ret, size_t *ret_count,
		      struct error *err);
void options_free(struct mt_option *table, size_t count);
/** The table as text for the user, one or two lines per option. */
int options_help(const struct mt_option *table, size_t count, struct strbuf *out);

#endif
