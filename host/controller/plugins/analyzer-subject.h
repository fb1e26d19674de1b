/* SPDX-License-Identifier: MIT
 *
 * analyzer-subject.h - the action that an analyzer assesses as JSON, for a copy of the
 * process that was forked before the action was planned. */
#ifndef HOST_CONTROLLER_PLUGINS_ANALYZER_SUBJECT_H
#define HOST_CONTROLLER_PLUGINS_ANALYZER_SUBJECT_H

#include "controller/plugins/analyzers.h"

/** For analyzer_subject_read. It refers to the event and the arguments of the subject. */
json_object *analyzer_subject_json(const struct subject *s);
/** `ret` borrows from `json` and from `*ret_event`, which is the caller's. */
int analyzer_subject_read(json_object *json, struct subject *ret,
			  struct event **ret_event, struct error *err);

#endif
