/* SPDX-License-Identifier: MIT
 *
 * option-secrets.h - masks the values of options of plugins that are secrets. */
#ifndef TOOLS_OPTION_SECRETS_H
#define TOOLS_OPTION_SECRETS_H

#include "config/config.h"
#include "mask.h"
#include "registry/registry.h"

/** Add what the configuration sets for options with MT_OPTION_SECRET of plugins of any
 *  kind to the mask. An invalid section is skipped: it is reported where it is used.
 *  @return MT_OK or MT_ENOMEM. */
int option_secrets_hide(const struct config *c, const struct registry *r, struct mask *m,
			struct error *err);

#endif
