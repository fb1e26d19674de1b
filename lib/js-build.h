/* SPDX-License-Identifier: MIT
 *
 * js-build.h - json-c objects from text that js_scan has accepted; for js.c only. */
#ifndef LIB_JS_BUILD_H
#define LIB_JS_BUILD_H

#include "error.h"
#include <json-c/json.h>
#include <stddef.h>

/** `*ret` is NULL for the value null. @return MT_OK, MT_EINVAL or MT_ENOMEM; `err` is
 *  filled. */
int js_build(const char *text, size_t len, json_object **ret, struct error *err);

#endif
