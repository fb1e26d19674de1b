/* SPDX-License-Identifier: MIT
 *
 * calls-kit.h - a catalog for tests: tools of plugins of the build tree and
 * those of tests/fixtures/tools.json. */
#ifndef TESTS_CALLS_KIT_H
#define TESTS_CALLS_KIT_H

#include "files.h"
#include "registry/registry.h"
#include "tools/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIT_TOOLS = 32, KIT_DOCS = 16 };

/* Everything known; a catalog borrows from it. */
struct kit {
	json_object *docs[KIT_DOCS];
	size_t doc_count;
	struct tool tools[KIT_TOOLS];
	size_t count;
};

/* Take the tools of a list in the form of the discovery cache. */
static inline void kit_add(struct kit *k, json_object *list)
{
	size_t n = list ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n && k->count < KIT_TOOLS; i++) {
		json_object *o = json_object_array_get_idx(list, i);
		struct tool *t = &k->tools[k->count++];

		*t = (struct tool){
			.name = js_str(o, "name", ""),
			.description = js_str(o, "description", ""),
			.schema_json = js_get(o, "schema"),
			.events = js_get(o, "events"),
			.hints = (unsigned)js_int(o, "hints", 0),
		};
		t->schema = js_text(t->schema_json, NULL);
	}
}

static inline bool kit_plugin(struct kit *k, const char *path)
{
	struct error err = ERROR_NONE;
	json_object *plugin = NULL, *parts;

	if (k->doc_count == KIT_DOCS || registry_probe(path, &plugin, &err)) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		return false;
	}
	k->docs[k->doc_count++] = plugin;
	parts = js_get(plugin, "components");
	for (size_t i = 0; parts && i < json_object_array_length(parts); i++)
		kit_add(k, js_path(json_object_array_get_idx(parts, i), "data.tools"));
	return true;
}

static inline json_object *kit_json(struct kit *k, const char *path)
{
	struct error err = ERROR_NONE;
	json_object *file = NULL;
	char *text = NULL;
	size_t len = 0;

	if (k->doc_count < KIT_DOCS && !file_read(path, 1 << 20, &text, &len, &err))
		file = js_parse_object(text, len, &err);
	free(text);
	if (!file) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		return NULL;
	}
	k->docs[k->doc_count++] = file;
	kit_add(k, js_get(file, "tools"));
	return file;
}

/* The tools of the build below `root`; asking
 * them takes the program mortise, which is found next to them. */
static inline bool kit_build_tree(struct kit *k, const char *root)
{
	static const char *const names[] = { "bash", "editor", "control", "search",
					     "tasks" };
	const char *search = getenv("PATH");
	AUTO(strbuf) struct strbuf text = STRBUF(65536);

	strbuf_addf(&text, "%s:%s", root, search ? search : "");
	setenv("PATH", text.text, 1);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		strbuf_reset(&text);
		strbuf_addf(&text, "%s/plugins/tools/%s.so", root, names[i]);
		if (!kit_plugin(k, text.text))
			return false;
	}
	return true;
}

static inline const struct tool *kit_find(const struct kit *k, const char *name)
{
	for (size_t i = 0; i < k->count; i++)
		if (strcmp(k->tools[i].name, name) == 0)
			return &k->tools[i];
	return NULL;
}

static inline void kit_clear(struct kit *k)
{
	for (size_t i = 0; i < k->doc_count; i++)
		json_object_put(k->docs[i]);
	*k = (struct kit){ 0 };
}

#endif
