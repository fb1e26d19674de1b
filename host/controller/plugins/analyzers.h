/* SPDX-License-Identifier: MIT
 *
 * analyzers.h - the analyzers of a controller, queried together. Does not require a
 * conversation, so that a policy can be tested from the command line. */
#ifndef HOST_CONTROLLER_PLUGINS_ANALYZERS_H
#define HOST_CONTROLLER_PLUGINS_ANALYZERS_H

#include "controller/plugins/analyzer-subject.h"
#include "registry/registry.h"

struct analyzers;
struct plugin_component;

/** In a list of risks: the analyzer failed; the analyzer classifies actions, and did not
 *  know this one. */
enum { ANALYZERS_MAX = 16, RISK_FAILED = -2, RISK_UNCLASSIFIED = -3 };

/** Load the analyzers of [SECTION] with their options. */
int analyzers_open(struct config *c, struct registry *r, const char *section,
		   const char *list, struct analyzers **ret, struct error *err);
struct analyzers *analyzers_free(struct analyzers *a);
AUTO_DEFINE(analyzers, struct analyzers *, analyzers_free)
size_t analyzers_count(const struct analyzers *a); /* of NULL: 0 */
const struct plugin_component *analyzers_part(const struct analyzers *a, size_t n);
/** Does one of them read the model's own rating? */
bool analyzers_read_risk(const struct analyzers *a);
/** Does one of them classify actions, so that its UNKNOWN is a result? */
bool analyzers_classify(const struct analyzers *a);

int analyzers_ask(struct analyzers *a, const struct subject *s, struct verdict *ret);

/** Combine several risks: the highest known one. RISK_FAILED counts as `failed`. If that
 *  is UNKNOWN, or with RISK_UNCLASSIFIED, the result is UNKNOWN unless one risk is HIGH.
 *  With `propagate`, one UNKNOWN makes the result UNKNOWN. */
enum risk analyzers_join_risks(const int *risks, size_t count, bool propagate,
			       enum risk failed);

/** Set *ret_order to < 0, 0 or > 0 if `a` is lower than, equal to or higher than `b`.
 *  @return false if one is UNKNOWN, which cannot be compared. */
bool analyzers_compare_risks(int a, int b, int *ret_order);
/** Does policy `risky` require approval? */
bool analyzers_risk_waits(int risk, int threshold, bool confirm_unknown);

/** List every rule of every analyzer, in the order in which they are tried. */
int analyzers_rules(struct analyzers *a, analyzers_rule_fn *each, void *arg,
		    struct error *err);

#endif
