/* SPDX-License-Identifier: MIT
 *
 * walk.h - the files below a directory, by name, for runners whose cases are files. */
#ifndef TESTS_WALK_H
#define TESTS_WALK_H

#include "vec.h"
#include <dirent.h>
#include <sys/stat.h>

/** Call `one` for each regular file at or below `path`, in order of names. */
static inline bool vec_walk(struct vec *v, const char *path,
			    void (*one)(struct vec *v, const char *file))
{
	struct dirent **names;
	struct stat st;
	int count;

	if (stat(path, &st) != 0) {
		fprintf(stderr, "%s: not there\n", path);
		return false;
	}
	if (!S_ISDIR(st.st_mode)) {
		one(v, path);
		return true;
	}
	count = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.') {
			char *below = path_join(path, names[i]->d_name);

			vec_walk(v, below, one);
			free(below);
		}
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return count >= 0;
}

#endif
