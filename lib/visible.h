/* SPDX-License-Identifier: MIT
 *
 * visible.h - shows untrusted text without hiding anything in it: for text that requires
 * approval only.
 *
 * Everything that does not show as itself is replaced by an escaped form between two
 * marks, U+2039 and U+203A, which are escaped themselves. A backslash outside the marks
 * is therefore a backslash of the text, and the original can be read from the result:
 *
 *   ‹\r› ‹\b› ‹\e› ‹\n› ‹\x07›  control characters (C0, DEL; C1 as ‹\u{9b}›)
 *   ‹\xff›                      a byte that is not UTF-8
 *   ‹\u{202e}›                  bidirectional controls (UAX #9), zero-width and tag
 *                               characters, variation selectors and all other
 *                               Default_Ignorable_Code_Points, format characters, line
 *                               and paragraph separators, every space but U+0020, blank
 *                               symbols, private use, noncharacters (UCD 14)
 *   c‹\u{430}›t                 lookalikes of ASCII (UTS #39): a letter of another script
 *                               in a word with ASCII letters; a word that has nothing but
 *                               lookalikes, unless another word of its script precedes;
 *                               full-width and mathematical letters, curly quotes,
 *                               hyphens and other punctuation that is read as ASCII. Han,
 *                               kana and hangul may touch ASCII, as at UTS #39's "highly
 *                               restrictive" level; so may their punctuation touch them,
 *                               and an apostrophe two letters
 *   ‹\u{338}›                   a combining mark that has no letter to stand on, strikes
 *                               it through, encloses it, or is the third of its letter
 *   ‹\u{5d0}›                   letters from right to left in a line where digits or
 *                               punctuation between them would be displayed elsewhere
 *   ‹12 blanks› ‹\t›            more than VISIBLE_BLANKS blanks in a row, blanks at the
 *                               end of a line, a tab
 *   ‹\u{200b} 500 times›        more than VISIBLE_REPEATS of one escape in a row
 *
 * With VISIBLE_LINES newlines stay, and so do tabs and up to VISIBLE_INDENT blanks at
 * the beginning of a line; with VISIBLE_ONE_LINE they are escaped too. */
#ifndef LIB_VISIBLE_H
#define LIB_VISIBLE_H

#include "strbuf.h"
#include <stdbool.h>

enum { VISIBLE_BLANKS = 4, VISIBLE_INDENT = 32, VISIBLE_REPEATS = 3 };

enum visible_form { VISIBLE_LINES, VISIBLE_ONE_LINE };

/** Append the text in its visible form. `on` and `off` (may be NULL) are put around each
 *  escaped form, for a terminal that can show it in reverse video.
 *  @return `out->error` */
int visible_add(struct strbuf *out, enum visible_form form, const char *text, size_t len,
		const char *on, const char *off);
/** Does all of the text show as itself? */
bool visible_is_plain(enum visible_form form, const char *text, size_t len);

#endif
