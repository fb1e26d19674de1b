/* SPDX-License-Identifier: MIT
 *
 * Tests the agent in this process; see <mortise/harness-agent.h>. */
#include "@name@.c"
#include <mortise/harness-agent.h>

#define CHECK(condition)                                                      \
	do                                                                    \
		if (!(condition)) {                                           \
			fprintf(stderr, "line %d: %s\n%s", __LINE__, #condition, h->done); \
			return 1;                                             \
		}                                                             \
	while (0)

int main(void)
{
	struct mt_ctx *h = mt_agent_open(mortise_plugin_v1(), NULL);

	CHECK(mt_advance_start(h) == MT_OK);
	CHECK(strcmp(h->done, "request\nhistory\ntool *\nsend\n") == 0);

	mt_advance_reply_call(h, "execute_bash", "{\"command\":\"ls\"}");
	mt_advance_reply_call(h, "finish", "{}");
	CHECK(mt_advance_replied(h) == MT_OK);
	CHECK(strcmp(h->done, "call 0\ncall 1\n") == 0);

	mt_advance_start(h);
	mt_advance_reply(h, "Which file?");
	CHECK(mt_advance_replied(h) == MT_OK);
	CHECK(strcmp(h->done, "ask Which file?\n") == 0);
	return mt_advance_close(h);
}
