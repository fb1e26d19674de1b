/* SPDX-License-Identifier: MIT
 *
 * loop-recovery.h - handles an agent that is stuck in a loop. */
#ifndef HOST_FEATURES_LOOP_RECOVERY_H
#define HOST_FEATURES_LOOP_RECOVERY_H

#include "controller/feature.h"
#include "error.h"

/** How to recover from a loop that was reported by a `loop_detection`. */
enum loop_option {
	LOOP_BACK = 1,  /* rewind to before it, wait for the user */
	LOOP_AGAIN = 2, /* rewind to the user's last message and resend it */
	LOOP_STOP = 3,
};
int loop_recovery_choose(struct conversation *c, int64_t option, struct error *err);

extern const struct feature loop_recovery_feature;

#endif
