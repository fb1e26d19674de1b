/* SPDX-License-Identifier: MIT
 *
 * models.c - the models of a conversation, by configuration section. */
#include "llm/models/models.h"
#include "llm/llm-internal.h"
#include <string.h>

enum { MAX_MODELS = 64, MAX_NAMES = 256 };

struct llm_models {
	const struct config *config;
	struct registry *registry;
	struct mask *mask;
	struct llm_pool *pool;
	struct llm_usage_totals *bill;
	struct llm *all[MAX_MODELS];
	bool complete[MAX_MODELS];     /* its fallbacks were added */
	size_t count;
	char *dir;                     /* directory of the conversation; NULL: unknown */
};

int llm_models_new(uv_loop_t *loop, const struct config *c, struct registry *r,
		   struct mask *mask, struct llm_models **ret, struct error *err)
{
	struct llm_models *m = calloc(1, sizeof *m);

	if (!m)
		return out_of_memory(err);
	*m = (struct llm_models){ .config = c, .registry = r, .mask = mask };
	m->bill = llm_usage_totals_new();
	m->pool = m->bill ? llm_pool_new(loop, err) : NULL;
	if (!m->pool) {
		int status = m->bill ? err->code : out_of_memory(err);

		llm_models_free(m);
		return status;
	}
	*ret = m;
	return MT_OK;
}

struct llm_models *llm_models_free(struct llm_models *m)
{
	if (!m)
		return NULL;
	for (size_t i = 0; i < m->count; i++)
		llm_free(m->all[i]);
	llm_pool_free(m->pool);
	llm_usage_totals_free(m->bill);
	free(m->dir);
	free(m);
	return NULL;
}

int llm_models_request_log_open(struct llm_models *m, const char *dir)
{
	free(m->dir);
	m->dir = strdup(dir);
	return m->dir ? MT_OK : MT_ENOMEM;
}

static bool is_default_section(const char *name)
{
	return !name || !*name || strcmp(name, "default") == 0;
}

/* A name without a section is an error; it would be treated as [llm] otherwise. */
static int check_section_name(const struct config *c, const char *section,
			      const char *name, const char *from, struct error *err)
{
	const char *names[MAX_NAMES], *near, *one;
	size_t count = 0;

	if (config_has(c, section))
		return MT_OK;
	while (count < MAX_NAMES && (one = config_named(c, "llm", count)))
		names[count++] = one;
	near = option_suggest(name, names, count);
	if (near)
		return fail(err, MT_ENOTFOUND,
			    "%s: unknown section [llm.%s]; did you mean `%s`?", from,
			    name, near);
	return fail(err, MT_ENOTFOUND,
		    "%s: unknown section [llm.%s] in the configuration", from, name);
}

static int open_section(struct llm_models *m, const char *name, const char *model,
			const char *from, size_t *ret, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	int status;

	if (strbuf_add(&section, "llm") ||
	    (!is_default_section(name) && strbuf_addf(&section, ".%s", name)))
		return fail(err, section.error, "%s: the name `%.80s` is too long", from,
			    name);
	for (size_t i = 0; i < m->count; i++) {
		if (strcmp(m->all[i]->section, section.text) == 0) {
			*ret = i;
			return MT_OK;
		}
	}
	if (!is_default_section(name)) {
		status = check_section_name(m->config, section.text, name, from, err);
		if (status)
			return status;
	}
	if (m->count == MAX_MODELS)
		return fail(err, MT_ELIMIT, "more than %d models in one conversation",
			    MAX_MODELS);
	status = llm_open(m->pool, m->config, m->registry, section.text, model, m->mask,
			  &m->all[m->count], err);
	if (status)
		return status;
	m->all[m->count]->bill = m->bill;
	if (m->dir && llm_request_log_open(m->all[m->count], m->dir)) {
		m->all[m->count] = llm_free(m->all[m->count]);
		return out_of_memory(err);
	}
	*ret = m->count++;
	return MT_OK;
}

/* A section inherits the list of [llm], which may contain the section itself. */
static bool llm_models_is_listed(const struct llm *l, const struct llm *other)
{
	for (size_t i = 0; i < l->fallback_count; i++)
		if (l->fallback[i] == other)
			return true;
	return l == other;
}

static int open_fallbacks(struct llm_models *m, struct llm *l, struct error *err)
{
	AUTO(strbuf) struct strbuf from = STRBUF(256);
	const char *list = config_get(m->config, l->section, "fallback"), *item;
	size_t len;

	strbuf_addf(&from, "[%s] fallback", l->section);
	l->fallback = calloc(MAX_MODELS, sizeof(struct llm *));
	if (!l->fallback || from.error)
		return out_of_memory(err);
	while (list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);
		size_t n;

		if (!name)
			return out_of_memory(err);
		if (open_section(m, name, NULL, from.text, &n, err))
			return err->code;
		if (!llm_models_is_listed(l, m->all[n]))
			l->fallback[l->fallback_count++] = m->all[n];
	}
	return MT_OK;
}

/* The origin of the model of the section, if an administrator has set it. */
static const char *enforced_model(const struct llm_models *m, const char *name)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);

	strbuf_add(&section, "llm");
	if (name && *name && strcmp(name, "default") != 0)
		strbuf_addf(&section, ".%.120s", name);
	return config_enforced(m->config, section.text, "model");
}

int llm_models_get(struct llm_models *m, const char *name, const char *model,
		   const char *from, struct llm **ret, struct error *err)
{
	const char *enforced = NULL;
	size_t n;
	int status;

	if (model && (enforced = enforced_model(m, name)))
		return fail(err, MT_EDENIED, "cannot choose the model: it is set by %s",
			    enforced);
	status = open_section(m, name, model, from, &n, err);

	if (!status && !m->complete[n]) {
		m->complete[n] = true;
		status = open_fallbacks(m, m->all[n], err);
	}
	if (!status)
		*ret = m->all[n];
	return status;
}

const char *llm_models_section(const struct llm_models *m, size_t n)
{
	return n < m->count ? m->all[n]->section : NULL;
}

const char *llm_models_name(const struct llm_models *m, size_t n)
{
	return n < m->count ? m->all[n]->name : NULL;
}

struct llm_usage_totals *llm_models_usage(const struct llm_models *m)
{
	return m->bill;
}
