/* SPDX-License-Identifier: MIT
 *
 * caches.h - cache directories of programs in a sandbox. */
#ifndef LIB_SANDBOX_CACHES_H
#define LIB_SANDBOX_CACHES_H

/** Set the environment variables that name the caches of compilers and package managers,
 *  to directories in `cache`. @return MT_OK, MT_ENOMEM */
int sandbox_caches_set(const char *cache);

#endif
