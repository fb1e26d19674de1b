/* SPDX-License-Identifier: MIT
 *
 * proxy-process.h - the process of the proxy of a sandbox. */
#ifndef LIB_SANDBOX_PROXY_PROCESS_H
#define LIB_SANDBOX_PROXY_PROCESS_H

#include "sandbox/sandbox.h"

/** Start the proxy of a sandbox, if it has a listener, which is closed here. The caller
 *  reads the lines of network_proxy_run() from `*ret_reports`; closing it ends the proxy.
 *  -1: the network needs none. */
int sandbox_proxy_start(struct sandbox *s, const struct sandbox_rules *r,
			int *ret_reports, struct error *err);

#endif
