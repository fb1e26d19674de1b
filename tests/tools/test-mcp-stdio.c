/* SPDX-License-Identifier: MIT
 *
 * test-mcp-stdio.c - a message that is sent just before the end reaches the server. */
#include "../../plugins/tools/mcp/client.h"
#include "clock.h"
#include "files.h"
#include "tap.h"

#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 30 };

static char file[] = "/tmp/mortise-mcp-stdio.XXXXXX";

/* Wait until the server has written to the file. */
static bool started(void)
{
	struct stat st = { 0 };

	for (int64_t until = clock_ms() + 60000; clock_ms() < until; poll(NULL, 0, 2))
		if (stat(file, &st) == 0 && st.st_size > 0)
			return true;
	return false;
}

/* The cancellation of a call is such a message. */
static bool last_message_arrives(void)
{
	char shell[] = "sh", option[] = "-c";
	char script[] = "echo started >\"$0\"; read -r line; echo \"$line\" >\"$0\"";
	char *const argv[] = { shell, option, script, file, NULL };
	const struct client_config config = { .argv = argv, .env = environ };
	AUTO(free) char *got = NULL;
	size_t len;
	struct client *c = client_new(&config);
	bool sent;

	CHECK(truncate(file, 0) == 0);
	sent = c && !c->transport->start(c, NULL, NULL) && started() &&
	       !mcp_client_notify(c, "notifications/cancelled", NULL, NULL);
	client_free(c);
	return sent && file_read(file, 4096, &got, &len, NULL) == 0 &&
	       strstr(got, "cancelled");
}

int main(void)
{
	unsigned arrived = 0;

	close(mkstemp(file));
	for (int i = 0; i < ROUNDS; i++)
		arrived += last_message_arrives();
	unlink(file);
	CHECK_MSG(arrived == ROUNDS, "%u of %d messages arrived", arrived, ROUNDS);
	return tap_done();
}
