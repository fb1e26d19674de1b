/* SPDX-License-Identifier: MIT
 *
 * mask-forms.h - the forms in which a secret value can appear in a text: verbatim,
 * escaped for JSON or a URL, in hexadecimal, in base64. */
#ifndef LIB_MASK_FORMS_H
#define LIB_MASK_FORMS_H

#include <stdbool.h>
#include <stddef.h>

enum { FORMS_OF_SECRET = 5, FORM_FIRSTS = 2, FORM_RUN_MAX = 32 };

enum form_kind { FORM_TEXT, FORM_HEX, FORM_BASE64 };

/** One form of one secret. Forms that begin with the same byte are a list. */
struct form {
	enum form_kind kind;
	char *text;              /* canonical: lower case, the standard alphabet */
	size_t len;
	unsigned tail, tails;    /* base64: the last digit is one of these values */
	unsigned char firsts[FORM_FIRSTS]; /* bytes that it begins with */
	struct form *next[FORM_FIRSTS];    /* the next form with that first byte */
};

/** Build the forms of a secret. @return MT_OK, or MT_ENOMEM and none is built. */
int forms_make(const char *secret, size_t len, struct form *ret[FORMS_OF_SECRET]);
struct form *form_free(struct form *f); /* wiped first; NULL is fine */

/** Bytes that form_match may find after the first one of the form. */
bool form_is_second(const struct form *f, unsigned char byte);

/** Length of the form at the start of `text`, 0 if it does not match. A text that ends
 *  inside the form, after at least a quarter of it, matches up to its end. With `more`
 *  text to come, `*ret_open` is set if this is not decided yet. */
size_t form_match(const struct form *f, const char *text, size_t len, bool more,
		  bool *ret_open);

/** Possible first bytes, decoded, of a form that starts at `text`; at most FORM_STARTS.
 *  `*ret_open` as above. */
enum { FORM_STARTS = 5 };
size_t form_starts(const char *text, size_t len, bool more,
		   unsigned char ret[FORM_STARTS], bool *ret_open);
/** Number of backslashes that `text` begins with. */
size_t form_run(const char *text, size_t len);

#endif
