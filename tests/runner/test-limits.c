/* SPDX-License-Identifier: MIT
 *
 * test-limits.c - limits of a call that a tool of a test reaches: its duration. */
#include "kit.h"
#include "tap.h"

int main(void)
{
	struct runner_spec spec;
	const struct outcome *o;
	struct kit k;

	kit_spec(&spec);
	spec.limits.wall_ms = 200;
	CHECK(kit_open_spec(&k, &spec));
	o = kit_call(&k, "bad", "do", "{\"what\":\"hang\"}");
	CHECK(o->status == MT_ELIMIT);
	CHECK_STR(
		o->error,
		"The call was ended: it did not finish within 0.2 s, the limit "
		"`wall_time`. Only the user can raise the limit. Its worker was killed.");
	o = kit_call(&k, "bad", "do", "{\"what\":\"wait_cancel\"}");
	CHECK_STR(o->error,
		  "The call was ended: it did not finish within 0.2 s, the limit "
		  "`wall_time`. Only the user can raise the limit.");
	CHECK_STR(kit_call(&k, "bad", "do", "{\"what\":\"echo\",\"text\":\"on\"}")->text,
		  "on");
	kit_done(&k);
	CHECK_MSG(kit_all_gone(), "nothing is left running");
	return tap_done();
}
