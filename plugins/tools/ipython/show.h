/* SPDX-License-Identifier: MIT
 *
 * show.h - shows the output of a message, as in a notebook. */
#ifndef IPYTHON_SHOW_H
#define IPYTHON_SHOW_H

#include "cell-events.h"
#include "js.h"

/** Streams, results, displays, errors; other types show nothing. */
void show_message(const char *type, json_object *content,
		  const struct cell_events *events, void *arg);
/** Show the pages of a reply: help texts. */
void show_payload(json_object *content, const struct cell_events *events, void *arg);

#endif
