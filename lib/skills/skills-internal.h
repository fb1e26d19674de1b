/* SPDX-License-Identifier: MIT
 *
 * skills-internal.h - private header of the files that find skills. */
#ifndef LIB_SKILLS_SKILLS_INTERNAL_H
#define LIB_SKILLS_SKILLS_INTERNAL_H

#include "skills/skills.h"

enum { SKILLS_MAX = 10000, SKILL_PROBLEMS_MAX = 1000 };

struct skills {
	struct skill **list;
	size_t count, room;
	struct skill_problem *problems;
	size_t problem_count;
	char *workspace;
	struct pack **packs;
	size_t pack_count;
	char *within;          /* while files of a project are read: nothing outside of
				  this directory, whatever links say; else NULL */
	bool quiet;            /* problems are recorded but not logged */
	char *off;             /* disabled names, separated by commas; or NULL */
};

struct skills *skills_new(const char *workspace, const char *off);
/** Record a problem. */
int skills_report_problem(struct skills *s, const char *path, bool warning,
			  const char *text, struct error *err);
/** Add a skill, which is always taken. If its name already exists, a problem is reported
 *  instead. */
int skills_add(struct skills *s, struct skill *skill, const char *place,
	       struct error *err);
/** The same, but compare its name only with the names of the first `known` skills. */
int skills_add_known(struct skills *s, struct skill *skill, const char *place,
		     size_t known, struct error *err);
/** Read a file; NULL in `ret` if it is not a valid skill, which is reported. */
int skills_read(struct skills *s, const char *path, const char *base, struct skill **ret,
		struct error *err);

#endif
