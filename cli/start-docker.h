/* SPDX-License-Identifier: MIT
 *
 * start-docker.h - containers that are kept, for the runtime docker. */
#ifndef CLI_START_DOCKER_H
#define CLI_START_DOCKER_H

#include "start-runner.h"

/** Add a label mortise.NAME=VALUE to the command that creates the container. */
int start_docker_label(struct start *s, const char *name, const char *value,
		       struct error *err);
/** Is this a command that creates a container which is kept? */
bool start_docker_is_kept(const struct start *s);
/** Add the name of the container, and what it is made of, to such a command. */
int start_docker_name(struct start *s, const char *image, struct error *err);
/** Find or create the container that is kept, and change the command to one that starts it.
 *  Does nothing for others. */
int start_docker_find(struct start *s, struct error *err);

#endif
