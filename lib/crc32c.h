/* SPDX-License-Identifier: MIT
 *
 * crc32c.h - CRC-32C (Castagnoli), the checksum of iSCSI and ext4. */
#ifndef LIB_CRC32C_H
#define LIB_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/** Checksum of the bytes, continuing from `crc`; start with 0. */
uint32_t crc32c_update(uint32_t crc, const void *bytes, size_t len);

#endif
