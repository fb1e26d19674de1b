/* SPDX-License-Identifier: MIT
 *
 * entities.c - resolves character references: common names, and numbers. */
#include "hex.h"
#include "html.h"
#include "utf8.h"

#include <string.h>

enum { NAME_MAX_LEN = 10 };

static const struct {
	const char name[NAME_MAX_LEN];
	unsigned code;
} names[] = {
	{ "AMP", '&' },       { "Auml", 0xc4 },     { "Eacute", 0xc9 },   { "GT", '>' },
	{ "LT", '<' },        { "Ouml", 0xd6 },     { "QUOT", '"' },      { "Uuml", 0xdc },
	{ "aacute", 0xe1 },   { "acirc", 0xe2 },    { "agrave", 0xe0 },   { "alpha", 0x3b1 },
	{ "amp", '&' },       { "apos", '\'' },     { "aring", 0xe5 },    { "ast", '*' },
	{ "atilde", 0xe3 },   { "auml", 0xe4 },     { "beta", 0x3b2 },    { "bull", 0x2022 },
	{ "ccedil", 0xe7 },   { "cent", 0xa2 },     { "check", 0x2713 },  { "colon", ':' },
	{ "comma", ',' },     { "copy", 0xa9 },     { "darr", 0x2193 },   { "deg", 0xb0 },
	{ "delta", 0x3b4 },   { "divide", 0xf7 },   { "dollar", '$' },    { "eacute", 0xe9 },
	{ "ecirc", 0xea },    { "egrave", 0xe8 },   { "emsp", 0x2003 },   { "ensp", 0x2002 },
	{ "equals", '=' },    { "euml", 0xeb },     { "euro", 0x20ac },   { "excl", '!' },
	{ "frac12", 0xbd },   { "frac14", 0xbc },   { "gamma", 0x3b3 },   { "ge", 0x2265 },
	{ "grave", '`' },     { "gt", '>' },        { "hArr", 0x21d4 },   { "harr", 0x2194 },
	{ "hellip", 0x2026 }, { "iacute", 0xed },   { "icirc", 0xee },    { "iexcl", 0xa1 },
	{ "igrave", 0xec },   { "infin", 0x221e },  { "iquest", 0xbf },   { "iuml", 0xef },
	{ "lambda", 0x3bb },  { "laquo", 0xab },    { "larr", 0x2190 },   { "lbrace", '{' },
	{ "lbrack", '[' },    { "lcub", '{' },      { "ldquo", 0x201c },  { "le", 0x2264 },
	{ "lowbar", '_' },    { "lpar", '(' },      { "lsaquo", 0x2039 }, { "lsqb", '[' },
	{ "lsquo", 0x2018 },  { "lt", '<' },        { "mdash", 0x2014 },  { "micro", 0xb5 },
	{ "middot", 0xb7 },   { "minus", 0x2212 },  { "mu", 0x3bc },      { "nbsp", ' ' },
	{ "ndash", 0x2013 },  { "ne", 0x2260 },     { "ntilde", 0xf1 },   { "num", '#' },
	{ "oacute", 0xf3 },   { "ocirc", 0xf4 },    { "ograve", 0xf2 },   { "omega", 0x3c9 },
	{ "oslash", 0xf8 },   { "otilde", 0xf5 },   { "ouml", 0xf6 },     { "para", 0xb6 },
	{ "percnt", '%' },    { "period", '.' },    { "pi", 0x3c0 },      { "plus", '+' },
	{ "plusmn", 0xb1 },   { "pound", 0xa3 },    { "quest", '?' },     { "quot", '"' },
	{ "rArr", 0x21d2 },   { "raquo", 0xbb },    { "rarr", 0x2192 },   { "rbrace", '}' },
	{ "rbrack", ']' },    { "rcub", '}' },      { "rdquo", 0x201d },  { "reg", 0xae },
	{ "rpar", ')' },      { "rsaquo", 0x203a }, { "rsqb", ']' },      { "rsquo", 0x2019 },
	{ "sect", 0xa7 },     { "semi", ';' },      { "shy", 0xad },      { "sigma", 0x3c3 },
	{ "sol", '/' },       { "sum", 0x2211 },    { "sup2", 0xb2 },     { "sup3", 0xb3 },
	{ "szlig", 0xdf },    { "thinsp", 0x2009 }, { "tilde", 0x2dc },   { "times", 0xd7 },
	{ "trade", 0x2122 },  { "uacute", 0xfa },   { "uarr", 0x2191 },   { "ucirc", 0xfb },
	{ "ugrave", 0xf9 },   { "uuml", 0xfc },     { "vert", '|' },      { "yen", 0xa5 },
	{ "zwj", 0x200d },    { "zwnj", 0x200c },
};

static int entities_by_name(const void *key, const void *entry)
{
	return strcmp(key, entry);
}

static unsigned entities_named(const char *name, size_t len)
{
	char key[NAME_MAX_LEN] = "";
	const char *found;

	if (len == 0 || len >= sizeof key)
		return 0;
	memcpy(key, name, len);
	found = bsearch(key, names, ARRAY_LEN(names), sizeof names[0], entities_by_name);
	return found ? names[(size_t)(found - names[0].name) / sizeof names[0]].code : 0;
}

/* "#123" or "#x1f"; an invalid character is U+FFFD. */
static unsigned numbered(const char *text, size_t len)
{
	unsigned base = len > 1 && (text[1] == 'x' || text[1] == 'X') ? 16 : 10, n = 0;
	size_t i = base == 16 ? 2 : 1;

	if (i >= len)
		return 0;
	for (; i < len; i++) {
		int digit = hex_digit(text[i]);

		if (digit < 0 || (unsigned)digit >= base)
			return 0;
		n = n < 0x200000 ? n * base + (unsigned)digit : n;
	}
	return n == 0 || n > 0x10ffff || (n >= 0xd800 && n < 0xe000) ? 0xfffd : n;
}

/* The reference at `text`, which starts with "&". @return its length in bytes; 0: not a
 * reference. */
static size_t reference(const char *text, size_t len, struct strbuf *out)
{
	size_t end = 1;
	unsigned c;

	while (end < len && end < 12 &&
	       ((text[end] >= '0' && text[end] <= '9') ||
		(text[end] >= 'a' && text[end] <= 'z') ||
		(text[end] >= 'A' && text[end] <= 'Z') || (end == 1 && text[end] == '#')))
		end++;
	if (end >= len || text[end] != ';')
		return 0;
	c = text[1] == '#' ? numbered(text + 1, end - 1)
			   : entities_named(text + 1, end - 1);
	if (!c)
		return 0;
	if (c != 0xad) /* omit soft hyphens */
		utf8_add_code(out, c < ' ' && c != '\n' && c != '\t' ? ' ' : c);
	return end + 1;
}

int entities_unescape(const char *text, size_t len, struct strbuf *out)
{
	while (len) {
		const char *amp = memchr(text, '&', len);
		size_t n = amp ? (size_t)(amp - text) : len, taken;

		strbuf_addn(out, text, n);
		text += n;
		len -= n;
		if (!len)
			break;
		taken = reference(text, len, out);
		if (!taken) {
			strbuf_addc(out, '&');
			taken = 1;
		}
		text += taken;
		len -= taken;
	}
	return out->error;
}
