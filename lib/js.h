/* SPDX-License-Identifier: MIT
 *
 * js.h - JSON: strict reading with limits, careful access, fast writing.
 *
 * Reading goes through json-c. Writing does not need json-c objects: the js_
 * writers append JSON text to a strbuf, so that a large text is copied once. */
#ifndef LIB_JS_H
#define LIB_JS_H

#include "error.h"
#include "js-scan.h"
#include "strbuf.h"
#include <json-c/json.h>
#include <stdbool.h>

AUTO_DEFINE(json, json_object *, json_object_put)

/** Read one JSON value: strict, UTF-8 checked, nothing but white space after it,
 *  JS_DEPTH. Errors name the problem and the byte offset.
 *  @return the object, owned by the caller, or NULL with `err` filled. A valid
 *          `null` is NULL too, with err->code MT_OK. */
json_object *js_parse(const char *text, size_t len, struct error *err);

/** Overwrite all strings in a value, which may be secrets, so that no copy remains when it
 *  is freed. Nothing else refers to them. */
void js_wipe(json_object *value);
/** As js_parse, but anything other than an object is an error. */
json_object *js_parse_object(const char *text, size_t len, struct error *err);

/** Member of an object; NULL if `o` is not an object or lacks the member. Borrowed. */
json_object *js_get(const json_object *o, const char *name);
/** By path, members separated by dots: "a.b.c". Borrowed. */
json_object *js_path(const json_object *o, const char *path);
/** Text of a string member or `fallback`. Borrowed. */
const char *js_str(const json_object *o, const char *name, const char *fallback);
int64_t js_int(const json_object *o, const char *name, int64_t fallback);
double js_number(const json_object *o, const char *name, double fallback);
bool js_bool(const json_object *o, const char *name, bool fallback);
/** A new object or list. If creating it, or adding to it with the functions below,
 *  fails, it is marked as incomplete, and so is every value to which it is added:
 *  js_text and js_put refuse it, and its deep copy fails. So a function that builds a
 *  value need not check each step. Never NULL: all callers share one incomplete object
 *  if none can be allocated. json-c counts references without a lock, so a program
 *  that builds JSON in several threads must use json_object_new_object and check. */
json_object *js_new_object(void);
json_object *js_new_list(void);
/** Mark a value as incomplete, because the caller could not create a part of it.
 *  @return MT_ENOMEM */
int js_fail(json_object *value);
/** True if memory ran out while this object or list was made. */
bool js_failed(const json_object *value);
/** The same, including the values in it: for values that are read, not written. */
bool js_incomplete(const json_object *value);

/** Set or replace a member. A NULL text means that it could not be allocated: MT_ENOMEM.
 *  Invalid UTF-8 becomes U+FFFD. @return MT_OK or MT_ENOMEM. */
int js_set_str(json_object *o, const char *name, const char *text);
int js_set_strn(json_object *o, const char *name, const char *text, size_t len);
/** The same for any bytes, which stay as they are: for a value that is never JSON text. */
int js_set_bytes(json_object *o, const char *name, const char *bytes, size_t len);
int js_set_int(json_object *o, const char *name, int64_t value);
int js_set_bool(json_object *o, const char *name, bool value);
/** A number in the form of js_new_number; JSON's null if it is not finite. */
int js_set_number(json_object *o, const char *name, double value);
/** Set or replace; takes the reference of `value` even on failure. NULL is JSON's null:
 *  use js_set_new for a value that was just allocated. */
int js_set(json_object *o, const char *name, json_object *value);
/** As js_set for a value that was just allocated: NULL is MT_ENOMEM. */
int js_set_new(json_object *o, const char *name, json_object *made);

/** A number for json-c in its shortest text: 0.1, not 0.10000000000000001.
 *  NULL, which is JSON's null, if it is not finite (or without memory). */
json_object *js_new_number(double value);

/** JSON text of a value in canonical form: no spaces, no escaped slashes, order as in the
 *  object, numbers as they were read; NULL is `null`. Borrowed from the object, until it
 *  is changed or written again.
 *  @return NULL with the length 0 if memory ran out, now or when the value was made,
 *          never a part of the text. */
const char *js_text(json_object *o, size_t *ret_len);

/** For messages: as js_text, "?" if memory ran out. */
static inline const char *js_shown(json_object *o)
{
	const char *text = js_text(o, NULL);

	return text ? text : "?";
}

/** Append `text` as a JSON string with its quotes. Invalid UTF-8 becomes
 *  U+FFFD. */
int js_put_str(struct strbuf *b, const char *text, size_t len);
/** Append the inside of a JSON string, without quotes: for texts in pieces. */
int js_put_escaped(struct strbuf *b, const char *text, size_t len);
/** Append a value as js_text does. Nothing is appended if it fails. */
int js_put(struct strbuf *b, json_object *value);
/** Append the comma before an item, unless the last byte of the buffer opens an object or
 *  array. */
int js_item(struct strbuf *b);
/** Append `"name":`, with the comma before it. */
int js_key(struct strbuf *b, const char *name);
int js_key_str(struct strbuf *b, const char *name, const char *text);
int js_key_strn(struct strbuf *b, const char *name, const char *text, size_t len);
int js_key_int(struct strbuf *b, const char *name, int64_t value);
/** `value` is finite; an integer is written without a fraction. */
int js_key_number(struct strbuf *b, const char *name, double value);
int js_key_bool(struct strbuf *b, const char *name, bool value);

/** True if both are the same value (numbers by value, objects in any order). */
bool js_equal(json_object *a, json_object *b);

/** The length of a list; 0 for anything else, including NULL. */
static inline size_t js_length(json_object *list)
{
	return json_object_is_type(list, json_type_array) ? json_object_array_length(list)
							  : 0;
}

/** json_object_array_add for a list that may be NULL after memory ran out, which
 *  json-c does not handle. @return nonzero on failure; the caller then still owns the
 *  value. */
int js_add(json_object *list, json_object *value);

/** Append a value that was just allocated, and take it even on failure. A NULL value
 *  or list is MT_ENOMEM. */
int js_add_new(json_object *list, json_object *made);
/** A list of texts, up to NULL. @return NULL if memory ran out. */
json_object *js_texts(const char *first, ...) __attribute__((sentinel));

#endif
