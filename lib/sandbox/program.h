/* SPDX-License-Identifier: MIT
 *
 * program.h - prepares the environment of programs in a sandbox. */
#ifndef LIB_SANDBOX_PROGRAM_H
#define LIB_SANDBOX_PROGRAM_H

#include "sandbox/sandbox.h"

/** Enter the sandbox, go to `directory`, and set the variables of temporary files and
 *  caches. `temporary` is the directory of sandbox_make. As sandbox_enter otherwise. */
int sandbox_program_enter(const struct sandbox *s, const struct sandbox_rules *r,
			  const char *temporary, enum sandbox_program program,
			  const char *directory, struct error *err);

#endif
