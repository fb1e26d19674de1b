/* SPDX-License-Identifier: MIT
 *
 * skill-files.c - the files of a skill. */
#include "skills/packs.h"
#include "skills/skills.h"

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES_DEPTH_MAX = 6 };

/* The directory of a skill; owned. NULL: none. */
static char *skill_dir_of(const struct skill *skill)
{
	char *dir = skill->listed ? strdup(skill->source) : NULL;
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (slash)
		*slash = '\0';
	return dir;
}

static int compare_file_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_listed_file(const struct dirent *d)
{
	return d->d_name[0] != '.' && !skill_is_standard_file(d->d_name);
}

static void list_files(json_object *list, const char *root, const char *below,
		       unsigned depth, size_t max)
{
	AUTO(free) char *dir = path_join(root, below);
	struct dirent **names = NULL;
	int n = dir ? scandir(dir, &names, is_listed_file, compare_file_names) : -1;

	if (!dir || (n < 0 && errno == ENOMEM))
		js_fail(list);
	for (int i = 0; i < n; i++) {
		AUTO(free) char *path = *below ? path_join(below, names[i]->d_name)
					       : strdup(names[i]->d_name);

		if (!path)
			js_fail(list);
		else if (names[i]->d_type == DT_DIR && depth < FILES_DEPTH_MAX)
			list_files(list, root, path, depth + 1, max);
		else if (names[i]->d_type == DT_REG &&
			 json_object_array_length(list) < max)
			js_add_new(list, json_object_new_string(path));
		free(names[i]);
	}
	free(names);
}

/* ---- in an archive ------------------------------------------------------- */

struct listing {
	const char *dir;
	json_object *list;
	size_t max;
};

static int list_entry(const struct pack_entry *e, void *arg, struct error *err)
{
	struct listing *l = arg;
	size_t n = strlen(l->dir);
	const char *name = e->path + n + 1;

	(void)err;
	if (e->kind == 'f' && strncmp(e->path, l->dir, n) == 0 && e->path[n] == '/' &&
	    !skill_is_standard_file(name) && json_object_array_length(l->list) < l->max)
		js_add_new(l->list, json_object_new_string(name));
	return MT_OK;
}

static void list_pack(json_object *list, const char *archive, const char *dir, size_t max)
{
	struct listing l = { dir, list, max };
	const struct pack_reader reader = { .entry = list_entry, .arg = &l };

	pack_scan(archive, &reader, NULL);
}

/* ---- files and archives ---------------------------------------------------- */

json_object *skills_files(const struct skill *skill, size_t max)
{
	json_object *list = js_new_list();
	AUTO(free) char *dir = skill_dir_of(skill);

	if (dir && skill->pack)
		list_pack(list, ((const struct pack *)skill->pack)->path, dir, max);
	else if (dir)
		list_files(list, dir, "", 0, max);
	return list;
}

int skills_file(const struct skill *skill, const char *path, char **ret, size_t *ret_len,
		struct error *err)
{
	AUTO(free) char *dir = skill_dir_of(skill);
	AUTO(free) char *joined =
		dir && *path && *path != '/' ? path_join(dir, path) : NULL;
	AUTO(free) char *real = joined ? realpath(joined, NULL) : NULL;
	AUTO(free) char *root = dir ? realpath(dir, NULL) : NULL;
	size_t n = root ? strlen(root) : 0;

	if (skill->pack && joined)
		return pack_file(((const struct pack *)skill->pack)->path, joined, ret,
				 ret_len, err);
	if (!real || !root || strncmp(real, root, n) != 0 || real[n] != '/')
		return fail(err, MT_ENOTFOUND, "The skill %s has no file `%.200s`.",
			    skill->name, path);
	return file_read(real, SKILL_MAX, ret, ret_len, err);
}
