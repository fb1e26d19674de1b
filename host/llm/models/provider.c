/* SPDX-License-Identifier: MIT
 *
 * provider.c - resolves a model name to its provider. */
#include "llm/models/provider.h"
#include "auto.h"
#include "options.h"
#include "strbuf.h"
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

static size_t provider_names(const struct registry *r, const char *ret[MAX_PROVIDERS])
{
	const struct component *d;
	json_object *all;
	size_t count = 0;

	for (size_t n = 0; (all = next_providers(r, &n, &d));) {
		json_object_object_foreach(all, key, entry) {
			if (entry && count < MAX_PROVIDERS)
				ret[count++] = key;
		}
	}
	return count;
}

/* `model` is "provider/" if no model was named. */
static int provider_is_unknown(const struct registry *r, const char *model,
			       const char *word, const char *section, struct error *err)
{
	AUTO(strbuf) struct strbuf subject = STRBUF(1 << 16), known = STRBUF(1 << 16);
	const char *names[MAX_PROVIDERS], *near;
	size_t count = provider_names(r, names);

	if (model[strlen(word)] && model[strlen(word) + 1])
		strbuf_addf(&subject, "model `%.120s`: ", model);
	strbuf_addf(&subject, "unknown provider `%.60s`", word);
	near = option_suggest(word, names, count);
	if (near)
		return fail(err, MT_EINVAL, "%s; did you mean `%s`?", subject.text, near);
	for (size_t i = 0; i < count; i++)
		strbuf_addf(&known, "%s%s", i ? ", " : "", names[i]);
	return fail(err, MT_EINVAL,
		    "%s; use one of %s, or set base_url in [%s] for another server with "
		    "OpenAI's chat completions API",
		    subject.text, known.len ? known.text : "those that plugins provide",
		    section);
}

static int unknown_provider(const struct registry *r, const char *model,
			    const char *section, struct error *err)
{
	size_t len = strcspn(model, "/:");
	AUTO(free) char *word = strndup(model, len);
	struct error why = ERROR_NONE;

	if (!word)
		return out_of_memory(err);
	if (!model[len])
		return fail(
			err, MT_EINVAL,
			"model `%s` has no provider; use provider/name (for example openai/%s), "
			"or set base_url in [%s]",
			model, model, section);
	if (registry_refused(r, word) && !registry_need(r, MT_KIND_DIALECT, word, &why))
		return fail(err, why.code, "model `%s`: %s", model, why.text);
	return provider_is_unknown(r, model, word, section, err);
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
