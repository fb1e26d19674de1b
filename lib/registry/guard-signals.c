/* SPDX-License-Identifier: MIT
 *
 * guard-signals.c - a thread that keeps the signals that end the program working while a
 * third party's plugin runs in this process. */
#include "registry/guard-signals.h"

#include "auto.h"
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

enum {
	CHECK_MS = 50,           /* between two checks of the handlers */
	STACK_SIZE = 256 << 10,
};

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };

static struct sigaction wanted[ARRAY_LEN(numbers)]; /* under the lock */
static sigset_t mask;                               /* of the thread of the calls */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t wake;
static atomic_bool active; /* a plugin runs */
static atomic_bool asleep; /* the thread waits for `wake` */
static bool has_thread;

static void restore_handlers(void)
{
	struct sigaction now;

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (sigaction(numbers[i], NULL, &now) == 0 &&
		    now.sa_handler != wanted[i].sa_handler)
			sigaction(numbers[i], &wanted[i], NULL);
}

/* The signals are blocked in the thread while no plugin runs, so that the program can
 * hold them. */
static void *guard_signals_thread(void *arg)
{
	sigset_t ends;

	sigemptyset(&ends);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		sigaddset(&ends, numbers[i]);
	for (;;) {
		atomic_store(&asleep, true);
		if (!atomic_load(&active) || !atomic_exchange(&asleep, false))
			while (sem_wait(&wake))
				;
		pthread_sigmask(SIG_UNBLOCK, &ends, NULL);
		while (atomic_load(&active)) {
			pthread_mutex_lock(&lock);
			if (atomic_load(&active))
				restore_handlers();
			pthread_mutex_unlock(&lock);
			poll(NULL, 0, CHECK_MS);
		}
		pthread_sigmask(SIG_BLOCK, &ends, NULL);
	}
	return arg;
}

/* A forked copy has no such thread, and may have been forked while the thread held the
 * lock. */
static void after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	atomic_store(&asleep, false);
}

static bool guard_signals_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, before;
	int status;

	if (sem_init(&wake, 0, 0) || pthread_attr_init(&attr))
		return false;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&thread, &attr, guard_signals_thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return status == 0 && pthread_atfork(NULL, NULL, after_fork) == 0;
}

void guard_signals_enter(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		sigaction(numbers[i], NULL, &wanted[i]);
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	has_thread = has_thread || guard_signals_start();
	atomic_store(&active, true);
	if (atomic_exchange(&asleep, false))
		sem_post(&wake);
}

void guard_signals_leave(void)
{
	atomic_store(&active, false);
	pthread_mutex_lock(&lock);
	restore_handlers();
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}
