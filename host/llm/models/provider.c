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

static size_t provider_names(const struct registry *r, const char *ret[MAX_PROVIDERS])
{
	const struct component *d;
	json_object *all;
	size_t count = 0;

	for (size_t n = 0; (all = registry_next_providers(r, &n, &d));) {
		json_object_object_foreach(all, key, entry) {
			const struct component *served_by = NULL;

			if (entry && count < MAX_PROVIDERS &&
			    registry_find_provider(r, key, &served_by) && served_by == d)
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
	if (registry_refused(r, MT_KIND_DIALECT, word) &&
	    !registry_need(r, MT_KIND_DIALECT, word, &why))
		return fail(err, why.code, "model `%s`: %s", model, why.text);
	return provider_is_unknown(r, model, word, section, err);
}

/* The entry of a provider, of the configured dialect or else of the default one. NULL: it
 * does not serve the provider; *ret_dialect is the configured dialect in any case. */
static int provider_entry(const struct config *c, const char *section,
			  const struct registry *r, const char *provider,
			  const struct component **ret_dialect, json_object **ret_entry,
			  struct error *err)
{
	const char *dialect = config_get(c, section, "dialect");

	if (!dialect || !*dialect) {
		*ret_entry = registry_find_provider(r, provider, ret_dialect);
		return MT_OK;
	}
	*ret_dialect = registry_need(r, MT_KIND_DIALECT, dialect, err);
	if (!*ret_dialect)
		return err && err->code ? err->code : MT_ENOTFOUND;
	*ret_entry = js_get(js_get(component_data(*ret_dialect), "providers"), provider);
	return MT_OK;
}

/* Use a provider that a dialect serves. */
static int use_entry(const struct component *dialect, json_object *entry,
		     const char *model, struct provider *ret, struct error *err)
{
	size_t len = strcspn(model, "/:");
	struct provider p = { .name = model,
			      .name_len = len,
			      .model = model[len] ? model + len + 1 : "" };

	fill_provider(dialect, entry, &p);
	if (p.is_file && *p.model && access(p.model, R_OK) != 0)
		return fail(err, MT_ENOTFOUND, "model `%s`: cannot read %s: %s", model,
			    p.model, strerror(errno));
	*ret = p;
	return MT_OK;
}

int provider_find(const struct config *c, const char *section, const struct registry *r,
		  const char *model, struct provider *ret, struct error *err)
{
	const char *base = config_get(c, section, "base_url");
	AUTO(free) char *name = strndup(model, strcspn(model, "/:"));
	const struct component *dialect = NULL;
	json_object *entry = NULL;
	int status = name ? provider_entry(c, section, r, name, &dialect, &entry, err)
			  : out_of_memory(err);

	if (status)
		return status;
	if (entry)
		return use_entry(dialect, entry, model, ret, err);
	if ((!base || !*base) && dialect)
		return fail(
			err, MT_EINVAL,
			"model `%s`: dialect `%s`, which [%s] names, does not serve the "
			"provider `%s`",
			model, dialect->name, section, name);
	if (!base || !*base)
		return unknown_provider(r, model, section, err);
	if (!dialect)
		dialect = registry_need(r, MT_KIND_DIALECT, "openai", err);
	if (!dialect)
		return err && err->code ? err->code : MT_ENOTFOUND;
	*ret = (struct provider){ .component = dialect, .name = "custom",
				  .name_len = strlen("custom"), .model = model,
				  .base_url = "", .key_env = "", .network = true };
	return MT_OK;
}
