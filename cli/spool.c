/* SPDX-License-Identifier: MIT
 *
 * spool.c - a directory that does not outlive the command, whichever signal ends it. */
#include "spool.h"

#include "array.h"
#include "files.h"
#include "signals.h"

#include <limits.h>
#include <stdio.h>
#include <uv.h>

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

/* The handles are never closed: the loop is that of the program. */
static struct {
	char path[PATH_MAX];
	uv_signal_t signals[ARRAY_LEN(numbers)];
	bool ready;
} spool;

static void on_signal(uv_signal_t *handle, int number)
{
	dir_remove(spool.path, NULL);
	uv_signal_stop(handle); /* back to its default */
	raise(number);
}

static void watch_signals(uv_loop_t *loop)
{
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		if (!spool.ready) {
			uv_signal_init(loop, &spool.signals[i]);
			uv_unref((uv_handle_t *)&spool.signals[i]);
		}
		if (!signal_is_ignored(numbers[i]))
			uv_signal_start(&spool.signals[i], on_signal, numbers[i]);
	}
	spool.ready = true;
}

int command_spool_open(const char *name, struct uv_loop_s *loop, char *path, size_t room,
		       struct error *err)
{
	watch_signals(loop);
	if (dir_temporary(name, spool.path, sizeof spool.path, err)) {
		*spool.path = '\0';
		command_spool_close();
		return err->code;
	}
	snprintf(path, room, "%s", spool.path);
	return MT_OK;
}

void command_spool_close(void)
{
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		uv_signal_stop(&spool.signals[i]);
	if (*spool.path)
		dir_remove(spool.path, NULL);
	*spool.path = '\0';
}
