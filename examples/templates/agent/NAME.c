/* SPDX-License-Identifier: MIT
 *
 * @name@ - an agent that sends the history and the tools to the model, executes the
 * calls of its reply, and passes its text to the user. */
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
	int status = request ? host->request_history(request) : MT_ENOMEM;

	if (!status)
		status = host->request_tool(request, NULL); /* every enabled tool */
	if (!status)
		status = host->send(ctx, request); /* the number of the effect */
	return status < 0 ? status : MT_OK;
}

static int act(const struct mt_host *host, const struct mt_agent_out *out,
	       struct mt_ctx *ctx, const struct mt_reply *reply)
{
	size_t count = host->reply_calls(reply);
	int status = MT_OK;

	if (count == 0)
		return out->message(ctx, host->reply_text(reply), 1);
	for (size_t i = 0; i < count && !status; i++)
		status = out->call(ctx, i);
	return status;
}

static int advance(const struct mt_host *host, const struct mt_agent_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	switch (in->what) {
	case MT_START:
		return ask(host, ctx);
	case MT_REPLIED:
		return act(host, out, ctx, in->reply);
	}
	return MT_EUNSUPPORTED;
}

static const struct mt_agent agent = {
	.size = sizeof agent,
	.system = system_text,
	.advance = advance,
};

MT_AGENT(&agent, "@name@", .name = "@name@",
	 .summary = "Executes the tool calls of the model.")
