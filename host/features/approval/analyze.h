/* SPDX-License-Identifier: MIT
 *
 * analyze.h - assesses the risk of an action before it runs. */
#ifndef HOST_FEATURES_APPROVAL_ANALYZE_H
#define HOST_FEATURES_APPROVAL_ANALYZE_H

#include "controller/call.h"

/** Judge a call by its plain arguments. Nothing of it is changed. An analyzer that fails
 *  says RISK_UNKNOWN; the highest risk of several counts.
 *  @return MT_OK; or a status when nothing could be judged (*ret is then
 *  RISK_UNKNOWN with the reason). */
int approval_ask_analyzers(struct conversation *c, struct call *call,
			   struct verdict *ret);
/** Is any analyzer wired? */
bool approval_has_analyzers(const struct conversation *c);

#endif
