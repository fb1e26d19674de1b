/* SPDX-License-Identifier: MIT
 *
 * skills.c - finds and stores skills. */
#include "skills/skills.h"

#include "skills/packs.h"
#include "skills/skills-internal.h"
#include "array.h"
#include "files.h"
#include "log.h"

#include <errno.h>
#include <string.h>

struct skills *skills_free(struct skills *s)
{
	if (!s)
		return NULL;
	for (size_t i = 0; i < s->count; i++)
		skill_free(s->list[i]);
	for (size_t i = 0; i < s->problem_count; i++) {
		free(s->problems[i].path);
		free(s->problems[i].text);
	}
	free(s->list);
	free(s->problems);
	free(s->workspace);
	for (size_t i = 0; i < s->pack_count; i++)
		pack_free(s->packs[i]);
	free(s->packs);
	free(s->within);
	free(s->off);
	free(s);
	return NULL;
}

struct skill *skills_at(const struct skills *s, size_t n)
{
	return n < s->count ? s->list[n] : NULL;
}

static struct skill *find_among_known(const struct skills *s, const char *name,
				      size_t known)
{
	for (size_t i = 0; i < known; i++)
		if (s->list[i] && strcmp(s->list[i]->name, name) == 0)
			return s->list[i];
	return NULL;
}

struct skill *skills_find(const struct skills *s, const char *name)
{
	return find_among_known(s, name, s->count);
}

const struct skill_problem *skills_problem(const struct skills *s, size_t n)
{
	return n < s->problem_count ? &s->problems[n] : NULL;
}

/* ---- adding ------------------------------------------------------------- */

/* Without the path, which is already printed in front. */
static const char *reason(const char *text, const char *path)
{
	size_t n = strlen(path);

	return strncmp(text, path, n) == 0 && strncmp(text + n, ": ", 2) == 0
		       ? text + n + 2
		       : text;
}

int skills_report_problem(struct skills *s, const char *path, bool warning,
			  const char *text, struct error *err)
{
	struct skill_problem *new;

	text = reason(text, path);
	if (!s->quiet)
		log_line(warning ? MT_LOG_INFO : MT_LOG_WARNING, "skills", "%s: %s", path,
			 text);
	if (s->problem_count == SKILL_PROBLEMS_MAX)
		return MT_OK;
	if (ARRAY_ADD(s->problems, s->problem_count, SKILL_PROBLEMS_MAX))
		return out_of_memory(err);
	new = &s->problems
		       [s->problem_count++]; /* its strings are freed with the others */
	*new = (struct skill_problem){ strdup(path), strdup(text), warning };
	return new->path &&new->text ? MT_OK : out_of_memory(err);
}

/* True if the name is listed in [skills] disabled. */
static bool is_off(const struct skills *s, const char *name)
{
	const char *rest = s->off, *item;
	size_t len;

	while (rest && option_list_next(&rest, &item, &len))
		if (strlen(name) == len && memcmp(item, name, len) == 0)
			return true;
	return false;
}

int skills_add(struct skills *s, struct skill *skill, const char *place,
	       struct error *err)
{
	return skills_add_known(s, skill, place, s->count, err);
}

int skills_add_known(struct skills *s, struct skill *skill, const char *place,
		     size_t known, struct error *err)
{
	struct skill *first = find_among_known(s, skill->name, known);

	skill->place = place;
	if (is_off(s, skill->name)) {
		skill_free(skill);
		return MT_OK;
	}
	if (first) {
		AUTO(strbuf) struct strbuf text = STRBUF(8192);
		int r;

		strbuf_addf(&text, "skill `%s` is already defined by %s", skill->name,
			    first->source);
		r = skills_report_problem(s, skill->source, true, text.text, err);
		skill_free(skill);
		return r;
	}
	if (s->count == SKILLS_MAX) {
		skill_free(skill);
		return fail(err, MT_ELIMIT, "more than %d skills", SKILLS_MAX);
	}
	if (ARRAY_GROW(s->list, &s->room, s->count + 1, SKILLS_MAX)) {
		skill_free(skill);
		return out_of_memory(err);
	}
	s->list[s->count++] = skill;
	return MT_OK;
}

/* True if a link leaves the allowed directory: its target would be sent to a model. */
static bool leads_out(const struct skills *s, const char *path)
{
	AUTO(free) char *real = s->within ? realpath(path, NULL) : NULL;
	size_t n = s->within ? strlen(s->within) : 0;

	if (n > 1 && !real && errno == ENOMEM)
		return true;
	return n > 1 && real && (strncmp(real, s->within, n) != 0 || real[n] != '/');
}

int skills_read(struct skills *s, const char *path, const char *base, struct skill **ret,
		struct error *err)
{
	struct error why = ERROR_NONE, warning = ERROR_NONE;
	AUTO(free) char *text = NULL;
	size_t len = 0;

	*ret = NULL;
	if (leads_out(s, path))
		return skills_report_problem(s, path, false,
					     "link points outside the project", err);
	if (!file_read(path, SKILL_MAX, &text, &len, &why))
		*ret = skill_parse(path, base, text, len, false, &warning, &why);
	if (why.code == MT_ENOMEM)
		return fail(err, why.code, "%s", why.text);
	if (why.code)
		return skills_report_problem(s, path, false, why.text, err);
	return warning.code ? skills_report_problem(s, path, true, warning.text, err)
			    : MT_OK;
}

int skills_content(struct skill *skill, struct error *err)
{
	AUTO(skill) struct skill *whole = NULL;
	AUTO(free) char *text = NULL;
	const struct pack *pack = skill->pack;
	size_t len;

	if (skill->content)
		return MT_OK;
	if (pack ? pack_file(pack->path, skill->source, &text, &len, err)
		 : file_read(skill->source, SKILL_MAX, &text, &len, err))
		return err->code;
	whole = skill_parse(skill->source, NULL, text, len, false, NULL, err);
	if (!whole)
		return err->code;
	skill->content = STEAL(whole->content);
	if (!skill->more)
		skill->more = STEAL(whole->more);
	return MT_OK;
}
