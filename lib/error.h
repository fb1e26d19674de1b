/* SPDX-License-Identifier: MIT
 *
 * error.h - an error code for the program and a sentence for the user.
 *
 * Library code fills a struct error and returns its code; only the top of a
 * program reports, once. The codes are enum mt_status of <mortise/plugin.h>.
 */
#ifndef LIB_ERROR_H
#define LIB_ERROR_H

#include <mortise/plugin.h>
#include <stdarg.h>

struct error {
	int code;        /* enum mt_status; MT_OK as long as nothing has failed */
	char text[512];  /* one sentence without newline; "" as long as nothing has
			  * failed */
};

#define ERROR_NONE ((struct error){ 0 })

/** Record a failure. `err` may be NULL. Only the first failure is kept, because it is
 *  the cause. Control characters in the text become spaces; truncation keeps UTF-8
 *  characters whole. @return `code`, so that a failure is one statement. */
int fail(struct error *err, int code, const char *fmt, ...) MT_PRINTF(3, 4);
int fail_va(struct error *err, int code, const char *fmt, va_list ap);

/** Record a failure that its code explains: the text is status_name(code).
 *  @return `code`. */
int fail_code(struct error *err, int code);
/** Record that an allocation failed. @return MT_ENOMEM. */
int out_of_memory(struct error *err);
/** The recorded sentence. Without one, "out of memory", because only a failed
 *  allocation may record none. */
const char *error_text(const struct error *err);

/** Short name of a code, for logs: "not found". Never NULL. */
const char *status_name(int code);

#endif
