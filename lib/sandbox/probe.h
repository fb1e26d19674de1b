/* SPDX-License-Identifier: MIT
 *
 * probe.h - finds out what a sandbox can enforce on this system, before one is needed. */
#ifndef LIB_SANDBOX_PROBE_H
#define LIB_SANDBOX_PROBE_H

#include "config/config.h"
#include "sandbox/sandbox.h"

/** What a sandbox with the settings of [sandbox] enforces here. The result is stored until
 *  the system is restarted. @return MT_OK, or why it cannot be found out */
int sandbox_probe(const struct config *c, struct sandbox_state *ret, struct error *err);

#endif
