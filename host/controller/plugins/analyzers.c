/* SPDX-License-Identifier: MIT
 *
 * analyzers.c - queries the analyzers and joins their verdicts. */
#include "controller/plugins/analyzers.h"

#include "config/choices.h"
#include "config/config.h"
#include "controller/plugins/plugin-load.h"
#include "controller/plugins/analyzer-out.h"
#include "controller/plugins/plugin-host.h"
#include "events/event.h"
#include "log.h"

#include <string.h>

struct analyzers {
	struct plugin_component parts[ANALYZERS_MAX];
	void *instances[ANALYZERS_MAX];
	size_t count;
	bool propagate;
	enum risk failed;          /* the risk if an analyzer fails */
};

/* ---- the wiring --------------------------------------------------------------- */

/* "FILE:LINE: " of the option, if a refusal starts with one. */
static void where(const struct config *c, const struct plugin_component *part,
		  const char *text, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256), key = STRBUF(256);
	const char *origin;

	strbuf_addf(&section, "analyzer.%s", part->name);
	strbuf_addn(&key, text, strcspn(text, ": "));
	origin = key.error ? NULL : config_origin(c, section.text, key.text);
	if (origin && js_get(part->options, key.text))
		strbuf_addf(out, "%s: ", origin);
}

static int open_one(struct analyzers *a, const struct config *c, struct error *err)
{
	struct plugin_component *part = &a->parts[a->count];
	const struct mt_analyzer *f = part->functions;
	static const struct subject none = { .tool = "", .said = RISK_UNKNOWN };
	struct trial trial = { .subject = &none };
	struct mt_ctx x = { .part = part, .trial = &trial };
	struct guard_call outer = plugin_component_enter(part, "open");
	int r = f->open ? f->open(plugin_host(), plugin_analyzer_out(), &x,
				  &a->instances[a->count])
			: MT_OK;

	r = plugin_component_leave(part, "open", outer, r, &x.error);
	a->count++;
	if (r) {
		AUTO(strbuf) struct strbuf place = STRBUF(4096);

		where(c, part, x.error.text, &place);
		fail(err, r, "%s[analyzer.%s] %s", place.text, part->name,
		     x.error.code ? x.error.text : status_name(r));
	}
	plugin_ctx_clear(&x);
	return r;
}

static int analyzers_add(struct analyzers *a, struct config *c, struct registry *r,
			 const char *name, struct error *err)
{
	if (a->count == ANALYZERS_MAX)
		return fail(err, MT_ELIMIT, "more than %d analyzers are configured",
			    ANALYZERS_MAX);
	if (plugin_component_load(c, r, MT_KIND_ANALYZER, name, &a->parts[a->count], err))
		return err->code;
	return open_one(a, c, err);
}

int analyzers_open(struct config *c, struct registry *r, const char *section,
		   const char *list, struct analyzers **ret, struct error *err)
{
	AUTO(analyzers) struct analyzers *a = calloc(1, sizeof *a);
	const char *item;
	size_t len;

	if (!a)
		return out_of_memory(err);
	a->propagate = config_bool(c, section, "propagate_unknown");
	a->failed = config_choice(c, section, "analyzer_failure") == ANALYZER_FAILURE_HIGH
			    ? RISK_HIGH
			    : RISK_UNKNOWN;
	while (list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);

		if (!name)
			return out_of_memory(err);
		if (analyzers_add(a, c, r, name, err))
			return err->code;
	}
	*ret = STEAL(a);
	return MT_OK;
}

static void close_one(const struct plugin_component *part, void *instance)
{
	const struct mt_analyzer *f = part->functions;
	struct guard_call outer;

	if (!f || !f->close || !instance)
		return;
	outer = plugin_component_enter(part, "close");
	f->close(instance);
	guard_leave(outer);
}

struct analyzers *analyzers_free(struct analyzers *a)
{
	for (size_t i = 0; a && i < ANALYZERS_MAX; i++) {
		close_one(&a->parts[i], a->instances[i]);
		plugin_component_clear(&a->parts[i]);
	}
	free(a);
	return NULL;
}

size_t analyzers_count(const struct analyzers *a)
{
	return a ? a->count : 0;
}

const struct plugin_component *analyzers_part(const struct analyzers *a, size_t n)
{
	return &a->parts[n];
}

static uint32_t flags_of(const struct analyzers *a, size_t n)
{
	return ((const struct mt_analyzer *)a->parts[n].functions)->flags;
}

static bool any_has(const struct analyzers *a, uint32_t flag)
{
	for (size_t i = 0; a && i < a->count; i++)
		if (flags_of(a, i) & flag)
			return true;
	return false;
}

bool analyzers_read_risk(const struct analyzers *a)
{
	return any_has(a, MT_ANALYZER_READS_RISK);
}

bool analyzers_classify(const struct analyzers *a)
{
	return any_has(a, MT_ANALYZER_CLASSIFIES);
}

/* ---- asking ------------------------------------------------------------------- */

enum risk analyzers_join_risks(const int *risks, size_t count, bool propagate,
			       enum risk failed)
{
	bool unknown = false, finding = false;
	enum risk highest = RISK_UNKNOWN;

	for (size_t i = 0; i < count; i++) {
		int risk = risks[i] == RISK_FAILED         ? (int)failed
			   : risks[i] == RISK_UNCLASSIFIED ? RISK_UNKNOWN
							   : risks[i];

		finding = finding || (risk == RISK_UNKNOWN && risks[i] != RISK_UNKNOWN);
		unknown = unknown || risk == RISK_UNKNOWN;
		if (risk > (int)highest)
			highest = risk;
	}
	if (unknown && propagate)
		return RISK_UNKNOWN;
	return finding && highest != RISK_HIGH ? RISK_UNKNOWN : highest;
}

bool analyzers_compare_risks(int a, int b, int *ret_order)
{
	*ret_order = a - b;
	return a != RISK_UNKNOWN && b != RISK_UNKNOWN;
}

bool analyzers_risk_waits(int risk, int threshold, bool confirm_unknown)
{
	int order;

	return analyzers_compare_risks(risk, threshold, &order) ? order >= 0
								: confirm_unknown;
}

static int analyzers_ask_one(struct analyzers *a, size_t n, struct trial *t)
{
	const struct mt_analyzer *f = a->parts[n].functions;
	const struct mt_in in = { .size = sizeof in, .what = MT_START };
	struct mt_ctx x = { .part = &a->parts[n], .trial = t };
	struct guard_call outer;
	int r;

	t->instance = a->instances[n];
	t->unread = false;
	t->verdict = (struct verdict){ .risk = RISK_UNKNOWN };
	log_context(x.part->component->plugin, x.part->component->name, NULL);
	outer = plugin_component_enter(x.part, "advance");
	r = f->advance(plugin_host(), plugin_analyzer_out(), &x, &in);
	r = plugin_component_leave(x.part, "advance", outer, r, &x.error);
	log_context(NULL, NULL, NULL);
	if (!r && t->unread)
		r = MT_ENOMEM;
	if (r) {
		log_line(MT_LOG_WARNING, "controller", "analyzer %s failed: %s",
			 a->parts[n].name, x.error.code ? x.error.text : status_name(r));
		snprintf(t->verdict.reason, sizeof t->verdict.reason,
			 "the analyzer %.100s failed", a->parts[n].name);
	}
	plugin_ctx_clear(&x);
	return r;
}

/* The result of one analyzer, for analyzers_join_risks. */
static int risk_said(const struct analyzers *a, size_t n, const struct verdict *v)
{
	bool classifies = flags_of(a, n) & MT_ANALYZER_CLASSIFIES;

	return v->risk == RISK_UNKNOWN && classifies ? RISK_UNCLASSIFIED : (int)v->risk;
}

/* A denial is final; otherwise the highest risk decides. */
static bool weighs_more(const struct verdict *a, const struct verdict *b)
{
	if (a->deny != b->deny)
		return a->deny;
	return a->risk > b->risk;
}

int analyzers_ask(struct analyzers *a, const struct subject *s, struct verdict *ret)
{
	struct trial t = { .subject = s };
	struct verdict failure = { .risk = RISK_UNKNOWN }, finding = failure;
	int risks[ANALYZERS_MAX] = { 0 }, r = analyzer_collect_leaves(&t);

	*ret = (struct verdict){ .risk = RISK_UNKNOWN };
	if (r) {
		snprintf(ret->reason, sizeof ret->reason,
			 "too many arguments to analyze");
		free(t.leaves);
		return r;
	}
	for (size_t i = 0; i < a->count; i++) {
		if (analyzers_ask_one(a, i, &t)) {
			risks[i] = RISK_FAILED;
			failure = t.verdict;
			continue;
		}
		risks[i] = risk_said(a, i, &t.verdict);
		if (risks[i] == RISK_UNCLASSIFIED)
			finding = t.verdict;
		if (i == 0 || weighs_more(&t.verdict, ret))
			*ret = t.verdict;
	}
	ret->risk = analyzers_join_risks(risks, a->count, a->propagate, a->failed);
	if (ret->risk == RISK_UNKNOWN && !ret->deny && finding.reason[0])
		*ret = finding;
	if (failure.reason[0] && !ret->deny && ret->risk != RISK_LOW) {
		snprintf(ret->reason, sizeof ret->reason, "%s", failure.reason);
		ret->rule[0] = '\0';
	}
	free(t.leaves);
	return MT_OK;
}

int analyzers_rules(struct analyzers *a, analyzers_rule_fn *each, void *arg,
		    struct error *err)
{
	static const struct subject none = { .tool = "", .said = RISK_UNKNOWN };

	for (size_t i = 0; i < a->count; i++) {
		const struct mt_analyzer *f = a->parts[i].functions;
		struct trial t = { .subject = &none, .instance = a->instances[i],
				   .rule = each, .rule_arg = arg };
		struct mt_ctx x = { .part = &a->parts[i], .trial = &t };
		struct guard_call outer = plugin_component_enter(x.part, "rules");
		int r = f->rules ? f->rules(plugin_host(), plugin_analyzer_out(), &x)
				 : MT_OK;

		r = plugin_component_leave(x.part, "rules", outer, r, &x.error);
		if (r)
			fail(err, r, "analyzer %s: %s", a->parts[i].name,
			     x.error.code ? x.error.text : status_name(r));
		plugin_ctx_clear(&x);
		if (r)
			return r;
	}
	return MT_OK;
}
