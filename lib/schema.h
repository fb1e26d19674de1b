/* SPDX-License-Identifier: MIT
 *
 * schema.h - the part of JSON Schema that tool arguments use.
 *
 * Keywords: type (one or a list), properties, required, additionalProperties,
 * items, enum, const, minimum, maximum, exclusiveMinimum, exclusiveMaximum,
 * minLength, maxLength, minItems, maxItems, pattern, anyOf, oneOf, allOf,
 * $ref to #/$defs and #/definitions. Unknown keywords pass. */
#ifndef LIB_SCHEMA_H
#define LIB_SCHEMA_H

#include "error.h"
#include "js.h"

/** Check `value` against `schema`. The error names the place as a JSON Pointer
 *  ("/files/0/path: must be a string"); missing names come in schema order.
 *  @return MT_OK, MT_EINVAL (does not match), MT_ELIMIT (schema too deep). */
int schema_check(json_object *schema, json_object *value, struct error *err);

/** Check that a text is a usable schema of tool arguments: JSON, an object,
 *  `type` object if it says one, patterns that compile. */
int schema_valid(json_object *schema, struct error *err);
/** The same for a schema of any value: its type need not be object. */
int schema_valid_value(json_object *schema, struct error *err);

#endif
