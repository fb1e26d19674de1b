/* SPDX-License-Identifier: MIT
 *
 * llm.c - creates a model from the configuration: its dialect, base URL and API key. */
#include "llm/transport/curl-api.h"
#include "llm/llm-internal.h"
#include "llm/models/provider.h"
#include "log.h"
#include <string.h>

/* ---- parts of a model ---------------------------------------------------- */

/* Read a decimal number from the configuration; `fallback` if it is unset. */
static double config_number(const struct config *c, const char *section, const char *key,
			    double fallback)
{
	const char *text = config_get(c, section, key);
	char *end;
	double n;

	if (!text || !*text)
		return fallback;
	n = strtod(text, &end);
	return *end ? fallback : n;
}

static int64_t config_int_or(const struct config *c, const char *section, const char *key,
			     int64_t fallback)
{
	const char *text = config_get(c, section, key);

	return text && *text ? config_int(c, section, key) : fallback;
}

static void read_request_limits(struct llm *l)
{
	const struct config *c = l->config;
	int64_t attempts = config_int_or(c, l->section, "retries", 5);

	l->retry = (struct backoff_rule){
		.attempts = attempts < 1 ? 1 : attempts > 100 ? 100 : (int)attempts,
		.min_ms = config_int_or(c, l->section, "retry_min_wait", 8000),
		.max_ms = config_int_or(c, l->section, "retry_max_wait", 64000),
		.multiplier = config_number(c, l->section, "retry_multiplier", 8),
	};
	l->timeout_ms = config_int_or(c, l->section, "timeout", 300000);
	l->stall_ms = config_int_or(c, l->section, "stall_timeout", 60000);
	l->input_cost = config_number(c, l->section, "input_cost_per_token", -1);
	l->output_cost = config_number(c, l->section, "output_cost_per_token", -1);
	l->window = config_int_or(c, l->section, "max_input_tokens", -1);
	l->metrics.cost_known = true;
}

static int no_model(const char *section, struct error *err)
{
	return fail(err, MT_EINVAL,
		    "no model is set; set `model = provider/name` in [%s] of mortise.ini "
		    "(for example openai/gpt-4.1), or use --model",
		    section);
}

static int set_address(struct llm *l, const struct provider *p, struct error *err)
{
	const char *base = config_get(l->config, l->section, "base_url");

	if (!base || !*base)
		base = p->base_url;
	if (p->network && !*base)
		return fail(err, MT_EINVAL, "%s requires base_url in [%s]", l->provider,
			    l->section);
	if (*base && strncmp(base, "http://", 7) != 0 &&
	    strncmp(base, "https://", 8) != 0)
		return fail(err, MT_EINVAL,
			    "base_url in [%s] must start with https:// or http://",
			    l->section);
	if (strpbrk(base, " \t\r\n"))
		return fail(err, MT_EINVAL, "base_url in [%s] contains whitespace",
			    l->section);
	l->base_url = strdup(base);
	return l->base_url ? MT_OK : out_of_memory(err);
}

/* Check the format of the headers added by the user: "Name: value, Name: value". */
static int check_headers(const struct llm *l, struct error *err)
{
	const char *rest = config_get(l->config, l->section, "extra_headers"), *item;
	size_t len;

	while (rest && option_list_next(&rest, &item, &len))
		if (!memchr(item, ':', len))
			return fail(err, MT_EINVAL,
				    "[%s] extra_headers: invalid; use `Name: value, ...`",
				    l->section);
	return MT_OK;
}

/* Names of the local host: requests to them do not leave the machine. */
static bool is_localhost_url(const char *url)
{
	static const char *const names[] = { "localhost", "127.", "[::1]" };
	const char *host = strstr(url, "://");

	for (size_t i = 0; host && i < ARRAY_LEN(names); i++)
		if (strncmp(host + 3, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static int need_mask(struct llm *l, struct error *err)
{
	if (!l->mask)
		l->mask = l->own_mask = mask_new();
	return l->mask ? MT_OK : out_of_memory(err);
}

static int read_api_key(struct llm *l, const struct provider *p, struct error *err)
{
	struct error why = ERROR_NONE;
	const char *env = config_get(l->config, l->section, "api_key_env");
	const char *base = config_get(l->config, l->section, "base_url");
	const char *own_env = p->key_env[0] ? p->key_env : NULL;

	l->key_env = strdup(env && *env ? env : p->key_env);
	if (!l->key_env)
		return out_of_memory(err);
	if (!p->network)
		return MT_OK;
	l->key = config_api_key(l->config, l->section, own_env, &why);
	if (why.code)
		return fail(err, why.code, "%s", why.text);
	l->signs = !l->key && p->signs;
	if (l->signs)
		return need_mask(l, err);
	if (!l->key && !p->local && (!base || env))
		return fail(
			err, MT_EDENIED,
			"no API key for %s: set %s, or api_key_env or api_key_file in "
			"[%s]",
			l->provider, l->key_env, l->section);
	if (l->key && strpbrk(l->key, "\r\n"))
		return fail(err, MT_EINVAL, "the API key for %s contains a newline",
			    l->provider);
	if (!l->key)
		return MT_OK;
	return need_mask(l, err)
		       ? err->code
		       : secret_hide(l->mask, *l->key_env ? l->key_env : l->section,
				     l->key, strlen(l->key), err);
}

static void warn_of_http(const struct llm *l)
{
	if (l->key && strncmp(l->base_url, "http://", 7) == 0 &&
	    !is_localhost_url(l->base_url))
		log_line(MT_LOG_WARNING, "llm",
			 "the API key for %s is sent unencrypted: base_url is http",
			 l->provider);
}

/* Read the component options from the section of the dialect. */
static int read_own_options(struct llm *l, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);

	if (strbuf_addf(&section, "dialect.%s", l->component->name))
		return out_of_memory(err);
	return component_section(l->config, section.text, l->component, &l->own, err);
}

static int set_dialect(struct llm *l, const struct provider *p, struct registry *r,
		       struct error *err)
{
	l->component = p->component;
	l->dialect = registry_load(r, p->component, err);
	if (!l->dialect)
		return err && err->code ? err->code : MT_EUNSUPPORTED;
	if (!MT_HAS(l->dialect, end))
		return fail(err, MT_EUNSUPPORTED, "the dialect %s is incomplete",
			    p->component->name);
	if (read_own_options(l, err))
		return err->code;
	if (!p->network || !MT_HAS(l->dialect, check) || !l->dialect->check)
		return MT_OK;
	return need_mask(l, err) ? err->code : exchange_check(l, err);
}

/* ---- a model -------------------------------------------------------------- */

static int llm_fill(struct llm *l, struct registry *r, const char *model,
		    struct error *err)
{
	struct provider p;
	int status = provider_find(l->config, l->section, r, model, &p, err);

	if (status)
		return status;
	l->provider = strndup(p.name, p.name_len);
	l->model = strdup(p.model);
	l->name = strdup(model);
	if (!l->provider || !l->model || !l->name)
		return out_of_memory(err);
	status = set_address(l, &p, err);
	if (!status)
		status = check_headers(l, err);
	if (!status)
		status = read_api_key(l, &p, err);
	if (status)
		return status;
	l->self_hosted = p.local || is_localhost_url(l->base_url);
	warn_of_http(l);
	status = set_dialect(l, &p, r, err);
	if (!status) {
		llm_read_facts(l, &p);
		llm_estimate_open(l);
	}
	return status;
}

int llm_open(struct llm_pool *pool, const struct config *c, struct registry *r,
	     const char *section, const char *model, struct mask *mask, struct llm **ret,
	     struct error *err)
{
	struct llm *l;
	int status;

	if (!model || !*model)
		model = config_get(c, section, "model");
	if (!model || !*model)
		return no_model(section, err);
	l = calloc(1, sizeof *l);
	if (!l || !(l->section = strdup(section))) {
		free(l);
		return out_of_memory(err);
	}
	l->pool = llm_pool_ref(pool);
	l->config = c;
	l->mask = mask;
	l->kept = (struct llm_body){ .bytes = STRBUF(LLM_MAX_BODY) };
	read_request_limits(l);
	status = llm_fill(l, r, model, err);
	if (status) {
		llm_free(l);
		return status;
	}
	*ret = l;
	return MT_OK;
}

struct llm *llm_free(struct llm *l)
{
	if (!l)
		return NULL;
	for (struct llm_exchange *x = *llm_pool_exchanges(l->pool), *next; x; x = next) {
		next = x->next;
		if (x->llm == l || x->first == l)
			llm_cancel(x);
	}
	llm_context_query_end(l);
	llm_pool_unref(l->pool);
	body_clear(&l->kept);
	llm_estimate_close(l);
	free(l->request_log_dir);
	json_object_put(l->own);
	if (l->key)
		explicit_bzero(l->key, strlen(l->key));
	mask_free(l->own_mask);
	free(l->fallback);
	free(l->key);
	free(l->key_env);
	free(l->base_url);
	free(l->provider);
	free(l->model);
	free(l->name);
	free(l->section);
	free(l);
	return NULL;
}

void llm_warm_up(const struct llm *l)
{
	if (*l->base_url)
		curl_api_preload();
}

void llm_preload(const struct config *c, const char *model)
{
	if (!model || !*model)
		model = config_get(c, "llm", "model");
	if (model && *model && strncmp(model, "script:", 7) != 0)
		curl_api_preload();
}

const char *llm_name(const struct llm *l)
{
	return l->name;
}
