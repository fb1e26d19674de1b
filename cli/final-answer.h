/* SPDX-License-Identifier: MIT
 *
 * final-answer.h - the agent's final answer: printed by `run -q`, written by --output
 * and checked by --json-schema. */
#ifndef CLI_FINAL_ANSWER_H
#define CLI_FINAL_ANSWER_H

#include "events/event.h"
#include "strbuf.h"

struct final_answer {
	struct strbuf text;
	json_object *schema; /* NULL: any text is accepted */
	const char *path;    /* of --output, opened as `fd`; NULL: none */
	int fd;
	unsigned refused;    /* answers that did not match the schema */
};

void final_answer_init(struct final_answer *a);
void final_answer_clear(struct final_answer *a);
/** Open the file of --output now, so that a path that cannot be written is an error
 *  before the first request. Its content is kept until final_answer_write. */
int final_answer_open(struct final_answer *a, const char *path, struct error *err);
/** Read the schema of --json-schema. */
int final_answer_schema(struct final_answer *a, const char *path, struct error *err);
/** Text appended to the task that describes the schema to the model; NULL: none. Owned.
 *  */
char *final_answer_rule(const struct final_answer *a);
/** Process an event: a message of the agent, or its end. */
void final_answer_event(struct final_answer *a, const struct event *e);
/** Check the answer against the schema, if there is one. A code fence around the answer
 *  is removed. @return MT_EINVAL if it does not match: `err` says why */
int final_answer_check(struct final_answer *a, struct error *err);
/** Write the answer to the file of --output, if there is one. */
int final_answer_write(struct final_answer *a, struct error *err);

#endif
