/* SPDX-License-Identifier: MIT
 *
 * kill.c - `mortise kill`: stops or pauses a running conversation, first by request,
 * then by signal. */
#include "commands.h"
#include "clock.h"
#include "client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

enum { WAIT_S = 10, SIGNAL_WAIT_MS = 5000 };

struct arguments {
	struct common common;
	bool pause;
	int64_t wait_s;
};

static const struct flag flags[] = {
	FLAG('p', "pause", NULL, "pause instead of stopping",
	     STORE(FLAG_TRUE, struct arguments, pause)),
	FLAG('w', "timeout", "SECONDS",
	     "seconds to wait before sending signals (default: 10)",
	     STORE(FLAG_NUMBER, struct arguments, wait_s),
	     .max = 3600, .expected = "seconds from 0 to 3600", .alias = "wait"),
	{ 0 },
};

struct kill {
	const char *id;
	struct client peer;
	int process; /* pidfd of the process; -1: it has exited */
	bool answered;
	struct error why_not; /* reason if the process refuses to stop */
};

static void kill_on_line(char *line, size_t len, void *arg)
{
	struct kill *k = arg;
	AUTO(json) json_object *o = len ? js_parse_object(line, len, NULL) : NULL;

	if (strcmp(js_str(o, "type", ""), "result") != 0)
		return;
	k->answered = true;
	if (!js_bool(o, "ok", false))
		fail(&k->why_not, MT_EDENIED, "%s",
		     js_str(o, "error", "rejected without a reason"));
}

/* Wait until the process exits, or with `answer` until it replies or disconnects.
 * @return false on timeout. */
static bool kill_wait_for(struct kill *k, int64_t ms, bool answer)
{
	int64_t end = clock_ms() + ms, left;

	while ((left = end - clock_ms()) > 0) {
		struct pollfd fds[] = {
			{ .fd = k->process, .events = POLLIN },
			{ .fd = k->peer.over ? -1 : k->peer.fd,
			  .events = client_wants(&k->peer) },
		};

		if (k->process < 0 || (answer && (k->answered || k->peer.over)))
			return true;
		if (poll(fds, ARRAY_LEN(fds), (int)(left < 1000000 ? left : 1000000)) <=
		    0)
			continue;
		if (fds[0].revents)
			return true;
		if (fds[1].revents)
			client_serve(&k->peer, fds[1].revents);
	}
	return false;
}

static bool send_signal(struct kill *k, int number, const char *name)
{
	fprintf(stderr, "mortise: %s: process %ld did not exit; sending %s\n", k->id,
		(long)k->peer.pid, name);
	syscall(SYS_pidfd_send_signal, k->process, number, NULL, 0);
	return kill_wait_for(k, SIGNAL_WAIT_MS, false);
}

static int kill_stop(struct kill *k, int64_t wait_ms, struct error *err)
{
	static const char command[] = "{\"type\":\"stop\"}";
	struct error slow = ERROR_NONE;

	if (client_greet(&k->peer, &slow) == MT_EDENIED)
		return fail(err, MT_EDENIED, "%s: %s", k->id, slow.text);
	if (!slow.code) {
		client_line(&k->peer, command, sizeof command - 1);
		if (kill_wait_for(k, wait_ms, false))
			return MT_OK;
	}
	return send_signal(k, SIGTERM, "SIGTERM") || send_signal(k, SIGKILL, "SIGKILL")
		       ? MT_OK
		       : fail(err, MT_ETIMEOUT,
			      "cannot stop %s: process %ld did not "
			      "exit",
			      k->id, (long)k->peer.pid);
}

static int do_pause(struct kill *k, int64_t wait_ms, struct error *err)
{
	static const char command[] = "{\"type\":\"pause\"}";
	struct error why = ERROR_NONE;

	if (client_greet(&k->peer, &why))
		return fail(err, why.code, "%s: %s", k->id, why.text);
	client_line(&k->peer, command, sizeof command - 1);
	if (!kill_wait_for(k, wait_ms, true))
		return fail(err, MT_ETIMEOUT, "%s: process %ld does not respond", k->id,
			    (long)k->peer.pid);
	return k->why_not.code ? fail(err, MT_EDENIED, "%s: %s", k->id, k->why_not.text)
			       : MT_OK;
}

static int end_one(const char *id, bool pause, int64_t wait_ms, struct error *err)
{
	struct kill k = { .id = id, .process = -1 };
	int r = client_open(&k.peer, id, err);

	if (!r) {
		k.peer.on_line = kill_on_line;
		k.peer.arg = &k;
		k.process = (int)syscall(SYS_pidfd_open, k.peer.pid, 0);
		r = k.process < 0 && errno != ESRCH
			    ? fail(err, MT_EIO, "cannot watch process %ld: %s",
				   (long)k.peer.pid, strerror(errno))
		    : pause ? do_pause(&k, wait_ms, err)
			    : kill_stop(&k, wait_ms, err);
	}
	auto_close(&k.process);
	client_close(&k.peer);
	if (!r)
		printf("%s %s\n", id, pause ? "paused" : "stopped");
	return r;
}

static int kill_run(const struct command *self, int argc, char **argv)
{
	AUTO(config) struct config *config = NULL;
	struct arguments a = { .wait_s = WAIT_S };
	struct error err = ERROR_NONE;
	int index, code = EXIT_DONE;
	enum flags_status f = flags_parse(self, argc, argv, &index, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	if (common_config(&a.common, &config, &err))
		return command_report(EXIT_USAGE, &err);
	for (int i = index; i < argc || i == index; i++) {
		AUTO(free) char *id = NULL;

		err = ERROR_NONE;
		id = client_find(config, i < argc ? argv[i] : NULL, &err);
		if (!id)
			code = command_report_id(&err);
		else if (end_one(id, a.pause, a.wait_s * 1000, &err))
			code = command_report(EXIT_FAILED, &err);
	}
	return code;
}

const struct command command_kill = {
	.name = "kill",
	.args = "[ID]...",
	.summary = "Stop or pause a running conversation",
	.details = "ID may be abbreviated; it is optional if only one conversation is "
		   "running.\n\nThe conversation is asked to stop, which cancels its "
		   "current action and its\ntools. If its process does not exit, it "
		   "receives SIGTERM, then SIGKILL. The log\nis kept: `mortise resume` "
		   "continues the conversation.",
	.flags = flags,
	.run = kill_run,
};
