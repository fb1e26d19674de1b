/* SPDX-License-Identifier: MIT
 *
 * early-signals.c - keeps a signal that arrives before the loop of a command runs. */
#include "early-signals.h"

#include "auto.h"
#include "config/key-command.h"
#include "exit-code.h"
#include "signals.h"

#include <unistd.h>

static volatile sig_atomic_t kept;

static void early_on_signal(int number)
{
	if (kept) {
		key_command_kill();
		_exit(exit_code_of_signal(number));
	}
	kept = number;
}

void early_signals_catch(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = early_on_signal, .sa_flags = SA_RESTART };

	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (!signal_is_ignored(numbers[i]))
			sigaction(numbers[i], &act, NULL);
}

int early_signals_number(void)
{
	return kept;
}

void early_signals_deliver(void)
{
	int number = kept;

	kept = 0;
	if (number)
		raise(number);
}
