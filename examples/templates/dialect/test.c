/* SPDX-License-Identifier: MIT
 *
 * Tests the dialect in this process; see <mortise/harness-dialect.h>. */
#include "@name@.c"
#include <mortise/harness-dialect.h>

#define CHECK(condition)                                                      \
	do                                                                    \
		if (!(condition)) {                                           \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			return 1;                                             \
		}                                                             \
	while (0)

int main(void)
{
	struct mt_exchange *x = mt_dialect_open(mortise_plugin_v1(), NULL);

	CHECK(mt_dialect_encode(x) == MT_OK);
	CHECK(x->error && strcmp(x->error, "no message to answer") == 0);

	mt_dialect_message(x, MT_ROLE_USER, "Say hello.");
	CHECK(mt_dialect_encode(x) == MT_OK);
	CHECK(!x->error && x->local_ms == 0);

	CHECK(mt_dialect_answer(x, 200, "", "") == MT_OK);
	CHECK(x->calls && strcmp(x->calls->name, "finish") == 0);
	CHECK(x->stop && strcmp(x->stop, "tool_calls") == 0);
	return mt_dialect_close(x);
}
