/* SPDX-License-Identifier: MIT
 *
 * browse-reply.c - parses actions and messages in the text of a reply. */
#include "browse.h"
#include "literal.h"
#include "space.h"

#include <string.h>

enum { REPLY_MAX = 1 << 20 };

static const char fence[] = "```";

/* ---- texts ------------------------------------------------------------------- */

static const char *browse_reply_find(struct mt_str s, const char *what)
{
	return s.len ? memmem(s.ptr, s.len, what, strlen(what)) : NULL;
}

static bool ends_in(struct mt_str s, const char *end)
{
	size_t n = strlen(end);

	return s.len >= n && memcmp(s.ptr + s.len - n, end, n) == 0;
}

/* What stands before `at`, and after it and `skip` bytes more. */
static struct mt_str before(struct mt_str s, const char *at)
{
	return (struct mt_str){ s.ptr, (size_t)(at - s.ptr) };
}

static struct mt_str browse_reply_after(struct mt_str s, const char *at, size_t skip)
{
	at += skip;
	return (struct mt_str){ at, s.len - (size_t)(at - s.ptr) };
}

int browse_repair(struct mt_str text, struct strbuf *ret)
{
	struct mt_str s = space_trimmed(text);

	*ret = STRBUF(REPLY_MAX);
	strbuf_addn(ret, s.ptr ? s.ptr : "", s.len);
	if (ends_in(s, fence) || (!browse_reply_find(s, fence) && !ends_in(s, ")")))
		return ret->error;
	return strbuf_add(ret, ends_in(s, ")") ? fence : ")```");
}

/* ---- a message ----------------------------------------------------------------- */

/* Is the first argument a text with the quotes where they belong? The cursor then stands
 * at what follows it. */
static bool is_argument(struct cursor *c, json_object **ret)
{
	if (literal_read(c, ret, NULL) || !json_object_is_type(*ret, json_type_string))
		return false;
	cursor_blanks(c);
	return c->at == c->end || *c->at == ')' || *c->at == ',';
}

/* The text of an argument whose quotes are broken: up to the same quote and a
 * parenthesis, or to the end of the line. */
static struct mt_str misquoted(const char *line)
{
	struct mt_str s = { line, strcspn(line, "\n") };
	const char end[] = { *line, ')', '\0' };
	const char *at = s.len > 1 && strchr("'\"", *line) ? strstr(line + 1, end) : NULL;

	if (at && at < s.ptr + s.len)
		return (struct mt_str){ line + 1, (size_t)(at - line - 1) };
	while (s.len && strchr(")'\" ", s.ptr[s.len - 1]))
		s.len--;
	while (s.len && strchr("'\" ", *s.ptr))
		s.ptr++, s.len--;
	return s;
}

/* The text of a call of `name`; where its quotes are broken, all up to the end of the
 * line. Whether it is the only call. */
static void read_message(struct browse_reply *r, const char *name)
{
	struct mt_str s = { r->actions.text, r->actions.len };
	const char *at = browse_reply_find(s, name);
	struct cursor c = { s.ptr, at ? at + strlen(name) : NULL, s.ptr + s.len };
	AUTO(json) json_object *value = NULL;
	struct mt_str head;

	if (!at || r->message.len)
		return;
	if (c.end - c.at > 5 && memcmp(c.at, "text=", 5) == 0)
		c.at += 5;
	if (is_argument(&c, &value)) {
		strbuf_addn(&r->message, json_object_get_string(value),
			    (size_t)json_object_get_string_len(value));
		cursor_takes(&c, ')');
		cursor_blanks(&c);
	} else {
		struct mt_str rest = misquoted(at + strlen(name));

		strbuf_addn(&r->message, rest.ptr, rest.len);
		c.at = c.end;
	}
	head = space_trimmed(before(s, at));
	r->last = c.at == c.end &&
		  (!head.len || (head.len == 6 && memcmp(head.ptr, "python", 6) == 0));
}

/* ---- a reply --------------------------------------------------------------------- */

/* All of it is for the user. */
static void only_talk(struct mt_str s, struct browse_reply *r)
{
	strbuf_addn(&r->thought, s.ptr, s.len);
	strbuf_addn(&r->message, s.ptr, s.len);
	strbuf_add(&r->actions, "send_msg_to_user(\"\"\"");
	strbuf_addn(&r->actions, s.ptr, s.len);
	strbuf_add(&r->actions, "\"\"\")");
	r->last = true;
}

int browse_read(struct mt_str text, struct browse_reply *r)
{
	const char *first = browse_reply_find(text, fence), *second;
	struct mt_str head, inside;

	*r = (struct browse_reply){ .actions = STRBUF(REPLY_MAX + 64),
				    .thought = STRBUF(REPLY_MAX),
				    .message = STRBUF(REPLY_MAX) };
	if (first) {
		head = space_trimmed(before(text, first));
		inside = browse_reply_after(text, first, 3);
		second = browse_reply_find(inside, fence);
		inside = space_trimmed(second ? before(inside, second) : inside);
		strbuf_addn(&r->actions, inside.len ? inside.ptr : head.ptr,
			    inside.len ? inside.len : head.len);
		if (inside.len)
			strbuf_addn(&r->thought, head.ptr, head.len);
		read_message(r, "send_msg_to_user(");
		read_message(r, "report_infeasible(");
	} else if (text.len) {
		only_talk(text, r);
	}
	return r->actions.error || r->thought.error || r->message.error ? MT_ENOMEM
									: MT_OK;
}

void browse_reply_clear(struct browse_reply *r)
{
	strbuf_clear(&r->actions);
	strbuf_clear(&r->thought);
	strbuf_clear(&r->message);
}
