/* SPDX-License-Identifier: MIT
 *
 * test-area.c - the live rows, drawn into an emulated terminal: they are correct
 * whatever was drawn before, and few bytes are written. */
#include "prompt.h"
#include "tap.h"

#include <vterm.h>

enum { ROWS = 12, COLUMNS = 20 };

struct screen {
	VTerm *vt;
	VTermScreen *screen;
};

static void screen_open(struct screen *s)
{
	s->vt = vterm_new(ROWS, COLUMNS);
	vterm_set_utf8(s->vt, 1);
	s->screen = vterm_obtain_screen(s->vt);
	vterm_screen_reset(s->screen, 1);
}

static void screen_row(struct screen *s, int row, char text[COLUMNS + 1])
{
	for (int i = 0; i < COLUMNS; i++) {
		VTermScreenCell cell;

		vterm_screen_get_cell(s->screen, (VTermPos){ row, i }, &cell);
		text[i] =
			cell.chars[0] && cell.chars[0] < 0x80 ? (char)cell.chars[0] : ' ';
	}
	text[COLUMNS] = '\0';
	for (int i = COLUMNS; i > 0 && text[i - 1] == ' '; i--)
		text[i - 1] = '\0';
}

static unsigned seed = 1;

static unsigned pick(unsigned below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

static void random_row(char text[COLUMNS])
{
	unsigned len = pick(COLUMNS - 1);

	for (unsigned i = 0; i < len; i++)
		text[i] = (char)('a' + pick(3));
	text[len] = '\0';
}

/* The rows above the cursor's are those of the picture. */
static bool shows(struct screen *s, char want[][COLUMNS], unsigned count, unsigned row,
		  unsigned column)
{
	VTermPos at;
	char got[COLUMNS + 1];
	int first;

	vterm_state_get_cursorpos(vterm_obtain_state(s->vt), &at);
	first = at.row - (int)row;
	if (at.col != (int)column || first < 0)
		return false;
	for (unsigned i = 0; i < count; i++) {
		screen_row(s, first + (int)i, got);
		if (strcmp(got, want[i]) != 0)
			return false;
	}
	for (int i = first + (int)count; i < ROWS; i++) {
		screen_row(s, i, got);
		if (*got)
			return false;
	}
	return true;
}

static void test_random(void)
{
	struct live_region a;
	struct screen s;
	bool good = true;

	screen_open(&s);
	live_region_init(&a, COLUMNS);
	for (int turn = 0; turn < 3000 && good; turn++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16), above = STRBUF(4096);
		char rows[6][COLUMNS];
		unsigned count = 1 + pick(6), row = pick(count), column = pick(10);

		live_region_begin(&a);
		for (unsigned i = 0; i < count; i++) {
			random_row(rows[i]);
			live_region_add(&a, rows[i], strlen(rows[i]));
		}
		live_region_cursor(&a, row, column);
		for (unsigned i = pick(4); i > 0; i--)
			strbuf_add(&above, "scrolled\n");
		live_region_draw(&a, &out, above.text, pick(3) ? 0 : above.len);
		vterm_input_write(s.vt, out.text, out.len);
		good = shows(&s, rows, count, row, column);
	}
	CHECK_MSG(good, "3000 random pictures are drawn as they should be");
	live_region_done(&a);
	vterm_free(s.vt);
}

static size_t draw(struct live_region *a, struct line_editor *l, const char *above)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);

	live_region_begin(a);
	live_region_add(a, "working 1 s", 11);
	prompt_add(a, "> ", l, 4);
	live_region_draw(a, &out, above, strlen(above));
	return out.len;
}

static void test_bytes(void)
{
	struct live_region a;
	struct line_editor l;

	live_region_init(&a, 80);
	line_editor_init(&l);
	draw(&a, &l, "");
	CHECK_MSG(draw(&a, &l, "") == 0, "nothing changed: nothing is written");
	line_editor_insert(&l, "hello there", 11);
	draw(&a, &l, "");
	line_editor_insert(&l, "x", 1);
	CHECK_MSG(draw(&a, &l, "") < 40, "a key costs less than 40 bytes");
	CHECK_MSG(draw(&a, &l, "a line\n") < 100,
		  "a line above costs itself and the rows");
	live_region_done(&a);
	line_editor_done(&l);
}

/* The position of the cursor, and the wrapping of the text. */
static void test_prompt(void)
{
	static const struct {
		const char *text;
		size_t at, rows, row, column;
	} cases[] = {
		{ "", 0, 1, 0, 2 },
		{ "abc", 3, 1, 0, 5 },
		{ "ab\ncd", 5, 2, 1, 4 },
		{ "ab\n", 3, 2, 1, 2 },
		{ "0123456789abcdefgh", 18, 2, 1, 3 }, /* 17 columns at most a row */
		{ "0123456789abcdefg", 17, 1, 0, 19 },
		{ "0123456789abcdefghi", 2, 2, 0, 4 },
		{ "1\n2\n3\n4\n5\n6", 11, 4, 3, 3 }, /* those around the cursor */
		{ "1\n2\n3\n4\n5\n6", 0, 4, 0, 2 },
		{ "日本語", 9, 1, 0, 8 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct live_region a;
		struct line_editor l;

		live_region_init(&a, COLUMNS);
		line_editor_init(&l);
		line_editor_set(&l, cases[i].text);
		l.at = cases[i].at;
		live_region_begin(&a);
		prompt_add(&a, "> ", &l, 4);
		CHECK_MSG(live_region_count(&a) == cases[i].rows &&
				  a.next.row == cases[i].row &&
				  a.next.column == cases[i].column,
			  "prompt %zu: %zu rows, cursor %zu,%zu", i,
			  live_region_count(&a), a.next.row, a.next.column);
		live_region_done(&a);
		line_editor_done(&l);
	}
}

static void test_trim(void)
{
	struct live_region a;
	struct line_editor l;

	live_region_init(&a, COLUMNS);
	line_editor_init(&l);
	line_editor_insert(&l, "1\n2\n3\n4", 7);
	live_region_begin(&a);
	live_region_add(&a, "first", 5);
	prompt_add(&a, "> ", &l, 8);
	live_region_trim(&a, 2);
	CHECK(a.next.count == 2 && a.next.row == 1);
	CHECK_STR(a.next.text[0], "  3");
	live_region_done(&a);
	line_editor_done(&l);
}

static void test_narrow(void)
{
	struct line_editor l;

	line_editor_init(&l);
	line_editor_insert(&l, "wide 日本語 text and more of it", 33);
	size_t drawn = 0;

	for (size_t columns = 1; columns < 30; columns++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);
		struct live_region a;

		live_region_init(&a, columns);
		live_region_begin(&a);
		prompt_add(&a, "> ", &l, 8);

		bool full = live_region_count(&a) > 0 && live_region_count(&a) <= 8;

		live_region_draw(&a, &out, "", 0);
		live_region_resize(&a, &out, columns + 3);
		drawn += full && out.len > 0 && !out.error;
		live_region_done(&a);
	}
	CHECK_MSG(drawn == 29, "every width from 1 to 29 is drawn");
	line_editor_done(&l);
}

int main(void)
{
	test_random();
	test_bytes();
	test_prompt();
	test_trim();
	test_narrow();
	return tap_done();
}
