/* SPDX-License-Identifier: MIT
 *
 * tree-size.c - adds up the sizes of files. */
#include "limits/tree-size.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 250, ENTRY_MIN = 4096, BLOCK = 512 };

/* Takes the descriptor. */
static int64_t tree_size_at(int fd, int depth, int64_t max)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int64_t sum = 0;
	struct dirent *d;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (sum <= max && (d = readdir(dir))) {
		struct stat st;
		int64_t size;

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		size = (int64_t)st.st_blocks * BLOCK /
		       (int64_t)(st.st_nlink > 0 && S_ISREG(st.st_mode) ? st.st_nlink
									: 1);
		sum += size > ENTRY_MIN ? size : ENTRY_MIN;
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			sum += tree_size_at(openat(dirfd(dir), d->d_name,
						   O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
							   O_CLOEXEC),
					    depth + 1, max - sum);
	}
	closedir(dir);
	return sum;
}

int64_t tree_size(const char *path, int64_t max)
{
	return tree_size_at(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0, max);
}
