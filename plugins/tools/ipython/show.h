/* SPDX-License-Identifier: MIT
 *
 * show.h - the visible output of a message, as in a notebook. */
#ifndef IPYTHON_SHOW_H
#define IPYTHON_SHOW_H

#include "cell-events.h"
#include "js.h"

/** Streams, results, displays, errors; other types show nothing. */
void show_message(const char *type, json_object *content,
		  const struct cell_events *events, void *arg);
/** Pages that an answer brings: help texts. */
void show_payload(json_object *content, const struct cell_events *events, void *arg);

#endif
