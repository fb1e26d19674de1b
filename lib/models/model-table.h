/* SPDX-License-Identifier: MIT
 *
 * model-table.h - facts about a model by its name: features, limits, prices.
 *
 * The table is a file of sections [GLOB, GLOB, ...] with lines `key = value`, read in one
 * pass without allocation. All sections that match apply; later ones override earlier
 * ones. The installed file is followed by the user's own, which `mortise models import`
 * writes, and [model.GLOB] of the configuration.
 *
 * A glob (*, ? and [set]) with a slash is compared with the whole name, any other glob
 * with the name without the provider and without a colon and what follows; case is
 * ignored. */
#ifndef LIB_MODELS_MODEL_TABLE_H
#define LIB_MODELS_MODEL_TABLE_H

#include "config/config.h"
#include <stdbool.h>
#include <stdint.h>

enum { MODEL_NAME_MAX = 256, MODEL_TABLE_MAX = 4 << 20 };

/** US dollars per million tokens; below 0: unknown. */
struct model_prices {
	double input, output, cache_read, cache_write;
};

struct model_facts {
	uint64_t told;     /* bit by index in model_keys: the key is set */
	bool tools;        /* calls tools natively */
	bool cache;        /* supports prompt cache breakpoints */
	bool stop;         /* supports stop sequences */
	bool effort;       /* has levels of reasoning effort */
	bool effort_sent;  /* ... and accepts one in a request */
	bool effort_budget; /* low effort is sent as a budget of 128 tokens */
	bool vision;       /* supports images */
	bool pdf;          /* supports PDF files */
	bool responses;    /* prefers the Responses API */
	bool sampling;     /* supports temperature and top_p */
	bool temperature_and_top_p; /* ... in the same request */
	bool no_thinking;  /* requests disable reasoning explicitly */
	bool adaptive_thinking; /* chooses its reasoning effort; has no budget */
	bool inline_images; /* does not fetch images by URL */
	bool short_tools;  /* send the short descriptions of tools */
	bool example;      /* tools as text: send an example */
	bool send_reasoning; /* receives its reasoning back as text */
	bool max_completion_tokens;    /* the limit is max_completion_tokens only */
	int64_t window;    /* context window in tokens; -1: unknown */
	int64_t output;    /* maximum tokens of a reply; -1: unknown */
	int64_t default_output; /* sent if the user sets no limit; -1: none */
	int64_t output_cap; /* cap on every limit that is sent; -1: none */
	struct model_prices price;
	int64_t long_from; /* long_price applies above this input; -1: never */
	struct model_prices long_price;
};

/** One key of the table: its name and the member that it sets, for listing. */
struct model_key {
	const char *name;
	enum model_key_type { MODEL_FLAG, MODEL_COUNT, MODEL_PRICE } type;
	size_t offset;     /* in struct model_facts */
};
extern const struct model_key model_keys[];
extern const size_t model_key_count;
/** True if the table sets this key for the model. */
bool model_has_fact(const struct model_facts *f, const char *key);

/** The name to which globs without a slash are compared: lowercase, from the last slash
 *  to a colon, without -gguf at the end. */
void model_normalize(const char *model, char ret[MODEL_NAME_MAX]);
bool model_matches(const char *model, const char *glob);

/** Facts of an unknown model. */
void model_facts_init(struct model_facts *f);
/** Apply the facts about the model in a text with the syntax of the table. Ignores
 *  unknown keys and invalid lines. */
void model_facts_apply(struct model_facts *f, const char *model, const char *text,
		       size_t len);
/** All facts: from the files, then from the configuration. Logs a warning if a
 *  table cannot be read. */
void model_facts_find(const struct config *c, const char *model, struct model_facts *ret);

/** The cost of a call in dollars; negative: unknown. `input` counts the whole prompt,
 *  including tokens read from and written to the cache. */
double model_cost(const struct model_facts *f, int64_t input, int64_t output,
		  int64_t cache_read, int64_t cache_write);

/** Iterate over the sections of a text: sets the globs ("a, b") and the lines of the next
 *  one and advances *pos. False at the end. */
struct model_section {
	const char *globs, *lines;
	size_t globs_len, lines_len;
};
bool model_section_next(const char *text, size_t len, size_t *pos,
			struct model_section *ret);

/** Paths of the tables: the installed one (borrowed from `c`), the user's own
 *  (owned; NULL: unknown). */
const char *model_table_path(const struct config *c);
char *model_table_user_path(bool make, struct error *err);

/** Convert LiteLLM's price file to a table.
 *  @return the number of models, or an mt_status. */
int model_import(const char *json, size_t len, struct strbuf *out, struct error *err);

#endif
