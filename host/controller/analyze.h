/* SPDX-License-Identifier: MIT
 *
 * analyze.h - how risky an action is, before it runs. */
#ifndef HOST_CONTROLLER_ANALYZE_H
#define HOST_CONTROLLER_ANALYZE_H

#include "controller/conversation.h"

/** Numbers as in the event log (`security_risk`). */
enum risk { RISK_UNKNOWN = -1, RISK_LOW, RISK_MEDIUM, RISK_HIGH };

struct verdict {
	enum risk risk;
	bool deny;         /* it must not run, whatever a person says */
	char reason[256];  /* a sentence for the user and, if denied, the model */
	char rule[128];    /* name of the rule that decided; "" if none */
};

/** Judge an action that is complete but not logged yet. Nothing of it is
 *  changed: the caller writes the risk into it. An analyzer that fails says
 *  RISK_UNKNOWN; the highest risk of several counts.
 *  @return MT_OK; or a status when nothing could be judged (*ret is then
 *  RISK_UNKNOWN with the reason). */
int analyzers_judge(struct conversation *c, struct event *action, struct verdict *ret);
/** Is any analyzer wired? */
bool analyzers_wired(const struct conversation *c);

/** "LOW"; "UNKNOWN" for everything else. */
const char *risk_name(enum risk risk);

#endif
