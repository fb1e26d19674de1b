/* SPDX-License-Identifier: MIT
 *
 * test-editor-bytes.c - an edit changes the named text and no other byte. */
#include "tap.h"

#include "editor-kit.h"

#define B(literal) (literal), sizeof(literal) - 1
#define BYTES(literal)                                                                   \
	{                                                                                \
		B(literal)                                                               \
	}

struct edit_case {
	const char *name;
	struct {
		const char *ptr;
		size_t len;
	} before;
	const char *old, *new_;
	struct {
		const char *ptr;
		size_t len;
	} after;
};

static const struct edit_case replacing[] = {
	{ "LF", BYTES("a\nb\nc\n"), "b", "B\nB", BYTES("a\nB\nB\nc\n") },
	{ "CRLF", BYTES("a\r\nb\r\nc\r\n"), "b", "B\nB", BYTES("a\r\nB\r\nB\r\nc\r\n") },
	{ "CRLF, several lines named with LF", BYTES("a\r\nb\r\nc\r\n"), "a\nb\n", "x\n",
	  BYTES("x\r\nc\r\n") },
	{ "CRLF named with CRLF", BYTES("a\r\nb\r\n"), "a\r\nb", "x\r\ny",
	  BYTES("x\r\ny\r\n") },
	{ "mixed ends", BYTES("a\nb\r\nc\nd\r\n"), "b\nc", "b\nC",
	  BYTES("a\nb\r\nC\nd\r\n") },
	{ "mixed ends, a line more", BYTES("a\nb\r\nc\n"), "b", "b\nx",
	  BYTES("a\nb\r\nx\r\nc\n") },
	{ "CR alone", BYTES("a\rb\rc\r"), "b", "x\ny", BYTES("a\rx\ry\rc\r") },
	{ "CR inside lines of a LF file", BYTES("10%\r20%\nb\n"), "b", "c",
	  BYTES("10%\r20%\nc\n") },
	{ "no final newline", BYTES("a\nb"), "b", "c", BYTES("a\nc") },
	{ "final newline removed on purpose", BYTES("a\nb\n"), "b\n", "b",
	  BYTES("a\nb") },
	{ "to nothing", BYTES("a"), "a", "", BYTES("") },
	{ "an empty file", BYTES(""), "", "x\n", BYTES("x\n") },
	{ "UTF-8 mark",
	  BYTES("\xef\xbb\xbf"
		"a\nb\n"),
	  "a", "\xc3\xa9", BYTES("\xef\xbb\xbf\xc3\xa9\nb\n") },
	{ "UTF-16LE with mark",
	  BYTES("\xff\xfe"
		"a\0\r\0\n\0b\0"),
	  "a", "\xe2\x82\xac\nx", BYTES("\xff\xfe\xac\x20\r\0\n\0x\0\r\0\n\0b\0") },
	{ "UTF-16BE with mark", BYTES("\xfe\xff\0a\0\n\0b"), "b", "c",
	  BYTES("\xfe\xff\0a\0\n\0c") },
	{ "UTF-16LE without mark", BYTES("h\0e\0l\0l\0o\0\n\0"), "hello", "bye",
	  BYTES("b\0y\0e\0\n\0") },
	{ "UTF-32LE with mark", BYTES("\xff\xfe\0\0a\0\0\0"), "a", "b",
	  BYTES("\xff\xfe\0\0b\0\0\0") },
	{ "surrogate pairs",
	  BYTES("\xff\xfe\x3d\xd8\x00\xde"
		"a\0"),
	  "a", "b",
	  BYTES("\xff\xfe\x3d\xd8\x00\xde"
		"b\0") },
	{ "Latin-1",
	  BYTES("caf\xe9 na\xefve d\xe9j\xe0 vu, gar\xe7on, \xfc"
		"ber\nend\n"),
	  "end", "fin",
	  BYTES("caf\xe9 na\xefve d\xe9j\xe0 vu, gar\xe7on, \xfc"
		"ber\nfin\n") },
	{ "Windows-1252", BYTES("\x93quoted\x94 \x96 it\x92s\nend\n"), "end", "fin",
	  BYTES("\x93quoted\x94 \x96 it\x92s\nfin\n") },
	{ "one stray byte in ASCII",
	  BYTES("a\xff"
		"b\nend\n"),
	  "end", "fin",
	  BYTES("a\xff"
		"b\nfin\n") },
	{ "stray bytes in UTF-8",
	  BYTES("\xc3\xa9\xc3\xa8\xc3\xa0\xc3\xb9 \xe6\x97\xa5 \xff\nend\n"), "end",
	  "\xe6\x97\xa5",
	  BYTES("\xc3\xa9\xc3\xa8\xc3\xa0\xc3\xb9 \xe6\x97\xa5 \xff\n"
		"\xe6\x97\xa5\n") },
	{ "form feeds and other controls", BYTES("a\fb\vc\x1b[0m\nend"), "end", "fin",
	  BYTES("a\fb\vc\x1b[0m\nfin") },
};

static const struct edit_case inserting[] = {
	/* `old` is the line */
	{ "top", BYTES("a\nb\n"), "0", "x", BYTES("x\na\nb\n") },
	{ "middle", BYTES("a\nb\n"), "1", "x\ny", BYTES("a\nx\ny\nb\n") },
	{ "end", BYTES("a\nb\n"), "2", "x", BYTES("a\nb\nx\n") },
	{ "number as text", BYTES("a\nb\n"), "\"1\"", "x", BYTES("a\nx\nb\n") },
	{ "after an unterminated line", BYTES("a\nb"), "2", "x", BYTES("a\nb\nx") },
	{ "after an unterminated CRLF line", BYTES("a\r\nb"), "2", "x\ny",
	  BYTES("a\r\nb\r\nx\r\ny") },
	{ "before an unterminated line", BYTES("a\nb"), "1", "x", BYTES("a\nx\nb") },
	{ "empty file", BYTES(""), "0", "x", BYTES("x\n") },
	{ "CRLF", BYTES("a\r\nb\r\n"), "1", "x\r\ny", BYTES("a\r\nx\r\ny\r\nb\r\n") },
	{ "nothing", BYTES("a\n"), "1", "", BYTES("a\n\n") },
	{ "UTF-16",
	  BYTES("\xff\xfe"
		"a\0\n\0"),
	  "1", "b",
	  BYTES("\xff\xfe"
		"a\0\n\0b\0\n\0") },
};

static void each(const struct edit_case *cases, size_t count, bool insert)
{
	for (size_t i = 0; i < count; i++) {
		const struct edit_case *c = &cases[i];
		AUTO(free) char *patched = NULL;
		int status;

		kit_put("f", c->before.ptr, c->before.len);
		kit_restart();
		status = insert ? kit_insert("f", c->old, c->new_)
				: kit_replace("f", c->old, c->new_);
		CHECK_MSG(status == MT_OK && kit_is("f", c->after.ptr, c->after.len),
			  "%s", c->name);
		if (status != MT_OK)
			printf("# %s\n", kit_last.text.text);
		patched = kit_patch(kit_last.old_content.text, kit_last.old_content.len,
				    kit_last.diff.text);
		CHECK_STR(patched, kit_last.new_content.text);
		CHECK_MSG(kit_undo("f") == MT_OK &&
				  kit_is("f", c->before.ptr, c->before.len),
			  "%s: undone", c->name);
	}
}

static void refuses_what_the_encoding_lacks(void)
{
	static const char latin[] = "caf\xe9 na\xefve d\xe9j\xe0 vu, gar\xe7on, \xfc"
				    "ber\nend\n";

	kit_put("latin", B(latin));
	CHECK(kit_replace("latin", "end", "\xe2\x86\x92") != MT_OK);
	CHECK(kit_says("does not have") && kit_says("while trying to write to"));
	CHECK(kit_is("latin", B(latin)));
	CHECK(kit_insert("latin", "1", "\xe2\x86\x92") != MT_OK);
	CHECK(kit_is("latin", B(latin)));
	CHECK(kit_replace("latin", "end", "\xc3\xa9t\xc3\xa9") == MT_OK);
	CHECK(kit_is("latin", B("caf\xe9 na\xefve d\xe9j\xe0 vu, gar\xe7on, \xfc"
				"ber\n"
				"\xe9t\xe9\n")));
	CHECK_MSG(kit_replace("latin", "\xc3\xa9t\xc3\xa9", "x") == MT_OK,
		  "what was written is found again");
}

/* A file cut at every byte: read or refused, and if edited, then only there. */
static void cuts(void)
{
	static const char *const texts[] = {
		("\xff\xfe"
		 "a\0\r\0\n\0\x3d\xd8\x00\xde"
		 "b\0"),
		("\xef\xbb\xbf"
		 "a\r\n\xe6\x97\xa5\n"),
		"\xe6\x97\xa5\xe6\x9c\xac\r\n\xc3\xa9\xc3\xa9",
	};
	static const size_t lens[] = { 15, 10, 12 };
	bool good = true;

	for (size_t t = 0; t < ARRAY_LEN(texts); t++) {
		for (size_t n = 0; n <= lens[t]; n++) {
			kit_put("cut", texts[t], n);
			kit_restart();
			if (kit_view("cut", NULL) == MT_OK &&
			    kit_insert("cut", "0", "new") == MT_OK)
				good = good && kit_undo("cut") == MT_OK;
			good = good && kit_is("cut", texts[t], n);
		}
	}
	CHECK_MSG(good, "a text cut at every byte is never damaged");
}

int main(void)
{
	kit_open();
	each(replacing, ARRAY_LEN(replacing), false);
	each(inserting, ARRAY_LEN(inserting), true);
	refuses_what_the_encoding_lacks();
	cuts();
	kit_close();
	return tap_done();
}
