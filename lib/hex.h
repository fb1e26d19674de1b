/* SPDX-License-Identifier: MIT
 *
 * hex.h - hexadecimal digits. */
#ifndef LIB_HEX_H
#define LIB_HEX_H

#include <stddef.h>

/** @return 0 to 15, or -1 if the character is not a digit. */
static inline int hex_digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/** Write bytes as lowercase digits, and a zero: `ret` has room for 2 * count + 1. */
static inline void hex_write(const unsigned char *bytes, size_t count, char *ret)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*ret++ = digits[bytes[i] >> 4];
		*ret++ = digits[bytes[i] & 15];
	}
	*ret = '\0';
}

#endif
