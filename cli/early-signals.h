/* SPDX-License-Identifier: MIT
 *
 * early-signals.h - keeps a signal that arrives before the loop of a command runs. */
#ifndef CLI_EARLY_SIGNALS_H
#define CLI_EARLY_SIGNALS_H

/** Keep the first SIGINT, SIGTERM or SIGHUP until other handlers are installed; a second
 *  one exits immediately. */
void early_signals_catch(void);
/** The signal that was kept; 0: none. */
int early_signals_number(void);
/** Raise the signal that was kept. Call this after installing other handlers. */
void early_signals_deliver(void);

#endif
