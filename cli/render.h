/* SPDX-License-Identifier: MIT
 *
 * render.h - formats a conversation for a terminal or a pipe. */
#ifndef CLI_RENDER_H
#define CLI_RENDER_H

#include "conversation/conversation.h"

enum render_style {
	RENDER_QUIET,    /* only the final message */
	RENDER_NORMAL,   /* replies, calls, shortened results */
	RENDER_VERBOSE,  /* full results, states, thoughts */
};

struct render;

/** Write to `out` (borrowed). Colors and streaming only on a terminal, and no colors if
 *  NO_COLOR is set. */
struct render *render_new(FILE *out, enum render_style style);
struct render *render_free(struct render *r);
AUTO_DEFINE(render, struct render *, render_free)
/** Callbacks of a renderer; `arg` is the struct render. */
extern const struct watcher render_watcher;

/** Data for the closing line. */
struct render_end {
	const char *conversation, *state, *reason;
	const char *plugin_path;      /* the setting of -o with it; or NULL */
	int64_t steps;
	int64_t calls, input, output; /* of all models */
	double cost;                  /* below 0: unknown */
	const struct llm_usage_totals
		*bill;                /* of each model, if there are several; or NULL */
	bool over;                    /* finished: cannot be continued */
};
/** The closing line: state, steps, tokens, cost, time, how to continue. */
void render_end(struct render *r, const struct render_end *end);
/** A remark of the program, for example that a state has changed. */
void render_remark(struct render *r, const char *text);

#endif
