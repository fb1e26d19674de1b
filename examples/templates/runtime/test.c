/* SPDX-License-Identifier: MIT
 *
 * Tests the runtime in this process; see <mortise/harness-runtime.h>. */
#include "@name@.c"
#include <mortise/harness-runtime.h>

#define CHECK(condition)                                                      \
	do                                                                    \
		if (!(condition)) {                                           \
			fprintf(stderr, "line %d: %s\n%s", __LINE__, #condition, h->done); \
			return 1;                                             \
		}                                                             \
	while (0)

int main(void)
{
	struct mt_ctx *h = mt_runtime_open(mortise_plugin_v1(), NULL);

	CHECK(mt_advance_start(h) == MT_ENOTFOUND); /* without a runner */

	mt_runtime_want(h, "runner", "/usr/bin/mortise-runner");
	mt_runtime_want(h, "workspace", "/home/me/project");
	mt_advance_option(h, "mask", "027");
	CHECK(mt_advance_start(h) == MT_OK);
	CHECK(strcmp(h->done, "arg /bin/sh\n"
			      "arg -c\n"
			      "arg umask \"$0\" && exec \"$1\"\n"
			      "arg 027\n"
			      "arg /usr/bin/mortise-runner\n"
			      "workspace /home/me/project\n") == 0);
	return mt_advance_close(h);
}
