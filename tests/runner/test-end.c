/* SPDX-License-Identifier: MIT
 *
 * test-end.c - however the host or the runner ends, nothing is left running;
 * and programs that are not runners. */
#include "js.h"
#include "kit.h"
#include <sys/prctl.h>
#include <sys/resource.h>

/* ---- ends ------------------------------------------------------------- */

/* A host with tools that left children of every sort; it never returns. */
static _Noreturn void be_host(const char *file)
{
	struct kit k;
	char args[2048];

	if (!kit_open(&k))
		_exit(1);
	snprintf(args, sizeof args,
		 "{\"what\":\"start\",\"command\":\"trap '' HUP TERM INT; "
		 "(setsid sh -c 'trap \\\"\\\" HUP TERM; sleep 1000; sleep 1000' &) ; "
		 "nohup sleep 1000 > /dev/null 2>&1 & sleep 1000\"}");
	kit_call(&k, "bad", "do", args);
	kit_call(&k, "bad", "do", "{\"what\":\"daemon\"}");
	kit_start(&k, 200, "many", "listen", "{}", -1);
	kit_start(&k, 201, "bad", "do", "{\"what\":\"hang\"}", -1);
	KIT_UNTIL(&k, strstr(k.output.text, "ready"));
	snprintf(args, sizeof args, "echo %d > %s.new; mv %s.new %s", runner_pid(k.link),
		 file, file, file);
	if (system(args))
		_exit(1);
	for (;;)
		pause();
}

static pid_t start_host(const char *file, pid_t *ret_runner)
{
	pid_t host;
	FILE *f;
	int runner = -1;

	unlink(file);
	host = fork();
	if (host == 0)
		be_host(file);
	if (!kit_wait_file(file))
		return host;
	f = fopen(file, "r");
	if (f && fscanf(f, "%d", &runner) != 1)
		runner = -1;
	if (f)
		fclose(f);
	*ret_runner = runner;
	return host;
}

static pid_t child_of(pid_t parent)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	pid_t found = -1;

	while (found < 0 && proc && (d = readdir(proc))) {
		char path[300], text[512];
		FILE *f;
		int p;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof path, "/proc/%s/stat", d->d_name);
		f = fopen(path, "r");
		if (f && fgets(text, sizeof text, f) && strrchr(text, ')') &&
		    sscanf(strrchr(text, ')') + 1, " %*c %d", &p) == 1 && p == parent)
			found = (pid_t)strtol(d->d_name, NULL, 10);
		if (f)
			fclose(f);
	}
	if (proc)
		closedir(proc);
	return found;
}

static void check_killed(const char *who)
{
	pid_t runner = -1, host = start_host(kit_dir("runner-pid"), &runner);
	pid_t supervisor = child_of(runner);

	/* only root sees the environment of a process that protects its memory */
	CHECK_MSG(kit_left() > (geteuid() == 0 ? 5 : 2), "%s killed: %d processes before",
		  who, kit_left());
	if (strcmp(who, "host") == 0)
		kill(host, SIGKILL);
	else if (strcmp(who, "guardian") == 0)
		kill(runner, SIGKILL);
	else if (strcmp(who, "supervisor") == 0)
		kill(supervisor, SIGKILL);
	else
		kill(runner, SIGTERM);
	CHECK_MSG(kit_all_gone(), "%s killed: nothing is left", who);
	kill(host, SIGKILL);
	waitpid(host, NULL, 0);
}

/* ---- runners that are none -------------------------------------------- */

static void check_runner(const char *script, int status, const char *sentence)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)(uintptr_t)script,
			 NULL };
	const struct outcome *o;
	struct runner_spec spec;
	struct kit k;

	kit_spec(&spec);
	spec.argv = argv;
	if (status == MT_ETIMEOUT) /* the others must be seen before the time is over */
		spec.hello_ms = 200;
	CHECK(kit_open_spec(&k, &spec));
	o = kit_start(&k, 1, "bad", "do", "{}", 0);
	kit_start(&k, 2, "bad", "do", "{}", 0);
	KIT_UNTIL(&k, k.closed);
	CHECK_MSG(o->times == 1 && k.calls[2].times == 1, "one result for each: %s",
		  script);
	CHECK_MSG(o->status == status && strstr(o->error, sentence), "says: %d %s",
		  o->status, o->error);
	CHECK_MSG(strstr(k.why.text, sentence), "closed: %s", k.why.text);
	kit_done(&k);
}

#define GREETED                                                                          \
	"echo '{\"id\":\"hello\",\"result\":{\"protocol\":\"mortise-runner/1\"}}'; "

static void check_runners(void)
{
	check_runner("exit 3", MT_EIO, "the runner exited unexpectedly with exit code 3");
	check_runner("kill -9 $$", MT_EIO, "the runner was killed by signal 9 (Killed)");
	check_runner("exec sleep 1000", MT_ETIMEOUT, "the runner does not respond");
	check_runner("echo Welcome to this machine; cat > /dev/null; :", MT_ETIMEOUT,
		     "the runner does not respond");
	check_runner("yes 2> /dev/null", MT_EIO,
		     "the runner sent output that is not part of the protocol");
	check_runner(GREETED "echo noise; cat > /dev/null; :", MT_EIO,
		     "the runner sent output that is not part of the protocol");
	check_runner(GREETED "echo '{\"id\":77,\"result\":{}}'; cat > /dev/null; :",
		     MT_EIO, "the runner sent output that is not part of the protocol");
	check_runner("head -c 30000000 /dev/zero 2> /dev/null", MT_EIO,
		     "a line that is too long");
	check_runner(
		"echo "
		"'{\"id\":\"hello\",\"result\":{\"protocol\":\"mortise-runner/9\"}}'; "
		"cat > /dev/null; :",
		MT_EUNSUPPORTED,
		"unsupported runner protocol mortise-runner/9; this host supports mortise-runner/1");
	check_runner("echo '{\"id\":\"hello\",\"error\":{\"code\":-1,\"message\":\"not "
		     "you\"}}'; "
		     "cat > /dev/null; :",
		     MT_EINVAL, "the runner reported an error: not you");
	check_runner(GREETED "read a; read b; read c; exit 0", MT_EIO,
		     "the runner exited unexpectedly with exit code 0");
	check_runner("exec < /dev/null; " GREETED "exec sleep 1000", MT_EIO,
		     "the runner closed its input");
	/* Its end is reported although another process holds its output open. */
	check_runner("sleep 3 & exit 5", MT_EIO, "exit code 5");
}

static void check_absent(void)
{
	char *argv[] = { (char *)"/nowhere/mortise-runner", NULL };
	struct error err = ERROR_NONE;
	struct runner_spec spec;
	struct kit k;

	kit_init(&k);
	kit_spec(&spec);
	spec.argv = argv;
	CHECK(runner_open(&k.loop, &spec, &kit_events, &k, &k.link, &err) ==
	      MT_ENOTFOUND);
	CHECK_STR(err.text,
		  "cannot start the runner /nowhere/mortise-runner: no such file "
		  "or directory");
	CHECK(k.link == NULL);
	kit_done(&k);
	CHECK(!k.closed);
}

/* A runner that does not read: memory is bounded, the caller gets an error. */
static void check_deaf(void)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c",
			 (char *)GREETED "exec sleep 1000", NULL };
	size_t len = 4 << 20, refused = 0;
	char *args = malloc(len + 16);
	struct runner_spec spec;
	struct error err = ERROR_NONE;
	struct kit k;

	kit_spec(&spec);
	spec.argv = argv;
	CHECK(kit_open_spec(&k, &spec));
	KIT_UNTIL(&k, k.ready);
	memcpy(args, "{\"a\":\"", 6);
	memset(args + 6, 'x', len - 8);
	memcpy(args + len - 2, "\"}", 3);
	for (uint64_t n = 0; n < 20 && !refused; n++)
		refused =
			runner_call(k.link, n, "bad", "do", args, len, 0, &err) != MT_OK;
	CHECK(refused);
	CHECK_STR(err.text,
		  "the runner does not read its input: too much data is queued");
	runner_close(k.link);
	KIT_UNTIL(&k, k.closed);
	CHECK(k.calls[0].times == 1 && k.calls[0].status == MT_ECANCELLED);
	kit_done(&k);
	free(args);
}

/* Told to close while calls run: each has its one result, then closed. */
static void check_close(void)
{
	struct kit k;

	CHECK(kit_open(&k));
	kit_start(&k, 1, "bad", "do", "{\"what\":\"hang\"}", -1);
	kit_start(&k, 2, "many", "listen", "{}", -1);
	KIT_UNTIL(&k, strstr(k.output.text, "ready"));
	runner_close(k.link);
	CHECK(k.calls[1].times == 0);
	KIT_UNTIL(&k, k.closed);
	CHECK(k.calls[1].times == 1 && k.calls[1].status == MT_ECANCELLED);
	CHECK(k.calls[2].times == 1 && !k.calls[2].crashed);
	kit_done(&k);
	CHECK(kit_all_gone());
}

/* A call that is cancelled before the runner has responded ends immediately. Such a runner
 * is terminated, because it may not read its input. */
static void check_cancel_before_hello(void)
{
	static char script[8192];
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", script, NULL };
	const char *ready = kit_dir("ready"), *ended = kit_dir("ended");
	struct runner_spec spec;
	struct kit k;

	snprintf(script, sizeof script,
		 "trap '>%s; exit' TERM; >%s; while :; do sleep 0.1; done", ended, ready);
	kit_spec(&spec);
	spec.argv = argv;
	CHECK(kit_open_spec(&k, &spec));
	kit_start(&k, 1, "bad", "do", "{}", 0);
	kit_start(&k, 12, "bad", "do", "{}", 0);
	CHECK(kit_wait_file(ready));
	runner_cancel(k.link, 1);
	runner_cancel(k.link, 1);
	CHECK(k.calls[1].times == 0);
	uv_run(&k.loop, UV_RUN_NOWAIT);
	CHECK(k.calls[1].times == 1 && k.calls[1].status == MT_ECANCELLED &&
	      !k.calls[1].crashed);
	CHECK(k.calls[12].times == 0 && !k.closed);
	runner_close(k.link);
	KIT_UNTIL(&k, k.closed);
	CHECK(k.calls[12].times == 1 && k.calls[12].status == MT_ECANCELLED);
	CHECK_MSG(access(ended, F_OK) == 0, "the runner received SIGTERM");
	unlink(ready);
	unlink(ended);
	kit_done(&k);
}

/* The runner receives the other calls when it responds. */
static void check_cancel_one_before_hello(void)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c",
			 (char *)"sleep 0.2; exec \"$0\"", kit_runner(), NULL };
	struct runner_spec spec;
	struct kit k;

	kit_spec(&spec);
	spec.argv = argv;
	CHECK(kit_open_spec(&k, &spec));
	for (uint64_t n = 0; n < 4; n++)
		kit_start(&k, n, "bad", "do", "{\"what\":\"echo\",\"text\":\"a\"}", 0);
	runner_cancel(k.link, 0);
	runner_cancel(k.link, 2);
	KIT_UNTIL(&k, k.calls[1].done && k.calls[3].done);
	CHECK(k.calls[0].times == 1 && k.calls[0].status == MT_ECANCELLED);
	CHECK(k.calls[2].times == 1 && k.calls[2].status == MT_ECANCELLED);
	CHECK(k.calls[1].status == MT_OK && k.calls[3].status == MT_OK);
	kit_done(&k);
}

/* Idle processes do not wake up. */
static long switches(pid_t pid)
{
	char path[64], line[256];
	long total = 0, n;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
			total += n;
	if (f)
		fclose(f);
	return total;
}

static void check_idle(void)
{
	struct kit k;
	pid_t all[3];
	long before[3];
	int same = 0;

	CHECK(kit_open(&k));
	kit_call(&k, "bad", "do", "{\"what\":\"live\"}");
	all[0] = runner_pid(k.link);
	all[1] = child_of(all[0]);
	all[2] = (pid_t)strtol(kit_call(&k, "bad", "do", "{\"what\":\"pid\"}")->text,
			       NULL, 10);
	for (int n = 0; n < 3; n++)
		before[n] = switches(all[n]);
	/* They may still be on their way to sleep at first. */
	for (int round = 0; round < 100 && same < 5; round++) {
		bool moved = false;

		usleep(100000);
		for (int n = 0; n < 3; n++) {
			long now = switches(all[n]);

			moved |= now != before[n];
			before[n] = now;
		}
		same = moved ? 0 : same + 1;
	}
	CHECK_MSG(same == 5, "guardian, supervisor and worker sleep");
	kit_done(&k);
}

int main(void)
{
	/* Orphans of runners come here, so that they can be distinguished. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	kit_env();
	signal(SIGCHLD, SIG_DFL);
	check_runners();
	check_absent();
	check_deaf();
	check_close();
	check_cancel_before_hello();
	check_cancel_one_before_hello();
	check_idle();
	check_killed("host");
	check_killed("guardian");
	check_killed("supervisor");
	check_killed("runner politely");
	return tap_done();
}
