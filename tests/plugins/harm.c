/* SPDX-License-Identifier: MIT
 *
 * harm.c - an agent, a condenser and an analyzer for tests that misbehave as their
 * option `deed` says. Never installed. */
#define MORTISE_PROVISIONAL
#include "controller/plugins/plugin-journal.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mortise/agent.h>
#include <mortise/analyzer.h>
#include <mortise/condenser.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The result of an operation that should fail. */
static char outcome[128] = "nothing was tried";

/* The status that the functions of the plugin return. */
static int status;

static void tell(const char *what, int failed)
{
	snprintf(outcome, sizeof outcome, "%s: %s", what,
		 failed ? strerror(errno) : "it worked");
}

static void harm_exit(void)
{
	exit(0);
}

static void harm_odd_status(void)
{
	status = 4711;
}

static void harm_crash(void)
{
	raise(SIGSEGV);
}

static void harm_abort(void)
{
	abort();
}

static void harm_spin(void)
{
	prctl(PR_SET_NAME, "spinning");
	for (volatile unsigned n = 1; n; n |= 1)
		;
}

static void harm_sleep(void)
{
	prctl(PR_SET_NAME, "asleep");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	for (;;)
		sleep(1);
}

static void harm_print(void)
{
	puts("{\"words\":\"on standard output\"}");
	fputs("words on standard error\n", stderr);
	fflush(stdout);
	tell("print", 0);
}

/* More than is logged, and more than a pipe holds. */
static void harm_flood(void)
{
	for (unsigned i = 0; i < 1u << 16; i++)
		puts("a line of many");
	tell("flood", fflush(stdout) != 0);
}

static void harm_open(void)
{
	tell("open", open("/etc/passwd", O_RDONLY) < 0);
}

/* That a copy may read while it loads the plugin. */
static void harm_library(void)
{
	tell("library", open("/etc/ld.so.cache", O_RDONLY) < 0);
}

/* A file next to the plugin, opened while it is loaded. */
static int neighbor_errno = -1;

__attribute__((constructor)) static void open_neighbor(void)
{
	Dl_info own;
	char path[4096];
	int fd;

	if (!dladdr((void *)(uintptr_t)&open_neighbor, &own) ||
	    !strrchr(own.dli_fname, '/'))
		return;
	snprintf(path, sizeof path, "%.*s/%s",
		 (int)(strrchr(own.dli_fname, '/') - own.dli_fname), own.dli_fname,
		 getenv("HARM_NEIGHBOR") ?: "secret.ini");
	fd = open(path, O_RDONLY);
	neighbor_errno = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
}

static void harm_neighbor(void)
{
	errno = neighbor_errno;
	tell("neighbor", neighbor_errno);
}

static void harm_connect(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	tell("connect", fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0);
}

static void harm_kill(void)
{
	tell("kill", kill(getppid(), SIGKILL) < 0);
}

static void harm_trace(void)
{
	tell("ptrace", ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) < 0);
}

static void harm_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	tell("fork", pid < 0);
}

static void harm_exec(void)
{
	execl("/bin/true", "true", (char *)NULL);
	tell("exec", 1);
}

static void harm_unlink(void)
{
	tell("unlink", unlink(getenv("HARM_FILE")) < 0);
}

static void harm_memory(void)
{
	size_t n = 0;
	char *p;

	while (n < 128 && (p = malloc(1 << 24))) {
		memset(p, 1, 4096);
		n++;
	}
	tell("malloc", n < 128);
}

static void harm_descriptors(void)
{
	int ends[2], failed = 0;

	for (int n = 0; !failed && n < 1000; n++)
		failed = pipe(ends);
	tell("pipe", failed);
}

/* A signal of the kernel to the parent, when a pipe becomes ready. */
static void harm_owner(void)
{
	int ends[2] = { -1, -1 };

	tell("F_SETOWN", pipe(ends) || fcntl(ends[0], F_SETOWN, getppid()));
}

static void harm_queue(void)
{
	tell("sigqueue", sigqueue(getppid(), SIGTERM, (union sigval){ 0 }));
}

static void harm_stop(void)
{
	raise(SIGSTOP);
}

static void harm_terminate(void)
{
	raise(SIGTERM);
}

static void *harm_nothing(void *arg)
{
	return arg;
}

static void harm_thread(void)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, harm_nothing, NULL);
	tell("thread", errno != 0);
}

static void harm_peek(void)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { &byte, 1 };

	tell("peek", process_vm_readv(getppid(), &here, 1, &there, 1, 0) < 0);
}

static void harm_environ(void)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
	tell("environ", open(path, O_RDONLY) < 0);
}

static void harm_setuid(void)
{
	tell("setuid", setuid(geteuid()));
}

static void harm_truncate(void)
{
	int failed = 0;

	for (int fd = 3; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0 && ftruncate(fd, 0))
			failed = errno;
	errno = failed;
	tell("truncate", failed);
}

static void harm_fill(void)
{
	int fd = memfd_create("harm", MFD_CLOEXEC);

	tell("write", fd < 0 || write(fd, "x", 1) != 1);
}

static void harm_affinity(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	tell("affinity", sched_setaffinity(getppid(), sizeof set, &set));
}

static void harm_unshare(void)
{
	tell("unshare", unshare(CLONE_NEWUSER));
}

/* The beginning of an entry, and then nothing. */
static void harm_half(void)
{
	for (int fd = 3; fd < 64; fd++)
		if (write(fd, "\1\0\0\0", 4) < 0)
			continue;
	harm_sleep();
}

static void harm_leave(void)
{
	int failed = chdir("/") || clearenv();

	umask(0);
	signal(SIGTERM, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	tell("leave", failed);
}

/* Each descriptor, of whatever it may be. */
static void harm_scribble(void)
{
	for (int fd = 0; fd < 64; fd++)
		if (write(fd, "garbage that is not an entry of any journal", 43) < 0)
			continue;
	for (;;)
		sleep(1);
}

/* A well-formed entry of the journal, without texts, for whatever descriptor is that of
 * the journal. */
static void forge(uint32_t type)
{
	struct {
		uint32_t type, sizes[JOURNAL_TEXTS];
		int64_t a, b;
	} entry = { .type = type };

	memset(entry.sizes, 0xff, sizeof entry.sizes);
	for (int fd = 3; fd < 64; fd++)
		if (write(fd, &entry, sizeof entry) < 0)
			continue;
}

/* Of another kind of plugin. */
static void harm_forge(void)
{
	forge(JOURNAL_RULE);
	for (;;)
		sleep(1);
}

/* Of an agent, but it needs a request. */
static void harm_early(void)
{
	forge(JOURNAL_HISTORY);
}

static void harm_close(void)
{
	for (int fd = 0; fd < 64; fd++)
		close(fd);
	for (;;)
		sleep(1);
}

static const struct {
	const char *name;
	void (*run)(void);
} deeds[] = {
	{ "exit", harm_exit }, { "odd_status", harm_odd_status }, { "crash", harm_crash }, { "abort", harm_abort },
	{ "spin", harm_spin }, { "sleep", harm_sleep }, { "print", harm_print },
	{ "flood", harm_flood },
	{ "open", harm_open }, { "library", harm_library }, { "neighbor", harm_neighbor }, { "connect", harm_connect }, { "kill", harm_kill },
	{ "trace", harm_trace }, { "fork", harm_fork }, { "exec", harm_exec },
	{ "unlink", harm_unlink }, { "memory", harm_memory },
	{ "descriptors", harm_descriptors },
	{ "owner", harm_owner }, { "queue", harm_queue }, { "stop", harm_stop },
	{ "terminate", harm_terminate }, { "thread", harm_thread }, { "peek", harm_peek },
	{ "environ", harm_environ }, { "setuid", harm_setuid },
	{ "truncate", harm_truncate }, { "fill", harm_fill },
	{ "affinity", harm_affinity }, { "unshare", harm_unshare },
	{ "half", harm_half }, { "leave", harm_leave }, { "scribble", harm_scribble }, { "forge", harm_forge }, { "early", harm_early }, { "close", harm_close },
};

static void harm_do(const struct mt_host *host, struct mt_ctx *ctx, const char *option)
{
	const char *deed = host->option(ctx, option);

	for (size_t i = 0; deed && i < sizeof deeds / sizeof *deeds; i++)
		if (strcmp(deeds[i].name, deed) == 0)
			deeds[i].run();
}

/* In the host this would end it; where the plugin is described it must not. */
__attribute__((constructor)) static void harm_construct(void)
{
	const char *file = getenv("HARM_LOADED"); /* a probe has no environment */
	int fd = file ? open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		close(fd);
}

/* ---- agent -------------------------------------------------------------------- */

static int harm_system(const struct mt_host *host, struct mt_ctx *ctx,
		       struct mt_str *ret_text)
{
	harm_do(host, ctx, "system_deed");
	*ret_text = (struct mt_str)MT_STR("Harm.");
	return status;
}

static int harm_advance(const struct mt_host *host, const struct mt_agent_out *out,
			struct mt_ctx *ctx, const struct mt_in *in)
{
	char text[256];

	(void)in;
	harm_do(host, ctx, "deed");
	if (host->option(ctx, "odd_role")) {
		errno = EINVAL;
		tell("role", host->request_message(host->request(ctx), 99,
						   (struct mt_str)MT_STR("odd")));
	}
	if (status)
		return status;
	host->log(ctx, MT_LOG_INFO, "the deed is done");
	snprintf(text, sizeof text, "{\"final_thought\":\"%s\",\"outputs\":{}}", outcome);
	return out->action(ctx, "finish", (struct mt_str){ text, strlen(text) });
}

static const struct mt_agent agent = { .size = sizeof agent,
				       .flags = MT_AGENT_NO_MODEL,
				       .system = harm_system,
				       .advance = harm_advance };

/* Effects of many calls in one process: each leaks memory, or one misbehaves. @return
 * nonzero: out of memory. */
static int asker_wear(const struct mt_host *host, struct mt_ctx *ctx, int calls)
{
	char *kept = host->option(ctx, "leak") ? malloc(24 << 20) : NULL;

	if (host->option(ctx, "worn") && calls == atoi(host->option(ctx, "worn")))
		harm_do(host, ctx, "worn_deed");
	if (!kept)
		return host->option(ctx, "leak") != NULL;
	kept[calls] = 1;
	return 0;
}

/* One step with a model: the process of each call, and how many it has had. */
static int asker_advance(const struct mt_host *host, const struct mt_agent_out *out,
			 struct mt_ctx *ctx, const struct mt_in *in)
{
	static int calls;
	char state[32];
	struct mt_request *r;

	host->log(ctx, MT_LOG_INFO, "%s in %d, call %d, %zu places, state \"%.*s\"",
		  in->what == MT_REPLIED ? "replied" : "start", (int)getpid(), ++calls,
		  host->option(ctx, "blind") ? 0 : host->view_count(ctx),
		  (int)in->state.len, in->state.ptr);
	if (asker_wear(host, ctx, calls))
		return MT_ENOMEM;
	if (in->what == MT_REPLIED) {
		puts("printed after the reply");
		harm_do(host, ctx, "reply_deed");
		for (size_t i = 0; i < host->reply_calls(in->reply); i++)
			out->call(ctx, i);
		return MT_OK;
	}
	puts("printed at the start");
	snprintf(state, sizeof state, "of %d", (int)getpid());
	r = host->request(ctx);
	if (host->keep(ctx, (struct mt_str){ state, strlen(state) }) ||
	    host->request_history(r) || host->request_tool(r, NULL))
		return MT_EINVAL;
	return host->send(ctx, r) > 0 ? MT_OK : MT_EUNSUPPORTED;
}

static const struct mt_agent asker = { .size = sizeof asker,
				       .system = harm_system,
				       .advance = asker_advance };

/* ---- condenser ------------------------------------------------------------------ */

static int harm_condense(const struct mt_host *host, const struct mt_condenser_out *out,
			 struct mt_ctx *ctx, const struct mt_in *in)
{
	size_t content = 0, text = 0;

	(void)out, (void)in;
	harm_do(host, ctx, "deed");
	if (!host->option(ctx, "read"))
		return status;
	for (size_t i = 0; i < host->view_count(ctx); i++) {
		const struct mt_event *e = host->view_at(ctx, i);

		content += host->event_field(e, "content").len;
		text += host->event_text(ctx, e).len;
	}
	host->log(ctx, MT_LOG_INFO, "%zu places, %zu and %zu bytes",
		  host->view_count(ctx), content, text);
	return MT_OK;
}

static int harm_check(const struct mt_host *host, struct mt_ctx *ctx)
{
	harm_do(host, ctx, "check_deed");
	if (!host->option(ctx, "refuse"))
		return status;
	host->refuse(ctx, "%s does not suit it", host->option(ctx, "refuse"));
	return MT_EINVAL;
}

static const struct mt_condenser condenser = { .size = sizeof condenser,
					       .advance = harm_condense,
					       .check = harm_check };

/* ---- analyzer ------------------------------------------------------------------- */

static int harm_open_analyzer(const struct mt_host *host,
			      const struct mt_analyzer_out *out, struct mt_ctx *ctx,
			      void **ret)
{
	(void)out;
	harm_do(host, ctx, "open_deed");
	*ret = NULL;
	return status;
}

/* Requests that need a conversation, which an analyzer does not have. */
static const char *harm_ask(const struct mt_host *host, const struct mt_event *event,
			    struct mt_ctx *ctx)
{
	static const struct mt_str state = MT_STR("state"), data = MT_STR("{}");
	struct mt_str text = MT_STR("none");

	if (host->view_count(ctx) || host->view_at(ctx, 0) ||
	    host->event_text(ctx, event).len)
		return "it sees events";
	if (host->request(ctx))
		return "it gets a request";
	if (host->keep(ctx, state) != MT_EUNSUPPORTED)
		return "it keeps a state";
	if (host->prompt(ctx, "system", data, &text) != MT_EUNSUPPORTED || text.len != 4)
		return "it renders a prompt";
	return NULL;
}

static int harm_analyze(const struct mt_host *host, const struct mt_analyzer_out *out,
			struct mt_ctx *ctx, const struct mt_in *in)
{
	static const struct mt_str rule = MT_STR("harm"),
				   reason = MT_STR("as its option says");

	(void)in;
	harm_do(host, ctx, "deed");
	if (status)
		return status;
	if (host->option(ctx, "read") && harm_ask(host, out->action(ctx), ctx))
		return out->refuse(ctx, "%s", harm_ask(host, out->action(ctx), ctx));
	return out->verdict(ctx, MT_RISK_LOW, 0, rule, reason);
}

static int harm_rules(const struct mt_host *host, const struct mt_analyzer_out *out,
		      struct mt_ctx *ctx)
{
	(void)out;
	harm_do(host, ctx, "rules_deed");
	return status;
}

static const struct mt_analyzer analyzer = { .size = sizeof analyzer,
					     .open = harm_open_analyzer,
					     .advance = harm_analyze,
					     .rules = harm_rules };

/* ---- the plugin ------------------------------------------------------------------ */

#define TEXT(name_)                                                                      \
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_TEXT, .name = name_,       \
	  .help = "What to do." }

static const struct mt_option options[] = { TEXT("deed"), TEXT("system_deed"),
					    TEXT("reply_deed"), TEXT("blind"),
					    TEXT("leak"), TEXT("worn"), TEXT("worn_deed"),
					    TEXT("open_deed"), TEXT("rules_deed"), TEXT("odd_role"),
					    TEXT("check_deed"), TEXT("refuse"),
					    TEXT("read") };

#define COMPONENT(kind_, name_, functions_)                                                   \
	{ .size = sizeof(struct mt_component), .kind = MT_KIND_##kind_,                  \
	  .version_major = MT_##kind_##_MAJOR, .version_minor = MT_##kind_##_MINOR,      \
	  .name = name_, .summary = "Does harm.", .functions = functions_,              \
	  .options = options, .option_count = sizeof options / sizeof *options }

static const struct mt_component components[] = {
	COMPONENT(AGENT, "harm", &agent),
	COMPONENT(AGENT, "asker", &asker),
	COMPONENT(CONDENSER, "harm", &condenser),
	COMPONENT(ANALYZER, "harm", &analyzer),
};

MT_PLUGIN(.name = "harm", .version = "1.0", .license = "MIT", .components = components,
	  .component_count = sizeof components / sizeof *components)
