/* SPDX-License-Identifier: MIT
 *
 * skill-paths.c - the directories that are searched for skills. */
#include "skills/packs.h"
#include "skills/skills-internal.h"

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
	DEPTH_MAX = 6,
	DIR_FILES_MAX = 2000,
	DIRS_MAX = 4000
};

/* ---- one directory --------------------------------------------------------- */

/* Markdown files and directories with SKILL.md in a directory, sorted by name. */
struct found {
	char *paths[DIR_FILES_MAX];
	size_t count;
	struct { dev_t device; ino_t node; } dirs[DIRS_MAX];
	size_t dir_count;   /* number of directories searched */
	bool failed;        /* out of memory: the list is incomplete */
};

static void found_clear(struct found *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->paths[i]);
	f->count = 0;
}

static void found_add(struct found *f, const char *path)
{
	char *copy = f->count < DIR_FILES_MAX ? strdup(path) : NULL;

	if (copy)
		f->paths[f->count++] = copy;
	else if (f->count < DIR_FILES_MAX)
		f->failed = true;
}

/* True if a directory was not visited before: several links may lead to it. */
static bool dir_is_new(struct found *f, const struct stat *st)
{
	for (size_t i = 0; i < f->dir_count; i++)
		if (f->dirs[i].node == st->st_ino && f->dirs[i].device == st->st_dev)
			return false;
	if (f->dir_count == DIRS_MAX)
		return false;
	f->dirs[f->dir_count].device = st->st_dev;
	f->dirs[f->dir_count++].node = st->st_ino;
	return true;
}

static bool is_markdown(const char *name)
{
	size_t n = strlen(name);

	return n > 3 && strcasecmp(name + n - 3, ".md") == 0 &&
	       strcasecmp(name, "readme.md") != 0;
}

static int compare_skill_dirs(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Directories may start with a dot (.curated, .system), but not those of version
 * control. */
static int skill_paths_may_hold(const struct dirent *d)
{
	static const char *const never[] = { ".", "..", ".git", ".hg", ".svn" };

	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		if (strcmp(d->d_name, never[i]) == 0)
			return 0;
	return d->d_name[0] != '.' || d->d_type == DT_DIR || d->d_type == DT_UNKNOWN ||
	       d->d_type == DT_LNK;
}

/* The sorted entries of a directory; an unreadable one is empty.
 * @return their number, or MT_ENOMEM. */
static int list_dir(const char *dir, int (*filter)(const struct dirent *),
		    struct dirent ***ret, struct error *err)
{
	int n = scandir(dir, ret, filter, compare_skill_dirs);

	if (n < 0 && errno == ENOMEM)
		return out_of_memory(err);
	return n < 0 ? 0 : n;
}

/* The entry that makes the directory itself a skill, or -1. */
static int find_standard_file(struct dirent **names, int count)
{
	for (int i = 0; i < count; i++)
		if (skill_is_standard_file(names[i]->d_name))
			return i;
	return -1;
}

static void find_skill_files(struct found *f, const char *dir, unsigned depth);

static void find_skill_file(struct found *f, const char *path, const char *name,
			    unsigned depth)
{
	struct stat st;

	if (stat(path, &st))
		return;
	if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX && dir_is_new(f, &st))
		find_skill_files(f, path, depth + 1);
	else if (S_ISREG(st.st_mode) && *name != '.' && is_markdown(name))
		found_add(f, path);
}

/* The directory of a skill does not contain further skills. */
static void find_skill_files(struct found *f, const char *dir, unsigned depth)
{
	struct dirent **names = NULL;
	int n = list_dir(dir, skill_paths_may_hold, &names, NULL);
	int standard = find_standard_file(names, n);

	f->failed |= n < 0;
	for (int i = 0; i < n; i++) {
		AUTO(free) char *path = path_join(dir, names[i]->d_name);

		f->failed |= !path;
		if (path && standard < 0)
			find_skill_file(f, path, names[i]->d_name, depth);
		else if (path && standard == i)
			found_add(f, path);
		free(names[i]);
	}
	free(names);
}

/* The order of V1: skills that are always active, then those with triggers, then those of
 * the standard. */
static int skill_paths_rank(const struct skill *s)
{
	return s->listed ? 2 : s->trigger != TRIGGER_NONE;
}

static int add_ranked(struct skills *s, struct skill **read, size_t count,
		      const char *place, struct error *err)
{
	int r = MT_OK;

	for (int which = 0; which < 3; which++)
		for (size_t i = 0; i < count; i++)
			if (read[i] && skill_paths_rank(read[i]) == which && !r)
				r = skills_add(s, STEAL(read[i]), place, err);
	for (size_t i = 0; i < count; i++)
		skill_free(read[i]);
	return r;
}

/* True for a file directly in a directory for skills of the older form. */
static bool is_in_skills(const char *path)
{
	static const char *const dirs[] = { "/skills/", "/microagents/" };
	const char *file = strrchr(path, '/');

	for (size_t i = 0; file && i < ARRAY_LEN(dirs); i++) {
		size_t n = strlen(dirs[i]);

		if ((size_t)(file + 1 - path) >= n &&
		    strncmp(file + 1 - n, dirs[i], n) == 0)
			return true;
	}
	return false;
}

/* A checkout contains many Markdown files: one without triggers is a skill only in a
 * directory for skills. */
static int drop_other_texts(struct skills *s, struct skill **read, size_t count,
			    struct error *err)
{
	int r = MT_OK;

	for (size_t i = 0; !r && i < count; i++) {
		if (!read[i] || read[i]->listed || read[i]->trigger != TRIGGER_NONE ||
		    is_in_skills(read[i]->source))
			continue;
		r = skills_report_problem(
			s, read[i]->source, true,
			"not a skill: outside a directory named `skills` or "
			"`microagents` it requires triggers, inputs or paths",
			err);
		read[i] = skill_free(read[i]);
	}
	return r;
}

/* The Markdown files of a directory that are skills. */
enum forms {
	ALL_FORMS,
	FORMS_OF_CHECKOUT, /* not every Markdown file is a skill */
	STANDARD_FORM,     /* SKILL.md only */
};

static int skill_paths_read_files(struct skills *s, const struct found *f,
				  const char *dir, enum forms forms, struct skill **read,
				  struct error *err)
{
	int r = MT_OK;

	for (size_t i = 0; !r && i < f->count; i++)
		if (forms != STANDARD_FORM ||
		    skill_is_standard_file(strrchr(f->paths[i], '/') + 1))
			r = skills_read(s, f->paths[i], dir, &read[i], err);
	return r;
}

static int skill_paths_add_dir(struct skills *s, const char *dir, const char *place,
			       enum forms forms, struct error *err)
{
	AUTO(free) struct found *f = NULL;
	AUTO(free) struct skill **read = NULL;
	struct stat st;
	size_t count;
	int r;

	if (access(dir, R_OK | X_OK))
		return MT_OK;
	f = calloc(1, sizeof *f);
	if (!f)
		return out_of_memory(err);
	if (stat(dir, &st) == 0 && dir_is_new(f, &st))
		find_skill_files(f, dir, 0);
	count = f->count;
	read = calloc(count + 1, sizeof(struct skill *));
	r = read && !f->failed ? skill_paths_read_files(s, f, dir, forms, read, err)
			       : out_of_memory(err);
	found_clear(f);
	if (!r && forms == FORMS_OF_CHECKOUT)
		r = drop_other_texts(s, read, count, err);
	if (r || !read) {
		for (size_t i = 0; read && i < count; i++)
			skill_free(read[i]);
		return r;
	}
	return add_ranked(s, read, count, place, err);
}

static int add_skill_dirs(struct skills *s, const char *base, const char *const *dirs,
			  const char *place, struct error *err)
{
	int r = MT_OK;

	for (; !r && *dirs; dirs++) {
		AUTO(free) char *dir = path_join(base, *dirs);

		r = dir ? skill_paths_add_dir(s, dir, place, ALL_FORMS, err)
			: out_of_memory(err);
	}
	return r;
}

/* ---- the project -------------------------------------------------------- */

static const char *const project_dirs[] = {
	".agents/skills", ".openhands/skills", ".openhands/microagents", NULL,
};

/* Add the skills of a project's directory, then its skills for Claude Code. */
static int add_project_dirs(struct skills *s, const char *project, struct error *err)
{
	AUTO(free) char *claude = path_join(project, ".claude/skills");
	int r = add_skill_dirs(s, project, project_dirs, "project", err);

	if (r)
		return r;
	return claude ? skill_paths_add_dir(s, claude, "project", STANDARD_FORM, err)
		      : out_of_memory(err);
}

/* Add .cursorrules, AGENTS.md, and similar files, in this order; of files that have the
 * same skill name, only the first. */
static int skill_paths_add_rules(struct skills *s, const char *dir, struct error *err)
{
	static const char *const order[] = { "cursorrules", "agents", "claude",
					     "gemini" };
	struct dirent **names = NULL;
	int n = list_dir(dir, NULL, &names, err), r = n < 0 ? n : MT_OK;

	for (size_t k = 0; k < ARRAY_LEN(order); k++)
		for (int i = 0; !r && i < n; i++) {
			AUTO(free) char *path = path_join(dir, names[i]->d_name);
			const char *name = "";
			struct skill *read = NULL;

			if (!skill_is_rules_file(names[i]->d_name, &name) ||
			    strcmp(name, order[k]) != 0 || skills_find(s, name))
				continue;
			r = path ? skills_read(s, path, NULL, &read, err)
				 : out_of_memory(err);
			if (read)
				r = skills_add(s, read, "project", err);
		}
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return r;
}

/* The nearest directory that contains .git: `workspace` or one of its parents, but
 * neither the home directory nor its parents; owned. */
static char *git_root(const char *workspace)
{
	const char *home = getenv("HOME");
	char *at = strdup(workspace);

	while (at && *at && (!home || strcmp(at, home) != 0)) {
		AUTO(free) char *git = path_join(at, ".git");
		char *slash = strrchr(at, '/');

		if (git && access(git, F_OK) == 0)
			return at;
		if (!slash)
			break;
		*slash = '\0';
	}
	free(at);
	return NULL;
}

/* Set the directory that links must not leave. */
static int set_within(struct skills *s, const char *dir, struct error *err)
{
	s->within = realpath(dir, NULL);
	return s->within || errno != ENOMEM ? MT_OK : out_of_memory(err);
}

static int add_project(struct skills *s, struct error *err)
{
	AUTO(free) char *root = git_root(s->workspace);
	int r = set_within(s, root ? root : s->workspace, err);

	if (!r)
		r = skill_paths_add_rules(s, s->workspace, err);
	if (!r && root && strcmp(root, s->workspace) != 0)
		r = skill_paths_add_rules(s, root, err);
	if (!r)
		r = add_project_dirs(s, s->workspace, err);
	if (!r && root && strcmp(root, s->workspace) != 0)
		r = add_project_dirs(s, root, err);
	free(STEAL(s->within));
	return r;
}

/* ---- AGENTS.md in directories of the project --------------------------------- */

/* The rules of one directory, `path` below the workspace. */
static int add_dir_rules(struct skills *s, const char *below, struct error *err)
{
	AUTO(strbuf) struct strbuf name = STRBUF(8192), path = STRBUF(16384);
	struct skill *read = NULL;
	int r = s->within ? MT_OK : set_within(s, s->workspace, err);

	if (r)
		return r;
	if (strbuf_addf(&name, "agents:%s", below) ||
	    strbuf_addf(&path, "%s/%s/AGENTS.md", s->workspace, below) ||
	    skills_find(s, name.text) || access(path.text, R_OK))
		return MT_OK;
	r = skills_read(s, path.text, NULL, &read, err);
	if (!read)
		return r;
	free(read->name);
	read->name = strbuf_take(&name);
	read->triggers = calloc(1, sizeof *read->triggers);
	read->trigger = TRIGGER_PATH;
	read->hidden = true;
	strbuf_reset(&path);
	strbuf_addf(&path, "%s/**", below);
	if (read->triggers)
		read->triggers[read->trigger_count++] = strbuf_take(&path);
	if (!read->name || !read->triggers || !read->triggers[0]) {
		read->trigger_count = 0;
		skill_free(read);
		return out_of_memory(err);
	}
	return skills_add(s, read, "project", err);
}

/* Directories of generated or installed files, without rules. */
static bool is_generated_dir(const char *path)
{
	static const char *const names[] = {
		"node_modules", "__pycache__", "venv", "dist", "build", "target", "vendor",
	};

	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (*name == '.')
		return true;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

int skills_add_path_rules(struct skills *s, const char *path, struct error *err)
{
	int r = MT_OK;

	for (const char *slash = strchr(path, '/'); !r && slash;
	     slash = strchr(slash + 1, '/')) {
		AUTO(free) char *below = strndup(path, (size_t)(slash - path));

		if (!below)
			return out_of_memory(err);
		if (*below && is_generated_dir(below))
			break;
		if (*below)
			r = add_dir_rules(s, below, err);
	}
	return r;
}

/* ---- all of them --------------------------------------------------------- */

struct skills *skills_new(const char *workspace, const char *off)
{
	struct skills *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->workspace = strdup(workspace);
	s->off = strdup(off ? off : "");
	return s->workspace && s->off ? s : skills_free(s);
}

static int add_user(struct skills *s, struct error *err)
{
	static const char *const dirs[] = {
		".agents/skills", ".openhands/skills", ".openhands/microagents", NULL,
	};
	static const char *const own[] = { "skills", NULL };
	const char *home = getenv("HOME");
	AUTO(free) char *config = NULL, *data = NULL;
	int r = home && *home ? add_skill_dirs(s, home, dirs, "user", err) : MT_OK;

	if (!r && !paths_xdg_dir("CONFIG", false, &config, NULL))
		r = add_skill_dirs(s, config, own, "user", err);
	if (!r && !paths_xdg_dir("DATA", false, &data, NULL))
		r = add_skill_dirs(s, data, own, "installed", err);
	return r;
}

static int is_archive(const struct dirent *d)
{
	return d->d_name[0] != '.' && pack_is_archive(d->d_name);
}

/* The archives of a directory. */
static int add_packs(struct skills *s, const char *dir, struct error *err)
{
	struct dirent **names = NULL;
	int n = list_dir(dir, is_archive, &names, err), r = n < 0 ? n : MT_OK;

	for (int i = 0; i < n; i++) {
		AUTO(free) char *path = path_join(dir, names[i]->d_name);

		if (!r)
			r = path ? skills_add_pack(s, path, err) : out_of_memory(err);
		free(names[i]);
	}
	free(names);
	return r;
}

/* Add the archives of the user and of the system. */
static int add_all_packs(struct skills *s, struct error *err)
{
	AUTO(free) char *own = packs_dir(false, NULL);
	int r = own ? add_packs(s, own, err) : MT_OK;

	return r ? r : add_packs(s, SKILL_DIR ".d", err);
}

/* Add the directories of [skills] path: for example a checkout of the organization's. */
static int skill_paths_add_configured(struct skills *s, const struct config *c,
				      struct error *err)
{
	const char *rest = config_get(c, "skills", "path"), *item;
	size_t len;
	int r = MT_OK;

	while (!r && rest && option_list_next(&rest, &item, &len)) {
		AUTO(free) char *given = strndup(item, len);
		AUTO(free) char *dir = given ? path_expand(given) : NULL;

		if (!dir)
			return out_of_memory(err);
		if (access(dir, R_OK | X_OK))
			r = skills_report_problem(s, dir, false, "no such directory",
						  err);
		else
			r = skill_paths_add_dir(s, dir, "organization", FORMS_OF_CHECKOUT,
						err);
	}
	return r;
}

/* Add a pack or, during development, a directory. */
static int add_bundled(struct skills *s, const char *path, struct error *err)
{
	size_t before = s->count;
	int r;

	if (!pack_is_archive(path))
		return skill_paths_add_dir(s, path, "bundled", ALL_FORMS, err);
	r = access(path, R_OK) ? MT_OK : skills_add_signed_pack(s, path, err);
	for (size_t i = before; i < s->count; i++)
		s->list[i]->place = "bundled";
	return r;
}

int skills_load(const struct config *c, const char *workspace, struct skills **ret,
		struct error *err)
{
	AUTO(skills) struct skills *s =
		skills_new(workspace, config_get(c, "skills", "disabled"));
	const char *bundled = config_get(c, "skills", "bundled");
	int r = MT_OK;

	if (!s)
		return out_of_memory(err);
	if (config_bool(c, "skills", "project"))
		r = add_project(s, err);
	if (!r && config_bool(c, "skills", "user"))
		r = add_user(s, err);
	if (!r && config_bool(c, "skills", "packs"))
		r = add_all_packs(s, err);
	if (!r)
		r = skill_paths_add_configured(s, c, err);
	if (!r && bundled && *bundled)
		r = add_bundled(s, bundled, err);
	if (!r)
		*ret = STEAL(s);
	return r;
}
