/* SPDX-License-Identifier: MIT
 *
 * skill.h - one skill: a text for the model, and the conditions for using it.
 *
 * A file SKILL.md follows the Agent Skills standard: its name and description are listed,
 * and its body is read on request. Any other Markdown file has the older form: without
 * triggers its text is always included. AGENTS.md, CLAUDE.md, GEMINI.md, and .cursorrules
 * are included verbatim. */
#ifndef LIB_SKILLS_SKILL_H
#define LIB_SKILLS_SKILL_H

#include "js.h"

enum {
	SKILL_MAX = 1 << 20,          /* maximum bytes of a file */
	SKILL_NAME_MAX = 64,          /* maximum characters, from the standard */
	SKILL_DESCRIPTION_MAX = 1024,
	SKILL_TRIGGERS_MAX = 64,
	RULES_MAX = 32 << 10,         /* maximum bytes of AGENTS.md and similar files */
};

/* Appended to a task with variables, whose values the user must provide. */
#define SKILL_ASKS \
	"\n\n`${NAME}` stands for a value. If the user has not given it, ask for it if a " \
	"user is available; otherwise find a reasonable value yourself."

enum trigger_kind { TRIGGER_NONE, TRIGGER_KEYWORD, TRIGGER_TASK, TRIGGER_PATH };

struct skill {
	char *name;
	char *description;            /* NULL: absent, or see skill_describe */
	char *source;                 /* path, or PACK!PATH in an archive */
	char *content;                /* NULL: not read, or freed */
	enum trigger_kind trigger;
	char **triggers;              /* keywords, /commands, or globs */
	size_t trigger_count;
	json_object *more;            /* inputs, license, metadata, allowed_tools,
					 mcp_tools: those that are given; or NULL */
	bool listed;                  /* of the standard; its text is loaded on demand */
	bool hidden;                  /* the model cannot request it */
	bool plain;                   /* included verbatim, such as AGENTS.md */
	bool asks;                    /* its text contains ${variables} */
	const char *place;            /* where it was found: "project", "user", ...;
					 not owned */
	void *pack;                   /* the archive that contains it; or NULL */
	size_t said_at, said_len;     /* the description in the pack's index */
};

/** Read one file. `path` determines the form and, if the front matter does not contain a
 *  name, the name: that of the directory, or the path relative to `base` (may be NULL).
 *  `strict`: a name that the standard does not allow, or that differs from the
 *  directory's, is an error; otherwise it is a warning in `ret_warning` (may be NULL).
 *  @return the skill, owned, or NULL with `err` filled. */
struct skill *skill_parse(const char *path, const char *base, const char *text,
			  size_t len, bool strict, struct error *ret_warning,
			  struct error *err);
struct skill *skill_free(struct skill *s);
AUTO_DEFINE(skill, struct skill *, skill_free)

/** Errors of a name according to the standard: sentences separated by "; ". `dir` may be
 *  NULL. @return their number. */
size_t skill_name_faults(const char *name, const char *dir, struct strbuf *out);
/** True for the name of a file that is included verbatim; `ret_name` is the skill's. */
bool skill_is_rules_file(const char *file, const char **ret_name);
/** True if this file name is SKILL.md. */
bool skill_is_standard_file(const char *file);

/** The first trigger that occurs in the message; NULL: none, or paths trigger the skill.
 *  Borrowed. */
const char *skill_find_trigger(const struct skill *s, const char *message, size_t len);
/** True if this path triggers the skill. Relative to the workspace. */
bool skill_matches_path(const struct skill *s, const char *path);
/** "repo", "knowledge" or "agentskills". */
const char *skill_type(const struct skill *s);

/** Load the description of a skill of a pack if it is not yet loaded. */
int skill_describe(struct skill *s);
/** One line for a list: the description, or the first line of the text that is not a
 *  heading, with a note about truncated text. */
int skill_summary(struct skill *s, struct strbuf *out);

#endif
