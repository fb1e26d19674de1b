/* SPDX-License-Identifier: MIT
 *
 * draft.h - the parts of an edit by draft that do not need a file or a model: the line
 * range, the request to the model, its response, and lines of a long file that are
 * similar to the draft. */
#ifndef EDITOR_DRAFT_H
#define EDITOR_DRAFT_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum {
	DRAFT_LINES_MAX = 301,  /* maximum lines that a model is asked to rewrite */
	DRAFT_CHUNK = 20,       /* lines of a range that the draft is compared with */
	DRAFT_LIKE = 3,         /* similar ranges that are shown */
};

struct draft_range {
	size_t first, last;     /* from 1; last < first: no lines are replaced */
	bool append;            /* append the draft at the end, unchanged */
};

/** Check `start` and `end` (-1: the last line) for a file of this many lines.
 *  @return MT_EINVAL, or MT_ELIMIT for too many lines. */
int draft_range(int64_t start, int64_t end, size_t lines, struct draft_range *ret,
		struct error *err);
/** Append the draft without surrounding blank lines, and a newline. */
int draft_trim(struct mt_str draft, struct strbuf *out);
/** Append the request to the model: the params of model/complete. */
int draft_ask(struct mt_str original, struct mt_str draft, struct strbuf *out);
/** Append the lines of the model's response; they end in a newline.
 *  @return MT_EINVAL: the response lacks <updated_code>. */
int draft_answer(struct mt_str answer, struct strbuf *out);
/** Append the ranges of a text that are most similar to the draft, with line numbers;
 *  nothing if none is similar. */
int draft_like(struct mt_str text, struct mt_str draft, struct strbuf *out);

#endif
