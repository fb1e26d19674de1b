/* SPDX-License-Identifier: MIT
 *
 * front-matter.h - the front matter of a Markdown file: YAML between two
 * lines of dashes, read into JSON.
 *
 * libyaml is loaded when the first file has front matter. Aliases are refused,
 * size, depth and number of values are limited. */
#ifndef LIB_FRONT_MATTER_H
#define LIB_FRONT_MATTER_H

#include "js.h"

enum { FRONT_MATTER_MAX = 64 << 10, YAML_DEPTH = 16, YAML_VALUES = 4096 };

/** A text; both parts are borrowed. */
struct front_matter {
	const char *yaml; /* the text between the lines of dashes; NULL: none */
	size_t yaml_len;
	const char *body; /* without surrounding white space */
	size_t body_len;
};

/** Split a text. Without a second line of dashes all of it is body. */
void front_matter_split(const char *text, size_t len, struct front_matter *ret);

/** Read one YAML document. Plain true, false, null and numbers become the same in
 *  JSON, and a number keeps its text; everything else becomes text. @return an owned
 *  object, or NULL with `err` filled. An empty document is an empty object; anything
 *  but a mapping is an error. */
json_object *front_matter_read_yaml(const char *text, size_t len, struct error *err);

/** Load libyaml now, if it is installed. */
void front_matter_preload(void);

#endif
