/* SPDX-License-Identifier: MIT
 *
 * names.c - decides which component a short name refers to if several have it; the others
 * are available by the ID or path of their plugin. */
#include "registry/internal.h"
#include <string.h>

static bool same_name(const struct component *a, const struct component *b)
{
	return a->kind == b->kind && strcmp(a->name, b->name) == 0;
}

/* The component that the name of component `n` refers to: the first that is part of
 * mortise, so that an earlier file in the path does not silently replace it; otherwise
 * the first. */
static size_t registry_names_meant(const struct registry *r, size_t n)
{
	const struct component *c = &r->components[n];
	size_t first = n, count = 0;

	for (size_t i = 0; i < r->component_count; i++)
		if (same_name(&r->components[i], c) && count++ == 0)
			first = i;
	for (size_t i = first; count > 1 && i < r->component_count; i++)
		if (same_name(&r->components[i], c) &&
		    component_is_own(&r->components[i]))
			return i;
	return first;
}

static int report_clash(struct registry *r, const struct component *c,
			const struct component *winner)
{
	AUTO(strbuf) struct strbuf reason = STRBUF(16384);

	strbuf_addf(&reason, "%s `%s` is ignored because %s takes precedence; ",
		    kind_name(c->kind), c->name, winner->path);
	if (strcmp(c->unique, winner->unique) == 0)
		strbuf_addf(&reason,
			    "both have the id %s; to use it, remove the other, or set "
			    "`plugin` to its path",
			    c->id);
	else
		strbuf_addf(&reason, "to use it, name it in the configuration: %s",
			    c->unique);
	return reason.error ? reason.error
			    : registry_refuse(r, c->path, c->kind, c->name, reason.text);
}

int names_settle(struct registry *r)
{
	AUTO(free) struct component *sorted =
		calloc(r->component_count + 1, sizeof *sorted);
	size_t hidden = 0;
	int status = MT_OK;

	if (!sorted)
		return MT_ENOMEM;
	r->named_count = 0;
	for (size_t i = 0; i < r->component_count && !status; i++) {
		size_t winner = registry_names_meant(r, i);

		if (winner == i) {
			sorted[r->named_count++] = r->components[i];
			continue;
		}
		sorted[r->component_count - ++hidden] = r->components[i];
		status = report_clash(r, &r->components[i], &r->components[winner]);
	}
	if (!status && r->component_count)
		memcpy(r->components, sorted, r->component_count * sizeof *sorted);
	return status;
}

char *component_make_unique(const struct component *c, bool alone)
{
	AUTO(strbuf) struct strbuf text = STRBUF(8192);

	strbuf_add(&text, *c->id ? c->id : c->path);
	if (!alone)
		strbuf_addf(&text, "/%s", c->name);
	return strbuf_take(&text);
}

/* True if the path is used instead of the ID, because two files have the same ID. */
static bool has_path(const struct component *c, const char *name)
{
	size_t len = strlen(c->path);

	return *c->id && strncmp(name, c->path, len) == 0 &&
	       strcmp(name + len, c->unique + strlen(c->id)) == 0;
}

const struct component *registry_find(const struct registry *r, int kind,
				      const char *name)
{
	for (size_t i = 0; i < r->component_count; i++) {
		const struct component *c = &r->components[i];

		if (c->kind == kind &&
		    (strcmp(c->unique, name) == 0 || has_path(c, name) ||
		     (i < r->named_count && strcmp(c->name, name) == 0)))
			return c;
	}
	return NULL;
}

const char *component_reference(const struct registry *r, const struct component *c)
{
	return registry_find(r, c->kind, c->name) == c ? c->name : c->unique;
}
