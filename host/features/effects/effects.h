/* SPDX-License-Identifier: MIT
 *
 * effects.h - `approve = effects`: a command of unknown risk runs in a preview, and the
 * user approves what it changed. */
#ifndef HOST_FEATURES_EFFECTS_H
#define HOST_FEATURES_EFFECTS_H

#include "controller/feature.h"

/** Does the user approve the effects of this command, if its risk is unknown? */
bool effects_concern(const struct conversation *c, const struct call *call);
/** Can such a command run in a preview here, and a user answer? If a preview is not
 *  possible, tells the user so once. */
bool effects_can_preview(struct conversation *c);
/** Was this call, whose observation is not logged yet, answered by its preview? */
bool effects_end_call(const struct conversation *c, const struct call *call);

extern const struct feature effects_feature;

#endif
