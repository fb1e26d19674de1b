/* SPDX-License-Identifier: MIT
 *
 * overlay-probe.h - whether `workspace = overlay` can be used here. */
#ifndef CLI_OVERLAY_PROBE_H
#define CLI_OVERLAY_PROBE_H

#include "config/config.h"

/** Mount an overlay where those of conversations are. @return MT_OK, or the reason why it
 *  is not possible */
int overlay_probe_here(const struct config *c, struct error *err);

#endif
