/* SPDX-License-Identifier: MIT
 *
 * test-limits.c - limits of a call that a tool of a test reaches: its duration, and what
 * it writes. */
#include "kit.h"
#include "tap.h"
#include <linux/magic.h>
#include <sys/vfs.h>

/* What a call writes before the first sample counts. */
static void check_written(void)
{
	struct runner_spec spec;
	const struct outcome *o;
	struct statfs fs;
	struct kit k;
	char arguments[1200];

	if (statfs(builddir(), &fs) || fs.f_type == TMPFS_MAGIC) {
		SKIP("the build directory is in memory");
		return;
	}
	kit_spec(&spec);
	spec.limits.disk_written = 10 << 20;
	CHECK(kit_open_spec(&k, &spec));
	snprintf(arguments, sizeof arguments,
		 "{\"what\":\"write_unseen\",\"dir\":\"%s\"}", builddir());
	o = kit_call(&k, "bad", "do", arguments);
	CHECK_MSG(o->error && strstr(o->error, "the limit `disk_written` is 10 MiB"),
		  "error: %s", o->error ? o->error : "none");
	kit_done(&k);
}

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
	check_written();
	CHECK_MSG(kit_all_gone(), "nothing is left running");
	return tap_done();
}
