/* SPDX-License-Identifier: MIT
 *
 * Tests the analyzer in this process; see <mortise/harness-analyzer.h>. */
#include "@name@.c"
#include <mortise/harness-analyzer.h>

#define CHECK(condition)                                                      \
	do                                                                    \
		if (!(condition)) {                                           \
			fprintf(stderr, "line %d: %s\n%s", __LINE__, #condition, h->done); \
			return 1;                                             \
		}                                                             \
	while (0)

int main(void)
{
	struct mt_ctx *h = mt_analyzer_open(mortise_plugin_v1(), NULL);

	h->tool = "execute_bash";
	mt_advance_argument(h, "command", "ls");
	CHECK(mt_advance_start(h) == MT_OK);
	CHECK(h->risk == MT_RISK_LOW && !h->deny);

	mt_advance_argument(h, "command", "rm -rf /");
	CHECK(mt_advance_start(h) == MT_OK);
	CHECK(h->risk == MT_RISK_HIGH && h->deny);

	mt_advance_option(h, "forbid", "mkfs");
	CHECK(mt_advance_start(h) == MT_OK);
	CHECK(!h->deny);
	return mt_advance_close(h);
}
