/* SPDX-License-Identifier: MIT
 *
 * turn.c - a turn with a model: builds the request and handles the reply. */
#include "turn.h"

#include <string.h>

/* The plugins have no library function to read a choice. */
enum turn_profile turn_profile(const struct mt_host *host, struct mt_ctx *ctx)
{
	const char *value = host->option(ctx, "profile"), *choice = TURN_PROFILES;
	size_t len = value ? strlen(value) : 0;

	for (int n = PROFILE_AUTO; value && choice; n++) {
		if (strncmp(choice, value, len) == 0 &&
		    (choice[len] == '|' || !choice[len]))
			return (enum turn_profile)n;
		choice = strchr(choice, '|');
		choice = choice ? choice + 1 : NULL;
	}
	return PROFILE_AUTO;
}

static int turn_ask(const struct mt_host *host, struct mt_ctx *ctx)
{
	struct mt_request *request = host->request(ctx);
	int r;

	if (!request)
		return MT_ENOMEM;
	r = host->request_history(request);
	if (!r)
		r = host->request_tool(request, NULL);
	if (!r && turn_profile(host, ctx) == PROFILE_SMALL)
		r = host->request_set(request, "short_tools",
				      (struct mt_str){ "true", 4 });
	return r ? r : host->send(ctx, request);
}

static int turn_act(const struct mt_host *host, const struct mt_agent_out *out,
		    struct mt_ctx *ctx, const struct mt_reply *reply)
{
	size_t calls = host->reply_calls(reply);

	if (calls == 0)
		return out->message(ctx, host->reply_text(reply), 1);
	for (size_t i = 0; i < calls; i++) {
		int r = out->call(ctx, i);

		if (r)
			return r;
	}
	return MT_OK;
}

int turn_advance(const struct mt_host *host, const struct mt_agent_out *out,
		 struct mt_ctx *ctx, const struct mt_in *in)
{
	int r;

	switch (in->what) {
	case MT_START:
		r = turn_ask(host, ctx);
		return r < 0 ? r : MT_OK;
	case MT_REPLIED:
		return turn_act(host, out, ctx, in->reply);
	}
	return MT_EUNSUPPORTED;
}
