/* SPDX-License-Identifier: MIT
 *
 * meta.h - meta.json: the properties of a conversation and the specification of its
 * agent, from which the same agent is recreated. Only the user can change it. */
#ifndef HOST_CONVERSATION_META_H
#define HOST_CONVERSATION_META_H

#include "events/evlog.h"

struct conversation_options;

/** A new id: date, time and eight random digits; owned. NULL: out of memory. */
char *meta_new_id(void);
/** Write meta.json of a new conversation; takes `spec`, an object. `o` (may be NULL)
 *  names its parent. */
int meta_write(const char *dir, const char *id, const char *title, const char *workspace,
	       json_object *spec, const struct conversation_options *o,
	       const struct mask *mask, struct error *err);
/** Name its parent. @return MT_OK or MT_ENOMEM. */
int meta_set_parent(json_object *meta, const struct conversation_options *o);
/** Change its title, its specification (taken), or both; NULL: unchanged. A failed sync
 *  is as final for `log` as a failed barrier. */
int meta_change(struct evlog *log, const char *title, json_object *spec,
		const struct mask *mask, struct error *err);
/** Read the meta.json of a directory; another format number is refused. Owned. */
json_object *meta_read(const char *dir, struct error *err);

#endif
