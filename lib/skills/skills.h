/* SPDX-License-Identifier: MIT
 *
 * skills.h - all skills of a conversation: the search path, its order, and problems with
 * invalid skills.
 *
 * The first skill of a name takes precedence; later ones are reported. Order: rules of
 * the project (AGENTS.md and similar files), its .agents/skills, .openhands/skills,
 * .openhands/microagents, and .claude/skills; the first three of the user, then Mortise's
 * own (XDG) and installed ones; the organization's; the bundled ones. Archives in the
 * skills.d directories of user and system follow the installed ones. */
#ifndef LIB_SKILLS_SKILLS_H
#define LIB_SKILLS_SKILLS_H

#include "config/config.h"
#include "skills/skill.h"

struct skills;

/** A skill that could not be read, is defined twice, or has an invalid name. */
struct skill_problem {
	char *path, *text;
	bool warning;          /* the skill is still used */
};

/** Read all skills except those that skills_add_path_rules reads. An invalid one is
 *  reported and does not affect the others. */
int skills_load(const struct config *c, const char *workspace, struct skills **ret,
		struct error *err);
struct skills *skills_free(struct skills *s);
AUTO_DEFINE(skills, struct skills *, skills_free)

struct skill *skills_at(const struct skills *s, size_t n); /* NULL past the last */
struct skill *skills_find(const struct skills *s, const char *name);
const struct skill_problem *skills_problem(const struct skills *s, size_t n);
/** Read the text of a skill if it is not yet loaded. */
int skills_content(struct skill *skill, struct error *err);

/** The files of a standard skill (scripts/, references/, assets/, and others), as a list
 *  of paths relative to its directory, at most `max`; owned. */
json_object *skills_files(const struct skill *skill, size_t max);
/** Read one of these files; owned. Paths outside the directory are rejected. */
int skills_file(const struct skill *skill, const char *path, char **ret, size_t *ret_len,
		struct error *err);

/** The variables of a skill, [{name, description, default?, required?, enum?}]; NULL:
 *  none. Borrowed. */
json_object *skill_inputs(const struct skill *s);
json_object *skill_input(const struct skill *s, const char *name);
/** True if a value is required. */
bool skill_input_required(json_object *input);
/** Length of the content without the request for values that follows the text of a task. */
size_t skill_text_len(const struct skill *s);
/** Append the text, which must be loaded, with the values of its variables, {NAME:
 *  "value"}. A variable without a value stays unchanged. */
int skill_fill(const struct skill *s, json_object *values, struct strbuf *out);

/** The MCP servers of a skill whose text is loaded, {NAME: {"command": ...}}, owned;
 *  NULL: none. They start only once the user trusts them (tools/mcp-servers.h). */
json_object *skill_mcp_servers(const struct skill *s);

/** Add the AGENTS.md of each directory on a path in the workspace, as skills that paths
 *  trigger (agents:DIR); each once. Directories of generated or installed files, for
 *  example node_modules, are skipped. The path is relative. */
int skills_add_path_rules(struct skills *s, const char *path, struct error *err);

/** The list for the model: one line for each skill that is not always active, about `max`
 *  bytes. If they do not fit, descriptions are truncated, then omitted; then names are
 *  omitted, and a note reports how many. */
int skills_list(const struct skills *s, size_t max, struct strbuf *out);
/** The same for any skills, in the form of the Agent Skills standard. */
int skills_list_of(struct skill *const *skills, size_t count, size_t max,
		   struct strbuf *out);

#endif
