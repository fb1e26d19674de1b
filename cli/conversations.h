/* SPDX-License-Identifier: MIT
 *
 * conversations.h - shared declarations of the files of `mortise conversations`. */
#ifndef CLI_CONVERSATIONS_H
#define CLI_CONVERSATIONS_H

#include "config/config.h"
#include <stdbool.h>
#include <time.h>

struct entry {
	char *id, *title, *workspace, *parent;
	bool shown;
	int64_t events, bytes;
	time_t written;
	long written_ns;
};

struct entries {
	struct entry *items;
	size_t count;
};

struct prune_options {
	int64_t older_days, keep; /* -1: not given */
	bool dry;
};

/** The directory of all conversations; owned. */
char *conversations_root(const struct config *c, struct error *err);
/** Collect all conversations, newest first. Clear the list even after a failure. */
int conversation_entries_collect(const char *root, struct entries *l, struct error *err);
void conversation_entries_clear(struct entries *l);
/** "17 K", "1.2 G". @return `ret` */
const char *conversation_size_text(int64_t bytes, char ret[16]);

/** Remove the conversations with these ids, and those of their subagents. Stops
 *  at the first that a process has open; those before it are removed. */
int conversations_delete(const struct config *c, char **ids, size_t count, bool dry,
			 struct error *err);
/** Remove all conversations that the options do not keep. */
int conversations_prune(const struct config *c, const struct prune_options *o,
			struct error *err);

/** Print the usage of a conversation and its subagents. */
int conversations_cost(const struct config *c, const char *id, bool json,
		       struct error *err);

#endif
