/* SPDX-License-Identifier: MIT
 *
 * hex.h - the value of a hexadecimal digit. */
#ifndef LIB_HEX_H
#define LIB_HEX_H

/** @return 0 to 15, or -1 if the character is not a digit. */
static inline int hex_digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
