/* SPDX-License-Identifier: MIT
 *
 * questions.h - questions of tools to the user. */
#ifndef HOST_FEATURES_QUESTIONS_H
#define HOST_FEATURES_QUESTIONS_H

#include "controller/feature.h"
#include "js.h"

/** Ask the user a question of the host about an action. `answered` receives a choice, or
 *  NULL: the user declined. @return MT_OK or a status; then it is not called. */
int questions_ask(struct conversation *c, int64_t action, const char *text,
		  json_object *choices,
		  void (*answered)(struct conversation *c, const char *text));
/** Close the question that this function would answer, if it is open. */
void questions_withdraw(struct conversation *c,
			void (*answered)(struct conversation *c, const char *text));

extern const struct feature questions_feature;

#endif
