/* SPDX-License-Identifier: MIT
 *
 * scope-commands.c - splits a shell text into its simple commands, for approvals. */
#include "features/approval/scope-commands.h"

#include "features/approval/scope-programs.h"

#include <ctype.h>
#include <string.h>

struct reading {
	struct command_parts *parts;
	const struct scope_place *place;
	char *dir;       /* directory of the shell at this command; NULL: unknown */
};

/* Stop analyzing: only the exact text can be approved. */
enum { EXACT = MT_EDENIED };

static bool scope_commands_is_static(const struct shell_word *w)
{
	return w->text && !w->shape && !w->pattern;
}

/* A name that is not a pattern; a lone `[` is not one. */
static bool is_named(const struct shell_word *w)
{
	return scope_commands_is_static(w) || (w->text && strcmp(w->text, "[") == 0);
}

/* The redirection writes nothing, and reads only files. */
static bool is_harmless(const struct shell_word *target, bool is_free)
{
	if (!scope_commands_is_static(target))
		return false;
	if (strcmp(target->text, "/dev/null") == 0)
		return true;
	return target->redirect == '<' && !is_free &&
	       strncmp(target->text, "/dev/", 5) != 0;
}

static bool redirects_harmless(const struct shell_command *c, bool is_free)
{
	if (c->writes)
		return false;
	for (size_t i = 0; i < c->redirect_count; i++)
		if (!is_harmless(&c->redirects[i], is_free))
			return false;
	/* The text of a here-document is not analyzed. */
	return !c->input || (!is_free && !strpbrk(c->input, "$`"));
}

/* The shell changes its directory, which must stay in the workspace. */
static int scope_commands_change_directory(struct reading *r,
					   const struct shell_command *c)
{
	char *to;

	if (c->count != 2 || !scope_commands_is_static(&c->words[1]) ||
	    c->words[1].text[0] == '-' || !redirects_harmless(c, true))
		return EXACT;
	to = scope_path_resolve(r->dir, c->words[1].text);
	free(r->dir);
	r->dir = to;
	return to && scope_path_is_below(to, r->place->workspace) ? MT_OK : EXACT;
}

/* A program given as a path is the file that the path resolves to. */
static char *program_name(const struct reading *r, const char *name)
{
	return strchr(name, '/') ? scope_path_resolve(r->dir, name) : strdup(name);
}

static int scope_commands_add(struct reading *r, const char *name, const char *sub,
			      bool known)
{
	struct command_part *part = &r->parts->list[r->parts->count];
	char *program = program_name(r, name);

	if (!program || strpbrk(program, "`\n")) {
		free(program);
		return EXACT;
	}
	for (size_t i = 0; i < r->parts->count; i++)
		if (strcmp(r->parts->list[i].program, program) == 0 &&
		    strcmp(r->parts->list[i].sub, sub) == 0) {
			free(program);
			return MT_OK;
		}
	if (r->parts->count == COMMANDS_MAX) {
		free(program);
		return EXACT;
	}
	part->program = program;
	part->sub = strdup(sub);
	part->known = known;
	r->parts->count++;
	return part->sub ? MT_OK : MT_ENOMEM;
}

static int each(void *arg, const struct shell_command *c)
{
	struct reading *r = arg;
	enum program_scope scope;
	const char *sub;

	if (c->broken || c->defines || c->evaluates || c->assignment_count ||
	    c->count == 0 || !is_named(&c->words[0]))
		return EXACT;
	if (strcmp(c->words[0].text, "cd") == 0)
		return scope_commands_change_directory(r, c);
	scope = program_scope_of(c, &sub);
	if (scope == PROGRAM_EXACT || !redirects_harmless(c, scope == PROGRAM_FREE))
		return EXACT;
	if (scope == PROGRAM_FREE)
		return MT_OK;
	return scope_commands_add(r, c->words[0].text, sub, scope == PROGRAM_KNOWN);
}

/* Is this a character that a shell and our parser may interpret differently? */
static bool has_controls(const char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text) && *text != '\n' && *text != '\t')
			return true;
	return false;
}

int command_parts_read(const char *text, const struct scope_place *place,
		       struct command_parts *ret)
{
	struct reading r = { .parts = ret, .place = place };
	int status = MT_OK;

	*ret = (struct command_parts){ 0 };
	if (has_controls(text))
		return MT_OK;
	r.dir = strdup(place->dir);
	if (r.dir)
		status = shell_walk(text, strlen(text), each, &r);
	if (!r.dir && !status)
		status = MT_ENOMEM;
	free(r.dir);
	if (!status)
		return MT_OK;
	command_parts_clear(ret);
	return status == MT_ENOMEM ? status : MT_OK;
}

void command_parts_clear(struct command_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		free(parts->list[i].program);
		free(parts->list[i].sub);
	}
	*parts = (struct command_parts){ 0 };
}
