/* SPDX-License-Identifier: MIT
 *
 * guard.c - names the plugin that crashes or exits this process. */
#include "registry/guard.h"
#include "registry/guard-signals.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK_SIZE = 64 << 10, EXIT_CODE = 6 };

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static struct guard_call now = { .output = -1 };
static unsigned foreign; /* calls of third parties' plugins that have not returned */
static struct sigaction before[ARRAY_LEN(crashes)];

/* ---- reports -------------------------------------------------------------------- */

static void guard_say(const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		ssize_t n = write(STDERR_FILENO, text, len);

		if (n < 0 && errno != EINTR)
			return;
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
}

bool guard_is_running(void)
{
	return now.component != NULL;
}

void guard_report(const char *what, const char *rest)
{
	const struct component *c = now.component;

	if (!c)
		return;
	guard_say("mortise: the ");
	guard_say(kind_name(c->kind));
	guard_say(" `");
	guard_say(c->name);
	guard_say("` (");
	guard_say(c->path);
	guard_say(") ");
	guard_say(what);
	guard_say(" `");
	guard_say(now.function);
	guard_say("`");
	guard_say(rest);
	guard_say("\n");
}

static const char *crash_name(int number)
{
	return number == SIGSEGV  ? " (SIGSEGV)"
	       : number == SIGBUS ? " (SIGBUS)"
	       : number == SIGFPE ? " (SIGFPE)"
	       : number == SIGILL ? " (SIGILL)"
				  : " (SIGABRT)";
}

/* The previous handlers run for the same crash when this one returns. A signal that was
 * sent is not repeated automatically. */
static void on_crash(int number, siginfo_t *info, void *context)
{
	(void)context;
	for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
		sigaction(crashes[i], &before[i], NULL);
	guard_report("crashed in", crash_name(number));
	now.component = NULL;
	if (info->si_code <= 0)
		raise(number);
}

/* exit() was called: by the plugin if one is running. */
static void on_exit_called(void)
{
	if (!now.component)
		return;
	guard_report("called exit in", "");
	_exit(EXIT_CODE);
}

static void guard_install(void)
{
	static char stack[STACK_SIZE];
	struct sigaction act = { .sa_sigaction = on_crash,
				 .sa_flags = SA_ONSTACK | SA_SIGINFO };

	sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof stack }, NULL);
	for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
		sigaction(crashes[i], &act, &before[i]);
	atexit(on_exit_called);
}

/* ---- standard output ------------------------------------------------------------ */

static void divert_output(void)
{
	if (__fpending(stdout) > 0)
		fflush(stdout);
	now.output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (now.output >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
}

static void restore_output(void)
{
	if (now.output < 0)
		return;
	if (__fpending(stdout) > 0)
		fflush(stdout);
	dup2(now.output, STDOUT_FILENO);
	close(now.output);
	now.output = -1;
}

/* ---- calls ---------------------------------------------------------------------- */

struct guard_call guard_enter(const struct component *c, const char *function)
{
	static bool installed;
	struct guard_call outer = now;

	if (!installed)
		guard_install();
	installed = true;
	now.output = -1;
	if (c && !component_is_own(c)) {
		divert_output();
		if (!foreign++)
			guard_signals_enter();
	}
	now.function = function;
	now.component = c;
	return outer;
}

void guard_leave(struct guard_call outer)
{
	const struct component *c = now.component;

	now.component = NULL;
	restore_output();
	if (c && !component_is_own(c) && !--foreign)
		guard_signals_leave();
	now = outer;
}
