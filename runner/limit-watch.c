/* SPDX-License-Identifier: MIT
 *
 * limit-watch.c - enforces the limits of a conversation and of its calls. Memory and
 * processes are bounded by a control group where one can be created. Everything else, and
 * both of them elsewhere, is sampled while a call runs and while processes that it left
 * are busy; an idle runner has no wake-ups. */
#include "supervisor.h"
#include "clock.h"
#include "limits/amount.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	FIRST_MS = 5,        /* after the start of a call; the period then doubles, */
	PERIOD_MS = 100,     /* up to this */
	PERIOD_MAX_MS = 1000, /* and between calls */
	BUSY_MS = 50,        /* CPU time in that period of processes that are busy */
	QUIET_MAX = 2,       /* samples without busy processes, then none between calls */
	CLAUSE_MAX = 256,
	COST_FACTOR = 20,    /* the watch may use a twentieth of a processor */
	JOIN_MS = 3000,      /* a worker waits so long until it is in the group */
	DISK_GRACE_MS = 300, /* until a call that fills the disk is killed */
};

/* ---- text ----------------------------------------------------------------- */

/* " (most: NAME)" */
static const char *most(const struct process_top *top, char room[48])
{
	*room = '\0';
	if (*top->name)
		snprintf(room, 48, " (most: %s)", top->name);
	return room;
}

/* ---- the group ------------------------------------------------------------ */

static void group_limits(const struct limits *l, struct cgroup_limits *ret)
{
	ret->memory = l->memory ? l->memory : -1;
	ret->pids = l->processes ? l->processes : -1;
}

void limit_open(struct supervisor *s)
{
	struct limits *l = &s->spec.limits;
	char *name = s->watch.group->name;
	size_t len = strlen(s->spec.group);

	s->watch.next_at = -1;
	if (l->memory < 0)
		l->memory = amount_memory_share();
	if (!l->cgroups || (!l->memory && !l->processes))
		return;
	if (len < GROUP_NAME_MAX && cgroup_name_valid(s->spec.group))
		memcpy(name, s->spec.group, len + 1);
	else
		snprintf(name, GROUP_NAME_MAX, "runner-%d", (int)getpid());
}

struct entering {
	const struct cgroup_place *place;
	const char *name;
};

/* A descendant that was started before its parent entered. */
static bool enter_late(pid_t pid, void *arg)
{
	const struct entering *e = arg;

	return !cgroup_has(e->name, pid) && !cgroup_join(e->place, e->name, pid);
}

int limit_join_group(const struct supervisor *s, unsigned worker)
{
	const char *name = s->watch.group->name;
	pid_t self = getpid(), pid;
	struct cgroup_limits limits;
	struct cgroup_place place;
	int ends[2];

	if (!*name || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	/* A child of the supervisor, which reaps it. */
	pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
	if (pid != 0) {
		close(ends[1]);
		return ends[0];
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "mortise-limits");
	dup2(ends[1], 3);
	close_range(4, ~0u, 0);
	cgroup_find("/proc/self", &place);
	group_limits(&s->spec.limits, &limits);
	if (cgroup_available(&place) && !cgroup_enter(&place, name, &limits, self, NULL))
		process_tree_each(self, enter_late, &(struct entering){ &place, name });
	close(3);
	if (worker == 1)
		cgroup_sweep(&place, process_tree_is_orphan);
	_exit(0);
}

void limit_wait_joined(int joining)
{
	struct pollfd p = { .fd = joining, .events = POLLIN };

	if (joining < 0)
		return;
	while (poll(&p, 1, JOIN_MS) < 0 && errno == EINTR)
		;
	close(joining);
}

void limit_remove_group(const struct limit_group *group)
{
	struct cgroup_place place;

	if (!*group->name)
		return;
	cgroup_find("/proc/self", &place);
	cgroup_remove(&place, group->name);
	cgroup_place_clear(&place);
}

/* ---- ending a call -------------------------------------------------------- */

static void set_limit(struct call *c, const char *limit, char *text)
{
	free(c->limit_text);
	c->limit = limit;
	c->limit_text = text;
}

void limit_end_call(struct supervisor *s, struct call *c, const char *limit,
		    const char *fmt, ...)
{
	struct strbuf b = STRBUF(1024);
	va_list ap;

	if (c->limit || c->done)
		return;
	strbuf_add(&b, "The call was ended: ");
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	strbuf_add(&b, ". Only the user can raise the limit.");
	set_limit(c, limit, strbuf_take(&b));
	call_cancel(s, c);
}

static bool is_watched(const struct call *c)
{
	return !c->done && !c->listing && !c->preview;
}

static void end_all_calls(struct supervisor *s, const struct process_usage *u)
{
	char name[48];

	/* Without new processes, those that exist can be killed. */
	if (s->watch.place.of[CGROUP_PIDS].dir) {
		cgroup_stop_forks(&s->watch.place, s->watch.group->name, true);
		s->watch.forks_stopped = true;
	}
	for (struct call *c = s->calls; c; c = c->next) {
		if (!is_watched(c))
			continue;
		limit_end_call(s, c, "processes",
			       "the tools reached the limit `processes` of %" PRId64
			       " processes and threads%s",
			       s->spec.limits.processes, most(&u->top_tasks, name));
		c->kill_at = clock_ms();
	}
}

void limit_allow_forks(struct supervisor *s)
{
	if (!s->watch.forks_stopped)
		return;
	for (const struct worker_proc *w = s->children; w; w = w->next)
		if (w->pid && w->killed_for)
			return;
	for (const struct call *c = s->calls; c; c = c->next)
		if (!c->done && c->limit)
			return;
	cgroup_stop_forks(&s->watch.place, s->watch.group->name, false);
	s->watch.forks_stopped = false;
}

/* ---- the watch ------------------------------------------------------------ */

static int64_t disk_limit(const struct supervisor *s)
{
	return s->spec.limits.disk_written >= 0 ? s->spec.limits.disk_written
						: amount_disk_share(s->spec.workspace);
}

/* Adds what was used since the previous sample, also if that was before the call: its
 * first sample can be late. A sample of the control group and one of the processes cannot
 * be compared. */
static void base_add(const struct supervisor *s, struct limit_base *base,
		     const struct process_usage *u, bool grouped)
{
	const struct limit_sample *before = &s->watch.before;

	if (!base->known)
		*base = (struct limit_base){ .known = true,
					     .written_max = disk_limit(s) };
	if (before->grouped == grouped && u->cpu_ms > before->cpu_ms)
		base->cpu_ms += u->cpu_ms - before->cpu_ms;
	if (u->written > before->written)
		base->written += u->written - before->written;
}

/* @return the name of the limit that was exceeded, with a clause about it; NULL: none. */
static const char *find_excess(const struct supervisor *s, const struct limit_base *base,
			       const struct process_usage *u, char *text, size_t room)
{
	const struct limits *l = &s->spec.limits;
	char used[AMOUNT_TEXT], allowed[AMOUNT_TEXT], name[48];

	if (l->cpu_ms && base->cpu_ms > l->cpu_ms) {
		snprintf(text, room,
			 "used %s of CPU time, and the limit `cpu_time` is %s%s",
			 amount_time(base->cpu_ms, used), amount_time(l->cpu_ms, allowed),
			 most(&u->top_cpu, name));
		return "cpu_time";
	}
	if (base->written_max && base->written > base->written_max) {
		snprintf(text, room,
			 "wrote %s to disk, and the limit `disk_written` is %s%s",
			 amount_size(base->written, used),
			 amount_size(base->written_max, allowed),
			 most(&u->top_written, name));
		return "disk_written";
	}
	return NULL;
}

static void check_call(struct supervisor *s, struct call *c,
		       const struct process_usage *u, bool grouped)
{
	char text[CLAUSE_MAX];
	const char *limit;

	base_add(s, &c->base, u, grouped);
	limit = find_excess(s, &c->base, u, text, sizeof text);
	if (!limit)
		return;
	limit_end_call(s, c, limit, "its processes %s", text);
	if (strcmp(limit, "disk_written") == 0 && c->kill_at > clock_ms() + DISK_GRACE_MS)
		c->kill_at = clock_ms() + DISK_GRACE_MS;
}

/* ---- between calls -------------------------------------------------------- */

static void kill_background(struct supervisor *s, const char *limit, const char *clause)
{
	struct strbuf b = STRBUF(1024);
	struct limit_watch *w = &s->watch;

	for (const struct worker_proc *p = s->children; p; p = p->next) {
		if (!p->pid)
			continue;
		process_tree_kill_below(p->pid);
		process_tree_kill_marked(p->number);
	}
	strbuf_addf(
		&b,
		"The background processes of the tools were killed: they %s. Only the "
		"user can raise the limit.",
		clause);
	free(w->pending_text);
	w->pending_text = strbuf_take(&b);
	w->pending = limit;
	w->idle.known = false;
	if (w->pending_text)
		host_log(s, MT_LOG_WARNING, "runner", w->pending_text,
			 strlen(w->pending_text));
}

static void check_background(struct supervisor *s, const struct process_usage *u,
			     bool grouped, bool too_many)
{
	struct limit_base *idle = &s->watch.idle;
	int64_t cpu_ms = idle->cpu_ms, written = idle->written;
	char text[CLAUSE_MAX], name[48];
	const char *limit;

	base_add(s, idle, u, grouped);
	if (idle->cpu_ms - cpu_ms < BUSY_MS && idle->written == written)
		s->watch.quiet++;
	else
		s->watch.quiet = 0;
	limit = find_excess(s, idle, u, text, sizeof text);
	if (too_many) {
		limit = "processes";
		snprintf(text, sizeof text,
			 "reached the limit `processes` of %" PRId64
			 " processes and threads%s",
			 s->spec.limits.processes, most(&u->top_tasks, name));
	}
	if (limit)
		kill_background(s, limit, text);
}

/* ---- the overlay of the workspace ------------------------------------------ */

static void check_overlay(struct supervisor *s, const struct process_usage *u, bool calls)
{
	const char *dir = s->spec.sandbox.overlay;
	char text[CLAUSE_MAX];

	if (!dir || !s->spec.limits.overlay ||
	    !overlay_watch_exceeded(&s->watch.overlay, dir, s->spec.limits.overlay,
				    u->written, calls, text, sizeof text))
		return;
	if (!calls)
		kill_background(s, "overlay_disk", text);
	for (struct call *c = s->calls; c; c = c->next) {
		if (!is_watched(c))
			continue;
		limit_end_call(s, c, "overlay_disk", "its processes %s", text);
		if (c->kill_at > clock_ms() + DISK_GRACE_MS)
			c->kill_at = clock_ms() + DISK_GRACE_MS;
	}
}

/* ---- samples -------------------------------------------------------------- */

/* True if the worker of a call is in the group: its limits hold. */
static bool is_grouped(const struct supervisor *s)
{
	bool any = false;

	if (!cgroup_available(&s->watch.place))
		return false;
	for (const struct worker_proc *w = s->children; w; w = w->next) {
		if (!w->pid)
			continue;
		any = true;
		if (!cgroup_has(s->watch.group->name, w->pid))
			return false;
	}
	return any;
}

/* Without a group: what the kernel would do. */
static void check_memory(struct supervisor *s, const struct process_usage *u)
{
	if (!s->spec.limits.memory || u->memory <= s->spec.limits.memory ||
	    u->top_memory.pid <= 1)
		return;
	kill(u->top_memory.pid, SIGKILL);
	s->watch.killed++;
}

static void watch_once(struct supervisor *s, bool calls)
{
	struct limit_watch *w = &s->watch;
	struct cgroup_usage group = { -1, -1, -1, -1, -1, -1 };
	const int64_t processes = s->spec.limits.processes;
	struct process_usage u;
	bool grouped, too_many;

	if (!w->found && *w->group->name)
		cgroup_find("/proc/self", &w->place);
	w->found = true;
	grouped = is_grouped(s);
	process_tree_usage(&u);
	if (grouped)
		cgroup_read(&w->place, w->group->name, &group);
	if (group.cpu_ms >= 0)
		u.cpu_ms = group.cpu_ms;
	if (u.top_memory.amount > s->spec.limits.memory / 4) {
		snprintf(w->largest, sizeof w->largest, "%s", u.top_memory.name);
		w->largest_memory = u.top_memory.amount;
	}
	if (group.memory < 0)
		check_memory(s, &u);
	/* Processes that were started before the worker entered the group can exceed it
	 * without any being refused. */
	too_many = processes &&
		   (group.pids >= 0 ? group.pids_refused > w->seen.pids_refused ||
					      group.pids > processes
				    : u.tasks > processes);
	grouped = group.cpu_ms >= 0;
	if (!calls)
		check_background(s, &u, grouped, too_many && group.pids < 0);
	else if (too_many)
		end_all_calls(s, &u);
	for (struct call *c = s->calls; c; c = c->next)
		if (is_watched(c))
			check_call(s, c, &u, grouped);
	check_overlay(s, &u, calls);
	w->before = (struct limit_sample){ grouped, u.cpu_ms, u.written };
}

static bool has_limits(const struct limits *l)
{
	return l->memory || l->processes || l->cpu_ms || l->disk_written || l->overlay;
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Samples, and sets the time of the next sample. */
static void watch_now(struct supervisor *s, bool calls, bool fresh)
{
	struct limit_watch *w = &s->watch;
	int64_t began = now_us(), cost_ms;

	watch_once(s, calls);
	cost_ms = (now_us() - began) * COST_FACTOR / 1000;
	if (cost_ms > PERIOD_MAX_MS)
		cost_ms = PERIOD_MAX_MS;
	w->period_ms = fresh ? FIRST_MS : w->period_ms * 2;
	if (w->period_ms > PERIOD_MS)
		w->period_ms = PERIOD_MS;
	if (!calls)
		w->period_ms = PERIOD_MAX_MS;
	w->rest_until = clock_ms() + cost_ms;
	w->next_at = clock_ms() + w->period_ms;
	if (!calls && w->quiet >= QUIET_MAX)
		w->next_at = -1;
}

int64_t limit_check(struct supervisor *s)
{
	struct limit_watch *w = &s->watch;
	int64_t now = clock_ms();
	bool calls = false, fresh = false;

	if (!s->greeted || !has_limits(&s->spec.limits))
		return -1;
	for (const struct call *c = s->calls; c; c = c->next) {
		calls |= is_watched(c);
		fresh |= is_watched(c) && !c->base.known;
	}
	if (calls) {
		w->idle.known = false;
		w->quiet = 0;
		if (w->next_at < 0 || (fresh && w->next_at > now + FIRST_MS))
			w->next_at = now + FIRST_MS;
	}
	if (w->next_at < 0)
		return -1;
	if (w->next_at < w->rest_until)
		w->next_at = w->rest_until;
	if (now >= w->next_at)
		watch_now(s, calls, fresh);
	now = clock_ms();
	return w->next_at < 0 ? -1 : w->next_at > now ? w->next_at - now : 0;
}

/* ---- results -------------------------------------------------------------- */

static char *memory_sentence(struct supervisor *s, const struct cgroup_usage *u,
			     int64_t killed)
{
	int64_t limit = s->spec.limits.memory;
	struct strbuf b = STRBUF(1024);
	char allowed[AMOUNT_TEXT], used[AMOUNT_TEXT];

	strbuf_addf(&b, "%" PRId64 " %s killed for lack of memory", killed,
		    killed == 1 ? "process was" : "processes were");
	if (*s->watch.largest)
		strbuf_addf(&b, " (most: %s with %s)", s->watch.largest,
			    amount_size(s->watch.largest_memory, used));
	if (u->memory_peak >= 0 && u->memory_peak < limit - limit / 8)
		strbuf_add(&b, ": the machine has no memory left.");
	else
		strbuf_addf(&b,
			    ": the tools of this conversation may use %s together, the "
			    "limit `memory`. Only the user can raise the limit.",
			    amount_size(limit, allowed));
	return strbuf_take(&b);
}

static int64_t increase(int64_t now, int64_t *before)
{
	int64_t n = now > *before ? now - *before : 0;

	if (now >= 0)
		*before = now;
	return n;
}

/* Reads what happened in the group since the last result. */
static void find_limit(struct supervisor *s, struct call *c)
{
	struct limit_watch *w = &s->watch;
	struct cgroup_usage u = { -1, -1, -1, -1, -1, -1 };
	int64_t killed = w->killed, refused;

	/* A call without a sample was too short to reach a limit of the group. */
	if (w->found && *w->group->name && (c->base.known || c->crashed))
		cgroup_read(&w->place, w->group->name, &u);
	w->killed = 0;
	killed += increase(u.oom_kills, &w->seen.oom_kills);
	refused = increase(u.pids_refused, &w->seen.pids_refused);
	if (c->limit)
		return;
	if (w->pending_text) {
		set_limit(c, w->pending, w->pending_text);
		w->pending_text = NULL;
	} else if (killed) {
		set_limit(c, "memory", memory_sentence(s, &u, killed));
	} else if (refused) {
		struct strbuf b = STRBUF(512);

		strbuf_addf(
			&b,
			"New processes or threads were refused: the tools of this "
			"conversation may have %" PRId64
			" together, the limit `processes`. Only the user can raise the "
			"limit.",
			s->spec.limits.processes);
		set_limit(c, "processes", strbuf_take(&b));
	}
}

void limit_report(struct supervisor *s, struct call *c)
{
	struct strbuf b = STRBUF(8192);

	if (c->listing || c->preview)
		return;
	find_limit(s, c);
	if (!c->limit_text || !c->status || !c->error || strstr(c->error, c->limit_text))
		return;
	strbuf_addf(&b, "%s. %s", c->error, c->limit_text);
	free(c->error);
	c->error = strbuf_take(&b);
}

void limit_release(struct supervisor *s)
{
	limit_remove_group(s->watch.group);
	free(s->watch.pending_text);
	if (s->watch.found)
		cgroup_place_clear(&s->watch.place);
}
