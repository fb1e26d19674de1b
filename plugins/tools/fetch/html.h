/* SPDX-License-Identifier: MIT
 *
 * html.h - converts a page to Markdown, in one pass without a tree: the text of
 * malformed pages is converted too. */
#ifndef FETCH_HTML_H
#define FETCH_HTML_H

#include "strbuf.h"

/** The address that a link of the page means. @return owned, or NULL: leave the
 *  link out. */
typedef char *html_resolve(void *arg, const char *link);

/** Append a page of valid UTF-8 as Markdown. @return MT_OK, MT_ENOMEM, MT_ELIMIT. */
int html_to_markdown(const char *html, size_t len, html_resolve *resolve, void *arg,
		     struct strbuf *out);
/** The charset that the page itself names in its first kilobyte; "" if none. */
void html_charset(const char *html, size_t len, char ret[64]);
/** Append text with its character references (&amp; &#8364; ...) resolved. */
int entities_unescape(const char *text, size_t len, struct strbuf *out);

#endif
