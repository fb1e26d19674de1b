/* SPDX-License-Identifier: MIT
 *
 * schema-ref.h - resolves a $ref of a schema. */
#ifndef LIB_SCHEMA_REF_H
#define LIB_SCHEMA_REF_H

#include "js.h"

/** The schema at a local reference ("#", "#/$defs/x"); borrowed. NULL if there is none,
 *  or the reference is not local. */
json_object *schema_ref(json_object *root, const char *ref);

#endif
