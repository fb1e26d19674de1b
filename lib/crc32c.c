/* SPDX-License-Identifier: MIT
 *
 * crc32c.c - CRC-32C, eight bytes at a time with tables. */
#include "crc32c.h"
#include <endian.h>
#include <string.h>

enum { SLICES = 8 };

#define POLYNOMIAL UINT32_C(0x82f63b78) /* Castagnoli's, bits reversed */

static uint32_t table[SLICES][256];

static void make_table(void)
{
	for (uint32_t n = 0; n < 256; n++) {
		uint32_t crc = n;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		table[0][n] = crc;
	}
	for (int s = 1; s < SLICES; s++)
		for (int n = 0; n < 256; n++)
			table[s][n] =
				table[s - 1][n] >> 8 ^ table[0][table[s - 1][n] & 0xff];
}

static uint32_t eight_bytes(uint32_t crc, const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	word = le64toh(word) ^ crc;
	crc = 0;
	for (int s = 0; s < SLICES; s++)
		crc ^= table[SLICES - 1 - s][word >> s * 8 & 0xff];
	return crc;
}

uint32_t crc32c_update(uint32_t crc, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	if (!table[0][1])
		make_table();
	crc = ~crc;
	for (; len >= SLICES; at += SLICES, len -= SLICES)
		crc = eight_bytes(crc, at);
	while (len-- > 0)
		crc = crc >> 8 ^ table[0][(crc ^ *at++) & 0xff];
	return ~crc;
}
