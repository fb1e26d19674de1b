/* SPDX-License-Identifier: MIT
 *
 * doctor-limits.c - checks of `mortise doctor`: the control groups, and the limits of
 * tools with what enforces each. */
#include "doctor.h"
#include "config/choices.h"
#include "limits/amount.h"
#include "limits/cgroup.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char controllers[CGROUP_CONTROLLERS][8] = { "memory", "pids", "cpu" };

/* Creates a group and lets a process join it. */
static int try_group(const struct cgroup_place *p, struct error *err)
{
	const struct cgroup_limits none = { -1, -1 };
	char name[32];
	int status;
	pid_t pid;

	snprintf(name, sizeof name, "doctor-%d", (int)getpid());
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	if (pid < 0)
		return fail(err, MT_EIO, "cannot start a process: %s", strerror(errno));
	status = cgroup_enter(p, name, &none, pid, err);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cgroup_remove(p, name);
	return status;
}

static void put_place(struct doctor *d, const struct cgroup_place *p)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4096);

	for (int i = 0; i < CGROUP_CONTROLLERS; i++)
		if (p->of[i].dir)
			strbuf_addf(&text, "%s%s (version %d)", text.len ? ", " : "",
				    controllers[i], p->of[i].version);
	doctor_add(d, DOCTOR_OK, "control groups", "%s", text.text);
}

/* *ret: usable ones. */
static void check_groups(struct doctor *d, bool wanted, struct cgroup_place *ret)
{
	struct error err = ERROR_NONE;

	cgroup_find("/proc/self", ret);
	if (!wanted)
		doctor_add(d, DOCTOR_WARNING, "control groups",
			   "disabled by [limits] cgroups; remove that setting");
	else if (!cgroup_available(ret))
		doctor_add(
			d, DOCTOR_WARNING, "control groups",
			"none that this process may use; run Mortise with "
			"`systemd-run --user --scope`, or in a service with Delegate=yes");
	else if (try_group(ret, &err))
		doctor_add(d, DOCTOR_WARNING, "control groups",
			   "%s; memory and processes are sampled instead", err.text);
	else {
		put_place(d, ret);
		return;
	}
	cgroup_place_clear(ret);
}

static void doctor_add_limit(struct doctor *d, const char *key, const char *value,
			     const char *how)
{
	char name[48];

	snprintf(name, sizeof name, "limit %s", key);
	if (value)
		doctor_add(d, DOCTOR_OK, name, "%s %s", value, how);
	else
		doctor_add(d, DOCTOR_WARNING, name,
			   "no limit; set [limits] %s to a value above 0", key);
}

/* How a limit on the conversation is enforced. */
static const char *how_grouped(const struct cgroup_place *p, enum cgroup_controller which)
{
	static const char *const texts[] = {
		"per conversation without its subagents, sampled",
		"per conversation with its subagents, by a control group of version 1",
		"per conversation with its subagents, by a control group of version 2",
	};

	return texts[p->of[which].dir ? p->of[which].version : 0];
}

static int64_t value_or(const struct config *c, const char *key, int64_t share)
{
	return config_get(c, "limits", key) ? config_int(c, "limits", key) : share;
}

static const char *size_text(int64_t bytes, char *room)
{
	return bytes ? amount_size(bytes, room) : NULL;
}

static const char *time_text(const struct config *c, const char *key, char *room)
{
	int64_t ms = config_int(c, "limits", key);

	return ms ? amount_time(ms, room) : NULL;
}

static const char *count_text(const struct config *c, const char *key, char *room)
{
	int64_t n = config_int(c, "limits", key);

	snprintf(room, AMOUNT_TEXT, "%" PRId64, n);
	return n ? room : NULL;
}

void doctor_limits(struct doctor *d)
{
	const struct config *c = d->config;
	struct cgroup_place place;
	char text[AMOUNT_TEXT];

	check_groups(d, !c || config_choice(c, "limits", "cgroups") != CGROUPS_NO,
		     &place);
	if (c) {
		doctor_add_limit(d, "memory",
				 size_text(value_or(c, "memory", amount_memory_share()),
					   text),
				 how_grouped(&place, CGROUP_MEMORY));
		doctor_add_limit(d, "processes", count_text(c, "processes", text),
				 how_grouped(&place, CGROUP_PIDS));
		doctor_add_limit(d, "open_files", count_text(c, "open_files", text),
				 "per process, by RLIMIT_NOFILE");
		doctor_add_limit(
			d, "cpu_time", time_text(c, "cpu_time", text),
			place.of[CGROUP_CPU].dir
				? "per call with subagents, sampled from the control group"
				: "per call, sampled from the processes");
		doctor_add_limit(d, "wall_time", time_text(c, "wall_time", text),
				 "per call, by a timer");
		doctor_add_limit(d, "output",
				 size_text(config_int(c, "limits", "output"), text),
				 "per call, counted");
		doctor_add_limit(d, "disk_written",
				 size_text(value_or(c, "disk_written",
						    amount_disk_share(".")),
					   text),
				 "per call, sampled from /proc/PID/io");
	}
	cgroup_place_clear(&place);
}
