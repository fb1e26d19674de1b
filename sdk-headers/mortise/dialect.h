/* SPDX-License-Identifier: MIT
 *
 * mortise/dialect.h - the dialect kind: the wire format of a model provider.
 * PROVISIONAL, see advance.h.
 *
 * A dialect does no input or output, except to read credentials that only its provider
 * has (see `sign`): it encodes a request as an HTTP request, and decodes the bytes of the
 * answer, which arrive in pieces of any size. One struct mt_exchange is one request with
 * its answer.
 *
 * Its functions run in the process of the host, on the thread that serves all clients, and
 * must return soon. Several exchanges may be open at once; what belongs to one is kept with
 * `state`. `x` and `request` are valid until the function returns; the functions of one
 * exchange get the same `x`. What a service returns is borrowed until the function returns, what it
 * is given is copied. A service that returns int returns MT_OK or a status, mostly MT_ENOMEM
 * and MT_ELIMIT, which the function may return. Places past the end of a request give 0, ""
 * or NULL; ret_ pointers may be NULL. Texts that are given with a
 * length need not end in NUL, and may be NULL if it is 0.
 *
 * What changed, newest first:
 *   0.8  log_text, error_text
 *   0.7  no effect but send: see advance.h
 *   0.6  mt_host without command and timer: see advance.h
 *   0.5  check and sign of the dialect, env, secret, the option "section"; the
 *        service sign is gone: signatures belong to the dialect
 *   0.4  count, counted
 *   0.3  media_url, MT_DIALECT_LINKS
 *   0.2  finished, restarted, answer_header, sign, message_failed;
 *        messages_kept, message_begins
 *   0.1  first version
 */
#ifndef MORTISE_DIALECT_H
#define MORTISE_DIALECT_H

#include <mortise/advance.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_DIALECT_MAJOR 0u
#define MT_DIALECT_MINOR 8u

struct mt_exchange; /* belongs to the host */

/** Token counts of an answer; -1: not reported. `input` counts the whole prompt, the
 *  cached part included. */
struct mt_usage {
	uint32_t size;
	uint32_t reserved;
	int64_t input, output, cache_read, cache_write, reasoning;
	double cost; /* in US dollars as reported by the provider; negative: not reported */
};

struct mt_dialect_host {
	uint32_t size;
	uint32_t reserved;

	/* -- configuration -- */
	/** Value of an option that the component declares, which the user sets in
	 *  [dialect.NAME], or else of a key of the effective [llm] section ("model" is
	 *  the name without the provider, "base_url", "temperature", ...); NULL: unset.
	 *  What the model does not support is unset: temperature, top_p,
	 *  reasoning_effort, thinking_budget ("0": disable reasoning).
	 *  "output_limit": maximum number of tokens of a reply of the model;
	 *  "context_window": of a request and its reply; "input_estimate": about
	 *  how many tokens this request has; "section": the name of that section,
	 *  for messages.
	 *  Never the key itself: see `key_header`. */
	const char *(*option)(struct mt_exchange *x, const char *name);
	/** Non-zero if the model has the feature: "tools", "vision", "stop",
	 *  "reasoning" (levels of effort), "adaptive_thinking", "cache" (wants
	 *  prompt-cache marks), "stream", "responses" (speaks OpenAI's Responses
	 *  API), "send_reasoning", "new_limit". */
	int (*feature)(struct mt_exchange *x, const char *name);
	void (*log)(struct mt_exchange *x, int level, const char *fmt, ...)
		MT_PRINTF(3, 4);
	/** Number of model replies in the conversation so far. */
	int64_t (*reply_index)(struct mt_exchange *x);

	/* -- the request -- */
	size_t (*message_count)(const struct mt_request *r);
	int (*message_role)(const struct mt_request *r, size_t m);   /* enum mt_role */
	/** Parts of a message: text, or a medium with its type. */
	size_t (*part_count)(const struct mt_request *r, size_t m);
	/** @return the MIME type of a medium, NULL for text. A text is returned as a
	 *  whole; a medium is read with `media_read`. */
	const char *(*part)(const struct mt_request *r, size_t m, size_t p,
			    struct mt_str *ret_text, uint64_t *ret_bytes);
	/** @return the bytes that were read, 0 at the end, or a status. */
	int64_t (*media_read)(const struct mt_request *r, size_t m, size_t p,
			      uint64_t offset, void *buffer, size_t len);
	/** Non-zero where a prompt-cache mark belongs at the end of a message, if
	 *  the model has the feature "cache". */
	int (*message_cache)(const struct mt_request *r, size_t m);
	/** Tool calls of an assistant message; id and name of a tool message's
	 *  call are those of call 0. */
	size_t (*call_count)(const struct mt_request *r, size_t m);
	void (*call)(const struct mt_request *r, size_t m, size_t c, struct mt_str *ret_id,
		     struct mt_str *ret_name, struct mt_str *ret_args);
	/** Data of a reply that the provider expects back unchanged: JSON text as the
	 *  dialect produced it, "" if none. */
	struct mt_str (*message_opaque)(const struct mt_request *r, size_t m);
	size_t (*tool_count)(const struct mt_request *r);
	void (*tool)(const struct mt_request *r, size_t t, struct mt_str *ret_name,
		     struct mt_str *ret_description, struct mt_str *ret_schema);
	/** Parameter as JSON text: "max_tokens", "response_schema", "stop" (a list
	 *  of texts), "temperature"; empty: unset. */
	struct mt_str (*param)(const struct mt_request *r, const char *name);
	/** Non-zero if the answer should be streamed. */
	int (*stream)(const struct mt_request *r);

	/* -- encode: what is sent -- */
	/** Path below base_url ("/chat/completions"), or a whole URL; the last one counts. */
	int (*url)(struct mt_exchange *x, const char *url);
	/** Add a header. @return MT_EINVAL for one too many, or a line break in it. */
	int (*header)(struct mt_exchange *x, const char *name, const char *value);
	/** The header that carries the key, with `prefix` before it: the host
	 *  fills it in ("Authorization", "Bearer "). */
	int (*key_header)(struct mt_exchange *x, const char *name, const char *prefix);
	/** Append to the body. */
	int (*body)(struct mt_exchange *x, const char *bytes, size_t len);
	/** Append text as a JSON string with its quotes. */
	int (*body_str)(struct mt_exchange *x, const char *text, size_t len);
	/** Append a medium as base64. */
	int (*body_media)(struct mt_exchange *x, const struct mt_request *r, size_t m,
			  size_t p);
	/** Answer without HTTP, after this many milliseconds: `feed` is called once
	 *  without bytes. For dialects that do not use a network. */
	int (*local)(struct mt_exchange *x, int64_t delay_ms);

	/* -- decode: what was answered -- */
	/** Append to the text of the reply, and to its reasoning. */
	int (*text)(struct mt_exchange *x, const char *text, size_t len);
	int (*reasoning)(struct mt_exchange *x, const char *text, size_t len);
	/** A tool call: `index` orders and joins pieces; id and name come with the first
	 *  one (NULL after it). The pieces of `args` make up a JSON object. A call without an id
	 *  gets one from the host. */
	int (*tool_call)(struct mt_exchange *x, size_t index, const char *id,
			 const char *name, const char *args, size_t len);
	/** JSON text to be given back with this reply; the last one counts. */
	int (*opaque)(struct mt_exchange *x, const char *json, size_t len);
	/** Replaces the counts of an earlier call. */
	int (*usage)(struct mt_exchange *x, const struct mt_usage *usage);
	/** The first one that is not empty counts, as of `stopped`. */
	int (*response_id)(struct mt_exchange *x, const char *id);
	/** Why it ended, normalized: "stop", "tool_calls", "length", "refusal". */
	int (*stopped)(struct mt_exchange *x, const char *reason);
	/** The answer is an error. `kind`: enum mt_error_kind; with MT_ERROR_NONE, the
	 *  host classifies it by status and wording. `retry_ms`: when to try again; -1:
	 *  not told. The first one counts. @return MT_OK. The attempt has failed,
	 *  whatever the function returns; only `check` and `sign` must return a status. */
	int (*error)(struct mt_exchange *x, int kind, int64_t retry_ms, const char *fmt,
		     ...) MT_PRINTF(4, 5);
	/** Memory for the dialect while it decodes the answer of one attempt, initially
	 *  zeroed; the same pointer each time. It does not survive from `encode` to `feed`.
	 *  NULL: out of memory, above 1 MiB, or more bytes than the first call asked for. */
	void *(*state)(struct mt_exchange *x, size_t bytes);
	/** Called when the attempt ends, to free what `state` points to. */
	void (*on_end)(struct mt_exchange *x, void (*release)(void *state));
	/** Which attempt at the same request this is, from 1. */
	int (*attempt)(struct mt_exchange *x);

	/* -- encode, from version 0.2 on: messages that were sent before -- */
	/** Asked once, where the first message begins: how many of the first
	 *  messages stand in the body now, as this dialect wrote them into the
	 *  last request. What it writes of a message may depend on those before
	 *  it, on the next one and on options, not on anything else. */
	size_t (*messages_kept)(struct mt_exchange *x, const struct mt_request *r);
	/** The bytes of message `m` begin here: told of each that is written, in
	 *  order, so that the next request may keep it. */
	void (*message_begins)(struct mt_exchange *x, const struct mt_request *r,
			       size_t m);

	/* -- decode, from version 0.2 on -- */
	/** The answer is whole, whatever the connection does: nothing is fed any
	 *  more, `end` comes next. */
	int (*finished)(struct mt_exchange *x);
	/** The response restarts: discard the text, reasoning and calls so far. */
	int (*restarted)(struct mt_exchange *x);
	/** Value of a header of the answer, whatever the case of its name; NULL:
	 *  there is none. */
	const char *(*answer_header)(struct mt_exchange *x, const char *name);
	/** Non-zero if the result of a tool is an error. */
	int (*message_failed)(const struct mt_request *r, size_t m);

	/* -- the request, from version 0.3 on -- */
	/** URL of a medium that the provider should fetch; such a medium has no bytes and
	 *  the type "image/link". Empty: it is read with `media_read`. Only for a dialect
	 *  with MT_DIALECT_LINKS; others get a text instead. */
	struct mt_str (*media_url)(const struct mt_request *r, size_t m, size_t p);

	/* -- credentials, from version 0.5 on; for `check`, `encode` and `sign` -- */
	/** Value of an environment variable that may hold a secret; NULL: unset. */
	const char *(*env)(struct mt_exchange *x, const char *name);
	/** Mask a secret in everything that is logged or stored. `name` identifies it in
	 *  a warning. Repeating a secret has no effect. */
	int (*secret)(struct mt_exchange *x, const char *name, const char *value,
		      size_t len);

	/* -- from version 0.8 on: `log` and `error` of a given text -- */
	void (*log_text)(struct mt_exchange *x, int level, const char *text, size_t len);
	int (*error_text)(struct mt_exchange *x, int kind, int64_t retry_ms,
			  const char *text, size_t len);
};

/** An attempt that is about to be sent. */
struct mt_http_post {
	uint32_t size;
	uint32_t reserved;
	const char *url;
	const char *const *headers; /* "Name: value" */
	size_t header_count;
	const char *body;
	size_t body_len;
	int64_t time;               /* seconds since 1970 */
};

/** Bits of `flags`. */
#define MT_DIALECT_LINKS 1u /* a medium may be given by its URL */

struct mt_dialect {
	uint32_t size;
	uint32_t flags;   /* MT_DIALECT_... */
	/** Providers it serves, as a JSON object: name -> {base_url, key_env, local?,
	 *  file?, auth?}, at least one; read from the discovery cache. A name has up to 63 of
	 *  a-z, A-Z, 0-9, _, - and .; a model is named PROVIDER/MODEL. If several dialects
	 *  serve a provider, the one of Mortise is used, otherwise the first, unless the
	 *  user names another with `dialect` in [llm]. An
	 *  empty base_url must be set by the user; without the member no network is needed.
	 *  file: the name of the model is that of a file, which must exist. auth "sign":
	 *  without a key, `sign` authenticates requests. */
	const char *providers;
	/** Write `request` with `url`, the header functions and `body`, or `local`. Called
	 *  again for an attempt whose bytes must be others. @return MT_OK, or a status after
	 *  `error`: nothing is sent. */
	int (*encode)(const struct mt_dialect_host *host, struct mt_exchange *x,
		      const struct mt_request *request);
	/** Bytes of the body of an answer with this HTTP status; `type` is its
	 *  content type, "" if it has none. The bytes are borrowed and may end anywhere.
	 *  @return MT_OK, or a status, with which the attempt fails. */
	int (*feed)(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		    const char *type, const char *bytes, size_t len);
	/** The body is complete. A truncated answer must become an error here. Not called
	 *  for an attempt that is cancelled, or that failed before an answer of 200 had a
	 *  byte. */
	int (*end)(const struct mt_dialect_host *host, struct mt_exchange *x, int status);

	/* -- from version 0.4 on; both or none -- */
	/** Encode a request for the token count of this request, as `encode` does for the
	 *  request. MT_EUNSUPPORTED: this provider does not support it. */
	int (*count)(const struct mt_dialect_host *host, struct mt_exchange *x,
		     const struct mt_request *request);
	/** The token count in the answer to that; negative: none. */
	int64_t (*counted)(const struct mt_dialect_host *host, struct mt_exchange *x,
			   const char *bytes, size_t len);

	/* -- from version 0.5 on; each optional -- */
	/** Called when a model is set up, before any request: check the requirements of
	 *  its requests. `has_key`: a key for key_header exists. Only option, feature,
	 *  log, env, secret, error and their forms for a given text may be called. A status
	 *  other than MT_OK refuses the model with the text that was given to `error`. */
	int (*check)(const struct mt_dialect_host *host, struct mt_exchange *x,
		     int has_key);
	/** Sign an attempt, with `header`: these headers are sent with this attempt
	 *  only. Called for a provider with auth "sign" where there is no key. */
	int (*sign)(const struct mt_dialect_host *host, struct mt_exchange *x,
		    const struct mt_http_post *post);
};

/** A plugin of one dialect; see MT_ONE_COMPONENT. */
#define MT_DIALECT(functions_, plugin_name_, ...)                              \
	MT_ONE_COMPONENT(MT_KIND_DIALECT, MT_DIALECT_MAJOR, MT_DIALECT_MINOR,  \
			 1 ? (functions_) : (const struct mt_dialect *)0,      \
			 plugin_name_, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
