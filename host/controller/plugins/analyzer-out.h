/* SPDX-License-Identifier: MIT
 *
 * analyzer-out.h - one action that an analyzer assesses. */
#ifndef HOST_CONTROLLER_PLUGINS_ANALYZER_OUT_H
#define HOST_CONTROLLER_PLUGINS_ANALYZER_OUT_H

#include "controller/plugins/analyzer-subject.h"
#include "controller/plugins/plugin-ctx.h"

#define MORTISE_PROVISIONAL
#include <mortise/analyzer.h>

/** A string of the arguments. */
struct leaf {
	const char *name;
	json_object *text;
};

/** Input and result of one analyzer. */
struct trial {
	const struct subject *subject;
	struct mt_event action; /* of the subject */
	void *instance;
	struct leaf *leaves;
	size_t leaf_count;
	bool unread; /* out of memory for the arguments */
	struct verdict verdict;
	analyzers_rule_fn *rule;
	void *rule_arg;
};

/** The action that an analyzer reads, and its verdict. */
const struct mt_analyzer_out *plugin_analyzer_out(void);
/** List the strings among the arguments of the subject. The caller frees `t->leaves`,
 *  even after MT_ELIMIT. */
int analyzer_collect_leaves(struct trial *t);

#endif
