/* SPDX-License-Identifier: MIT
 *
 * params.h - parameter tables (struct mt_param): validation, JSON Schema, defaults. */
#ifndef LIB_PARAMS_H
#define LIB_PARAMS_H

#include "error.h"
#include "js.h"
#include <mortise/tool.h>

enum { PARAMS_MAX = 128 };

/** Check that a tool does not say twice how it is called, or which arguments it takes. */
int params_check_sources(const struct mt_tool *t, struct error *err);
/** Check the parameters of a tool and append their schema. */
int params_schema(const struct mt_tool *t, struct strbuf *out, struct error *err);
/** Add the defaults of missing parameters to `args`. @return MT_OK, MT_ENOMEM. */
int params_add_defaults(const struct mt_tool *t, json_object *args);

#endif
