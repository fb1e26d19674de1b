/* SPDX-License-Identifier: MIT
 *
 * action-hash.h - the hash that identifies an action: an approval is valid for this
 * action only. */
#ifndef HOST_FEATURES_APPROVAL_ACTION_HASH_H
#define HOST_FEATURES_APPROVAL_ACTION_HASH_H

#include "digest.h"
#include "events/event.h"

/** SHA-256, in hexadecimal, of the action in one canonical form: type, tool, time-out and
 *  the arguments that have an effect, members sorted. Without `whole`, what only says how
 *  long and where the call waits is left out: two actions that do the same have the same
 *  hash. @return MT_OK, or MT_ENOMEM or MT_ELIMIT. */
int action_hash(const struct event *action, bool whole, char ret[SHA256_HEX],
		struct error *err);

#endif
