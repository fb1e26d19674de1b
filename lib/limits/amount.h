/* SPDX-License-Identifier: MIT
 *
 * amount.h - values of limits: shares of the machine, and their texts. */
#ifndef LIB_LIMITS_AMOUNT_H
#define LIB_LIMITS_AMOUNT_H

#include <stdint.h>

enum { AMOUNT_TEXT = 32 };

/** "64 MiB". @return `room`. */
const char *amount_size(int64_t bytes, char room[AMOUNT_TEXT]);
/** "1.5 s", "2 min 30 s", "100 h". @return `room`. */
const char *amount_time(int64_t ms, char room[AMOUNT_TEXT]);
/** Three quarters of the memory of this machine; 0: unknown. */
int64_t amount_memory_share(void);
/** Three quarters of the free space of the file system of a path; 0: unknown. */
int64_t amount_disk_share(const char *path);

#endif
