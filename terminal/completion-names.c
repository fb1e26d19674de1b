/* SPDX-License-Identifier: MIT
 *
 * completion-names.c - the names that complete /model and /agent: from the
 * configuration, the model table, and plugins. */
#include "chat.h"

#include <string.h>

enum { OUTPUT_MAX = 4 << 20, NAMES_MAX_BYTES = 256 << 10, ARGS_MAX = 16 };

/* Providers by model name prefix. */
static const struct {
	const char *provider, *stem;
} families[] = {
	{ "anthropic/", "claude-" },  { "openai/", "gpt-" },
	{ "openai/", "o1" },          { "openai/", "o3" },
	{ "openai/", "o4-" },         { "openai/", "codex-" },
	{ "gemini/", "gemini-" },     { "deepseek/", "deepseek-" },
	{ "xai/", "grok-" },          { "mistral/", "mistral-" },
	{ "mistral/", "codestral-" }, { "mistral/", "devstral-" },
	{ "mistral/", "magistral-" },
};

/* The output of a `mortise` command for the effective configuration. */
static json_object *completion_names_ask(const struct chat *c, const char *const *words)
{
	const char *args[COMMON_ARGS_MAX + ARGS_MAX];
	AUTO(strbuf) struct strbuf out = STRBUF(OUTPUT_MAX);
	size_t n = 0;

	while (words[n]) {
		args[n] = words[n];
		n++;
	}
	for (size_t i = 0; i + 1 < c->o->arg_count; i += 2)
		if (strcmp(c->o->args[i], "--set") == 0 ||
		    strcmp(c->o->args[i], "-o") == 0 ||
		    strcmp(c->o->args[i], "--config") == 0) {
			args[n++] = c->o->args[i];
			args[n++] = c->o->args[i + 1];
		}
	args[n++] = "--workspace";
	args[n++] = c->workspace;
	args[n] = NULL;
	if (process_output(args, &out, &(struct error){ 0 }))
		return NULL;
	return js_parse(out.text, out.len, NULL);
}

static void completion_names_add(struct strbuf *names, const char *provider,
				 const char *name, size_t len)
{
	strbuf_add(names, provider);
	strbuf_addn(names, name, len);
	strbuf_addc(names, '\n');
}

/* ---- models ------------------------------------------------------------ */

/* The models that the configuration names. */
static void completion_names_add_configured(const struct chat *c, struct strbuf *names)
{
	static const char *const words[] = { "config", "show", "--json", NULL };
	AUTO(json) json_object *config = completion_names_ask(c, words);

	if (!json_object_is_type(config, json_type_object))
		return;
	json_object_object_foreach(config, section, keys) {
		const char *model = js_str(js_get(keys, "model"), "value", "");

		if (strncmp(section, "llm", 3) == 0 && *model)
			completion_names_add(names, "", model, strlen(model));
	}
}

/* A name of the table, with the provider that it belongs to. */
static void completion_names_add_known(struct strbuf *names, const char *name, size_t len)
{
	if (memchr(name, '/', len))
		completion_names_add(names, "", name, len);
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		size_t stem = strlen(families[i].stem);

		if (len >= stem && memcmp(name, families[i].stem, stem) == 0)
			completion_names_add(names, families[i].provider, name, len);
	}
}

/* Names of the table that are not patterns; with `provider`, without their prefix. */
static void add_table(struct strbuf *names, json_object *table, const char *provider)
{
	bool list = json_object_is_type(table, json_type_array);
	size_t count = list ? json_object_array_length(table) : 0;

	for (size_t i = 0; i < count; i++) {
		const char *p = js_str(json_object_array_get_idx(table, i), "models", "");

		for (size_t n; *p; p += n + strspn(p + n, ", ")) {
			n = strcspn(p, ", ");
			if (memchr(p, '*', n) || memchr(p, '@', n))
				continue;
			if (!provider)
				completion_names_add_known(names, p, n);
			else if (!memchr(p, '/', n))
				completion_names_add(names, provider, p, n);
		}
	}
}

static bool has_provider(const struct strbuf *names, const char *provider)
{
	for (const char *p = names->text; (p = strstr(p, provider)); p++)
		if (p == names->text || p[-1] == '\n')
			return true;
	return false;
}

/* An unknown provider may have any model. */
static void completion_names_add_models(const struct chat *c, struct strbuf *names,
					const char *typed)
{
	static const char *const words[] = { "models", "list", "--json", NULL };
	AUTO(json) json_object *table = completion_names_ask(c, words);
	const char *slash = strchr(typed, '/');
	AUTO(free)
	char *provider = slash ? strndup(typed, (size_t)(slash + 1 - typed)) : NULL;

	completion_names_add_configured(c, names);
	add_table(names, table, NULL);
	if (provider && !has_provider(names, provider))
		add_table(names, table, provider);
}

/* ---- agents ------------------------------------------------------------ */

static void add_agents(const struct chat *c, struct strbuf *names)
{
	static const char *const plugins[] = { "plugins", "--json", NULL };
	static const char *const config[] = { "config", "show", "--json", NULL };
	AUTO(json) json_object *list = completion_names_ask(c, plugins),
			       *sections = completion_names_ask(c, config);
	bool is_list = json_object_is_type(list, json_type_array);
	size_t count = is_list ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < count; i++) {
		json_object *p = json_object_array_get_idx(list, i);
		const char *name = js_str(p, "name", "");

		if (strcmp(js_str(p, "kind", ""), "agent") == 0)
			completion_names_add(names, "", name, strlen(name));
	}
	if (!json_object_is_type(sections, json_type_object))
		return;
	json_object_object_foreach(sections, section, keys) {
		(void)keys;
		if (strncmp(section, "agent.", 6) == 0)
			completion_names_add(names, "", section + 6, strlen(section + 6));
	}
}

/* ---- the line ---------------------------------------------------------- */

bool completion_names(const struct chat *c, struct strbuf *names)
{
	const char *text = c->line.text.text;
	bool model = strncmp(text, "/model ", 7) == 0;
	size_t begin = 7;

	*names = STRBUF(NAMES_MAX_BYTES);
	if (!model && strncmp(text, "/agent ", 7) != 0)
		return false;
	begin += strspn(text + begin, " ");
	if (c->line.at < begin || strcspn(text + begin, " \n") < c->line.at - begin)
		return false;
	if (model)
		completion_names_add_models(c, names, text + begin);
	else
		add_agents(c, names);
	return true;
}
