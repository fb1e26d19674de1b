/* SPDX-License-Identifier: MIT
 *
 * runner-result.c - copies of the results of calls. */
#include "runner-client/runner-connection.h"

#include <stdlib.h>
#include <string.h>

void runner_result_clear(struct runner_result *r)
{
	free((void *)(uintptr_t)r->text);
	free((void *)(uintptr_t)r->error);
	free((void *)(uintptr_t)r->limit);
	free((void *)(uintptr_t)r->limit_text);
	free((void *)(uintptr_t)r->spool);
	free((void *)(uintptr_t)r->refused);
	json_object_put(r->fields);
	for (size_t i = 0; i < r->media_count; i++) {
		free((void *)(uintptr_t)r->media[i].mime);
		free((void *)(uintptr_t)r->media[i].bytes);
	}
	free((void *)(uintptr_t)r->media);
	*r = (struct runner_result){ 0 };
}

static bool result_copy_bytes(const char **to, const char *from, size_t len)
{
	char *made = from ? malloc(len + 1) : NULL;

	if (made) {
		memcpy(made, from, len);
		made[len] = '\0';
	}
	*to = made;
	return made || !from;
}

static bool copy_media(const struct runner_result *from, struct runner_result *to)
{
	struct runner_media *all = calloc(from->media_count + 1, sizeof *all);

	to->media = all;
	for (size_t i = 0; all && i < from->media_count; i++) {
		const struct runner_media *m = &from->media[i];
		const char *bytes;

		to->media_count++; /* before a copy can fail, so that it is freed */
		if (!result_copy_bytes(&all[i].mime, m->mime, strlen(m->mime)) ||
		    !result_copy_bytes(&bytes, m->bytes, m->len))
			return false;
		all[i].bytes = bytes;
		all[i].len = m->len;
	}
	return all;
}

void runner_result_copy(struct runner_result *to, const struct runner_result *from)
{
	static const char sorry[] = "out of memory";

	*to = *from;
	to->text = to->error = to->spool = to->refused = NULL;
	to->limit = to->limit_text = NULL;
	to->media = NULL;
	to->media_count = 0;
	to->fields = from->fields ? json_object_get(from->fields) : NULL;
	if (result_copy_bytes(&to->text, from->text, from->text_len) &&
	    result_copy_bytes(&to->error, from->error,
			      from->error ? strlen(from->error) : 0) &&
	    result_copy_bytes(&to->limit, from->limit,
			      from->limit ? strlen(from->limit) : 0) &&
	    result_copy_bytes(&to->limit_text, from->limit_text,
			      from->limit_text ? strlen(from->limit_text) : 0) &&
	    result_copy_bytes(&to->spool, from->spool,
			      from->spool ? strlen(from->spool) : 0) &&
	    result_copy_bytes(&to->refused, from->refused,
			      from->refused ? strlen(from->refused) : 0) &&
	    copy_media(from, to))
		return;
	runner_result_clear(to);
	to->status = MT_ENOMEM;
	result_copy_bytes(&to->text, "", 0);
	result_copy_bytes(&to->error, sorry, sizeof sorry - 1);
}
