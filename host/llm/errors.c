/* SPDX-License-Identifier: MIT
 *
 * errors.c - classifies errors of model requests: kind, whether a retry may succeed, and
 * the sentence for the user. */
#include "llm/llm-internal.h"
#include <string.h>

/* Error texts of providers and servers for a conversation that is too long. */
static const char *const too_long[] = {
	"contextwindowexceedederror",
	"context_length_exceeded",
	"prompt is too long",
	"input length and `max_tokens` exceed context limit",
	"please reduce the length of",
	"exceeds the available context size",
	"context length exceeded",
	"maximum context length",
	"input exceeds the context window",
	"context window exceeds limit",
	"input is too long",                        /* Bedrock */
	"exceeds the maximum number of tokens",     /* Gemini */
	"exceed context limit",
	"too many total text bytes",
};

static const char *const refused[] = {
	"content_policy",
	"contentpolicyviolationerror",
	"content policy violation",
	"content filtering policy",
	"output blocked by content filtering",
};

/* Error texts for calls and results that do not match. */
static const char *const bad_history[] = {
	"`tool_use` ids were found without `tool_result`",
	"unexpected `tool_use_id` found in `tool_result`",
	"each `tool_use` block must have a corresponding `tool_result`",
	"must be followed by tool messages responding to each 'tool_call_id'",
	"messages with role 'tool' must be a response to a preceding message",
	"no tool output found for function call",
	"failed to parse tool call arguments as json",
};

/* Error texts for an invalid key, for providers whose status is less specific. */
static const char *const no_key[] = {
	"invalid api key", "unauthorized", "missing api key", "invalid authentication",
	"access denied", "status 401", "status 403",
};

static const char *const no_credit[] = {
	"exceededbudget",
	"insufficient_quota",
	"credit balance is too low",
};

static const char *const small_cache[] = {
	"minimum token count to start caching",
};

static bool says_one_of(const char *text, const char *const *phrases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcasestr(text, phrases[i]))
			return true;
	return false;
}

bool llm_error_is_small_cache(const char *text)
{
	return says_one_of(text, small_cache, ARRAY_LEN(small_cache));
}

int llm_error_by_status(int status, const char *text)
{
	if (says_one_of(text, too_long, ARRAY_LEN(too_long)))
		return MT_ERROR_CONTEXT_WINDOW;
	if (says_one_of(text, refused, ARRAY_LEN(refused)))
		return MT_ERROR_CONTENT_POLICY;
	if (says_one_of(text, bad_history, ARRAY_LEN(bad_history)))
		return MT_ERROR_HISTORY;
	if ((status == 400 || status == 429) &&
	    says_one_of(text, no_credit, ARRAY_LEN(no_credit)))
		return MT_ERROR_QUOTA;
	if (status == 400 && says_one_of(text, no_key, ARRAY_LEN(no_key)))
		return MT_ERROR_AUTHENTICATION;
	if (status >= 300 && status < 400)
		return MT_ERROR_NOT_FOUND;
	switch (status) {
	case 401:
	case 403:
		return MT_ERROR_AUTHENTICATION;
	case 402:
		return MT_ERROR_QUOTA;
	case 404:
	case 405:
		return MT_ERROR_NOT_FOUND;
	case 408:
	case 504:
		return MT_ERROR_TIMEOUT;
	case 413:
		return MT_ERROR_CONTEXT_WINDOW;
	case 409:
	case 425:
	case 502:
	case 503:
	case 529:
		return MT_ERROR_OVERLOADED;
	case 429:
		return MT_ERROR_RATE_LIMIT;
	default:
		break;
	}
	if (status >= 500)
		return MT_ERROR_INTERNAL;
	return status >= 300 ? MT_ERROR_BAD_REQUEST : MT_ERROR_MALFORMED;
}

bool llm_error_is_transient(int kind, int status)
{
	if (status == 501 || status == 505)
		return false;
	switch (kind) {
	case MT_ERROR_RATE_LIMIT:
	case MT_ERROR_OVERLOADED:
	case MT_ERROR_NETWORK:
	case MT_ERROR_TIMEOUT:
	case MT_ERROR_MALFORMED:
	case MT_ERROR_INTERNAL:
		return true;
	default:
		return false;
	}
}

/* The sentence of each kind: who, then what to do. */
static const struct {
	int kind;
	const char *what, *todo;
} sayings[] = {
	{ MT_ERROR_AUTHENTICATION, "rejects the API key", "" },
	{ MT_ERROR_RATE_LIMIT, "limits the rate of requests",
	  "wait, or choose another model" },
	{ MT_ERROR_QUOTA, "reports that the account has no credit left",
	  "top it up, or choose another model" },
	{ MT_ERROR_OVERLOADED, "is overloaded", "try again later" },
	{ MT_ERROR_CONTEXT_WINDOW,
	  "reports that the conversation exceeds its context window",
	  "condense it, or choose a model with a larger one" },
	{ MT_ERROR_CONTENT_POLICY, "refuses the content because of its policy",
	  "rephrase the task" },
	{ MT_ERROR_BAD_REQUEST, "rejects the request",
	  "check the keys of the section in `mortise config show`" },
	{ MT_ERROR_NETWORK, "cannot be reached",
	  "check the network, base_url and the proxy" },
	{ MT_ERROR_TIMEOUT, "did not respond in time",
	  "try again, or raise timeout and stall_timeout" },
	{ MT_ERROR_MALFORMED, "sent an unusable response", "try again" },
	{ MT_ERROR_NOT_FOUND, "does not know the model or the URL",
	  "check model and base_url" },
	{ MT_ERROR_INTERNAL, "failed", "try again later" },
	{ MT_ERROR_HISTORY, "reports tool calls without matching results",
	  "condense it, or choose another model" },
};

static void say_key(const struct llm *l, char *text, size_t room)
{
	if (l->key_env[0])
		snprintf(text, room,
			 "set %s, or api_key_env or api_key_file in [%s], to a valid one",
			 l->key_env, l->section);
	else
		snprintf(text, room, "set api_key_env or api_key_file in [%s]",
			 l->section);
}

void llm_error_describe(const struct llm *l, struct llm_error *e, const char *why)
{
	AUTO(strbuf) struct strbuf masked = STRBUF(4096);
	char todo[256] = "", status[32] = "";
	struct error sentence = ERROR_NONE;
	const char *what = "failed";

	for (size_t i = 0; i < ARRAY_LEN(sayings); i++) {
		if (sayings[i].kind != e->kind)
			continue;
		what = sayings[i].what;
		snprintf(todo, sizeof todo, "%s", sayings[i].todo);
	}
	if (e->kind == MT_ERROR_AUTHENTICATION)
		say_key(l, todo, sizeof todo);
	if (e->status)
		snprintf(status, sizeof status, " (HTTP %d)", e->status);
	if (l->mask && *why && !mask_put(l->mask, &masked, why, strlen(why)))
		why = masked.text;
	fail(&sentence, MT_EIO, "%s %s%s%s%.280s; %s", l->name, what, status,
	     *why ? ": " : "", why, todo);
	snprintf(e->text, sizeof e->text, "%s", sentence.text);
}

const char *llm_error_name(int kind)
{
	static const char *const names[] = {
		[MT_ERROR_NONE] = "none",
		[MT_ERROR_AUTHENTICATION] = "authentication",
		[MT_ERROR_RATE_LIMIT] = "rate_limit",
		[MT_ERROR_QUOTA] = "quota",
		[MT_ERROR_OVERLOADED] = "overloaded",
		[MT_ERROR_CONTEXT_WINDOW] = "context_window",
		[MT_ERROR_CONTENT_POLICY] = "content_policy",
		[MT_ERROR_BAD_REQUEST] = "bad_request",
		[MT_ERROR_NETWORK] = "network",
		[MT_ERROR_TIMEOUT] = "timeout",
		[MT_ERROR_MALFORMED] = "malformed",
		[MT_ERROR_NOT_FOUND] = "not_found",
		[MT_ERROR_INTERNAL] = "internal",
		[MT_ERROR_HISTORY] = "history",
	};

	return kind >= 0 && kind < (int)ARRAY_LEN(names) ? names[kind] : "internal";
}

bool llm_error_is_overflow(int kind)
{
	return kind == MT_ERROR_CONTEXT_WINDOW || kind == MT_ERROR_HISTORY;
}

const char *llm_error_status(int kind)
{
	static const struct {
		int kind;
		const char *status;
	} statuses[] = { /* verbatim from OpenHands */
		{ MT_ERROR_AUTHENTICATION, "STATUS$ERROR_LLM_AUTHENTICATION" },
		{ MT_ERROR_OVERLOADED, "STATUS$ERROR_LLM_SERVICE_UNAVAILABLE" },
		{ MT_ERROR_NETWORK, "STATUS$ERROR_LLM_SERVICE_UNAVAILABLE" },
		{ MT_ERROR_INTERNAL, "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR" },
		{ MT_ERROR_QUOTA, "STATUS$ERROR_LLM_OUT_OF_CREDITS" },
		{ MT_ERROR_CONTENT_POLICY, "STATUS$ERROR_LLM_CONTENT_POLICY_VIOLATION" },
		{ MT_ERROR_RATE_LIMIT, "CHAT_INTERFACE$AGENT_RATE_LIMITED_STOPPED_MESSAGE" },
	};

	for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
		if (statuses[i].kind == kind)
			return statuses[i].status;
	return "STATUS$ERROR";
}
