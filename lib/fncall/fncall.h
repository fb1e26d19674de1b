/* SPDX-License-Identifier: MIT
 *
 * fncall.h - tool calls as text, for models without native tool calls:
 *
 *     <function=NAME>
 *     <parameter=P1>value</parameter>
 *     </function>
 *
 * A request is converted before a dialect encodes it, a reply after a dialect decodes it.
 * The same request always produces the same bytes. Parsing takes time proportional to the
 * length of the reply. */
#ifndef LIB_FNCALL_FNCALL_H
#define LIB_FNCALL_FNCALL_H

#include "request/request.h"
#include <stdbool.h>

/** An error in a call that a model wrote. */
enum fncall_fault {
	FNCALL_OK = 0,
	FNCALL_UNKNOWN_FUNCTION,
	FNCALL_UNKNOWN_PARAMETER,
	FNCALL_WRONG_TYPE,
	FNCALL_NOT_IN_ENUM,
	FNCALL_MISSING_PARAMETER,
};

/** Tools for parsing replies: copies, with their schemas. */
struct fncall_tools;
struct fncall_tools *fncall_tools_new(const struct llm_tool *tools, size_t count);
struct fncall_tools *fncall_tools_free(struct fncall_tools *t);
AUTO_DEFINE(fncall_tools, struct fncall_tools *, fncall_tools_free)

/* ---- text for the model --------------------------------------------------- */

/** Text around the descriptions at the end of the system text. */
extern const char fncall_suffix_head[], fncall_suffix_tail[];
/** Text after the first user message, if an example precedes it. */
extern const char fncall_example_tail[];
/** The stop sequence, as JSON for the parameter `stop`. */
#define FNCALL_STOP "</function"

/** Append an example that uses only available tools; nothing if none of them fits. */
int fncall_example(const struct llm_tool *tools, size_t count, struct strbuf *out);
/** Append the description of each tool. */
int fncall_describe_tools(const struct llm_tool *tools, size_t count, struct strbuf *out);
/** Append a call as text. Arguments that are not a JSON object are written verbatim, as
 *  one parameter. */
int fncall_format_call(const struct llm_call *call, struct strbuf *out,
		       struct error *err);

/** Split a message with several calls into one message per call, each followed by its
 *  result. A call without result is omitted if `drop`; otherwise it is an error. */
int fncall_split_calls(const struct llm_request *in, bool drop, struct llm_request **ret,
		       struct error *err);
/** Create an equivalent request without tools, as text. Its messages have at most one
 *  call each. Unchanged parts are borrowed from `in`. */
int fncall_encode_request(const struct llm_request *in, bool example,
			  struct llm_request **ret, struct error *err);

/* ---- text of the model ---------------------------------------------------- */

struct fncall {
	const char *name;     /* of the intended tool, otherwise as written */
	json_object *args;    /* a value that the schema cannot convert is a string */
	enum fncall_fault fault; /* the first error */
	char why[256];        /* a sentence that explains it */
	bool unexpected;      /* FNCALL_UNKNOWN_PARAMETER, and the schema allows no other */
	struct strbuf noise;  /* the text between its parameters */
	char *own_name;
};

struct fncalls {
	struct fncall *calls;
	size_t count, room;
	size_t text_start, text_len; /* the text before the first call */
	bool in_thought;             /* that text starts a thought that does not end */
	struct strbuf rest;          /* the text between and after the calls */
};

/** Parse the calls in a text. Without any, `count` is 0 and the text is complete. */
int fncall_parse(const char *text, size_t len, const struct fncall_tools *tools,
		 struct fncalls *ret, struct error *err);
void fncalls_clear(struct fncalls *c);

/** Append the answer to a text that contains a call in another format: why nothing was
 *  run, and the call in the required format. Appends nothing if there is no such call.
 *  `*ret_guess`: the text may also be an answer to the user. */
int fncall_correct(const char *text, size_t len, const struct fncall_tools *tools,
		   struct strbuf *out, bool *ret_guess);
/** The same for a call whose parameters have another format. */
int fncall_correct_body(const struct fncall *call, const struct fncall_tools *tools,
			struct strbuf *out);

/* ---- parsing steps, for tests ---------------------------------------------- */

/** The text that a stop sequence cut off; "" if nothing is missing. */
const char *fncall_missing_end(const char *text, size_t len);

/* ---- internal ---------------------------------------------------------------- */

/** The schema of a tool by one of its names, borrowed. `*ret_name`: its own name; NULL:
 *  the name is unknown. */
json_object *fncall_schema(const struct fncall_tools *t, const char *name, size_t len,
			   const char **ret_name);
/** A copy as valid UTF-8; NULL: out of memory. */
char *fncall_clean_utf8(const char *text, size_t len, size_t *ret_len);
/** Set an argument from its text, by the schema. */
int fncall_set_arg(struct fncall *call, json_object *schema, const char *name,
		   size_t name_len, const char *value, size_t len);
/** Report missing required arguments. */
void fncall_check_required(struct fncall *call, json_object *schema);
void fncall_fail(struct fncall *call, enum fncall_fault fault, const char *fmt, ...)
	MT_PRINTF(3, 4);

#endif
