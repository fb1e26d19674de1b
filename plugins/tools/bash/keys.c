/* SPDX-License-Identifier: MIT
 *
 * keys.c - parses names of keys. */
#include "keys.h"
#include "auto.h"
#include "space.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

bool key_is_special(const char *text, size_t len)
{
	space_trim(&text, &len);
	return len == 3 && text[0] == 'C' && text[1] == '-';
}

char key_ctrl(const char *text, size_t len)
{
	static const char *const before[] = { "C-", "CTRL-", "CTRL+" };

	space_trim(&text, &len);
	for (size_t i = 0; i < ARRAY_LEN(before); i++) {
		size_t n = strlen(before[i]);

		if (len == n + 1 && strncasecmp(text, before[i], n) == 0 &&
		    isalpha((unsigned char)text[n]))
			return (char)tolower((unsigned char)text[n]);
	}
	return 0;
}

static const struct {
	const char *name, *bytes;
} named[] = {
	{ "ENTER", "\r" },   { "TAB", "\t" },      { "BS", "\177" },
	{ "ESC", "\033" },   { "UP", "\033[A" },   { "DOWN", "\033[B" },
	{ "LEFT", "\033[D" }, { "RIGHT", "\033[C" }, { "HOME", "\033[H" },
	{ "END", "\033[F" }, { "PGUP", "\033[5~" }, { "PGDN", "\033[6~" },
	{ "DEL", "\033[3~" }, { "SPACE", " " },
};

/* The control characters 1 to 31 as texts ("^@" is not supported). */
static const char control[] =
	"\001\002\003\004\005\006\007\010\011\012\013\014\015\016\017\020"
	"\021\022\023\024\025\026\027\030\031\032\033\034\035\036\037";

const char *key_bytes(const char *text, size_t len, size_t *ret_len)
{
	char c = key_ctrl(text, len);

	space_trim(&text, &len);
	if (!c && key_is_special(text, len))
		c = text[2];
	if (c && (isalpha((unsigned char)c) || strchr("[\\]^_", c))) {
		*ret_len = 1;
		return control + (c & 31) - 1;
	}
	for (size_t i = 0; i < ARRAY_LEN(named); i++)
		if (strlen(named[i].name) == len && !memcmp(named[i].name, text, len)) {
			*ret_len = strlen(named[i].bytes);
			return named[i].bytes;
		}
	return NULL;
}
