/* SPDX-License-Identifier: MIT
 *
 * closing.h - closes a conversation, for features that delayed it. */
#ifndef HOST_CONTROLLER_CLOSING_H
#define HOST_CONTROLLER_CLOSING_H

struct conversation;

/** Close a conversation that a feature held open (before_close, keeps_open). */
void conversation_close_begin(struct conversation *c);
void conversation_close_finish(struct conversation *c);

#endif
