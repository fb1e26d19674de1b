/* SPDX-License-Identifier: MIT
 *
 * draft.c - the parts of an edit by draft that do not need a file or a model. */
#include "draft.h"
#include "js.h"
#include "space.h"
#include <string.h>

enum { LIKE_LINES = 200 /* lines of a draft that are compared */ };

int draft_range(int64_t start, int64_t end, size_t lines, struct draft_range *ret,
		struct error *err)
{
	int64_t most = (int64_t)lines, last = end == -1 ? most : end;

	*ret = (struct draft_range){ .append = start == -1 };
	if (ret->append)
		return MT_OK;
	if (start < 1 || (start > most && start > 1))
		return fail(err, MT_EINVAL,
			    "Invalid range: start=%lld, end=%lld. `start` must be a "
			    "line from 1 to %zu, or -1 to append.",
			    (long long)start, (long long)end, lines);
	if (last < start - 1 || (end != -1 && (end < start || end > most)))
		return fail(err, MT_EINVAL,
			    "Invalid range: start=%lld, end=%lld. `end` must be a line "
			    "from %lld to %zu, or -1 for the last.",
			    (long long)start, (long long)end, (long long)start, lines);
	ret->first = (size_t)start;
	ret->last = (size_t)last;
	if (last - start + 1 > DRAFT_LINES_MAX)
		return fail(err, MT_ELIMIT,
			    "The range has %lld lines, but at most %d can be edited at "
			    "once. Set `start` and `end` around the lines that change.",
			    (long long)(last - start + 1), DRAFT_LINES_MAX);
	return MT_OK;
}

/* ---- texts ------------------------------------------------------------------- */

static bool draft_next_line(struct mt_str *rest, struct mt_str *ret)
{
	const char *nl = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;

	if (rest->len == 0)
		return false;
	ret->ptr = rest->ptr;
	ret->len = nl ? (size_t)(nl - rest->ptr) : rest->len;
	rest->ptr += ret->len + (nl != NULL);
	rest->len -= ret->len + (nl != NULL);
	return true;
}

static bool draft_begins(struct mt_str text, const char *with)
{
	return text.len >= strlen(with) && memcmp(text.ptr, with, strlen(with)) == 0;
}

int draft_trim(struct mt_str draft, struct strbuf *out)
{
	struct mt_str rest = draft, line;

	while (draft_next_line(&rest, &line) && space_is_blank(line))
		draft = rest;
	draft.len = space_trim_end(draft.ptr, draft.len);
	strbuf_addn(out, draft.ptr, draft.len);
	return draft.len ? strbuf_addc(out, '\n') : out->error;
}

/* ---- the model ---------------------------------------------------------------- */

static const char task[] =
	"You merge drafts into files. You are given lines of a file and a draft of "
	"their new content. Comments in the draft such as `# no changes` or `// ... "
	"rest of the function ...` stand for unchanged lines; everything else is "
	"literal. Change only what the draft changes. Answer with all resulting lines "
	"between <updated_code> and </updated_code>: replace each such comment by the "
	"lines that it stands for, keep the indentation, and do not add line numbers.";

static void draft_put_message(struct strbuf *out, const char *role, const char *text,
			      size_t len)
{
	strbuf_addc(out, '{');
	js_key_str(out, "role", role);
	js_key_strn(out, "content", text, len);
	strbuf_addc(out, '}');
}

int draft_ask(struct mt_str original, struct mt_str draft, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf text = STRBUF(out->max);

	strbuf_add(&text, "<original_code>\n");
	strbuf_addn(&text, original.ptr, original.len);
	strbuf_add(&text, "</original_code>\n\n<update_snippet>\n");
	strbuf_addn(&text, draft.ptr, draft.len);
	if (draft.len && draft.ptr[draft.len - 1] != '\n')
		strbuf_addc(&text, '\n');
	if (strbuf_add(&text, "</update_snippet>"))
		return text.error;
	strbuf_add(out, "{\"messages\":[");
	draft_put_message(out, "system", task, sizeof task - 1);
	strbuf_addc(out, ',');
	draft_put_message(out, "user", text.text, text.len);
	return strbuf_add(out, "]}");
}

/* The last occurrence of a word; NULL: none. */
static const char *draft_last_of(struct mt_str text, const char *word)
{
	size_t len = strlen(word);

	for (size_t at = text.len + 1; at-- > 0;)
		if (at + len <= text.len && memcmp(text.ptr + at, word, len) == 0)
			return text.ptr + at;
	return NULL;
}

int draft_answer(struct mt_str answer, struct strbuf *out)
{
	static const char open[] = "<updated_code>";
	const char *from =
		answer.len ? memmem(answer.ptr, answer.len, open, sizeof open - 1) : NULL;
	const char *to = draft_last_of(answer, "</updated_code>");
	struct mt_str code, line, rest;

	if (!from || !to || to < from + sizeof open - 1)
		return MT_EINVAL;
	code.ptr = from + sizeof open - 1;
	code.len = (size_t)(to - code.ptr);
	rest = code;
	if (draft_next_line(&rest, &line) && space_is_blank(line))
		code = rest; /* after the line of the tag */
	rest = code;
	if (draft_next_line(&rest, &line) && draft_begins(line, "#EDIT:"))
		code = rest;
	strbuf_addn(out, code.ptr, code.len);
	if (code.len && code.ptr[code.len - 1] != '\n')
		strbuf_addc(out, '\n');
	return out->error;
}

/* ---- similarity ------------------------------------------------------------------- */

struct lines {
	struct mt_str *list; /* trimmed */
	size_t count;
};

static int draft_split(struct mt_str text, size_t most, struct lines *ret)
{
	struct mt_str rest = text, line;
	size_t count = 0;

	while (draft_next_line(&rest, &line))
		count++;
	count = count < most ? count : most;
	*ret = (struct lines){ .list = calloc(count + 1, sizeof *ret->list) };
	while (ret->list && ret->count < count && draft_next_line(&text, &line))
		ret->list[ret->count++] = space_trimmed(line);
	return ret->list ? MT_OK : MT_ENOMEM;
}

static bool draft_same(struct mt_str a, struct mt_str b)
{
	return a.len == b.len && a.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

/* Bytes of the longest sequence of lines that both have in this order. */
static size_t draft_likeness(const struct mt_str *chunk, size_t count,
			     const struct lines *draft)
{
	size_t best[DRAFT_CHUNK + 1] = { 0 };

	for (size_t d = 0; d < draft->count; d++) {
		size_t before = 0; /* best[i] without this line of the draft */

		for (size_t i = 0; i < count; i++) {
			size_t old = best[i + 1], with = before + chunk[i].len;

			if (draft_same(chunk[i], draft->list[d]) && with > best[i + 1])
				best[i + 1] = with;
			if (best[i] > best[i + 1])
				best[i + 1] = best[i];
			before = old;
		}
	}
	return best[count];
}

struct stretch {
	size_t first, count, like;
};

/* Keep the best ranges, best first. */
static void draft_rank(struct stretch best[DRAFT_LIKE], struct stretch s)
{
	for (size_t i = 0; i < DRAFT_LIKE; i++)
		if (s.like > best[i].like) {
			struct stretch other = best[i];

			best[i] = s;
			s = other;
		}
}

static void put_stretch(struct strbuf *out, struct mt_str text, const struct stretch *s)
{
	struct mt_str line;

	strbuf_addf(out, "[lines %zu to %zu]\n", s->first + 1, s->first + s->count);
	for (size_t n = 0; n < s->first + s->count && draft_next_line(&text, &line); n++)
		if (n >= s->first)
			strbuf_addf(out, "%zu|%.*s\n", n + 1,
				    (int)(line.len < 400 ? line.len : 400), line.ptr);
}

int draft_like(struct mt_str text, struct mt_str draft, struct strbuf *out)
{
	struct stretch best[DRAFT_LIKE] = { 0 };
	struct lines all = { 0 }, wanted = { 0 };
	int r = draft_split(text, SIZE_MAX, &all);

	if (!r)
		r = draft_split(draft, LIKE_LINES, &wanted);
	for (size_t at = 0; !r && at < all.count; at += DRAFT_CHUNK) {
		size_t left = all.count - at;
		struct stretch s = { .first = at,
				     .count = left < DRAFT_CHUNK ? left : DRAFT_CHUNK };

		s.like = draft_likeness(all.list + at, s.count, &wanted);
		draft_rank(best, s);
	}
	for (size_t i = 0; !r && i < DRAFT_LIKE && best[i].like; i++)
		put_stretch(out, text, &best[i]);
	free(all.list);
	free(wanted.list);
	return r ? r : out->error;
}
