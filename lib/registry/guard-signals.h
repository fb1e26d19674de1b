/* SPDX-License-Identifier: MIT
 *
 * guard-signals.h - keeps the signals that end the program working while a third party's
 * plugin runs in this process. For guard.c only. */
#ifndef LIB_REGISTRY_GUARD_SIGNALS_H
#define LIB_REGISTRY_GUARD_SIGNALS_H

/** A plugin is called. Until guard_signals_leave, a thread handles SIGINT, SIGTERM,
 *  SIGHUP and SIGALRM if the plugin blocks them, and restores their handlers if it replaces
 *  them. */
void guard_signals_enter(void);
/** The plugin has returned. Restores the handlers and the signal mask. */
void guard_signals_leave(void);

#endif
