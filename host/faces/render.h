/* SPDX-License-Identifier: MIT
 *
 * render.h - a conversation as a person at a terminal, or in a pipe, reads it. */
#ifndef HOST_FACES_RENDER_H
#define HOST_FACES_RENDER_H

#include "controller/conversation.h"

enum render_style {
	RENDER_QUIET,    /* only what the agent says at the end */
	RENDER_NORMAL,   /* replies, calls, results in short */
	RENDER_VERBOSE,  /* results whole, states, thoughts */
};

struct render;

/** Watch a conversation and write to `out` (borrowed). Colours and streaming
 *  only when it is a terminal, and no colours when NO_COLOR is set. */
struct render *render_new(struct conversation *c, FILE *out, enum render_style style);
/** Stop watching. */
struct render *render_free(struct render *r);
/** The closing line: state, steps, tokens, cost, time, how to go on. */
void render_end(struct render *r);

#endif
