/* SPDX-License-Identifier: MIT
 *
 * html.h - converts a page to Markdown, in one pass without a tree: the text of
 * malformed pages is converted too. */
#ifndef FETCH_HTML_H
#define FETCH_HTML_H

#include "strbuf.h"

/** Resolve a link of the page. @return its URL, owned, or NULL: omit the link. */
typedef char *html_resolve(void *arg, const char *link);

/** Append a page of valid UTF-8 as Markdown. @return MT_OK, MT_ENOMEM, MT_ELIMIT. */
int html_to_markdown(const char *html, size_t len, html_resolve *resolve, void *arg,
		     struct strbuf *out);
/** The charset that the page itself declares in its first kilobyte; "" if none. */
void html_charset(const char *html, size_t len, char ret[64]);
/** Append text with its character references (&amp; &#8364; ...) resolved. */
int entities_unescape(const char *text, size_t len, struct strbuf *out);

#endif
