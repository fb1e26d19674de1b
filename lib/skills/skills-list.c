/* SPDX-License-Identifier: MIT
 *
 * skills-list.c - the list of skills for the model, within a budget. */
#include "skills/skills-internal.h"

#include "utf8.h"

#include <string.h>

enum { WHOLE = 1 << 20 };

/* Descriptions are truncated to the longest of these at which all of them fit. */
static const size_t cuts[] = { WHOLE, 400, 240, 160, 100, 60 };

/* Formats of a list: that of the Agent Skills standard, and a shorter one. */
static const struct list_form {
	const char *head, *tail;
	const char *name, *description, *end; /* text before each, and after the skill */
	const char *names, *names_end;        /* around the names without a description */
	const char *more, *more_end;          /* around the number of omitted names */
} standard_form = {
	"<available_skills>\n", "</available_skills>",
	"  <skill>\n    <name>", "</name>\n    <description>", "</description>\n  </skill>\n",
	"  <by_name_only>", "</by_name_only>\n",
	"  <!-- ", " -->\n",
}, lines_form = {
	"", "",
	"- ", ": ", "\n",
	"By name only: ", "\n",
	"(", ")\n",
};

static int skills_list_put_escaped(struct strbuf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		switch (text[i]) {
		case '&':
			strbuf_add(out, "&amp;");
			break;
		case '<':
			strbuf_add(out, "&lt;");
			break;
		case '>':
			strbuf_add(out, "&gt;");
			break;
		case '\n':
			strbuf_addc(out, ' ');
			break;
		default:
			strbuf_addc(out, text[i]);
		}
	return out->error;
}

/* Length of a truncated text: at most `max` bytes, after a word if possible. */
static size_t cut_at(const char *text, size_t len, size_t max)
{
	size_t n = utf8_cut(text, len, max), word = n;

	while (n < len && word > n / 2 && text[word] != ' ')
		word--;
	return n < len && word > n / 2 ? word : n;
}

static int list_put_skill(const struct list_form *f, struct skill *s, size_t max,
			  struct strbuf *out)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 10);
	size_t n;

	if (skill_summary(s, &text) && !out->error)
		out->error = MT_ENOMEM;
	n = cut_at(text.text ? text.text : "", text.len, max);
	strbuf_add(out, f->name);
	skills_list_put_escaped(out, s->name, strlen(s->name));
	strbuf_add(out, f->description);
	skills_list_put_escaped(out, text.text, n);
	strbuf_add(out, n < text.len ? "..." : "");
	return strbuf_add(out, f->end);
}

/* List all skills with descriptions of at most `max` bytes, if they fit. */
static bool list_put_all(const struct list_form *f, struct skill *const *skills,
			 size_t count, size_t max, size_t room, struct strbuf *out)
{
	size_t before = out->len;

	for (size_t i = 0; i < count && !out->error; i++) {
		list_put_skill(f, skills[i], max, out);
		if (out->len - before > room) {
			strbuf_cut(out, before);
			return false;
		}
	}
	return true;
}

/* List as many names as fit. @return their number. */
static size_t list_put_names(const struct list_form *f, struct skill *const *skills,
			     size_t count, size_t room, struct strbuf *out)
{
	size_t begin = out->len, shown = 0;

	strbuf_add(out, f->names);
	for (; shown < count; shown++) {
		size_t before = out->len;

		strbuf_add(out, shown ? ", " : "");
		skills_list_put_escaped(out, skills[shown]->name,
					strlen(skills[shown]->name));
		if (shown && out->len - begin > room) {
			strbuf_cut(out, before);
			break;
		}
	}
	strbuf_add(out, f->names_end);
	return shown;
}

/* Names take precedence over descriptions: the last skills are listed without one. */
static void put_some(const struct list_form *f, struct skill *const *skills, size_t count,
		     size_t room, struct strbuf *out)
{
	size_t begin = out->len, names = strlen(f->names) + strlen(f->names_end) + 2,
	       shown = 0;

	for (size_t i = 0; i < count; i++)
		names += strlen(skills[i]->name) + 2;
	for (; shown < count; shown++) {
		size_t before = out->len;

		list_put_skill(f, skills[shown], cuts[ARRAY_LEN(cuts) - 1], out);
		if (out->len - begin + names > room) {
			strbuf_cut(out, before);
			break;
		}
		names -= strlen(skills[shown]->name) + 2;
	}
	shown += list_put_names(f, skills + shown, count - shown,
				room - (out->len - begin), out);
	if (shown < count)
		strbuf_addf(out,
			    "%s%zu more: call invoke_skill with a search term to list "
			    "matching ones%s",
			    f->more, count - shown, f->more_end);
}

static int skills_list_put(const struct list_form *f, struct skill *const *skills,
			   size_t count, size_t max, struct strbuf *out)
{
	size_t frame = strlen(f->head) + strlen(f->tail),
	       room = max > frame ? max - frame : 0;
	bool all = false;

	if (!count)
		return out->error;
	strbuf_add(out, f->head);
	for (size_t i = 0; i < ARRAY_LEN(cuts) && !all; i++)
		all = list_put_all(f, skills, count, cuts[i], room, out);
	if (!all)
		put_some(f, skills, count, room, out);
	if (!*f->tail && !out->error)
		strbuf_cut(out, out->len - 1); /* the last newline */
	return strbuf_add(out, f->tail);
}

int skills_list_of(struct skill *const *skills, size_t count, size_t max,
		   struct strbuf *out)
{
	return skills_list_put(&standard_form, skills, count, max, out);
}

int skills_list(const struct skills *s, size_t max, struct strbuf *out)
{
	AUTO(free) struct skill **some = calloc(s->count + 1, sizeof(struct skill *));
	size_t n = 0;

	if (!some)
		return MT_ENOMEM;
	for (size_t i = 0; i < s->count; i++)
		if (!s->list[i]->hidden &&
		    (s->list[i]->listed || s->list[i]->trigger != TRIGGER_NONE))
			some[n++] = s->list[i];
	return skills_list_put(&lines_form, some, n, max, out);
}
