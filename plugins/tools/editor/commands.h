/* SPDX-License-Identifier: MIT
 *
 * commands.h - one call as seen by its command; shared declarations of the commands. */
#ifndef EDITOR_COMMANDS_H
#define EDITOR_COMMANDS_H

#include "memory.h"
#include "request.h"

struct editor {
	struct memory *memory;
	char *workspace; /* NULL: unknown */
	bool v0;
	editor_past_fn *past; /* NULL: not available */
	void *past_arg;
};

/** A call in progress. */
struct job {
	struct editor *e;
	const struct editor_request *q;
	struct editor_result *ret;
	const char *command; /* a literal */
	const char *path;    /* normalized, absolute */
	char *real;          /* symbolic links resolved; NULL if it does not exist */
	bool is_dir;
};

/** Fail with a sentence for the model, which replaces the result so far.
 *  @return `status`. */
int editor_refuse(struct job *j, int status, const char *fmt, ...) MT_PRINTF(3, 4);
int editor_refuse_missing(struct job *j, const char *param);
/** "File validation failed", with the reason in `err`. */
int editor_refuse_file(struct job *j, const struct error *err);
/** "Ran into ... while trying to write". */
int editor_refuse_write(struct job *j, const struct error *err);

/** Read the file of the job as text. */
int editor_read(struct job *j, struct textfile *f);
/** Like editor_read, but fails if the model has never seen the file, or the file has
 *  changed since. If a call of the model changed it, only an edit by line numbers is
 *  refused; others get a note in `ret->text`. */
int editor_read_for_edit(struct job *j, bool by_line, struct textfile *f);
/** Report a changed file: fill in old and new content and the diff, as far as memory
 *  permits. NULL: the file does not exist then. */
void editor_report(struct job *j, const struct textfile *before,
		   const struct textfile *after);

/** Write a changed text and remember how to undo it. */
int editor_store(struct job *j, const struct textfile *f, const struct textfile *changed);
/** Append numbered lines to the result, as far as they exist. */
void editor_put_lines(struct job *j, const struct textfile *f, size_t first, size_t last);
/** Append the request to check the lines shown. */
void editor_put_review(struct job *j);
/** Append a text from the model with the editor's internal line endings. */
int editor_put_text(struct strbuf *out, struct mt_str text);
static inline size_t editor_count_newlines(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

/** The first line shown of a change that starts at `line`. */
static inline size_t editor_snippet_first(size_t line)
{
	return line < EDITOR_SNIPPET ? 1 : line - EDITOR_SNIPPET + 1;
}

int command_view(struct job *j);
int command_create(struct job *j);
int editor_command_str_replace(struct job *j);
int editor_command_insert(struct job *j);
int editor_command_undo(struct job *j);
int editor_command_write(struct job *j);

#endif
