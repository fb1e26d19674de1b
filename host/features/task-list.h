/* SPDX-License-Identifier: MIT
 *
 * task-list.h - the task list of a conversation. Its source is the newest task list
 * observation in the view, which is never condensed; TASKS.md in the directory of the
 * conversation is a copy for the user. */
#ifndef HOST_FEATURES_TASK_LIST_H
#define HOST_FEATURES_TASK_LIST_H

#include "controller/feature.h"
#include "strbuf.h"

#include <json-c/json.h>

/** Append the result of `plan`. */
int tasks_planned(json_object *list, struct strbuf *out);
/** The list as text. A list without tasks, or NULL, is reported as missing. */
int tasks_text(json_object *list, struct strbuf *out);

extern const struct feature task_list_feature;

#endif
