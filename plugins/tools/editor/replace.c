/* SPDX-License-Identifier: MIT
 *
 * replace.c - the command str_replace: one replacement, or several that are applied
 * together or not at all. */
#include "array.h"
#include "commands.h"
#include "js.h"
#include "text/argument.h"
#include "space.h"
#include "text/file-view.h"
#include "text/nearmiss.h"
#include "utf8.h"
#include <string.h>

enum {
	QUOTED_MAX = 4000,
	LINES_LISTED = 100,
	SPOTS_SHOWN = 10,    /* changed positions that are shown */
	EDITS_MAX = 100,     /* maximum per call */
};

struct replacement {
	struct mt_str old, new_;
	bool all;
};

/* Changed positions in the current text, and the number of lines that each has in
 * addition to one. */
struct spots {
	struct { size_t at, lines; } list[SPOTS_SHOWN];
	size_t count; /* of all; the list has only the first ones */
};

static struct mt_str editor_replace_str_of(const struct strbuf *b)
{
	return (struct mt_str){ b->text, b->len };
}

/* ---- finding ---------------------------------------------------------- */

/* The next occurrence of `what` from `p` on; NULL: none. */
static const char *find_next(const struct textfile *f, const char *p, struct mt_str what)
{
	const char *end = f->text.text + f->text.len;

	return memmem(p, (size_t)(end - p), what.ptr, what.len);
}

/* Number of non-overlapping occurrences. */
static size_t count_matches(const struct textfile *f, struct mt_str what)
{
	const char *p = f->text.text;
	size_t n = 0;

	if (what.len == 0)
		return f->text.len + 1;
	for (; (p = find_next(f, p, what)); p += what.len)
		n++;
	return n;
}

/* `text` in a message, shortened for the model. */
static void put_quoted(struct strbuf *out, struct mt_str text)
{
	size_t n = utf8_cut(text.ptr, text.len, QUOTED_MAX);

	strbuf_addc(out, '`');
	strbuf_addn(out, text.ptr, n);
	strbuf_add(out, n < text.len ? "...`" : "`");
}

/* The lines in which `what` starts, as a list without duplicates. */
static void replace_put_lines(struct strbuf *out, const struct textfile *f,
			      struct mt_str what)
{
	const char *p = f->text.text, *counted = p, *end = p + f->text.len;
	size_t line = 1, shown = 0, before = 0;

	strbuf_addc(out, '[');
	while (shown < LINES_LISTED) {
		if (what.len)
			p = find_next(f, p, what);
		if (!p)
			break;
		line += editor_count_newlines(counted, (size_t)(p - counted));
		counted = p;
		if (line != before)
			strbuf_addf(out, shown++ ? ", %zu" : "%zu", line);
		before = line;
		if (what.len)
			p += what.len;
		else if ((p = memchr(p, '\n', (size_t)(end - p))))
			p++;
	}
	strbuf_add(out, shown == LINES_LISTED ? ", ...]" : "]");
}

static int refuse_matches(struct job *j, const struct textfile *f, size_t matches,
			  struct mt_str what, struct mt_str wanted)
{
	AUTO(strbuf) struct strbuf why = STRBUF(1 << 20);

	if (matches == 0) {
		strbuf_add(&why, "No replacement was performed, old_str ");
		put_quoted(&why, wanted);
		strbuf_addf(&why, " did not appear verbatim in %s.", j->path);
		nearmiss_explain((struct mt_str){ f->text.text, f->text.len }, wanted,
				 &why);
		return editor_refuse(j, MT_ENOTFOUND, "%s", why.text);
	}
	strbuf_add(&why,
		   "No replacement was performed. Multiple occurrences of old_str ");
	put_quoted(&why, what);
	strbuf_add(&why, " in lines ");
	replace_put_lines(&why, f, what);
	strbuf_add(&why, ". Please ensure it is unique");
	strbuf_add(&why, j->e->v0 ? "." : ", or set `replace_all` to replace each.");
	return editor_refuse(j, MT_EINVAL, "%s", why.text);
}

/* ---- replacing -------------------------------------------------------- */

/* Adjust earlier positions to changes in the text before them. */
static void move_spots(struct spots *s, const struct splice *changes, size_t count)
{
	size_t listed = s->count < SPOTS_SHOWN ? s->count : SPOTS_SHOWN;

	for (size_t i = 0; i < listed; i++) {
		size_t at = s->list[i].at, removed = 0, added = 0;

		for (size_t n = 0; n < count && changes[n].at + changes[n].removed <= at;
		     n++)
			removed += changes[n].removed, added += changes[n].added.len;
		s->list[i].at = at - removed + added;
	}
}

static void add_spots(struct spots *s, const struct splice *changes, size_t count)
{
	size_t removed = 0, added = 0;

	move_spots(s, changes, count);
	for (size_t n = 0; n < count; n++, s->count++) {
		const struct splice *c = &changes[n];

		if (s->count < SPOTS_SHOWN) {
			s->list[s->count].at = c->at - removed + added;
			s->list[s->count].lines =
				editor_count_newlines(c->added.ptr, c->added.len);
		}
		removed += c->removed, added += c->added.len;
	}
}

/* Replace all `count` occurrences of `old`. */
static int replace_places(struct job *j, const struct textfile *f, struct mt_str old,
			  struct mt_str new_, size_t count, struct spots *spots,
			  struct textfile *ret)
{
	struct splice *changes = calloc(count, sizeof *changes);
	const char *p = f->text.text;
	struct error err = ERROR_NONE;
	int status = changes ? MT_OK : out_of_memory(&err);

	for (size_t n = 0; !status && n < count && (p = find_next(f, p, old)); n++) {
		changes[n] = (struct splice){ (size_t)(p - f->text.text), old.len, new_ };
		p += old.len;
	}
	if (!status)
		status = textfile_splice(f, changes, count, ret, &err);
	if (!status)
		add_spots(spots, changes, count);
	free(changes);
	return status ? editor_refuse_write(j, &err) : MT_OK;
}

static int refuse_same(struct job *j, struct mt_str text)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(QUOTED_MAX + 8);

	strbuf_addn(&shown, text.ptr, utf8_cut(text.ptr, text.len, QUOTED_MAX));
	return editor_refuse(j, MT_EINVAL,
			     "Invalid `new_str` parameter: %s. No replacement was "
			     "performed. `new_str` and `old_str` must be different.",
			     shown.text);
}

/* One replacement in a text; `ret` is the text after it. */
static int editor_replace_in_file(struct job *j, const struct textfile *f,
				  const struct replacement *r, struct spots *spots,
				  struct textfile *ret)
{
	AUTO(strbuf) struct strbuf old_buf = STRBUF(TEXTFILE_MAX + 8);
	AUTO(strbuf) struct strbuf new_buf = STRBUF(TEXTFILE_MAX + 8);
	struct mt_str old, new_;
	size_t matches;

	if (editor_put_text(&old_buf, r->old) != MT_OK ||
	    editor_put_text(&new_buf, r->new_) != MT_OK)
		return editor_refuse(
			j, MT_ELIMIT,
			"No replacement was performed: `old_str` or `new_str` "
			"is too long.");
	old = editor_replace_str_of(&old_buf), new_ = editor_replace_str_of(&new_buf);
	if (old.len == new_.len && memcmp(old.ptr, new_.ptr, old.len) == 0)
		return refuse_same(j, new_);
	matches = count_matches(f, old);
	if (matches == 0) {
		old = space_trimmed(old), new_ = space_trimmed(new_);
		matches = count_matches(f, old);
	}
	if (matches == 0 || (matches > 1 && (!r->all || !old.len)))
		return refuse_matches(j, f, matches, old,
				      editor_replace_str_of(&old_buf));
	return replace_places(j, f, old, new_, matches, spots, ret);
}

/* ---- the result ------------------------------------------------------- */

static void editor_replace_put_one(struct job *j, const struct textfile *f,
				   const struct spots *s)
{
	size_t line = textfile_line_of(f, s->list[0].at);

	strbuf_addf(&j->ret->text,
		    "The file %s has been edited. Here's the result of running "
		    "`cat -n` on a snippet of %s:\n",
		    j->path, j->path);
	editor_put_lines(j, f, editor_snippet_first(line),
			 line + EDITOR_SNIPPET + s->list[0].lines);
}

/* Append each changed position with its context lines. */
static void put_several(struct job *j, const struct textfile *f, const struct spots *s)
{
	size_t shown = s->count < SPOTS_SHOWN ? s->count : SPOTS_SHOWN;
	struct view_range ranges[SPOTS_SHOWN];

	strbuf_addf(&j->ret->text,
		    "The file %s has been edited in %zu places. Here's the result of "
		    "running `cat -n` on %s:\n",
		    j->path, s->count, shown < s->count ? "the first of them" : "them");
	for (size_t i = 0; i < shown; i++) {
		size_t line = textfile_line_of(f, s->list[i].at);

		ranges[i] = (struct view_range){ line, line + s->list[i].lines };
	}
	view_ranges(f, ranges, shown, &j->ret->text);
}

/* ---- the command ------------------------------------------------------ */

/* Make all replacements; `*ret` points to the one of the two that holds the final
 * text. */
static int replace_each(struct job *j, const struct textfile *f,
			const struct replacement *list, size_t count, struct spots *spots,
			struct textfile both[2], const struct textfile **ret)
{
	*ret = f;
	for (size_t i = 0; i < count; i++) {
		struct textfile *next = &both[i % 2];
		int status;

		textfile_clear(next);
		*next = TEXTFILE;
		status = editor_replace_in_file(j, *ret, &list[i], spots, next);
		if (status && count > 1) {
			AUTO(strbuf) struct strbuf why = STRBUF(1 << 20);

			strbuf_addf(&why, "Edit %zu of %zu failed, so none was made. %s",
				    i + 1, count, j->ret->text.text);
			return editor_refuse(j, status, "%s", why.text);
		}
		if (status)
			return status;
		*ret = next;
	}
	return MT_OK;
}

static int replace_all(struct job *j, const struct replacement *list, size_t count)
{
	AUTO(textfile) struct textfile f = TEXTFILE;
	struct textfile both[2] = { TEXTFILE, TEXTFILE };
	const struct textfile *changed;
	struct spots spots = { .count = 0 };
	int status = editor_read_for_edit(j, false, &f);

	if (!status)
		status = replace_each(j, &f, list, count, &spots, both, &changed);
	if (!status)
		status = editor_store(j, &f, changed);
	if (!status) {
		if (spots.count == 1)
			editor_replace_put_one(j, changed, &spots);
		else
			put_several(j, changed, &spots);
		editor_put_review(j);
	}
	textfile_clear(&both[0]);
	textfile_clear(&both[1]);
	return status;
}

static bool editor_replace_text_member(json_object *o, const char *name,
				       struct mt_str *ret)
{
	json_object *v = js_get(o, name);

	if (!json_object_is_type(v, json_type_string))
		return false;
	*ret = (struct mt_str){ json_object_get_string(v),
				(size_t)json_object_get_string_len(v) };
	return !memchr(ret->ptr, '\0', ret->len);
}

/* The list of `edits`: objects with old_str, new_str and perhaps replace_all. */
static int read_edits(struct job *j, json_object *edits, struct replacement *list,
		      size_t *ret_count)
{
	size_t n = js_length(edits);

	if (!json_object_is_type(edits, json_type_array) || n == 0 || n > EDITS_MAX)
		return editor_refuse(
			j, MT_EINVAL,
			"Invalid `edits` parameter: it should be a list of 1 "
			"to %d objects with `old_str` and `new_str`.",
			EDITS_MAX);
	for (size_t i = 0; i < n; i++) {
		json_object *one = json_object_array_get_idx(edits, i);

		if (!editor_replace_text_member(one, "old_str", &list[i].old) ||
		    !editor_replace_text_member(one, "new_str", &list[i].new_))
			return editor_refuse(
				j, MT_EINVAL,
				"Invalid `edits` parameter: item %zu should be "
				"an object with the texts `old_str` and "
				"`new_str`.",
				i + 1);
		list[i].all = js_bool(one, "replace_all", false);
	}
	*ret_count = n;
	return MT_OK;
}

int editor_command_str_replace(struct job *j)
{
	AUTO(json) json_object *edits = NULL;
	struct replacement list[EDITS_MAX];
	size_t count = 1;

	if (argument_given(j->q->edits)) {
		int status;

		if (j->q->old_str.ptr)
			return editor_refuse(
				j, MT_EINVAL,
				"Use either `edits` or `old_str`, not both.");
		edits = js_parse(j->q->edits.ptr, j->q->edits.len, NULL);
		status = read_edits(j, edits, list, &count);
		return status ? status : replace_all(j, list, count);
	}
	if (!j->q->old_str.ptr)
		return editor_refuse_missing(j, "old_str");
	list[0] = (struct replacement){ j->q->old_str, j->q->new_str,
					j->q->replace_all };
	return replace_all(j, list, 1);
}
