/* SPDX-License-Identifier: MIT
 *
 * mortise/advance.h - the one function of agents, condensers, analyzers, and runtimes,
 * and the handles that it uses.
 *
 * PROVISIONAL: version 0 of each kind, loaded only by a host of exactly the
 * same version. Write `#define MORTISE_PROVISIONAL` before including it.
 *
 * `advance(host, ctx, in)` receives an event and either finishes, or requests an effect (a
 * request to a model, or of HTTP) and returns; the host performs it and calls it again with
 * the result. It never blocks and does no input or output. Its state between calls is at
 * most 64 KiB of text, stored with host->keep and passed back in `in->state`; the host logs
 * it.
 *
 * Handles and borrowed texts are valid until `advance` returns: results of host services,
 * and members of `in`. Services copy their arguments before they return. Everything
 * happens on one thread, and services may be called only by that thread. Pointers passed
 * to a plugin are not NULL unless documented otherwise; a struct mt_str may have a NULL
 * pointer if its length is 0.
 *
 * What changed, newest first:
 *   host->log_text and refuse_text, at the end (agent 0.7, analyzer 0.7, condenser 0.7,
 *       dialect 0.8, runtime 0.6)
 *   host->http, host->blob, MT_HTTP_DONE and in->http, all at the end of their structs
 *       (agent 0.6, condenser 0.6; other kinds have no effects)
 *   MT_HTTP_DONE, in->code and host->http were removed; no host used them (agent 0.5,
 *       analyzer 0.5, condenser 0.5, dialect 0.7, runtime 0.4)
 *   MT_COMMAND_ENDED, MT_TIMER, host->command and host->timer are gone, which no host
 *       performed (agent 0.4, analyzer 0.4, condenser 0.4, dialect 0.6, runtime 0.2)
 *   host->request_media
 *   MT_ERROR_HISTORY
 *   host->option_at, request_define_tool, refuse (agent 0.2, analyzer 0.2, condenser 0.2)
 *   first version
 */
#ifndef MORTISE_ADVANCE_H
#define MORTISE_ADVANCE_H

#ifndef MORTISE_PROVISIONAL
#error "this kind may still change: define MORTISE_PROVISIONAL to use it"
#endif

#include <mortise/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_STATE_MAX 65536u

struct mt_ctx;     /* the work in progress; belongs to the host */
struct mt_event;   /* one event of the conversation */
struct mt_request; /* a request to a model, while it is built or encoded */
struct mt_reply;   /* what a model answered */

enum mt_happening {
	MT_START = 1,     /* the work starts */
	MT_REPLIED = 2,   /* a model answered: in->reply */
	MT_HTTP_DONE = 3, /* an HTTP request has ended: in->http has the result */
	MT_FAILED = 6,    /* a model request failed: in->error, in->body is a sentence.
	                     Condensers only: one of an agent is the host's business */
	MT_CANCELLED = 7, /* effects requested now are ignored; this host calls no plugin then */
};

/** Why a model request failed. */
enum mt_error_kind {
	MT_ERROR_NONE = 0,
	MT_ERROR_AUTHENTICATION = 1,
	MT_ERROR_RATE_LIMIT = 2,
	MT_ERROR_QUOTA = 3,
	MT_ERROR_OVERLOADED = 4,
	MT_ERROR_CONTEXT_WINDOW = 5,
	MT_ERROR_CONTENT_POLICY = 6,
	MT_ERROR_BAD_REQUEST = 7,
	MT_ERROR_NETWORK = 8,
	MT_ERROR_TIMEOUT = 9,
	MT_ERROR_MALFORMED = 10, /* the answer cannot be parsed */
	MT_ERROR_NOT_FOUND = 11,
	MT_ERROR_INTERNAL = 12,
	MT_ERROR_HISTORY = 13,   /* calls and results that do not belong together */
};

enum {
	MT_HTTP_REPEATABLE = 1u << 0, /* sending it twice has no other effect than once. GET,
	                                 PUT and DELETE: always so */
};

/** An HTTP request; see host->http. Zero the members that are not set. */
struct mt_http_request {
	uint32_t size;
	uint32_t flags;         /* MT_HTTP_REPEATABLE */
	const char *method;     /* GET, POST, PUT, PATCH, DELETE; NULL: POST with a body, else GET */
	const char *url;        /* http or https, with the name of a host */
	struct mt_str headers;  /* "Name: value" in each line; at most 64, 64 KiB in all */
	struct mt_str body;     /* any bytes, at most 2 MiB; ptr NULL: none */
	const char *body_blob;  /* NULL, or a blob that is sent in place of `body` */
	int64_t timeout_ms;     /* of the whole exchange; 0: 60,000. At most 600,000 */
	uint64_t max_bytes;     /* of the response's body; 0: 2 MiB. At most 16 MiB */
};

/** The result of a request: `status` if a server has answered, otherwise `error`. */
struct mt_http_result {
	uint32_t size;
	int32_t error;          /* MT_OK; MT_ETIMEOUT; MT_ELIMIT: the response is larger than
	                           `max_bytes`, or its headers than 256 KiB; MT_EIO: no connection,
	                           an untrusted certificate, ...; MT_ECANCELLED: it was sent in an
	                           earlier attempt at the step, and may have had its effect */
	uint32_t status;        /* of HTTP: 200, 302 (redirects are not followed), 404; or 0 */
	uint32_t reserved;
	struct mt_str headers;  /* "name: value\n" for each, the names in lowercase and at
	                           most 63 bytes, the values cut after 1,023 */
	const char *body;       /* the blob with its bytes; "" if it is empty */
	uint64_t body_len;      /* bytes */
	struct mt_str reason;   /* a sentence, if `error` is set */
};

/** Borrowed until `advance` returns, with all that it points to. */
struct mt_in {
	uint32_t size;
	uint32_t what;                /* enum mt_happening */
	uint32_t effect;              /* number of the effect it answers; 0: none */
	uint32_t error;               /* MT_FAILED: enum mt_error_kind */
	struct mt_str body;
	struct mt_str state;          /* the last argument of host->keep; empty at first */
	const struct mt_reply *reply; /* NULL unless MT_REPLIED */
	const struct mt_http_result *http; /* NULL unless MT_HTTP_DONE */
};

enum mt_role {
	MT_ROLE_SYSTEM = 1,
	MT_ROLE_USER = 2,
	MT_ROLE_ASSISTANT = 3,
	MT_ROLE_TOOL = 4,
};

/** Services of the host. Append only within a version. */
struct mt_host {
	uint32_t size;
	uint32_t reserved;

	/* -- options and logging -- */
	/** Value of an option as text, its default included; NULL if it is unset or
	 *  unknown. */
	const char *(*option)(struct mt_ctx *ctx, const char *name);
	/** The same as a number: of a boolean 1 or 0, of a duration ms, of a size bytes;
	 *  0 if unset. */
	int64_t (*option_int)(struct mt_ctx *ctx, const char *name);
	/** A line of the log, cut after 4095 bytes; `level` is enum mt_log_level. */
	void (*log)(struct mt_ctx *ctx, int level, const char *fmt, ...) MT_PRINTF(3, 4);

	/* -- the view: the available events, oldest first -- */
	size_t (*view_count)(struct mt_ctx *ctx);
	/** Event at a place of the view; NULL past the end, where a summary is shown, and
	 *  without memory. The functions below take NULL: of it they say -1, 0 or "". */
	const struct mt_event *(*view_at)(struct mt_ctx *ctx, size_t place);
	int64_t (*event_id)(const struct mt_event *event);
	int (*event_is_action)(const struct mt_event *event);
	const char *(*event_type)(const struct mt_event *event);   /* "run", ... */
	const char *(*event_source)(const struct mt_event *event); /* "user", ... */
	/** Id of the action that an observation answers; -1: none. */
	int64_t (*event_cause)(const struct mt_event *event);
	/** Text of a field by path: "args.command", "content"; empty if absent. Anything
	 *  that is not a string is returned as JSON text. */
	struct mt_str (*event_field)(const struct mt_event *event, const char *path);
	/** The event as a model would read it; "" for analyzers. */
	struct mt_str (*event_text)(struct mt_ctx *ctx, const struct mt_event *event);
	/** Response id of the reply that an action came from; "" if none. */
	const char *(*event_reply)(const struct mt_event *event);

	/* -- a request to a model; sent with `send` -- */
	/** A new request, valid until `advance` returns or `request` is called again, which
	 *  discards it. NULL: out of memory, or there is no conversation: analyzers and
	 *  runtimes have none, nor has `check` of a condenser. The functions below that
	 *  build it return MT_OK or a status; then it can only be discarded. */
	struct mt_request *(*request)(struct mt_ctx *ctx);
	/** Append the view as messages: the system text, turns, tool calls with
	 *  their results. */
	int (*request_history)(struct mt_request *request);
	/** Append a message; `role` is enum mt_role. */
	int (*request_message)(struct mt_request *request, int role, struct mt_str text);
	/** Offer an enabled tool by name; NULL: all of them. */
	int (*request_tool)(struct mt_request *request, const char *name);
	/** Set a parameter: "temperature", "max_tokens", "response_schema". */
	int (*request_set)(struct mt_request *request, const char *name,
			   struct mt_str json);

	/* -- a reply; `reply` is in->reply, and not NULL; past the last call: "" -- */
	struct mt_str (*reply_text)(const struct mt_reply *reply);
	size_t (*reply_calls)(const struct mt_reply *reply);
	struct mt_str (*reply_call_name)(const struct mt_reply *reply, size_t n);
	struct mt_str (*reply_call_args)(const struct mt_reply *reply, size_t n);

	/* -- the effect, `send` or `http`: performed after `advance` has returned; the last
	 *    one that succeeds counts -- */
	/** Send the request to the model of the plugin. @return its number (> 0), or a
	 *  status: MT_EUNSUPPORTED if there is no model. On success `advance` must return
	 *  MT_OK, not the number. */
	int (*send)(struct mt_ctx *ctx, struct mt_request *request);

	/* -- keeping -- */
	/** Keep a state in place of the one before, for in->state of the next call: that of an
	 *  agent as long as the conversation, also after a resume, that of a condenser until
	 *  its work ends. @return MT_ELIMIT above MT_STATE_MAX, MT_ENOMEM, MT_EIO,
	 *  MT_EUNSUPPORTED without a conversation (see `request`). */
	int (*keep)(struct mt_ctx *ctx, struct mt_str state);

	/** Render a template of the agent: `data` is a JSON object that overrides the
	 *  values of the host (tools, workspace, date, ...). `*ret_text` is borrowed until
	 *  `advance` returns. @return MT_EUNSUPPORTED without a conversation (see
	 *  `request`), MT_ENOTFOUND, MT_EINVAL, ... */
	int (*prompt)(struct mt_ctx *ctx, const char *name, struct mt_str data,
		      struct mt_str *ret_text);

	/** The n-th option that was set, in the order of the configuration: its
	 *  name and value; NULL past the last. */
	const char *(*option_at)(struct mt_ctx *ctx, size_t n, const char **ret_value);
	/** Offer a tool that is not enabled: its calls in the reply are passed to the
	 *  requester. `schema`: JSON Schema of the arguments. With request_set
	 *  "tool_choice" (its name as a JSON string) the model must call it, if the
	 *  provider supports that. */
	int (*request_define_tool)(struct mt_request *request, const char *name,
				   struct mt_str description, struct mt_str schema);
	/** Say why, in one sentence, before returning a bad status; the last one counts. */
	void (*refuse)(struct mt_ctx *ctx, const char *fmt, ...) MT_PRINTF(2, 3);
	/** Append the images of an event, if it has any, to the last message of the
	 *  request. A model without vision gets a note that they were omitted. */
	int (*request_media)(struct mt_request *request, const struct mt_event *event);

	/** Send an HTTP request, with the proxy and the certificates of the host, to a host that
	 *  the plugin declares (MT_PERMIT_HOST) or `http_hosts` of its section names. For
	 *  `advance` of agents before they send to their model, and of condensers; at most 32 in
	 *  a step. The request is copied. MT_HTTP_DONE follows, unless the conversation pauses or
	 *  ends first: that cancels the request.
	 *
	 *  A step that is repeated (after a pause, an error or a crash) starts with MT_START, and
	 *  `advance` makes its requests again. The host answers those that a server has answered
	 *  before from the log. It sends the others again if they are repeatable; of one that is
	 *  not, it reports MT_ECANCELLED, once. Requests are the same if method, URL, headers and
	 *  body are. Secrets that the host knows are masked in what it logs and in responses.
	 *  @return its number (> 0), as `send`; MT_EINVAL, MT_EDENIED (the host is not
	 *  allowed), MT_ELIMIT, MT_ENOTFOUND (unknown blob), MT_ENOMEM; MT_EUNSUPPORTED:
	 *  without a conversation (see `request`), or after MT_REPLIED of an agent. */
	int (*http)(struct mt_ctx *ctx, const struct mt_http_request *request);
	/** The bytes of a blob of the conversation, at most 16 MiB; a NUL follows. A blob has a
	 *  name, that of mt_http_result.body, which can be part of a state and is valid as long
	 *  as the conversation. `*ret` is borrowed until the work ends: that of a step, or of a
	 *  condenser. @return MT_ENOTFOUND, MT_ELIMIT, MT_EIO, MT_ENOMEM, MT_EUNSUPPORTED as
	 *  `http`. */
	int (*blob)(struct mt_ctx *ctx, const char *name, struct mt_str *ret);
	/** `log` and `refuse` of a given text, for languages that cannot call functions with
	 *  variable arguments. */
	void (*log_text)(struct mt_ctx *ctx, int level, struct mt_str text);
	void (*refuse_text)(struct mt_ctx *ctx, struct mt_str text);
};

#ifdef __cplusplus
}
#endif
#endif
