/* SPDX-License-Identifier: MIT
 *
 * mortise/extensions.h - tables that mt_tool_host.extension and mt_plugin.extension may
 * return, tried out before a version has them.
 *
 * A name that ends in ".draft-N" denotes a draft. A changed draft gets another number,
 * and drafts are removed without notice, so plugins must work without them: request the
 * table and check for NULL. An accepted draft gets a name without the suffix, and is then
 * as stable as the rest of the tool kind. If it was accepted as it is, hosts continue to
 * give the table for the name of the draft too.
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

/** What a user should know before the plugin is enabled: what to set up, what it does with
 *  what it reads. mt_plugin.extension returns this table for the name (MT_PLUGIN_EXTENSION names
 *  the function); `mortise plugins info` shows the text. */
#define MT_ABOUT_DRAFT_1 "mortise.about.draft-1"
struct mt_about_draft_1 {
	uint32_t size;
	uint32_t reserved;
	const char *text; /* plain text in lines; at most 4095 bytes */
};

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

/** Large text arguments, read in pieces, so that the plugin needs no copy of the whole text.
 *  The arguments of a call are limited to 15 MiB in total, as JSON. */
#define MT_ARGUMENTS_DRAFT_1 "mortise.arguments.draft-1"
struct mt_arguments_draft_1 {
	uint32_t size;
	uint32_t reserved;
	/** Number of bytes of a text argument, or of its default. `ret` is left alone on failure.
	 *  @return MT_OK, MT_ENOTFOUND if it is absent or null, MT_EINVAL if it is not a string.
	 *  [any thread] */
	int (*length)(struct mt_call *call, const char *name, uint64_t *ret);
	/** Copy at most `room` bytes of a text argument, from byte `offset` on, to `buffer`, which
	 *  remains the caller's; no NUL follows. `*ret_len`: the number of copied bytes, 0 at and
	 *  past the end. A piece may end within a character of UTF-8. `buffer` may be NULL if
	 *  `room` is 0. @return as `length`; `buffer` and `*ret_len` are left alone on failure.
	 *  [any thread] */
	int (*read)(struct mt_call *call, const char *name, uint64_t offset, void *buffer,
		    size_t room, size_t *ret_len);
};

/** Several requests to the host at once, and answers that come in pieces. */
#define MT_REQUESTS_DRAFT_1 "mortise.requests.draft-1"
#define MT_REQUESTS_MAX 8 /* open requests of a call, that of mt_tool_host.request included */

enum {
	MT_ANSWER_PIECE = 1u << 0, /* a piece of the answer, which comes later */
};

/** Filled by `wait`; has no `size`, because a changed one gets another draft number. */
struct mt_answer_draft_1 {
	uint64_t number;    /* of the request */
	int32_t status;     /* MT_OK: `text` is a JSON object; else it is a sentence */
	uint32_t flags;     /* MT_ANSWER_PIECE */
	struct mt_str text; /* borrowed until the call returns; a NUL follows its end */
};

struct mt_requests_draft_1 {
	uint32_t size;
	uint32_t reserved;
	/** Send a request as mt_tool_host.request does, and do not wait for its answer.
	 *  `*ret_number` is its number in the process. A request that is open when the call
	 *  returns is dropped; the host stops working on it. [any thread]
	 *  @return MT_ELIMIT if MT_REQUESTS_MAX are open, MT_EINVAL for bad params, MT_ENOMEM. */
	int (*submit)(struct mt_call *call, const char *method, struct mt_str params,
		      uint64_t *ret_number);
	/** Wait until one of the requests that were submitted is answered, whichever it is, for
	 *  at most `timeout_ms`; 0: do not wait; -1: as long as it takes. It fills `ret`, and the
	 *  request is no longer open, unless it is a piece. Pieces exist if the params of a
	 *  "model/complete" have `stream` true: {text}, the next text of the model, or {restarted:
	 *  true}, the pieces so far are void. At most 4 MiB of pieces wait, further ones are
	 *  dropped; the answer has the whole text in any case. [any thread]
	 *  @return MT_OK; MT_ENOTFOUND if none is open, MT_ETIMEOUT, MT_ECANCELLED if the call
	 *  is cancelled and no answer is there: then `ret` is as it was. */
	int (*wait)(struct mt_call *call, int64_t timeout_ms, struct mt_answer_draft_1 *ret);
};

#ifdef __cplusplus
}
#endif
#endif
