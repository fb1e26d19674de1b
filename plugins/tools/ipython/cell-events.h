/* SPDX-License-Identifier: MIT
 *
 * cell-events.h - callbacks for the output of a running IPython cell. */
#ifndef IPYTHON_CELL_EVENTS_H
#define IPYTHON_CELL_EVENTS_H

#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

/** Callbacks for the output of a running cell. Texts may contain any bytes. */
struct cell_events {
	/** Text as on a terminal. */
	void (*text)(void *arg, const char *bytes, size_t len);
	/** One or more lines, starting on a new line. */
	void (*block)(void *arg, const char *bytes, size_t len);
	/** An image, decoded. */
	void (*image)(void *arg, const char *mime, const void *bytes, size_t len);
	/** Discard all previous output. */
	void (*clear)(void *arg);
	/** input() waits. @return MT_OK with the answer, MT_ENOTFOUND if there is none
	 *  yet, MT_ETIMEOUT if there is none by `until_ms`, MT_ECANCELLED, or a status if
	 *  no answer is possible. */
	int (*ask)(void *arg, const char *prompt, bool hidden, int64_t until_ms,
		   struct strbuf *ret);
};

#endif
