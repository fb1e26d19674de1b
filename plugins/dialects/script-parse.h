/* SPDX-License-Identifier: MIT
 *
 * script-parse.h - parses the file of a scripted model into turns. The format is
 * described in doc/script.md. */
#ifndef PLUGINS_DIALECTS_SCRIPT_PARSE_H
#define PLUGINS_DIALECTS_SCRIPT_PARSE_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum {
	SCRIPT_MAX_FILE = 64 << 20,
	SCRIPT_MAX_TURNS = 100000,
	SCRIPT_MAX_CALLS = 64,   /* of a turn */
	SCRIPT_MAX_EXPECTS = 64, /* of a turn */
};

struct script_text {
	char *bytes;             /* owned; NULL: not given */
	size_t len;
};

enum script_subject {
	SCRIPT_LAST,             /* text of the last message */
	SCRIPT_USER,             /* of any user message */
	SCRIPT_SYSTEM,           /* of the system message */
	SCRIPT_ANY,              /* of any message */
	SCRIPT_ROLE,             /* role of the last message */
	SCRIPT_MESSAGES,         /* number of messages */
	SCRIPT_TOOL,             /* a tool is offered */
	SCRIPT_NO_TOOL,
	SCRIPT_TOOLS,            /* names, descriptions and parameters of the tools */
};

enum script_test { SCRIPT_CONTAINS, SCRIPT_LACKS, SCRIPT_IS };

struct script_expect {
	enum script_subject subject;
	enum script_test test;
	struct script_text value;
	unsigned line;
};

struct script_call {
	struct script_text id, name;
	struct strbuf args;      /* JSON text, or the value of @args */
	bool raw;                /* by @args */
	unsigned line;
};

struct script_turn {
	unsigned line;
	struct script_text text, reasoning, opaque, id, stop, error_text;
	int error_kind;          /* enum mt_error_kind; MT_ERROR_NONE: no error */
	int64_t error_times;     /* attempts that fail; 0: all */
	int64_t error_wait_ms;   /* -1: unset */
	int64_t delay_ms;
	int64_t input, output, cache_read, cache_write, reasoning_tokens; /* -1 */
	double cost;             /* negative: unset */
	struct script_expect *expects;
	size_t expect_count;
	struct script_call *calls;
	size_t call_count;
};

struct script {
	struct script_turn *turns;
	size_t count, room;
};

/** Parse a whole text; `name` is for messages ("FILE:LINE: ..."). On failure the result
 *  is empty. */
int script_parse(const char *name, const char *text, size_t len, struct script *ret,
		 struct error *err);
void script_clear(struct script *s);

#endif
