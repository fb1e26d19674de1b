/* SPDX-License-Identifier: MIT
 *
 * closing.h - for features that hold the closing of a conversation. */
#ifndef HOST_CONTROLLER_CLOSING_H
#define HOST_CONTROLLER_CLOSING_H

struct conversation;

/** Close a conversation that a feature held open (before_close, keeps_open). */
void conversation_close_begin(struct conversation *c);
void conversation_close_finish(struct conversation *c);

#endif
