/* SPDX-License-Identifier: MIT
 *
 * model-table.h - what is known of a model by its name: what it can do, its
 * limits, its prices.
 *
 * The table is a file of sections [GLOB, GLOB, ...] with lines `key = value`,
 * read in one pass without an allocation; every section that matches counts,
 * what stands later wins. After the installed file come the user's own, which
 * `mortise models import` writes, and [model.GLOB] of the configuration.
 *
 * A glob (*, ? and [set]) with a slash is compared with the whole name, any
 * other with the name without provider and without what follows a colon; small
 * and capital letters are the same. */
#ifndef HOST_LLM_MODELS_MODEL_TABLE_H
#define HOST_LLM_MODELS_MODEL_TABLE_H

#include "config/config.h"
#include <stdbool.h>
#include <stdint.h>

enum { MODEL_NAME_MAX = 256, MODEL_TABLE_MAX = 4 << 20 };

/** US dollars for a million tokens; below 0: not known. */
struct model_prices {
	double input, output, cache_read, cache_write;
};

struct model_facts {
	uint64_t told;     /* by place in model_keys: something was said of it */
	bool tools;        /* calls tools natively */
	bool cache;        /* takes marks for its prompt cache */
	bool stop;         /* takes stop words */
	bool effort;       /* has levels of reasoning effort */
	bool effort_sent;  /* ... and takes one in a request */
	bool effort_budget; /* little effort is asked for as a budget of 128 tokens */
	bool vision;       /* sees images */
	bool responses;    /* is best asked through the Responses API */
	bool sampling;     /* takes temperature and top_p */
	bool both_samplings; /* ... in the same request */
	bool no_thinking;  /* must be told not to think */
	bool adaptive_thinking; /* thinks as much as it finds right, no budget */
	bool inline_images; /* does not fetch what is given by its address */
	bool short_tools;  /* wants short descriptions of tools */
	bool example;      /* tools as text: an example helps */
	bool send_reasoning; /* wants its reasoning back as text */
	bool new_limit;    /* knows the limit as max_completion_tokens alone */
	int64_t window;    /* tokens of a request; -1: not known */
	int64_t output;    /* most tokens of a reply; -1: not known */
	int64_t default_output; /* asked for if the user sets no limit; -1: none */
	int64_t most_output; /* no more is asked for, whoever says so; -1: no such cap */
	struct model_prices price;
	int64_t long_from; /* above so many tokens of input: long_price; -1 */
	struct model_prices long_price;
};

/** One key of the table: its name and what it sets, for listing. */
struct model_key {
	const char *name;
	enum model_key_type { MODEL_FLAG, MODEL_COUNT, MODEL_PRICE } type;
	size_t offset;     /* in struct model_facts */
};
extern const struct model_key model_keys[];
extern const size_t model_key_count;
/** Does the table say anything of this key for the model? */
bool model_has_fact(const struct model_facts *f, const char *key);

/** The name that globs without a slash are compared with: small letters, what
 *  follows the last slash up to a colon, no -gguf at the end. */
void model_normalize(const char *model, char ret[MODEL_NAME_MAX]);
bool model_matches(const char *model, const char *glob);

/** Facts of a model of which nothing is known. */
void model_facts_init(struct model_facts *f);
/** Lay over them what a text in the form of the table says of the model.
 *  Unknown keys and lines that say nothing are passed over. */
void model_facts_apply(struct model_facts *f, const char *model, const char *text,
		       size_t len);
/** Everything that is known: the files, then the configuration. A table that
 *  cannot be read is a warning in the log. */
void model_facts_find(const struct config *c, const char *model, struct model_facts *ret);

/** What a call costs in dollars; below 0: not known. `input` counts the whole
 *  prompt, what came from and went to the cache included. */
double model_cost(const struct model_facts *f, int64_t input, int64_t output,
		  int64_t cache_read, int64_t cache_write);

/** Step through the sections of a text: sets the globs ("a, b") and the lines
 *  of the next one and advances *pos. False at the end. */
struct model_section {
	const char *globs, *lines;
	size_t globs_len, lines_len;
};
bool model_section_next(const char *text, size_t len, size_t *pos,
			struct model_section *ret);

/** Paths of the tables: the installed one (borrowed from `c`), the user's own
 *  (owned; NULL: none can be told). */
const char *model_table_path(const struct config *c);
char *model_table_user_path(bool make, struct error *err);

/** Write LiteLLM's price file as a table.
 *  @return the number of models, or an mt_status. */
int model_import(const char *json, size_t len, struct strbuf *out, struct error *err);

#endif
