/* SPDX-License-Identifier: MIT
 *
 * mortise/agent.h - the agent kind: builds requests to the model and interprets its
 * replies. PROVISIONAL, see advance.h. An agent is pure: the same view, options and reply
 * give the same result.
 *
 * What changed, newest first:
 *   0.7  host->log_text and refuse_text: see advance.h
 *   0.6  host->http, host->blob and MT_HTTP_DONE: see advance.h
 *   0.5  no effect but send: see advance.h
 *   0.4  no effects but send and http: see advance.h
 *   0.3  mt_agent_out.complain is called report_error
 *   0.2  MT_AGENT_READ_ONLY, mt_agent.tools
 *   0.1  first version */
#ifndef MORTISE_AGENT_H
#define MORTISE_AGENT_H

#include <mortise/advance.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_AGENT_MAJOR 0u
#define MT_AGENT_MINOR 7u

/** What an agent adds to the services of the host: what to do, in this order, up to 256
 *  actions. Only for `advance`. Each copies what it is given and returns MT_OK,
 *  MT_EINVAL, MT_ELIMIT, MT_ENOMEM. */
struct mt_agent_out {
	uint32_t size;
	uint32_t reserved;
	/** The n-th call of the reply, from 0, as the action that its tool declares;
	 *  MT_EINVAL if there is no such call. Unknown tools and bad arguments become errors
	 *  that the model reads. */
	int (*call)(struct mt_ctx *ctx, size_t n);
	/** An action of the agent itself; `args` is a JSON object. */
	int (*action)(struct mt_ctx *ctx, const char *type, struct mt_str args);
	/** A message to the user; with `wait`, the agent waits for a reply. */
	int (*message)(struct mt_ctx *ctx, struct mt_str text, int wait);
	/** Report an error in its reply to the model and let it retry. */
	int (*report_error)(struct mt_ctx *ctx, struct mt_str text);
};

enum {
	MT_AGENT_NO_MODEL = 1u << 0, /* does not use a model, so none needs to be configured */
	MT_AGENT_READ_ONLY = 1u << 1, /* the host enables only tools that are
	                                 MT_TOOL_READ_ONLY or MT_TOOL_CONTROL */
};

struct mt_agent {
	uint32_t size;
	uint32_t flags; /* MT_AGENT_NO_MODEL ... */
	/** The first event of a conversation: the system text, by host->prompt.
	 *  The host copies it when the function has returned, so it is a text of the host or
	 *  one that stays. No view, request or effect. @return MT_OK or a status. */
	int (*system)(const struct mt_host *host, struct mt_ctx *ctx,
		      struct mt_str *ret_text);
	/** One step: MT_START, MT_HTTP_DONE after each host->http, MT_REPLIED after host->send,
	 *  until it has put out at least one action; a step without one is an error. When
	 *  a conversation is resumed, MT_REPLIED comes again with the reply that is in
	 *  the log: the same reply must give the same actions. @return MT_OK or a status,
	 *  which ends the conversation in an error with the sentence of host->refuse. */
	int (*advance)(const struct mt_host *host, const struct mt_agent_out *out,
		       struct mt_ctx *ctx, const struct mt_in *in);
	/** The tools of the agent, in the form of `tools` of a controller: the host
	 *  enables exactly these. NULL: those of the controller. Constant. */
	const char *tools;
};

/** A plugin of one agent; see MT_ONE_COMPONENT. */
#define MT_AGENT(functions_, plugin_name_, ...)                                \
	MT_ONE_COMPONENT(MT_KIND_AGENT, MT_AGENT_MAJOR, MT_AGENT_MINOR,        \
			 1 ? (functions_) : (const struct mt_agent *)0,        \
			 plugin_name_, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
