/* SPDX-License-Identifier: MIT
 *
 * test-result.c - copies of the results of calls, and without memory. */
#include "oom.h"
#include "runner-client/runner-connection.h"
#include "tap.h"

static const struct runner_media media[] = { { "image/png", "one", 3 },
					     { "image/gif", "a\0b", 3 } };
static const struct runner_result result = {
	.call = 7, .status = MT_ETIMEOUT, .text = "a\0b", .text_len = 3, .error = "too slow",
	.media = media, .media_count = ARRAY_LEN(media), .cut = true,
};

static bool is_copy(const struct runner_result *r)
{
	return r->call == 7 && r->status == MT_ETIMEOUT && r->text_len == 3 &&
	       memcmp(r->text, "a\0b", 4) == 0 && strcmp(r->error, "too slow") == 0 &&
	       !r->spool && r->cut && r->media_count == 2 &&
	       strcmp(r->media[1].mime, "image/gif") == 0 && r->media[1].len == 3 &&
	       memcmp(r->media[1].bytes, "a\0b", 3) == 0;
}

int main(void)
{
	struct runner_result copy;
	size_t wrong = 0;

	runner_result_copy(&copy, &result);
	CHECK(is_copy(&copy));
	CHECK(copy.text != result.text && copy.media[0].bytes != media[0].bytes);
	runner_result_clear(&copy);
	CHECK(!copy.text && !copy.media_count);
	OOM_EACH({
		runner_result_copy(&copy, &result);
		wrong += !is_copy(&copy) && copy.status != MT_ENOMEM;
		wrong += oom_hit && copy.status != MT_ENOMEM;
		runner_result_clear(&copy);
	});
	CHECK(!wrong);
	CHECK_OOM();
	return tap_done();
}
