/* SPDX-License-Identifier: MIT
 *
 * provider.h - resolves a model name to its provider. */
#ifndef HOST_LLM_MODELS_PROVIDER_H
#define HOST_LLM_MODELS_PROVIDER_H

#include "registry/registry.h"

/** All members are borrowed from the registry and from the model name. */
struct provider {
	const struct component *component; /* its dialect */
	const char *name;
	size_t name_len;
	const char *model;     /* what follows the provider's name */
	const char *base_url;  /* "" if the user must set it */
	const char *key_env;   /* "" if no key is required */
	bool network, local;   /* local: a server on the local host, no key required */
	bool is_file;          /* the name is a path of an existing file */
	bool signs;            /* its dialect can sign requests; no key needed */
};

/** "provider/name" or "provider:name" of a provider that a dialect serves: the one that
 *  the key `dialect` names, or the default one. Any other name with base_url set uses that
 *  dialect, or `openai`. */
int provider_find(const struct config *c, const char *section, const struct registry *r,
		  const char *model, struct provider *ret, struct error *err);

#endif
