/* SPDX-License-Identifier: MIT
 *
 * screen.c - a terminal emulator optimized for output within one line. */
#include "screen.h"
#include "array.h"
#include "utf8.h"
#include <string.h>

enum state { GROUND, ESCAPE, ESCAPE_SKIP, CSI, STRING, STRING_ESC };

enum { BLANK = ' ', WIDE_REST = -1 };

struct screen {
	struct screen_hooks hooks;
	struct output output;  /* finished lines */
	struct strbuf line;    /* the unfinished line, until it is overwritten */
	int32_t *cells;        /* the line once it is overwritten */
	size_t cell_count, cell_room, column;
	bool in_cells;
	bool cr;               /* carriage return seen; the next byte is unknown */
	uint32_t partial;      /* incomplete character, for cells */
	unsigned partial_left;
	enum state state;
	char seq[SCREEN_SEQ];  /* the control sequence so far */
	size_t seq_len;
	struct vt *vt;         /* handles the output when set */
	struct strbuf shown;   /* unfinished text of the last screen_take */
	struct screen_gap gap; /* in the text of the last screen_take */
};

static void on_vt_line(void *arg, const char *bytes, size_t len)
{
	struct screen *s = arg;

	output_add(&s->output, bytes, len);
	s->hooks.live(s->hooks.arg, bytes, len);
}

static void on_vt_answer(void *arg, const char *bytes, size_t len)
{
	struct screen *s = arg;

	s->hooks.answer(s->hooks.arg, bytes, len);
}

struct screen *screen_new(const struct screen_hooks *hooks)
{
	struct screen *s = malloc(sizeof *s);

	if (!s)
		return NULL;
	/* Do not touch the large arrays of the output until they are needed. */
	memset((char *)s + offsetof(struct screen, line), 0,
	       sizeof *s - offsetof(struct screen, line));
	output_reset(&s->output);
	s->hooks = *hooks;
	s->line = STRBUF(SCREEN_LINE + 1);
	s->shown = STRBUF(OUTPUT_SHOWN);
	return s;
}

struct screen *screen_free(struct screen *s)
{
	if (!s)
		return NULL;
	strbuf_clear(&s->line);
	strbuf_clear(&s->shown);
	free(s->cells);
	vt_free(s->vt);
	free(s);
	return NULL;
}

/* ---- the line --------------------------------------------------------- */

/* The unfinished line as bytes, in either representation. */
static int line_text(const struct screen *s, struct strbuf *out)
{
	size_t n = s->cell_count;

	if (!s->in_cells)
		return strbuf_addn(out, s->line.text, s->line.len);
	while (n && s->cells[n - 1] == BLANK)
		n--;
	for (size_t i = 0; i < n; i++)
		if (s->cells[i] != WIDE_REST)
			utf8_add_code(out, (uint32_t)s->cells[i]);
	return out->error;
}

static void line_reset(struct screen *s)
{
	strbuf_reset(&s->line);
	s->in_cells = s->cr = false;
	s->cell_count = s->column = s->partial_left = 0;
}

/* Move the line to the output. */
static void line_commit(struct screen *s)
{
	if (s->in_cells) {
		AUTO(strbuf) struct strbuf text = STRBUF(4 * SCREEN_LINE + 1);

		line_text(s, &text);
		output_add(&s->output, text.text, text.len);
	} else {
		output_add(&s->output, s->line.text, s->line.len);
	}
	line_reset(s);
}

/* ---- the line as cells ------------------------------------------------- */

static bool is_wide(uint32_t c)
{
	return c >= 0x1100 &&
	       (c <= 0x115f || (c >= 0x2e80 && c <= 0xa4cf) ||
		(c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
		(c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
		(c >= 0x1f300 && c <= 0x1f64f) || (c >= 0x1f900 && c <= 0x1f9ff) ||
		(c >= 0x20000 && c <= 0x3fffd));
}

static bool cells_room(struct screen *s, size_t n)
{
	if (ARRAY_GROW(s->cells, &s->cell_room, n, SCREEN_LINE))
		return false;
	for (; s->cell_count < n; s->cell_count++)
		s->cells[s->cell_count] = BLANK;
	return true;
}

static void bash_screen_put_cell(struct screen *s, uint32_t c)
{
	size_t width = is_wide(c) ? 2 : 1;

	if (!cells_room(s, s->column + width)) {
		line_commit(s);
		utf8_add_code(&s->line, c);
		return;
	}
	if (s->cells[s->column] == WIDE_REST && s->column)
		s->cells[s->column - 1] = BLANK;
	s->cells[s->column] = (int32_t)c;
	if (width == 2)
		s->cells[s->column + 1] = WIDE_REST;
	s->column += width;
	if (s->column < s->cell_count && s->cells[s->column] == WIDE_REST)
		s->cells[s->column] = BLANK;
}

/* Decode bytes to characters; invalid UTF-8 becomes U+FFFD. */
static void put_byte(struct screen *s, unsigned char b)
{
	if (s->partial_left && (b & 0xc0) == 0x80) {
		s->partial = s->partial << 6 | (b & 0x3f);
		if (--s->partial_left == 0)
			bash_screen_put_cell(s,
					     s->partial > 0x10ffff ? 0xfffd : s->partial);
		return;
	}
	if (s->partial_left)
		bash_screen_put_cell(s, 0xfffd);
	s->partial_left = 0;
	if (b < 0x80) {
		bash_screen_put_cell(s, b);
	} else if (b >= 0xc2 && b < 0xf5) {
		s->partial_left = b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1;
		s->partial = b & (0x3fu >> s->partial_left);
	} else {
		bash_screen_put_cell(s, 0xfffd);
	}
}

static void bash_screen_put_tab(struct screen *s)
{
	s->column = (s->column / 8 + 1) * 8;
	cells_room(s, s->column);
}

static void to_cells(struct screen *s)
{
	if (s->in_cells)
		return;
	s->in_cells = true;
	s->cell_count = s->column = s->partial_left = 0;
	for (size_t i = 0; i < s->line.len; i++) {
		if (s->line.text[i] == '\t')
			bash_screen_put_tab(s);
		else
			put_byte(s, (unsigned char)s->line.text[i]);
	}
	strbuf_reset(&s->line);
}

/* ---- characters ------------------------------------------------------- */

static void bash_screen_new_line(struct screen *s)
{
	line_commit(s);
	output_add(&s->output, "\n", 1);
}

static void bash_screen_text_run(struct screen *s, const char *bytes, size_t len)
{
	if (s->cr) {
		to_cells(s);
		s->column = 0;
		s->cr = false;
	}
	for (; s->in_cells && len; len--)
		put_byte(s, (unsigned char)*bytes++);
	if (!len)
		return;
	if (s->line.len + len <= SCREEN_LINE &&
	    strbuf_addn(&s->line, bytes, len) == MT_OK)
		return;
	output_add(&s->output, s->line.text, s->line.len);
	strbuf_reset(&s->line);
	output_add(&s->output, bytes, len);
}

static void bash_screen_control(struct screen *s, char c)
{
	switch (c) {
	case '\n':
	case '\v':
	case '\f':
		bash_screen_new_line(s);
		break;
	case '\r':
		s->cr = true;
		break;
	case '\b':
		if (s->cr)
			break;
		to_cells(s);
		s->column -= s->column > 0;
		break;
	case '\t':
		if (s->cr || s->in_cells) {
			bash_screen_text_run(s, "", 0);
			bash_screen_put_tab(s);
		} else {
			bash_screen_text_run(s, "\t", 1);
		}
		break;
	case '\033':
		s->state = ESCAPE;
		s->seq[0] = c;
		s->seq_len = 1;
		break;
	default:
		break;
	}
}

/* ---- control sequences ------------------------------------------------- */

static void to_vt(struct screen *s)
{
	const struct vt_hooks hooks = { on_vt_line, on_vt_answer, s };
	AUTO(strbuf) struct strbuf lines = STRBUF(OUTPUT_HEAD + 5 * SCREEN_LINE);

	s->vt = vt_new(&hooks);
	if (!s->vt)
		return;
	if (output_pull(&s->output, VT_ROWS - 1, &lines) != MT_OK)
		strbuf_reset(&lines);
	line_text(s, &lines);
	for (size_t i = 0, from = 0; i <= lines.len; i++)
		if (i == lines.len || lines.text[i] == '\n') {
			vt_feed(s->vt, lines.text + from, i - from);
			if (i < lines.len)
				vt_feed(s->vt, "\r\n", 2);
			from = i + 1;
		}
	if (s->cr || s->in_cells)
		vt_feed(s->vt, "\r", 1);
	if (s->in_cells && s->column && !s->cr) {
		char move[32];
		int n = snprintf(move, sizeof move, "\033[%zuC", s->column);

		vt_feed(s->vt, move, (size_t)n);
	}
	line_reset(s);
	vt_feed(s->vt, s->seq, s->seq_len);
}

static void from_vt(struct screen *s)
{
	AUTO(strbuf) struct strbuf text = STRBUF(OUTPUT_HEAD);

	vt_text(s->vt, &text);
	s->vt = vt_free(s->vt);
	s->state = GROUND;
	output_add(&s->output, text.text, text.len);
}

static void erase_line(struct screen *s, size_t how)
{
	size_t from = how == 0 ? s->column : 0;
	size_t to =
		how == 1 && s->column + 1 < s->cell_count ? s->column + 1 : s->cell_count;

	for (size_t i = from; i < to; i++)
		s->cells[i] = BLANK;
	if (how != 1 && from < s->cell_count)
		s->cell_count = from;
}

static void shift_cells(struct screen *s, size_t n, bool insert)
{
	size_t after = s->cell_count > s->column ? s->cell_count - s->column : 0;

	if (insert) {
		if (!after || !cells_room(s, s->cell_count + n))
			return;
		memmove(s->cells + s->column + n, s->cells + s->column,
			after * sizeof *s->cells);
		for (size_t i = 0; i < n; i++)
			s->cells[s->column + i] = BLANK;
	} else {
		n = n < after ? n : after;
		memmove(s->cells + s->column, s->cells + s->column + n,
			(after - n) * sizeof *s->cells);
		s->cell_count -= n;
	}
}

static size_t first_number(const char *params)
{
	size_t n = 0;

	while (*params >= '0' && *params <= '9' && n < SCREEN_LINE)
		n = n * 10 + (size_t)(*params++ - '0');
	return n;
}

/* Movement and changes within the line. @return false if the sequence is neither. */
static bool line_sequence(struct screen *s, const char *params, char final)
{
	size_t n = first_number(params), count = n ? n : 1;

	if (!memchr("KCDGP@XJ`", final, 9) || strpbrk(params, "?>=<!"))
		return false;
	if (final == 'J' && n != 0)
		return false;
	if (s->cr) {
		to_cells(s);
		s->column = 0;
		s->cr = false;
	}
	if ((final == 'K' || final == 'J') && n == 0 && !s->in_cells)
		return true;
	to_cells(s);
	switch (final) {
	case 'K':
	case 'J':
		erase_line(s, n);
		break;
	case 'C':
		s->column =
			s->column + count < SCREEN_LINE ? s->column + count : s->column;
		break;
	case 'D':
		s->column -= count < s->column ? count : s->column;
		break;
	case 'P':
		shift_cells(s, count, false);
		break;
	case '@':
		shift_cells(s, count, true);
		break;
	case 'X':
		for (size_t i = s->column; i < s->cell_count && count; i++, count--)
			s->cells[i] = BLANK;
		break;
	default:
		s->column = count - 1;
		break;
	}
	return true;
}

/* Modes and styles that need no screen: all except those of the alternate screen. */
static bool is_silent(const char *params, char final)
{
	if (final == 'm')
		return true;
	if (final == 'q' || final == 'u' || final == 's')
		return strpbrk(params, "?>=<! ") != NULL;
	if (final != 'h' && final != 'l')
		return false;
	return *params == '?' && !strstr(params, "47") && !strstr(params, "1049") &&
	       strcmp(params, "?6") != 0;
}

static void sequence_end(struct screen *s, char final)
{
	char *params = s->seq + 2; /* after ESC [ */

	s->state = GROUND;
	s->seq[s->seq_len - 1] = '\0';
	if (is_silent(params, final) || line_sequence(s, params, final))
		return;
	s->seq[s->seq_len - 1] = final;
	to_vt(s);
}

static void screen_escape(struct screen *s, char c)
{
	s->state = GROUND;
	switch (c) {
	case '[':
		s->state = CSI;
		break;
	case ']':
	case 'P':
	case '_':
	case '^':
	case 'X':
		s->state = STRING;
		break;
	case 'E':
		bash_screen_new_line(s);
		break;
	case 'M':
	case '7':
	case '8':
	case 'c':
		to_vt(s);
		break;
	default:
		if (c >= ' ' && c <= '/')
			s->state = ESCAPE_SKIP;
	}
}

/* A title without a terminator must not swallow the output after it. Images have lines of
 * their own. */
static bool ends_string(const struct screen *s, char c)
{
	return c == '\a' || (c == '\\' && s->state == STRING_ESC) || c == '\030' ||
	       c == '\032' || (c == '\n' && s->seq[1] == ']');
}

/* One byte of a control sequence. */
static void bash_screen_sequence(struct screen *s, char c)
{
	if (s->state == STRING || s->state == STRING_ESC) {
		if (!ends_string(s, c)) {
			s->state = c == '\033' ? STRING_ESC : STRING;
			return;
		}
		s->state = GROUND;
		if (c == '\n')
			bash_screen_new_line(s);
		return;
	}
	if (c == '\030' || c == '\032' || s->seq_len == SCREEN_SEQ) {
		s->state = GROUND;
		return;
	}
	if ((unsigned char)c < ' ') {
		bash_screen_control(s, c);
		return;
	}
	s->seq[s->seq_len++] = c;
	if (s->state == ESCAPE) {
		screen_escape(s, c);
	} else if (s->state == ESCAPE_SKIP) {
		s->state = GROUND;
		if (c == '0') /* line drawing */
			to_vt(s);
	} else if (c >= '@' && c <= '~') {
		sequence_end(s, c);
	}
}

/* ---- bytes ------------------------------------------------------------- */

/* Process bytes without a vt. @return the number processed: all, or up to the sequence
 * that created a vt. */
static size_t feed_line(struct screen *s, const char *bytes, size_t len)
{
	size_t i = 0, live = 0;

	while (i < len && !s->vt) {
		size_t from = i;

		if (s->state != GROUND) {
			bash_screen_sequence(s, bytes[i++]);
			live = i;
			continue;
		}
		while (i < len && (unsigned char)bytes[i] >= ' ' && bytes[i] != '\177')
			i++;
		if (i > from)
			bash_screen_text_run(s, bytes + from, i - from);
		if (i == len)
			break;
		if (bytes[i] == '\033') {
			s->hooks.live(s->hooks.arg, bytes + live, i - live);
			live = i + 1;
		}
		bash_screen_control(s, bytes[i++]);
	}
	if (i > live)
		s->hooks.live(s->hooks.arg, bytes + live, i - live);
	return i;
}

void screen_feed(struct screen *s, const char *bytes, size_t len)
{
	while (len) {
		size_t n = len < 4096 ? len : 4096;

		if (s->vt)
			vt_feed(s->vt, bytes, n);
		else
			n = feed_line(s, bytes, len);
		if (s->vt && vt_is_plain(s->vt)) {
			from_vt(s);
			output_add(&s->output, "\n", 1);
		}
		bytes += n;
		len -= n;
	}
}

static bool starts_with(const struct strbuf *text, size_t from, const struct strbuf *p)
{
	return p->len && text->len - from >= p->len &&
	       memcmp(text->text + from, p->text, p->len) == 0;
}

int screen_take(struct screen *s, bool end, struct strbuf *out)
{
	size_t from = out->len, finished;

	if (end && s->vt)
		from_vt(s);
	if (end) {
		line_commit(s);
		s->state = GROUND; /* do not carry over an unfinished sequence */
	}
	s->gap = (struct screen_gap){ from + s->output.head_len, s->output.lost_bytes,
				      s->output.lost_lines };
	output_text(&s->output, out);
	finished = out->len;
	if (s->vt)
		vt_text(s->vt, out);
	else if (!end)
		line_text(s, out);
	if (out->error)
		return out->error;
	AUTO(strbuf) struct strbuf now = STRBUF(OUTPUT_SHOWN);
	bool same = starts_with(out, from, &s->shown);

	strbuf_addn(&now, out->text + finished, out->len - finished);
	if (same) {
		memmove(out->text + from, out->text + from + s->shown.len,
			out->len - from - s->shown.len + 1);
		out->len -= s->shown.len;
		s->gap.at -=
			s->gap.at > from + s->shown.len ? s->shown.len : s->gap.at - from;
	}
	strbuf_reset(&s->shown);
	if (now.error == MT_OK)
		strbuf_addn(&s->shown, now.text, now.len);
	output_reset(&s->output);
	return MT_OK;
}

struct screen_gap screen_gap(const struct screen *s)
{
	return s->gap;
}

bool screen_is_full(const struct screen *s)
{
	return s->vt != NULL;
}

bool screen_has_text(const struct screen *s)
{
	return s->vt || s->output.head_len || s->output.tail_len || s->line.len ||
	       s->in_cells;
}
