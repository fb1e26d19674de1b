/* SPDX-License-Identifier: MIT
 *
 * volatile-text.h - compares texts and ignores parts that change from run to run. */
#ifndef HOST_FEATURES_VOLATILE_TEXT_H
#define HOST_FEATURES_VOLATILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** Return true if two texts are equal once numbers (with their units), dates and
 *  times, and addresses and hashes in hexadecimal are blanked, and runs of blanks
 *  are one. Allocates nothing; takes time linear in the shorter text. */
bool volatile_text_same(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
