/* SPDX-License-Identifier: MIT
 *
 * mortise/extensions.h - what mt_tool_host.extension may give: tables of functions that
 * are tried out before a version of the tool kind has them.
 *
 * A name that ends in ".draft-N" is that of a draft. A draft changes by taking another
 * number, and goes without notice, so a plugin works without it: it asks for the table
 * and checks for NULL. A draft that has proved itself loses the suffix, and is kept then
 * as the rest of the tool kind is.
 *
 *   const struct mt_result_draft_1 *result = host->extension(MT_RESULT_DRAFT_1);
 *
 *   if (result)
 *           result->structured(call, "{\"lines\": 3}", 12);
 */
#ifndef MORTISE_EXTENSIONS_H
#define MORTISE_EXTENSIONS_H

#include <mortise/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A result for programs, in addition to the text for the model. */
#define MT_RESULT_DRAFT_1 "mortise.result.draft-1"
struct mt_result_draft_1 {
	uint32_t size;
	uint32_t reserved;
	/** Set the structured result of the call, an object as JSON text, in place of
	 *  one that was set before. It becomes the field `structured` of the
	 *  observation; one that does not match mt_tool.output_schema is left out, with a
	 *  warning in the log. Copied. @return MT_EINVAL if it is not an object as JSON
	 *  text, MT_ELIMIT, MT_ENOMEM. */
	int (*structured)(struct mt_call *call, const char *json, size_t len);
};

#ifdef __cplusplus
}
#endif
#endif
