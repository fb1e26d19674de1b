/* SPDX-License-Identifier: MIT
 *
 * test-fetch.c - pages as Markdown, cut at every byte; which addresses are public;
 * what fetch.so refuses without asking anybody. */
#include "oom.h"
#include "address.h"
#include "plugins/tools/fetch/get.h"
#include "plugins/tools/fetch/html.h"
#include "tests/tools/plugin-kit.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static char *resolve(void *arg, const char *link)
{
	return get_resolve(arg, link);
}

static int convert(const char *html, size_t len, struct strbuf *out)
{
	return html_to_markdown(html, len, resolve, (void *)"https://x.org/d/p?q#f", out);
}

static void pages(void)
{
	static const struct {
		const char *html, *text;
	} cases[] = {
		{ "hello", "hello\n" },
		{ "", "\n" },
		{ "<h1>Title</h1><p>one\n  two<p>three", "# Title\n\none two\n\nthree\n" },
		{ "<h3 class='a>b'> T </h3>x", "### T\n\nx\n" },
		{ "a<script>x < y</script>b<style>z</style><!-- c > -->d", "abd\n" },
		{ "<script>never ends", "\n" },
		{ "<!-- never ends", "\n" },
		{ "<noscript>no</noscript>yes<svg><text>t</text></svg>", "yes\n" },
		{ "<a href='../a b'>the <b>link</b></a>.", "[the **link**](https://x.org/a%20b).\n" },
		{ "<a href=\"/r?a=1&amp;b=2\">x</a>", "[x](https://x.org/r?a=1&b=2)\n" },
		{ "<a href=#here>in</a> <a href=javascript:f()>js</a> <a>no</a>", "in js no\n" },
		{ "<a href=mailto:a@b>mail</a>", "mail\n" },
		{ "<a href=/x></a>y", "y\n" },
		{ "<a href=/x>one<p>two", "[one](https://x.org/x)\n\ntwo\n" },
		{ "<ul><li>a<li>b<ul><li>c</ul></ul>d", "- a\n- b\n  - c\n\nd\n" },
		{ "<ol><li>a</li><li>b</li></ol>", "1. a\n2. b\n" },
		{ "<ul><li><p>a</p><p>b</p></li></ul>", "- a\n  b\n" },
		{ "<ol><li>a<br>b<ul><li>c<div>d</div><li>e</ul>f</ol>g",
		  "1. a\n   b\n   - c\n     d\n   - e\n   f\n\ng\n" },
		{ "<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b\n" },
		{ "<ul><li>a<pre>x\n\n y</pre>b<li><pre>c\nd</pre></ul>",
		  "- a\n\n  ```\n  x\n\n   y\n  ```\n\n  b\n- ```\n  c\n  d\n  ```\n" },
		{ "<blockquote><ul><li>a<br>b<blockquote>c</blockquote></ul><pre>d\ne</pre>"
		  "</blockquote>",
		  "> - a\n>   b\n\n>   > c\n\n> ```\n> d\n> e\n> ```\n" },
		{ "<pre>int x;\n  if (a &lt; b)\n</pre>after",
		  "```\nint x;\n  if (a < b)\n```\n\nafter\n" },
		{ "<pre><code>x <a href=/y>y</a>", "```\nx y\n```\n" },
		{ "use <code>a  b</code> now", "use `a b` now\n" },
		{ "<b></b>x<strong>y </strong>z", "****x**y** z\n" },
		{ "</b>x</code></li></ul></pre></blockquote>y", "x\n\ny\n" },
		{ "<blockquote>a<p>b</blockquote>c", "> a\n\n> b\n\nc\n" },
		{ "<table><tr><th>A<th>B</tr><tr><td>1</td><td><p>2</p></td></tr></table>",
		  "A | B\n1 | 2\n" },
		{ "a<br>b<br/>c<hr>d", "a\nb\nc\n\n---\n\nd\n" },
		{ "<img src=x alt='a &amp; b'><img src=y>", "[image: a & b]\n" },
		{ "<title>T</title><body>x", "T\n\nx\n" },
		{ "1 < 2 <3 <> <é", "1 < 2 <3 <> <é\n" },
		{ "x<b y", "x\n" },
		{ "<p a=\"x>y", "y\n" },
		{ "&amp;&lt;&#65;&#x42;&nbsp;&euro;&mdash;x&shy;y", "&<AB €—xy\n" },
		{ "&unknown; &amp &#; &#x; &#0; &#xd800; &#99999999;", "&unknown; &amp &#; &#x; "
		  "\xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd\n" },
		{ "<select><option>a</select>b<textarea>c</textarea>", "b\n" },
		{ "<![CDATA[x]]>y<?php z ?>w", "yw\n" },
		{ "<SCRIPT>a</script ><P>b</P>", "b\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(65536);

		CHECK(convert(cases[i].html, strlen(cases[i].html), &out) == MT_OK);
		CHECK_STR(out.text, cases[i].text);
	}
}

static const char page[] =
	"<!doctype html><title>T &amp; x</title><h2>H</h2><ul><li><a href='a'>b</a>"
	"<pre>c</pre></ul><table><tr><td>&#8364;<td>e</table><blockquote>q<img alt=i>";

static void cut_and_without_memory(void)
{
	int r = 0, bad = 0;

	for (size_t len = 0; len < sizeof page; len++) {
		AUTO(strbuf) struct strbuf out = STRBUF(65536);
		AUTO(free) char *exact = malloc(len + 1);

		memcpy(exact, page, len);
		bad += convert(exact, len, &out) != MT_OK;
	}
	CHECK(bad == 0);
	OOM_EACH(struct strbuf out = STRBUF(65536);
		 r = convert(page, sizeof page - 1, &out);
		 bad += r != MT_OK && (r != MT_ENOMEM || !oom_hit); strbuf_clear(&out));
	CHECK(bad == 0);
	{
		AUTO(strbuf) struct strbuf out = STRBUF(16);

		CHECK(convert(page, sizeof page - 1, &out) == MT_ELIMIT);
	}
}

static void entity_names(void)
{
	static const char *const some[] = { "&AMP;", "&Auml;", "&Uuml;", "&QUOT;", "&aacute;",
					    "&yen;", "&zwnj;", "&hArr;", "&rarr;", "&lt;",
					    "&gt;", "&quot;", "&apos;", "&hellip;", "&rsquo;" };

	for (size_t i = 0; i < ARRAY_LEN(some); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(64);

		entities_unescape(some[i], strlen(some[i]), &out);
		CHECK_MSG(out.len && strcmp(out.text, some[i]) != 0, "%s", some[i]);
	}
}

static void charsets(void)
{
	char name[64];

	html_charset("<meta charset=\"ISO-8859-1\">", 27, name);
	CHECK_STR(name, "ISO-8859-1");
	html_charset("<meta content='text/html; charset=utf-8'>", 41, name);
	CHECK_STR(name, "utf-8");
	html_charset("charset=", 8, name);
	CHECK_STR(name, "");
}

static void addresses(void)
{
	static const struct {
		const char *host;
		bool is_public;
	} cases[] = {
		{ "8.8.8.8", true },          { "127.0.0.1", false },  { "127.1", false },
		{ "2130706433", false },      { "0x7f.1", false },     { "0177.0.0.1", false },
		{ "10.1.2.3", false },        { "172.15.0.1", true },  { "172.16.0.1", false },
		{ "172.31.255.255", false },  { "172.32.0.1", true },  { "192.168.1.1", false },
		{ "169.254.169.254", false }, { "100.64.0.1", false }, { "0.0.0.0", false },
		{ "224.0.0.1", false },       { "255.255.255.255", false },
		{ "198.18.0.1", false },      { "1.1.1.1", true },     { "[::1]", false },
		{ "[::]", false },            { "[fe80::1%25eth0]", false }, { "[fc00::1]", false },
		{ "[::ffff:127.0.0.1]", false }, { "[::ffff:8.8.8.8]", true },
		{ "[64:ff9b::7f00:1]", false }, { "[2002:7f00:1::]", false },
		{ "[2001:0::1]", false },     { "[2001:db8::1]", false },
		{ "[2606:4700::1111]", true }, { "[ff02::1]", false },
		{ "localhost", false },       { "a.localhost", false }, { "LOCALHOST", false },
		{ "example.org", true },
	};
	static const struct {
		const char *host, *list;
		bool yes;
	} lists[] = {
		{ "a.org", "", true }, { "a.org", NULL, true }, { "a.org", "a.org", true },
		{ "A.org", "b.org, a.ORG", true }, { "x.a.org", "*.a.org", true },
		{ "a.org", "*.a.org", false }, { "evil-a.org", "a.org", false },
		{ "a.org.evil.net", "a.org, *.a.org", false },
	};
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr local = { .sa_family = AF_UNIX };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		CHECK_MSG(address_host_is_public(cases[i].host) == cases[i].is_public,
			  "%s", cases[i].host);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		CHECK_MSG(address_host_is_listed(lists[i].host, lists[i].list) ==
				  lists[i].yes,
			  "%s of %s", lists[i].host,
			  lists[i].list ? lists[i].list : "NULL");
	CHECK(!address_is_public((struct sockaddr *)&six) && !address_is_public(&local));
}

static void plugin(void)
{
	static const char *const only[] = { "hosts", "*.example.org", NULL };
	static const struct {
		const char *args, *why;
	} cases[] = {
		{ "{\"url\":\"http://127.0.0.1/\"}", "not on the public internet" },
		{ "{\"url\":\"http://[::1]:80/\"}", "not on the public internet" },
		{ "{\"url\":\"http://2130706433/\"}", "not on the public internet" },
		{ "{\"url\":\"file:///etc/passwd\"}", "Unsupported scheme" },
		{ "{\"url\":\"gopher://x/\"}", "Unsupported scheme" },
		{ "{\"url\":\"no address\"}", "is not a valid URL" },
		{ "{\"url\":\"/etc/passwd\"}", "is not a valid URL" },
		{ "{}", "is missing" },
		{ "{\"url\":\"http://x\\u0000y/\"}", "NUL" },
	};
	const struct mt_plugin *p = kit_load("fetch");
	const struct mt_toolset *set = p ? p->components[0].functions : NULL;
	struct mt_instance i = { .component = p ? p->components : NULL,
				 .workspace = "/tmp" };
	struct mt_call c;
	void *self;

	CHECK(set && set->open(&kit_host, &i, &self) == MT_OK);
	if (!set)
		return;
	kit_check_tools(set, 800);
	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		CHECK(kit_call(set, self, "fetch", &c, cases[n].args) != MT_OK);
		CHECK_MSG(strstr(c.sentence.text, cases[n].why), "%s: %s", cases[n].args,
			  c.sentence.text);
		kit_end(&c);
	}
	i.set = only;
	CHECK(kit_call(set, self, "fetch", &c, "{\"url\":\"https://example.com/\"}") ==
	      MT_EDENIED);
	CHECK(strstr(c.sentence.text, "Fetching from example.com is not allowed") !=
	      NULL);
	kit_end(&c);
	set->close(&kit_host, NULL, self);
}

int main(void)
{
	pages();
	cut_and_without_memory();
	entity_names();
	charsets();
	addresses();
	plugin();
	return tap_done();
}
