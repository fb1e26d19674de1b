/* SPDX-License-Identifier: MIT
 *
 * test-ini.c - valid INI files, and every kind of error in them. */
#include "ini.h"
#include "files.h"
#include "oom.h"
#include "strbuf.h"
#include "tap.h"

/* An entry as text: LINE:SECTION.KEY=VALUE; a section: LINE[SECTION] */
static void show(const struct ini *ini, struct strbuf *out)
{
	for (size_t i = 0; i < ini->section_count; i++)
		strbuf_addf(out, "%u[%s] ", ini->section_lines[i], ini->sections[i]);
	for (size_t i = 0; i < ini->count; i++) {
		const struct ini_entry *e = &ini->entries[i];

		strbuf_addf(out, "%u:%s.%s%c%s|", e->line, e->section, e->key, e->op,
			    e->value);
	}
}

static const struct { const char *in, *out; } good[] = {
	{ "", "" },
	{ "\n; c\n# d\n  ; e\n", "" },
	{ "a=1", "1:.a=1|" },
	{ "\xef\xbb\xbf" "a = 1\r\nb\t=\t2\r\n", "1:.a=1|2:.b=2|" },
	{ "[s] ; why\n[ t u ]# why\nk = v\n", "1[s] 2[t u] 3:t u.k=v|" },
	{ "[s]\n\n[s]\na=\n", "1[s] 3[s] 4:s.a=|" },
	{ "a = x ; y # z : = w\n", "1:.a=x ; y # z : = w|" },
	{ "a=;x\nb=#y\nc= ; z\n", "1:.a=;x|2:.b=#y|3:.c=; z|" },
	{ "l += x, y\nl -= z\nm+=1\n", "1:.l+x, y|2:.l-z|3:.m+1|" },
	{ "a = one\n  two ; x\n\tthree = 3\n", "1:.a=one\ntwo ; x\nthree = 3|" },
	{ "a =\n  one\n # not this\n\n  two\nb = 1\n", "1:.a=one\ntwo|6:.b=1|" },
	{ "a = 1\n  [not a section]\n", "1:.a=1\n[not a section]|" },
	{ "[s]\n  a = 1\n", "1[s] 2:s.a=1|" },
	{ "a:b = http://x:1\n", "1:.a:b=http://x:1|" },
	{ "a ;b = 1\n", "1:.a ;b=1|" },
	{ "a = \"q\"\n", "1:.a=\"q\"|" },
	{ "a = \xc3\xa9\n", "1:.a=\xc3\xa9|" },
	{ "\n\n\n[s]\n\n\nk=v\n", "4[s] 7:s.k=v|" },
};

static const struct { const char *in; size_t len; const char *error; } bad[] = {
	{ "[core\n", 0, "f:1: the section has no `]`; use [name]" },
	{ "a=1\n[core] x\n", 0, "f:2: text after the `]`; move it to its own line" },
	{ "[ ]\n", 0, "f:1: the section has no name; use [name]" },
	{ "\nword\n", 0, "f:2: neither a section nor a key with a value; use key = value, or # before a comment" },
	{ "key: value\n", 0, "f:1: neither a section nor a key with a value; use key = value, or # before a comment" },
	{ "= 1\n", 0, "f:1: the key before the `=` is missing; use key = value" },
	{ "a = 1\n+= 1\n", 0, "f:2: the key before the `=` is missing; use key = value" },
	{ "a = 1\nb = x\0y\n", 14, "f:2: contains a NUL byte: not a text file" },
	{ "a = \x01\n", 0, "f:1: contains a control character; use plain text" },
	{ "a = x\ry\n", 0, "f:1: contains a control character; use plain text" },
	{ "a = \xff\n", 0, "f:1: not UTF-8; save the file as UTF-8" },
};

static void good_files(void)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		AUTO(strbuf) struct strbuf got = STRBUF(4096);
		struct error err = ERROR_NONE;
		struct ini ini;

		ini_parse_text("f", good[i].in, strlen(good[i].in), &ini, &err);
		show(&ini, &got);
		CHECK_STR(err.code ? err.text : got.text, good[i].out);
		ini_clear(&ini);
	}
}

static void bad_files(void)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		size_t len = bad[i].len ? bad[i].len : strlen(bad[i].in);
		struct error err = ERROR_NONE;
		struct ini ini;
		int status = ini_parse_text("f", bad[i].in, len, &ini, &err);

		CHECK_STR(err.text, bad[i].error);
		CHECK_MSG(status == MT_EINVAL && !ini.count && !ini.entries,
			  "nothing is left of bad file %zu", i);
	}
}

/* Values of every length around the size of inih's buffer, holding what it
 * would cut at. */
static void long_lines(void)
{
	static const char marks[] = "ab ; c # d  :=\t";
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	size_t wrong = 0;

	for (size_t n = 1; n < 700; n++) {
		struct ini ini;
		size_t start;

		strbuf_reset(&text);
		strbuf_addf(&text, "[%0*d]\nkey=", (int)(n % 250) + 1, 0);
		start = text.len;
		strbuf_addc(&text, 'x');
		for (size_t i = 0; i < n; i++)
			strbuf_addc(&text, marks[i % (sizeof marks - 1)]);
		strbuf_addc(&text, 'x');
		if (ini_parse_text("f", text.text, text.len, &ini, NULL) ||
		    ini.count != 1 ||
		    strcmp(ini.entries[0].value, text.text + start) != 0 ||
		    strlen(ini.entries[0].section) != n % 250 + 1)
			wrong++;
		ini_clear(&ini);
	}
	CHECK_MSG(wrong == 0, "no length of a line or section is cut");
}

static void limits(void)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4 << 20);
	struct error err = ERROR_NONE;
	struct ini ini;

	strbuf_addf(&text, "a = %0*d\n", INI_MAX_LINE, 0);
	CHECK(ini_parse_text("f", text.text, text.len, &ini, &err) == MT_ELIMIT);
	CHECK_STR(err.text, "f:1: the line is longer than 65536 bytes");
	strbuf_reset(&text);
	strbuf_addf(&text, "%0*d = 1\n", INI_MAX_KEY, 0);
	CHECK(ini_parse_text("f", text.text, text.len, &ini, NULL) == MT_OK);
	ini_clear(&ini);
	CHECK(ini_parse_text("f", "x", INI_MAX_FILE + 1, &ini, NULL) == MT_ELIMIT);
	strbuf_reset(&text);
	strbuf_addf(&text, "%0*d = 1\n", INI_MAX_KEY + 1, 0);
	CHECK(ini_parse_text("f", text.text, text.len, &ini, NULL) == MT_ELIMIT);
	CHECK(ini_read("/nonexistent/x.ini", &ini, NULL) == MT_ENOTFOUND);
}

static void cut_everywhere(void)
{
	static const char text[] = "\xef\xbb\xbf"
				   "a = 1\r\n[s] ; x\nk += v ; w\n  more\n"
				   "long = 12345678901234567890\n[t]\n";
	size_t silent = 0;

	for (size_t cut = 0; cut < sizeof text; cut++) {
		struct error err = ERROR_NONE;
		struct ini ini;

		if (ini_parse_text("f", text, cut, &ini, &err) && !err.text[0])
			silent++;
		ini_clear(&ini);
	}
	CHECK_MSG(silent == 0, "cut at every byte");
}

static void without_memory(void)
{
	static const char text[] = "a = 1\n[s]\nb = 2\n  3\nc = 4\n[t]\n";

	OOM_EACH({
		struct error err = ERROR_NONE;
		struct ini ini;
		int status = ini_parse_text("f", text, sizeof text - 1, &ini, &err);

		if (oom_hit && (status != MT_ENOMEM || ini.count || !err.text[0]))
			CHECK_MSG(0, "an allocation failed unnoticed");
		ini_clear(&ini);
	});
	CHECK_OOM();
}

int main(void)
{
	good_files();
	bad_files();
	long_lines();
	limits();
	cut_everywhere();
	without_memory();
	return tap_done();
}
