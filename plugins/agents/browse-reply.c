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

/* The text before `at`, and the text after `at` and `skip` more bytes. */
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

/* Append the first argument of a call: the text of a string, other literals verbatim.
 * False, with the cursor unchanged, if it is not a literal. */
static bool read_literal(struct cursor *c, struct strbuf *ret)
{
	AUTO(json) json_object *value = NULL;
	struct cursor next = *c;
	size_t len;

	if (literal_read(&next, &value, NULL))
		return false;
	len = (size_t)(next.at - c->at);
	cursor_blanks(&next);
	if (next.at != next.end && *next.at != ')' && *next.at != ',')
		return false;
	if (json_object_is_type(value, json_type_string))
		strbuf_addn(ret, json_object_get_string(value),
			    (size_t)json_object_get_string_len(value));
	else if (value)
		strbuf_addn(ret, c->at, len);
	cursor_takes(&next, ')');
	*c = next;
	return true;
}

/* Append an argument with a quote inside it: up to the next such quote followed by a
 * parenthesis in this line. Without them nothing is appended, and the browser reports the
 * error. */
static void read_misquoted(struct cursor *c, struct strbuf *ret)
{
	size_t line = strcspn(c->at, "\n");
	const char end[] = { *c->at, ')' };
	const char *at = line > 1 && strchr("'\"", *c->at)
				 ? memmem(c->at + 1, line - 1, end, sizeof end)
				 : NULL;

	if (!at)
		return;
	strbuf_addn(ret, c->at + 1, (size_t)(at - c->at) - 1);
	c->at = at + sizeof end;
}

/* Read the text of the last call of `name`; set `last` if the actions contain nothing
 * else. */
static void read_message(struct browse_reply *r, const char *name)
{
	struct mt_str s = { r->actions.text, r->actions.len };
	struct mt_str head, rest = s;
	const char *at;
	bool alone;

	while ((at = browse_reply_find(rest, name))) {
		struct cursor c = { s.ptr, at + strlen(name), s.ptr + s.len };

		if (c.end - c.at > 5 && memcmp(c.at, "text=", 5) == 0)
			c.at += 5;
		strbuf_reset(&r->message);
		if (!read_literal(&c, &r->message))
			read_misquoted(&c, &r->message);
		head = space_trimmed(before(s, at));
		alone = !head.len ||
			(head.len == 6 && memcmp(head.ptr, "python", 6) == 0);
		rest = browse_reply_after(s, c.at, 0);
		r->last = r->message.len && alone && !space_trimmed(rest).len;
	}
}

/* ---- a reply --------------------------------------------------------------------- */

/* The whole text is for the user. */
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
		if (!r->message.len)
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
