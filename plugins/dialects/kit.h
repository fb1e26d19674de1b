/* SPDX-License-Identifier: MIT
 *
 * kit.h - shared by the dialects over HTTP: writing a request, reading a response. The
 * same request produces the same bytes each time. */
#ifndef PLUGINS_DIALECTS_KIT_H
#define PLUGINS_DIALECTS_KIT_H

#define MORTISE_PROVISIONAL
#include "js.h"
#include "sse.h"
#include <mortise/dialect.h>

/* ---- writing (writer.c) ----------------------------------------------------- */

/** A writer that keeps its first failure, like a strbuf. */
struct writer {
	const struct mt_dialect_host *host;
	struct mt_exchange *x;
	const struct mt_request *r;
	int status;
};

void writer_put(struct writer *w, const char *bytes, size_t len);
#define PUT(w, literal) writer_put((w), (literal), sizeof(literal) - 1)
/** Write a text as a JSON string. */
void writer_put_text(struct writer *w, const char *text, size_t len);
void writer_put_cstr(struct writer *w, const char *text);
void writer_put_json(struct writer *w, json_object *value);
/** Write a name or id, with only the characters that most providers accept: letters,
 *  digits, _ and -. */
void writer_put_name(struct writer *w, struct mt_str name);
/** Write the arguments of a call as a JSON object, byte for byte if they are one. */
void writer_put_args(struct writer *w, struct mt_str args);
/** Write a schema; if empty, that of an object without properties. */
void writer_put_schema(struct writer *w, struct mt_str schema);
/** Write a MIME type such as image/png, without quotes and only with safe characters. */
void writer_put_mime(struct writer *w, const char *mime);
void writer_put_media(struct writer *w, size_t m, size_t p);
/** Write the URL of a medium as a JSON string; with `data`, a data URL of its bytes if it
 *  has none. @return whether it has a URL. */
bool writer_put_media_url(struct writer *w, size_t m, size_t p, const char *mime,
			  bool data);

const char *writer_part(struct writer *w, size_t m, size_t p, struct mt_str *ret_text);
bool writer_has_text(struct writer *w, size_t m); /* not only blanks */
bool writer_has_media(struct writer *w, size_t m);
/** Write the text parts of a message as one string. */
void writer_put_joined(struct writer *w, size_t m);

/** A number as JSON text: of the request, else of the configuration; empty if unset. */
struct mt_str writer_number(struct writer *w, const char *param, const char *option);
/** Write ,"wire":number or nothing. */
void writer_put_number(struct writer *w, const char *wire, const char *param,
		       const char *option);
void writer_put_integer(struct writer *w, int64_t n);
/** An integer of the same sources; -1 if unset. */
int64_t writer_int(struct writer *w, const char *param, const char *option);
/** A text of the request (without its quotes) or the configuration; "" if unset. Stored
 *  in the buffer. */
const char *writer_word(struct writer *w, const char *param, const char *option,
			char *room, size_t size);

/** Write the messages that the server does not have yet, separated by commas. */
void writer_put_messages(struct writer *w, void (*put)(struct writer *w, size_t m));
/** The data of a reply that the dialect `name` stored; NULL: none. */
json_object *writer_kept(struct writer *w, size_t m, const char *name);

/* ---- tools -------------------------------------------------------------------- */

/** The JSON around the texts of the offered tools. */
struct tool_form {
	const char *before, *after;  /* around the list: ,"tools":[ ] */
	const char *name, *description, *schema, *after_tool;
	bool any_name;               /* the provider accepts any name */
};

/** The form of OpenAI chat completions and of Ollama. */
extern const struct tool_form chat_tool_form;
/** How many tools are offered; 0 also for a model that does not call tools. */
size_t writer_offered_tools(struct writer *w);
/** Write the tools; nothing if none is offered. */
void writer_put_tools(struct writer *w, const struct tool_form *f);

/* ---- headers ------------------------------------------------------------------ */

/** Unless `status` is a failure, the headers of a request in JSON with the key of the
 *  provider in the header `key`, after `prefix`. */
int writer_put_headers(struct writer *w, int status, const char *key, const char *prefix);

/* ---- counts -------------------------------------------------------------------- */

/** An integer member of a JSON object; -1 if it is missing. */
int64_t writer_number_in(const char *bytes, size_t len, const char *name);

/** `counted` of a dialect whose provider returns {"input_tokens": N}. */
int64_t writer_counted_input_tokens(const struct mt_dialect_host *host,
				    struct mt_exchange *x, const char *bytes, size_t len);

/* ---- turns ------------------------------------------------------------------ */

/** For providers that require user and assistant turns to alternate, with tool results at
 *  the start of a user turn: the texts and functions that write the turns. Each message
 *  writes at least one item. */
struct turns {
	const char *before_system;   /* ,"system":[ */
	const char *after_system;    /* ] */
	const char *before_messages; /* ,"messages":[ */
	const char *user, *assistant; /* {"role":"user","content":[ */
	const char *end;             /* ]} */
	const char *user_turn;         /* an empty user turn, where one is required */
	void (*system)(struct writer *w, size_t m);
	void (*message)(struct writer *w, size_t m); /* items, with commas between */
};

/** The members of struct turns for {"role": "user", "content": [...]}. */
#define TURNS_OF_CONTENT                                         \
	.before_system = ",\"system\":[",                        \
	.after_system = "]",                                     \
	.before_messages = ",\"messages\":[",                    \
	.user = "{\"role\":\"user\",\"content\":[",              \
	.assistant = "{\"role\":\"assistant\",\"content\":[",    \
	.end = "]}"

void writer_put_turns(struct writer *w, const struct turns *t);
/** Distinct names of the tools that the messages call, for requests that offer none: some
 *  providers require all tools ever called. */
size_t writer_called_tools(struct writer *w, struct mt_str *names, size_t room);

/* ---- reading (answer.c) ------------------------------------------------------ */

enum { ANSWER_MAX_EVENT = 16 << 20, ANSWER_MAX_BODY = 64 << 20, ANSWER_MAX_WHY = 300 };
enum answer_form { FORM_UNKNOWN, FORM_STREAM, FORM_WHOLE };

struct answer;

/** Callbacks of a dialect for a response. */
struct answer_rules {
	size_t size;                 /* of the state, which begins with struct answer */
	/** One event of a stream. */
	int (*event)(struct answer *a, const char *name, json_object *event);
	/** A complete response; also each item of a list. */
	int (*whole)(struct answer *a, json_object *answer);
	/** An error, as {"error": {...}} or in any other form. */
	int (*error)(struct answer *a, json_object *answer);
	/** Check a response that ended without an error for missing parts. NULL:
	 *  `finished` decides. */
	int (*end)(struct answer *a);
	void (*release)(struct answer *a);
};

struct answer {
	const struct mt_dialect_host *host;
	struct mt_exchange *x;
	const struct answer_rules *rules;
	int status;                  /* HTTP */
	enum answer_form form;
	struct sse sse;
	struct strbuf body;
	bool finished;               /* the reply is complete */
	bool over;                   /* the host was notified; the rest is ignored */
	bool failed;                 /* an error was reported; the rest is ignored */
	bool open;                   /* its memory is set up */
};

int answer_feed(const struct answer_rules *rules, const struct mt_dialect_host *host,
		struct mt_exchange *x, int status, const char *type, const char *bytes,
		size_t len);
int answer_end(const struct answer_rules *rules, const struct mt_dialect_host *host,
	       struct mt_exchange *x, int status);
/** The state of this attempt; NULL: out of memory. For dialects with another stream
 *  format, which set `form` themselves. */
struct answer *answer_of(const struct answer_rules *rules,
			 const struct mt_dialect_host *host, struct mt_exchange *x,
			 int status);

/** Mark the response as complete, and ignore the rest. */
int answer_over(struct answer *a);
/** Report an error. */
int answer_fail(struct answer *a, int kind, int64_t retry_ms, const char *text);
/** Kind of an HTTP status inside a response; MT_ERROR_NONE: let the host decide. */
int answer_kind_of_number(int64_t status);

struct kind_name {
	const char *name;
	int kind;
};
int answer_kind_of_name(const struct kind_name *all, size_t count, const char *name);

/** A count of a usage object by path; -1 if it is missing. */
int64_t answer_count_at(json_object *usage, const char *path);
/** Sum of counts; -1 if the first is missing. */
int64_t answer_count_sum(int64_t first, int64_t second, int64_t third);
int answer_tell_text(struct answer *a, json_object *text, bool reasoning);

#endif
