/* SPDX-License-Identifier: MIT
 *
 * sandbox-note.h - tells the model that the sandbox is the reason of a failure, and how
 * the user can allow what failed. */
#ifndef HOST_FEATURES_SANDBOX_NOTE_H
#define HOST_FEATURES_SANDBOX_NOTE_H

#include "controller/feature.h"

/** What would allow the call that has just failed: a change of [sandbox] as of
 *  permissions.h. Borrowed until the next result; NULL: nothing, or it did not fail because
 *  of the sandbox. */
const char *sandbox_note_remedy(const struct conversation *c);

extern const struct feature sandbox_note_feature;

#endif
