/* SPDX-License-Identifier: MIT
 *
 * logs.h - helpers of the tests of logs: directories, short ways to append. */
#ifndef TESTS_EVENTS_LOGS_H
#define TESTS_EVENTS_LOGS_H

#include "events/evlog.h"
#include "files.h"
#include "tap.h"

static char top[] = "/tmp/mortise-log-XXXXXX";

/* A path below the directory of the test; a ring of texts. */
static inline const char *test_path(const char *name)
{
	static char paths[4][128];
	static int n;
	char *path = paths[n++ % 4];

	snprintf(path, sizeof paths[0], "%s/%s", top, name);
	return path;
}

static inline json_object *json(const char *text)
{
	return js_parse(text, strlen(text), NULL);
}

static inline struct evlog *open_log(const char *dir, enum evlog_open mode,
				     const struct mask *mask)
{
	struct evlog_options o = { .sync = SYNC_NONE, .mask = mask };
	struct evlog *log = NULL;
	struct error err = ERROR_NONE;

	if (evlog_open(dir, mode, &o, &log, NULL, &err))
		printf("# %s\n", err.text);
	return log;
}

static inline int say(struct evlog *log, enum event_source source, const char *text)
{
	json_object *args = json_object_new_object();

	js_set_str(args, "content", text);

	AUTO(event) struct event *e = event_action("message", source, args, NULL);

	return e ? evlog_append(log, e, NULL) : MT_ENOMEM;
}

static inline int record(struct evlog *log, const char *text, struct error *err)
{
	AUTO(json) json_object *o = json(text);

	return evlog_record(log, o, err);
}

static inline bool said(struct evlog *log, int64_t id, const char *text)
{
	AUTO(event) struct event *e = evlog_event(log, id, NULL);

	return e && e->id == id && strcmp(event_arg(e, "content"), text) == 0;
}

#endif
