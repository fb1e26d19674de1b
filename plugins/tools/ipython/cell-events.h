/* SPDX-License-Identifier: MIT
 *
 * cell-events.h - what a cell of IPython reports while it runs. */
#ifndef IPYTHON_CELL_EVENTS_H
#define IPYTHON_CELL_EVENTS_H

#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

/** Callbacks for the output of a running cell. Texts may contain any bytes. */
struct cell_events {
	/** Text as it would stand on a terminal. */
	void (*text)(void *arg, const char *bytes, size_t len);
	/** A line or more that begins on a line of its own. */
	void (*block)(void *arg, const char *bytes, size_t len);
	/** An image, decoded. */
	void (*image)(void *arg, const char *mime, const void *bytes, size_t len);
	/** All that came before is to be forgotten. */
	void (*clear)(void *arg);
	/** input() waits. @return MT_OK with the answer, MT_ENOTFOUND if there
	 *  is none yet, MT_ETIMEOUT if there is none at `until_ms`, MT_ECANCELLED, or why
	 *  there will never be one. */
	int (*ask)(void *arg, const char *prompt, bool hidden, int64_t until_ms,
		   struct strbuf *ret);
};

#endif
