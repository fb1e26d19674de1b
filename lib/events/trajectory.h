/* SPDX-License-Identifier: MIT
 *
 * trajectory.h - imports conversations from OpenHands files and exports them.
 *
 * In those files each event of a call holds the model's whole reply in
 * tool_call_metadata.model_response; a log stores the reply once, as a record. Fields
 * that the original does not have are stored in a member "mortise", which the original
 * ignores. */
#ifndef LIB_EVENTS_TRAJECTORY_H
#define LIB_EVENTS_TRAJECTORY_H

#include "events/evlog.h"

/** One conversation of a file. */
struct trajectory {
	char *title;         /* the instance or issue; "" if unknown */
	json_object *events; /* array */
};

struct trajectories {
	struct trajectory *items;
	size_t count;
};

/** Read a file: an array of events, evaluation records with a `history` (one, an array,
 *  or one per line), or one event per line. @return MT_ELIMIT for a file over 512 MiB,
 *  MT_EINVAL for any other form. */
int trajectory_load(const char *path, struct trajectories *ret, struct error *err);
void trajectory_clear(struct trajectories *t);

/** Append the events to a log, with new IDs. Causes and forgotten events are renumbered;
 *  replies become records. Fields that export could not reproduce are stored with their
 *  event, so that an unchanged log is exported exactly as it was imported. The error
 *  contains the number of the event in the array, from 1. `ret_count`: number of events
 *  appended. */
int trajectory_import(struct evlog *log, json_object *events, size_t *ret_count,
		      struct error *err);

/** Called with pieces of the text, in order. */
typedef int trajectory_sink(const char *text, size_t len, void *arg);
/** One event in the form of an export. NULL with `err`. */
json_object *trajectory_event(struct evlog *log, int64_t id, bool screenshots,
			      struct error *err);
/** Write the history of a log (without null, state, hidden, and reverted events) as an
 *  array with indent 4. */
int trajectory_export(struct evlog *log, bool screenshots, trajectory_sink *sink,
		      void *arg, struct error *err);

#endif
