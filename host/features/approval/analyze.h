/* SPDX-License-Identifier: MIT
 *
 * analyze.h - assesses the risk of an action before it runs. */
#ifndef HOST_FEATURES_APPROVAL_ANALYZE_H
#define HOST_FEATURES_APPROVAL_ANALYZE_H

#include "controller/call.h"

/** Assess a call by its unmasked arguments, without changing it. analyzers_join_risks
 *  describes several analyzers, and one that fails. @return MT_OK, or a status if no
 *  risk could be determined (*ret is then RISK_UNKNOWN with a reason). */
int approval_ask_analyzers(struct conversation *c, struct call *call,
			   struct verdict *ret);
/** Are any analyzers configured? */
bool approval_has_analyzers(const struct conversation *c);

#endif
