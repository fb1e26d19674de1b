/* SPDX-License-Identifier: MIT
 *
 * log-open.c - measures the time to open a log, with its checkpoint and without, compared
 * to reading the file and counting its lines.
 *
 *   log-open DIR EVENTS */
#include "events/evlog.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int die(const char *text)
{
	fprintf(stderr, "log-open: %s\n", text);
	exit(1);
}

/* A command and its output, as in a real conversation. */
static void append(struct evlog *log, long i, struct error *err)
{
	static char output[400];
	AUTO(event) struct event *action = NULL, *observation = NULL;
	json_object *args = json_object_new_object(), *extras = json_object_new_object();
	char command[64];

	memset(output, 'x', sizeof output);
	snprintf(command, sizeof command, "make check STEP=%ld", i);
	json_object_object_add(args, "command", json_object_new_string(command));
	json_object_object_add(extras, "command", json_object_new_string(command));
	action = event_action("run", SOURCE_AGENT, args, err);
	if (!action || evlog_append(log, action, err) < 0)
		die(err->text);
	observation = event_observation("run", SOURCE_AGENT, action->id, output,
					sizeof output, extras, err);
	if (!observation || evlog_append(log, observation, err) < 0)
		die(err->text);
}

static double time_open(const char *dir, long events, struct error *err)
{
	struct evlog_options options = { .sync = SYNC_NONE };
	struct evlog *log;
	double from = now_ms(), to;

	if (evlog_open(dir, EVLOG_READ, &options, &log, NULL, err) < 0)
		die(err->text);
	to = now_ms();
	if (evlog_count(log) != events)
		die("the log lost events");
	evlog_close(log);
	return to - from;
}

static double time_floor(const char *dir)
{
	static char bytes[65536];
	char path[4096];
	double from = now_ms();
	size_t lines = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%s/events.jsonl", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("no events.jsonl");
	while ((n = read(fd, bytes, sizeof bytes)) > 0)
		for (char *at = bytes; (at = memchr(at, '\n', (size_t)(bytes + n - at)));
		     at++)
			lines++;
	close(fd);
	return lines ? now_ms() - from : -1;
}

int main(int argc, char **argv)
{
	struct evlog_options options = { .sync = SYNC_NONE };
	struct error err = { 0 };
	struct evlog *log;
	double with, without;
	char path[4096];
	long events = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (events < 2)
		return 2;
	if (evlog_open(argv[1], EVLOG_CREATE, &options, &log, NULL, &err) < 0)
		die(err.text);
	for (long i = 0; i < events / 2; i++)
		append(log, i, &err);
	events = (long)evlog_count(log);
	evlog_close(log);
	time_open(argv[1], events, &err);
	with = time_open(argv[1], events, &err);
	for (const char *const *name =
		     (const char *const[]){ "state.json", "events.index", NULL };
	     *name; name++) {
		snprintf(path, sizeof path, "%s/%s", argv[1], *name);
		unlink(path);
	}
	without = time_open(argv[1], events, &err);
	printf("events %ld\ncheckpoint %.3f\nscan %.3f\nfloor %.3f\n", events, with,
	       without, time_floor(argv[1]));
	return 0;
}
