/* SPDX-License-Identifier: MIT
 *
 * router.c - rules that choose a model: "images: NAME", "tokens > N: NAME",
 * "condensing: NAME", in order. */
#include "llm/models/router.h"

#include "llm/media.h"
#include "options.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_RULES = 32, MAX_TOKENS = 1000000000 };

enum condition { WHEN_IMAGES, WHEN_LONG, WHEN_CONDENSING };

struct rule {
	enum condition when;
	int64_t tokens;              /* WHEN_LONG: threshold */
	struct llm *llm;
};

struct llm_router {
	struct rule rules[MAX_RULES];
	size_t count;
};

/* ---- parsing --------------------------------------------------------------- */

static char *trim_rule_text(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && strchr(" \t", text[len - 1]))
		text[--len] = '\0';
	return text;
}

static int read_tokens(const char *text, int64_t *ret)
{
	char *end;
	long long n;

	if (*text < '0' || *text > '9')
		return MT_EINVAL;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (*end || errno || n < 1 || n > MAX_TOKENS)
		return MT_EINVAL;
	*ret = n;
	return MT_OK;
}

static int read_condition(char *text, struct rule *rule, const char *section,
			  struct error *err)
{
	static const char *const words[] = { "images", "tokens", "condensing" };
	char *more = strchr(text, '>');
	const char *near;

	if (more)
		*more++ = '\0';
	text = trim_rule_text(text);
	if (strcmp(text, "tokens") == 0) {
		rule->when = WHEN_LONG;
		if (!more || read_tokens(trim_rule_text(more), &rule->tokens))
			return fail(
				err, MT_EINVAL,
				"[%s] rules: use `tokens > N: NAME` with N from 1 to %d",
				section, MAX_TOKENS);
		return MT_OK;
	}
	rule->when = strcmp(text, "images") == 0 ? WHEN_IMAGES : WHEN_CONDENSING;
	if (!more && (rule->when == WHEN_IMAGES || strcmp(text, "condensing") == 0))
		return MT_OK;
	near = option_suggest(text, words, ARRAY_LEN(words));
	if (near && !more)
		return fail(err, MT_EINVAL,
			    "[%s] rules: unknown condition `%s`; did you mean `%s`?",
			    section, text, near);
	return fail(err, MT_EINVAL,
		    "[%s] rules: unknown condition `%s`; use images, tokens > N or "
		    "condensing",
		    section, text);
}

static int router_read_rule(struct llm_router *r, struct llm_models *m, char *text,
			    const char *section, struct error *err)
{
	struct rule *rule = &r->rules[r->count];
	char *name = strchr(text, ':');
	AUTO(strbuf) struct strbuf from = STRBUF(256);
	int status;

	if (r->count == MAX_RULES)
		return fail(err, MT_ELIMIT, "[%s] rules: more than %d", section,
			    MAX_RULES);
	if (!name || !*trim_rule_text(name + 1))
		return fail(err, MT_EINVAL,
			    "[%s] rules: `%s` has no model; use CONDITION: NAME", section,
			    text);
	*name++ = '\0';
	status = read_condition(text, rule, section, err);
	if (status)
		return status;
	if (strbuf_addf(&from, "[%s] rules", section))
		return fail_code(err, from.error);
	status =
		llm_models_get(m, trim_rule_text(name), NULL, from.text, &rule->llm, err);
	if (!status)
		r->count++;
	return status;
}

static int router_read_rules(struct llm_router *r, struct llm_models *m, const char *list,
			     const char *section, struct error *err)
{
	const char *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *text = strndup(item, len);

		if (!text)
			return out_of_memory(err);
		if (router_read_rule(r, m, text, section, err))
			return err->code;
	}
	if (!r->count)
		return fail(err, MT_EINVAL,
			    "[%s] has no rules; for example: rules = images: NAME, "
			    "tokens > 100000: NAME",
			    section);
	return MT_OK;
}

static int no_section(const struct config *c, const char *name, struct error *err)
{
	const char *names[64], *near, *one;
	size_t count = 0;

	while (count < ARRAY_LEN(names) && (one = config_named(c, "router", count)))
		names[count++] = one;
	near = option_suggest(name, names, count);
	if (near)
		return fail(err, MT_ENOTFOUND,
			    "router: unknown section [router.%s]; did you mean `%s`?",
			    name, near);
	return fail(err, MT_ENOTFOUND,
		    "router: unknown section [router.%s] in the configuration", name);
}

int llm_router_open(struct llm_models *m, const struct config *c, const char *name,
		    struct llm_router **ret, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	struct llm_router *r;
	int status;

	*ret = NULL;
	if (!name || !*name)
		return MT_OK;
	if (strbuf_addf(&section, "router.%s", name))
		return fail(err, section.error, "router: the name `%.80s` is too long",
			    name);
	if (!config_has(c, section.text))
		return strcmp(name, "noop") == 0 ? MT_OK : no_section(c, name, err);
	r = calloc(1, sizeof *r);
	if (!r)
		return out_of_memory(err);
	status = router_read_rules(r, m, config_get(c, section.text, "rules"),
				   section.text, err);
	if (status) {
		llm_router_free(r);
		return status;
	}
	*ret = r;
	return MT_OK;
}

struct llm_router *llm_router_free(struct llm_router *r)
{
	free(r);
	return NULL;
}

/* ---- choosing -------------------------------------------------------------- */

static bool rule_matches(const struct rule *rule, const struct llm_request *q,
			 enum llm_purpose purpose, const struct llm *otherwise)
{
	switch (rule->when) {
	case WHEN_IMAGES:
		return llm_request_has_media(q);
	case WHEN_LONG:
		return llm_estimate_tokens(otherwise, q) > rule->tokens;
	case WHEN_CONDENSING:
		return purpose == LLM_FOR_CONDENSING;
	}
	return false;
}

struct llm *llm_router_choose(const struct llm_router *r, const struct llm_request *q,
			      enum llm_purpose purpose, struct llm *otherwise)
{
	for (size_t i = 0; r && i < r->count; i++)
		if (rule_matches(&r->rules[i], q, purpose, otherwise))
			return r->rules[i].llm;
	return otherwise;
}
