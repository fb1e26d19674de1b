/* SPDX-License-Identifier: MIT
 *
 * estimate.c - estimates the tokens of a request before a provider counts them.
 *
 * Each reply reports the tokens of its request. An average of bytes per token, weighted
 * towards the newest requests, is stored for each model in the state directory. Images
 * count a fixed number of tokens; requests with images do not change the average. */
#include "llm/llm-internal.h"
#include "llm/media.h"
#include "files.h"
#include "log.h"
#include <string.h>

enum { LEAST_BYTES = 400, LEAST_TOKENS = 50, MAX_FILE = 256,
       MAX_NAME = 200 };

static const double usual = 4, least = 0.5, most = 16, weight = 0.25;

/* STATE/tokens/MODEL; NULL: the path is unknown. */
static char *ratio_path(const struct llm *l, bool make)
{
	const char *state = config_get(l->config, "core", "state_dir");
	AUTO(free) char *base = state && *state ? path_expand(state) : NULL;
	AUTO(free) char *dir = base ? path_join(base, "tokens") : NULL;
	char name[MAX_NAME];
	size_t n = 0;

	if (!dir || (make && dir_make(dir, NULL)))
		return NULL;
	for (; l->name[n] && n < sizeof name - 1; n++)
		name[n] = strchr("/\\. \t", l->name[n]) ? '_' : l->name[n];
	name[n] = '\0';
	return path_join(dir, name);
}

void llm_estimate_open(struct llm *l)
{
	AUTO(free) char *path = ratio_path(l, false), *text = NULL;
	double ratio;
	size_t len;
	char *end;

	l->bytes_per_token = usual;
	if (!path || file_read(path, MAX_FILE, &text, &len, NULL))
		return;
	ratio = strtod(text, &end);
	if (end != text && ratio >= least && ratio <= most) {
		l->bytes_per_token = l->ratio_kept = ratio;
		l->ratio_known = true;
	}
}

void llm_estimate_close(const struct llm *l)
{
	struct error err = ERROR_NONE;
	AUTO(free) char *path = NULL;
	char text[32];
	int n;

	if (!l->ratio_known || (l->bytes_per_token - l->ratio_kept < 0.01 &&
				l->ratio_kept - l->bytes_per_token < 0.01))
		return;
	path = ratio_path(l, true);
	n = snprintf(text, sizeof text, "%.3f\n", l->bytes_per_token);
	if (!path || file_write(path, text, (size_t)n, 0600, false, &err))
		log_line(MT_LOG_INFO, "llm", "cannot save token statistics for %s: %s",
			 l->name, error_text(&err));
}

static int64_t tokens_of(const struct llm *l, size_t bytes)
{
	double tokens = (double)bytes / l->bytes_per_token;

	return tokens < 1e15 ? (int64_t)tokens + 1 : INT64_MAX / 2;
}

int64_t llm_estimate_tokens(const struct llm *l, const struct llm_request *r)
{
	size_t images, bytes = llm_request_bytes(r, &images);

	return tokens_of(l, bytes) + (int64_t)images * LLM_IMAGE_TOKENS;
}

bool llm_exceeds_window(const struct llm *l, int64_t tokens)
{
	/* without a count for this model, the estimate may be too high by a factor of
	 * two */
	int64_t known = l->ratio_known ? tokens : tokens / 2;

	return l->window > 0 && known > l->window;
}

void llm_estimate_learn(struct llm *l, const struct llm_request *r, int64_t input)
{
	size_t images, bytes = llm_request_bytes(r, &images);
	double ratio;

	if (!l->base_url[0] || images || bytes < LEAST_BYTES || input < LEAST_TOKENS)
		return;
	ratio = (double)bytes / (double)input;
	if (ratio < least || ratio > most)
		return;
	if (l->ratio_known)
		l->bytes_per_token += weight * (ratio - l->bytes_per_token);
	else
		l->bytes_per_token = ratio;
	l->ratio_known = true;
}
