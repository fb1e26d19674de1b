/* SPDX-License-Identifier: MIT
 *
 * openai.h - shared declarations of the dialect: chat completions and the Responses API,
 * each with an encoder and a decoder. Responses are distinguished by content. */
#ifndef PLUGINS_DIALECTS_OPENAI_H
#define PLUGINS_DIALECTS_OPENAI_H

#include "kit.h"

/** Names of the stored data of a reply. Responses: its items in their order; a message
 *  without a text stands for the text of the reply, a function_call for the call of its
 *  id, reasoning is unchanged. Chat: members of the message, see openai-kept.c. */
#define RESPONSES_KEPT "responses"
#define CHAT_KEPT "chat"

enum { OPENAI_MAX_CALLS = 128, RESPONSES_MAX_ITEMS = 512, CHAT_MAX_ITEMS = 4096 };

/* ---- openai-responses.c ------------------------------------------------------ */

/** Does this model use the Responses API? */
bool openai_uses_responses(const struct mt_dialect_host *host, struct mt_exchange *x);
/** The body of a request. */
void responses_put(struct writer *w);
/** Write the part of a request body that the model reads. */
void responses_put_input(struct writer *w);

/* ---- openai-responses-decode.c ------------------------------------------------ */

struct responses_item {
	int64_t index;       /* of the output */
	int call;            /* index of the call; -1: none */
	bool pieces;         /* its text or arguments arrived in pieces */
	json_object *done;   /* its stored form, or NULL */
};

struct responses {
	struct responses_item items[RESPONSES_MAX_ITEMS];
	size_t count, calls;
	bool summary;        /* a part of a summary came earlier */
};

struct answer;
bool responses_is_event(json_object *event);
bool responses_is_answer(json_object *answer);
int responses_event(struct answer *a, struct responses *r, json_object *event);
int responses_answer(struct answer *a, struct responses *r, json_object *answer);
void responses_clear(struct responses *r);

/* ---- openai-kept.c ------------------------------------------------------------ */

enum { OPENAI_LISTS = 2 };

/** Items that may arrive in pieces; the text of the last one is still open. */
struct openai_list {
	json_object *items;
	const char *member;  /* of the last item, which `text` becomes; NULL: none */
	struct strbuf text;
};

struct openai_kept {
	struct openai_list lists[OPENAI_LISTS];
	struct strbuf text;
	json_object *calls;
	json_object *content; /* of a list of parts with thoughts in it */
	struct strbuf thought; /* the last part of it, still incomplete */
	bool thinking;
};

/** Store the data to send back from a message, or from a piece of one. */
int openai_keep(struct answer *a, struct openai_kept *k, json_object *message,
		bool piece);
int openai_keep_call(struct openai_kept *k, json_object *call);
/** The reply is complete: pass the stored data to the host. */
int openai_tell_kept(struct answer *a, struct openai_kept *k);
void openai_kept_clear(struct openai_kept *k);
/** The stored data of message `m`, owned by the caller; NULL: none. */
json_object *openai_kept_of(struct writer *w, size_t m);
/** Write ,"name":value... or nothing. */
void openai_put_kept(struct writer *w, json_object *kept);
/** Write the content of a message with the thoughts in it. @return false if it has
 *  none for this provider; then nothing is written. */
bool openai_put_content(struct writer *w, size_t m, json_object *kept);
void openai_put_call_kept(struct writer *w, json_object *kept, struct mt_str id);

/* ---- openai-decode.c ---------------------------------------------------------- */

int openai_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		const char *type, const char *bytes, size_t len);
int openai_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status);
/** An error: {"error": {...}}, {"error": "text"}, {"message": ...}, ... */
int openai_error(struct answer *a, json_object *answer);

#endif
