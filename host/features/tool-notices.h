/* SPDX-License-Identifier: MIT
 *
 * tool-notices.h - passes notices of tools on to the agent before its next step: files
 * *.notice that a tool, or a process that it started, wrote into the directory of its
 * instance in the conversation. Each holds one line, and is removed once it is logged. */
#ifndef HOST_FEATURES_TOOL_NOTICES_H
#define HOST_FEATURES_TOOL_NOTICES_H

extern const struct feature tool_notices_feature;

#endif
