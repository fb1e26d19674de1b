/* SPDX-License-Identifier: MIT
 *
 * corrections.c - answers a call that the model wrote in another form with the correct
 * form. */
#include "features/corrections.h"

#include "controller/feature-api.h"
#include "llm/llm.h"

/* Maximum number of consecutive corrections. The model may be unable to correct the
 * call, or may not intend one. */
enum { CORRECTIONS_MAX = 3, GUESSES_MAX = 1 };

/* Of an agent: the number of consecutive corrections. */
static unsigned *corrected(const struct conversation *c)
{
	return feature_agent_state(conversation_agent(c), &corrections_feature);
}

static const char *corrections_correct_reply(struct conversation *c,
					     const struct llm_reply *reply)
{
	unsigned max = reply->is_guess ? GUESSES_MAX : CORRECTIONS_MAX;

	if (!reply->correction || *corrected(c) >= max)
		return NULL;
	++*corrected(c);
	return reply->correction;
}

static void corrections_acted(struct conversation *c)
{
	*corrected(c) = 0;
}

static void corrections_after_message(struct conversation *c, bool first)
{
	(void)first;
	*corrected(c) = 0;
}

const struct feature corrections_feature = {
	.name = "corrections",
	.agent_state_size = sizeof(unsigned),
	.correct_reply = corrections_correct_reply,
	.acted = corrections_acted,
	.after_message = corrections_after_message,
	.rewound = corrections_acted,
};
