/* SPDX-License-Identifier: MIT
 *
 * test-mcp-stdio.c - a message that is sent just before the end reaches the server. */
#include "../../plugins/tools/mcp/client.h"
#include "files.h"
#include "tap.h"

#include <string.h>
#include <unistd.h>

enum { ROUNDS = 30 };

static char file[] = "/tmp/mortise-mcp-stdio.XXXXXX";

/* The cancellation of a call is such a message. */
static bool last_message_arrives(void)
{
	char shell[] = "sh", option[] = "-c", script[] = "exec cat >\"$0\"";
	char *const argv[] = { shell, option, script, file, NULL };
	const struct client_config config = { .argv = argv, .env = environ };
	AUTO(free) char *got = NULL;
	size_t len;
	struct client *c = client_new(&config);

	if (!c || c->transport->start(c, NULL, NULL) ||
	    mcp_client_notify(c, "notifications/cancelled", NULL, NULL)) {
		client_free(c);
		return false;
	}
	client_free(c);
	return file_read(file, 4096, &got, &len, NULL) == 0 && strstr(got, "cancelled");
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
