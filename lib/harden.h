/* SPDX-License-Identifier: MIT
 *
 * harden.h - keeps the memory and environment of a process out of /proc and core
 * files. Call it at the start of main, before other threads exist. */
#ifndef LIB_HARDEN_H
#define LIB_HARDEN_H

/** Make the process not dumpable, so that other processes of the user can neither
 *  read its memory nor attach to it, and set the soft limit of core files to 0.
 *  A program that it executes is dumpable again. Builds with AddressSanitizer stay
 *  dumpable: their leak check attaches to the process. */
void harden_process(void);
/** Move the environment to memory that is left out of core files and wiped at exit, and
 *  overwrite the block that /proc/PID/environ shows. getenv and the environment of child
 *  processes are not affected. If memory runs out, nothing is moved. */
void harden_environment(void);
/** Overwrite in what /proc/PID/cmdline shows the values of settings that may be
 *  secret (SECTION.KEY=VALUE where KEY is api_key, token, extra_headers, proxy ...).
 *  `argv` then points to copies, which are never freed. */
void harden_arguments(int argc, char **argv);

#endif
