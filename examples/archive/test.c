/* SPDX-License-Identifier: MIT
 *
 * Tests the condenser in this process; see <mortise/harness-condenser.h>. */
#include "archive.c"
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
	static const char request[] =
		"http POST https://archive.example.org/events\n"
		"header Content-Type: text/plain; charset=utf-8\n"
		"body agent 1 run\nls 0\n\nenvironment 2 run\na.c\n\nagent 3 run\nls 1\n\n";
	struct mt_ctx *h = mt_condenser_open(mortise_plugin_v1(), NULL);

	mt_advance_option(h, "url", "https://archive.example.org/events");
	mt_advance_option(h, "max_events", "4");
	mt_advance_action(h, "message", "user", "Look around.");
	CHECK(mt_advance_start(h) == MT_OK);
	CHECK(strcmp(h->done, "") == 0);

	for (int i = 0; i < 3; i++)
		mt_advance_observation(h,
				       mt_advance_action(h, "run", "agent",
							 i ? "ls 1" : "ls 0"),
				       "a.c");
	CHECK(mt_advance_start(h) == MT_OK);
	CHECK(strncmp(h->done, request, sizeof request - 1) == 0);

	CHECK(mt_advance_http_done(h, 201, "date: today\nlocation: /events/7\n", "", 0) ==
	      MT_OK);
	CHECK(strcmp(h->done,
		     "forget 1 2 3 at 1: 3 events were archived at /events/7\n") == 0);

	CHECK(mt_advance_start(h) == MT_OK);
	CHECK(mt_advance_http_failed(h, MT_EIO, "No connection.") == MT_OK);
	CHECK(strcmp(h->done, "") == 0);

	h->http_status = MT_EDENIED;
	CHECK(mt_advance_start(h) == MT_EDENIED);
	return mt_advance_close(h);
}
