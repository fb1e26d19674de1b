/* SPDX-License-Identifier: MIT
 *
 * test-keys.c - bytes as keys, keys as changes of a text, and its history. */
#include "history.h"
#include "keys.h"
#include "line-editor.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>

/* ---- keys -------------------------------------------------------------- */

static void on_key(void *arg, enum key key, const char *text, size_t len)
{
	strbuf_addf(arg, "%d:%.*s ", (int)key, (int)len, text);
}

static void test_keys(void)
{
	static const struct {
		const char *bytes;
		enum key key;
		const char *text;
	} cases[] = {
		{ "a", KEY_TEXT, "a" },           { "é", KEY_TEXT, "é" },
		{ "日", KEY_TEXT, "日" },         { "\r", KEY_ENTER, "" },
		{ "\n", KEY_NEWLINE, "" },        { "\033\r", KEY_NEWLINE, "" },
		{ "\003", KEY_CONTROL, "c" },     { "\033[A", KEY_UP, "" },
		{ "\033OA", KEY_UP, "" },         { "\033[3~", KEY_DELETE, "" },
		{ "\177", KEY_BACKSPACE, "" },    { "\033b", KEY_WORD_LEFT, "" },
		{ "\033[1;5C", KEY_WORD_RIGHT, "" }, { "\033[O", KEY_FOCUS_OUT, "" },
		{ "\t", KEY_TAB, "" },
	};
	bool good = true;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t len = strlen(cases[i].bytes);
		char want[64];

		snprintf(want, sizeof want, "%d:%s ", (int)cases[i].key, cases[i].text);
		for (size_t cut = 0; cut <= len; cut++) {
			AUTO(strbuf) struct strbuf got = STRBUF(1024);
			struct keys k;

			keys_init(&k, on_key, &got);
			keys_feed(&k, cases[i].bytes, cut);
			keys_feed(&k, cases[i].bytes + cut, len - cut);
			if (strcmp(got.text, want) != 0 || keys_waiting(&k)) {
				printf("# case %zu cut %zu: %s\n", i, cut, got.text);
				good = false;
			}
			keys_done(&k);
		}
	}
	CHECK_MSG(good, "keys, cut at every byte");
}

static void test_unknown(void)
{
	AUTO(strbuf) struct strbuf got = STRBUF(1 << 16);
	char long_one[200];
	struct keys k;

	keys_init(&k, on_key, &got);
	keys_feed(&k, "\033[99;99;99Zx", 12);
	memset(long_one, '1', sizeof long_one);
	memcpy(long_one, "\033[", 2);
	keys_feed(&k, long_one, sizeof long_one);
	CHECK_MSG(strncmp(got.text, "1:x ", 4) == 0, "an unknown sequence is ignored");
	strbuf_reset(&got);
	keys_feed(&k, "\033", 1);
	CHECK(keys_waiting(&k));
	keys_settle(&k);
	CHECK_MSG(!keys_waiting(&k), "a lone ESC settles");
	keys_done(&k);
}

static void count_paste(void *arg, enum key key, const char *text, size_t len)
{
	size_t *sum = arg;

	(void)text;
	if (key == KEY_PASTE)
		*sum += len;
	else
		*sum += 1000000000;
}

static void test_paste(void)
{
	AUTO(strbuf) struct strbuf got = STRBUF(1 << 16);
	size_t sum = 0, count = 3 * PASTE_MAX + 12345;
	struct keys k;

	keys_init(&k, on_key, &got);
	keys_feed(&k, "\033[200~a\rb\033[A\033[201~c", 19);
	CHECK_STR(got.text, "2:a\rb\033[A 1:c ");
	keys_done(&k);
	keys_init(&k, count_paste, &sum);
	keys_feed(&k, "\033[200~", 6);
	for (size_t i = 0; i < count; i++)
		keys_feed(&k, "x", 1);
	keys_feed(&k, "\033[201~", 6);
	CHECK_MSG(sum == count && !k.pasting, "a large paste comes in pieces, whole");
	keys_done(&k);
}

/* ---- the text ---------------------------------------------------------- */

static void test_line(void)
{
	struct line_editor l;

	line_editor_init(&l);
	line_editor_insert(&l, "one two", 7);
	line_editor_word_left(&l);
	line_editor_insert(&l, "big ", 4);
	CHECK_STR(l.text.text, "one big two");
	line_editor_delete(&l, line_editor_word_left, true);
	CHECK_STR(l.text.text, "one two");
	line_editor_end(&l);
	line_editor_yank(&l);
	CHECK_STR(l.text.text, "one twobig ");
	line_editor_delete(&l, line_editor_home, true);
	CHECK_STR(l.text.text, "");
	line_editor_insert(&l, "e\u0301日", 6);
	line_editor_delete(&l, line_editor_left, false);
	line_editor_delete(&l, line_editor_left, false);
	CHECK_MSG(l.text.len == 0, "a character goes with its marks");
	line_editor_insert(&l, "ab\r\ncd\re\033[31m", 14);
	CHECK_STR(l.text.text, "ab\ncd\ne");
	line_editor_up(&l);
	CHECK(l.at == 4);
	line_editor_delete(&l, line_editor_end, true);
	CHECK_STR(l.text.text, "ab\nc\ne");
	CHECK(line_editor_down(&l) && !line_editor_down(&l));
	line_editor_set(&l, "ab");
	line_editor_transpose(&l);
	CHECK_STR(l.text.text, "ba");
	line_editor_set(&l, "go to\\");
	CHECK(line_editor_continues(&l));
	CHECK_STR(l.text.text, "go to");
	line_editor_set(&l, "a path\\\\");
	CHECK(!line_editor_continues(&l));
	line_editor_done(&l);
}

static void test_too_much(void)
{
	static char much[LINE_MAX_BYTES];
	struct line_editor l;

	memset(much, 'x', sizeof much);
	line_editor_init(&l);
	line_editor_insert(&l, "keep", 4);
	CHECK(line_editor_insert(&l, much, sizeof much) != MT_OK);
	CHECK_STR(l.text.text, "keep");
	line_editor_done(&l);
}

/* ---- history ----------------------------------------------------------- */

static void test_history(void)
{
	char dir[] = "/tmp/history.XXXXXX", path[64];
	struct history h;
	struct stat st;

	if (!mkdtemp(dir)) {
		SKIP("no directory");
		return;
	}
	snprintf(path, sizeof path, "%s/history", dir);
	history_open(&h, path);
	history_add(&h, "first");
	history_add(&h, "second\nwith two rows");
	history_add(&h, "second\nwith two rows");
	CHECK(h.count == 2);
	history_done(&h);
	CHECK_MSG(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600,
		  "the file is the user's alone");
	history_open(&h, path);
	CHECK_STR(history_back(&h, "a draft"), "second\nwith two rows");
	CHECK_STR(history_back(&h, ""), "first");
	CHECK(!history_back(&h, ""));
	CHECK_STR(history_forward(&h), "second\nwith two rows");
	CHECK_STR(history_forward(&h), "a draft");
	CHECK(!history_forward(&h));
	CHECK(history_find(&h, "irs", h.count) == 0);
	CHECK(history_find(&h, "none", h.count) == -1);
	for (int i = 0; i < HISTORY_MAX + 10; i++) {
		char text[32];

		snprintf(text, sizeof text, "entry %d", i);
		history_add(&h, text);
	}
	CHECK(h.count == HISTORY_MAX);
	history_done(&h);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	test_keys();
	test_unknown();
	test_paste();
	test_line();
	test_too_much();
	test_history();
	return tap_done();
}
