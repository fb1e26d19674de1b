/* SPDX-License-Identifier: MIT
 *
 * profile.h - the rules of a sandbox, from the [sandbox] section of the configuration and
 * a workspace. */
#ifndef LIB_SANDBOX_PROFILE_H
#define LIB_SANDBOX_PROFILE_H

#include "config/config.h"
#include "sandbox/rules.h"

/* In the order of the choices in lib/config/tables.c. */
enum sandbox_profile {
	SANDBOX_PROFILE_WORKSPACE, /* change files of the workspace */
	SANDBOX_PROFILE_READ_ONLY, /* read only */
	SANDBOX_PROFILE_FULL,      /* no sandbox */
};

enum sandbox_mode { SANDBOX_AUTO, SANDBOX_REQUIRED, SANDBOX_OFF };

/** True if the configuration asks for a sandbox. */
bool sandbox_wanted(const struct config *c);
/** The settings that do not depend on a workspace: rules without paths. */
void sandbox_profile_settings(const struct config *c, struct sandbox_rules *ret);
/** The rules for tools that work in `workspace`, an absolute path. The directories of the
 *  caches, which tools write, are created. */
int sandbox_profile_rules(const struct config *c, const char *workspace,
			  struct sandbox_rules *ret, struct error *err);
/** Add the existing files that `.mortise/ignore` keeps from tools. Reads the directories of
 *  the workspace, if they have rules.
 *  @return MT_OK; MT_ELIMIT: not all of them, as `err` says; MT_ENOMEM */
int sandbox_profile_covers(const struct config *c, const char *workspace,
			   struct sandbox_rules *ret, struct error *err);

#endif
