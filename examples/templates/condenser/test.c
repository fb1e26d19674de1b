/* SPDX-License-Identifier: MIT
 *
 * Tests the condenser in this process; see <mortise/harness-condenser.h>. */
#include "@name@.c"
#include <mortise/harness-condenser.h>

#define CHECK(condition)                                                      \
	do                                                                    \
		if (!(condition)) {                                           \
			fprintf(stderr, "line %d: %s\n%s", __LINE__, #condition, h->done); \
			return 1;                                             \
		}                                                             \
	while (0)

int main(void)
{
	struct mt_ctx *h = mt_condenser_open(mortise_plugin_v1(), NULL);

	for (int i = 0; i < 3; i++)
		mt_advance_observation(h, mt_advance_action(h, "run", "agent", "ls"),
				       "a.c b.c");
	CHECK(mt_advance_start(h) == MT_OK);
	CHECK(strcmp(h->done, "mask 3 (old output hidden by @name@)\n"
			      "mask 1 (old output hidden by @name@)\n") == 0);

	mt_advance_option(h, "keep", "3");
	CHECK(mt_advance_start(h) == MT_OK);
	CHECK(strcmp(h->done, "") == 0);
	return mt_advance_close(h);
}
