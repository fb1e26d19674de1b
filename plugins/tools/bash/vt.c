/* SPDX-License-Identifier: MIT
 *
 * vt.c - libvterm, and its cells back into text.
 *
 * This libvterm does not tell which rows were wrapped: a row that is filled to
 * its last column is taken for one that goes on in the next. */
#include "vt.h"
#include <string.h>
#include <vterm.h>

struct vt {
	VTerm *term;
	VTermScreen *screen;
	struct vt_hooks hooks;
	size_t plain_lines; /* since the last control character */
	char last;
	bool alternate;
};

static void put_char(struct strbuf *b, uint32_t c)
{
	if (c < 0x80) {
		strbuf_addc(b, (char)c);
	} else if (c < 0x800) {
		strbuf_addc(b, (char)(0xc0 | c >> 6));
		strbuf_addc(b, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		strbuf_addc(b, (char)(0xe0 | c >> 12));
		strbuf_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
		strbuf_addc(b, (char)(0x80 | (c & 0x3f)));
	} else {
		strbuf_addc(b, (char)(0xf0 | (c >> 18 & 7)));
		strbuf_addc(b, (char)(0x80 | (c >> 12 & 0x3f)));
		strbuf_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
		strbuf_addc(b, (char)(0x80 | (c & 0x3f)));
	}
}

/* A cell that follows a wide character has this for its text. */
#define WIDE_REST ((uint32_t)-1)

static void put_cell(struct strbuf *b, const VTermScreenCell *cell)
{
	if (cell->chars[0] == WIDE_REST)
		return;
	if (!cell->chars[0])
		strbuf_addc(b, ' ');
	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i]; i++)
		put_char(b, cell->chars[i]);
}

/* One row; with a newline unless it goes on in the next. */
static void put_row(const struct vt *vt, struct strbuf *b, const VTermScreenCell *cells,
		    int cols)
{
	int last = cols;

	while (last > 0 && (!cells[last - 1].chars[0] || cells[last - 1].chars[0] == ' '))
		last--;
	for (int i = 0; i < last; i++)
		put_cell(b, &cells[i]);
	if (last < cols || vt->alternate)
		strbuf_addc(b, '\n');
}

static int on_pushline(int cols, const VTermScreenCell *cells, void *user)
{
	struct vt *vt = user;
	AUTO(strbuf) struct strbuf row = STRBUF(64 * 1024);

	put_row(vt, &row, cells, cols);
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

static void on_answer(const char *bytes, size_t len, void *user)
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
	vterm_output_set_callback(vt->term, on_answer, vt);
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

static size_t to_newline(const char *bytes, size_t len)
{
	const char *at = memchr(bytes, '\n', len);

	return at ? (size_t)(at - bytes) : len;
}

/* The terminal's newlines come as they are (see spawn.c): here they begin a new
 * line, but for full-screen programs, which look at the terminal's modes. */
void vt_feed(struct vt *vt, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c == '\n')
			vt->plain_lines++;
		else if (c < ' ' && c != '\t' && c != '\r')
			vt->plain_lines = 0;
	}
	if (len)
		vt->last = bytes[len - 1];
	for (size_t n; len; bytes += n, len -= n) {
		n = to_newline(bytes, len);
		vterm_input_write(vt->term, bytes, n);
		if (n == len)
			break;
		vterm_input_write(vt->term, "\r\n" + vt->alternate, 2u - vt->alternate);
		n++;
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
		put_row(vt, &line, cells, VT_COLS);
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
