/* SPDX-License-Identifier: MIT
 *
 * runner-protocol.h - encodes and decodes lines of mortise-runner/1: text in, struct out.
 * Without a loop or a process. */
#ifndef LIB_RUNNER_CLIENT_RUNNER_PROTOCOL_H
#define LIB_RUNNER_CLIENT_RUNNER_PROTOCOL_H

#include "error.h"
#include "js.h"
#include "runner-client/runner-spec.h"

#define RUNNER_PROTOCOL "mortise-runner/1"

enum {
	RUNNER_LINE_MAX = 20 << 20,   /* large enough for a list of tools */
	RUNNER_ARGS_MAX = 15 << 20,
	RUNNER_WINDOW = 256 << 10,
	RUNNER_RESULT_MAX = 1 << 20,
	RUNNER_MEDIA_MAX = 16 << 20,
	RUNNER_PARTS_MAX = 257,
};

enum runner_line_kind {
	RUNNER_HELLO = 1,   /* answer to the hello */
	RUNNER_TOOLS,       /* answer to tools/list: `instance` */
	RUNNER_RESULT,      /* answer to a call: `call` */
	RUNNER_ASKS,        /* request of a tool: `request`, `call`, `method` */
	RUNNER_OUTPUT,
	RUNNER_PROGRESS,
	RUNNER_CHUNK,
	RUNNER_CHANGED,     /* `instance` */
	RUNNER_LOG,
	RUNNER_OTHER,       /* unknown message: ignored */
};

/** A line. Strings are borrowed from `doc`. */
struct runner_line {
	enum runner_line_kind kind;
	json_object *doc;      /* owned */
	json_object *body;     /* params or result; NULL: an error */
	uint64_t call, request;
	const char *instance, *method;
	int status;            /* of an error; MT_OK */
	const char *error;
};

int runner_line_read(const char *line, size_t len, struct runner_line *ret,
		     struct error *err);
void runner_line_clear(struct runner_line *l);

/** The hello for a spec. */
int runner_put_hello(struct strbuf *b, const struct runner_spec *spec);
/** `method` is "tools/call" or "tools/preview". */
int runner_put_call(struct strbuf *b, const char *method, uint64_t call,
		    const char *instance, const char *tool, const char *args, size_t len,
		    int64_t timeout_ms);
int runner_put_input(struct strbuf *b, uint64_t call, const char *bytes, size_t len);

#endif
