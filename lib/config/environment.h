/* SPDX-License-Identifier: MIT
 *
 * environment.h - the variables of the user's environment that tools get. */
#ifndef LIB_CONFIG_ENVIRONMENT_H
#define LIB_CONFIG_ENVIRONMENT_H

#include "config/config.h"

/** Called for a variable; anything but MT_OK ends the walk. */
typedef int environment_each_fn(void *arg, const char *name, const char *value);

/** Call `each` for each variable that tools get: those of a fixed list, those of
 *  [core] pass_env, and SSH_AUTH_SOCK if a [grant.NAME] names it. */
int environment_each(const struct config *c, environment_each_fn *each, void *arg);
/** Append the names of variables that are set, that commands often need, and that tools
 *  do not get: "A, B". */
int environment_withheld(const struct config *c, struct strbuf *out);
/** Add the secrets in the variables that tools get to the mask: values of variables
 *  whose names suggest a secret, and passwords in URLs. */
int environment_hide(const struct config *c, struct mask *m, struct error *err);
/** Add the passwords in URLs, which are separated by spaces, to the mask. @return MT_OK or
 *  MT_ENOMEM. */
int environment_hide_urls(struct mask *m, const char *name, const char *urls,
			  struct error *err);

#endif
