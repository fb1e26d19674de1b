/* SPDX-License-Identifier: MIT
 *
 * amount.c - values of limits: shares of the machine, and their texts. */
#include "limits/amount.h"
#include "auto.h"
#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

const char *amount_size(int64_t bytes, char room[AMOUNT_TEXT])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double n = (double)bytes;
	size_t i = 0;

	while (n >= 1024 && i + 1 < ARRAY_LEN(units)) {
		n /= 1024;
		i++;
	}
	snprintf(room, AMOUNT_TEXT, "%.*f %s", n < 10 && n > (double)(int64_t)n ? 1 : 0,
		 n, units[i]);
	return room;
}

const char *amount_time(int64_t ms, char room[AMOUNT_TEXT])
{
	if (ms < 60000)
		snprintf(room, AMOUNT_TEXT, "%.*f s", ms % 1000 ? 1 : 0,
			 (double)ms / 1000);
	else if (ms % 3600000)
		snprintf(room, AMOUNT_TEXT, "%" PRId64 " min %" PRId64 " s", ms / 60000,
			 ms / 1000 % 60);
	else
		snprintf(room, AMOUNT_TEXT, "%" PRId64 " h", ms / 3600000);
	return room;
}

int64_t amount_memory_share(void)
{
	int64_t pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? pages / 4 * 3 * size : 0;
}

int64_t amount_disk_share(const char *path)
{
	struct statvfs fs;

	if (statvfs(path, &fs) < 0)
		return 0;
	return (int64_t)(fs.f_bavail / 4 * 3) * (int64_t)fs.f_frsize;
}
