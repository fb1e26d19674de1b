/* SPDX-License-Identifier: MIT
 *
 * inline.c - replaces commands and variables in the text of a skill. */
#include "inline.h"

#include "space.h"

#include <ctype.h>
#include <string.h>

/* ---- commands ----------------------------------------------------------- */

static size_t ticks(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] == '`')
		n++;
	return n;
}

/* Length of the code that starts with this run of backticks, up to a run of the same
 * length; an unclosed fence extends to the end. */
static size_t code_span(const char *text, size_t len)
{
	size_t run = ticks(text, len), at = run;

	while (at < len) {
		size_t n = ticks(text + at, len - at);

		if (n == run)
			return at + n;
		at += n ? n : 1;
	}
	return run >= 3 ? len : run;
}

/* Length of !`command` at the start, 0: none. */
static size_t command_span(const char *text, size_t len)
{
	const char *end;

	if (len < 4 || text[0] != '!' || text[1] != '`' || text[2] == '`')
		return 0;
	end = memchr(text + 2, '`', len - 2);
	return end ? (size_t)(end - text) + 1 : 0;
}

static int inline_put_result(const char *command, inline_run *run, void *arg,
			     struct strbuf *out)
{
	struct inline_result r = { STRBUF(INLINE_OUTPUT_MAX + 1), STRBUF(INLINE_OUTPUT_MAX + 1),
				   0, false };
	int status = run(command, arg, &r);

	if (status == MT_ENOMEM) {
		out->error = status;
	} else if (status) {
		strbuf_addf(out, "[Error: Command `%s` could not be run]", command);
	} else if (r.timed_out) {
		strbuf_addf(out, "[Error: Command `%s` took longer than %d s]", command,
			    INLINE_SECONDS);
	} else if (r.exit_code) {
		strbuf_addf(out, "[Error: Command `%s` exited with code %d: ", command,
			    r.exit_code);
		strbuf_addn(out, r.err.text, r.err.len);
		strbuf_add(out, "]");
	} else {
		strbuf_addn(out, r.out.text, space_trim_end(r.out.text, r.out.len));
		if (r.out.error == MT_ELIMIT)
			strbuf_add(out, "\n[... the rest of the output is left out]");
	}
	strbuf_clear(&r.out);
	strbuf_clear(&r.err);
	return out->error;
}

int inline_commands(const char *text, size_t len, inline_run *run, void *arg,
		    struct strbuf *out)
{
	for (size_t at = 0, n; at < len && !out->error; at += n) {
		size_t left = len - at;

		if (text[at] == '`') {
			n = code_span(text + at, left);
			strbuf_addn(out, text + at, n);
		} else if (text[at] == '\\' && command_span(text + at + 1, left - 1)) {
			n = 1 + command_span(text + at + 1, left - 1);
			strbuf_addn(out, text + at + 1, n - 1);
		} else if ((n = command_span(text + at, left))) {
			char *command = strndup(text + at + 2, n - 3);

			if (!command)
				return MT_ENOMEM;
			inline_put_result(command, run, arg, out);
			free(command);
		} else {
			n = 1;
			strbuf_addc(out, text[at]);
		}
	}
	return out->error;
}

/* ---- variables ---------------------------------------------------------- */

static size_t skill_inline_name_length(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)text[n]) || text[n] == '_') &&
	       !(n == 0 && isdigit((unsigned char)text[0])))
		n++;
	return n;
}

/* ${NAME} or ${NAME:-default} at the start: its length, 0: neither. */
static size_t braced(const char *text, size_t len, size_t *ret_name,
		     const char **ret_default, size_t *ret_default_len)
{
	size_t n = len > 2 && text[1] == '{' ? skill_inline_name_length(text + 2, len - 2)
					     : 0;
	const char *end = n ? memchr(text + 2 + n, '}', len - 2 - n) : NULL;
	const char *rest = text + 2 + n;

	*ret_name = n;
	*ret_default = NULL;
	if (!end ||
	    (end != rest && !(end - rest >= 2 && rest[0] == ':' && rest[1] == '-')))
		return 0;
	if (end != rest) {
		*ret_default = rest + 2;
		*ret_default_len = (size_t)(end - rest) - 2;
	}
	return (size_t)(end - text) + 1;
}

int skill_expand_variables(const char *text, size_t len, bool unbraced,
			   variable_value *value, void *arg, struct strbuf *out)
{
	for (size_t at = 0, n; at < len && !out->error; at += n) {
		const char *p = text + at, *found = NULL, *otherwise = NULL;
		size_t name = 0, otherwise_len = 0;

		n = *p == '$' ? braced(p, len - at, &name, &otherwise, &otherwise_len)
			      : 0;
		if (n) {
			found = value(p + 2, name, arg);
		} else if (*p == '$' && unbraced) {
			name = skill_inline_name_length(p + 1, len - at - 1);
			n = name ? name + 1 : 0;
			found = name ? value(p + 1, name, arg) : NULL;
		}
		if (found)
			strbuf_add(out, found);
		else if (otherwise)
			strbuf_addn(out, otherwise, otherwise_len);
		else
			strbuf_addn(out, p, n ? n : 1);
		n = n ? n : 1;
	}
	return out->error;
}
