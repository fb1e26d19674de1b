/* SPDX-License-Identifier: MIT
 *
 * observation-note.h - texts that features add to an observation, for the model. */
#ifndef HOST_FEATURES_OBSERVATION_NOTE_H
#define HOST_FEATURES_OBSERVATION_NOTE_H

#include "events/event.h"

/** Add an object with a `text` to the extended content of an observation that is not logged
 *  yet. Takes `note`. */
void observation_note_add_item(struct event *e, json_object *note);
/** The same for a text. */
void observation_note_add(struct event *e, const char *text);

#endif
