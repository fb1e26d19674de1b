/* SPDX-License-Identifier: MIT
 *
 * calls.h - lets a test program that is linked with calls.c fail its own calls. */
#ifndef TESTS_TORTURE_CALLS_H
#define TESTS_TORTURE_CALLS_H

#include <stdbool.h>

/** From now on the n-th call of this kind fails, in shared libraries too; 0: none. */
void torture_begin(const char *kind, long n);
/** Let all calls succeed again. @return true if one failed. */
bool torture_end(void);

#endif
