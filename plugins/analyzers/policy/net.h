/* SPDX-License-Identifier: MIT
 *
 * net.h - the rules that come with the analyzer. */
#ifndef POLICY_NET_H
#define POLICY_NET_H

#include "rules.h"

/** NULL: no memory, or a rule that is wrong. */
struct rules *net_new(struct error *err);

#endif
