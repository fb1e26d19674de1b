/* SPDX-License-Identifier: MIT
 *
 * option-secrets.h - masks the values of secret plugin options. */
#ifndef TOOLS_OPTION_SECRETS_H
#define TOOLS_OPTION_SECRETS_H

#include "config/config.h"
#include "mask.h"
#include "registry/registry.h"

/** Add the configured values of plugin options with MT_OPTION_SECRET, of all kinds, to
 *  the mask. An invalid section is skipped: it is reported when it is used. @return MT_OK
 *  or MT_ENOMEM. */
int option_secrets_hide(const struct config *c, const struct registry *r, struct mask *m,
			struct error *err);

#endif
