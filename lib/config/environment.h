/* SPDX-License-Identifier: MIT
 *
 * environment.h - the variables of the user's environment that are passed to tools. */
#ifndef LIB_CONFIG_ENVIRONMENT_H
#define LIB_CONFIG_ENVIRONMENT_H

#include "config/config.h"

/** Called for each variable; any status other than MT_OK ends the iteration. */
typedef int environment_each_fn(void *arg, const char *name, const char *value);

/** Call `each` for each variable that is passed to tools: a fixed list, [core] pass_env,
 *  SSH_AUTH_SOCK if `env` of a [grant.NAME] names it, and `variables` of grants that
 *  are on. */
int environment_each(const struct config *c, environment_each_fn *each, void *arg);
/** The same for tools in another place, with an environment of its own: those of [core]
 *  pass_env and of grants that are on, without those of the fixed list, which describe this
 *  system, and without SSH_AUTH_SOCK. */
int environment_each_elsewhere(const struct config *c, environment_each_fn *each,
			       void *arg);
/** Append the names of variables that are set and that commands often need, but that are
 *  not passed to tools: "A, B". */
int environment_withheld(const struct config *c, struct strbuf *out);
/** Add secrets in the variables that are passed to tools to the mask: values of variables
 *  whose names suggest a secret, and passwords in URLs. */
int environment_hide(const struct config *c, struct mask *m, struct error *err);
/** Add the passwords in URLs, which are separated by spaces, to the mask. @return MT_OK or
 *  MT_ENOMEM. */
int environment_hide_urls(struct mask *m, const char *name, const char *urls,
			  struct error *err);

#endif
