/* SPDX-License-Identifier: MIT
 *
 * llm-internal.h - private header of host/llm: a model, and one request to it with its
 * attempts. A dialect sees a struct llm_exchange as its opaque struct mt_exchange,
 * and a struct llm_request as struct mt_request. */
#ifndef HOST_LLM_LLM_INTERNAL_H
#define HOST_LLM_LLM_INTERNAL_H

#include "request/body.h"
#include "llm/transport/http.h"
#include "llm/llm.h"
#include "models/model-params.h"
#include "llm/transport/backoff.h"
#include "strbuf.h"
#define MORTISE_PROVISIONAL
#include <mortise/dialect.h>

enum {
	LLM_MAX_BODY = 256 << 20,   /* of a request */
	LLM_KEEP_BODY = 16 << 20,   /* larger ones are not reused */
	LLM_MAX_ANSWER = 64 << 20,  /* bytes of a response that are read */
	LLM_MAX_ERROR = 64 << 10,   /* bytes of a response with an error status */
	LLM_MAX_TEXT = 32 << 20,    /* of each text of a reply */
	LLM_MAX_CALLS = 256,
	LLM_MAX_HEADERS = 32,
	LLM_MAX_STATE = 1 << 20,    /* memory of a dialect in one exchange */
	LLM_MAX_ANSWER_HEADERS = 32768,
};

struct fncall_tools;

struct llm {
	struct llm_pool *pool;
	const struct config *config;
	struct mask *mask, *own_mask;  /* own_mask: created if none was given */
	char *section;                 /* "llm", "llm.cheap" */
	char *name;                    /* "openai/gpt-4.1" */
	char *provider, *model;        /* its two halves */
	char *base_url;                /* "" for a dialect without a network */
	char *key_env;                 /* environment variable of the key, or "" */
	char *key;                     /* NULL: none */
	bool signs;                    /* the dialect signs requests; no key */
	const struct component *component; /* the plugin of the dialect */
	const struct mt_dialect *dialect;
	json_object *own;              /* options set in its section, {key: "value"} */
	struct backoff_rule retry;
	struct llm **fallback;         /* tried in order when this one fails */
	size_t fallback_count;
	struct llm_usage_totals *bill; /* totals for its usage; may be NULL */
	int64_t timeout_ms, stall_ms;  /* 0: none */
	double input_cost, output_cost; /* US dollars per token; below 0: unknown */
	int64_t window;
	struct model_facts facts;
	struct model_params params;    /* from the configuration, as sent */
	char output_limit[24];
	bool price_warned;
	char *request_log_dir;         /* directory of the request log; NULL: no log */
	double bytes_per_token;        /* of a request, measured */
	double ratio_kept;             /* ... as stored */
	bool ratio_known;
	bool self_hosted;              /* its server is local, or run by the user */
	bool window_asked;
	struct context_query *context_query; /* NULL: no query in progress */
	bool uncounted;                /* the provider has no token count API */
	struct llm_metrics metrics;
	struct llm_body kept;          /* of the last finished request */
};

/* A tool call that is being received. */
struct llm_piece {
	char *id, *name;
	struct strbuf args;
	char *refusal;                 /* see struct llm_reply */
};

struct llm_exchange {
	struct llm *llm;               /* the model in use */
	struct llm *first;             /* the model of the first attempt */
	size_t fallback;               /* index of the next fallback of `first` */
	struct llm_exchange *next, **prev;
	struct llm_events events;
	void *arg;
	const struct llm_request *request;
	size_t ahead;                  /* encode only this number of messages; 0: all */
	int64_t reply_index;
	char estimate[24], window[24]; /* values of options, as text */
	int64_t tokens;                /* of the request, estimated or counted */
	struct fncall_tools *tools;    /* for calls as text; NULL: native calls */
	bool stream, ended;
	bool raised_temperature;       /* sent with a temperature of 1 */
	bool no_cache;                 /* sent without cache breakpoints */
	bool needs_encode;             /* to be encoded again before it is sent */
	bool size_checked;             /* the request fits, or its size is unknown */
	uv_timer_t timer;              /* retry delay, delay of a local reply, idle timeout */

	/* what is sent, unchanged between attempts */
	struct strbuf url;
	struct llm_body body;
	char *headers[LLM_MAX_HEADERS];
	size_t header_count;
	bool local;
	int64_t delay_ms;

	/* the attempt */
	struct http_call *http;        /* NULL: none in progress */
	struct token_count *count;       /* NULL: no count in progress */
	int attempt;
	uint64_t started;              /* uv_hrtime */
	int status;
	char type[128];
	struct strbuf answer_headers;  /* name, NUL, value, NUL, ... */
	struct backoff_hint hint;
	double header_cost;            /* below 0: not reported */
	size_t received;

	/* the response, as decoded by the dialect */
	struct strbuf text, reasoning, opaque;
	size_t shown;                  /* bytes of the text that were streamed */
	struct llm_piece calls[LLM_MAX_CALLS];
	size_t call_count;
	char *response_id, *stop_reason;
	char *correction;              /* see struct llm_reply */
	bool is_guess;
	struct llm_usage usage;
	bool answered;                 /* part of a reply was received */
	bool finished;                 /* the response is complete */
	int error_kind;                /* -1: none; MT_ERROR_NONE: by the status */
	struct strbuf error_text;
	void *state;
	size_t state_size;
	void (*release)(void *state);
};

extern const struct mt_dialect_host llm_dialect_host;

/* exchange.c */
void exchange_end(struct llm_exchange *x);
/** Send the next attempt. */
void exchange_begin(struct llm_exchange *x);
/** Encode the request again with the current parameters. */
int exchange_write_again(struct llm_exchange *x, struct error *err);
/** Encode a request, or a query about it. */
typedef int exchange_writer(const struct mt_dialect_host *host, struct mt_exchange *x,
			    const struct mt_request *r);
int exchange_encode(struct llm_exchange *x, const struct llm_request *request,
		    exchange_writer *write, struct error *err);
/** Send the encoded request, signed if the dialect signs requests. */
int exchange_post(struct llm_exchange *x, const struct http_events *events, void *arg,
		  int64_t timeout_ms, struct http_call **ret, struct error *err);
/** Let the dialect check its requirements for requests to this model. */
int exchange_check(struct llm *l, struct error *err);
/** Free the encoded request and the response. */
void exchange_clear(struct llm_exchange *x);
/** Encode the request for another model, which again gets all its attempts. */
int exchange_move(struct llm_exchange *x, struct llm *next, struct error *err);

/* window-check.c */
/** Before the first attempt: true if the provider is counting the tokens, or the
 *  request is too long to send; the exchange then continues from the loop. */
bool window_check_begin(struct llm_exchange *x);
void window_check_end(struct llm_exchange *x);

/* models/server-context.c */
void llm_context_query_end(struct llm *l);

/* retry-policy.c */
/** Retry later, in another form or with another model, or report the error. */
void retry_policy_on_failure(struct llm_exchange *x, int kind, const char *why);
/** Handle a response with neither text nor calls. */
void retry_policy_on_empty_reply(struct llm_exchange *x);

/* dialect-host.c */
void exchange_reset_attempt(struct llm_exchange *x); /* discard the last response */

/* errors.c */
enum { LLM_NO_ERROR = -1 };
/** Return the kind of an error that the dialect did not classify. */
int llm_error_by_status(int status, const char *text);
bool llm_error_is_transient(int kind, int status);
/** True if the prompt was too short for the provider's cache. */
bool llm_error_is_small_cache(const char *text);
/** One sentence: what happened and what to do. `why` is the provider's text. */
void llm_error_describe(const struct llm *l, struct llm_error *e, const char *why);

/* adapt-request.c */
/** Return the tools with short descriptions, owned by the caller, if the model
 *  or the request requires these; NULL: unchanged. */
int llm_adapt_tools(const struct llm_exchange *x, const struct llm_request *r,
		    struct llm_tool **ret, struct error *err);
/** The request as the model supports it; NULL: unchanged. */
int llm_adapt_request(struct llm_exchange *x, const struct llm_request *in,
		      struct llm_request **ret, struct error *err);
/** The parameters that are sent; owned by the caller. */
int llm_adapt_params(const struct llm_exchange *x, const struct llm_request *r,
		     json_object **ret, struct error *err);
/** Stream the new text, without tool calls. */
void llm_stream_text(struct llm_exchange *x);
/** Parse the calls in the text of a complete reply. */
int llm_adapt_reply(struct llm_exchange *x);

/* models/model-features.c */
struct provider;
void llm_read_facts(struct llm *l, const struct provider *p);
/** Return an option that depends on the model. @return false if `name` is not one. */
bool llm_option(const struct llm *l, const char *name, const char **ret);
/** True if the model supports this request parameter. */
bool llm_supports_param(const struct llm *l, const struct llm_request *r,
			const char *param);

/* media.c */
/** Select the media to send to this model. */
void llm_choose_media(const struct llm *l, struct llm_request *request);
/** Text to show instead of a medium; NULL: the medium itself. */
const char *llm_media_placeholder(const struct llm_request *r, size_t m, size_t p);
/** Append the base64 of a medium to a body. */
int llm_put_medium(struct llm_body *b, const struct llm_part *part);
/** Read bytes of a medium at `offset`. @return the number of bytes, or a status. */
int64_t llm_read_medium(const struct llm_part *part, uint64_t offset, void *buffer,
			size_t len);

/* request-log.c */
/** Log the request and its reply; if `reply` is NULL, `why` it failed. */
void llm_request_log_write(const struct llm_exchange *x, const struct llm_reply *reply,
			   const char *why);

/* estimate.c */
void llm_estimate_open(struct llm *l);
void llm_estimate_close(const struct llm *l);
/** True if the estimate `tokens` clearly exceeds the context window. */
bool llm_exceeds_window(const struct llm *l, int64_t tokens);
/** Update the estimate with the provider's token count of a request. */
void llm_estimate_learn(struct llm *l, const struct llm_request *r, int64_t input);

/* models/cost.c */
void llm_record_usage(struct llm *l, struct llm_usage *usage, double header_cost,
		      int64_t latency_ms);

#endif
