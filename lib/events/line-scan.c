/* SPDX-License-Identifier: MIT
 *
 * line-scan.c - checks and parses one line of the log in one pass.
 *
 * Opening a long log without its checkpoint reads every line; building json-c objects
 * would take most of a second. */
#include "events/evlog-internal.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>

struct scan {
	const char *at, *end;
	bool high; /* a byte over 0x7f was seen */
	bool nul;  /* an escaped NUL was seen */
};

/* Bytes that end a run of plain characters in a string. */
static const bool special[256] = {
	[0 ... 0x1f] = true,
	['"'] = true,
	['\\'] = true,
	[0x80 ... 0xff] = true,
};

static void line_scan_skip_space(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

static bool skip_escape(struct scan *s)
{
	if (s->at == s->end)
		return false;
	if (*s->at != 'u')
		return *s->at && strchr("\"\\/bfnrt", *s->at++);
	s->at++;
	for (int i = 0; i < 4; i++, s->at++)
		if (s->at == s->end || !isxdigit((unsigned char)*s->at))
			return false;
	s->nul = s->nul || memcmp(s->at - 4, "0000", 4) == 0;
	return true;
}

/* Skip a string; `ret` is its content. */
static bool skip_string(struct scan *s, struct slice *ret)
{
	if (s->at == s->end || *s->at != '"')
		return false;
	ret->text = ++s->at;
	while (s->at < s->end) {
		unsigned char c = (unsigned char)*s->at;

		if (!special[c]) {
			s->at++;
		} else if (c >= 0x80) {
			s->high = true;
			s->at++;
		} else if (c == '"') {
			ret->len = (size_t)(s->at++ - ret->text);
			return true;
		} else if (c == '\\') {
			s->at++;
			if (!skip_escape(s))
				return false;
		} else {
			return false;
		}
	}
	return false;
}

static bool skip_digits(struct scan *s)
{
	const char *start = s->at;

	while (s->at < s->end && isdigit((unsigned char)*s->at))
		s->at++;
	return s->at > start;
}

static bool skip_number(struct scan *s)
{
	const char *start = s->at;

	if (*s->at == '-')
		s->at++;
	if (s->at < s->end && *s->at == '0')
		s->at++;
	else if (!skip_digits(s))
		return false;
	if ((s->at == s->end || !strchr(".eE", *s->at)) && !js_fits(start, s->at))
		return false;
	if (s->at < s->end && *s->at == '.') {
		s->at++;
		if (!skip_digits(s))
			return false;
	}
	if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
		s->at++;
		if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
			s->at++;
		return skip_digits(s);
	}
	return true;
}

static bool skip_word(struct scan *s, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
		return false;
	s->at += len;
	return true;
}

static bool skip_scalar(struct scan *s)
{
	struct slice ignored;

	if (s->at == s->end)
		return false;
	switch (*s->at) {
	case '"':
		return skip_string(s, &ignored);
	case 't':
		return skip_word(s, "true");
	case 'f':
		return skip_word(s, "false");
	case 'n':
		return skip_word(s, "null");
	default:
		return (*s->at == '-' || isdigit((unsigned char)*s->at)) &&
		       skip_number(s);
	}
}

static bool expect(struct scan *s, char c)
{
	line_scan_skip_space(s);
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	line_scan_skip_space(s);
	return true;
}

static bool line_scan_same(struct slice s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.text, text, s.len) == 0;
}

/* The integer of a value; -1 if it is not a valid ID. */
static int64_t number_of(struct slice value)
{
	int64_t n = 0;

	if (value.len == 0 || value.len > 15)
		return -1;
	for (size_t i = 0; i < value.len; i++) {
		if (!isdigit((unsigned char)value.text[i]))
			return -1;
		n = n * 10 + (value.text[i] - '0');
	}
	return n;
}

static struct slice inside(struct slice value)
{
	if (value.len < 2 || value.text[0] != '"')
		return (struct slice){ "", 0 };
	return (struct slice){ value.text + 1, value.len - 2 };
}

static enum event_source source_of(struct slice name)
{
	for (enum event_source s = SOURCE_AGENT; s <= SOURCE_ENVIRONMENT; s++)
		if (line_scan_same(name, event_source_name(s)))
			return s;
	return SOURCE_NONE;
}

/* Note the type of the line if this is the first `action`, `observation` or `record`:
 * events may have unknown members. */
static bool note_kind(struct line *line, struct slice name, struct slice value)
{
	if (line->kind != LINE_BAD || value.text[0] != '"')
		return false;
	line->is_action = line_scan_same(name, "action");
	if (line->is_action || line_scan_same(name, "observation"))
		line->kind = LINE_EVENT;
	else if (line_scan_same(name, "record"))
		line->kind = LINE_RECORD;
	else
		return false;
	line->type = inside(value);
	return true;
}

/* Note a member of the top level. */
static void note(struct line *line, struct slice name, struct slice value)
{
	if (note_kind(line, name, value))
		return;
	if (line_scan_same(name, "id")) {
		line->id = number_of(value);
	} else if (line_scan_same(name, "cause")) {
		line->cause = number_of(value);
	} else if (line_scan_same(name, "source")) {
		line->source = source_of(inside(value));
	} else if (line_scan_same(name, "tool_call_metadata")) {
		line->has_call = value.text[0] == '{';
	} else if (line_scan_same(name, "response_id")) {
		line->response_id = inside(value);
	} else if (line_scan_same(name, "plugin")) {
		line->plugin = inside(value);
	} else if (line_scan_same(name, "action")) {
		line->action = number_of(value);
	} else if (line_scan_same(name, "to")) {
		line->to = value.text[0] == '-' ? -1 : number_of(value);
	}
}

/* The position inside a value: the types of open brackets, and whether the second level
 * is args or extras. */
struct nest {
	uint64_t objects; /* bit n: level n is an object */
	int depth;
	bool fields;
};

/* Skip the name of a member and its colon. */
static bool member_name(struct scan *s, struct slice *ret)
{
	s->nul = false;
	return skip_string(s, ret) && !s->nul && expect(s, ':');
}

/* Close brackets, skip the comma. @return false on a syntax error; sets `*ret_done` after
 * the value that started at depth 0 has ended. */
static bool line_scan_after_value(struct scan *s, struct nest *n, bool *ret_done)
{
	for (;;) {
		*ret_done = n->depth == 0;
		if (*ret_done)
			return true;
		line_scan_skip_space(s);
		if (s->at == s->end)
			return false;

		bool object = n->objects >> n->depth & 1;
		char c = *s->at++;

		if (c == ',') {
			line_scan_skip_space(s);
			return true;
		}
		if (c != (object ? '}' : ']'))
			return false;
		n->depth--;
	}
}

/* Skip one value of any depth; records `hidden` of args and extras. */
static bool skip_value(struct scan *s, struct line *line, bool fields)
{
	struct nest n = { .fields = fields };
	bool done = false;

	while (!done) {
		struct slice name = { "", 0 };

		if (n.depth > 0 && n.objects >> n.depth & 1 && !member_name(s, &name))
			return false;
		if (s->at == s->end)
			return false;
		if (*s->at == '{' || *s->at == '[') {
			char close = *s->at == '{' ? '}' : ']';

			if (++n.depth >= JS_DEPTH - 1)
				return false;
			n.objects &= ~(UINT64_C(1) << n.depth);
			n.objects |= (uint64_t)(*s->at++ == '{') << n.depth;
			line_scan_skip_space(s);
			if (s->at == s->end || *s->at != close)
				continue;
			s->at++;
			n.depth--;
		} else {
			const char *start = s->at;

			if (!skip_scalar(s))
				return false;
			if (n.fields && n.depth == 1 && *start == 't' &&
			    line_scan_same(name, "hidden"))
				line->hidden = true;
		}
		if (!line_scan_after_value(s, &n, &done))
			return false;
	}
	return true;
}

static bool scan_object(struct scan *s, struct line *line)
{
	if (!expect(s, '{'))
		return false;
	do {
		struct slice name, value;

		if (!member_name(s, &name))
			return false;
		value.text = s->at;
		if (!skip_value(s, line,
				line_scan_same(name, "args") ||
					line_scan_same(name, "extras")))
			return false;
		value.len = (size_t)(s->at - value.text);
		note(line, name, value);
	} while (expect(s, ','));
	if (!expect(s, '}'))
		return false;
	return s->at == s->end;
}

void line_scan(const char *text, size_t len, struct line *ret)
{
	struct scan s = { .at = text, .end = text + len };
	size_t body;

	*ret = (struct line){ .id = -1, .cause = -1, .action = -1, .to = -1 };
	if (evlog_line_check(text, len, &body) == SUM_BAD) {
		ret->fault = "its checksum does not match";
		return;
	}
	if (!scan_object(&s, ret)) {
		ret->kind = LINE_BAD;
		ret->fault = "it is not a JSON object";
	} else if (s.high && !utf8_valid(text, len)) {
		ret->kind = LINE_BAD;
		ret->fault = "it is not UTF-8";
	} else if (ret->kind == LINE_BAD) {
		ret->fault = "it is neither an event nor a record";
	}
	ret->sealed = ret->kind != LINE_BAD && body < len;
}
