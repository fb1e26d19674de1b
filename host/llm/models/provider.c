/* SPDX-License-Identifier: MIT
 *
 * provider.c - resolves a model name to its provider. */
#include "llm/models/provider.h"
#include "auto.h"
#include "options.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PROVIDERS = 128 };

static void fill_provider(const struct component *d, json_object *entry,
			  struct provider *p)
{
	p->component = d;
	p->network = js_get(entry, "base_url") != NULL;
	p->base_url = js_str(entry, "base_url", "");
	p->key_env = js_str(entry, "key_env", "");
	p->local = js_bool(entry, "local", false);
	p->is_file = js_bool(entry, "file", false);
	p->signs = strcmp(js_str(entry, "auth", ""), "sign") == 0;
}

/* The providers of the next dialect, starting at *n; NULL past the last. */
static json_object *next_providers(const struct registry *r, size_t *n,
				   const struct component **ret_dialect)
{
	const struct component *d;

	while ((d = registry_at(r, (*n)++))) {
		json_object *all = d->kind == MT_KIND_DIALECT
					   ? js_get(component_data(d), "providers")
					   : NULL;

		if (json_object_is_type(all, json_type_object)) {
			*ret_dialect = d;
			return all;
		}
	}
	return NULL;
}

/* Finds the provider named by the first `len` bytes of `name`. */
static bool find_provider_entry(const struct registry *r, const char *name, size_t len,
				struct provider *p)
{
	const struct component *d;
	json_object *all;

	for (size_t n = 0; (all = next_providers(r, &n, &d));) {
		json_object_object_foreach(all, key, entry) {
			if (strlen(key) == len && memcmp(key, name, len) == 0) {
				fill_provider(d, entry, p);
				return true;
			}
		}
	}
	return false;
}

static int unknown_provider(const struct registry *r, const char *model,
			    const char *section, struct error *err)
{
	const char *names[MAX_PROVIDERS], *near;
	size_t count = 0, len = strcspn(model, "/:");
	AUTO(free) char *word = strndup(model, len);
	const struct component *d;
	struct error why = ERROR_NONE;
	json_object *all;

	for (size_t n = 0; (all = next_providers(r, &n, &d));) {
		json_object_object_foreach(all, key, entry) {
			if (entry && count < MAX_PROVIDERS)
				names[count++] = key;
		}
	}
	if (!model[len])
		return fail(
			err, MT_EINVAL,
			"model `%s` has no provider; use provider/name (for example openai/%s), "
			"or set base_url in [%s]",
			model, model, section);
	if (word && registry_refused(r, word) &&
	    !registry_need(r, MT_KIND_DIALECT, word, &why))
		return fail(err, why.code, "model `%s`: %s", model, why.text);
	near = word ? option_suggest(word, names, count) : NULL;
	if (near)
		return fail(err, MT_EINVAL,
			    "model `%s`: unknown provider `%s`; did you mean `%s`?",
			    model, word, near);
	return fail(
		err, MT_EINVAL,
		"model `%s`: unknown provider `%.*s`; for a server with OpenAI's chat "
		"completions API, set base_url in [%s]",
		model, (int)len, model, section);
}

int provider_find(const struct config *c, const char *section, const struct registry *r,
		  const char *model, struct provider *ret, struct error *err)
{
	const char *base = config_get(c, section, "base_url");
	size_t len = strcspn(model, "/:");
	struct provider p = { .name = model, .name_len = len };

	if (find_provider_entry(r, model, len, &p)) {
		p.model = model[len] ? model + len + 1 : "";
		if (p.is_file && *p.model && access(p.model, R_OK) != 0)
			return fail(err, MT_ENOTFOUND, "model `%s`: cannot read %s: %s",
				    model, p.model, strerror(errno));
		*ret = p;
		return MT_OK;
	}
	if (!base || !*base)
		return unknown_provider(r, model, section, err);
	p = (struct provider){ .name = "custom", .name_len = strlen("custom"),
			       .model = model, .base_url = "", .key_env = "",
			       .network = true };
	p.component = registry_need(r, MT_KIND_DIALECT, "openai", err);
	if (!p.component)
		return err && err->code ? err->code : MT_ENOTFOUND;
	*ret = p;
	return MT_OK;
}
