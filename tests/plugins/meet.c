/* SPDX-License-Identifier: MIT
 *
 * meet.c - a tool whose calls wait for each other, for tests. Never installed. */
#include <fcntl.h>
#include <mortise/tool.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Leaves the file `name` and waits for the file `other`, at most `wait` ms. */
static int meet(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	const char *name = host->arg_str(call, "name", NULL);
	const char *other = host->arg_str(call, "other", NULL);
	struct pollfd p = { .fd = host->cancel_fd(call), .events = POLLIN };
	int64_t wait = 20000;
	int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	(void)self;
	if (fd < 0)
		return host->fail(call, MT_EIO, "no file %s", name);
	close(fd);
	host->arg_int(call, "wait", &wait);
	for (; wait > 0 && access(other, F_OK) != 0; wait -= 10)
		if (poll(&p, 1, 10) > 0) {
			fd = open("cancelled", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
			if (fd >= 0)
				close(fd);
			return MT_ECANCELLED;
		}
	host->output(call, name, strlen(name));
	return host->reply(call, "%s met %s", name, wait > 0 ? other : "no-one");
}

#define SCHEMA                                                                           \
	"{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"           \
	"\"other\":{\"type\":\"string\"},\"wait\":{\"type\":\"integer\"}},"              \
	"\"required\":[\"name\",\"other\"]}"

static const struct mt_tool tools[] = {
	{ .size = sizeof tools[0], .name = "meet", .description = "For tests.",
	  .hints = MT_TOOL_READ_ONLY | MT_TOOL_PARALLEL, .schema = SCHEMA },
	{ .size = sizeof tools[0], .name = "meet_and_write", .description = "For tests.",
	  .hints = MT_TOOL_PARALLEL, .schema = SCHEMA },
};
static const struct mt_toolset set = { .size = sizeof set, .flags = MT_TOOLSET_PARALLEL,
				       .tool_count = 2, .tools = tools,
				       .call = meet };
MT_TOOLSET(&set, "meet", .name = "meet", .summary = "For tests.")
