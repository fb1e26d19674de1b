/* SPDX-License-Identifier: MIT
 *
 * mustache.h - the template language of the prompts: a subset of mustache.
 *
 * {{x}} and {{{x}}} and {{&x}} (none is HTML-escaped: prompts are plain text),
 * {{#x}}...{{/x}}, {{^x}}...{{/x}}, {{>part}}, {{! comment }}, dotted names,
 * {{.}}; a line that contains only a tag is removed completely. Lambdas and other
 * delimiters are not supported. The rules are those of the mustache specification. */
#ifndef LIB_MUSTACHE_H
#define LIB_MUSTACHE_H

#include "error.h"
#include "js.h"

/** Text of a partial, borrowed until the rendering ends; NULL: empty. */
typedef const char *mustache_partial(const char *name, void *arg);

/** Render; `name` is for messages. Depth, output and partials are limited. */
int mustache_render(const char *name, const char *text, json_object *data,
		    mustache_partial *partial, void *arg, struct strbuf *out,
		    struct error *err);

#endif
