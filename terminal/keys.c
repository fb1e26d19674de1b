/* SPDX-License-Identifier: MIT
 *
 * keys.c - a table of the sequences that terminals send. */
#include "keys.h"

#include "utf8.h"

#include <string.h>

static const struct {
	const char *bytes;
	enum key key;
} sequences[] = {
	{ "\033[A", KEY_UP },          { "\033OA", KEY_UP },
	{ "\033[B", KEY_DOWN },        { "\033OB", KEY_DOWN },
	{ "\033[C", KEY_RIGHT },       { "\033OC", KEY_RIGHT },
	{ "\033[D", KEY_LEFT },        { "\033OD", KEY_LEFT },
	{ "\033[H", KEY_HOME },        { "\033OH", KEY_HOME },
	{ "\033[1~", KEY_HOME },       { "\033[7~", KEY_HOME },
	{ "\033[F", KEY_END },         { "\033OF", KEY_END },
	{ "\033[4~", KEY_END },        { "\033[8~", KEY_END },
	{ "\033[3~", KEY_DELETE },     { "\033[Z", KEY_BACKTAB },
	{ "\033[5~", KEY_PAGE_UP },    { "\033[6~", KEY_PAGE_DOWN },
	{ "\033[1;5C", KEY_WORD_RIGHT }, { "\033[1;5D", KEY_WORD_LEFT },
	{ "\033[1;3C", KEY_WORD_RIGHT }, { "\033[1;3D", KEY_WORD_LEFT },
	{ "\033f", KEY_WORD_RIGHT },   { "\033b", KEY_WORD_LEFT },
	{ "\033d", KEY_WORD_DELETE },  { "\033\x7f", KEY_WORD_BACKSPACE },
	{ "\033\b", KEY_WORD_BACKSPACE }, { "\033[3;5~", KEY_WORD_DELETE },
	{ "\033\r", KEY_NEWLINE },     { "\033\n", KEY_NEWLINE },
	{ "\033[13;2u", KEY_NEWLINE }, { "\033[27;2;13~", KEY_NEWLINE },
	{ "\033[13;3u", KEY_NEWLINE }, { "\033OM", KEY_ENTER },
	{ "\033[I", KEY_FOCUS_IN },    { "\033[O", KEY_FOCUS_OUT },
};

#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"

void keys_init(struct keys *k, void (*on_key)(void *, enum key, const char *, size_t),
	       void *arg)
{
	*k = (struct keys){ .on_key = on_key, .arg = arg, .paste = STRBUF(PASTE_MAX) };
}

void keys_done(struct keys *k)
{
	strbuf_clear(&k->paste);
}

static void keys_tell(struct keys *k, enum key key, const char *text, size_t len)
{
	k->on_key(k->arg, key, text, len);
}

static void chat_keys_control(struct keys *k, char byte)
{
	char letter = (char)(byte | 0x60);

	if (byte == '\r')
		keys_tell(k, KEY_ENTER, "", 0);
	else if (byte == '\n')
		keys_tell(k, KEY_NEWLINE, "", 0);
	else if (byte == '\t')
		keys_tell(k, KEY_TAB, "", 0);
	else if (byte == 0x7f || byte == '\b')
		keys_tell(k, KEY_BACKSPACE, "", 0);
	else
		keys_tell(k, KEY_CONTROL, &letter, 1);
}

/* Is the sequence whole? Its key, if so. */
static bool whole_sequence(const struct keys *k, enum key *ret)
{
	const char *b = k->bytes;

	*ret = KEY_NONE;
	if (k->len < 2)
		return false;
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
		if (strlen(sequences[i].bytes) == k->len &&
		    memcmp(sequences[i].bytes, b, k->len) == 0) {
			*ret = sequences[i].key;
			return true;
		}
	if (b[1] == '[')
		return k->len > 2 && (unsigned char)b[k->len - 1] >= 0x40;
	if (b[1] == 'O')
		return k->len > 2;
	return b[1] != '\033' || k->len > 2;
}

/* Hand over the paste but for its last `keep` bytes. */
static void flush_paste(struct keys *k, size_t keep)
{
	size_t len = k->paste.len - keep;

	len -= keep ? utf8_tail(k->paste.text, len) : 0;
	if (len)
		keys_tell(k, KEY_PASTE, k->paste.text, len);
	strbuf_consume(&k->paste, len);
}

/* One byte of a paste. */
static void paste(struct keys *k, char byte)
{
	size_t end = strlen(PASTE_END);

	if (k->paste.len + 2 >= PASTE_MAX)
		flush_paste(k, end);
	strbuf_addc(&k->paste, byte);
	k->paste.error = MT_OK;
	if (k->paste.len < end ||
	    memcmp(k->paste.text + k->paste.len - end, PASTE_END, end) != 0)
		return;
	strbuf_cut(&k->paste, k->paste.len - end);
	flush_paste(k, 0);
	strbuf_clear(&k->paste);
	k->pasting = false;
}

static void chat_keys_escape(struct keys *k)
{
	enum key key;

	if (k->len == strlen(PASTE_BEGIN) && memcmp(k->bytes, PASTE_BEGIN, k->len) == 0) {
		k->pasting = true;
		k->len = 0;
	} else if (whole_sequence(k, &key) || k->len == KEY_BYTES) {
		k->len = 0;
		if (key != KEY_NONE)
			keys_tell(k, key, "", 0);
	}
}

static void key(struct keys *k, char byte)
{
	bool valid;

	k->bytes[k->len++] = byte;
	if (k->bytes[0] == '\033') {
		chat_keys_escape(k);
	} else if ((unsigned char)k->bytes[0] < ' ' || k->bytes[0] == 0x7f) {
		k->len = 0;
		chat_keys_control(k, byte);
	} else if (utf8_tail(k->bytes, k->len) < k->len) {
		size_t len = k->len;

		k->len = 0;
		if (utf8_next(k->bytes, len, &valid) == len && valid)
			keys_tell(k, KEY_TEXT, k->bytes, len);
		else if (len > 1)
			key(k, byte); /* the bytes before it were not a character */
	}
}

void keys_feed(struct keys *k, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (k->pasting)
			paste(k, bytes[i]);
		else
			key(k, bytes[i]);
}

bool keys_waiting(const struct keys *k)
{
	return k->len > 0;
}

void keys_settle(struct keys *k)
{
	if (k->len == 1 && k->bytes[0] == '\033')
		keys_tell(k, KEY_ESCAPE, "", 0);
	k->len = 0;
}
