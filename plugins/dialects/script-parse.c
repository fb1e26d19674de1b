/* SPDX-License-Identifier: MIT
 *
 * script-parse.c - parses the file of a scripted model, line by line.
 *
 * A line is a comment, [turn], [call NAME], `key = value`, `key := JSON` or
 * `key <<WORD`, which takes the lines up to one that is WORD, byte for byte. */
#define MORTISE_PROVISIONAL
#include "script-parse.h"
#include "array.h"
#include "js.h"
#include "options.h"
#include <mortise/advance.h>
#include <string.h>

struct reader {
	const char *name;        /* of the file */
	const char *at, *end;
	unsigned line;           /* of the last line read, from 1 */
	struct script *script;
	struct script_turn *turn;
	struct script_call *call; /* NULL: keys belong to the turn */
	struct error *err;
};

enum value_form { PLAIN, JSON, BLOCK };

struct entry {
	const char *key;
	size_t key_len;
	enum value_form form;
	struct script_text value; /* owned by the caller */
	unsigned line;
};

static int script_parse_bad(struct reader *r, const char *fmt, ...) MT_PRINTF(2, 3);

static int script_parse_bad(struct reader *r, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf why = STRBUF(1024);
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&why, fmt, ap);
	va_end(ap);
	return fail(r->err, MT_EINVAL, "%s:%u: %s", r->name, r->line, why.text);
}

/* ---- lines --------------------------------------------------------------- */

/* The next line without its newline; false at the end of the file. */
static bool script_parse_next_line(struct reader *r, const char **ret, size_t *ret_len)
{
	const char *nl;

	if (r->at == r->end)
		return false;
	nl = memchr(r->at, '\n', (size_t)(r->end - r->at));
	*ret = r->at;
	*ret_len = (size_t)((nl ? nl : r->end) - r->at);
	r->at = nl ? nl + 1 : r->end;
	r->line++;
	return true;
}

static bool script_parse_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void script_parse_trim(const char **text, size_t *len)
{
	while (*len && script_parse_is_space((*text)[0])) {
		(*text)++;
		(*len)--;
	}
	while (*len && script_parse_is_space((*text)[*len - 1]))
		(*len)--;
}

static bool script_parse_is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

static int script_parse_keep(struct reader *r, const char *bytes, size_t len,
			     struct script_text *ret)
{
	char *copy = malloc(len + 1);

	if (!copy)
		return out_of_memory(r->err);
	if (len)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	ret->bytes = copy;
	ret->len = len;
	return MT_OK;
}

/* Read the text up to the line WORD, without the last newline. */
static int read_block(struct reader *r, const char *word, size_t word_len,
		      struct script_text *ret)
{
	const char *start = r->at, *line;
	unsigned first = r->line;
	size_t len;

	while (script_parse_next_line(r, &line, &len)) {
		if (len == word_len + 1 && line[word_len] == '\r')
			len--;
		if (len != word_len || memcmp(line, word, len) != 0)
			continue;
		return script_parse_keep(r, start,
					 line == start ? 0 : (size_t)(line - start) - 1,
					 ret);
	}
	r->line = first;
	return script_parse_bad(
		r, "the text that starts here is not terminated: no line `%.*s`",
		(int)word_len, word);
}

/* The WORD of `key <<WORD`. */
static bool block_word(const char *line, size_t len, size_t *ret_key_len,
		       const char **ret_word, size_t *ret_word_len)
{
	const char *mark = memmem(line, len, "<<", 2);
	size_t word_len = mark ? (size_t)(line + len - mark) - 2 : 0;

	if (!word_len || word_len > 64)
		return false;
	for (size_t i = 0; i < word_len; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			    "0123456789_",
			    mark[2 + i]) ||
		    !mark[2 + i])
			return false;
	*ret_key_len = (size_t)(mark - line);
	*ret_word = mark + 2;
	*ret_word_len = word_len;
	return true;
}

static int script_parse_read_entry(struct reader *r, const char *line, size_t len,
				   struct entry *e)
{
	const char *equals = memchr(line, '=', len), *value, *word;
	size_t value_len, word_len;
	int status;

	e->key = line;
	if (equals) {
		e->form = equals > line && equals[-1] == ':' ? JSON : PLAIN;
		e->key_len = (size_t)(equals - line) - (e->form == JSON);
		value = equals + 1;
		value_len = (size_t)(line + len - value);
		script_parse_trim(&value, &value_len);
		status = script_parse_keep(r, value, value_len, &e->value);
	} else if (block_word(line, len, &e->key_len, &word, &word_len)) {
		e->form = BLOCK;
		status = read_block(r, word, word_len, &e->value);
	} else {
		return script_parse_bad(
			r, "invalid line; use [turn], [call NAME], `key = value`, `key "
			   ":= JSON` or `key <<WORD`");
	}
	script_parse_trim(&e->key, &e->key_len);
	if (!status && !e->key_len)
		status = script_parse_bad(r, "missing key before the value");
	return status;
}

/* ---- keys of a turn -------------------------------------------------------- */

static const struct {
	const char *name;
	int kind;
} error_kinds[] = {
	{ "authentication", MT_ERROR_AUTHENTICATION },
	{ "rate_limit", MT_ERROR_RATE_LIMIT },
	{ "quota", MT_ERROR_QUOTA },
	{ "overloaded", MT_ERROR_OVERLOADED },
	{ "context_window", MT_ERROR_CONTEXT_WINDOW },
	{ "content_policy", MT_ERROR_CONTENT_POLICY },
	{ "bad_request", MT_ERROR_BAD_REQUEST },
	{ "network", MT_ERROR_NETWORK },
	{ "timeout", MT_ERROR_TIMEOUT },
	{ "malformed", MT_ERROR_MALFORMED },
	{ "not_found", MT_ERROR_NOT_FOUND },
	{ "internal", MT_ERROR_INTERNAL },
	{ "history", MT_ERROR_HISTORY },
};

static int script_parse_set_text(struct reader *r, struct entry *e,
				 struct script_text *place)
{
	if (place->bytes)
		return script_parse_bad(r, "duplicate key `%.*s`", (int)e->key_len,
					e->key);
	*place = e->value;
	e->value.bytes = NULL;
	return MT_OK;
}

/* `error = KIND` or `error = KIND: TEXT`. */
static int set_error(struct reader *r, struct entry *e)
{
	const char *text = e->value.bytes;
	size_t len = strcspn(text, ": \t");

	for (size_t i = 0; i < ARRAY_LEN(error_kinds); i++) {
		if (!script_parse_is_word(text, len, error_kinds[i].name))
			continue;
		r->turn->error_kind = error_kinds[i].kind;
		text += len + strspn(text + len, ": \t");
		free(r->turn->error_text.bytes);
		return script_parse_keep(r, text, strlen(text), &r->turn->error_text);
	}
	return script_parse_bad(
		r,
		"unknown error `%.*s`; use authentication, rate_limit, "
		"quota, overloaded, context_window, content_policy, bad_request, "
		"network, timeout, malformed, not_found, internal",
		(int)len, text);
}

static int set_duration(struct reader *r, const struct entry *e, int64_t *ret)
{
	if (option_parse_duration(e->value.bytes, ret) || *ret < 0)
		return script_parse_bad(r, "`%s` is not a duration; use 200ms or 2s",
					e->value.bytes);
	return MT_OK;
}

static bool read_count(const char *text, int64_t *ret)
{
	char *end;

	if (*text < '0' || *text > '9' || strlen(text) > 15)
		return false;
	*ret = strtoll(text, &end, 10);
	return !*end;
}

static int set_times(struct reader *r, const struct entry *e)
{
	if (!read_count(e->value.bytes, &r->turn->error_times))
		return script_parse_bad(r, "`%s` is not a number", e->value.bytes);
	return MT_OK;
}

/* One `name number` of a usage line. */
static int set_count(struct reader *r, const char *item)
{
	struct script_turn *t = r->turn;
	const struct {
		const char *name;
		int64_t *place;
	} counts[] = {
		{ "input", &t->input }, { "output", &t->output },
		{ "cache_read", &t->cache_read }, { "cache_write", &t->cache_write },
		{ "reasoning", &t->reasoning_tokens },
	};
	size_t len = strcspn(item, " \t");
	const char *number = item + len + strspn(item + len, " \t");
	char *end;

	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		if (script_parse_is_word(item, len, counts[i].name) &&
		    read_count(number, counts[i].place))
			return MT_OK;
	if (script_parse_is_word(item, len, "cost") && *number >= '0' && *number <= '9') {
		t->cost = strtod(number, &end);
		if (!*end)
			return MT_OK;
	}
	return script_parse_bad(
		r,
		"invalid usage `%s`; use input 100, output 20, cache_read 80, "
		"cache_write 0, reasoning 5, cost 0.01",
		item);
}

static int set_usage(struct reader *r, const struct entry *e)
{
	const char *rest = e->value.bytes, *item;
	size_t len;
	int status = MT_OK;

	while (!status && option_list_next(&rest, &item, &len)) {
		AUTO(free) char *copy = strndup(item, len);

		status = copy ? set_count(r, copy) : out_of_memory(r->err);
	}
	return status;
}

/* ---- expectations ---------------------------------------------------------- */

static const struct {
	const char *words;
	enum script_subject subject;
	enum script_test test;
} expectations[] = {
	{ "last contains", SCRIPT_LAST, SCRIPT_CONTAINS },
	{ "last lacks", SCRIPT_LAST, SCRIPT_LACKS },
	{ "last is", SCRIPT_LAST, SCRIPT_IS },
	{ "user contains", SCRIPT_USER, SCRIPT_CONTAINS },
	{ "user lacks", SCRIPT_USER, SCRIPT_LACKS },
	{ "user is", SCRIPT_USER, SCRIPT_IS },
	{ "system contains", SCRIPT_SYSTEM, SCRIPT_CONTAINS },
	{ "system lacks", SCRIPT_SYSTEM, SCRIPT_LACKS },
	{ "system is", SCRIPT_SYSTEM, SCRIPT_IS },
	{ "any contains", SCRIPT_ANY, SCRIPT_CONTAINS },
	{ "any lacks", SCRIPT_ANY, SCRIPT_LACKS },
	{ "any is", SCRIPT_ANY, SCRIPT_IS },
	{ "role", SCRIPT_ROLE, SCRIPT_IS },
	{ "messages", SCRIPT_MESSAGES, SCRIPT_IS },
	{ "tool", SCRIPT_TOOL, SCRIPT_IS },
	{ "no tool", SCRIPT_NO_TOOL, SCRIPT_IS },
	{ "tools contains", SCRIPT_TOOLS, SCRIPT_CONTAINS },
	{ "tools lacks", SCRIPT_TOOLS, SCRIPT_LACKS },
};

static int add_expect(struct reader *r, struct entry *e, const char *words, size_t len)
{
	struct script_turn *t = r->turn;

	if (t->expect_count == SCRIPT_MAX_EXPECTS)
		return script_parse_bad(r, "more than %d expectations in a turn",
					SCRIPT_MAX_EXPECTS);
	for (size_t i = 0; i < ARRAY_LEN(expectations); i++) {
		if (!script_parse_is_word(words, len, expectations[i].words))
			continue;
		if (ARRAY_ADD(t->expects, t->expect_count, SCRIPT_MAX_EXPECTS))
			return out_of_memory(r->err);
		t->expects[t->expect_count++] = (struct script_expect){
			.subject = expectations[i].subject,
			.test = expectations[i].test,
			.value = e->value,
			.line = e->line,
		};
		e->value.bytes = NULL;
		return MT_OK;
	}
	return script_parse_bad(
		r,
		"unknown expectation `%.*s`; use last, user, system or any with "
		"contains, lacks or is; tools with contains or lacks; or role, "
		"messages, tool, no tool",
		(int)len, words);
}

static int turn_key(struct reader *r, struct entry *e)
{
	struct script_turn *t = r->turn;
	const struct {
		const char *name;
		struct script_text *place;
	} texts[] = {
		{ "text", &t->text },     { "reasoning", &t->reasoning },
		{ "opaque", &t->opaque }, { "id", &t->id },
		{ "stop", &t->stop },
	};
	static const char expect[] = "expect ";
	size_t words = sizeof expect - 1;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (script_parse_is_word(e->key, e->key_len, texts[i].name))
			return script_parse_set_text(r, e, texts[i].place);
	if (e->key_len > words && memcmp(e->key, expect, words) == 0)
		return add_expect(r, e, e->key + words, e->key_len - words);
	if (script_parse_is_word(e->key, e->key_len, "error"))
		return set_error(r, e);
	if (script_parse_is_word(e->key, e->key_len, "error times"))
		return set_times(r, e);
	if (script_parse_is_word(e->key, e->key_len, "error wait"))
		return set_duration(r, e, &t->error_wait_ms);
	if (script_parse_is_word(e->key, e->key_len, "delay"))
		return set_duration(r, e, &t->delay_ms);
	if (script_parse_is_word(e->key, e->key_len, "usage"))
		return set_usage(r, e);
	return script_parse_bad(
		r,
		"unknown key `%.*s` of a turn; use text, reasoning, expect ..., "
		"usage, stop, delay, error, error times, error wait, id, opaque",
		(int)e->key_len, e->key);
}

/* ---- keys of a call -------------------------------------------------------- */

/* True if the arguments so far, which this file has written, contain the name. */
static bool has_argument(struct reader *r, const char *key, size_t len)
{
	AUTO(strbuf) struct strbuf text = STRBUF(SCRIPT_MAX_FILE), name = STRBUF(65536);
	AUTO(json) json_object *args = NULL;

	strbuf_addn(&text, r->call->args.text, r->call->args.len);
	strbuf_addc(&text, '}');
	strbuf_addn(&name, key, len);
	args = js_parse(text.text, text.len, NULL);
	return args && js_get(args, name.text);
}

static int script_parse_add_argument(struct reader *r, struct entry *e)
{
	struct strbuf *args = &r->call->args;
	struct error why = ERROR_NONE;
	AUTO(json) json_object *value = NULL;

	if (r->call->raw)
		return script_parse_bad(r, "the call already has @args");
	if (args->len && has_argument(r, e->key, e->key_len))
		return script_parse_bad(r, "duplicate argument `%.*s`", (int)e->key_len,
					e->key);
	if (e->form == JSON) {
		value = js_parse(e->value.bytes, e->value.len, &why);
		if (!value && why.code)
			return script_parse_bad(r, "the value of `%.*s` is not JSON: %s",
						(int)e->key_len, e->key, why.text);
	}
	strbuf_addc(args, args->len ? ',' : '{');
	js_put_str(args, e->key, e->key_len);
	strbuf_addc(args, ':');
	if (e->form == JSON)
		strbuf_addn(args, e->value.bytes, e->value.len);
	else
		js_put_str(args, e->value.bytes, e->value.len);
	return args->error ? out_of_memory(r->err) : MT_OK;
}

static int call_key(struct reader *r, struct entry *e)
{
	struct script_call *c = r->call;

	if (e->key[0] != '@')
		return script_parse_add_argument(r, e);
	if (script_parse_is_word(e->key, e->key_len, "@id"))
		return script_parse_set_text(r, e, &c->id);
	if (script_parse_is_word(e->key, e->key_len, "@name"))
		return script_parse_set_text(r, e, &c->name);
	if (!script_parse_is_word(e->key, e->key_len, "@args"))
		return script_parse_bad(
			r, "unknown key `%.*s` of a call; use @args, @id or @name",
			(int)e->key_len, e->key);
	if (c->raw || c->args.len)
		return script_parse_bad(r, "the call already has arguments");
	c->raw = true;
	return strbuf_addn(&c->args, e->value.bytes, e->value.len) ? out_of_memory(r->err)
								   : MT_OK;
}

/* ---- sections -------------------------------------------------------------- */

/* The arguments of a call are complete once another section starts. */
static int call_done(struct reader *r)
{
	struct script_call *c = r->call;

	r->call = NULL;
	if (!c)
		return MT_OK;
	if (!c->name.bytes) {
		r->line = c->line;
		return script_parse_bad(r, "the call has no name; use [call NAME]");
	}
	if (c->raw)
		return MT_OK;
	if (!c->args.len)
		strbuf_addc(&c->args, '{');
	return strbuf_addc(&c->args, '}') ? out_of_memory(r->err) : MT_OK;
}

static int open_turn(struct reader *r)
{
	struct script *s = r->script;

	if (s->count == SCRIPT_MAX_TURNS)
		return script_parse_bad(r, "more than %d turns", SCRIPT_MAX_TURNS);
	if (ARRAY_GROW(s->turns, &s->room, s->count + 1, SCRIPT_MAX_TURNS))
		return out_of_memory(r->err);
	r->turn = &s->turns[s->count++];
	*r->turn = (struct script_turn){ .line = r->line, .input = -1, .output = -1,
					 .cache_read = -1, .cache_write = -1,
					 .reasoning_tokens = -1, .cost = -1,
					 .error_wait_ms = -1 };
	return MT_OK;
}

static int open_call(struct reader *r, const char *name, size_t len)
{
	struct script_turn *t = r->turn;

	if (!t)
		return script_parse_bad(
			r, "a call must follow a turn; add [turn] before it");
	if (t->call_count == SCRIPT_MAX_CALLS)
		return script_parse_bad(r, "more than %d calls in a turn",
					SCRIPT_MAX_CALLS);
	if (ARRAY_ADD(t->calls, t->call_count, SCRIPT_MAX_CALLS))
		return out_of_memory(r->err);
	r->call = &t->calls[t->call_count++];
	*r->call = (struct script_call){ .args = STRBUF(SCRIPT_MAX_FILE),
					 .line = r->line };
	return len ? script_parse_keep(r, name, len, &r->call->name) : MT_OK;
}

static int script_parse_section(struct reader *r, const char *line, size_t len)
{
	int status;

	if (line[len - 1] != ']')
		return script_parse_bad(r, "`]` is missing");
	line++;
	len -= 2;
	script_parse_trim(&line, &len);
	status = call_done(r);
	if (status)
		return status;
	if (script_parse_is_word(line, len, "turn"))
		return open_turn(r);
	if (len >= 4 && memcmp(line, "call", 4) == 0 &&
	    (len == 4 || script_parse_is_space(line[4]))) {
		line += 4;
		len -= 4;
		script_parse_trim(&line, &len);
		return open_call(r, line, len);
	}
	return script_parse_bad(r, "unknown section [%.*s]; use [turn] or [call NAME]",
				(int)len, line);
}

static int parse_line(struct reader *r, const char *line, size_t len)
{
	struct entry e = { .line = r->line };
	int status;

	script_parse_trim(&line, &len);
	if (!len || line[0] == '#' || line[0] == ';')
		return MT_OK;
	if (line[0] == '[')
		return script_parse_section(r, line, len);
	if (!r->turn)
		return script_parse_bad(r,
					"missing first turn; add [turn] above this line");
	status = script_parse_read_entry(r, line, len, &e);
	if (!status)
		status = r->call ? call_key(r, &e) : turn_key(r, &e);
	free(e.value.bytes);
	return status;
}

int script_parse(const char *name, const char *text, size_t len, struct script *ret,
		 struct error *err)
{
	struct reader r = { .name = name, .at = text, .end = text + len, .script = ret,
			    .err = err };
	const char *line;
	size_t line_len;
	int status = MT_OK;

	*ret = (struct script){ 0 };
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r.at += 3;
	while (!status && script_parse_next_line(&r, &line, &line_len))
		status = parse_line(&r, line, line_len);
	if (!status)
		status = call_done(&r);
	if (!status && !ret->count)
		status = fail(err, MT_EINVAL, "%s: the script has no [turn]", name);
	if (status)
		script_clear(ret);
	return status;
}

static void script_parse_turn_clear(struct script_turn *t)
{
	for (size_t i = 0; i < t->expect_count; i++)
		free(t->expects[i].value.bytes);
	for (size_t i = 0; i < t->call_count; i++) {
		free(t->calls[i].id.bytes);
		free(t->calls[i].name.bytes);
		strbuf_clear(&t->calls[i].args);
	}
	free(t->expects);
	free(t->calls);
	free(t->text.bytes);
	free(t->reasoning.bytes);
	free(t->opaque.bytes);
	free(t->id.bytes);
	free(t->stop.bytes);
	free(t->error_text.bytes);
}

void script_clear(struct script *s)
{
	for (size_t i = 0; i < s->count; i++)
		script_parse_turn_clear(&s->turns[i]);
	free(s->turns);
	*s = (struct script){ 0 };
}
