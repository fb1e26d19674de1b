/* SPDX-License-Identifier: MIT
 *
 * codeact.c - the general agent: the whole view and all tools go to the model;
 * what it calls is done, what it only says is a message to the user. */
#define MORTISE_PROVISIONAL
#include <mortise/agent.h>

static int system_text(const struct mt_host *host, struct mt_ctx *ctx,
		       struct mt_str *ret_text)
{
	return host->prompt(ctx, "system", (struct mt_str){ 0 }, ret_text);
}

static int ask(const struct mt_host *host, struct mt_ctx *ctx)
{
	struct mt_request *request = host->request(ctx);
	int r;

	if (!request)
		return MT_ENOMEM;
	r = host->request_history(request);
	if (!r)
		r = host->request_tool(request, NULL);
	return r ? r : host->send(ctx, request);
}

static int act(const struct mt_host *host, const struct mt_agent_out *out,
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

static int advance(const struct mt_host *host, const struct mt_agent_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	int r;

	switch (in->what) {
	case MT_START:
		r = ask(host, ctx);
		return r < 0 ? r : MT_OK;
	case MT_REPLIED:
		return act(host, out, ctx, in->reply);
	}
	return MT_EUNSUPPORTED;
}

static const struct mt_agent codeact = {
	.size = sizeof codeact,
	.system = system_text,
	.advance = advance,
};

static const struct mt_component component = {
	.size = sizeof component,
	.kind = MT_KIND_AGENT,
	.version_major = MT_AGENT_MAJOR,
	.version_minor = MT_AGENT_MINOR,
	.name = "codeact",
	.summary = "Plans, runs commands and edits files until the task is done.",
	.functions = &codeact,
};

MT_PLUGIN(.name = "codeact", .version = "1.0", .license = "MIT", .components = &component,
	  .component_count = 1)
