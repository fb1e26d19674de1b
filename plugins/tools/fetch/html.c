/* SPDX-License-Identifier: MIT
 *
 * html.c - converts a page to Markdown. */
#include "html.h"
#include "space.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum {
	LISTS = 16,            /* maximum nesting of lists */
	QUOTES = 8,
	ATTRIBUTE_MAX = 4096,
	TAG_MAX = 65536,       /* bytes of a tag; a longer one ends at the next '>' */
	CHARSET_LOOK = 1024,
};

enum what {
	OTHER, BLOCK, SKIP, HEADING, BREAK, RULE, LIST, ITEM, PRE, CODE, LINK, IMAGE, STRONG,
	QUOTE, ROW, CELL, TITLE,
};

static const struct {
	const char *name;
	enum what what;
} tags[] = {
	{ "a", LINK }, { "address", BLOCK }, { "article", BLOCK }, { "aside", BLOCK },
	{ "b", STRONG }, { "blockquote", QUOTE }, { "br", BREAK }, { "caption", BLOCK },
	{ "code", CODE }, { "dd", BLOCK }, { "details", BLOCK }, { "div", BLOCK },
	{ "dl", BLOCK }, { "dt", BLOCK }, { "fieldset", BLOCK }, { "figcaption", BLOCK },
	{ "figure", BLOCK }, { "footer", BLOCK }, { "form", BLOCK }, { "h1", HEADING },
	{ "h2", HEADING }, { "h3", HEADING }, { "h4", HEADING }, { "h5", HEADING },
	{ "h6", HEADING }, { "header", BLOCK }, { "hr", RULE }, { "iframe", SKIP },
	{ "img", IMAGE }, { "kbd", CODE }, { "li", ITEM }, { "main", BLOCK }, { "nav", BLOCK },
	{ "noscript", SKIP }, { "object", SKIP }, { "ol", LIST }, { "option", BLOCK },
	{ "p", BLOCK }, { "pre", PRE }, { "samp", CODE }, { "script", SKIP },
	{ "section", BLOCK }, { "select", SKIP }, { "strong", STRONG }, { "style", SKIP },
	{ "summary", BLOCK }, { "svg", SKIP }, { "table", BLOCK }, { "tbody", BLOCK },
	{ "td", CELL }, { "template", SKIP }, { "textarea", SKIP }, { "tfoot", BLOCK },
	{ "th", CELL }, { "thead", BLOCK }, { "title", TITLE }, { "tr", ROW }, { "tt", CODE },
	{ "ul", LIST },
};

struct list {
	bool numbered;
	unsigned number;
	unsigned width;  /* indentation of its items' further lines */
	unsigned quotes; /* around the list */
};

struct page {
	struct strbuf *out;
	html_resolve *resolve;
	void *arg;
	struct list lists[LISTS];
	unsigned depth, quotes, newlines; /* newlines: at the end of the output */
	unsigned pre;
	bool space;        /* white space is needed before the next word */
	bool in_link, in_code, in_cell, in_strong;
	bool marked;       /* the line has its marker ("- ", "# "); no space needed */
	size_t link_at;    /* start of the text of the link */
	char link[ATTRIBUTE_MAX];
};

/* A parsed tag. */
struct tag {
	char name[16];
	bool closes;
	const char *attributes; /* up to the end of the tag */
	size_t len;
};

/* ---- writing ----------------------------------------------------------- */

static void put_quotes(struct page *p, unsigned *done, unsigned until)
{
	for (; *done < until && *done < p->quotes; ++*done)
		strbuf_add(p->out, "> ");
}

/* Write the prefix of a line before its first text: quotes, and the indentation of the
 * lists around it. */
static void html_begin_line(struct page *p)
{
	unsigned quotes = 0;

	for (unsigned i = 0; i < p->depth; i++) {
		put_quotes(p, &quotes, p->lists[i].quotes);
		strbuf_addf(p->out, "%*s", (int)p->lists[i].width, "");
	}
	put_quotes(p, &quotes, p->quotes);
	p->newlines = 0;
}

static void html_put(struct page *p, const char *text, size_t len)
{
	if (p->newlines && len)
		html_begin_line(p);
	else if (p->space && !p->marked && len)
		strbuf_addc(p->out, ' ');
	if (len)
		p->space = p->marked = false;
	strbuf_addn(p->out, text, len);
}

static void html_put_mark(struct page *p, const char *mark)
{
	html_put(p, mark, strlen(mark));
	p->marked = true;
}

/* Ensure at least `n` newlines at the end of the output. */
static void newline(struct page *p, unsigned n)
{
	p->space = false;
	if (p->in_link || p->in_cell) { /* stay on the line */
		p->space = true;
		return;
	}
	while (p->newlines < n) {
		strbuf_addc(p->out, '\n');
		p->newlines++;
	}
	p->marked = false;
}

/* Text in <pre>. */
static void html_put_lines(struct page *p, const char *at, const char *end)
{
	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((nl ? nl : end) - at);

		if (p->newlines && len)
			html_begin_line(p);
		strbuf_addn(p->out, at, len + (nl != NULL));
		p->newlines = nl != NULL;
		at += len + (nl != NULL);
	}
}

/* Text between tags: white space becomes one space, except in <pre>. */
static void html_put_text(struct page *p, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf plain = STRBUF(p->out->max);
	const char *at, *end;

	if (entities_unescape(text, len, &plain)) {
		p->out->error = plain.error;
		return;
	}
	at = plain.text;
	end = at + plain.len;
	if (p->pre && !p->in_link) {
		html_put_lines(p, at, end);
		return;
	}
	while (at < end) {
		size_t n = 0;

		while (at + n < end && !space_is(at[n]))
			n++;
		html_put(p, at, n);
		at += n;
		if (at < end)
			p->space = !p->newlines;
		while (at < end && space_is(*at))
			at++;
	}
}

/* ---- tags -------------------------------------------------------------- */

/* The value of an attribute, unescaped; "" if missing. */
static void attribute(const struct tag *t, const char *name, char ret[ATTRIBUTE_MAX])
{
	const char *p = t->attributes, *end = p + t->len;
	AUTO(strbuf) struct strbuf value = STRBUF(ATTRIBUTE_MAX);

	ret[0] = '\0';
	while (p < end) {
		const char *start, *from, *to;
		size_t len;

		while (p < end && (space_is(*p) || *p == '/'))
			p++;
		start = p;
		while (p < end && !space_is(*p) && *p != '=' && *p != '/')
			p++;
		len = (size_t)(p - start);
		while (p < end && space_is(*p))
			p++;
		from = to = p;
		if (p < end && *p == '=') {
			for (p++; p < end && space_is(*p);)
				p++;
			if (p < end && (*p == '"' || *p == '\'')) {
				from = p + 1;
				to = memchr(from, *p, (size_t)(end - from));
				to = to ? to : end;
				p = to < end ? to + 1 : end;
			} else {
				for (from = p; p < end && !space_is(*p);)
					p++;
				to = p;
			}
		} else if (p == start) {
			p++; /* skip an invalid character */
		}
		if (len != strlen(name) || strncasecmp(start, name, len) != 0)
			continue;
		if (entities_unescape(from, (size_t)(to - from), &value) == MT_OK)
			memcpy(ret, value.text, value.len + 1);
		return;
	}
}

static enum what what_is(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (strcmp(tags[i].name, name) == 0)
			return tags[i].what;
	return OTHER;
}

static void item(struct page *p)
{
	struct list *l = p->depth ? &p->lists[p->depth - 1] : NULL;
	char mark[32] = "- ";

	newline(p, 1);
	if (l && l->numbered)
		snprintf(mark, sizeof mark, "%u. ", ++l->number);
	if (l)
		l->width = 0; /* the marker itself is not indented by it */
	html_put_mark(p, mark);
	if (l)
		l->width = (unsigned)strlen(mark);
}

static void html_list(struct page *p, const struct tag *t)
{
	if (t->closes)
		p->depth -= p->depth > 0;
	newline(p, p->depth ? 1 : 2);
	if (!t->closes && p->depth < LISTS)
		p->lists[p->depth++] = (struct list){ .numbered = t->name[0] == 'o',
						      .width = 2, .quotes = p->quotes };
}

static void end_link(struct page *p)
{
	if (!p->in_link)
		return;
	p->in_link = false;
	if (p->out->len == p->link_at) /* without text: remove the opening bracket, too */
		strbuf_cut(p->out, p->link_at - 1);
	else
		strbuf_addf(p->out, "](%s)", p->link);
}

static void begin_link(struct page *p, const struct tag *t)
{
	char value[ATTRIBUTE_MAX];
	AUTO(free) char *url = NULL;

	end_link(p);
	attribute(t, "href", value);
	if (!value[0] || value[0] == '#' || p->pre ||
	    strncasecmp(value, "javascript:", 11) == 0)
		return;
	url = p->resolve(p->arg, value);
	if (!url || strlen(url) >= sizeof p->link || strpbrk(url, " \n()<>"))
		return;
	memcpy(p->link, url, strlen(url) + 1);
	html_put_mark(p, "[");
	p->in_link = true;
	p->link_at = p->out->len;
}

static void image(struct page *p, const struct tag *t)
{
	char alt[ATTRIBUTE_MAX];

	attribute(t, "alt", alt);
	if (!alt[0] || p->pre)
		return;
	html_put_mark(p, "[image: ");
	html_put_text(p, alt, strlen(alt));
	strbuf_addc(p->out, ']');
}

static void pre(struct page *p, const struct tag *t)
{
	end_link(p);
	if (!t->closes) {
		if (!p->marked)
			newline(p, 2);
		if (!p->pre++)
			html_put(p, "```\n", 4);
		p->newlines = 1;
	} else if (p->pre && !--p->pre) {
		newline(p, 1);
		html_put(p, "```", 3);
		newline(p, 2);
	}
}

static void cell(struct page *p, const struct tag *t)
{
	end_link(p);
	if (t->closes) {
		p->in_cell = false;
		return;
	}
	if (!p->newlines)
		html_put_mark(p, p->space ? "| " : " | ");
	p->in_cell = true;
}

static void html_code(struct page *p, bool closes)
{
	if (p->pre || p->in_code == !closes)
		return;
	p->in_code = !closes;
	if (closes)
		strbuf_addc(p->out, '`');
	else
		html_put_mark(p, "`");
}

static void strong(struct page *p, bool closes)
{
	if (p->pre || p->in_strong == !closes)
		return;
	p->in_strong = !closes;
	if (closes)
		strbuf_add(p->out, "**");
	else
		html_put_mark(p, "**");
}

static void quote(struct page *p, bool closes)
{
	newline(p, 2);
	if (!closes)
		p->quotes += p->quotes < QUOTES;
	else
		p->quotes -= p->quotes > 0;
}

static void heading(struct page *p, const struct tag *t)
{
	newline(p, 2);
	for (int i = t->closes ? 0 : t->name[1] - '0'; i > 0; i--)
		html_put_mark(p, i > 1 ? "#" : "# ");
}

static void on_tag(struct page *p, enum what what, const struct tag *t)
{
	if (what != OTHER && what != LINK && what != STRONG && what != CODE &&
	    what != IMAGE)
		end_link(p);
	switch (what) {
	case LINK:
		t->closes ? end_link(p) : begin_link(p, t);
		break;
	case TITLE:
	case HEADING:
		t->name[0] == 'h' ? heading(p, t) : newline(p, 2);
		break;
	case BREAK:
		newline(p, 1);
		break;
	case RULE:
		newline(p, 2);
		html_put(p, "---", 3);
		newline(p, 2);
		break;
	case LIST:
		html_list(p, t);
		break;
	case ITEM:
		t->closes ? newline(p, 1) : item(p);
		break;
	case PRE:
		pre(p, t);
		break;
	case CODE:
		html_code(p, t->closes);
		break;
	case IMAGE:
		image(p, t);
		break;
	case STRONG:
		strong(p, t->closes);
		break;
	case QUOTE:
		quote(p, t->closes);
		break;
	case ROW:
		p->in_cell = false;
		newline(p, 1);
		break;
	case CELL:
		cell(p, t);
		break;
	case BLOCK:
		if (!p->marked)
			newline(p, p->depth ? 1 : 2);
		break;
	case SKIP:
	case OTHER:
		break;
	}
}

/* ---- reading ----------------------------------------------------------- */

/* Find the end of a tag; quotes may contain '>'. */
static const char *tag_end(const char *p, const char *end)
{
	char quote = 0;

	for (const char *start = p; p < end && p - start < TAG_MAX; p++) {
		if (quote)
			quote = *p == quote ? 0 : quote;
		else if (*p == '>')
			return p;
		else if ((*p == '"' || *p == '\'') && p > start && p[-1] == '=')
			quote = *p;
	}
	return NULL;
}

/* Skip a declaration that starts with "<!" or "<?". */
static const char *skip_declaration(const char *p, const char *end)
{
	const char *close = NULL;
	size_t len = 1;

	if (end - p >= 4 && memcmp(p, "<!--", 4) == 0) {
		close = memmem(p + 4, (size_t)(end - p - 4), "-->", 3);
		len = 3;
	} else if (end - p >= 9 && memcmp(p, "<![CDATA[", 9) == 0) {
		close = memmem(p + 9, (size_t)(end - p - 9), "]]>", 3);
		len = 3;
	} else {
		close = memchr(p, '>', (size_t)(end - p));
	}
	return close ? close + len : end;
}

/* The tag at `p`, which is '<'. @return what follows it; NULL: not a tag. */
static const char *html_read_tag(const char *p, const char *end, struct tag *t)
{
	const char *at = p + 1, *close;
	size_t n = 0;

	*t = (struct tag){ .closes = at < end && *at == '/' };
	at += t->closes;
	while (at + n < end && n < sizeof t->name - 1 &&
	       ((at[n] >= '0' && at[n] <= '9' && n) ||
		((at[n] | 32) >= 'a' && (at[n] | 32) <= 'z'))) {
		t->name[n] = (char)(at[n] >= '0' && at[n] <= '9' ? at[n] : at[n] | 32);
		n++;
	}
	if (!n)
		return NULL;
	close = tag_end(at + n, end);
	if (!close) /* quotes do not match: use the next '>' */
		close = memchr(at + n, '>', (size_t)(end - at - (ptrdiff_t)n));
	if (!close) { /* the page ends inside the tag */
		t->name[0] = '\0';
		return end;
	}
	t->attributes = at + n;
	t->len = (size_t)(close - t->attributes);
	return close + 1;
}

/* Skip to the end of an element whose content is not shown. */
static const char *skip_element(const char *p, const char *end, const char *name)
{
	size_t len = strlen(name);
	const char *at = p;

	while ((at = memmem(at, (size_t)(end - at), "</", 2))) {
		if ((size_t)(end - at) >= len + 2 &&
		    strncasecmp(at + 2, name, len) == 0) {
			const char *close = memchr(at, '>', (size_t)(end - at));

			return close ? close + 1 : end;
		}
		at += 2;
	}
	return end;
}

static const char *html_element(struct page *p, const char *at, const char *end)
{
	struct tag t;
	const char *next;
	enum what what;

	if (end - at > 1 && (at[1] == '!' || at[1] == '?'))
		return skip_declaration(at, end);
	next = html_read_tag(at, end, &t);
	if (!next) {
		html_put_text(p, "<", 1);
		return at + 1;
	}
	what = what_is(t.name);
	if (what == SKIP && !t.closes)
		return t.len && t.attributes[t.len - 1] == '/'
			       ? next
			       : skip_element(next, end, t.name);
	on_tag(p, what, &t);
	return next;
}

int html_to_markdown(const char *html, size_t len, html_resolve *resolve, void *arg,
		     struct strbuf *out)
{
	struct page p = { .out = out, .resolve = resolve, .arg = arg, .newlines = 2 };
	const char *at = html, *end = html + len;

	while (at < end && !out->error) {
		const char *tag = memchr(at, '<', (size_t)(end - at));

		html_put_text(&p, at, (size_t)((tag ? tag : end) - at));
		at = tag ? html_element(&p, tag, end) : end;
	}
	end_link(&p);
	if (p.pre)
		strbuf_add(out, p.newlines ? "```" : "\n```");
	space_trim_buffer(out);
	strbuf_addc(out, '\n');
	return out->error;
}

void html_charset(const char *html, size_t len, char ret[64])
{
	size_t n = 0;
	const char *at;

	ret[0] = '\0';
	len = len < CHARSET_LOOK ? len : CHARSET_LOOK;
	for (at = html; len - (size_t)(at - html) > 8; at++)
		if (strncasecmp(at, "charset=", 8) == 0)
			break;
	if (len - (size_t)(at - html) <= 8)
		return;
	at += 8;
	at += *at == '"' || *at == '\'';
	while (n < 63 && at + n < html + len && at[n] &&
	       !strchr("\"'>;/ \t\r\n", at[n])) {
		ret[n] = at[n];
		n++;
	}
	ret[n] = '\0';
}
