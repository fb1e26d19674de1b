/* SPDX-License-Identifier: MIT
 *
 * vt.c - a libvterm screen, and its cells converted to text.
 *
 * This libvterm does not report which rows were wrapped: a row that is filled to
 * its last column is assumed to continue in the next. */
#include "vt.h"
#include "utf8.h"
#include <string.h>
#include <vterm.h>

enum { CSI_NUMBERS = 16, CSI_DIGITS = 4 }; /* maximum per sequence */

struct vt {
	VTerm *term;
	VTermScreen *screen;
	struct vt_hooks hooks;
	size_t plain_lines; /* since the last control sequence */
	char last;
	char held[4];       /* bytes of an incomplete character */
	size_t held_len;
	enum { TEXT, ESCAPE, CSI, STRING, STRING_ESCAPE } state;
	char seq[64];       /* an incomplete sequence */
	size_t seq_len;
	unsigned numbers, digits;
	bool bad;           /* the sequence is dropped */
	bool title;         /* the string ends at a newline */
	bool alternate;
};

/* The text of a cell that follows a wide character. */
#define WIDE_REST ((uint32_t)-1)

static void vt_put_cell(struct strbuf *b, const VTermScreenCell *cell)
{
	if (cell->chars[0] == WIDE_REST)
		return;
	if (!cell->chars[0])
		strbuf_addc(b, ' ');
	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i]; i++)
		utf8_add_code(b, cell->chars[i]);
}

/* Append one row; with a newline unless it continues in the next. */
static void vt_put_row(const struct vt *vt, struct strbuf *b,
		       const VTermScreenCell *cells, int cols)
{
	int last = cols;

	while (last > 0 && (!cells[last - 1].chars[0] || cells[last - 1].chars[0] == ' '))
		last--;
	for (int i = 0; i < last; i++)
		vt_put_cell(b, &cells[i]);
	if (last < cols || vt->alternate)
		strbuf_addc(b, '\n');
}

static int on_pushline(int cols, const VTermScreenCell *cells, void *user)
{
	struct vt *vt = user;
	AUTO(strbuf) struct strbuf row = STRBUF(64 * 1024);

	vt_put_row(vt, &row, cells, cols);
	vt->hooks.line(vt->hooks.arg, row.text, row.len);
	return 1;
}

static int on_termprop(VTermProp prop, VTermValue *value, void *user)
{
	struct vt *vt = user;

	if (prop == VTERM_PROP_ALTSCREEN)
		vt->alternate = value->boolean;
	return 1;
}

static void vt_on_answer(const char *bytes, size_t len, void *user)
{
	struct vt *vt = user;

	vt->hooks.answer(vt->hooks.arg, bytes, len);
}

struct vt *vt_new(const struct vt_hooks *hooks)
{
	static const VTermScreenCallbacks callbacks = {
		.sb_pushline = on_pushline,
		.settermprop = on_termprop,
	};
	struct vt *vt = calloc(1, sizeof *vt);

	if (!vt)
		return NULL;
	vt->hooks = *hooks;
	vt->term = vterm_new(VT_ROWS, VT_COLS);
	if (!vt->term)
		return vt_free(vt);
	vterm_set_utf8(vt->term, 1);
	vterm_output_set_callback(vt->term, vt_on_answer, vt);
	vt->screen = vterm_obtain_screen(vt->term);
	vterm_screen_set_callbacks(vt->screen, &callbacks, vt);
	vterm_screen_set_damage_merge(vt->screen, VTERM_DAMAGE_SCROLL);
	vterm_screen_enable_altscreen(vt->screen, 1);
	vterm_screen_reset(vt->screen, 1);
	return vt;
}

struct vt *vt_free(struct vt *vt)
{
	if (vt && vt->term)
		vterm_free(vt->term);
	free(vt);
	return NULL;
}

/* libvterm loses characters that arrive in two parts. */
static void write_whole(struct vt *vt, const char *bytes, size_t len)
{
	while (vt->held_len && len) {
		if ((*bytes & 0xc0) == 0x80 && vt->held_len < sizeof vt->held) {
			vt->held[vt->held_len++] = *bytes++;
			len--;
			if (utf8_tail(vt->held, vt->held_len))
				continue;
		}
		vterm_input_write(vt->term, vt->held, vt->held_len);
		vt->held_len = 0;
	}
	size_t rest = utf8_tail(bytes, len);

	vterm_input_write(vt->term, bytes, len - rest);
	memcpy(vt->held, bytes + len - rest, rest);
	vt->held_len += rest;
}

static size_t up_to(const char *bytes, size_t len, char c)
{
	const char *at = memchr(bytes, c, len);

	return at ? (size_t)(at - bytes) : len;
}

/* The terminal does not translate newlines (see spawn.c): here they start a new line,
 * except for full-screen programs, which check the terminal's modes. */
static void write_text(struct vt *vt, const char *bytes, size_t len)
{
	for (size_t n; len; bytes += n, len -= n) {
		n = up_to(bytes, len, '\n');
		write_whole(vt, bytes, n);
		if (n == len)
			break;
		vt->plain_lines++;
		write_whole(vt, vt->alternate ? "\n" : "\r\n", vt->alternate ? 1 : 2);
		n++;
	}
}

/* One byte between ESC [ and the end of the sequence. libvterm writes past its arrays
 * when there are more than CSI_NUMBERS numbers. */
static void csi(struct vt *vt, char c)
{
	if (c >= '0' && c <= '9')
		vt->digits++;
	else
		vt->digits = 0;
	if (vt->digits > CSI_DIGITS)
		return;
	vt->numbers += c == ';' || c == ':';
	if (vt->seq_len == sizeof vt->seq || vt->numbers >= CSI_NUMBERS)
		vt->bad = true;
	else
		vt->seq[vt->seq_len++] = c;
	if (c < '@' || c > '~')
		return;
	if (!vt->bad)
		write_whole(vt, vt->seq, vt->seq_len);
	vt->state = TEXT;
}

static void vt_escape(struct vt *vt, char c)
{
	const char whole[2] = { '\033', c };

	vt->state = TEXT;
	if (c == '[') {
		vt->state = CSI;
		memcpy(vt->seq, "\033[", 2);
		vt->seq_len = 2;
		vt->numbers = vt->digits = 0;
		vt->bad = false;
	} else if (strchr("]P_^Xk", c)) {
		vt->state = STRING;
		vt->title = c == ']';
	} else {
		write_whole(vt, whole, 2);
	}
}

/* One byte of a sequence. It reaches libvterm when it is complete; strings (titles and
 * the like) do not. */
static void vt_sequence(struct vt *vt, char c)
{
	if (c == '\033') {
		vt->state = vt->state == STRING ? STRING_ESCAPE : ESCAPE;
	} else if (c == '\030' || c == '\032') {
		vt->state = TEXT;
	} else if (vt->state == STRING && c == '\n' && vt->title) {
		vt->state = TEXT;
		write_text(vt, &c, 1);
	} else if (vt->state == STRING) {
		vt->state = c == '\a' ? TEXT : STRING;
	} else if (vt->state == STRING_ESCAPE && c == '\\') {
		vt->state = TEXT;
	} else if ((unsigned char)c < ' ') {
		write_text(vt, &c, 1);
	} else if (vt->state == CSI) {
		csi(vt, c);
	} else {
		vt_escape(vt, c);
	}
}

void vt_feed(struct vt *vt, const char *bytes, size_t len)
{
	if (len)
		vt->last = bytes[len - 1];
	for (size_t n; len; bytes += n, len -= n) {
		if (vt->state != TEXT) {
			vt_sequence(vt, *bytes);
			n = 1;
			continue;
		}
		n = up_to(bytes, len, '\033');
		write_text(vt, bytes, n);
		if (n < len) {
			vt->state = ESCAPE;
			vt->plain_lines = 0;
			n++;
		}
	}
}

bool vt_is_plain(const struct vt *vt)
{
	return vt->plain_lines > VT_ROWS && vt->last == '\n' && !vt->alternate;
}

int vt_text(struct vt *vt, struct strbuf *out)
{
	VTermScreenCell cells[VT_COLS];
	size_t blank = 0, from = out->len;

	for (int row = 0; row < VT_ROWS; row++) {
		AUTO(strbuf) struct strbuf line = STRBUF(64 * 1024);

		for (int col = 0; col < VT_COLS; col++)
			vterm_screen_get_cell(vt->screen,
					      (VTermPos){ .row = row, .col = col },
					      &cells[col]);
		vt_put_row(vt, &line, cells, VT_COLS);
		if (line.len == 1) {
			blank++;
			continue;
		}
		for (; blank; blank--)
			strbuf_addc(out, '\n');
		strbuf_addn(out, line.text, line.len);
	}
	if (out->len > from && out->text[out->len - 1] == '\n')
		strbuf_cut(out, out->len - 1);
	return out->error;
}
