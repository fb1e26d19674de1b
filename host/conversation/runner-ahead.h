/* SPDX-License-Identifier: MIT
 *
 * runner-ahead.h - starts the runner while the first request is on its way. */
#ifndef HOST_CONVERSATION_RUNNER_AHEAD_H
#define HOST_CONVERSATION_RUNNER_AHEAD_H

extern const struct feature runner_ahead_feature;

#endif
