/* SPDX-License-Identifier: MIT
 *
 * bundle.h - the plugins of a bundle. */
#ifndef CLI_BUNDLE_H
#define CLI_BUNDLE_H

#include "bundle/bundle.h"

struct registry;

struct bundle_plugins {
	char *paths[256];
	size_t count;
};

/** Add a path, unless it is in the list. */
int bundle_plugins_add(struct bundle_plugins *p, const char *path, struct error *err);
/** Add all plugins with tools that are installed. */
int bundle_plugins_installed(const struct registry *r, struct bundle_plugins *p,
			     struct error *err);
void bundle_plugins_clear(struct bundle_plugins *p);

static inline void auto_bundle_plugins(struct bundle_plugins *p)
{
	bundle_plugins_clear(p);
}

#endif
