/* SPDX-License-Identifier: MIT
 *
 * providers.c - decides which dialect serves a model provider if several do; the others
 * serve it only if the configuration names them. */
#include "registry/internal.h"
#include <string.h>

json_object *registry_next_providers(const struct registry *r, size_t *n,
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

json_object *registry_find_provider(const struct registry *r, const char *name,
				    const struct component **ret_dialect)
{
	const struct component *d;
	json_object *all, *entry, *found = NULL;

	for (size_t n = 0; (all = registry_next_providers(r, &n, &d));) {
		entry = js_get(all, name);
		if (!entry || (found && !component_is_own(d)))
			continue;
		found = entry;
		*ret_dialect = d;
		if (component_is_own(d))
			break;
	}
	return found;
}

static int report_provider(struct registry *r, const struct component *d,
			   const char *provider)
{
	AUTO(strbuf) struct strbuf reason = STRBUF(16384);
	const struct component *winner = d;

	registry_find_provider(r, provider, &winner);
	if (winner == d)
		return MT_OK;
	strbuf_addf(
		&reason,
		"provider `%s` of dialect `%s` is ignored because %s takes precedence; "
		"to use it, set dialect = %s in [llm]",
		provider, d->name, winner->path, component_reference(r, d));
	return reason.error ? reason.error
			    : registry_refuse(r, d->path, d->kind, d->name, reason.text);
}

int providers_settle(struct registry *r)
{
	const struct component *d;
	int status = MT_OK;

	for (size_t i = 0; (d = registry_at(r, i)); i++) {
		json_object *all;

		if (d->kind != MT_KIND_DIALECT || component_is_own(d))
			continue;
		all = js_get(component_data(d), "providers");
		if (!json_object_is_type(all, json_type_object))
			continue;
		json_object_object_foreach(all, name, entry) {
			if (entry && !status)
				status = report_provider(r, d, name);
		}
	}
	return status;
}
