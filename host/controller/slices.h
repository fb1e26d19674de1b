/* SPDX-License-Identifier: MIT
 *
 * slices.h - reads a long history in slices, between turns of the loop. */
#ifndef HOST_CONTROLLER_SLICES_H
#define HOST_CONTROLLER_SLICES_H

#include "controller/feature.h"
#include "error.h"

#include <stdbool.h>
#include <stdint.h>

struct conversation;

struct mt_ctx;

/** When work that begins now should return to the loop, as uv_hrtime. */
uint64_t slice_end(void);
/** Go on with a step in the next turn of the loop. Takes `x`: with a request by
 *  step_send; with a view by step_advance_prepared, unless events have come since;
 *  otherwise by step_prepared. */
int slices_wait(struct conversation *c, struct mt_ctx *x, struct error *err);
bool slices_busy(const struct conversation *c);

extern const struct feature slices_feature;

#endif
